/*
 * chunks.c - stored chunks without decoding: what a server of tiles sends, what its client does
 * with it, and chunks that move from one array to another.
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 512, TILE = 128 };

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

// An image of tiles; those of one color have no blocks.
static tess_array *
image(bool empty)
{
    static uint8_t items[SIDE][SIDE];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            items[i][j] = i < TILE ? 7 : (uint8_t)(i * j / 64);
    tess_storage_init(&storage); // no path: in memory
    tess_params_init(&params);
    params.dtype = "|u1";
    params.ndim = 2;
    for (int i = 0; i < 2; i++) {
        params.shape[i] = SIDE;
        params.chunkshape[i] = TILE;
        params.blockshape[i] = TILE; // a block: the bytes of a tile are its items in C order
    }
    check(empty ? tess_array_zeros(&storage, &params, &a, &err)
                : tess_array_from(&storage, &params, items, sizeof items, &a, &err),
          &err);
    return a;
}

// What a client does with a tile: no array is needed.
static void
show(const void *tile, size_t size)
{
    static uint8_t items[TILE * TILE];
    tess_error err;
    check(tess_chunk_decode(tile, size, items, sizeof items, &err), &err);
    printf("%zu bytes, %d to %d\n", size, items[0], items[sizeof items - 1]);
}

int
main(void)
{
    tess_array *const from = image(false), *const to = image(true);
    const int64_t start[2] = {TILE, 0}, stop[2] = {2 * TILE, 2 * TILE}, all[2] = {SIDE, SIDE};
    const int64_t origin[2] = {0, 0};
    static uint8_t before[SIDE][SIDE], after[SIDE][SIDE];
    tess_chunk_run run;
    tess_error err;

    // The tiles that a box of the image needs, as they are stored.
    tess_chunk_run_init(&run);
    for (;;) {
        void *tile;
        size_t size;
        check(tess_array_next_chunk(from, start, stop, run.last + 1, TESS_KINDS_ALL, &run, &err),
              &err);
        if (run.number < 0)
            break;
        check(tess_array_get_chunk(from, run.number, &tile, &size, &err), &err);
        show(tile, size);
        tess_free(tile);
    }

    // All chunks to another array. Those that are one item again and again need no bytes.
    uint8_t item;
    tess_chunk_run_init(&run);
    run.item = &item;
    run.item_size = sizeof item;
    for (;;) {
        void *tile;
        size_t size;
        check(tess_array_next_chunk(from, NULL, NULL, run.last + 1, TESS_KINDS_ALL, &run, &err),
              &err);
        if (run.number < 0)
            break;
        if ((1u << run.kind & TESS_KINDS_ITEMS) == 0 && run.last == run.number) {
            check(tess_array_fill(to, run.start, run.stop, NULL, &item, sizeof item, &err), &err);
            continue;
        }
        check(tess_array_get_chunk(from, run.number, &tile, &size, &err), &err);
        check(tess_array_set_chunk(to, run.number, tile, size, TESS_CHUNK_TRUSTED, &err), &err);
        tess_free(tile);
    }
    check(tess_array_read(from, origin, all, before, sizeof before, &err), &err);
    check(tess_array_read(to, origin, all, after, sizeof after, &err), &err);
    check(tess_array_close(from, &err), &err);
    check(tess_array_close(to, &err), &err);
    return memcmp(before, after, sizeof before) == 0 ? 0 : 1;
}
