/*
 * frame_free_space.c - tests of frame/free_space: frames of many chunks, opened again and again.
 *
 * What is promised: opening reads no chunk; appending looks at a bounded number, whatever the
 * sessions; the file stays within 1.25 of what its chunks take and 1 MiB, whatever is overwritten
 * or appended, in however many sessions, and far closer if nothing is overwritten; chunks that
 * share bytes come to no harm.
 */
#include "chunk/content.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/flat.h"
#include "frame/chunks/stored.h"
#include "frame/commit/change.h"
#include "frame/commit/commit.h"
#include "frame/format/index.h"
#include "frame/frame.h"
#include "frame/private.h"
#include "io/io.h"
#include "io/memory.h"
#include "support/hex.h"
#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CHUNKSIZE = 4096, FEW = 200, MANY = 1000, MOST = 2000 };

// A file in memory that outlives its frames and counts what is read.
struct counter {
    struct io io;
    struct io *inner;
    int64_t reads;
};

static struct counter *
counter_of(struct io *io)
{
    return (struct counter *)io;
}

static tess_status
counter_read(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    counter_of(io)->reads++;
    return io_read(counter_of(io)->inner, offset, dst, size, err);
}

static tess_status
counter_write(struct io *io, int64_t offset, const void *src, size_t size, tess_error *err)
{
    return io_write(counter_of(io)->inner, offset, src, size, err);
}

static const uint8_t *
counter_view(struct io *io, int64_t offset, size_t size)
{
    (void)io;
    (void)offset;
    (void)size;
    return NULL;
}

static tess_status
counter_size(struct io *io, int64_t *size, tess_error *err)
{
    return io_size(counter_of(io)->inner, size, err);
}

static tess_status
counter_truncate(struct io *io, int64_t size, tess_error *err)
{
    return io_truncate(counter_of(io)->inner, size, err);
}

static tess_status
counter_sync(struct io *io, tess_error *err)
{
    return io_sync(counter_of(io)->inner, err);
}

static void
counter_close(struct io *io)
{
    (void)io;
}

static const struct io_ops counter_ops = {
    .read = counter_read,
    .write = counter_write,
    .view = counter_view,
    .size = counter_size,
    .truncate = counter_truncate,
    .sync = counter_sync,
    .close = counter_close,
};

struct file {
    struct counter c;
    struct frame *f;
    struct random r;
    int numbers[MOST]; // of the chunks' contents
    int32_t sizes[MOST]; // stored bytes
    int64_t nchunks;
    int next;
};

static void
fill(int number, uint8_t *dst)
{
    struct random r;
    memset(dst, 0, CHUNKSIZE);
    random_init(&r, (uint64_t)number);
    random_bytes(&r, dst, CHUNKSIZE / 2 + random_below(&r, CHUNKSIZE / 2));
}

static tess_status
put(struct file *t, int64_t n)
{
    uint8_t content[CHUNKSIZE], *chunk;
    int32_t size;
    const int number = t->next++;

    fill(number, content);
    assert_int_equal(chunk_of_bytes(content, CHUNKSIZE, CHUNKSIZE, &chunk, &size, NULL), TESS_OK);
    frame_begin(t->f);
    const tess_status st = frame_put(t->f, NULL, n, chunk, size, NULL);
    free(chunk);
    if (st != TESS_OK) {
        frame_undo(t->f);
        return st;
    }
    frame_keep(t->f);
    t->numbers[n] = number;
    t->sizes[n] = size;
    return TESS_OK;
}

static void
append(struct file *t)
{
    frame_begin(t->f);
    assert_int_equal(frame_set_length(t->f, t->nchunks + 1, SPECIAL_ZEROS, NULL), TESS_OK);
    frame_keep(t->f);
    assert_int_equal(put(t, t->nchunks++), TESS_OK);
}

static void
check(struct file *t, int64_t n)
{
    struct chunk_scratch scratch = {0};
    struct chunk_cursor cur;
    struct stored_chunk sc;
    uint8_t content[CHUNKSIZE], expected[CHUNKSIZE];

    assert_int_equal(stored_chunk_open(&sc, t->f, n, &scratch, NULL), TESS_OK);
    assert_int_equal(cursor_init(&cur, &sc.chunk, &sc.bytes, &scratch, NULL), TESS_OK);
    assert_int_equal(cursor_read(&cur, 0, content, CHUNKSIZE, NULL), TESS_OK);
    cursor_finish(&cur);
    stored_chunk_close(&sc);
    scratch_finish(&scratch);
    fill(t->numbers[n], expected);
    assert_memory_equal(content, expected, CHUNKSIZE);
}

static void
check_all(struct file *t)
{
    assert_int_equal(t->f->index.nchunks, t->nchunks);
    for (int64_t n = 0; n < t->nchunks; n++)
        check(t, n);
}

static void
check_size(struct file *t, bool appended_only)
{
    int64_t size, live = 0;
    for (int64_t n = 0; n < t->nchunks; n++)
        live += t->sizes[n];
    assert_int_equal(io_size(&t->c.io, &size, NULL), TESS_OK);
    if (size > live + (appended_only ? live / 16 + (1 << 16) : live / 4 + (1 << 20)))
        fail_msg("a file of %" PRId64 " bytes, its chunks have %" PRId64, size, live);
}

