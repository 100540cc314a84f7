/*
 * frame_folder.c - tests of a sparse frame in a folder that is no directory: random changes against
 * a list in memory.
 *
 * The folder here keeps its files in memory. It shows that frames need of a folder what io/folder.h
 * promises, and nothing else, and it counts what is open, left over and done without need.
 */
#include "frame/frame.h"

#include "chunk/content.h"
#include "chunk/decode.h"
#include "chunk/encode/flat.h"
#include "frame/chunks/stored.h"
#include "frame/commit/change.h"
#include "frame/commit/commit.h"
#include "frame/copy.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/query.h"
#include "io/folder.h"
#include "io/io.h"
#include "meta/layers.h"
#include "support/random.h"
#include "task/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CHUNKSIZE = 400, CHUNKS = 20, FILES = 4 * CHUNKS };

// -- files in memory, which outlive their names while they are open

struct content {
    int uses; // a name, and each io
    ino_t number;
    uint8_t *bytes;
    size_t size;
};

struct content_io {
    struct io io;
    struct content *content;
};

static int open_files;

static void
release(struct content *c)
{
    if (--c->uses > 0)
        return;
    free(c->bytes);
    free(c);
}

static struct content *
content_of(const struct io *io)
{
    return ((const struct content_io *)io)->content;
}

static tess_status
content_read(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    const struct content *const c = content_of(io);
    if (offset < 0 || (uint64_t)offset > c->size || size > c->size - (size_t)offset)
        return err_set(err, TESS_ERR_IO, -1, "the file ends");
    if (size > 0)
        memcpy(dst, c->bytes + offset, size);
    return TESS_OK;
}

static tess_status
content_write(struct io *io, int64_t offset, const void *src, size_t size, tess_error *err)
{
    struct content *const c = content_of(io);
    const size_t end = (size_t)offset + size;
    (void)err;
    assert_true(io->writable);
    if (end > c->size) {
        c->bytes = realloc(c->bytes, end);
        assert_non_null(c->bytes);
        memset(c->bytes + c->size, 0, end - c->size);
        c->size = end;
    }
    if (size > 0)
        memcpy(c->bytes + offset, src, size);
    return TESS_OK;
}

static const uint8_t *
content_view(struct io *io, int64_t offset, size_t size)
{
    (void)io, (void)offset, (void)size;
    return NULL;
}

static tess_status
content_size(struct io *io, int64_t *size, tess_error *err)
{
    (void)err;
    *size = (int64_t)content_of(io)->size;
    return TESS_OK;
}

static tess_status
content_truncate(struct io *io, int64_t size, tess_error *err)
{
    (void)err;
    assert_true((uint64_t)size <= content_of(io)->size);
    content_of(io)->size = (size_t)size;
    return TESS_OK;
}

static tess_status
content_sync(struct io *io, tess_error *err)
{
    (void)io, (void)err;
    return TESS_OK;
}

static tess_status
content_identify(struct io *io, struct io_identity *identity, tess_error *err)
{
    (void)err;
    *identity = (struct io_identity){.inode = content_of(io)->number};
    return TESS_OK;
}

static void
content_close(struct io *io)
{
    open_files--;
    release(content_of(io));
    free(io);
}

static const struct io_ops content_ops = {
    .read = content_read,
    .write = content_write,
    .view = content_view,
    .size = content_size,
    .truncate = content_truncate,
    .sync = content_sync,
    .identify = content_identify,
    .close = content_close,
};

static struct io *
content_open(struct content *c, bool writable)
{
    struct content_io *const io = calloc(1, sizeof *io);
    assert_non_null(io);
    io->io = (struct io){.ops = &content_ops, .writable = writable};
    io->content = c;
    c->uses++;
    open_files++;
    return &io->io;
}

// -- the folder

// What a program would see, whether it has the folder open or not.
struct names {
    int n;
    struct {
        char name[40];
        struct content *content;
    } items[FILES];
    ino_t next;
    bool published;
    int syncs;
};

struct here {
    struct folder folder;
    struct names *names;
};

