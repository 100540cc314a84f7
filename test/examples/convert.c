/*
 * convert.c - temperatures, packed in integers of 2 bytes by the conventions of CF, as doubles.
 */
#include <tessera.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { DAYS = 365, PLACES = 40 };

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

int
main(void)
{
    static double celsius[DAYS][PLACES], back[DAYS][PLACES];
    static float columns[PLACES][DAYS];
    const int64_t start[2] = {0, 0}, stop[2] = {DAYS, PLACES};
    tess_storage storage;
    tess_params params;
    tess_conversion how;
    tess_array *a;
    tess_error err;

    for (int i = 0; i < DAYS; i++)
        for (int j = 0; j < PLACES; j++)
            celsius[i][j] = 10 + 8 * sin(i * 0.0172) + 0.1 * j;
    celsius[100][7] = NAN; // no measurement

    tess_storage_init(&storage); // no path: in memory
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_I16;
    params.ndim = 2;
    params.shape[0] = DAYS;
    params.shape[1] = PLACES;
    check(tess_array_zeros(&storage, &params, &a, &err), &err);
    check(tess_attr_set_float(a, "scale_factor", 0.01, &err), &err);
    check(tess_attr_set_int(a, "_FillValue", -32768, &err), &err);

    // What the attributes say is done on the way, in both directions.
    check(tess_conversion_from_attributes(a, &how, &err), &err);
    check(tess_array_write_as(a, start, stop, TESS_DTYPE_OF(celsius[0][0]), &how, celsius,
                              sizeof celsius, NULL, &err),
          &err);
    check(tess_array_read_as(a, start, stop, TESS_DTYPE_F64, &how, back, sizeof back, NULL, &err),
          &err);
    for (int i = 0; i < DAYS; i++)
        for (int j = 0; j < PLACES; j++)
            if (isnan(celsius[i][j]) ? !isnan(back[i][j])
                                     : fabs(back[i][j] - celsius[i][j]) > 0.0051)
                return 1;

    // The same as floats, a row per place.
    const int64_t strides[2] = {sizeof columns[0][0], sizeof columns[0]};
    check(tess_array_read_as(a, start, stop, TESS_DTYPE_F32, &how, columns, sizeof columns, strides,
                             &err),
          &err);
    if (fabsf(columns[3][200] - (float)back[200][3]) > 1e-5F || !isnan(columns[7][100]))
        return 1;

    // As they are stored: one of them does not fit in a byte, and the message says which.
    int8_t bytes[PLACES];
    const int64_t one_day[2] = {201, PLACES}, day[2] = {200, 0};
    if (tess_array_read_as(a, day, one_day, TESS_DTYPE_I8, NULL, bytes, sizeof bytes, NULL, &err) !=
        TESS_ERR_LIMIT)
        return 1;
    printf("%s\n", err.message);
    check(tess_array_close(a, &err), &err);
    return 0;
}
