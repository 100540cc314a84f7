/*
 * checkpoint.c - a simulation that saves its state now and then, and goes on from there when it is
 * started again, whenever it was killed.
 *
 * A checkpoint is a new array that replaces the one before when it is complete, with the number of
 * the step: the path leads to one of the two, whole, at any moment.
 *
 *     checkpoint [PATH [STEPS]]
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 200, SAVE_EVERY = 25 };

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

// The step that was saved last, and its state; 0: none was.
static int64_t
load(const char *path, double state[SIDE][SIDE])
{
    const int64_t start[2] = {0, 0}, stop[2] = {SIDE, SIDE};
    tess_storage storage;
    tess_array *a;
    tess_error err;
    int64_t step;

    tess_storage_init(&storage);
    storage.path = path;
    const tess_status st = tess_array_open(&storage, &a, &err);
    if (st == TESS_ERR_NOT_FOUND)
        return 0;
    check(st, &err);
    check(tess_array_read(a, start, stop, state, sizeof(double[SIDE][SIDE]), &err), &err);
    check(tess_attr_get_int(a, "step", &step, &err), &err);
    check(tess_array_close(a, &err), &err);
    return step;
}

static void
save(const char *path, double state[SIDE][SIDE], int64_t step)
{
    const int64_t start[2] = {0, 0}, stop[2] = {SIDE, SIDE};
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    storage.durability = TESS_DURABILITY_FSYNC; // the machine may crash, too
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_F64;
    params.ndim = 2;
    params.shape[0] = params.shape[1] = SIDE;
    check(tess_array_uninit(&storage, &params, &a, &err), &err);
    check(tess_array_write(a, start, stop, state, sizeof(double[SIDE][SIDE]), &err), &err);
    check(tess_attr_set_int(a, "step", step, &err), &err);
    check(tess_array_close(a, &err), &err); // from here on the path leads to it
}

// Heat spreads.
static void
advance(double state[SIDE][SIDE])
{
    static double next[SIDE][SIDE];
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++)
            next[i][j] = state[i][j] + 0.2 * (state[i - 1][j] + state[i + 1][j] + state[i][j - 1] +
                                              state[i][j + 1] - 4 * state[i][j]);
    memcpy(state, next, sizeof next);
}

int
main(int argc, char **argv)
{
    static double state[SIDE][SIDE];
    const char *const path = argc > 1 ? argv[1] : "checkpoint.b2nd";
    const int64_t last = argc > 2 ? atoll(argv[2]) : 100;
    int64_t step = load(path, state);

    if (step == 0) {
        memset(state, 0, sizeof state);
        state[SIDE / 2][SIDE / 2] = 1e4;
    }
    while (step < last) {
        advance(state);
        if (++step % SAVE_EVERY == 0 || step == last)
            save(path, state, step);
    }
    printf("step %d: %.3f\n", (int)step, state[SIDE / 2][SIDE / 2]); // step 100: 39.640
    return 0;
}
