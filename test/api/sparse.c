/*
 * sparse.c - arrays in a directory: what lies there after each step, what is refused, and what
 * somebody who has it open meanwhile sees.
 */
#include "support/files.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

enum { COLUMNS = 8, ROWS = 4 }; // of a chunk: 256 bytes, one file

static tess_storage
at(const char *name, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = files_path(name);
    storage.mode = mode;
    return storage;
}

// Items are noise, stored as they are: chunk files and index have the same size each time.
static void
sparse_params(tess_params *p, int64_t rows)
{
    tess_params_init(p);
    p->layout = TESS_LAYOUT_SPARSE;
    p->typesize = 8;
    p->ndim = 2;
    p->shape[0] = rows;
    p->shape[1] = COLUMNS;
    p->chunkshape[0] = ROWS;
    p->chunkshape[1] = COLUMNS;
    p->blockshape[0] = 2;
    p->blockshape[1] = COLUMNS;
}

static void
noise(struct reference *r, int64_t rows, uint64_t seed)
{
    struct random random;
    reference_init(r, 2, (const int64_t[]){rows, COLUMNS}, 8);
    random_init(&random, seed);
    random_bytes(&random, r->data, reference_size(r));
}

static void
make(const char *name, tess_mode mode, const struct reference *r)
{
    const tess_storage storage = at(name, mode);
    tess_params params;
    tess_array *a;
    sparse_params(&params, r->shape[0]);
    ok(tess_array_from(&storage, &params, r->data, reference_size(r), &a, err));
    ok(tess_array_close(a, err));
}

