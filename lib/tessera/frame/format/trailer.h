/*
 * trailer.h - the end of a frame: variable-length metalayers, length, fingerprint; and the
 * reference to the ledger, which is one of the metalayers, or stands beside the trailer.
 *
 * The reference to the ledger (ledger.h) is 29 bytes that say where it is, in one of two places.
 *
 * If the trailer can have one more variable-length metalayer, the reference is the content of the
 * metalayer `_tess`, as a msgpack bin 8. Other implementations ignore this metalayer, but copy it
 * to new trailers and new files, so the reference may be stale. It is valid only if the trailer has
 * a fingerprint by Tessera that matches (trailer.h), and the position is that of this frame.
 * Little-endian:
 *
 *      0  u8   format, 2
 *      1  u64  XXH3-64 of the ledger, as in its own header; without a ledger, of the frame's header
 *      9  u32  XXH3-64 of the frame's header, the lower half
 *     13  u32  bytes of the ledger; 0: there is none
 *     17  u48  position of the ledger in the frame
 *     23  u48  number of the commit
 *
 * The last 16 bytes are XORed with a 16-byte mask, computed from the 12 bytes before (whiten()).
 * c-blosc2 stores content of fewer than 32 bytes without filters and codec, so none of these can
 * change or reject the reference. The exception is a codec with a dictionary: it requires content
 * of this size to look random.
 *
 * Other writers fail on files with more than 16 metalayers. If the user has set as many, the
 * reference is stored next to the ledger: between ledger and trailer; in a frame without chunks,
 * between trailer and ledger. Other implementations accept unused bytes there, but do not copy
 * them:
 *
 *      0  8 bytes "tess_ref"
 *      8  u64  XXH3-64 of these 48 bytes, with this field 0, followed by the 16 bytes of the
 *              trailer's fingerprint: it ties the reference to that trailer
 *     16       the 29 bytes above
 *     45       3 bytes of 0
 *
 * sparse.c may leave a gap behind an index; that gap is always shorter than 48 bytes.
 */
#ifndef FRAME_FORMAT_TRAILER_H
#define FRAME_FORMAT_TRAILER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct layers;

#define TRAILER_FIXED_END 23 // bytes behind the layers: length and fingerprint
#define TRAILER_SEAL 16

// Length of the trailer, out of the last TRAILER_FIXED_END bytes of a frame. At most `room`.
tess_status trailer_length(const uint8_t *end, int64_t room, int64_t *length, tess_error *err);

// Parse a whole trailer of today (frame versions 2 and 3).
tess_status trailer_parse(const uint8_t *src, size_t size, struct layers *vlmetas, tess_error *err);

// Check a trailer of frame version 1: a nameless chunk of user metadata, which is not used.
tess_status trailer_check_v1(const uint8_t *src, size_t size, tess_error *err);

// Write a trailer; *out is allocated for the caller. Its fingerprint is zeros.
tess_status trailer_write(const struct layers *vlmetas, uint8_t **out, size_t *size,
                          tess_error *err);

/*
 * The fingerprint of index chunk and trailer, in the last bytes of the trailer: type 3, XXH3 of
 * 128 bits over the index chunk and the trailer up to and with the type byte. It leaves out the
 * header, which other writers change alone; they also reset the fingerprint when they write a
 * trailer. Checking one of another type is fine. The last TRAILER_SEAL bytes are the fingerprint.
 */
void trailer_seal(uint8_t *trailer, size_t size, const uint8_t *index, size_t index_size);
// Whether there is a fingerprint of any type, right or not.
bool trailer_has_fingerprint(const uint8_t *trailer, size_t size);
// *sealed: it has one of this type, and it is right.
tess_status trailer_check_seal(const uint8_t *trailer, size_t size, const uint8_t *index,
                               size_t index_size, bool *sealed, tess_error *err);

// -- the reference to the ledger

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
    bool beside; // stored next to the ledger, not in a metalayer
};

// Bytes that the reference takes next to the ledger; ledger_ref_extent(): with the ledger.
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

// Compute ledger_ref.head_hash for a header.
uint32_t ledger_head_hash(const uint8_t *head, size_t size);

// Parse the reference in a metalayer. False: the content is not a reference.
bool ledger_ref_parse(const struct layer *layer, struct ledger_ref *ref);

// Make the metalayer, with room for a reference; the content is allocated for the caller.
tess_status ledger_ref_make(struct layer *layer, tess_error *err);

// Write the reference into a content that ledger_ref_make() allocated.
void ledger_ref_write(uint8_t *content, const struct ledger_ref *ref);

// Write and parse a reference next to the ledger. seal: the TRAILER_SEAL bytes of the trailer's
// fingerprint. False: the bytes are not a reference, or belong to another trailer.
void ledger_ref_write_beside(uint8_t *dst, const uint8_t *seal, const struct ledger_ref *ref);
bool ledger_ref_parse_beside(const uint8_t *src, const uint8_t *seal, struct ledger_ref *ref);

#endif
