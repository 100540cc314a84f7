/*
 * encode.h - items in memory become a packet of encoded chunks.
 *
 * The chunks are staged in a frame in memory that has none (a sketch), and never installed: the
 * frame stays as it is, and its list takes no memory. Any number of threads at once; the call takes
 * the turn of the chunks, so that those of others are encoded meanwhile.
 *
 * Memory: the packet, and its chunks once more.
 */
#ifndef ARRAY_PACKETS_ENCODE_H
#define ARRAY_PACKETS_ENCODE_H

#include "array/array.h"
#include "grid/strided.h"

// A box of whole chunks; src: its items, unless there are none. *packet is the caller's to free.
// TESS_ERR_ARG: the box cuts chunks; the array is no sketch.
tess_status array_encode_packet(tess_array *sketch, const int64_t *start, const int64_t *stop,
                                const struct strided_const *src, struct watch *watch,
                                uint8_t **packet, size_t *packet_size, tess_error *err);

#endif
