/*
 * reseal.c - frames whose fingerprint and ledger fit again after somebody changed them.
 */
#include "fuzz/reseal.h"

#include "base/bytes.h"
#include "chunk/header.h"
#include "frame/checksums.h"
#include "frame/header.h"
#include "frame/ledger.h"
#include "frame/trailer.h"

#include <string.h>

enum { LEDGER_AT = CHUNK_HEADER_SIZE + 5, HASH_AT = 16, FIXED_SIZE = 40 };

// The last metalayer of a trailer, if it is a ledger.
static void
repair_ledger(uint8_t *trailer, size_t size)
{
    struct layers vlmetas;
    if (trailer_parse(trailer, size, &vlmetas, NULL) != TESS_OK)
        return;
    const struct layer *const layer = layers_find(&vlmetas, LEDGER_NAME);
    const size_t room = layer ? layer->size : 0;
    if (room >= LEDGER_AT + FIXED_SIZE && room <= size - TRAILER_FIXED_END) {
        uint8_t *const payload = trailer + size - TRAILER_FIXED_END - room + LEDGER_AT;
        put_u64le(payload + HASH_AT, 0);
        put_u64le(payload + HASH_AT, checksum_of(payload, room - LEDGER_AT));
    }
    layers_finish(&vlmetas);
}

void
reseal(uint8_t *image, size_t size)
{
    struct frame_header h;
    struct chunk_header index;
    int64_t length;
    const size_t front = size < FRAME_HEADER_SIZE ? size : FRAME_HEADER_SIZE;
    if (frame_header_parse(image, front, (int64_t)size, &h, NULL) != TESS_OK || h.version < 2 ||
        trailer_length(image + h.frame_len - TRAILER_FIXED_END, h.frame_len - h.header_len, &length,
                       NULL) != TESS_OK)
        return;
    uint8_t *const trailer = image + h.frame_len - length;
    const int64_t at = h.header_len + (h.nbytes > 0 && !h.sparse ? h.cbytes : 0);
    const int64_t room = h.frame_len - length - at;
    size_t index_size = 0;
    if (h.nbytes > 0) {
        if (room < CHUNK_HEADER_SIZE ||
            chunk_header_parse(image + at, CHUNK_HEADER_SIZE, room, 8, &index, NULL) != TESS_OK)
            return;
        index_size = (size_t)index.cbytes;
    }
    repair_ledger(trailer, (size_t)length);
    trailer_seal(trailer, (size_t)length, image + at, index_size);
}
