/*
 * arrays.c - random arrays that the ranks of an MPI program write together, against a copy that
 * each rank keeps in its own memory.
 *
 *     arrays FOLDER SEED CASES OTHER
 *
 * OTHER is an array of another writer, which does not seal what it commits: some cases begin with a
 * copy of it.
 *
 * All ranks draw the same numbers, so that each knows the boxes of all.
 */
#include "mpi/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>
#include <tessera/mpi.h>

enum { NDIM = 3, SIDE = 40, RANKS = 64, ROUNDS = 4 };

// -- numbers

static uint64_t state;

static int64_t
draw(int64_t least, int64_t most)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return least + (int64_t)((state >> 33) % (uint64_t)(most - least + 1));
}

// -- the array as it should be

struct model {
    int ndim;
    int32_t typesize;
    int64_t shape[TESS_MAX_NDIM];
    uint8_t *items;
};

static int64_t
model_size(const struct model *x)
{
    int64_t n = x->typesize;
    for (int i = 0; i < x->ndim; i++)
        n *= x->shape[i];
    return n;
}

static tess_mpi_shape
model_shape(const struct model *x)
{
    tess_mpi_shape g = {.ndim = x->ndim, .typesize = x->typesize};
    memcpy(g.shape, x->shape, sizeof g.shape);
    return g;
}

static tess_mpi_box
model_all(const struct model *x)
{
    tess_mpi_box all = {{0}, {0}};
    memcpy(all.stop, x->shape, sizeof all.stop);
    return all;
}

static void
model_grow(struct model *x, int axis, int64_t count, uint8_t fill)
{
    struct model next = *x;
    next.shape[axis] += count;
    next.items = malloc((size_t)model_size(&next) + 1);
    check(next.items, "memory");
    memset(next.items, fill, (size_t)model_size(&next));
    const tess_mpi_shape g = model_shape(x);
    const tess_mpi_box all = model_all(x), grown = model_all(&next);
    if (model_size(x) > 0)
        tess_mpi_box_copy(&g, &all, &all, x->items, &grown, next.items);
    free(x->items);
    *x = next;
}

// The items of a box in a round: runs of equal ones, and others.
static uint8_t *
new_items(const struct model *x, const tess_mpi_box *box, int round, size_t *size)
{
    *size = (size_t)(tess_mpi_box_nitems(x->ndim, box) * x->typesize);
    uint8_t *const items = malloc(*size + 1);
    check(items, "memory");
    for (size_t i = 0; i < *size; i++)
        items[i] = (uint8_t)(round % 2 ? round : (int)(i / 8) * 7 + round + (int)box->start[0]);
    return items;
}

static void
model_write(struct model *x, const tess_mpi_box *box, int round)
{
    const tess_mpi_shape g = model_shape(x);
    const tess_mpi_box all = model_all(x);
    size_t size;
    uint8_t *const items = new_items(x, box, round, &size);
    if (size > 0)
        tess_mpi_box_copy(&g, box, box, items, &all, x->items);
    free(items);
}

// -- boxes

// Cut a box into n, some of which may be empty; in random order.
static void
cut(int ndim, tess_mpi_box box, int n, tess_mpi_box *boxes)
{
    if (n == 1) {
        boxes[0] = box;
        return;
    }
    const int axis = (int)draw(0, ndim - 1), half = (int)draw(1, n - 1);
    const int64_t at = draw(box.start[axis], box.stop[axis]);
    tess_mpi_box low = box, high = box;
    low.stop[axis] = high.start[axis] = at;
    cut(ndim, low, half, boxes);
    cut(ndim, high, n - half, boxes + half);
}

static void
draw_boxes(const struct model *x, const tess_mpi_box *in, int nranks, tess_mpi_box *boxes)
{
    tess_mpi_box part = *in;
    for (int i = 0; i < x->ndim && draw(0, 1) == 1; i++) {
        part.start[i] = draw(in->start[i], in->stop[i]);
        part.stop[i] = draw(part.start[i], in->stop[i]);
    }
    cut(x->ndim, part, nranks, boxes);
    for (int i = nranks - 1; i > 0; i--) {
        const int k = (int)draw(0, i);
        const tess_mpi_box other = boxes[i];
        boxes[i] = boxes[k];
        boxes[k] = other;
    }
}

