/*
 * attributes.h - attributes on their way between an array and a file of another format.
 */
#ifndef CLI_FORMATS_ATTRIBUTES_H
#define CLI_FORMATS_ATTRIBUTES_H

#include <tessera/attr.h>
#include <tessera/dtype.h>

// The list of strings that names the dimensions, as in Zarr 2 and xarray.
#define ATTRIBUTES_DIMENSIONS "_ARRAY_DIMENSIONS"
// What does not fit into an array by itself stands in this map.
#define ATTRIBUTES_MORE "attributes"

struct attribute {
    const char *name; // not empty
    tess_value value;
    // The type of its numbers in the file, or "string" for text that is no array of characters;
    // NULL: not known, or as it would be written anyway. Lives as long as the program or the whole.
    const char *dtype;
};

// Zeroed: none. Names and values point to memory that goes with the whole.
struct attributes {
    struct attribute *items;
    int count, capacity;
    struct attributes_memory *memory;
    char left[160]; // names of those that have no counterpart; "" if there are none
};

void attributes_finish(struct attributes *a);

// Memory for values, zeroed; NULL if there is none. Of 0 bytes, too.
void *attributes_alloc(struct attributes *a, size_t nitems, size_t item_size);

// Frees a piece of memory with the whole; false, and it stays the caller's: no memory.
bool attributes_keep(struct attributes *a, void *piece, void (*free_piece)(void *));

// Adds one, whose name is copied; its value points to memory of `a` or to constants.
tess_status attributes_add(struct attributes *a, const char *name, const tess_value *value,
                           tess_error *err);

// One item as its value, several or none as a list. Types are numbers and strings of a fixed size;
// TESS_ERR_UNSUPPORTED for others.
tess_status attributes_add_items(struct attributes *a, const char *name, const char *dtype,
                                 size_t count, const void *items, tess_error *err);
// Likewise strings; NULL is an empty one.
tess_status attributes_add_strings(struct attributes *a, const char *name, size_t count,
                                   const char *const *strings, tess_error *err);
// Bytes as a string, NULs included, but for one of nothing else that is no item: ncgen writes empty
// strings so. What is not UTF-8 is taken as Latin-1.
tess_status attributes_add_text(struct attributes *a, const char *name, const char *bytes,
                                size_t size, tess_error *err);
// The list of dimensions, if none is empty or NULL.
tess_status attributes_add_dimensions(struct attributes *a, int ndim, const char *const *names,
                                      tess_error *err);

/*
 * A value, or a list of values of one kind, as an array of *count: 'i' int64_t, 'u' uint64_t,
 * 'f' double, 'b' uint8_t, 'S' const char *, 'Z' one of these with NULs in its text; in memory of
 * `a`. *kind is 0 for all else, and for lists that hold nothing.
 */
tess_status attributes_array(struct attributes *a, const tess_value *value, char *kind,
                             size_t *count, const void **items, tess_error *err);
// Whether numbers of attributes_array() are exactly what they are as a type of NumPy.
bool attributes_fit(char kind, size_t count, const void *items, const char *dtype);
// Whether they can be items of a type, where floats are rounded to it. Of types that are no
// integers and no floats: true.
bool attributes_become(char kind, size_t count, const void *items, const tess_dtype *type);

// Notes the name of one that stays behind.
void attributes_leave(struct attributes *a, const char *name);

// NULL if there is none.
const struct attribute *attributes_find(const struct attributes *a, const char *name);

// Sets those of an array. The library takes 16 with short names, of which it uses one itself: the
// rest goes into one map, ATTRIBUTES_MORE.
tess_status attributes_store(const struct attributes *a, tess_array *array, tess_error *err);
// The reverse.
tess_status attributes_load(struct attributes *a, const tess_array *array, tess_error *err);

#endif
