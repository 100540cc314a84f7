/*
 * reseal.c - frames whose fingerprint and ledger fit again after somebody changed them.
 */
#include "fuzz/reseal.h"

#include "base/bytes.h"
#include "chunk/header.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/trailer.h"
#include "meta/layers.h"

#include <string.h>

enum { LEDGER_V1_AT = CHUNK_HEADER_SIZE + 5, HASH_AT = 16, FIXED_SIZE = 40 };

static uint64_t
hash_again(uint8_t *ledger, size_t size)
{
    put_u64le(ledger + HASH_AT, 0);
    const uint64_t hash = checksum_of(ledger, size);
    put_u64le(ledger + HASH_AT, hash);
    return hash;
}

// The ledger that the last metalayer of a trailer leads to, or of format 1, is.
static void
repair_ledger(uint8_t *image, const struct frame_header *h, size_t size, uint8_t *trailer,
              size_t trailer_size)
{
    struct layers vlmetas;
    struct ledger_ref ref;
    if (trailer_parse(trailer, trailer_size, &vlmetas, NULL) != TESS_OK)
        return;
    const struct layer *const layer = layers_find(&vlmetas, LEDGER_NAME);
    const size_t room = layer ? layer->size : 0;
    uint8_t *const content = trailer + trailer_size - TRAILER_FIXED_END - room;
    if (room == LEDGER_REF_CHUNK_SIZE && ledger_ref_parse(layer, &ref)) {
        if (ref.size >= FIXED_SIZE && ref.position >= 0 && ref.position <= (int64_t)size &&
            ref.size <= (int64_t)size - ref.position)
            ref.hash = hash_again(image + ref.position, (size_t)ref.size);
        ref.head_hash = ledger_head_hash(image, (size_t)h->header_len);
        ledger_ref_write(content, &ref);
    } else if (room >= LEDGER_V1_AT + FIXED_SIZE && room <= trailer_size - TRAILER_FIXED_END) {
        (void)hash_again(content + LEDGER_V1_AT, room - LEDGER_V1_AT);
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
    repair_ledger(image, &h, size, trailer, (size_t)length);
    trailer_seal(trailer, (size_t)length, image + at, index_size);
}
