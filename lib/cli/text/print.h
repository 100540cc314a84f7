/*
 * print.h - values in nested brackets.
 */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include "cli/text/item.h"
#include "cli/text/json.h"

#include <tessera/params.h>

#include <stdbool.h>

// Prints the items of an array in C order as they come, one line per row:
//     [[0 1 2]
//      [3 4 5]]
// or as JSON, lists in lists on one line.
struct printer {
    FILE *out;
    struct json *json; // NULL: for people
    struct item_format format;
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
    int64_t index[TESS_MAX_NDIM]; // of the next item
    bool begun;
};

void printer_begin(struct printer *p, FILE *out, const struct item_format *format, int ndim,
                   const int64_t *shape);
void printer_begin_json(struct printer *p, struct json *json, const struct item_format *format,
                        int ndim, const int64_t *shape);
void printer_items(struct printer *p, const uint8_t *items, int64_t n);

// After the last item.
void printer_end(struct printer *p);

#endif
