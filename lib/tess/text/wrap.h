/*
 * wrap.h - the size of the terminal, and text in lines that fit it.
 */
#ifndef TESS_TEXT_WRAP_H
#define TESS_TEXT_WRAP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// The size of the terminal on stdout. Without a terminal: COLUMNS and LINES, or else 80 and 24.
void wrap_screen(int64_t *columns, int64_t *lines);

// The columns of wrap_screen(), but at least enough for a few words in a line.
int wrap_width(void);

/*
 * Print the words of a text, separated by one blank or a line break, with a line break at the end.
 * The first line begins in column `at`, the others in column `indent`. Words longer than a line are
 * not broken.
 */
void wrap_write(FILE *out, const char *text, size_t size, int at, int indent, int width);

#endif