static struct names *
names_of(const struct folder *folder)
{
    return ((const struct here *)folder)->names;
}

static int
find(const struct names *d, const char *name)
{
    for (int i = 0; i < d->n; i++)
        if (strcmp(d->items[i].name, name) == 0)
            return i;
    return -1;
}

static void
forget(struct names *d, int i)
{
    release(d->items[i].content);
    d->items[i] = d->items[--d->n]; // names change their order
}

static tess_status
here_read(const struct folder *folder, const char *name, const struct folder_use *use,
          struct io **io, tess_error *err)
{
    const struct names *const d = names_of(folder);
    const int i = find(d, name);
    (void)use;
    if (i < 0)
        return err_sys(err, ENOENT, "opening %s", name);
    *io = content_open(d->items[i].content, false);
    return TESS_OK;
}

static tess_status
here_write(const struct folder *folder, const char *name, struct io **io, tess_error *err)
{
    struct names *const d = names_of(folder);
    const int i = find(d, name);
    (void)err;
    if (i >= 0)
        forget(d, i);
    struct content *const c = calloc(1, sizeof *c);
    assert_non_null(c);
    assert_true(d->n < FILES);
    c->uses = 1;
    c->number = ++d->next;
    snprintf(d->items[d->n].name, sizeof d->items[d->n].name, "%s", name);
    d->items[d->n++].content = c;
    *io = content_open(c, true);
    return TESS_OK;
}

static tess_status
here_rename(const struct folder *folder, const char *from, const char *to, tess_error *err)
{
    struct names *const d = names_of(folder);
    if (find(d, from) < 0)
        return err_sys(err, ENOENT, "renaming %s", from);
    if (find(d, to) >= 0)
        forget(d, find(d, to));
    const int i = find(d, from);
    snprintf(d->items[i].name, sizeof d->items[i].name, "%s", to);
    return TESS_OK;
}

static void
here_remove(const struct folder *folder, const char *name)
{
    struct names *const d = names_of(folder);
    if (find(d, name) >= 0)
        forget(d, find(d, name));
}

static tess_status
here_each(const struct folder *folder,
          tess_status (*fn)(void *arg, const char *name, tess_error *err), void *arg,
          tess_error *err)
{
    const struct names *const d = names_of(folder);
    tess_status st = TESS_OK;
    for (int i = 0; i < d->n && st == TESS_OK; i++)
        st = fn(arg, d->items[i].name, err);
    return st;
}

static tess_status
here_sync(const struct folder *folder, tess_error *err)
{
    (void)err;
    names_of(folder)->syncs++;
    return TESS_OK;
}

static tess_status
here_publish(struct folder *folder, bool durable, tess_error *err)
{
    (void)durable, (void)err;
    names_of(folder)->published = true;
    return TESS_OK;
}

static tess_status
here_identify(const struct folder *folder, struct io_identity *identity, tess_error *err)
{
    (void)folder, (void)err;
    *identity = (struct io_identity){0};
    return TESS_OK;
}

static bool
here_is_replaced(const struct folder *folder)
{
    (void)folder;
    return false;
}

static void
here_close(struct folder *folder)
{
    struct names *const d = names_of(folder);
    while (!d->published && d->n > 0)
        forget(d, 0);
    free(folder);
}

static const struct folder_ops here_ops = {
    .read = here_read,
    .write = here_write,
    .rename = here_rename,
    .remove = here_remove,
    .each = here_each,
    .sync = here_sync,
    .publish = here_publish,
    .identify = here_identify,
    .is_replaced = here_is_replaced,
    .close = here_close,
};

static struct folder *
open_here(struct names *names)
{
    struct here *const h = calloc(1, sizeof *h);
    assert_non_null(h);
    h->folder.ops = &here_ops;
    h->names = names;
    return &h->folder;
}

// -- what the frame holds: numbers from which chunks follow; 0: zeros, not stored

struct list {
    int64_t n;
    int chunks[CHUNKS];
};

