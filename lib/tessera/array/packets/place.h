/*
 * place.h - a worker writes the chunks of a packet to the file or directory of the array.
 *
 * Another process has that open, and said where. One thread per call, no lock.
 */
#ifndef ARRAY_PACKETS_PLACE_H
#define ARRAY_PACKETS_PLACE_H

#include "base/error.h"
#include "frame/contiguous/extents.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Of a packet that has its chunks. part: of a lease; bytes of a file, or numbers of files. sync:
// all is on the disk when this returns. *placed is the packet that says where they are, the
// caller's to free.
tess_status packet_place(const void *packet, size_t size, const char *path, struct extent part,
                         bool sync, uint8_t **placed, size_t *placed_size, tess_error *err);

#endif
