/*
 * names.h - what codecs, filters, split modes, layers and kinds of chunks are called on the command
 * line.
 * names.h - what codecs, filters, split modes, layouts and layers are called on the command line.
 */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include <stdbool.h>

struct name {
    const char *text;
    int value;
};

// Tables end with a NULL text.
extern const struct name names_codec[];
extern const struct name names_filter[];
extern const struct name names_foreign_filter[]; // only read
extern const struct name names_split[];
extern const struct name names_layout[];
extern const struct name names_layer[];
extern const struct name names_chunk[];

bool names_value(const struct name *table, const char *text, int *value);

// NULL if the table does not have it.
const char *names_text(const struct name *table, int value);

#endif
