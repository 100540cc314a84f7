/*
 * frame_commit.c - tests of frame: random changes and commits against a list in memory, and every
 * moment of them as if the program, or the machine, had stopped there.
 *
 * All writes go through an io that writes them down. Played back up to any point, they must give a
 * frame that opens, and holds what the last header that was written stands for. Where the frame
 * syncs, any of the writes since the last sync may be missing, or be cut off; of those of the
 * header any sector may be missing, but none is cut.
 */
#include "chunk/encode/flat.h"
#include "frame/commit/commit.h"
#include "frame/frame.h"

#include "chunk/content.h"
#include "chunk/encode/encode.h"
#include "frame/chunks/stored.h"
#include "frame/commit/change.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/load.h"
#include "frame/private.h"
#include "frame/query.h"
#include "io/io.h"
#include "io/memory.h"
#include "meta/layers.h"
#include "support/hex.h"
#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CHUNKSIZE = 512,
    TYPESIZE = 8,
    CHUNKS = 24,
    COMMITS = 60,
    NOTE_SIZE = 12,
    WIDE_NOTE_SIZE = 1500, // a header of four sectors
    SECTOR = 512,
};

// -- an io that writes down what it is told

enum kind { WRITE, TRUNCATE, SYNC };

struct op {
    enum kind kind;
    int64_t offset; // TRUNCATE: the size
    size_t size;
    uint8_t *bytes;
    int state; // a write of the header: the state that is current after it, else -1
};

struct story;

struct diary {
    struct io io;
    struct io *inner;
    struct story *story;
    struct op *ops;
    size_t nops, capacity;
    int fail_in; // operations until one fails; 0: none does
};

// Which state a header makes current that was written just now.
static int judge_header(struct story *s);

static struct diary *
diary_of(struct io *io)
{
    return (struct diary *)io;
}

static void
note(struct diary *d, struct op op, const void *bytes)
{
    if (d->nops == d->capacity) {
        d->capacity = 2 * d->capacity + 64;
        d->ops = realloc(d->ops, d->capacity * sizeof *d->ops);
        assert_non_null(d->ops);
    }
    if (bytes)
        op.bytes = exact_copy(bytes, op.size);
    op.state = -1;
    d->ops[d->nops++] = op;
}

static bool
fails(struct diary *d)
{
    return d->fail_in > 0 && --d->fail_in == 0;
}

static tess_status
diary_read(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    return io_read(diary_of(io)->inner, offset, dst, size, err);
}

static tess_status
diary_write(struct io *io, int64_t offset, const void *src, size_t size, tess_error *err)
{
    struct diary *const d = diary_of(io);
    if (fails(d))
        return err_set(err, TESS_ERR_IO, -1, "the write that is to fail");
    note(d, (struct op){.kind = WRITE, .offset = offset, .size = size}, src);
    const tess_status st = io_write(d->inner, offset, src, size, err);
    if (offset < FRAME_HEADER_SIZE)
        d->ops[d->nops - 1].state = judge_header(d->story);
    return st;
}

static const uint8_t *
diary_view(struct io *io, int64_t offset, size_t size)
{
    (void)io;
    (void)offset;
    (void)size;
    return NULL;
}

static tess_status
diary_size(struct io *io, int64_t *size, tess_error *err)
{
    return io_size(diary_of(io)->inner, size, err);
}

static tess_status
diary_truncate(struct io *io, int64_t size, tess_error *err)
{
    struct diary *const d = diary_of(io);
    if (fails(d))
        return err_set(err, TESS_ERR_IO, -1, "the truncation that is to fail");
    note(d, (struct op){.kind = TRUNCATE, .offset = size}, NULL);
    return io_truncate(d->inner, size, err);
}

static tess_status
diary_sync(struct io *io, tess_error *err)
{
    struct diary *const d = diary_of(io);
    if (fails(d))
        return err_set(err, TESS_ERR_IO, -1, "the sync that is to fail");
    note(d, (struct op){.kind = SYNC}, NULL);
    return TESS_OK;
}

static tess_status
diary_publish(struct io *io, bool durable, tess_error *err)
{
    (void)io;
    (void)durable;
    (void)err;
    return TESS_OK;
}

static void
diary_close(struct io *io)
{
    (void)io; // it outlives frames
}

static const struct io_ops diary_ops = {
    .read = diary_read,
    .write = diary_write,
    .view = diary_view,
    .size = diary_size,
    .truncate = diary_truncate,
    .sync = diary_sync,
    .publish = diary_publish,
    .close = diary_close,
};