static tess_array *
reopen(const char *name, tess_mode mode)
{
    const tess_storage storage = at(name, mode);
    tess_array *a = NULL;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

// What a write does to the files happens in its call.
static tess_array *
reopen_direct(const char *name)
{
    static const tess_context direct = {.struct_size = sizeof direct};
    tess_storage storage = at(name, TESS_MODE_UPDATE);
    tess_array *a = NULL;
    storage.context = &direct;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

static void
check(const char *name, const struct reference *r)
{
    check_file(files_path(name), r);
}

// Write noise over whole chunks of array and reference.
static tess_status
write_chunk(tess_array *a, struct reference *r, int64_t chunk, uint64_t seed, tess_error *err)
{
    const int64_t start[] = {chunk * ROWS, 0}, stop[] = {start[0] + ROWS, COLUMNS};
    struct reference box;
    noise(&box, ROWS, seed);
    const tess_status st = tess_array_write(a, start, stop, box.data, reference_size(&box), err);
    if (st == TESS_OK)
        reference_set(r, start, stop, box.data);
    reference_finish(&box);
    return st;
}

static void
resize(tess_array *a, struct reference *r, int64_t rows)
{
    const int64_t shape[] = {rows, COLUMNS};
    ok(tess_array_resize(a, shape, err));
    reference_resize(r, shape);
}

// Chunk files 0 .. 63 that exist, one bit each.
static uint64_t
chunk_files(const char *name)
{
    uint64_t set = 0;
    for (unsigned n = 0; n < 64; n++) {
        char path[100];
        snprintf(path, sizeof path, "%s/%08X.chunk", name, n);
        if (files_exist(files_path(path)))
            set |= UINT64_C(1) << n;
    }
    return set;
}

static void
grows_and_shrinks(void **state)
{
    struct reference r, more;
    tess_info info;

    (void)state;
    noise(&r, 3 * ROWS, 1);
    noise(&more, 2 * ROWS, 2);
    make("a", TESS_MODE_NEW, &r);
    check("a", &r);
    assert_int_equal(chunk_files("a"), 7);

    tess_array *a = reopen("a", TESS_MODE_UPDATE);
    ok(tess_array_append(a, 0, 2 * ROWS, more.data, reference_size(&more), NULL, err));
    reference_append(&r, 0, 2 * ROWS, more.data);
    ok(tess_array_flush(a, err));
    check("a", &r);
    assert_int_equal(chunk_files("a"), 31);

    resize(a, &r, 2 * ROWS);
    assert_int_equal(chunk_files("a"), 31); // the state on disk has them still
    ok(tess_array_flush(a, err));
    check("a", &r);
    assert_int_equal(chunk_files("a"), 3);

    resize(a, &r, 0);
    ok(tess_array_close(a, err));
    check("a", &r);
    assert_int_equal(chunk_files("a"), 0);

    a = reopen("a", TESS_MODE_UPDATE);
    resize(a, &r, 4 * ROWS);
    ok(tess_array_flush(a, err));
    check("a", &r);
    assert_int_equal(chunk_files("a"), 0);
    tess_array_info(a, &info);
    assert_false(info.contiguous);
    assert_int_equal(info.cbytes, 0);
    ok(write_chunk(a, &r, 3, 3, err));
    ok(tess_array_close(a, err));
    check("a", &r);
    assert_int_equal(chunk_files("a"), 1);
    assert_int_equal(files_count(), 1);
    reference_finish(&more);
    reference_finish(&r);
}

static void
new_and_replace(void **state)
{
    const tess_storage fresh = at("a", TESS_MODE_NEW), replace = at("a", TESS_MODE_REPLACE);
    struct reference r, s;
    tess_params params;
    tess_array *a;

    (void)state;
    noise(&r, 3 * ROWS, 1);
    noise(&s, 5 * ROWS, 2);
    make("a", TESS_MODE_NEW, &r);
    sparse_params(&params, ROWS);
    refused(TESS_ERR_IO, tess_array_zeros(&fresh, &params, &a, err));
    check("a", &r);

    make("a", TESS_MODE_REPLACE, &s); // a directory
    check("a", &s);
    assert_int_equal(files_count(), 1);
    files_write(files_path("b"), "text", 4);
    make("b", TESS_MODE_REPLACE, &r); // a file
    check("b", &r);
    make("c/", TESS_MODE_REPLACE, &r); // nothing
    check("c", &r);
    assert_int_equal(files_count(), 3);

    params.codec = (tess_codec)200; // fails once the directory is there
    refused(TESS_ERR_UNSUPPORTED, tess_array_zeros(&replace, &params, &a, err));
    check("a", &s);
    assert_int_equal(files_count(), 3);
    reference_finish(&s);
    reference_finish(&r);
}

// Directories that are no array's, links, fifos.
static void
foreign_things_stay(void **state)
{
    tess_storage storage = at("documents", TESS_MODE_REPLACE);
    struct reference r;
    tess_params params;
    tess_array *a;

    (void)state;
    noise(&r, ROWS, 1);
    make("a", TESS_MODE_NEW, &r);
    sparse_params(&params, ROWS);
    assert_int_equal(mkdir(files_path("documents"), 0777), 0);
    files_write(files_path("documents/letter"), "dear", 4);
    refused(TESS_ERR_IO, tess_array_zeros(&storage, &params, &a, err));
    assert_true(files_exist(files_path("documents/letter")));

    storage.path = files_path("link");
    assert_int_equal(symlink("a", storage.path), 0);
    refused(TESS_ERR_IO, tess_array_zeros(&storage, &params, &a, err));
    storage.path = files_path("fifo");
    assert_int_equal(mkfifo(storage.path, 0666), 0);
    refused(TESS_ERR_IO, tess_array_zeros(&storage, &params, &a, err));
    check("a", &r);
    assert_int_equal(files_count(), 4);
    unlink(files_path("link"));
    reference_finish(&r);
}

// -- what may be replaced

#ifndef RENAME_EXCHANGE // the library then renames by system call, and late_arrivals_stay() is left
                        // out
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);
#endif

// The library's calls come here, too: what happens just before one of them, and which fail.
static struct {
    void (*before)(int call);
    int fails; // first call that does; 0: none
    int calls;
} renaming;

int
renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    renaming.calls++;
    if (renaming.before)
        renaming.before(renaming.calls);
    if (renaming.fails > 0 && renaming.calls >= renaming.fails) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

static tess_status
replace_with_zeros(const char *name, tess_error *err)
{
    const tess_storage storage = at(name, TESS_MODE_REPLACE);
    tess_params params;
    tess_array *a = NULL;
    sparse_params(&params, ROWS);
    renaming.calls = 0;
    const tess_status st = tess_array_zeros(&storage, &params, &a, err);
    if (st != TESS_OK)
        return st;
    return tess_array_close(a, err);
}

static void
contents_decide(void **state)
{
    enum { ARRAY = 1, FINE = 2, FOLDER = 4, LINK = 8 };
    static const struct {
        const char *name; // besides the array, if there is one; NULL: nothing
        int what;
    } cases[] = {
        {NULL, FINE},
        {NULL, ARRAY | FINE},
        {"00000007.chunk", ARRAY | FINE},
        {"0000ABCD.chunk", ARRAY | FINE},
        {"chunks.b2frame.tmp", ARRAY | FINE},
        {".b2lock", ARRAY | FINE},
        {"chunks.b2frame", FINE},
        {"00000000.chunk", 0},
        {".b2lock", 0},
        {"letter", 0},
        {"letter", ARRAY},
        {"0000000.chunk", ARRAY},
        {"000000007.chunk", ARRAY},
        {"0000000G.chunk", ARRAY},
        {"00000007.chunks", ARRAY},
        {"00000007.chunk", ARRAY | FOLDER},
        {"00000007.chunk", ARRAY | LINK},
        {"chunks.b2frame", FOLDER},
        {"chunks.b2frame", LINK},
    };
    struct reference r, zeros;
    char inside[100];

    (void)state;
    noise(&r, ROWS, 1);
    reference_init(&zeros, 2, (const int64_t[]){ROWS, COLUMNS}, 8);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int what = cases[i].what;
        const char *const name = cases[i].name;
        snprintf(inside, sizeof inside, "a/%s", name ? name : ".");
        if (what & ARRAY)
            make("a", TESS_MODE_NEW, &r);
        else
            assert_int_equal(mkdir(files_path("a"), 0777), 0);
        if (what & FOLDER)
            assert_int_equal(mkdir(files_path(inside), 0777), 0);
        else if (what & LINK)
            assert_int_equal(symlink("/dev/null", files_path(inside)), 0);
        else if (name)
            files_write(files_path(inside), "dear", 4);

        print_message("%s, %d\n", inside, what);
        if (what & FINE) {
            ok(replace_with_zeros("a", err));
            check("a", &zeros);
        } else {
            refused(TESS_ERR_IO, replace_with_zeros("a", err));
            assert_int_equal(renaming.calls, 0); // before anything is changed
            assert_true(files_exist(files_path(inside)));
            if (what & ARRAY)
                check("a", &r);
        }
        assert_int_equal(files_count(), 1);
        files_remove(files_path("a"));
    }
    reference_finish(&zeros);
    reference_finish(&r);
}

