/*
 * npy.h - the header of .npy files, versions 1, 2 and 3.
 *
 * A magic string, a version, the length of a text, and the text: a Python dictionary with the
 * item type, the order and the shape. The items follow.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */
#ifndef TESS_FORMATS_FLAT_NPY_H
#define TESS_FORMATS_FLAT_NPY_H

#include <tessera/params.h>

#include <stdbool.h>

// Bytes before the text, at most.
#define NPY_PREAMBLE_MAX 12
// Longest text that is read.
#define NPY_TEXT_MAX (1 << 20)

struct npy_preamble {
    size_t text_offset; // byte of the file
    size_t text_size; // NPY_TEXT_MAX at most
    bool latin1; // else UTF-8
};

struct npy_header {
    char *dtype; // a type string, or the list of a structured type as it stands there; UTF-8
    bool fortran;
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
};

// From the first bytes of a file: NPY_PREAMBLE_MAX, or all if there are fewer.
tess_status npy_preamble_parse(const uint8_t *bytes, size_t size, struct npy_preamble *preamble,
                               tess_error *err);

// End the header with npy_header_finish() after success.
tess_status npy_header_parse(const char *text, size_t size, bool latin1, struct npy_header *header,
                             tess_error *err);
void npy_header_finish(struct npy_header *header);

// All bytes before the items, for a file in C order; to be freed. A type that NumPy would not
// read is written as opaque bytes.
tess_status npy_header_make(const char *dtype, int32_t typesize, int ndim, const int64_t *shape,
                            char **bytes, size_t *size, tess_error *err);

#endif
