/*
 * mapped.h - what programs are told of mapped files.
 */
#ifndef COMPAT_IO_MAPPED_H
#define COMPAT_IO_MAPPED_H

#include <blosc2.h>

// A super-chunk begins on a file that the program wants mapped: print the line of
// blosc2_stdio_mmap_open() where the environment has BLOSC_INFO. It is about the mapping that
// c-blosc2 would make; m may be NULL.
void b2_mapped_say_opened(const blosc2_stdio_mmap *m, const char *urlpath);

#endif
