/*
 * chunks_stored.c - chunks that are found, handed out and taken in as they are stored.
 */
#include "support/draw.h"
#include "support/files.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { ROUNDS = 60, MOVES = 40, HEADER_SIZE = 32 };

// -- arrays, and what they should hold

struct subject {
    tess_array *a;
    struct reference r;
    const char *path; // NULL: memory
};

static tess_storage
storage_at(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    return storage;
}

static void
draw_small_chunks(struct random *r, tess_params *p)
{
    static const char *const types[] = {"<f8", "<i4", "|u1", "<i2", "|V300"};
    tess_params_init(p);
    p->dtype = types[random_below(r, COUNT(types))];
    draw_methods(r, p);
    p->ndim = (int)random_below(r, 4);
    for (int i = 0; i < p->ndim; i++) {
        p->shape[i] = 1 + (int64_t)random_below(r, p->ndim == 1 ? 2000 : 40);
        p->chunkshape[i] = 1 + (int64_t)random_below(r, p->ndim == 1 ? 300 : 16);
        p->blockshape[i] = 1 + (int64_t)random_below(r, (uint64_t)p->chunkshape[i]);
    }
    p->layout = random_below(r, 3) == 0 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
}

static void
make(struct subject *s, const tess_params *given, const char *path, uint64_t how)
{
    static const uint8_t item[300] = {7, 1, 3};
    tess_params p = *given;
    if (!path)
        p.layout = TESS_LAYOUT_CONTIGUOUS;
    const tess_storage storage = storage_at(path, TESS_MODE_NEW);
    const size_t typesize = (size_t)tess_dtype_parse(p.dtype).size;
    reference_init(&s->r, p.ndim, p.shape, typesize);
    s->path = path;
    if (how % 3 == 0) {
        ok(tess_array_zeros(&storage, &p, &s->a, err));
    } else if (how % 3 == 1) {
        ok(tess_array_uninit(&storage, &p, &s->a, err));
    } else {
        ok(tess_array_full(&storage, &p, item, typesize, &s->a, err));
        reference_fill(&s->r, item);
    }
}

static void
end(struct subject *s)
{
    ok(tess_array_close(s->a, err));
    reference_finish(&s->r);
}

static void
reopen(struct subject *s)
{
    if (!s->path)
        return;
    const tess_storage storage = storage_at(s->path, TESS_MODE_UPDATE);
    ok(tess_array_close(s->a, err));
    ok(tess_array_open(&storage, &s->a, err));
}

static void
chunk_box(const struct subject *s, int64_t n, int64_t *start, int64_t *stop)
{
    tess_info info;
    tess_array_info(s->a, &info);
    for (int i = info.ndim - 1; i >= 0; i--) {
        const int64_t along = (info.shape[i] + info.chunkshape[i] - 1) / info.chunkshape[i];
        start[i] = n % along * info.chunkshape[i];
        n /= along;
        stop[i] = start[i] + info.chunkshape[i];
        if (stop[i] > info.shape[i])
            stop[i] = info.shape[i];
    }
}

static int64_t
nchunks(const tess_array *a)
{
    tess_info info;
    tess_array_info(a, &info);
    return info.nchunks;
}

// -- chunks are moved

// Chunk m of one array becomes chunk n of another, where both have the same items inside.
static bool
move_chunk(struct subject *to, int64_t n, const struct subject *from, int64_t m, struct random *r)
{
    int64_t start[REFERENCE_MAX_NDIM], stop[REFERENCE_MAX_NDIM];
    int64_t there[REFERENCE_MAX_NDIM], end_there[REFERENCE_MAX_NDIM];
    void *chunk = NULL;
    size_t size, again;

    chunk_box(from, m, start, stop);
    chunk_box(to, n, there, end_there);
    for (int i = 0; i < to->r.ndim; i++) // what is padding in one may be seen in the other
        if (stop[i] - start[i] != end_there[i] - there[i])
            return false;
    ok(tess_array_get_chunk(from->a, m, &chunk, &size, err));
    uint8_t *const room = malloc(size);
    ok(tess_array_copy_chunk(from->a, m, room, size, &again, err));
    assert_int_equal(again, size);
    assert_memory_equal(room, chunk, size);
    free(room);
    const tess_chunk_trust trust = random_below(r, 2) ? TESS_CHUNK_TRUSTED : TESS_CHUNK_UNTRUSTED;
    ok(tess_array_set_chunk(to->a, n, chunk, size, trust, err));
    free(chunk);

    const size_t items_size = reference_box_size(&from->r, start, stop);
    uint8_t *const items = malloc(items_size);
    reference_get(&from->r, start, stop, items);
    reference_set(&to->r, there, end_there, items);
    free(items);
    return true;
}

