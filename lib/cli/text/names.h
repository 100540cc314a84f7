/*
 * names.h - what codecs, filters and other things to choose from are called on the command line.
 */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

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

// Tables end with a NULL text.
extern const struct name names_codec[];
extern const struct name names_filter[];
extern const struct name names_foreign_filter[]; // only read
extern const struct name names_split[];
extern const struct name names_layout[];
extern const struct name names_layer[];
extern const struct name names_chunk[];
extern const struct name names_reduce[]; // enum picture_reduce
extern const struct name names_type[]; // enum names_type

bool names_value(const struct name *table, const char *text, int *value);

// NULL if the table does not have it.
const char *names_text(const struct name *table, int value);

#endif
