/*
 * memory.h - an io (io.h) that is memory.
 *
 * Threads: as io.h says; no lock.
 */
#ifndef IO_MEMORY_H
#define IO_MEMORY_H

#include "base/error.h"
#include "io/storage.h"

#include <stddef.h>

struct io;

extern const struct storage_kind storage_memory;

// Read the caller's bytes, which must stay.
tess_status io_memory_view(const void *image, size_t size, struct io **io, tess_error *err);

// Memory that grows, starting with a copy of the caller's bytes.
tess_status io_memory_new(const void *image, size_t size, struct io **io, tess_error *err);

// Take the bytes out of such memory: allocated, and nothing is left in the io.
void io_memory_take(struct io *io, void **bytes, size_t *size);

#endif
