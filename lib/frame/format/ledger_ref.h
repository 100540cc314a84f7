/*
 * ledger_ref.h - the reference to the ledger (ledger.h): 29 bytes that say where it is, in one of
 * two places.
 *
 * Where there is room for one more variable-length metalayer, it is the metalayer `_tess`, whose
 * content is a msgpack bin 8 with these bytes. Other implementations ignore it and carry it along,
 * so it speaks of the state it is in only if the trailer's fingerprint is ours and right
 * (trailer.h), and the position is that of this frame. Little-endian:
 *
 *      0  u8   format, 2
 *      1  u64  XXH3-64 of the ledger, as in its own header; without a ledger, of the frame's header
 *      9  u32  XXH3-64 of the frame's header, the lower half
 *     13  u32  bytes of the ledger; 0: there is none
 *     17  u48  position of the ledger in the frame
 *     23  u48  number of the commit
 *
 * The last 16 bytes are combined (exclusive or) with 16 that follow from the 12 before them
 * (whiten()). c-blosc2 stores content of fewer than 32 bytes as it is, so that no filter or codec
 * that it passes metalayers through can change it, or refuse it; with one exception: with
 * dictionaries, content of this size must look random.
 *
 * Other writers fail on files with more than 16 metalayers. Where the user has these, the reference
 * stands beside the ledger: between ledger and trailer; in a frame without chunks, between trailer
 * and ledger. Other implementations accept unused bytes there, and do not carry them along:
 *
 *      0  8 bytes "tess_ref"
 *      8  u64  XXH3-64 of these 48 bytes, with zeros in these eight, and the 16 bytes of the
 *              trailer's fingerprint behind them: it belongs to this trailer and no other
 *     16       the 29 bytes above
 *     45  u8   zeros, three
 *
 * A gap that sparse.c leaves behind an index is shorter.
 */
#ifndef FRAME_LEDGER_REF_H
#define FRAME_LEDGER_REF_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEDGER_NAME "_tess"
#define LEDGER_REF_CHUNK_SIZE 63 // of the metalayer as it is stored, a chunk that is not compressed
#define LEDGER_REF_BESIDE_SIZE 48

struct layer;

struct ledger_ref {
    int64_t size; // 0: there is no ledger
    int64_t position;
    uint64_t number;
    uint64_t hash;
    uint32_t head_hash;
    bool beside; // it stands beside the ledger, and not in a metalayer
};

// Bytes of the reference that stand beside the ledger; of these and the ledger.
static inline int64_t
ledger_ref_beside(const struct ledger_ref *ref)
{
    return ref->beside ? LEDGER_REF_BESIDE_SIZE : 0;
}

static inline int64_t
ledger_ref_extent(const struct ledger_ref *ref)
{
    return ref->size + ledger_ref_beside(ref);
}

// What ledger_ref.head_hash is of a header.
uint32_t ledger_head_hash(const uint8_t *head, size_t size);

// False: it is something else.
bool ledger_ref_parse(const struct layer *layer, struct ledger_ref *ref);

// Make the metalayer, with room for a reference; the content is allocated for the caller.
tess_status ledger_ref_make(struct layer *layer, tess_error *err);

// Put the reference into such a content, wherever it is by now.
void ledger_ref_write(uint8_t *content, const struct ledger_ref *ref);

// The same beside the ledger, for the trailer with that fingerprint (TRAILER_SEAL bytes). Parsing:
// false, it is something else, or of another trailer.
void ledger_ref_write_beside(uint8_t *dst, const uint8_t *seal, const struct ledger_ref *ref);
bool ledger_ref_parse_beside(const uint8_t *src, const uint8_t *seal, struct ledger_ref *ref);

#endif
