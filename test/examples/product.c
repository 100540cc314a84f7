/*
 * product.c - the product of two matrices that are larger than memory: C = A B.
 *
 * Threads of the program take tiles of C in turn. Each reads the panels of A and B that it needs,
 * through handles that all threads share, and writes its tile. Tiles are whole chunks of C, so no
 * two threads meet in a chunk: all encode at the same time, and nothing is decoded again.
 */
#include <tessera.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 500, INNER = 700, COLUMNS = 600, TILE = 128, DEPTH = 256, THREADS = 4 };
enum { ACROSS = (COLUMNS + TILE - 1) / TILE, DOWN = (ROWS + TILE - 1) / TILE };

struct product {
    tess_array *a, *b, *c;
    atomic_int next; // tile
};

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static tess_array *
make_matrix(const char *path, int64_t rows, int64_t columns)
{
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_array *matrix;
    tess_error err;

    tess_context_init(&context);
    context.threads = 1; // the program has threads of its own
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    storage.context = &context;
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_F64;
    params.ndim = 2;
    params.shape[0] = rows;
    params.shape[1] = columns;
    params.chunkshape[0] = params.chunkshape[1] = TILE;
    check(tess_array_uninit(&storage, &params, &matrix, &err), &err);
    return matrix;
}

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// c += a b, of panels in C order without gaps. A program of today calls BLAS.
static void
multiply(double *restrict c, const double *restrict a, const double *restrict b, int64_t rows,
         int64_t inner, int64_t columns)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < inner; k++)
            for (int64_t j = 0; j < columns; j++)
                c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
}

static void *
work(void *user)
{
    struct product *const p = user;
    double *const a = malloc(sizeof(double[TILE][DEPTH])), *const b =
                                                               malloc(sizeof(double[DEPTH][TILE]));
    double *const c = malloc(sizeof(double[TILE][TILE]));
    tess_error err;
    int tile;

    if (!a || !b || !c)
        exit(1);
    while ((tile = atomic_fetch_add(&p->next, 1)) < DOWN * ACROSS) {
        const int64_t i = tile / ACROSS * TILE, j = tile % ACROSS * TILE;
        const int64_t rows = least(TILE, ROWS - i), columns = least(TILE, COLUMNS - j);
        memset(c, 0, sizeof(double[TILE][TILE]));
        for (int64_t k = 0; k < INNER; k += DEPTH) {
            const int64_t to = least(INNER, k + DEPTH);
            check(tess_array_read(p->a, (int64_t[]){i, k}, (int64_t[]){i + rows, to}, a,
                                  sizeof(double[TILE][DEPTH]), &err),
                  &err);
            check(tess_array_read(p->b, (int64_t[]){k, j}, (int64_t[]){to, j + columns}, b,
                                  sizeof(double[DEPTH][TILE]), &err),
                  &err);
            multiply(c, a, b, rows, to - k, columns);
        }
        check(tess_array_write(p->c, (int64_t[]){i, j}, (int64_t[]){i + rows, j + columns}, c,
                               sizeof(double[TILE][TILE]), &err),
              &err);
    }
    free(a);
    free(b);
    free(c);
    return NULL;
}

int
main(int argc, char **argv)
{
    static double a[ROWS][INNER], b[INNER][COLUMNS];
    char paths[3][1000];
    struct product p = {0};
    pthread_t threads[THREADS];
    tess_error err;
    double corner;

    for (int i = 0; i < 3; i++)
        (void)snprintf(paths[i], sizeof paths[i], "%s/%c.b2nd", argc > 1 ? argv[1] : ".", "ABC"[i]);
    p.a = make_matrix(paths[0], ROWS, INNER);
    p.b = make_matrix(paths[1], INNER, COLUMNS);
    p.c = make_matrix(paths[2], ROWS, COLUMNS);
    for (int k = 0; k < INNER; k++) { // here the matrices are there already
        for (int i = 0; i < ROWS; i++)
            a[i][k] = i == k;
        for (int j = 0; j < COLUMNS; j++)
            b[k][j] = k + 0.001 * j;
    }
    check(tess_array_write(p.a, (int64_t[]){0, 0}, (int64_t[]){ROWS, INNER}, a, sizeof a, &err),
          &err);
    check(tess_array_write(p.b, (int64_t[]){0, 0}, (int64_t[]){INNER, COLUMNS}, b, sizeof b, &err),
          &err);

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, &p) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check(
        tess_array_get_item(p.c, (int64_t[]){ROWS - 1, COLUMNS - 1}, &corner, sizeof corner, &err),
        &err);
    printf("%g\n", corner); // 499.599
    check(tess_array_close(p.a, &err), &err);
    check(tess_array_close(p.b, &err), &err);
    check(tess_array_close(p.c, &err), &err);
    return 0;
}
