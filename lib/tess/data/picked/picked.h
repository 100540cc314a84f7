/*
 * picked.h - the items of an array, or one field of them (--field), as an array to read.
 */
#ifndef TESS_DATA_PICKED_PICKED_H
#define TESS_DATA_PICKED_PICKED_H

#include "data/box_walk.h"
#include "data/picked/select.h"
#include "text/print.h"

#include <tessera/array.h>

/*
 * What is read. The axes of a field are those of the array, then those of its sub-arrays, as in
 * NumPy; a selection has all of them.
 */
struct picked {
    const tess_array *a; // the caller's
    tess_info info; // as if the field were all: type, shapes and fill value; else of the array
    char *dtype; // of the field, or NULL: whole items
    void *fill;
    int32_t item_size; // bytes of a whole item
    int32_t offset; // of the field in it
    int base_ndim; // axes of the array
    int64_t strides[TESS_MAX_NDIM]; // bytes between neighbours along the axes behind those
};

/*
 * `field` is a name, or names of nested fields with points in between: "a.b"; NULL: whole items.
 * TESS_ERR_ARG if there is no such field. End with picked_finish(), also after a failure; zeroed is
 * fine. The array stays open meanwhile.
 */
tess_status picked_init(struct picked *p, const tess_array *a, const char *field, tess_error *err);
void picked_finish(struct picked *p);

// After an error about the type of items: returns its status. If the items are structures, the
// message is extended by the option that selects a field.
tess_status picked_explain(const char *dtype, tess_status st, tess_error *err);

// As pick_run(), one copy of each box; boxes and items are those of p->info.
tess_status picked_run(const struct picked *p, const struct slice_range *sel,
                       enum box_walk_order order, box_walk_visit_fn *visit, void *user,
                       tess_error *err);

// Prints all that is selected with a printer that has begun, and ends it.
tess_status picked_print(const struct picked *p, const struct slice_range *sel,
                         struct printer *printer, tess_error *err);

// All combinations of selected items along the axes of p->info: counts[axis] of them, the
// indices[axis][]-th ones. *items is to be freed. In C order.
tess_status picked_get(const struct picked *p, const struct slice_range *sel, const int64_t *counts,
                       int64_t *const *indices, uint8_t **items, tess_error *err);

// One call that changes an array, as p->a, of which a field is picked: all that is selected of the
// field becomes `value`, an item of p->info; the other bytes of the items stay.
tess_status picked_fill(const struct picked *p, tess_array *a, const struct slice_range *sel,
                        const uint8_t *value, tess_error *err);

#endif
