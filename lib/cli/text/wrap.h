/*
 * wrap.h - the size of the terminal, and text in lines that fit it.
 */
#ifndef CLI_WRAP_H
#define CLI_WRAP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// What stdout shows; where it is no terminal what COLUMNS and LINES say, or else 80 and 24.
void wrap_screen(int64_t *columns, int64_t *lines);

// Of wrap_screen(), the columns; not so few that a word takes a line each.
int wrap_width(void);

/*
 * The words of a text, with one blank or a new line between them, and a new line at the end. The
 * first line begins in column `at`, the others in column `indent`. Words that are longer than a
 * line stay whole.
 */
void wrap_write(FILE *out, const char *text, size_t size, int at, int indent, int width);

#endif
