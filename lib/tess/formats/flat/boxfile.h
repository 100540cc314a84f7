/*
 * boxfile.h - boxes of an array that lies in C order, uncompressed, in an open file.
 */
#ifndef TESS_FORMATS_FLAT_BOXFILE_H
#define TESS_FORMATS_FLAT_BOXFILE_H

#include <tessera/params.h>

struct boxfile {
    int fd;
    int64_t origin; // byte of the file where the first item is
    int32_t item_size;
    int ndim;
    int64_t shape[TESS_MAX_NDIM]; // all its bytes have positions below 2^63
};

tess_status boxfile_read(const struct boxfile *f, const int64_t *start, const int64_t *stop,
                         void *dst, tess_error *err);
tess_status boxfile_write(const struct boxfile *f, const int64_t *start, const int64_t *stop,
                          const void *src, tess_error *err);

// All of size bytes, or a failure; a file that ends early is one.
tess_status boxfile_read_at(int fd, int64_t offset, void *dst, size_t size, tess_error *err);
// offset -1: wherever the descriptor stands, for pipes.
tess_status boxfile_write_at(int fd, int64_t offset, const void *src, size_t size, tess_error *err);

#endif