// -- a case

struct run {
    int rank, nranks;
    const char *other;
    char file[512], folder[512];
    tess_storage storage;
    struct model x;
    uint8_t fill;
    tess_mpi *m;
};

static void
create(struct run *r)
{
    static const char *const types[] = {"|u1", "<i2", "<f4", "<i8"};
    static const int32_t sizes[] = {1, 2, 4, 8};
    const int type = (int)draw(0, 3);
    tess_params params;
    uint8_t fill[8];
    tess_error err = {0};

    tess_params_init(&params);
    r->x = (struct model){.ndim = (int)draw(1, NDIM), .typesize = sizes[type]};
    params.dtype = types[type];
    params.ndim = r->x.ndim;
    for (int i = 0; i < r->x.ndim; i++) {
        params.shape[i] = r->x.shape[i] = draw(draw(0, 9) == 0 ? 0 : 1, SIDE);
        params.chunkshape[i] = draw(1, SIDE / 2);
        params.blockshape[i] = draw(1, params.chunkshape[i]);
    }
    params.layout = draw(0, 3) == 0 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
    params.codec = draw(0, 1) ? TESS_CODEC_LZ4 : TESS_CODEC_ZSTD;
    r->fill = draw(0, 1) ? 0 : 17;
    memset(fill, r->fill, sizeof fill);
    params.fill = fill;
    params.fill_size = (size_t)r->x.typesize;
    r->x.items = malloc((size_t)model_size(&r->x) + 1);
    check(r->x.items, "memory");
    memset(r->x.items, r->fill, (size_t)model_size(&r->x));
    r->storage.path = params.layout == TESS_LAYOUT_SPARSE ? r->folder : r->file;
    r->storage.mode = TESS_MODE_REPLACE;
    ok(tess_mpi_create(MPI_COMM_WORLD, &r->storage, &params, &r->m, &err));
}

// A copy of a whole file.
static void
copy_file(const char *from, const char *to)
{
    uint8_t bytes[4096];
    FILE *const in = fopen(from, "rb"), *const out = fopen(to, "wb");
    check(in && out, "files");
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;)
        check(fwrite(bytes, 1, n, out) == n, "a file");
    check(fclose(in) == 0 && fclose(out) == 0, "files");
}

// The array of another writer.
static void
open_other(struct run *r)
{
    tess_info info;
    tess_error err = {0};
    if (r->rank == 0)
        copy_file(r->other, r->file);
    MPI_Barrier(MPI_COMM_WORLD);
    r->storage.path = r->file;
    r->storage.mode = TESS_MODE_UPDATE;
    ok(tess_mpi_open(MPI_COMM_WORLD, &r->storage, &r->m, &err));
    tess_array_info(tess_mpi_array(r->m), &info);
    r->x = (struct model){.ndim = info.ndim, .typesize = info.typesize};
    memcpy(r->x.shape, info.shape, sizeof r->x.shape);
    r->fill = 0;
    const tess_mpi_box all = model_all(&r->x);
    const size_t size = (size_t)model_size(&r->x);
    r->x.items = malloc(size + 1);
    check(r->x.items, "memory");
    ok(tess_mpi_read(r->m, all.start, all.stop, r->x.items, size, &err));
    MPI_Barrier(MPI_COMM_WORLD); // before the file changes
}

// A box that every rank draws for itself.
static void
read_some(struct run *r)
{
    const tess_mpi_shape g = model_shape(&r->x);
    const tess_mpi_box all = model_all(&r->x);
    tess_mpi_box box = all;
    tess_error err = {0};
    for (int i = 0; i < r->x.ndim; i++) {
        box.start[i] = (r->rank * 7) % (r->x.shape[i] + 1);
        box.stop[i] = box.start[i] + (r->x.shape[i] - box.start[i]) / (1 + r->rank % 3);
    }
    const size_t size = (size_t)(tess_mpi_box_nitems(r->x.ndim, &box) * r->x.typesize);
    uint8_t *const got = malloc(size + 1), *const want = malloc(size + 1);
    check(got && want, "memory");
    ok(tess_mpi_read(r->m, box.start, box.stop, got, size, &err));
    if (size > 0)
        tess_mpi_box_copy(&g, &box, &all, r->x.items, &box, want);
    check(memcmp(got, want, size) == 0, "items that a rank reads");
    free(got);
    free(want);
}

