/*
 * reading.h - a read of a source while it runs, as the program sees it (tessera/source.h).
 */
#ifndef IO_SOURCE_READING_H
#define IO_SOURCE_READING_H

#include <stddef.h>

struct io_progress;

struct tess_reading {
    const struct io_progress *progress; // NULL: none wants to know
    size_t nranges; // an index that a source gives is below
};

#endif