static void
commit(struct file *t)
{
    tess_error err;
    if (frame_commit(t->f, &err) != TESS_OK)
        fail_msg("%s", err.message);
}

static void
reopen(struct file *t)
{
    const struct frame_options options = {.durability = TESS_DURABILITY_ORDERED};
    tess_error err;
    frame_close(t->f);
    t->c.reads = 0;
    if (frame_open(&t->c.io, true, &options, &t->f, &err) != TESS_OK)
        fail_msg("%s", err.message);
}

static void
begin(struct file *t, int nchunks)
{
    const struct frame_header h = {
        .typesize = 8, .blocksize = CHUNKSIZE, .chunksize = CHUNKSIZE, .clevel = 5, .split = 3};
    const struct frame_options options = {.durability = TESS_DURABILITY_ORDERED};
    struct layers metas = {0};

    *t = (struct file){.c = {.io = {.ops = &counter_ops, .writable = true}}, .next = 1};
    random_init(&t->r, random_seed());
    assert_int_equal(io_memory_new(NULL, 0, &t->c.inner, NULL), TESS_OK);
    assert_int_equal(frame_create(&t->c.io, &h, &metas, 0, SPECIAL_ZEROS, &options, &t->f, NULL),
                     TESS_OK);
    commit(t); // the first chunk comes behind an empty trailer
    for (int i = 0; i < nchunks; i++)
        append(t);
    commit(t);
}

static void
end(struct file *t)
{
    frame_close(t->f);
    io_close(t->c.inner);
}

// Opening reads the same few pieces whatever the number of chunks; so does appending.
static void
opens_without_chunks(void **state)
{
    static struct file t;

    (void)state;
    begin(&t, MANY);
    reopen(&t);
    assert_true(t.c.reads < 12);
    append(&t);
    append(&t);
    commit(&t);
    assert_true(t.c.reads < 24);
    reopen(&t);
    check_all(&t);
    end(&t);
}

// Of a few, all are looked at when the first one is stored, and not before.
static void
few_chunks(void **state)
{
    static struct file t;

    (void)state;
    begin(&t, FEW);
    reopen(&t);
    assert_true(t.c.reads < 12);
    frame_begin(t.f);
    assert_int_equal(frame_put_special(t.f, NULL, 3, SPECIAL_ZEROS, NULL), TESS_OK);
    frame_undo(t.f);
    assert_true(t.c.reads < 12);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(put(&t, i), TESS_OK);
        commit(&t);
        assert_true(t.f->old.end == 0);
    }
    check_size(&t, false);
    reopen(&t);
    check_all(&t);
    end(&t);
}

// Sessions that overwrite `share` chunks each, in `commits` commits.
static void
run(int share, int commits, int appended, int sessions)
{
    static struct file t;

    begin(&t, MANY);
    for (int i = 0; i < sessions; i++) {
        reopen(&t);
        for (int k = 0; k < commits; k++) {
            const int64_t reads = t.c.reads;
            for (int n = 0; n < share; n++)
                assert_int_equal(put(&t, (int64_t)random_below(&t.r, (uint64_t)t.nchunks)),
                                 TESS_OK);
            for (int n = 0; n < appended; n++)
                append(&t);
            assert_true(share > 0 || t.c.reads < reads + 16);
            for (int n = 0; n < 20; n++) // also what is not written yet
                check(&t, (int64_t)random_below(&t.r, (uint64_t)t.nchunks));
            commit(&t);
            check_size(&t, share == 0);
        }
        if (i % (8 + sessions / 8) == 0)
            check_all(&t);
    }
    reopen(&t);
    check_all(&t);
    end(&t);
}

static void
size_stays(void **state)
{
    (void)state;
    run(MANY / 40, 1, 0, 60); // each alone would not be worth it
    run(MANY / 10, 3, 0, 5);
    run(0, 1, 10, 60);
    run(0, 1, 1, 500);
    run(1, 1, 0, 900);
    run(20, 2, 5, 30);
}

// Places that share a chunk: whatever is overwritten, what is not stays.
static void
shared_chunks(void **state)
{
    static struct file t;
    struct frame_index list = {0};
    bool kept[MANY];
    int refused = 0;

    (void)state;
    begin(&t, MANY);
    index_init_uniform(&list, MANY, SPECIAL_ZEROS);
    for (int64_t n = 0; n < MANY; n++) {
        const int64_t from = n % 100 == 1 ? n - 1 : n;
        kept[n] = true;
        assert_int_equal(index_set(&list, n, index_get(&t.f->index, from), NULL), TESS_OK);
        t.numbers[n] = t.numbers[from];
    }
    frame_begin(t.f);
    assert_int_equal(frame_rearrange(t.f, &list, kept, NULL), TESS_OK);
    frame_keep(t.f);
    commit(&t);
    for (int i = 0; i < 30; i++) {
        reopen(&t);
        for (int n = 0; n < 60; n++) {
            const tess_status st = put(&t, (int64_t)random_below(&t.r, MANY));
            assert_true(st == TESS_OK || st == TESS_ERR_CORRUPT);
            refused += st != TESS_OK;
        }
        commit(&t);
        if (i % 5 == 0)
            check_all(&t);
    }
    check_all(&t);
    assert_true(refused > 0);
    end(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_without_chunks),
        cmocka_unit_test(few_chunks),
        cmocka_unit_test(size_stays),
        cmocka_unit_test(shared_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