// What comes out of an array is what went in, byte for byte, unless it is one without bytes.
static void
check_bytes(struct subject *to, int64_t n, struct subject *from, int64_t m)
{
    void *x, *y;
    size_t x_size, y_size;
    ok(tess_array_get_chunk(from->a, m, &x, &x_size, err));
    ok(tess_array_get_chunk(to->a, n, &y, &y_size, err));
    assert_int_equal(x_size, y_size);
    assert_memory_equal(x, y, x_size);
    tess_free(x);
    tess_free(y);
}

static void
moves(void **state)
{
    struct random r;
    int64_t moved = 0;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t round = 0; round < random_cases(ROUNDS, 20 * ROUNDS); round++) {
        struct subject s[2];
        tess_params p;
        files_begin();
        draw_small_chunks(&r, &p);
        make(&s[0], &p, random_below(&r, 2) ? files_path("x") : NULL, random_next(&r));
        make(&s[1], &p, random_below(&r, 2) ? files_path("y") : NULL, random_next(&r));
        for (int i = 0; i < MOVES; i++) {
            const size_t to = (size_t)random_below(&r, 2), from = (size_t)random_below(&r, 2);
            const int64_t n = (int64_t)random_below(&r, (uint64_t)nchunks(s[to].a));
            const int64_t m = (int64_t)random_below(&r, (uint64_t)nchunks(s[from].a));
            switch (random_below(&r, 8)) {
            case 0:
                draw_change(&r, s[to].a, &s[to].r);
                break;
            case 1:
                check_array(s[to].a, &s[to].r);
                break;
            case 2:
                ok(tess_array_flush(s[to].a, err));
                break;
            case 3:
                reopen(&s[to]);
                break;
            default:
                if (move_chunk(&s[to], n, &s[from], m, &r)) {
                    check_bytes(&s[to], n, &s[from], m);
                    moved++;
                }
            }
        }
        for (int i = 0; i < 2; i++) {
            check_array(s[i].a, &s[i].r);
            reopen(&s[i]);
            check_array(s[i].a, &s[i].r);
            end(&s[i]);
        }
        files_end();
    }
    assert_true(moved > 5 * ROUNDS);
}

// -- the next chunk

static bool
meets(const struct subject *s, int64_t n, const int64_t *start, const int64_t *stop)
{
    int64_t lo[REFERENCE_MAX_NDIM], hi[REFERENCE_MAX_NDIM];
    chunk_box(s, n, lo, hi);
    for (int i = 0; i < s->r.ndim; i++)
        if (lo[i] >= stop[i] || hi[i] <= start[i])
            return false;
    return true;
}

static bool
is_next(const struct subject *s, int64_t n, const int64_t *start, const int64_t *stop,
        unsigned kinds, tess_chunk_info *info)
{
    ok(tess_array_chunk(s->a, n, info, err));
    return meets(s, n, start, stop) && (kinds >> info->kind & 1);
}

// The chunk that a run says against a question for each chunk.
static void
check_next(const struct subject *s, const int64_t *start, const int64_t *stop, int64_t from,
           unsigned kinds, const tess_chunk_run *run)
{
    int64_t lo[REFERENCE_MAX_NDIM], hi[REFERENCE_MAX_NDIM];
    tess_chunk_info info, other;
    int64_t n = from;
    const int64_t all = nchunks(s->a);

    while (n < all && !is_next(s, n, start, stop, kinds, &info))
        n++;
    if (n >= all) {
        assert_int_equal(run->number, -1);
        assert_int_equal(run->last, -1);
        return;
    }
    assert_int_equal(run->number, n);
    assert_int_equal(run->kind, info.kind);
    assert_int_equal(run->stored, info.stored);
    assert_int_equal(run->cbytes, info.cbytes);
    chunk_box(s, n, lo, hi);
    assert_memory_equal(run->start, lo, sizeof *lo * (size_t)s->r.ndim);
    assert_memory_equal(run->stop, hi, sizeof *hi * (size_t)s->r.ndim);
    if (!(TESS_KINDS_ITEMS >> run->kind & 1)) { // the item, against what is read there
        uint8_t item[300];
        int64_t one[REFERENCE_MAX_NDIM];
        for (int i = 0; i < s->r.ndim; i++)
            one[i] = lo[i] + 1;
        reference_get(&s->r, lo, one, item);
        assert_memory_equal(run->item, item, s->r.typesize);
    }
    if (run->stored) {
        assert_int_equal(run->last, n);
        return;
    }
    int64_t last = n;
    for (int64_t k = n + 1; k < all; k++) {
        if (!meets(s, k, start, stop))
            continue;
        ok(tess_array_chunk(s->a, k, &other, err));
        if (other.stored || other.kind != info.kind)
            break;
        last = k;
    }
    assert_int_equal(run->last, last);
}

