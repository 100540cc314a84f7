/*
 * content.h - the content of a chunk of an array, and chunks for plain frames.
 *
 * Reading: any number of threads at once, inside the gate of the grid. Chunks are made of what
 * stands in memory; nothing of the array changes.
 */
#ifndef ARRAY_PLAIN_CONTENT_H
#define ARRAY_PLAIN_CONTENT_H

#include "array/array.h"
#include "array/plain/edit.h"

// All bytes of chunk n, in the order of its blocks, of any array that is no view.
tess_status chunk_content_read(const tess_array *a, int64_t n, uint8_t *dst, size_t dst_size,
                               struct watch *watch, tess_error *err);

// A chunk of items, encoded as the frame says. *room is to be freed, also after a failure.
tess_status plain_chunk_encode(const tess_array *a, const uint8_t *items, size_t size,
                               struct watch *watch, struct plain_chunk *chunk, uint8_t **room,
                               tess_error *err);
// `nbytes` bytes that are zeros, NaNs, or were never written.
tess_status plain_chunk_special(const tess_array *a, enum chunk_special special, int64_t nbytes,
                                struct plain_chunk *chunk, tess_error *err);
// Where such a chunk has to be stored: one item, again and again; or plain bytes, if they are no
// whole items. c-blosc2 reads zeros, NaNs and nothing out of the index of a file alone. *bytes is
// to be freed, also after a failure.
tess_status plain_special_encode(const tess_array *a, enum chunk_special special, int32_t nbytes,
                                 uint8_t **bytes, int32_t *cbytes, tess_error *err);
// Stored bytes from anywhere; trusted: blocks are not decoded as a check. Nothing is copied.
tess_status plain_chunk_check(const tess_array *a, const uint8_t *bytes, size_t size, bool trusted,
                              struct plain_chunk *chunk, tess_error *err);

#endif
