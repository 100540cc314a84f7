/*
 * print.h - values in nested brackets.
 */
#ifndef TESS_TEXT_PRINT_H
#define TESS_TEXT_PRINT_H

#include "text/items/item.h"
#include "text/json.h"

#include <tessera/params.h>

#include <stdbool.h>

// Prints the items of an array in C order as they come, one line per row:
//     [[0 1 2]
//      [3 4 5]]
// or as JSON, lists in lists on one line.
struct printer {
    FILE *out;
    struct json *json; // NULL: for people
    struct item_format format; // what it points to is the caller's
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
    int64_t index[TESS_MAX_NDIM]; // of the next item
    bool begun;

    // As NumPy prints arrays: layers of three and more axes have empty lines between them, numbers
    // stand under each other.
    bool spread;
    int left, right; // columns of a number up to its point, and from there on; 0: as they come
    // `...` stands before the item with this index along the axis; 0: nowhere. In JSON it is a
    // string.
    int64_t gap[TESS_MAX_NDIM];
};

void printer_begin(struct printer *p, FILE *out, const struct item_format *format, int ndim,
                   const int64_t *shape);
void printer_begin_json(struct printer *p, struct json *json, const struct item_format *format,
                        int ndim, const int64_t *shape);
void printer_items(struct printer *p, const uint8_t *items, int64_t n);

// Before the first of them: as NumPy prints arrays, in columns for these n items, all that come.
// TESS_ERR_NOMEM.
tess_status printer_align(struct printer *p, const uint8_t *items, int64_t n, tess_error *err);

// After the last item.
void printer_end(struct printer *p);

#endif