static void
finds(void **state)
{
    struct random r;
    int64_t found = 0, none = 0, longer = 0;
    (void)state;
    const int64_t rounds = random_cases(ROUNDS, 20 * ROUNDS);
    random_init(&r, random_seed());
    // More of them where few arrays had runs of chunks that are not stored.
    for (int64_t round = 0; round < rounds || (longer <= ROUNDS && round < 10 * rounds); round++) {
        struct subject s;
        tess_params p;
        uint8_t item[300];
        draw_small_chunks(&r, &p);
        make(&s, &p, NULL, random_next(&r));
        for (int64_t i = (int64_t)random_below(&r, 6); i > 0; i--)
            draw_change(&r, s.a, &s.r);
        for (int i = 0; i < 30; i++) {
            int64_t start[REFERENCE_MAX_NDIM], stop[REFERENCE_MAX_NDIM];
            const unsigned kinds = 1 + (unsigned)random_below(&r, TESS_KINDS_ALL);
            const int64_t from = (int64_t)random_below(&r, (uint64_t)nchunks(s.a) + 1);
            tess_chunk_run run;
            tess_chunk_run_init(&run);
            run.item = item;
            run.item_size = sizeof item;
            for (int k = 0; k < p.ndim; k++) {
                start[k] = (int64_t)random_below(&r, (uint64_t)p.shape[k]);
                stop[k] =
                    start[k] + 1 + (int64_t)random_below(&r, (uint64_t)(p.shape[k] - start[k]));
            }
            ok(tess_array_next_chunk(s.a, start, stop, from, kinds, &run, err));
            check_next(&s, start, stop, from, kinds, &run);
            found += run.number >= 0;
            none += run.number < 0;
            longer += run.last > run.number;
        }
        end(&s);
    }
    assert_true(found > ROUNDS && none > ROUNDS && longer > ROUNDS);
}

// As many chunks as a frame can have, nothing stored: all at once, or none at once.
static void
finds_in_long_lists(void **state)
{
    enum { NCHUNKS = (1 << 28) - 100 };
    const tess_storage storage = storage_at(NULL, TESS_MODE_NEW);
    const int64_t start = 5, stop = INT64_C(3) * NCHUNKS - 7;
    tess_chunk_run run;
    tess_params p;
    tess_array *a;
    int32_t item = 1;

    (void)state;
    tess_params_init(&p);
    p.dtype = "<i4";
    p.ndim = 1;
    p.shape[0] = INT64_C(3) * NCHUNKS;
    p.chunkshape[0] = p.blockshape[0] = 3;
    ok(tess_array_zeros(&storage, &p, &a, err));
    tess_chunk_run_init(&run);
    run.item = &item;
    run.item_size = sizeof item;
    for (int i = 0; i < 1000; i++) { // a look at each chunk would take hours
        ok(tess_array_next_chunk(a, &start, &stop, 0, TESS_KINDS_ALL, &run, err));
        assert_int_equal(run.number, 1);
        assert_int_equal(run.last, NCHUNKS - 3);
        assert_int_equal(run.kind, TESS_CHUNK_ZEROS);
        assert_int_equal(item, 0);
        ok(tess_array_next_chunk(a, NULL, NULL, i, TESS_KINDS_ITEMS, &run, err));
        assert_int_equal(run.number, -1);
    }
    ok(tess_array_next_chunk(a, NULL, NULL, INT64_MAX, TESS_KINDS_ALL, &run, err));
    assert_int_equal(run.number, -1);
    tess_array_discard(a);
}