static void
diary_init(struct diary *d)
{
    *d = (struct diary){.io = {.ops = &diary_ops, .writable = true}};
    assert_int_equal(io_memory_new(NULL, 0, &d->inner, NULL), TESS_OK);
}

static void
diary_finish(struct diary *d)
{
    for (size_t i = 0; i < d->nops; i++)
        free(d->ops[i].bytes);
    free(d->ops);
    io_close(d->inner);
}

// -- what a frame holds

// Chunks are numbers from which their content follows.
enum { ZEROS = 0, UNINIT = -1, NANS = -2 };

struct state {
    int64_t nchunks;
    int chunks[CHUNKS];
    int note; // content of the metalayer
    size_t note_size;
    int values; // variable-length metalayers
    int value[LAYERS_VL_WRITE_MAX];
};

static void
fill(int number, uint8_t *dst, size_t size)
{
    struct random r;
    static const uint8_t nan[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};

    memset(dst, 0, size);
    for (size_t i = 0; i < size && number == NANS; i++)
        dst[i] = nan[i % 8];
    if (number <= 0)
        return;
    random_init(&r, (uint64_t)number);
    random_bytes(&r, dst, 1 + random_below(&r, size)); // the rest compresses
    memcpy(dst, &number, sizeof number); // no two are equal
}

static size_t
value_size(int number)
{
    return sizeof number + (size_t)number * 37 % 390;
}

static tess_status
open_bytes(const uint8_t *bytes, size_t size, bool writable, struct frame **f, tess_error *err)
{
    const struct frame_options options = {.durability = TESS_DURABILITY_NONE,
                                          .checksums = TESS_CHECKSUMS_VERIFY};
    struct io *io;
    assert_int_equal(writable ? io_memory_new(bytes, size, &io, NULL)
                              : io_memory_view(bytes, size, &io, NULL),
                     TESS_OK);
    return frame_open(io, writable, &options, f, err);
}

static enum chunk_special
special_of(int number)
{
    return number == ZEROS ? SPECIAL_ZEROS : number == UNINIT ? SPECIAL_UNINIT : SPECIAL_NANS;
}

static const char *
compare_chunk(const struct frame *f, int64_t n, int number)
{
    static char text[400];
    struct chunk_scratch scratch = {0};
    struct chunk_cursor cur = {0};
    struct stored_chunk sc;
    uint8_t content[CHUNKSIZE], expected[CHUNKSIZE];
    tess_error err;

    tess_status st = stored_chunk_open(&sc, f, n, &scratch, &err);
    if (st == TESS_OK)
        st = cursor_init(&cur, &sc.chunk, &sc.bytes, &scratch, &err);
    if (st == TESS_OK)
        st = cursor_read(&cur, 0, content, CHUNKSIZE, &err);
    cursor_finish(&cur);
    stored_chunk_close(&sc);
    scratch_finish(&scratch);
    if (st != TESS_OK) {
        snprintf(text, sizeof text, "chunk %" PRId64 ": %s", n, err.message);
        return text;
    }
    if (number <= 0 && index_special(index_get(&f->index, n)) != special_of(number))
        return "another kind of special chunk";
    fill(number, expected, CHUNKSIZE);
    snprintf(text, sizeof text, "chunk %" PRId64 " is not number %d", n, number);
    return memcmp(content, expected, CHUNKSIZE) == 0 ? NULL : text;
}

// NULL if the frame holds that state, else what is wrong.
static const char *
compare(struct frame *f, const struct state *s)
{
    uint8_t bytes[WIDE_NOTE_SIZE];
    int64_t stored = 0;
    if (f->index.nchunks != s->nchunks)
        return "another number of chunks";
    for (int64_t n = 0; n < s->nchunks; n++) {
        const char *const wrong = compare_chunk(f, n, s->chunks[n]);
        if (wrong)
            return wrong;
        stored += index_get(&f->index, n) >= 0;
    }
    if (frame_need_checksums(f, NULL) != TESS_OK || f->checksums.count != stored)
        return "another number of checksums";
    fill(s->note, bytes, s->note_size);
    if (f->metas.count != 1 || f->metas.items[0].size != s->note_size ||
        memcmp(f->metas.items[0].content, bytes, s->note_size) != 0)
        return "another metalayer";
    if (f->vlmetas.count != s->values)
        return "another number of variable-length metalayers";
    for (int i = 0; i < s->values; i++) {
        const size_t size = value_size(s->value[i]);
        fill(s->value[i], bytes, size);
        if (f->vlmetas.items[i].size != size ||
            (size > 0 && memcmp(f->vlmetas.items[i].content, bytes, size) != 0))
            return "another variable-length metalayer";
    }
    return NULL;
}

