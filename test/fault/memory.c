/*
 * memory.c - what a write into chunks of 64 MiB takes of memory, and what is left if it fails; what
 * opening an array of many small chunks takes.
 *
 * Linked with the static library and -Wl,--wrap for the functions below, so what the library
 * allocates is counted. A file that may not grow any more makes writes fail half-way.
 */
#include "support/files.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

// -- counting

static atomic_long live, peak;

static void *
count(void *p)
{
    if (p) {
        const long now =
            atomic_fetch_add(&live, (long)malloc_usable_size(p)) + (long)malloc_usable_size(p);
        long most = atomic_load(&peak);
        while (now > most && !atomic_compare_exchange_weak(&peak, &most, now))
            ;
    }
    return p;
}

static void
discount(void *p)
{
    atomic_fetch_sub(&live, p ? (long)malloc_usable_size(p) : 0);
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);

void *
__wrap_malloc(size_t size)
{
    return count(__real_malloc(size));
}

void *
__wrap_calloc(size_t n, size_t size)
{
    return count(__real_calloc(n, size));
}

void *
__wrap_realloc(void *p, size_t size)
{
    const long before = p ? (long)malloc_usable_size(p) : 0;
    void *const q = __real_realloc(p, size);
    if (q)
        atomic_fetch_sub(&live, before);
    return count(q);
}

void
__wrap_free(void *p)
{
    discount(p);
    __real_free(p);
}

// -- what is written

enum { SIDE = 4096, COLUMNS = SIDE + 100 }; // two chunks of 64 MiB, 256 blocks of 256 KiB each

#define MOST (12L << 20) // bytes: some blocks for each of two threads, nothing like a chunk

struct subject {
    tess_storage storage;
    tess_context context;
    tess_array *a;
    struct reference want;
    bool bounded; // not in memory itself
};

static void
smooth(struct reference *r, uint32_t seed)
{
    uint32_t *const items = (uint32_t *)r->data;
    for (uint32_t i = 0; i < (uint32_t)r->shape[0]; i++)
        for (uint32_t j = 0; j < (uint32_t)r->shape[1]; j++)
            items[(size_t)i * (size_t)r->shape[1] + j] = seed + (i >> 3) * 7 + (j >> 2);
}

static void
begin(struct subject *s, const char *name, tess_layout layout)
{
    tess_params p;
    tess_context_init(&s->context);
    s->context.threads = 2;
    tess_storage_init(&s->storage);
    s->storage.path = name ? files_path(name) : NULL;
    s->storage.context = &s->context;
    s->storage.mode = TESS_MODE_REPLACE;
    s->bounded = name != NULL;

    reference_init(&s->want, 2, (const int64_t[]){SIDE, COLUMNS}, sizeof(uint32_t));
    smooth(&s->want, 1);
    tess_params_init(&p);
    p.layout = layout;
    p.typesize = sizeof(uint32_t);
    p.ndim = 2;
    p.shape[0] = SIDE;
    p.shape[1] = COLUMNS;
    p.chunkshape[0] = p.chunkshape[1] = SIDE;
    p.blockshape[0] = p.blockshape[1] = 256;
    p.codec = TESS_CODEC_LZ4;
    atomic_store(&peak, atomic_load(&live));
    const long before = atomic_load(&live);
    ok(tess_array_from(&s->storage, &p, s->want.data, reference_size(&s->want), &s->a, err));
    if (s->bounded)
        assert_in_range(atomic_load(&peak) - before, 1 << 18, MOST); // and it is counted
    check_array(s->a, &s->want);
}

static tess_status
put(struct subject *s, const int64_t *stop, const void *src, tess_error *err)
{
    static const int64_t start[2] = {0, 0};
    const size_t size = (size_t)(stop[0] * stop[1]) * sizeof(uint32_t);
    const long before = atomic_load(&live);
    atomic_store(&peak, before);
    const tess_status st = tess_array_write(s->a, start, stop, src, size, err);
    if (s->bounded)
        assert_in_range(atomic_load(&peak) - before, 0, MOST);
    return st;
}

