/*
 * product.c - the product of two matrices that are larger than memory: C = A B. The library calls a
 * function for boxes of C, on all threads, which reads panels of A and B, and stores the boxes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

#define TRY(call) ((call) == TESS_OK ? (void)0 : (fprintf(stderr, "%s\n", err.message), exit(1)))

enum { ROWS = 500, INNER = 700, COLUMNS = 600, TILE = 128, DEPTH = 256 };

static _Thread_local tess_error err;

static tess_array *
create(const char *path, int64_t rows, int64_t columns, double item)
{
    tess_storage storage;
    tess_params params;
    tess_array *matrix;

    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_F64;
    params.ndim = 2;
    params.shape[0] = rows;
    params.shape[1] = columns;
    params.chunkshape[0] = params.chunkshape[1] = TILE; // boxes are whole chunks
    TRY(tess_array_full(&storage, &params, &item, sizeof item, &matrix, &err));
    return matrix;
}

static tess_each_next
multiply(const tess_map_part *part, void *user)
{
    tess_array *const *const factors = user;
    const int64_t top = part->start[0], bottom = part->stop[0], rows = bottom - top;
    const int64_t left = part->start[1], right = part->stop[1], columns = right - left;
    const size_t a_size = (size_t)rows * DEPTH * sizeof(double);
    const size_t b_size = (size_t)columns * DEPTH * sizeof(double);
    double *const a = malloc(a_size), *const b = malloc(b_size), *const c = part->outputs[0];

    if (!a || !b)
        exit(1);
    memset(c, 0, (size_t)part->nitems * sizeof *c);
    for (int64_t from = 0, to; from < INNER; from = to) {
        to = from + DEPTH < INNER ? from + DEPTH : INNER;
        const int64_t a_box[2][2] = {{top, from}, {bottom, to}};
        const int64_t b_box[2][2] = {{from, left}, {to, right}};
        TRY(tess_array_read(factors[0], a_box[0], a_box[1], a, a_size, &err));
        TRY(tess_array_read(factors[1], b_box[0], b_box[1], b, b_size, &err));
        for (int64_t i = 0; i < rows; i++) // here a program calls BLAS
            for (int64_t k = 0; k < to - from; k++)
                for (int64_t j = 0; j < columns; j++)
                    c[i * columns + j] += a[i * (to - from) + k] * b[k * columns + j];
    }
    free(a);
    free(b);
    return TESS_EACH_NEXT;
}

int
main(void)
{
    tess_array *factors[] = {create("A.b2nd", ROWS, INNER, 2), create("B.b2nd", INNER, COLUMNS, 3)};
    tess_array *const product = create("C.b2nd", ROWS, COLUMNS, 0);
    tess_statistics found;

    TRY(tess_map(NULL, 0, &product, 1, NULL, NULL, NULL, multiply, factors, &err));
    TRY(tess_array_statistics(product, NULL, NULL, &found, &err));
    printf("mean %g\n", found.mean); // mean 4200
    TRY(tess_array_close(factors[0], &err));
    TRY(tess_array_close(factors[1], &err));
    TRY(tess_array_close(product, &err));
    return 0;
}