static const char *
compare_opened(const uint8_t *bytes, size_t size, bool writable, const struct state *s)
{
    static tess_error err;
    struct frame *f;
    uint8_t *const exact = exact_copy(bytes, size);
    const char *wrong = err.message;
    if (open_bytes(exact, size, writable, &f, &err) == TESS_OK) {
        wrong = compare(f, s);
        frame_close(f);
    }
    free(exact);
    return wrong;
}

static const char *
compare_bytes(const uint8_t *bytes, size_t size, const struct state *s)
{
    return compare_opened(bytes, size, false, s);
}

// -- a story of changes

struct story {
    struct random r;
    struct diary d;
    struct frame *f;
    struct state now;
    struct state *committed;
    int ncommitted, capacity;
    int next_number;
    tess_durability durability;
    bool failures;
    int failed;
};

static void
tell_committed(struct story *s)
{
    if (s->ncommitted == s->capacity) {
        s->capacity = 2 * s->capacity + 16;
        s->committed = realloc(s->committed, (size_t)s->capacity * sizeof *s->committed);
        assert_non_null(s->committed);
    }
    s->committed[s->ncommitted++] = s->now;
}

static bool
same_state(const struct state *a, const struct state *b)
{
    return a->nchunks == b->nchunks && a->note == b->note && a->values == b->values &&
           memcmp(a->chunks, b->chunks, (size_t)a->nchunks * sizeof a->chunks[0]) == 0 &&
           memcmp(a->value, b->value, (size_t)a->values * sizeof a->value[0]) == 0;
}

// The old state once more, laid out in another way, or the new one.
static int
judge_header(struct story *s)
{
    int64_t size;
    assert_int_equal(io_size(s->d.inner, &size, NULL), TESS_OK);
    const uint8_t *const bytes = io_view(s->d.inner, 0, (size_t)size);
    if (s->ncommitted > 0 && !compare_bytes(bytes, (size_t)size, &s->committed[s->ncommitted - 1]))
        return s->ncommitted - 1;
    const char *const wrong = compare_bytes(bytes, (size_t)size, &s->now);
    if (wrong)
        fail_msg("a header was written, after %d commits: %s", s->ncommitted, wrong);
    tell_committed(s);
    return s->ncommitted - 1;
}

// Whether what waits for a sync is worth one.
static void
draw_habits(struct story *s)
{
    s->f->waiting_least = random_below(&s->r, 2) == 0 ? 1 : INT64_MAX;
}

static void
begin_new_story(struct story *s, tess_durability durability, int64_t nchunks, size_t note_size)
{
    const struct frame_header h = {.typesize = TYPESIZE,
                                   .blocksize = CHUNKSIZE,
                                   .chunksize = CHUNKSIZE,
                                   .clevel = 5,
                                   .split = 3};
    const struct frame_options options = {.durability = durability};
    struct layers metas = {0};
    uint8_t bytes[WIDE_NOTE_SIZE];
    tess_error err;

    *s = (struct story){.durability = durability, .next_number = 1, .now.note_size = note_size};
    random_init(&s->r, random_seed());
    diary_init(&s->d);
    s->d.story = s;
    s->now.nchunks = nchunks;
    fill(0, bytes, note_size);
    assert_int_equal(layers_add(&metas, LAYERS_FIXED_MAX, "note", bytes, note_size, NULL), TESS_OK);
    if (frame_create(&s->d.io, &h, &metas, nchunks, SPECIAL_ZEROS, &options, &s->f, &err) !=
            TESS_OK ||
        frame_commit(s->f, &err) != TESS_OK)
        fail_msg("%s", err.message);
    assert_int_equal(s->ncommitted, 1);
    draw_habits(s);
}

static void
begin_wide_story(struct story *s, tess_durability durability, int64_t nchunks, size_t note_size)
{
    begin_new_story(s, durability, nchunks, note_size);
    assert_int_equal(frame_publish(s->f, NULL), TESS_OK);
}

static void
begin_story(struct story *s, tess_durability durability, int64_t nchunks)
{
    begin_wide_story(s, durability, nchunks, NOTE_SIZE);
}

static void
end_story(struct story *s)
{
    frame_close(s->f);
    diary_finish(&s->d);
    free(s->committed);
}