static void
letter_arrives(int call)
{
    if (call == 1)
        files_write(files_path("a/letter"), "dear", 4);
}

static void
letter_arrives_and_name_goes(int call)
{
    letter_arrives(call);
    if (call == 2)
        assert_int_equal(rename(files_path("a"), files_path("elsewhere")), 0);
}

// A directory that was the array's, and is the user's when its name is taken, gets that back; or is
// left where it is.
static void
late_arrivals_stay(void **state)
{
    struct reference r, zeros;
    tess_error error;

    (void)state;
#ifndef RENAME_EXCHANGE
    skip();
#endif
    noise(&r, ROWS, 1);
    reference_init(&zeros, 2, (const int64_t[]){ROWS, COLUMNS}, 8);
    make("a", TESS_MODE_NEW, &r);
    renaming.before = letter_arrives;
    assert_int_equal(replace_with_zeros("a", &error), TESS_ERR_IO);
    check_error(&error, TESS_ERR_IO, "a letter arrives");
    assert_int_equal(renaming.calls, 2);
    assert_true(files_exist(files_path("a/letter")));
    check("a", &r);
    assert_int_equal(files_count(), 1);

    assert_int_equal(unlink(files_path("a/letter")), 0);
    renaming.before = letter_arrives_and_name_goes;
    assert_int_equal(replace_with_zeros("a", &error), TESS_ERR_IO);
    assert_int_equal(renaming.calls, 3);
    assert_true(files_exist(files_path("a/letter")));
    check("a", &r);
    files_remove(files_path("elsewhere"));
    assert_int_equal(files_count(), 1);

    assert_int_equal(unlink(files_path("a/letter")), 0);
    renaming.before = letter_arrives;
    renaming.fails = 2;
    assert_int_equal(replace_with_zeros("a", &error), TESS_ERR_IO);
    check_error(&error, TESS_ERR_IO, "names cannot be changed any more");
    renaming.before = NULL;
    renaming.fails = 0;
    char name[300], inside[320];
    const char *const start = strstr(error.message, "/a.");
    assert_non_null(start);
    assert_int_equal(sscanf(start + 1, "%299[^: ]", name), 1);
    snprintf(inside, sizeof inside, "%s/letter", name);
    assert_true(files_exist(files_path(inside)));
    check(name, &r);
    check("a", &zeros);
    assert_int_equal(files_count(), 2);
    reference_finish(&zeros);
    reference_finish(&r);
}

