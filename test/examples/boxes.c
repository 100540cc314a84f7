/*
 * boxes.c - many boxes of an image in one call: crops, some of which leave the image, and stamps.
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 300, COLUMNS = 200, SIDE = 5, CROPS = 3 };

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static tess_array *
image(void)
{
    static int32_t items[ROWS][COLUMNS];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            items[i][j] = 1000 * i + j;
    tess_storage_init(&storage); // no path: in memory
    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 2;
    params.shape[0] = ROWS;
    params.shape[1] = COLUMNS;
    check(tess_array_from(&storage, &params, items, sizeof items, &a, &err), &err);
    return a;
}

int
main(void)
{
    static int32_t crops[CROPS][SIDE][SIDE], stamps[2][SIDE][SIDE];
    const int64_t shape[2] = {SIDE, SIDE};
    tess_array *const a = image();
    tess_boxes_options options;
    tess_error err;

    // Three crops, the last of which begins two rows above the image: mirrored there.
    const int64_t starts[CROPS][2] = {{100, 20}, {102, 18}, {-2, 195}};
    tess_boxes_options_init(&options);
    options.edge = TESS_EDGE_MIRROR;
    check(tess_array_get_boxes(a, CROPS, starts[0], shape, &options, crops, sizeof crops, &err),
          &err);
    if (crops[0][0][0] != 100020 || crops[1][4][1] != 106019 || crops[2][0][0] != 2195 ||
        crops[2][2][4] != 199)
        return 1;

    // Two stamps, which overlap: the second one counts.
    const int64_t places[2][2] = {{10, 10}, {12, 12}};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < SIDE * SIDE; i++)
            stamps[k][i / SIDE][i % SIDE] = -1 - k;
    check(tess_array_set_boxes(a, 2, places[0], shape, stamps, sizeof stamps, &err), &err);
    check(tess_array_get_boxes(a, 1, places[0], shape, NULL, crops, sizeof crops, &err), &err);
    if (crops[0][0][0] != -1 || crops[0][2][2] != -2)
        return 1;
    check(tess_array_close(a, &err), &err);
    return 0;
}