static tess_status
put(struct story *s, int64_t n, int number)
{
    uint8_t content[CHUNKSIZE], *chunk;
    int32_t size;

    if (number <= 0)
        return frame_put_special(s->f, NULL, n, special_of(number), NULL);
    fill(number, content, CHUNKSIZE);
    assert_int_equal(chunk_of_bytes(content, CHUNKSIZE, CHUNKSIZE, &chunk, &size, NULL), TESS_OK);
    const tess_status st = frame_put(s->f, NULL, n, chunk, size, NULL);
    free(chunk);
    return st;
}

static tess_status
set_length(struct story *s)
{
    const int64_t n = random_below(&s->r, 4) == 0 ? 0 : (int64_t)random_below(&s->r, CHUNKS);
    const tess_status st = frame_set_length(s->f, n, SPECIAL_ZEROS, NULL);
    if (st != TESS_OK)
        return st;
    for (int64_t i = s->now.nchunks; i < n; i++)
        s->now.chunks[i] = ZEROS;
    s->now.nchunks = n;
    return TESS_OK;
}

// Some chunks stay, in another order, with zeros between them.
static tess_status
rearrange(struct story *s)
{
    const int64_t length = (int64_t)random_below(&s->r, CHUNKS);
    const struct state before = s->now;
    struct frame_index list;
    bool kept[CHUNKS] = {false};

    index_init_uniform(&list, length, SPECIAL_ZEROS);
    memset(s->now.chunks, 0, sizeof s->now.chunks);
    for (int64_t n = 0; n < length; n++) {
        const int64_t from = (int64_t)random_below(&s->r, CHUNKS);
        if (from >= before.nchunks || kept[from])
            continue;
        kept[from] = true;
        s->now.chunks[n] = before.chunks[from];
        assert_int_equal(index_set(&list, n, index_get(&s->f->index, from), NULL), TESS_OK);
    }
    s->now.nchunks = length;
    const tess_status st = frame_rearrange(s->f, &list, kept, NULL);
    index_finish(&list);
    return st;
}

static tess_status
puts_at_random(struct story *s)
{
    const int n = s->now.nchunks > 0 ? (int)random_below(&s->r, 6) : 0;
    for (int i = 0; i < n; i++) {
        const int64_t at = (int64_t)random_below(&s->r, (uint64_t)s->now.nchunks);
        const int number =
            random_below(&s->r, 5) == 0 ? -(int)random_below(&s->r, 3) : s->next_number++;
        const tess_status st = put(s, at, number);
        if (st != TESS_OK)
            return st;
        s->now.chunks[at] = number;
    }
    return TESS_OK;
}

static void
check_live(struct story *s)
{
    const char *const wrong = compare(s->f, &s->now);
    if (wrong)
        fail_msg("in memory, after %d commits: %s", s->ncommitted, wrong);
}

static void
change_chunks(struct story *s)
{
    const struct state before = s->now;
    tess_status st = TESS_OK;

    frame_begin(s->f);
    do { // lists and puts, in any order
        const uint64_t what = random_below(&s->r, 6);
        if (what == 0)
            st = set_length(s);
        else if (what == 1)
            st = rearrange(s);
        if (st == TESS_OK)
            st = puts_at_random(s);
    } while (st == TESS_OK && random_below(&s->r, 3) == 0);
    if (st != TESS_OK || random_below(&s->r, 5) == 0) {
        s->failed += st != TESS_OK;
        frame_undo(s->f);
        s->now = before;
    } else {
        frame_keep(s->f);
    }
    check_live(s);
}

static void
change_metas(struct story *s)
{
    uint8_t bytes[WIDE_NOTE_SIZE];
    struct layers *const l = &s->f->vlmetas;
    char name[8];

    if (random_below(&s->r, 4) == 0) {
        s->now.note = s->next_number++;
        fill(s->now.note, bytes, s->now.note_size);
        assert_int_equal(layer_set(&s->f->metas.items[0], bytes, s->now.note_size, NULL), TESS_OK);
    } else if (s->now.values > 0 && random_below(&s->r, 3) > 0) {
        const int n = (int)random_below(&s->r, (uint64_t)s->now.values);
        if (random_below(&s->r, 2)) {
            layers_remove(l, &l->items[n]);
            memmove(s->now.value + n, s->now.value + n + 1,
                    (size_t)(s->now.values - n - 1) * sizeof s->now.value[0]);
            s->now.values--;
        } else {
            s->now.value[n] = s->next_number++;
            fill(s->now.value[n], bytes, value_size(s->now.value[n]));
            assert_int_equal(layer_set(&l->items[n], bytes, value_size(s->now.value[n]), NULL),
                             TESS_OK);
        }
    } else if (s->now.values < 5) {
        const int number = s->next_number++;
        fill(number, bytes, value_size(number));
        snprintf(name, sizeof name, "%d", number % 1000000);
        assert_int_equal(layers_add(l, LAYERS_VL_WRITE_MAX, name, bytes, value_size(number), NULL),
                         TESS_OK);
        s->now.value[s->now.values++] = number;
    }
    s->f->batch.dirty = true;
}