static void
discard_keeps_commit(void **state)
{
    struct reference r, committed;

    (void)state;
    noise(&r, 3 * ROWS, 1);
    make("a", TESS_MODE_NEW, &r);
    tess_array *a = reopen("a", TESS_MODE_UPDATE);
    ok(write_chunk(a, &r, 1, 2, err));
    ok(tess_array_flush(a, err));
    reference_copy(&committed, &r);
    ok(write_chunk(a, &r, 1, 3, err));
    ok(write_chunk(a, &r, 0, 4, err));
    resize(a, &r, ROWS);
    check_array(a, &r);
    tess_array_discard(a);
    check("a", &committed);

    // What it left behind is in nobody's way.
    a = reopen("a", TESS_MODE_UPDATE);
    for (int64_t chunk = 0; chunk < 3; chunk++)
        ok(write_chunk(a, &committed, chunk, 7, err));
    ok(tess_array_close(a, err));
    check("a", &committed);
    reference_finish(&committed);
    reference_finish(&r);
}

// All items, which must be those of the reference or not be had at all.
static void
read_or_stale(const tess_array *a, const struct reference *r, bool stale)
{
    const int64_t start[] = {0, 0};
    uint8_t *const got = malloc(reference_size(r));
    assert_non_null(got);
    const tess_status st = tess_array_read(a, start, r->shape, got, reference_size(r), NULL);
    assert_int_equal(st, stale ? TESS_ERR_STALE : TESS_OK);
    if (!stale)
        assert_memory_equal(got, r->data, reference_size(r));
    free(got);
}

static void
readers(void **state)
{
    struct reference r, old;

    (void)state;
    noise(&r, 2 * ROWS, 1);
    reference_copy(&old, &r);
    make("a", TESS_MODE_NEW, &r);
    tess_array *const first = reopen("a", TESS_MODE_READ);

    tess_array *a = reopen("a", TESS_MODE_UPDATE);
    ok(write_chunk(a, &r, 0, 2, err));
    read_or_stale(first, &old, false); // not committed
    ok(tess_array_close(a, err));
    read_or_stale(first, &old, true);

    tess_array *const second = reopen("a", TESS_MODE_READ);
    read_or_stale(second, &r, false);
    make("a", TESS_MODE_REPLACE, &old);
    read_or_stale(second, &r, true);
    ok(tess_array_close(first, err));
    ok(tess_array_close(second, err));
    check("a", &old);
    reference_finish(&old);
    reference_finish(&r);
}

