/*
 * text.h - numbers and shapes as people write them, and strings made fit for a terminal.
 */
#ifndef TESS_TEXT_TEXT_H
#define TESS_TEXT_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// A decimal integer and nothing else; false if it is not one, or does not fit.
bool text_int64(const char *text, int64_t *value);

// A decimal number, finite and not negative, and nothing else.
bool text_amount(const char *text, double *value);

// "400x400x400"; "()" for 0 dimensions.
void text_shape_write(FILE *out, int ndim, const int64_t *shape);

// A string of unknown origin: what controls a terminal, the direction of writing included, and
// bytes that are no UTF-8 come out as \xNN or \uNNNN.
void text_write(FILE *out, const char *text);
// Likewise, `"` and `\` behind a backslash, NULs among the bytes.
void text_write_quoted(FILE *out, const char *text, size_t size);

bool text_ends_with(const char *text, const char *end);
// A name with a suffix of HDF5: .h5, .hdf5, .he5, .hdf.
bool text_is_hdf5(const char *name);

// Bytes of Latin-1 as UTF-8, into 2 * size bytes; returns how many it takes.
size_t text_from_latin1(const char *bytes, size_t size, char *dst);

#endif