static void
fill(int number, uint8_t *dst)
{
    struct random r;
    memset(dst, 0, CHUNKSIZE);
    if (number == 0)
        return;
    random_init(&r, (uint64_t)number);
    random_bytes(&r, dst, 1 + random_below(&r, CHUNKSIZE));
    memcpy(dst, &number, sizeof number);
}

static void
check(struct frame *f, const struct list *want)
{
    struct chunk_scratch scratch = {0};
    uint8_t content[CHUNKSIZE], expected[CHUNKSIZE];
    tess_error err;
    assert_int_equal(frame_nchunks(f), want->n);
    for (int64_t n = 0; n < want->n; n++) {
        struct chunk_cursor cur = {0};
        struct stored_chunk sc = {0};
        tess_status st = stored_chunk_open(&sc, f, n, &scratch, &err);
        if (st == TESS_OK)
            st = cursor_init(&cur, &sc.chunk, &sc.bytes, &scratch, &err);
        if (st == TESS_OK)
            st = cursor_read(&cur, 0, content, CHUNKSIZE, &err);
        cursor_finish(&cur);
        stored_chunk_close(&sc);
        if (st != TESS_OK)
            fail_msg("chunk %" PRId64 ": %s", n, err.message);
        fill(want->chunks[n], expected);
        assert_memory_equal(content, expected, CHUNKSIZE);
    }
    scratch_finish(&scratch);
}

static tess_status
put(struct frame *f, int64_t n, int number, tess_error *err)
{
    uint8_t content[CHUNKSIZE], *chunk;
    int32_t size;
    if (number == 0)
        return frame_put_special(f, NULL, n, SPECIAL_ZEROS, err);
    fill(number, content);
    tess_status st = chunk_of_bytes(content, CHUNKSIZE, CHUNKSIZE, &chunk, &size, err);
    if (st == TESS_OK)
        st = frame_put(f, NULL, n, chunk, size, err);
    free(chunk);
    return st;
}

static void
change(struct frame *f, struct list *now, struct random *r, int *next)
{
    const struct list before = *now;
    tess_error err;
    tess_status st = TESS_OK;
    frame_begin(f);
    if (random_below(r, 3) == 0) {
        const int64_t n = 1 + (int64_t)random_below(r, CHUNKS);
        for (int64_t i = now->n; i < n; i++)
            now->chunks[i] = 0;
        now->n = n;
        st = frame_set_length(f, n, SPECIAL_ZEROS, &err);
    }
    for (uint64_t i = random_below(r, 6); i > 0 && st == TESS_OK; i--) {
        const int64_t at = (int64_t)random_below(r, (uint64_t)now->n);
        now->chunks[at] = random_below(r, 5) == 0 ? 0 : (*next)++;
        st = put(f, at, now->chunks[at], &err);
    }
    if (st != TESS_OK)
        fail_msg("%s", err.message);
    if (random_below(r, 5) == 0) {
        frame_undo(f);
        *now = before;
    } else {
        frame_keep(f);
    }
}

static int64_t
count_stored(const struct list *list)
{
    int64_t n = 0;
    for (int64_t i = 0; i < list->n; i++)
        n += list->chunks[i] != 0;
    return n;
}

static void
end(struct names *names)
{
    while (names->n > 0)
        forget(names, 0);
    assert_int_equal(open_files, 0);
}

