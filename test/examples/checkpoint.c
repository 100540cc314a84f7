/*
 * checkpoint.c - a simulation that saves its state now and then, and continues from there when it
 * is started again, whenever it was killed. A checkpoint is a new array, with the number of the
 * step, that replaces the one before when it is complete: the path always leads to a whole one.
 *
 *     checkpoint [PATH [STEPS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <tessera.h>

#define TRY(call) ((call) == TESS_OK ? (void)0 : (fprintf(stderr, "%s\n", err.message), exit(1)))

enum { SIDE = 200, SAVE_EVERY = 25 };

int
main(int argc, char **argv)
{
    const int64_t start[] = {0, 0}, stop[] = {SIDE, SIDE}, last = argc > 2 ? atoll(argv[2]) : 100;
    double state[SIDE][SIDE] = {[SIDE / 2][SIDE / 2] = 1e4};
    int64_t step = 0;
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    tess_storage_init(&storage);
    storage.path = argc > 1 ? argv[1] : "checkpoint.b2nd";
    const tess_status st = tess_array_open(&storage, &a, &err);
    if (st == TESS_OK) {
        TRY(tess_array_read(a, start, stop, state, sizeof state, &err));
        TRY(tess_attr_get_int(a, "step", &step, &err));
        TRY(tess_array_close(a, &err));
    } else if (st != TESS_ERR_NOT_FOUND)
        TRY(st);

    storage.mode = TESS_MODE_REPLACE;
    storage.durability = TESS_DURABILITY_FSYNC; // the machine may crash, too
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_F64;
    params.ndim = 2;
    params.shape[0] = params.shape[1] = SIDE;
    while (step < last) {
        for (int i = 1; i < SIDE - 1; i++) // heat spreads
            for (int j = 1; j < SIDE - 1; j++)
                state[i][j] += 0.2 * (state[i - 1][j] + state[i + 1][j] + state[i][j - 1] +
                                      state[i][j + 1] - 4 * state[i][j]);
        if (++step % SAVE_EVERY != 0 && step != last)
            continue;
        TRY(tess_array_uninit(&storage, &params, &a, &err));
        TRY(tess_array_write(a, start, stop, state, sizeof state, &err));
        TRY(tess_attr_set_int(a, "step", step, &err));
        TRY(tess_array_close(a, &err)); // from here on the path leads to it
    }
    printf("step %d: %.3f\n", (int)step, state[SIDE / 2][SIDE / 2]); // step 100: 23.884
    return 0;
}
