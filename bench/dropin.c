/*
 * dropin.c - what a commit at the end of each call costs programs written for c-blosc2.
 *
 *     dropin FOLDER [CHUNKS [ROUNDS]]
 *
 * Appends CHUNKS chunks of 4 KiB to a super-chunk, and writes an array of CHUNKS rows of 4 KB row
 * after row: in memory, to a contiguous file and to a directory in FOLDER. With tessera-b2nd, each
 * also with TESS_B2ND_COMMITS=deferred, alternately. Uses the interface of c-blosc2 alone: compiled
 * with c-blosc2, it has the figures of that. CSV, medians of ROUNDS.
 */
#include "support.h"

#include <b2nd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 1024, ROWS_OF_CHUNK = 100 };

// Where it goes.
static const struct place {
    const char *name;
    bool contiguous, on_disk;
} places[] = {{"memory", false, false}, {"file", true, true}, {"directory", false, true}};

static void
check(int64_t rc, const char *what)
{
    if (rc < 0)
        bench_die("%s: %s", what, blosc2_error_string((int)rc));
}

static void
set_items(int32_t *items, int n)
{
    for (int i = 0; i < ITEMS; i++)
        items[i] = n * i;
}

static void
append(blosc2_storage *storage, int chunks)
{
    int32_t items[ITEMS];
    blosc2_schunk *const s = blosc2_schunk_new(storage);
    if (!s)
        bench_die("no super-chunk");
    for (int i = 0; i < chunks; i++) {
        set_items(items, i);
        check(blosc2_schunk_append_buffer(s, items, sizeof items), "append");
    }
    check(blosc2_schunk_free(s), "free");
}

static void
write_rows(blosc2_storage *storage, int rows)
{
    const int64_t shape[] = {rows, ITEMS}, row[] = {1, ITEMS};
    const int32_t chunkshape[] = {ROWS_OF_CHUNK, ITEMS}, blockshape[] = {10, 128};
    int32_t items[ITEMS];
    b2nd_array_t *a = NULL;
    b2nd_context_t *const context =
        b2nd_create_ctx(storage, 2, shape, chunkshape, blockshape, "<i4", 0, NULL, 0);
    check(b2nd_zeros(context, &a), "create");
    for (int i = 0; i < rows; i++) {
        const int64_t start[] = {i, 0}, stop[] = {i + 1, ITEMS};
        set_items(items, i);
        check(b2nd_set_slice_cbuffer(items, row, sizeof items, start, stop, a), "write");
    }
    check(b2nd_free(a), "free");
    check(b2nd_free_ctx(context), "free");
}

static double
run(const struct place *place, const char *folder, int n, bool rows)
{
    char path[4096];
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_storage storage = {.contiguous = place->contiguous, .cparams = &cparams};
    cparams.typesize = sizeof(int32_t);
    snprintf(path, sizeof path, "%s/dropin.b2nd", folder);
    if (place->on_disk) {
        storage.urlpath = path;
        blosc2_remove_urlpath(path);
    }
    const double before = bench_now();
    if (rows)
        write_rows(&storage, n);
    else
        append(&storage, n);
    const double seconds = bench_now() - before;
    if (place->on_disk)
        blosc2_remove_urlpath(path);
    return seconds;
}

int
main(int argc, char **argv)
{
    const int n = argc > 2 ? atoi(argv[2]) : 2000, rounds = argc > 3 ? atoi(argv[3]) : 5;
    if (argc < 2 || n < 1 || rounds < 1 || rounds > BENCH_ROUNDS_MAX)
        bench_die("usage: dropin FOLDER [CHUNKS [ROUNDS]]");
    blosc2_init();
    puts("work,storage,commits,calls,seconds,microseconds per call");
    for (int rows = 0; rows < 2; rows++)
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            static struct bench_times times[2];
            memset(times, 0, sizeof times);
            for (int k = 0; k < 2 * rounds; k++) {
                setenv("TESS_B2ND_COMMITS", k % 2 ? "deferred" : "", 1);
                bench_times_add(&times[k % 2], run(&places[i], argv[1], n, rows));
            }
            for (int k = 0; k < 2; k++) {
                const double median = bench_times_median(&times[k]);
                printf("%s,%s,%s,%d,%.4f,%.2f\n", rows ? "rows" : "append", places[i].name,
                       k ? "deferred" : "each call", n, median, median / n * 1e6);
            }
        }
    blosc2_destroy();
    return 0;
}
