/*
 * layout.h - the array of the slice benches: a cube of float32 in cubic chunks.
 *
 * Chunk 100x100x100, block 25x50x50: 250 KB, streams of 62,500 bytes, rows of 200 bytes. The side
 * is a multiple of the chunk's, so blocks tile the whole array and none is padded.
 */
#ifndef BENCH_LAYOUT_H
#define BENCH_LAYOUT_H

#include <stdint.h>

#define LAYOUT_NDIM 3
#define LAYOUT_CHUNK  \
    {                 \
        100, 100, 100 \
    }
#define LAYOUT_BLOCK \
    {                \
        25, 50, 50   \
    }
#define LAYOUT_CHUNK_SIDE 100
#define LAYOUT_ITEM 4

struct layout_box {
    int64_t start[LAYOUT_NDIM], stop[LAYOUT_NDIM];
};

#endif