static void
commit(struct story *s)
{
    const int64_t old_len = s->f->h.frame_len;
    const bool differs = !same_state(&s->now, &s->committed[s->ncommitted - 1]);
    tess_error err;

    const int fail_in =
        s->failures && random_below(&s->r, 3) == 0 ? 1 + (int)random_below(&s->r, 6) : 0;
    s->d.fail_in = fail_in;
    const tess_status st = frame_commit(s->f, &err);
    s->d.fail_in = 0;
    if (st != TESS_OK && fail_in == 0)
        fail_msg("commit %d: %s", s->ncommitted, err.message);
    s->failed += st != TESS_OK;
    if (st == TESS_OK)
        assert_true(same_state(&s->now, &s->committed[s->ncommitted - 1]));
    if (st == TESS_OK && differs && s->now.nchunks > 0)
        assert_int_not_equal(s->f->h.frame_len, old_len);
    check_live(s);
}

// Another handle goes on where the last commit was.
static void
reopen(struct story *s)
{
    const struct frame_options options = {.durability = s->durability};
    tess_error err;
    frame_close(s->f);
    s->f = NULL;
    if (frame_open(&s->d.io, true, &options, &s->f, &err) != TESS_OK)
        fail_msg("after %d commits: %s", s->ncommitted, err.message);
    draw_habits(s);
    s->now = s->committed[s->ncommitted - 1];
    check_live(s);
}

static int shortened, moved; // how often, in all stories

// As at the end of a life, however little it saves. Nobody is told of a failure.
static void
shorten(struct story *s)
{
    const int64_t before = s->f->h.frame_len, number = (int64_t)s->f->disk.number;
    if (!same_state(&s->now, &s->committed[s->ncommitted - 1]))
        return; // a commit failed
    s->d.fail_in =
        s->failures && random_below(&s->r, 2) == 0 ? 1 + (int)random_below(&s->r, 20) : 0;
    frame_shorten(s->f, 1);
    shortened += s->f->h.frame_len < before;
    moved += (int64_t)s->f->disk.number > number + 2;
    s->d.fail_in = 0;
    check_live(s);
}

static void
tell(struct story *s)
{
    for (int i = 0; i < COMMITS; i++) {
        for (uint64_t n = random_below(&s->r, 4); n > 0; n--)
            change_chunks(s);
        if (random_below(&s->r, 3) == 0)
            change_metas(s);
        commit(s);
        if (random_below(&s->r, 8) == 0) {
            shorten(s);
            reopen(s);
        }
    }
}

// -- playing it back

struct image {
    uint8_t *bytes;
    size_t size, capacity;
};

static void
resize_image(struct image *m, size_t size)
{
    if (size > m->capacity) {
        m->capacity = 2 * size;
        m->bytes = realloc(m->bytes, m->capacity);
        assert_non_null(m->bytes);
    }
    if (size > m->size)
        memset(m->bytes + m->size, 0, size - m->size);
    m->size = size;
}

// The first `size` bytes of a write, or a truncation.
static void
play(struct image *m, const struct op *op, size_t size)
{
    if (op->kind == TRUNCATE)
        resize_image(m, (size_t)op->offset);
    if (op->kind != WRITE || size == 0)
        return;
    if ((size_t)op->offset + size > m->size)
        resize_image(m, (size_t)op->offset + size);
    memcpy(m->bytes + op->offset, op->bytes, size);
}

// Some sectors of a write of the header; true if the first one is among them, which says where the
// state is.
static bool
play_sectors(struct story *s, struct image *m, const struct op *op)
{
    bool first = false;
    for (size_t at = 0, next; at < op->size; at = next) {
        const size_t position = (size_t)op->offset + at;
        next = at + SECTOR - position % SECTOR;
        next = next < op->size ? next : op->size;
        if (random_below(&s->r, 2) == 0)
            continue;
        const struct op piece = {
            .kind = WRITE, .offset = (int64_t)position, .size = next - at, .bytes = op->bytes + at};
        play(m, &piece, piece.size);
        first |= at == 0;
    }
    return first;
}