// Plain frames of other writers: chunk after chunk covers all items once.
static void
finds_in_golden(tess_array *a, const struct reference *ref, const char *name, void *user)
{
    tess_chunk_run run;
    tess_info info;
    int64_t nitems = 0, found = 0;
    uint8_t *const item = malloc(ref->typesize);

    (void)user;
    tess_array_info(a, &info);
    tess_chunk_run_init(&run);
    run.item = item;
    run.item_size = ref->typesize;
    for (;;) {
        ok(tess_array_next_chunk(a, NULL, NULL, run.last + 1, TESS_KINDS_ALL, &run, err));
        if (run.number < 0)
            break;
        const int64_t last = run.last;
        for (int64_t n = run.number; n <= last; n++) {
            void *chunk;
            size_t size;
            run.last = n - 1;
            ok(tess_array_next_chunk(a, NULL, NULL, n, TESS_KINDS_ALL, &run, err));
            assert_int_equal(run.number, n);
            assert_int_equal(run.last, last);
            nitems += reference_box_nitems(info.ndim, run.start, run.stop);
            ok(tess_array_get_chunk(a, n, &chunk, &size, err));
            assert_true(!run.stored || (int64_t)size == run.cbytes);
            tess_free(chunk);
            found++;
        }
    }
    if (nitems != info.nitems || found > info.nchunks)
        fail_msg("%s: %lld of %lld items in %lld chunks of %lld", name, (long long)nitems,
                 (long long)info.nitems, (long long)found, (long long)info.nchunks);
    free(item);
}

static void
finds_in_files_of_others(void **state)
{
    (void)state;
    check_golden_files(finds_in_golden, NULL);
}

// -- what is refused

enum { ITEMS = 600, CHUNK = 200, BLOCK = 50 };

static void
params_for(tess_params *p)
{
    tess_params_init(p);
    p->dtype = "<i4";
    p->ndim = 1;
    p->shape[0] = ITEMS;
    p->chunkshape[0] = CHUNK;
    p->blockshape[0] = BLOCK;
}

// Numbers, so that there are blocks; chunk 1 of a new array of those parameters.
static void *
chunk_of(const tess_params *p, size_t *size)
{
    const tess_storage storage = storage_at(NULL, TESS_MODE_NEW);
    const size_t typesize = (size_t)tess_dtype_parse(p->dtype).size;
    const size_t nbytes = (size_t)p->shape[0] * typesize;
    uint8_t *const items = malloc(nbytes);
    tess_array *a;
    void *chunk;
    for (size_t i = 0; i < nbytes; i++)
        items[i] = (uint8_t)(i % typesize ? 0 : i / typesize * i / 90);
    ok(tess_array_from(&storage, p, items, nbytes, &a, err));
    ok(tess_array_get_chunk(a, 1, &chunk, size, err));
    tess_array_discard(a);
    free(items);
    return chunk;
}

