/*
 * trailer.h - the end of a frame: variable-length metalayers, length, fingerprint.
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

#endif