static void
check_image(const struct story *s, const struct image *m, int state, size_t at, const char *what)
{
    if (state < 0)
        return; // before the first commit
    const char *wrong = compare_bytes(m->bytes, m->size, &s->committed[state]);
    if (!wrong)
        wrong = compare_opened(m->bytes, m->size, true, &s->committed[state]);
    if (wrong)
        fail_msg("%s, in operation %zu of %zu: state %d: %s", what, at, s->d.nops, state, wrong);
}

// The program stops: everything up to there was written.
static void
stop_program(struct story *s)
{
    struct image m = {0};
    int state = -1;

    for (size_t i = 0; i < s->d.nops; i++) {
        const struct op *const op = &s->d.ops[i];
        if (op->kind == WRITE && op->state < 0 && op->size > 0) {
            play(&m, op, random_below(&s->r, op->size));
            check_image(s, &m, state, i, "the program stopped");
        }
        play(&m, op, op->size);
        if (op->state >= 0)
            state = op->state;
        check_image(s, &m, state, i, "the program stopped");
    }
    free(m.bytes);
}

// The machine stops: of what was written since the last sync, anything may be missing.
static void
stop_machine(struct story *s)
{
    enum { TRIES = 4 };
    struct image synced = {0}, m = {0};
    int synced_state = -1;
    size_t last_sync = 0;

    for (size_t i = 0; i < s->d.nops; i++) {
        for (int t = 0; t < TRIES; t++) {
            int state = synced_state;
            resize_image(&m, 0);
            resize_image(&m, synced.size);
            if (synced.size > 0)
                memcpy(m.bytes, synced.bytes, synced.size);
            for (size_t k = last_sync; k <= i; k++) {
                const struct op *const op = &s->d.ops[k];
                const uint64_t fate = random_below(&s->r, 3);
                if (fate == 0)
                    continue;
                if (op->state >= 0) {
                    // The first sync publishes the frame; before that nothing is promised.
                    if (synced_state >= 0 && play_sectors(s, &m, op))
                        state = op->state;
                    continue;
                }
                play(&m, op, fate == 1 ? random_below(&s->r, op->size + 1) : op->size);
            }
            check_image(s, &m, state, i, "the machine stopped");
        }
        if (s->d.ops[i].kind != SYNC)
            continue;
        for (; last_sync <= i; last_sync++) {
            const struct op *const op = &s->d.ops[last_sync];
            play(&synced, op, op->size);
            if (op->state >= 0)
                synced_state = op->state;
        }
    }
    free(synced.bytes);
    free(m.bytes);
}

static void
run_with(tess_durability durability, bool failures, size_t note_size)
{
    struct story s;
    int failed = 0;
    for (int64_t nchunks = 0; nchunks <= 8; nchunks += 4) {
        begin_wide_story(&s, durability, nchunks, note_size);
        s.failures = failures;
        tell(&s);
        assert_true(s.ncommitted > COMMITS / 4);
        failed += s.failed;
        stop_program(&s);
        if (durability != TESS_DURABILITY_NONE)
            stop_machine(&s);
        end_story(&s);
    }
    assert_true(failures ? failed > 5 : failed == 0);
}

static void
run(tess_durability durability, bool failures)
{
    run_with(durability, failures, NOTE_SIZE);
    run_with(durability, failures, WIDE_NOTE_SIZE);
}

static void
no_durability(void **state)
{
    (void)state;
    run(TESS_DURABILITY_NONE, false);
}

static void
ordered(void **state)
{
    (void)state;
    run(TESS_DURABILITY_ORDERED, false);
}

static void
fsynced(void **state)
{
    (void)state;
    run(TESS_DURABILITY_FSYNC, false);
}

static void
failing(void **state)
{
    (void)state;
    run(TESS_DURABILITY_ORDERED, true);
    run(TESS_DURABILITY_FSYNC, true);
}

static int
count_syncs(const struct story *s)
{
    int n = 0;
    for (size_t i = 0; i < s->d.nops; i++)
        n += s->d.ops[i].kind == SYNC;
    return n;
}

// What operations from `first` on leave, where nothing of those before is there.
static void
check_written_since(const struct story *s, size_t first)
{
    struct image m = {0};
    for (size_t i = first; i < s->d.nops; i++)
        play(&m, &s->d.ops[i], s->d.ops[i].size);
    check_image(s, &m, s->ncommitted - 1, first, "what was synced at last");
    free(m.bytes);
}