static void
changed(void **state)
{
    static const struct frame_header h = {
        .typesize = 4, .blocksize = CHUNKSIZE, .chunksize = CHUNKSIZE, .clevel = 5, .split = 3};
    static const tess_context context = {0};
    struct random r;
    int next = 1;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t rounds = random_cases(200, 5000); rounds > 0; rounds--) {
        const struct frame_options options = {.durability = (tess_durability)random_below(&r, 3)};
        struct names names = {0};
        struct list now = {.n = CHUNKS / 2}, committed;
        struct layers metas = {0};
        struct watch watch;
        struct frame *f;
        tess_error err;
        watch_begin(&watch, &context, 0);
        if (frame_create_folder(open_here(&names), &h, &metas, now.n, SPECIAL_ZEROS, &options, &f,
                                &err) != TESS_OK ||
            frame_commit(f, &err) != TESS_OK || frame_publish(f, &err) != TESS_OK)
            fail_msg("%s", err.message);
        committed = now;
        for (int i = 0; i < 40; i++) {
            struct frame *other;
            change(f, &now, &r, &next);
            if (random_below(&r, 2) == 0 && frame_commit(f, &err) == TESS_OK) {
                committed = now;
                assert_true(names.n >= 1 + count_stored(&now)); // and those of the state before
            }
            check(f, &now);
            if (frame_open_folder(open_here(&names), false, &options, &other, &err) != TESS_OK)
                fail_msg("%s", err.message);
            check(other, &committed);
            frame_close(other);
            if (random_below(&r, 10) == 0) { // what was not committed is gone
                frame_close(f);
                if (frame_open_folder(open_here(&names), true, &options, &f, &err) != TESS_OK)
                    fail_msg("%s", err.message);
                now = committed;
                check(f, &now);
            }
        }
        if (frame_commit(f, &err) != TESS_OK || frame_compact_folder(f, &watch, &err) != TESS_OK)
            fail_msg("%s", err.message);
        assert_int_equal(names.n, 1 + count_stored(&now)); // the index; nothing is left
        assert_true((options.durability == TESS_DURABILITY_NONE) == (names.syncs == 0));
        frame_close(f);
        end(&names);
    }
}

// A frame that never got its name leaves nothing; a folder without the index is refused.
static void
nothing(void **state)
{
    static const struct frame_header h = {
        .typesize = 4, .blocksize = CHUNKSIZE, .chunksize = CHUNKSIZE, .clevel = 5, .split = 3};
    const struct frame_options options = {.durability = TESS_DURABILITY_ORDERED};
    struct names names = {0};
    struct layers metas = {0};
    struct frame *f;
    tess_error err;
    (void)state;
    assert_int_equal(
        frame_create_folder(open_here(&names), &h, &metas, 3, SPECIAL_ZEROS, &options, &f, &err),
        TESS_OK);
    frame_begin(f);
    assert_int_equal(put(f, 1, 7, &err), TESS_OK);
    frame_keep(f);
    assert_int_equal(frame_commit(f, &err), TESS_OK);
    assert_int_equal(names.n, 2);
    frame_close(f);
    assert_int_equal(names.n, 0);
    assert_int_equal(frame_open_folder(open_here(&names), false, &options, &f, &err),
                     TESS_ERR_FORMAT);
    end(&names);
}

// The files of a writer that did not commit go when the next one stores a chunk: all of them,
// though the names change their order when one is removed.
static void
orphans(void **state)
{
    static const struct frame_header h = {
        .typesize = 4, .blocksize = CHUNKSIZE, .chunksize = CHUNKSIZE, .clevel = 5, .split = 3};
    const struct frame_options options = {0};
    struct names names = {0};
    struct layers metas = {0};
    struct folder *folder = open_here(&names);
    struct frame *f;
    tess_error err;
    (void)state;
    assert_int_equal(
        frame_create_folder(folder, &h, &metas, CHUNKS, SPECIAL_ZEROS, &options, &f, &err),
        TESS_OK);
    assert_int_equal(frame_commit(f, &err), TESS_OK);
    assert_int_equal(frame_publish(f, &err), TESS_OK);
    frame_begin(f);
    for (int n = 0; n < CHUNKS; n++)
        assert_int_equal(put(f, n, 1 + n, &err), TESS_OK);
    frame_keep(f);
    assert_int_equal(names.n, 1 + CHUNKS);
    frame_close(f);
    folder = open_here(&names);
    folder->locked = true;
    assert_int_equal(frame_open_folder(folder, true, &options, &f, &err), TESS_OK);
    frame_begin(f);
    assert_int_equal(put(f, 0, 1, &err), TESS_OK);
    frame_keep(f);
    assert_int_equal(names.n, 2); // the index, and that chunk
    frame_close(f);
    end(&names);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed),
        cmocka_unit_test(nothing),
        cmocka_unit_test(orphans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
