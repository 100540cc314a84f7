/*
 * table.h - prints rows of text in aligned columns.
 */
#ifndef TESS_TEXT_TABLE_H
#define TESS_TEXT_TABLE_H

#include <tessera/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TABLE_COLUMNS_MAX 40

struct table {
    int columns;
    size_t cells, capacity;
    char **texts; // row by row
    bool failed; // there was no memory for a cell
};

void table_init(struct table *t, int columns);
void table_finish(struct table *t);

// Add the next cell of the row; after the last cell of a row, the first cell of the next row.
void table_cell(struct table *t, const char *format, ...) TESS_PRINTF(2, 3);

// Print the table. The first column is left-aligned, the others are right-aligned. On a terminal
// that is narrower than the table, long cells of the first column are printed on a separate line.
// TESS_ERR_NOMEM if there was no memory for a cell.
tess_status table_print(const struct table *t, FILE *out, tess_error *err);

#endif