static void
write_round(struct run *r, int round)
{
    tess_mpi_box boxes[RANKS], in = model_all(&r->x);
    int64_t count = 0;
    int axis = -1;
    tess_error err = {0};
    size_t size;

    if (draw(0, 2) == 0) {
        axis = (int)draw(0, r->x.ndim - 1);
        count = draw(0, SIDE / 2);
        if (draw(0, 1) == 0)
            in.start[axis] = r->x.shape[axis];
        model_grow(&r->x, axis, count, r->fill);
        in.stop[axis] = r->x.shape[axis];
    }
    draw_boxes(&r->x, &in, r->nranks, boxes);
    const tess_mpi_box *const own = &boxes[r->rank];
    uint8_t *const items = new_items(&r->x, own, round, &size);
    if (axis >= 0)
        ok(tess_mpi_append(r->m, axis, count, own->start, own->stop, items, size, &err));
    else
        ok(tess_mpi_write_box(r->m, own->start, own->stop, items, size, &err));
    free(items);
    for (int i = 0; i < r->nranks; i++)
        model_write(&r->x, &boxes[i], round);
    if (draw(0, 1) == 0) {
        ok(tess_mpi_flush(r->m, &err));
        read_some(r);
    }
}

// What one process finds afterwards.
static void
check_file(const struct run *r)
{
    tess_storage storage;
    tess_array *a = NULL;
    tess_info info;
    tess_verdict verdict;
    tess_error err = {0};
    const tess_mpi_box all = model_all(&r->x);
    const size_t size = (size_t)model_size(&r->x);
    uint8_t *const got = malloc(size + 1);
    check(got, "memory");
    tess_storage_init(&storage);
    storage.path = r->storage.path;
    ok(tess_array_open(&storage, &a, &err));
    tess_array_info(a, &info);
    for (int i = 0; i < r->x.ndim; i++)
        check(info.shape[i] == r->x.shape[i], "shape");
    ok(tess_array_read(a, all.start, all.stop, got, size, &err));
    check(memcmp(got, r->x.items, size) == 0, "items of the file");
    ok(tess_array_verify(a, NULL, NULL, &verdict, &err));
    check(verdict.fine, "the file verified");
    ok(tess_array_close(a, &err));
    free(got);
}

static void
run_case(struct run *r)
{
    tess_error err = {0};
    const int rounds = (int)draw(1, ROUNDS);
    r->storage.lock_file = draw(0, 3) == 0;
    if (draw(0, 3) == 0)
        open_other(r);
    else
        create(r);
    for (int round = 1; round <= rounds; round++)
        write_round(r, round);
    if (draw(0, 1) == 0) {
        ok(tess_mpi_close(r->m, &err));
        r->storage.mode = TESS_MODE_UPDATE;
        ok(tess_mpi_open(MPI_COMM_WORLD, &r->storage, &r->m, &err));
        write_round(r, ROUNDS + 1);
    }
    ok(tess_mpi_close(r->m, &err));
    if (r->rank == 0)
        check_file(r);
    free(r->x.items);
    MPI_Barrier(MPI_COMM_WORLD);
}

int
main(int argc, char **argv)
{
    struct run r = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.nranks);
    check(argc == 5 && r.nranks <= RANKS, "usage");
    const uint64_t seed = strtoull(argv[2], NULL, 10);
    const int cases = atoi(argv[3]);
    r.other = argv[4];
    snprintf(r.file, sizeof r.file, "%s/file.b2nd", argv[1]);
    snprintf(r.folder, sizeof r.folder, "%s/folder.b2nd", argv[1]);
    tess_storage_init(&r.storage);
    for (int i = 0; i < cases; i++) {
        state = seed + (uint64_t)i;
        now_at = state;
        run_case(&r);
    }
    if (r.rank == 0)
        printf("%d arrays by %d ranks, seed %" PRIu64 "\n", cases, r.nranks, seed);
    MPI_Finalize();
    return 0;
}
