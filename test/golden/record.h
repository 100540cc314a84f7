/*
 * record.h - arrays with what they hold, for another reader to compare.
 *
 * In one folder: the frames NAME, their items in C order NAME.bin, and arrays.json, a line of JSON
 * for each. Any failure ends the program: there is nothing to compare then.
 */
#ifndef GOLDEN_RECORD_H
#define GOLDEN_RECORD_H

#include "support/reference.h"

#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>

#define MUST(call)                                             \
    do {                                                       \
        tess_error error = {0};                                \
        tess_error *const err = &error;                        \
        if ((call) != TESS_OK) {                               \
            fprintf(stderr, "%s: %s\n", #call, error.message); \
            exit(1);                                           \
        }                                                      \
    } while (0)

void record_begin(const char *folder);
void record_end(void);

// A path in the folder; stays until the next call.
const char *record_path(const char *name, const char *extension);

// Close the array, which lies in record_path(name, ""), and write down what it is and holds.
void record_array(const char *name, tess_array *a, const struct reference *r);
// The same for one of several in record_path(file, "").
void record_array_in(const char *file, const char *name, tess_array *a, const struct reference *r);

#endif
