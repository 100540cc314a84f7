/*
 * fields.h - the fields of a structured type, in NumPy's notation.
 */
#ifndef TESS_TEXT_ITEMS_FIELDS_H
#define TESS_TEXT_ITEMS_FIELDS_H

#include <tessera/params.h>

#include <stddef.h>
#include <stdint.h>

struct field {
    char *name; // as Python has it, escapes decoded; not empty
    char *title; // a second name, or NULL
    char *dtype; // of an element: a type string, or the notation of a structure
    int32_t size; // bytes of an element
    int32_t offset; // of the first element in the item
    int ndim; // of a sub-array; 0: one element
    int64_t shape[TESS_MAX_NDIM];
    int64_t count; // elements: product of shape
};

struct fields {
    struct field *items; // in the order of the type; padding is not among them
    int count, capacity;
};

/*
 * The fields of `[('a', '<i4'), (('title', 'b'), '<f8', (2, 3)), ('', '|V4')]`, where a field of
 * bytes without a name is padding, or of {'names': [...], 'formats': [...], 'offsets': [...],
 * 'titles': [...], 'itemsize': n}. Elements that are structures have fields in turn, by another
 * call. NULL if it is no structure, is not understood, or there is no memory.
 */
struct fields *fields_parse(const char *dtype);
void fields_free(struct fields *fields); // NULL is fine

// By its name, or else by its title; the first `size` bytes of `name` are meant. NULL: there is
// none.
const struct field *fields_find(const struct fields *fields, const char *name, size_t size);

#endif
