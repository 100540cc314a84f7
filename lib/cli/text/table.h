/*
 * table.h - rows of text whose columns stand under each other.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <tessera/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TABLE_COLUMNS_MAX 40

struct table {
    int columns;
    size_t cells, capacity;
    char **texts; // row by row
    bool failed; // for want of memory
};

void table_init(struct table *t, int columns);
void table_finish(struct table *t);

// The next cell of the row, or the first one of the next row.
void table_cell(struct table *t, const char *format, ...) TESS_PRINTF(2, 3);

// The first column is flush left, all others are flush right. Rows fit a terminal, where cells of
// the first column may have a line of their own. TESS_ERR_NOMEM if a cell is missing.
tess_status table_print(const struct table *t, FILE *out, tess_error *err);

#endif