// Each session uses numbers again that the one before it made free, and does not know its lengths:
// the header may become that of the first state, byte for byte, and its numbers stand for others.
static void
reader_of_many_sessions(void **state)
{
    enum { CHUNKS = 4, ARRAYS = 30, SESSIONS = 5 };
    struct random random;
    struct reference r, old;

    (void)state;
    random_init(&random, random_seed());
    for (int i = 0; i < ARRAYS; i++) {
        noise(&r, CHUNKS * ROWS, random_next(&random));
        reference_copy(&old, &r);
        make("a", TESS_MODE_REPLACE, &r);
        tess_array *const reader = reopen("a", TESS_MODE_READ);
        read_or_stale(reader, &old, false);
        for (int k = 0; k < SESSIONS; k++) {
            const int64_t chunk = (int64_t)random_below(&random, CHUNKS);
            tess_array *const a = reopen("a", TESS_MODE_UPDATE);
            ok(write_chunk(a, &r, chunk, random_next(&random), err));
            ok(tess_array_close(a, err));
            read_or_stale(reader, &old, true);
        }
        ok(tess_array_close(reader, err));
        check("a", &r);
        reference_finish(&old);
        reference_finish(&r);
    }
}

static void
writers(void **state)
{
    const tess_storage storage = at("a", TESS_MODE_UPDATE);
    struct reference r, s;
    tess_array *b;

    (void)state;
    noise(&r, 2 * ROWS, 1);
    noise(&s, 2 * ROWS, 2);
    make("a", TESS_MODE_NEW, &r);
    tess_array *a = reopen_direct("a");
    refused(TESS_ERR_IO, tess_array_open(&storage, &b, err));
    make("b", TESS_MODE_NEW, &s);
    assert_int_equal(rename(files_path("a"), files_path("old")),
                     0); // not by us: it is being written
    assert_int_equal(rename(files_path("b"), files_path("a")), 0);
    files_remove(files_path("old"));
    refused(TESS_ERR_STALE, write_chunk(a, &r, 0, 3, err));
    tess_array_discard(a);
    check("a", &s);
    assert_int_equal(files_count(), 1);
    reference_finish(&s);
    reference_finish(&r);
}

// A directory has the name of the next chunk, or of the next index; then it has not.
static void
failures(void **state)
{
    struct reference r, committed;

    (void)state;
    noise(&r, 2 * ROWS, 1);
    make("a", TESS_MODE_NEW, &r);
    reference_copy(&committed, &r);
    tess_array *a = reopen_direct("a");

    assert_int_equal(mkdir(files_path("a/00000002.chunk"), 0777), 0);
    refused(TESS_ERR_IO, write_chunk(a, &r, 0, 2, err));
    check_array(a, &r);
    assert_int_equal(rmdir(files_path("a/00000002.chunk")), 0);
    ok(write_chunk(a, &r, 0, 2, err));

    assert_int_equal(mkdir(files_path("a/chunks.b2frame.tmp"), 0777), 0);
    refused(TESS_ERR_IO, tess_array_flush(a, err));
    check_array(a, &r);
    check("a", &committed);
    ok(write_chunk(a, &r, 0, 3, err)); // the first of the two is dropped
    ok(write_chunk(a, &r, 1, 4, err));
    refused(TESS_ERR_IO, tess_array_flush(a, err));
    check("a", &committed);
    assert_int_equal(rmdir(files_path("a/chunks.b2frame.tmp")), 0);
    ok(tess_array_close(a, err));
    check("a", &r);
    const uint64_t files = chunk_files("a");
    assert_int_equal(__builtin_popcountll(files), 2);
    reference_finish(&committed);
    reference_finish(&r);
}

static void
read_refused(const char *name, tess_status want)
{
    const int64_t start[] = {0, 0}, stop[] = {1, 1};
    uint8_t item[8];
    for (int mapped = 0; mapped < 2; mapped++) {
        tess_storage storage = at(name, TESS_MODE_READ);
        tess_array *a;
        storage.mmap = mapped;
        ok(tess_array_open(&storage, &a, err));
        refused(want, tess_array_read(a, start, stop, item, sizeof item, err));
        ok(tess_array_close(a, err));
    }
}

