/*
 * layout.c - the layout in which maps and time series of an array are read fastest, and a copy in
 * it.
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 60, ROWS = 50, COLUMNS = 70, PROPOSALS = 3 };

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static tess_array *
field(void)
{
    static float items[STEPS][ROWS][COLUMNS];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    for (int t = 0; t < STEPS; t++)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                items[t][i][j] = (float)(20 * t + i * i / 10 - j * j / 20);
    tess_storage_init(&storage); // no path: in memory
    tess_params_init(&params);
    params.dtype = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ">f4" : "<f4"; // as this machine's
    params.ndim = 3;
    params.shape[0] = STEPS;
    params.shape[1] = ROWS;
    params.shape[2] = COLUMNS;
    check(tess_array_from(&storage, &params, items, sizeof items, &a, &err), &err);
    return a;
}

static void
print_shape(const char *what, const int64_t *shape)
{
    printf("%s %lldx%lldx%lld", what, (long long)shape[0], (long long)shape[1],
           (long long)shape[2]);
}

// By the model alone, which takes milliseconds.
static void
propose(const tess_array *a, const tess_tuner_options *options)
{
    tess_params params, layouts[PROPOSALS];
    double seconds[PROPOSALS];
    tess_error err;
    int count;

    tess_array_params(a, &params);
    check(tess_layout_propose(&params, options, PROPOSALS, layouts, seconds, &count, &err), &err);
    for (int i = 0; i < count; i++) {
        print_shape("proposed: chunks", layouts[i].chunkshape);
        print_shape(", blocks", layouts[i].blockshape);
        printf(", %.3g ms\n", 1e3 * seconds[i]);
    }
}

// Measured on the array, as well as half a second allows.
static tess_params
search(const tess_array *a, const tess_tuner_options *options)
{
    tess_layout_result best;
    tess_params layout;
    tess_tuner *tuner = NULL;
    tess_tuner_info info;
    tess_error err;

    check(tess_tuner_open(a, NULL, options, &tuner, &err), &err);
    check(tess_tuner_search(tuner, &err), &err);
    const int rank = tess_tuner_find(tuner, TESS_ROLE_BEST);
    check(tess_tuner_result(tuner, rank, &best, &err), &err);
    (void)tess_tuner_get_layout(tuner, rank, &layout);
    tess_tuner_get_info(tuner, &info);
    print_shape("measured: chunks", layout.chunkshape);
    print_shape(", blocks", layout.blockshape);
    printf(", ratio %.2f; of %d layouts\n", best.ratio, info.count);
    for (int i = 0; i < best.naccesses; i++) {
        tess_access access;
        (void)tess_tuner_get_access(tuner, i, &access);
        printf("  %s: %.3g us\n", access.name, 1e6 * best.accesses[i].seconds);
    }
    layout.dtype = NULL; // belongs to the tuner
    tess_tuner_close(tuner);
    return layout;
}

// As the array is, in the layout that was found.
static void
copy(tess_array *a, const tess_params *layout)
{
    tess_storage storage;
    tess_params params;
    tess_array *b;
    tess_error err;

    tess_array_params(a, &params);
    tess_layout_apply(&params, layout);
    tess_storage_init(&storage);
    check(tess_array_copy(a, &storage, &params, &b, &err), &err);
    check(tess_array_close(b, &err), &err);
}

int
main(void)
{
    const int64_t shape[] = {STEPS, ROWS, COLUMNS};
    tess_access mix[TESS_MAX_ACCESSES];
    tess_tuner_options options;
    tess_array *const a = field();
    tess_error err;

    tess_tuner_options_init(&options);
    check(tess_access_parse("plane:0*10,line:0*100", 3, shape, mix, TESS_MAX_ACCESSES,
                            &options.naccesses, &err),
          &err);
    options.accesses = mix;
    options.budget = 0.5;
    propose(a, &options);
    const tess_params layout = search(a, &options);
    copy(a, &layout);
    check(tess_array_close(a, &err), &err);
    return 0;
}