static void
refuses(void **state)
{
    static const struct {
        const char *what;
        int at, value; // of a byte; at < 0: none
        int more; // bytes
        tess_status want;
    } cases[] = {
        {"as it is", -1, 0, 0, TESS_OK},
        {"a byte is missing", -1, 0, -1, TESS_ERR_CORRUPT},
        {"a byte too many", -1, 0, 1, TESS_OK},
        {"a version of the future", 0, 99, 0, TESS_ERR_UNSUPPORTED},
        {"a version of Blosc 1", 0, 2, 0, TESS_ERR_UNSUPPORTED},
        {"an alpha", 0, 3, 0, TESS_ERR_UNSUPPORTED},
        {"no extended header", 2, 0x20, 0, TESS_ERR_CORRUPT},
        {"items of 2 bytes", 3, 2, 0, TESS_ERR_ARG},
        {"fewer bytes", 5, 1, 0, TESS_ERR_ARG},
        {"larger blocks", 8, BLOCK * 4 + 4, 0, TESS_ERR_ARG},
        {"a codec that nobody has", 2, 0xc5, 0, TESS_ERR_UNSUPPORTED},
        {"a filter that nobody has", 21, 99, 0, TESS_ERR_UNSUPPORTED},
        {"a block outside", 34, 1, 0, TESS_ERR_CORRUPT},
        {"a lazy chunk", 31, 8, 0, TESS_ERR_CORRUPT},
    };
    const tess_storage storage = storage_at(NULL, TESS_MODE_NEW);
    struct reference want;
    tess_params p;
    tess_array *a;
    size_t size;

    (void)state;
    params_for(&p);
    uint8_t *const chunk = chunk_of(&p, &size);
    uint8_t *const changed = malloc(size + 1);
    ok(tess_array_zeros(&storage, &p, &a, err));
    reference_init(&want, 1, p.shape, 4);
    for (size_t i = 0; i < COUNT(cases); i++) {
        tess_error why;
        memcpy(changed, chunk, size);
        changed[size] = 0;
        if (cases[i].at >= 0)
            changed[cases[i].at] = (uint8_t)cases[i].value;
        const tess_status st = tess_array_set_chunk(
            a, 0, changed, (size_t)((int64_t)size + cases[i].more), TESS_CHUNK_TRUSTED, &why);
        if (st != cases[i].want)
            fail_msg("%s: %s (%s)", cases[i].what, tess_status_name(st),
                     st != TESS_OK ? why.message : "");
        if (st != TESS_OK) {
            check_error(&why, cases[i].want, cases[i].what);
            check_array(a, &want);
        } else {
            static const int32_t zeros[CHUNK];
            const int64_t start = 0, stop = CHUNK;
            ok(tess_array_write(a, &start, &stop, zeros, sizeof zeros, err));
        }
    }
    reference_finish(&want);
    free(changed);
    tess_free(chunk);
    tess_array_discard(a);
}

// Stored bytes that do not go with the array, though they are a chunk.
static void
refuses_other_arrays(void **state)
{
    static const struct {
        const char *what, *dtype;
        int64_t chunk, block;
        tess_status want;
    } cases[] = {
        {"the same", "<i4", CHUNK, BLOCK, TESS_OK},
        {"wider items", "<i8", CHUNK / 2, BLOCK / 2, TESS_ERR_ARG},
        {"larger chunks", "<i4", CHUNK + BLOCK, BLOCK, TESS_ERR_ARG},
        {"smaller blocks", "<i4", CHUNK, BLOCK / 2, TESS_ERR_ARG},
        {"another type of the same width", "<f4", CHUNK, BLOCK, TESS_OK},
    };
    const tess_storage storage = storage_at(NULL, TESS_MODE_NEW);
    tess_params p;
    tess_array *a;

    (void)state;
    params_for(&p);
    ok(tess_array_zeros(&storage, &p, &a, err));
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t size;
        params_for(&p);
        p.dtype = cases[i].dtype;
        p.chunkshape[0] = cases[i].chunk;
        p.blockshape[0] = cases[i].block;
        void *const chunk = chunk_of(&p, &size);
        const tess_status st = tess_array_set_chunk(a, 0, chunk, size, TESS_CHUNK_UNTRUSTED, NULL);
        if (st != cases[i].want)
            fail_msg("%s: %s", cases[i].what, tess_status_name(st));
        tess_free(chunk);
    }
    tess_array_discard(a);
}

// Each byte of a chunk becomes others: it is refused, and nothing changes, or what it holds can be
// read.
static void
mutations(void **state)
{
    static const uint8_t masks[] = {0x01, 0x80, 0xff, 0x10};
    const tess_codec codecs[] = {TESS_CODEC_LZ4, TESS_CODEC_ZSTD, TESS_CODEC_BLOSCLZ};
    const int64_t start = 0, stop = ITEMS;
    int32_t before[ITEMS], after[ITEMS];
    int64_t taken = 0, not_taken = 0;

    (void)state;
    for (size_t c = 0; c < COUNT(codecs); c++) {
        const tess_storage storage = storage_at(NULL, TESS_MODE_NEW);
        tess_params p;
        tess_array *a;
        size_t size;
        params_for(&p);
        p.codec = codecs[c];
        uint8_t *const chunk = chunk_of(&p, &size);
        ok(tess_array_zeros(&storage, &p, &a, err));
        ok(tess_array_set_chunk(a, 1, chunk, size, TESS_CHUNK_UNTRUSTED, err));
        ok(tess_array_read(a, &start, &stop, before, sizeof before, err));
        for (size_t i = 0; i < size * COUNT(masks); i++) {
            uint8_t *const exact = malloc(size); // where a sanitizer sees one too many
            memcpy(exact, chunk, size);
            exact[i / COUNT(masks)] ^= masks[i % COUNT(masks)];
            const tess_status st =
                tess_array_set_chunk(a, 1, exact, size, TESS_CHUNK_UNTRUSTED, NULL);
            free(exact);
            ok(tess_array_read(a, &start, &stop, after, sizeof after, err));
            if (st == TESS_OK) {
                ok(tess_array_set_chunk(a, 1, chunk, size, TESS_CHUNK_TRUSTED, err));
                ok(tess_array_read(a, &start, &stop, after, sizeof after, err));
            }
            assert_memory_equal(before, after, sizeof before);
            taken += st == TESS_OK;
            not_taken += st != TESS_OK;
        }
        tess_free(chunk);
        tess_array_discard(a);
    }
    assert_true(taken > 0 && not_taken > 100);
}