static void
damaged_directories(void **state)
{
    const char *const chunk = "a/00000000.chunk";
    struct reference r;
    size_t size;

    (void)state;
    noise(&r, 2 * ROWS, 1);
    make("a", TESS_MODE_NEW, &r);
    uint8_t *const bytes = files_read(files_path(chunk), &size);
    uint8_t *const longer = calloc(1, size + 5000);
    assert_non_null(longer);
    memcpy(longer, bytes, size);

    files_write(files_path("a/00000007.chunk"), "orphan", 6);
    files_write(files_path("a/notes"), "", 0);
    files_write(files_path(chunk), longer, size + 5000);
    check("a", &r);

    files_write(files_path(chunk), bytes, size - 1);
    read_refused("a", TESS_ERR_CORRUPT);
    files_write(files_path(chunk), bytes, 0);
    read_refused("a", TESS_ERR_CORRUPT);
    unlink(files_path(chunk));
    read_refused("a", TESS_ERR_IO);
    assert_int_equal(mkdir(files_path(chunk), 0777), 0);
    read_refused("a", TESS_ERR_IO);
    assert_int_equal(rmdir(files_path(chunk)), 0);
    assert_int_equal(mkfifo(files_path(chunk), 0666), 0);
    read_refused("a", TESS_ERR_IO);
    unlink(files_path(chunk));
    files_write(files_path("chunk"), bytes, size);
    assert_int_equal(symlink("../chunk", files_path(chunk)), 0);
    read_refused("a", TESS_ERR_IO);
    unlink(files_path(chunk));

    // The whole chunk can be written again, and the array is as it should be.
    tess_array *const a = reopen("a", TESS_MODE_UPDATE);
    ok(write_chunk(a, &r, 0, 2, err));
    ok(tess_array_close(a, err));
    check("a", &r);

    const tess_storage storage = at("a", TESS_MODE_READ);
    tess_array *none;
    unlink(files_path("a/chunks.b2frame"));
    refused(TESS_ERR_FORMAT, tess_array_open(&storage, &none, err));
    free(longer);
    free(bytes);
    reference_finish(&r);
}

// The header's number of stored bytes is a claim; so is the length of a chunk file.
static void
claims_of_stored_bytes(void **state)
{
    enum { CBYTES_AT = 39 };
    struct reference r;
    tess_info info;
    size_t size;

    (void)state;
    noise(&r, 3 * ROWS, 1);
    make("a", TESS_MODE_NEW, &r);
    uint8_t *bytes = files_read(files_path("a/chunks.b2frame"), &size);
    bytes[CBYTES_AT] = 0x7f;
    memset(bytes + CBYTES_AT + 1, 0xff, 7);
    files_write(files_path("a/chunks.b2frame"), bytes, size);
    free(bytes);
    tess_array *a = reopen("a", TESS_MODE_UPDATE);
    ok(write_chunk(a, &r, 0, 2, err));
    ok(tess_array_close(a, err));
    check("a", &r);

    make("b", TESS_MODE_NEW, &r);
    bytes = files_read(files_path("b/00000000.chunk"), &size);
    const size_t file_size = size + 5000;
    uint8_t *const longer = calloc(1, file_size);
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    files_write(files_path("b/00000000.chunk"), longer, file_size);
    a = reopen("b", TESS_MODE_UPDATE);
    ok(write_chunk(a, &r, 0, 3, err));
    ok(tess_array_flush(a, err));
    tess_array_info(a, &info);
    assert_int_equal(info.cbytes, 3 * size); // noise: all chunks have that size
    ok(tess_array_close(a, err));
    const size_t chunks = 3 * size;
    free(files_read(files_path("b/chunks.b2frame"), &size));
    assert_int_equal(info.file_size, size + chunks);
    check("b", &r);
    free(longer);
    free(bytes);
    reference_finish(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(grows_and_shrinks, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(new_and_replace, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(foreign_things_stay, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(contents_decide, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(late_arrivals_stay, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(discard_keeps_commit, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(readers, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(reader_of_many_sessions, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(writers, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(failures, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(damaged_directories, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(claims_of_stored_bytes, files_setup, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