// A frame that has no name yet is synced once, when all of it is there. If that fails, what was
// written may be lost, and the next try writes all of it again.
static void
new_frame(tess_durability durability, bool fails, size_t note_size)
{
    struct story s;
    size_t lost = 0;

    begin_new_story(&s, durability, CHUNKS / 2, note_size);
    for (int i = 0; i < COMMITS / 4; i++) {
        change_chunks(&s);
        change_metas(&s);
        commit(&s);
    }
    assert_int_equal(count_syncs(&s), 0);
    if (fails) {
        s.d.fail_in = 1;
        assert_int_equal(frame_publish(s.f, NULL), TESS_ERR_IO);
        assert_false(frame_is_published(s.f));
        lost = s.d.nops;
        commit(&s);
    }
    assert_int_equal(frame_publish(s.f, NULL), TESS_OK);
    assert_int_equal(s.d.ops[s.d.nops - 1].kind, SYNC);
    assert_true(fails || count_syncs(&s) == 1);
    check_written_since(&s, lost);
    change_metas(&s);
    commit(&s);
    assert_true(count_syncs(&s) > 1); // as any other frame from here on
    end_story(&s);
}

static void
new_frames_are_synced_once(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        new_frame(i % 2 == 0 ? TESS_DURABILITY_ORDERED : TESS_DURABILITY_FSYNC, i & 2,
                  i < 4 ? NOTE_SIZE : WIDE_NOTE_SIZE);
}

// What may happen in a story did.
static void
all_told(void **state)
{
    (void)state;
    assert_true(shortened > 3);
    assert_true(moved > 3);
}

// A list of equal chunks that gets shorter, then holds another one, then is as it was.
static void
undo_of_a_uniform_list(void **state)
{
    struct story s;

    (void)state;
    begin_story(&s, TESS_DURABILITY_NONE, CHUNKS);
    frame_begin(s.f);
    assert_int_equal(frame_set_length(s.f, 3, SPECIAL_ZEROS, NULL), TESS_OK);
    assert_int_equal(put(&s, 1, 1), TESS_OK);
    frame_undo(s.f);
    check_live(&s);
    assert_null(s.f->index.entries);
    commit(&s);
    end_story(&s);
}

// The last chunk in the file is read while one is written behind it in pieces, of which none is
// there yet: what it may take lies behind the end of the file.
static void
read_beside_pieces(void **state)
{
    enum { NPUTS = 3, ROOM = 100000 };
    struct frame_put puts[NPUTS];
    uint8_t content[CHUNKSIZE], *chunk;
    int32_t size;
    struct story s;

    (void)state;
    begin_story(&s, TESS_DURABILITY_NONE, CHUNKS);
    frame_begin(s.f);
    assert_int_equal(put(&s, 0, 1), TESS_OK);
    s.now.chunks[0] = 1;
    frame_keep(s.f);
    fill(7, content, CHUNKSIZE);
    assert_int_equal(chunk_of_bytes(content, CHUNKSIZE, CHUNKSIZE, &chunk, &size, NULL), TESS_OK);
    frame_begin(s.f);
    s.f->io->expected = 0; // told anew, by each way to store a chunk
    for (int i = 0; i < NPUTS; i++) {
        assert_int_equal(frame_put_begin(s.f, NULL, 1 + i, ROOM, &puts[i], NULL), TESS_OK);
        check_live(&s);
    }
    assert_int_equal(s.f->io->expected, CHUNKS * CHUNKSIZE);
    frame_put_abandon(s.f, &puts[NPUTS - 1]);
    check_live(&s);
    for (int i = 0; i < NPUTS - 1; i++) {
        assert_int_equal(frame_put_whole(&puts[i], chunk, size, NULL), TESS_OK);
        assert_int_equal(frame_put_end(s.f, &puts[i], size, NULL), TESS_OK);
        s.now.chunks[1 + i] = 7;
        check_live(&s);
    }
    assert_int_equal(s.f->staging.nputs, 0);
    frame_keep(s.f);
    commit(&s);
    free(chunk);
    end_story(&s);
}

// What stood behind the end of a list that got shorter is there again, though it got longer, too.
static void
undo_of_lengths(void **state)
{
    struct story s;

    (void)state;
    begin_story(&s, TESS_DURABILITY_NONE, CHUNKS);
    frame_begin(s.f);
    for (int n = 0; n < CHUNKS; n++) {
        s.now.chunks[n] = n + 1;
        assert_int_equal(put(&s, n, n + 1), TESS_OK);
    }
    frame_keep(s.f);
    frame_begin(s.f);
    assert_int_equal(put(&s, CHUNKS - 1, 100), TESS_OK);
    assert_int_equal(frame_set_length(s.f, 3, SPECIAL_ZEROS, NULL), TESS_OK);
    assert_int_equal(frame_set_length(s.f, CHUNKS + 1, SPECIAL_ZEROS, NULL), TESS_OK);
    assert_int_equal(put(&s, 2, 101), TESS_OK);
    assert_int_equal(put(&s, 4, 102), TESS_OK);
    frame_undo(s.f);
    check_live(&s);
    commit(&s);
    end_story(&s);
}

