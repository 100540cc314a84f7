/*
 * tiles.c - an image of tiles, the levels of a pyramid, and what a server of tiles sends: stored
 * chunks, found by level, column and row, which only the client decodes.
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>

enum { HEIGHT = 3000, WIDTH = 4000, TILE = 256, COLORS = 3, LEVELS_MAX = 20 };

static const int64_t halves[3] = {2, 2, 1};

struct pyramid {
    int nlevels;
    tess_array *levels[1 + LEVELS_MAX]; // the image is the first
};

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

// A tile is a chunk of one block: its bytes are the colors of its pixels, row by row.
static tess_array *
make_image(const char *path, const void *pixels, size_t size, tess_params *params)
{
    tess_storage storage;
    tess_array *image;
    tess_error err;

    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    tess_params_init(params);
    params->dtype = TESS_DTYPE_U8;
    params->ndim = 3;
    params->shape[0] = HEIGHT;
    params->shape[1] = WIDTH;
    params->shape[2] = COLORS;
    params->chunkshape[0] = params->chunkshape[1] = TILE;
    params->chunkshape[2] = COLORS;
    for (int i = 0; i < 3; i++)
        params->blockshape[i] = params->chunkshape[i];
    check(tess_array_from(&storage, params, pixels, size, &image, &err), &err);
    return image;
}

static void
make_levels(struct pyramid *p, const char *folder, const tess_params *params)
{
    static char paths[LEVELS_MAX][1000];
    static tess_storage storages[LEVELS_MAX];
    const tess_storage *list[LEVELS_MAX];
    tess_error err;

    p->nlevels = tess_pyramid_levels(p->levels[0], halves, TILE);
    for (int i = 0; i < p->nlevels; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "%s/image-%d.b2nd", folder, i + 1);
        tess_storage_init(&storages[i]);
        storages[i].path = paths[i];
        storages[i].mode = TESS_MODE_REPLACE;
        list[i] = &storages[i];
    }
    check(tess_array_pyramid(p->levels[0], TESS_DOWNSAMPLE_MEAN, halves, NULL, list, p->nlevels,
                             params, p->levels + 1, &err),
          &err);
}

// Any number of threads of the server may ask. False: there is no such tile.
static bool
get_tile(const struct pyramid *p, int level, int64_t x, int64_t y, void **tile, size_t *size)
{
    tess_info info;
    tess_error err;
    if (level < 0 || level > p->nlevels)
        return false;
    tess_array_info(p->levels[level], &info);
    const int64_t across = (info.shape[1] + TILE - 1) / TILE,
                  down = (info.shape[0] + TILE - 1) / TILE;
    if (x < 0 || x >= across || y < 0 || y >= down)
        return false;
    check(tess_array_get_chunk(p->levels[level], y * across + x, tile, size, &err), &err);
    return true;
}

// What the client does: no array is needed.
static void
show(const void *tile, size_t size)
{
    static uint8_t pixels[TILE][TILE][COLORS];
    tess_error err;
    check(tess_chunk_decode(tile, size, pixels, sizeof pixels, &err), &err);
    printf("%d %d %d\n", pixels[0][0][0], pixels[0][0][1], pixels[0][0][2]); // 128 128 7
}

int
main(int argc, char **argv)
{
    static uint8_t pixels[HEIGHT][WIDTH][COLORS];
    const char *const folder = argc > 1 ? argv[1] : ".";
    struct pyramid p;
    tess_params params;
    tess_error err;
    char path[1000];
    void *tile;
    size_t size;

    for (int i = 0; i < HEIGHT; i++)
        for (int j = 0; j < WIDTH; j++) {
            pixels[i][j][0] = (uint8_t)(i / 8);
            pixels[i][j][1] = (uint8_t)(j / 8);
            pixels[i][j][2] = 7;
        }
    (void)snprintf(path, sizeof path, "%s/image.b2nd", folder);
    p.levels[0] = make_image(path, pixels, sizeof pixels, &params);
    make_levels(&p, folder, &params);
    if (!get_tile(&p, 2, 1, 1, &tile, &size))
        return 1;
    show(tile, size);
    tess_free(tile);
    for (int i = 0; i <= p.nlevels; i++)
        check(tess_array_close(p.levels[i], &err), &err);
    return 0;
}