// A chunk whose bytes on the disk are not what their checksum says is not handed out.
static void
checks_checksums(void **state)
{
    const char *const path = files_path("x");
    const tess_storage storage = storage_at(path, TESS_MODE_NEW);
    tess_storage reading = storage_at(path, TESS_MODE_READ);
    tess_params p;
    tess_array *a;
    size_t size, file_size, n;
    void *chunk;

    (void)state;
    params_for(&p);
    ok(tess_array_zeros(&storage, &p, &a, err));
    uint8_t *const stored = chunk_of(&p, &size);
    ok(tess_array_set_chunk(a, 1, stored, size, TESS_CHUNK_TRUSTED, err));
    ok(tess_array_close(a, err));
    uint8_t *const file = files_read(path, &file_size);
    size_t at = 0;
    while (memcmp(file + at, stored, size) != 0)
        at++;
    file[at + size - 1] ^= 1;
    files_write(path, file, file_size);

    for (int verified = 0; verified < 2; verified++) {
        reading.checksums = verified ? TESS_CHECKSUMS_VERIFY : TESS_CHECKSUMS_WRITE;
        ok(tess_array_open(&reading, &a, err));
        refused(TESS_ERR_CORRUPT, tess_array_get_chunk(a, 1, &chunk, &n, err));
        assert_null(chunk);
        assert_int_equal(n, 0);
        ok(tess_array_get_chunk(a, 0, &chunk, &n, err));
        assert_int_equal(n, HEADER_SIZE);
        tess_free(chunk);
        ok(tess_array_close(a, err));
    }
    free(file);
    tess_free(stored);
}

// What was read of a chunk, or written to it and waits, is nothing once the chunk is replaced.
static void
replaces_what_waits(void **state)
{
    const tess_storage storage = storage_at(NULL, TESS_MODE_NEW);
    const int64_t start = CHUNK + 3, stop = CHUNK + 4;
    const int32_t mine = -5;
    struct reference want;
    tess_params p;
    tess_array *a;
    tess_info info;
    size_t size;
    int32_t item;

    (void)state;
    params_for(&p);
    uint8_t *const chunk = chunk_of(&p, &size);
    ok(tess_array_zeros(&storage, &p, &a, err));
    ok(tess_array_set_chunk(a, 1, chunk, size, TESS_CHUNK_UNTRUSTED, err));
    reference_init(&want, 1, p.shape, 4);
    ok(tess_array_read(a, (int64_t[]){0}, p.shape, want.data, reference_size(&want), err));
    ok(tess_array_write(a, &start, &stop, &mine, sizeof mine, err));
    tess_array_info(a, &info);
    assert_true(info.cache_dirty > 0);
    ok(tess_array_read(a, &start, &stop, &item, sizeof item, err));
    assert_int_equal(item, mine);
    ok(tess_array_set_chunk(a, 1, chunk, size, TESS_CHUNK_UNTRUSTED, err));
    check_array(a, &want);
    ok(tess_array_flush(a, err));
    check_array(a, &want);
    reference_finish(&want);
    tess_free(chunk);
    tess_array_discard(a);
}

