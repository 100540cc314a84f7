/*
 * cells.h - writes and reads of one array, timed cell by cell, whatever library does them.
 *
 * A cell is a codec, a filter, a storage and an access: the whole array written, read, a plane or
 * lines across each axis, points. The library under test hides behind struct cells_library, so
 * that two of them can be given exactly the same work.
 *
 * In a round all contestants of a cell take turns: memcpy, the codec alone, the codec with placed
 * rows, the library in memory and from a file. Each round reads another place through a handle
 * just opened, so that no decoded block is left from the round before. The first round is not
 * counted; what it read is compared with what was written.
 */
#ifndef BENCH_CELLS_H
#define BENCH_CELLS_H

#include "layout.h"

#include <stddef.h>
#include <stdint.h>

// The array that is written: float32, side^3, the layout of layout.h. Ids are the format's.
struct cells_array {
    int64_t side;
    int codec, level, filter;
    int threads;
};

// The library under test. Its functions end the program when something fails.
struct cells_library {
    const char *name; // with version

    // Write src into a new array and make it permanent: a file that is complete (it may return
    // NULL), or memory if path is NULL. Timed.
    void *(*write)(const struct cells_array *array, const char *path, const float *src);

    // A new handle for reading: the file, or what write left in memory if path is NULL.
    void *(*open)(const struct cells_array *array, void *written, const char *path);

    // Timed.
    void (*read)(void *handle, const struct layout_box *box, float *dst, size_t dst_size);

    // Compressed bytes of the array.
    int64_t (*stored)(void *handle);

    // End what write or open returned; NULL is fine.
    void (*close)(void *handle);
};

// Parse the command line, measure, print. Returns the exit status.
int cells_main(const char *program, const struct cells_library *library, int argc, char **argv);

#endif
