/*
 * reading.h - tess_reading: a running read of a source (tessera/source.h).
 */
#ifndef IO_SOURCE_READING_H
#define IO_SOURCE_READING_H

#include <stddef.h>

struct io_progress;

struct tess_reading {
    const struct io_progress *progress; // may be NULL
    size_t nranges; // bound of the index that a source reports
};

#endif