static void
arguments(void **state)
{
    const tess_storage storage = storage_at(files_path("x"), TESS_MODE_NEW);
    const tess_storage reading = storage_at(files_path("x"), TESS_MODE_READ);
    const int64_t zero = 0, one = 1, far = ITEMS + 1;
    tess_chunk_run run, short_run;
    tess_params p;
    tess_array *a, *v;
    size_t size = 1, n = 7;
    void *got = &n;
    uint8_t small[40], item;

    (void)state;
    params_for(&p);
    uint8_t *const chunk = chunk_of(&p, &size);
    ok(tess_array_zeros(&storage, &p, &a, err));
    ok(tess_array_set_chunk(a, 1, chunk, size, TESS_CHUNK_UNTRUSTED, err));
    tess_chunk_run_init(&run);
    refused(TESS_ERR_ARG, tess_array_next_chunk(NULL, NULL, NULL, 0, 1, &run, err));
    refused(TESS_ERR_ARG, tess_array_next_chunk(a, NULL, &one, 0, 1, &run, err));
    refused(TESS_ERR_ARG, tess_array_next_chunk(a, &zero, &far, 0, 1, &run, err));
    refused(TESS_ERR_ARG, tess_array_next_chunk(a, NULL, NULL, -1, 1, &run, err));
    refused(TESS_ERR_ARG, tess_array_next_chunk(a, NULL, NULL, 0, 0, &run, err));
    refused(TESS_ERR_ARG, tess_array_next_chunk(a, NULL, NULL, 0, 64, &run, err));
    refused(TESS_ERR_ARG, tess_array_next_chunk(a, NULL, NULL, 0, 1, NULL, err));
    short_run = run;
    short_run.struct_size--;
    refused(TESS_ERR_ARG, tess_array_next_chunk(a, NULL, NULL, 0, 1, &short_run, err));
    run.item = &item;
    run.item_size = 1;
    refused(TESS_ERR_ARG, tess_array_next_chunk(a, NULL, NULL, 0, 1, &run, err));

    refused(TESS_ERR_ARG, tess_array_get_chunk(a, -1, &got, &n, err));
    refused(TESS_ERR_ARG, tess_array_get_chunk(a, 3, &got, &n, err));
    refused(TESS_ERR_ARG, tess_array_get_chunk(NULL, 0, &got, &n, err));
    refused(TESS_ERR_ARG, tess_array_get_chunk(a, 0, NULL, &n, err));
    refused(TESS_ERR_ARG, tess_array_get_chunk(a, 0, &got, NULL, err));
    assert_null(got);
    refused(TESS_ERR_ARG, tess_array_copy_chunk(a, 1, small, sizeof small, &n, err));
    assert_int_equal(n, size);
    refused(TESS_ERR_ARG, tess_array_copy_chunk(a, 1, NULL, 0, &n, err));
    assert_int_equal(n, size);
    refused(TESS_ERR_ARG, tess_array_copy_chunk(a, 1, NULL, 9, &n, err));
    refused(TESS_ERR_ARG, tess_array_copy_chunk(a, 3, small, sizeof small, &n, err));
    assert_int_equal(n, 0);

    refused(TESS_ERR_ARG, tess_array_set_chunk(a, 3, chunk, size, TESS_CHUNK_TRUSTED, err));
    refused(TESS_ERR_ARG, tess_array_set_chunk(a, 1, NULL, size, TESS_CHUNK_TRUSTED, err));
    refused(TESS_ERR_ARG, tess_array_set_chunk(a, 1, chunk, size, (tess_chunk_trust)2, err));
    ok(tess_array_view_expand(a, 0, &v, err));
    tess_chunk_run_init(&run);
    refused(TESS_ERR_ARG, tess_array_next_chunk(v, NULL, NULL, 0, 1, &run, err));
    refused(TESS_ERR_ARG, tess_array_set_chunk(v, 0, chunk, size, TESS_CHUNK_TRUSTED, err));
    ok(tess_array_close(v, err));
    ok(tess_array_close(a, err));
    ok(tess_array_open(&reading, &a, err));
    refused(TESS_ERR_ARG, tess_array_set_chunk(a, 1, chunk, size, TESS_CHUNK_TRUSTED, err));
    ok(tess_array_close(a, err));
    tess_free(chunk);
}

