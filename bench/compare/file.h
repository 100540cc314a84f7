/*
 * file.h - an array of the comparison that comes from a file.
 */
#ifndef COMPARE_FILE_H
#define COMPARE_FILE_H

#include "side.h"

// The items of a .b2nd file, malloc'ed, and how they are stored: shape, type, chunks, blocks. At
// most SIDE_MAX_NDIM axes.
void *file_load(const char *path, struct side_array *array);

// The name of the file, without folder and ending, in at most `size` bytes.
void file_name(const char *path, char *name, size_t size);

#endif
