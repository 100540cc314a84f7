/*
 * tiles.c - an image of tiles, the levels of a pyramid, and what a server of tiles sends: stored
 * chunks, found by level, row and column, which only the client decodes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tessera.h>

#define TRY(call) ((call) == TESS_OK ? (void)0 : (fprintf(stderr, "%s\n", err.message), exit(1)))

enum { HEIGHT = 3000, WIDTH = 4000, TILE = 256, COLORS = 3, LEVELS = 5 };

// Any number of threads of the server may ask. NULL: there is no such tile.
static void *
get_tile(const tess_array *level, int64_t row, int64_t column, size_t *size)
{
    tess_info info;
    void *tile = NULL;

    tess_array_info(level, &info);
    const int64_t across = (info.shape[1] + TILE - 1) / TILE;
    if (column >= 0 && column < across &&
        tess_array_get_chunk(level, row * across + column, &tile, size, NULL) != TESS_OK)
        return NULL;
    return tile;
}

int
main(void)
{
    static const char *const paths[] = {"0.b2nd", "1.b2nd", "2.b2nd", "3.b2nd", "4.b2nd"};
    static uint8_t pixels[HEIGHT][WIDTH][COLORS], first[TILE][TILE][COLORS];
    tess_storage storage;
    tess_params params;
    tess_array *levels[LEVELS];
    tess_error err;
    size_t size;

    for (int i = 0; i < HEIGHT; i++)
        for (int j = 0; j < WIDTH; j++)
            pixels[i][j][0] = (uint8_t)(i / 8), pixels[i][j][1] = (uint8_t)(j / 8);
    tess_storage_init(&storage);
    storage.path = paths[0];
    storage.mode = TESS_MODE_REPLACE;
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_U8;
    params.ndim = 3;
    params.shape[0] = HEIGHT, params.shape[1] = WIDTH, params.shape[2] = COLORS;
    for (int i = 0; i < 3; i++) // a tile is a chunk of one block
        params.chunkshape[i] = params.blockshape[i] = i < 2 ? TILE : COLORS;
    TRY(tess_array_from(&storage, &params, pixels, sizeof pixels, &levels[0], &err));
    for (int i = 1; i < LEVELS; i++) {
        storage.path = paths[i];
        TRY(tess_array_downsample(levels[i - 1], TESS_DOWNSAMPLE_MEAN, (int64_t[]){2, 2, 1}, NULL,
                                  &storage, &params, &levels[i], &err));
    }

    void *const tile = get_tile(levels[2], 1, 1, &size);
    TRY(tess_chunk_decode(tile, size, first, sizeof first, &err)); // the client, without an array
    printf("%d %d\n", first[0][0][0], first[0][0][1]); // 128 128
    tess_free(tile);
    for (int i = 0; i < LEVELS; i++)
        TRY(tess_array_close(levels[i], &err));
    return 0;
}
