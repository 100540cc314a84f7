/*
 * tell.h - what is done to arrays, and what came of it, for NumPy to do the same.
 *
 * All on standard output: a line of JSON for each thing that is done, written before it is done,
 * and behind it, as .npy files, the items that go in and then those that come out.
 */
#ifndef NUMPY_TELL_H
#define NUMPY_TELL_H

#include <tessera.h>

#include <stddef.h>
#include <stdint.h>

// A line: what is done, and names with values. Texts have no quotation marks in them.
void tell_begin(const char *what);
void tell_number(const char *name, int64_t value);
void tell_text(const char *name, const char *text);
void tell_list(const char *name, int n, const int64_t *list);
void tell_end(void);

// Items in C order. dtype NULL: bytes without a meaning.
void tell_items(const char *dtype, size_t typesize, int ndim, const int64_t *shape,
                const void *items);
// One axis of bytes, integers or floats.
void tell_bytes(size_t n, const uint8_t *bytes);
void tell_integers(int64_t n, const int64_t *list);
void tell_floats(int64_t n, const double *list);
// All that an array reads, with the type that it says.
void tell_array(const tess_array *a);

// Fails if not all could be written.
void tell_finish(void);

#endif
