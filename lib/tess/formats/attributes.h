/*
 * attributes.h - converts attributes between an array and a file of another format.
 */
#ifndef TESS_FORMATS_ATTRIBUTES_H
#define TESS_FORMATS_ATTRIBUTES_H

#include <tessera/attr.h>
#include <tessera/dtype.h>

// The list of strings that names the dimensions, as in Zarr 2 and xarray.
#define ATTRIBUTES_DIMENSIONS "_ARRAY_DIMENSIONS"
// The map with the attributes that cannot be stored as attributes of the array.
#define ATTRIBUTES_MORE "attributes"

struct attribute {
    const char *name; // not empty
    tess_value value;
    // The type of its numbers in the file, or "string" for text that is not an array of characters;
    // NULL: unknown, or the default. A constant, or memory of struct attributes.
    const char *dtype;
};

// A zeroed struct is an empty list. Names and values point to its memory; attributes_finish() frees
// all of it.
struct attributes {
    struct attribute *items;
    int count, capacity;
    struct attributes_memory *memory;
    char left[160]; // names of attributes that cannot be converted; "" if there are none
};

void attributes_finish(struct attributes *a);

// Whether an array has an attribute, or a variable-length metalayer, of this name.
bool attributes_of_array_have(const tess_array *array, const char *name);

// Allocate zeroed memory for values, which `a` owns; NULL: no memory. 0 bytes are not NULL.
void *attributes_alloc(struct attributes *a, size_t nitems, size_t item_size);

// Hand `piece` over to `a`, which frees it at the end. False: no memory; the caller keeps `piece`.
bool attributes_keep(struct attributes *a, void *piece, void (*free_piece)(void *));

// Add an attribute. The name is copied; the value must point to memory of `a` or to constants.
tess_status attributes_add(struct attributes *a, const char *name, const tess_value *value,
                           tess_error *err);

// Add one item as a value, several or none as a list. The type must be one of numbers or of strings
// of a fixed size; TESS_ERR_UNSUPPORTED for others.
tess_status attributes_add_items(struct attributes *a, const char *name, const char *dtype,
                                 size_t count, const void *items, tess_error *err);
// The same for strings; NULL is the empty string.
tess_status attributes_add_strings(struct attributes *a, const char *name, size_t count,
                                   const char *const *strings, tess_error *err);
// Add bytes as a string, with its NULs. Text of NULs only becomes the empty string, which ncgen
// writes so, unless the attribute holds items. Bytes that are not UTF-8 are decoded as Latin-1.
tess_status attributes_add_text(struct attributes *a, const char *name, const char *bytes,
                                size_t size, tess_error *err);
// Add the list of dimension names, unless a name is empty or NULL.
tess_status attributes_add_dimensions(struct attributes *a, int ndim, const char *const *names,
                                      tess_error *err);

/*
 * Convert a value, or a list of values of one kind, to an array of *count elements in memory of
 * `a`. *kind: 'i' int64_t, 'u' uint64_t, 'f' double, 'b' uint8_t, 'S' const char *, 'Z' one string
 * with NULs in its text; 0: other values, and empty lists.
 */
tess_status attributes_array(struct attributes *a, const tess_value *value, char *kind,
                             size_t *count, const void **items, tess_error *err);
// Whether the type `dtype` of NumPy represents all numbers of attributes_array() exactly.
bool attributes_fit(char kind, size_t count, const void *items, const char *dtype);
// Whether the numbers can be converted to items of `type`; floats may be rounded. True if `type` is
// neither an integer nor a float.
bool attributes_become(char kind, size_t count, const void *items, const tess_dtype *type);

// Add a name to a->left.
void attributes_leave(struct attributes *a, const char *name);

// Returns NULL if there is no such attribute.
const struct attribute *attributes_find(const struct attributes *a, const char *name);

// Set the attributes of an array. It can have 16 attributes with short names, one of which the
// library uses: the others are stored in the map ATTRIBUTES_MORE.
tess_status attributes_store(const struct attributes *a, tess_array *array, tess_error *err);
// The reverse: get the attributes of an array.
tess_status attributes_load(struct attributes *a, const tess_array *array, tess_error *err);

#endif
