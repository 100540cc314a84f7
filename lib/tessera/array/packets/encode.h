/*
 * encode.h - items in memory become a packet of encoded chunks, which a worker may write to the
 * file or directory of the array.
 *
 * The chunks are staged in a frame in memory that has none (a sketch), and never installed: the
 * frame stays as it is, and its list takes no memory. Any number of threads at once; the call takes
 * the turn of the chunks, so that those of others are encoded meanwhile.
 *
 * To write them, the worker is told where by the process that has the array open; one thread per
 * call, no lock.
 *
 * Memory: the packet, and its chunks once more.
 */
#ifndef ARRAY_PACKETS_ENCODE_H
#define ARRAY_PACKETS_ENCODE_H

#include "array/array.h"
#include "base/error.h"
#include "frame/contiguous/extents.h"
#include "grid/box_memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A box of whole chunks; src: its items, unless there are none. *packet is the caller's to free.
// TESS_ERR_ARG: the box cuts chunks; the array is no sketch.
tess_status array_encode_packet(tess_array *sketch, const struct box *box,
                                const struct box_memory_const *src, struct watch *watch,
                                uint8_t **packet, size_t *packet_size, tess_error *err);

// Of a packet that has its chunks. part: of a lease; bytes of a file, or numbers of files. sync:
// all is on the disk when this returns. *placed is the packet that says where they are, the
// caller's to free.
tess_status packet_place(const void *packet, size_t size, const char *path, struct extent part,
                         bool sync, uint8_t **placed, size_t *placed_size, tess_error *err);

#endif