static size_t
copy_image(const struct diary *d, uint8_t **bytes)
{
    int64_t size;
    assert_int_equal(io_size(d->inner, &size, NULL), TESS_OK);
    *bytes = exact_copy(io_view(d->inner, 0, (size_t)size), (size_t)size);
    return (size_t)size;
}

// Two handles, of which the second does not know what the first one did.
static void
another_writer(void **state)
{
    static const int64_t lengths[] = {0, 4};

    (void)state;
    for (int i = 0; i < 2; i++)
        for (int metas = 0; metas < 2; metas++) {
            const struct frame_options options = {.durability = TESS_DURABILITY_ORDERED};
            struct story s;
            struct frame *late;
            uint8_t *before, *after;
            tess_error err = {0};

            begin_story(&s, TESS_DURABILITY_ORDERED, lengths[i]);
            assert_int_equal(frame_open(&s.d.io, true, &options, &late, NULL), TESS_OK);
            if (metas) {
                s.now.note = 5;
                uint8_t note[NOTE_SIZE];
                fill(5, note, sizeof note);
                assert_int_equal(layer_set(&s.f->metas.items[0], note, sizeof note, NULL), TESS_OK);
                s.f->batch.dirty = true;
            } else {
                frame_begin(s.f);
                assert_int_equal(frame_set_length(s.f, 7, SPECIAL_ZEROS, NULL), TESS_OK);
                frame_keep(s.f);
                memset(s.now.chunks, 0, sizeof s.now.chunks);
                s.now.nchunks = 7;
            }
            commit(&s);

            const size_t size = copy_image(&s.d, &before);
            late->batch.dirty = true;
            assert_int_equal(frame_commit(late, &err), TESS_ERR_STALE);
            assert_int_equal(err.status, TESS_ERR_STALE);
            assert_int_equal(copy_image(&s.d, &after), size);
            assert_memory_equal(after, before, size);
            frame_close(late);
            free(before);
            free(after);
            end_story(&s);
        }
}

// Old space is used again, also by another handle: the file does not grow with every commit.
static void
size_stays(void **state)
{
    struct story s;
    int64_t size;

    (void)state;
    begin_story(&s, TESS_DURABILITY_ORDERED, CHUNKS);
    for (int i = 0; i < 300; i++) {
        frame_begin(s.f);
        for (int k = 0; k < 2; k++) {
            const int64_t at = (int64_t)random_below(&s.r, CHUNKS);
            s.now.chunks[at] = s.next_number++;
            assert_int_equal(put(&s, at, s.now.chunks[at]), TESS_OK);
        }
        frame_keep(s.f);
        commit(&s);
        if (i % 3 == 0)
            reopen(&s);
        assert_int_equal(io_size(s.d.inner, &size, NULL), TESS_OK);
        assert_true(size < 2 * CHUNKS * (CHUNKSIZE + CHUNK_HEADER_SIZE));
    }
    end_story(&s);
}

// A frame in memory has no disk to wait for: what a commit released is free at once.
static void
nothing_waits_in_memory(void **state)
{
    struct story s;

    (void)state;
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        begin_story(&s, TESS_DURABILITY_ORDERED, CHUNKS);
        s.f->storage.in_memory = in_memory;
        s.f->waiting_least = INT64_MAX;
        for (int i = 1; i <= 3; i++) {
            frame_begin(s.f);
            assert_int_equal(put(&s, 0, i), TESS_OK);
            frame_keep(s.f);
            s.now.chunks[0] = i;
            commit(&s);
        }
        assert_int_equal(s.f->space.unsynced.count > 0, !in_memory);
        end_story(&s);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undo_of_a_uniform_list),
        cmocka_unit_test(undo_of_lengths),
        cmocka_unit_test(read_beside_pieces),
        cmocka_unit_test(another_writer),
        cmocka_unit_test(size_stays),
        cmocka_unit_test(nothing_waits_in_memory),
        cmocka_unit_test(no_durability),
        cmocka_unit_test(ordered),
        cmocka_unit_test(fsynced),
        cmocka_unit_test(failing),
        cmocka_unit_test(new_frames_are_synced_once),
        cmocka_unit_test(all_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