// Write a box that begins at the origin.
static void
write_box(struct subject *s, int64_t rows, int64_t columns, const struct reference *from)
{
    const int64_t start[2] = {0, 0}, stop[2] = {rows, columns};
    ok(put(s, stop, from->data, err));
    reference_set(&s->want, start, stop, from->data);
    check_array(s->a, &s->want);
}

// The disk is full after some of the new bytes.
static void
fail_to_write(struct subject *s, const struct reference *from)
{
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit limit = {.rlim_cur = 1 << 17, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);

    tess_error err;
    const tess_status st = put(s, (const int64_t[]){SIDE, SIDE}, from->data, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(st, TESS_ERR_IO);
    check_array(s->a, &s->want);
}

static void
change(struct subject *s)
{
    struct reference from;
    struct random random;
    const int64_t whole[2] = {SIDE, SIDE};
    reference_init(&from, 2, whole, sizeof(uint32_t));

    smooth(&from, 12345);
    write_box(s, 1, 1, &from);
    write_box(s, 300, 1, &from);
    write_box(s, 1, COLUMNS, &from);
    if (s->bounded)
        fail_to_write(s, &from);
    write_box(s, SIDE, SIDE, &from);
    random_init(&random, random_seed());
    random_bytes(&random, from.data, reference_size(&from));
    write_box(s, SIDE, SIDE, &from); // plain bytes are smaller
    write_box(s, 2, 2, &from);
    memset(from.data, 0, reference_size(&from));
    write_box(s, SIDE - 1, SIDE, &from); // one row is not zero
    write_box(s, SIDE, SIDE, &from); // no bytes at all
    smooth(&from, 99);
    write_box(s, SIDE, SIDE, &from);
    reference_finish(&from);
}

static void
play(const char *name, tess_layout layout)
{
    struct subject s = {0};
    begin(&s, name, layout);
    change(&s);
    if (name) {
        ok(tess_array_close(s.a, err));
        s.storage.mode = TESS_MODE_READ;
        ok(tess_array_open(&s.storage, &s.a, err));
        check_array(s.a, &s.want);
    }
    ok(tess_array_close(s.a, err));
    reference_finish(&s.want);
}

static void
in_a_file(void **state)
{
    (void)state;
    play("large.b2nd", TESS_LAYOUT_CONTIGUOUS);
}

static void
in_a_directory(void **state)
{
    (void)state;
    play("large.b2d", TESS_LAYOUT_SPARSE);
}

static void
in_memory(void **state)
{
    (void)state;
    play(NULL, TESS_LAYOUT_CONTIGUOUS);
}

// The list of chunks, and no tables for what may come: of blocks, checksums, free space.
static void
opening(void **state)
{
    enum { NCHUNKS = 16000, ITEMS = 16, LIST = NCHUNKS * 8 };
    const char *const path = files_path("small.b2nd");
    static int32_t items[NCHUNKS * ITEMS];
    struct random random;
    tess_storage storage;
    tess_params p;
    tess_array *a = NULL;

    (void)state;
    random_init(&random, random_seed());
    random_bytes(&random, (uint8_t *)items, sizeof items);
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    tess_params_init(&p);
    p.dtype = "<i4";
    p.ndim = 1;
    p.shape[0] = (int64_t)NCHUNKS * ITEMS;
    p.chunkshape[0] = p.blockshape[0] = ITEMS;
    ok(tess_array_from(&storage, &p, items, sizeof items, &a, err));
    ok(tess_array_close(a, err));
    for (int update = 0; update < 2; update++) {
        const int64_t at = (int64_t)random_below(&random, NCHUNKS * ITEMS), end = at + 1;
        int32_t item = 0;
        storage.mode = update ? TESS_MODE_UPDATE : TESS_MODE_READ;
        const long before = atomic_load(&live);
        atomic_store(&peak, before);
        ok(tess_array_open(&storage, &a, err));
        ok(tess_array_read(a, &at, &end, &item, sizeof item, err));
        assert_int_equal(item, items[at]);
        const long most = atomic_load(&peak) - before;
        if (most > 2 * LIST)
            fail_msg("%ld bytes to open an array whose list has %d", most, LIST);
        ok(tess_array_close(a, err));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(opening, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(in_a_file, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(in_a_directory, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(in_memory, files_setup, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
