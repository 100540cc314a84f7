/*
 * names.h - what codecs, filters and other things to choose from are called on the command line.
 */
#ifndef TESS_TEXT_NAMES_H
#define TESS_TEXT_NAMES_H

#include <stdbool.h>

struct name {
    const char *text;
    int value;
};

// What the value of an attribute is made of.
enum names_type {
    NAMES_TYPE_INT,
    NAMES_TYPE_FLOAT,
    NAMES_TYPE_STRING,
    NAMES_TYPE_BYTES,
    NAMES_TYPE_JSON,
};

// The square root of the variance, besides what the library has.
#define NAMES_OP_STD 100

// Tables end with a NULL text.
extern const struct name names_split[];
extern const struct name names_layout[];
extern const struct name names_layer[];
extern const struct name names_chunk[];
extern const struct name names_reduce[]; // enum picture_reduce
extern const struct name names_type[]; // enum names_type
extern const struct name names_misfit[]; // tess_misfit
extern const struct name names_op[]; // tess_reduction, and NAMES_OP_STD
extern const struct name names_downsampling[]; // tess_downsampling

bool names_value(const struct name *table, const char *text, int *value);

// NULL if the table does not have it.
const char *names_text(const struct name *table, int value);

// Of the library, NULL if it knows none; TESS_FILTER_NONE is "nofilter".
const char *names_codec(int id);
const char *names_filter(int id);

// What new arrays can name; of codecs also those that only other builds have.
bool names_find_codec(const char *name, int *id);
bool names_find_filter(const char *name, int *id);

#endif