// Whether the chunks of a view are those of an array; false: it refuses them.
static bool
has_chunks_of(const tess_array *view, const tess_array *a)
{
    uint8_t read[4 * 64], other[4 * 64];
    tess_info info;
    tess_array_info(a, &info);
    for (int64_t i = 0; i < info.nchunks; i++) {
        tess_chunk_info own, of_array;
        void *x, *y;
        size_t x_size, y_size;
        if (tess_array_get_chunk(view, i, &x, &x_size, NULL) != TESS_OK) {
            refused(TESS_ERR_ARG, tess_array_chunk(view, i, &own, err));
            refused(TESS_ERR_ARG, tess_schunk_decode(view, i, read, sizeof read, err));
            return false;
        }
        ok(tess_array_get_chunk(a, i, &y, &y_size, err));
        assert_int_equal(x_size, y_size);
        assert_memory_equal(x, y, x_size);
        ok(tess_array_copy_chunk(view, i, x, x_size, &y_size, err));
        assert_memory_equal(x, y, x_size);
        ok(tess_array_chunk(view, i, &own, err));
        ok(tess_array_chunk(a, i, &of_array, err));
        assert_int_equal(own.cbytes, of_array.cbytes);
        ok(tess_schunk_decode(view, i, read, sizeof read, err));
        ok(tess_schunk_decode(a, i, other, sizeof other, err));
        assert_memory_equal(read, other, (size_t)own.nbytes);
        tess_free(x);
        tess_free(y);
    }
    return true;
}

static void
chunks_of_views(void **state)
{
    const tess_storage storage = storage_at(NULL, TESS_MODE_NEW);
    const int64_t none[3] = {0, 0, 0}, all[3] = {5, 1, 40}, less[3] = {5, 1, 39};
    const int64_t backwards[3] = {-1, 1, 1}, last[3] = {4, 0, 0}, before[3] = {-1, 1, 40};
    const int turned[3] = {2, 1, 0}, same[3] = {1, 0, 2}; // an axis of length 1 has no order
    int32_t items[5 * 40];
    tess_array *a, *squeezed, *both, *v;
    tess_params p;
    (void)state;
    tess_params_init(&p);
    p.dtype = "<i4";
    p.ndim = 3;
    memcpy(p.shape, all, sizeof all);
    memcpy(p.chunkshape, (int64_t[]){4, 1, 16}, sizeof all);
    memcpy(p.blockshape, (int64_t[]){2, 1, 8}, sizeof all);
    for (int i = 0; i < 5 * 40; i++)
        items[i] = i * i;
    ok(tess_array_from(&storage, &p, items, sizeof items, &a, err));

    ok(tess_array_view_squeeze(a, 1, &squeezed, err));
    assert_true(has_chunks_of(squeezed, a));
    ok(tess_array_view_expand(squeezed, 0, &both, err));
    assert_true(has_chunks_of(both, a));
    ok(tess_array_view_slice(a, none, all, NULL, &v, err));
    assert_true(has_chunks_of(v, a));
    ok(tess_array_close(v, err));
    ok(tess_array_view_permute(a, same, &v, err));
    assert_true(has_chunks_of(v, a));
    ok(tess_array_close(v, err));
    ok(tess_array_view_slice(a, none, less, NULL, &v, err));
    assert_false(has_chunks_of(v, a));
    ok(tess_array_close(v, err));
    ok(tess_array_view_slice(a, last, before, backwards, &v, err));
    assert_false(has_chunks_of(v, a));
    ok(tess_array_close(v, err));
    ok(tess_array_view_permute(a, turned, &v, err));
    assert_false(has_chunks_of(v, a));
    ok(tess_array_close(v, err));

    ok(tess_array_set_item(squeezed, (int64_t[]){3, 3}, &(int32_t){-7}, sizeof(int32_t), err));
    assert_true(has_chunks_of(both, a)); // what waits in the cache is stored first
    ok(tess_array_resize(a, (int64_t[]){6, 1, 40}, err));
    assert_false(has_chunks_of(both, a)); // they are of an array that was
    ok(tess_array_close(both, err));
    ok(tess_array_close(squeezed, err));
    ok(tess_array_close(a, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves),
        cmocka_unit_test(chunks_of_views),
        cmocka_unit_test(finds),
        cmocka_unit_test(finds_in_long_lists),
        cmocka_unit_test(finds_in_files_of_others),
        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_other_arrays),
        cmocka_unit_test(mutations),
        cmocka_unit_test_setup_teardown(checks_checksums, files_setup, files_teardown),
        cmocka_unit_test(replaces_what_waits),
        cmocka_unit_test_setup_teardown(arguments, files_setup, files_teardown),
    };
    return cmocka_run_group_tests_name("chunks_stored", tests, NULL, NULL);
}
