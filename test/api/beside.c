/*
 * beside.c - runs every call that reads concurrently with every call that changes the same array,
 * for every kind of storage.
 *
 * Made for the thread sanitizer: memory of a state that readers use must not be freed when writes,
 * commits, resizes, a refresh or a new context replace the state. Calls that require exclusive
 * access are guarded by a lock of the program; all others run concurrently.
 *
 *     build/test/api_beside sparse        # one kind of storage, with many rounds: TESS_TEST_CASES
 */
#include "api/beside.h"
#include "support/files.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    READERS = 3,
    WRITERS = 2,
    CALLS = 60, // of a thread in a round
};

// -- items, and what is drawn

uint64_t
item_of(uint32_t number, int64_t row, int64_t column)
{
    return (uint64_t)number << 32 | (uint64_t)row << 16 | (uint64_t)column;
}

bool
item_is_right(uint64_t got, int64_t row, int64_t column)
{
    return (uint32_t)got == 0 || (uint32_t)got == (uint32_t)item_of(0, row, column);
}

void
complain(struct thread *t, const char *what, uint64_t got, int64_t row, int64_t column)
{
    (void)snprintf(t->wrong, sizeof t->wrong, "%s: %s: %llx at (%lld, %lld)", t->way, what,
                   (unsigned long long)got, (long long)row, (long long)column);
}

void
expect(struct thread *t, bool right, const char *what)
{
    if (!right)
        complain(t, what, 0, 0, 0);
}

void
draw_box(struct thread *t, int64_t start[2], int64_t stop[2])
{
    const int64_t shape[2] = {t->rows, t->s->columns};
    const bool large = below(&t->random, 4) == 0;
    for (int i = 0; i < 2; i++) {
        const int64_t most = large ? shape[i] : 2 * t->s->kind->unit;
        start[i] = below(&t->random, shape[i]);
        stop[i] = start[i] + 1 + below(&t->random, most);
        stop[i] = stop[i] < shape[i] ? stop[i] : shape[i];
        if (large && below(&t->random, 2)) {
            start[i] = 0;
            stop[i] = shape[i];
        }
    }
}

void
draw_points(struct thread *t, int64_t coords[BESIDE_POINTS][2])
{
    for (int k = 0; k < BESIDE_POINTS; k++) {
        coords[k][0] = below(&t->random, t->rows);
        coords[k][1] = below(&t->random, t->s->columns);
    }
}

void
draw_lists(struct thread *t, int64_t lists[2][BESIDE_BOXES])
{
    for (int k = 0; k < BESIDE_BOXES; k++) {
        lists[0][k] = below(&t->random, t->rows);
        lists[1][k] = below(&t->random, t->s->columns);
    }
}

void
draw_starts(struct thread *t, int64_t starts[BESIDE_BOXES][2], int64_t shape[2])
{
    const int64_t all[2] = {t->rows, t->s->columns};
    for (int i = 0; i < 2; i++) {
        shape[i] = t->s->kind->unit < all[i] ? t->s->kind->unit : all[i];
        for (int k = 0; k < BESIDE_BOXES; k++)
            starts[k][i] = below(&t->random, all[i] - shape[i] + 1);
    }
}

int64_t
draw_chunk(struct thread *t)
{
    const int64_t across = (t->s->columns + t->s->chunk - 1) / t->s->chunk;
    const int64_t down = (t->rows + t->s->chunk - 1) / t->s->chunk;
    return below(&t->random, across * down);
}

tess_status
maybe(tess_status st)
{
    return st == TESS_ERR_NOT_FOUND ? TESS_OK : st;
}

// -- threads

// A source says how large its object is before it is read: that object is one state meanwhile.
static tess_status
refresh(struct thread *t, tess_error *err)
{
    struct stage *const s = t->s;
    const bool source = s->kind->access >= SOURCE;
    if (source)
        (void)pthread_rwlock_wrlock(&s->lock);
    (void)pthread_rwlock_wrlock(&s->reader_lock);
    const tess_status st = tess_array_refresh(s->r, NULL, err);
    (void)pthread_rwlock_unlock(&s->reader_lock);
    if (source)
        (void)pthread_rwlock_unlock(&s->lock);
    return st;
}

static tess_status
call(struct thread *t, const struct way *way)
{
    const bool own = t->s->r != t->s->w && !t->writes;
    pthread_rwlock_t *const lock = own ? &t->s->reader_lock : &t->s->lock;
    tess_info info;
    t->way = way->name;
    t->a = own ? t->s->r : t->s->w;
    (void)(way->alone ? pthread_rwlock_wrlock(lock) : pthread_rwlock_rdlock(lock));
    tess_array_info(t->a, &info);
    t->rows = info.shape[0];
    tess_status st = way->fn(t, &t->error);
    (void)pthread_rwlock_unlock(lock);
    if (own && (st == TESS_ERR_STALE || below(&t->random, 16) == 0)) {
        // The state was replaced during the read: the items are undefined.
        t->wrong[0] = st == TESS_ERR_STALE ? '\0' : t->wrong[0];
        t->stale += st == TESS_ERR_STALE;
        t->way = "refresh";
        st = refresh(t, &t->error);
        st = st == TESS_ERR_STALE ? TESS_OK : st;
    }
    return st;
}

static void *
work(void *argument)
{
    struct thread *const t = argument;
    const bool plain = t->s->kind->unit == 0;
    const struct ways *const ways = plain ? t->writes ? &beside_schunk_writes : &beside_schunk_reads
                                    : t->writes ? &beside_writes
                                                : &beside_reads;
    for (t->calls = 0; t->calls < CALLS && t->status == TESS_OK && !t->wrong[0]; t->calls++)
        t->status = call(t, &ways->list[below(&t->random, (int64_t)ways->n)]);
    return NULL;
}

// -- a source that reads the file or directory at a path

static tess_status
file_state(void *user, tess_source_state *state, tess_error *err)
{
    struct stat info;
    (void)err;
    if (stat(user, &info) != 0)
        return errno == ENOENT ? TESS_ERR_NOT_FOUND : TESS_ERR_IO;
    state->size = info.st_size;
    return TESS_OK;
}

static tess_status
file_read(void *user, const tess_range *ranges, size_t n, const tess_reading *reading,
          tess_error *err)
{
    const int fd = open(user, O_RDONLY | O_CLOEXEC);
    bool all = fd >= 0;
    (void)err;
    for (size_t i = 0; i < n && all; i++) {
        all = pread(fd, ranges[i].dst, ranges[i].dst_size, ranges[i].offset) ==
              (ssize_t)ranges[i].dst_size;
        if (all)
            tess_reading_arrived(reading, i);
    }
    if (fd >= 0)
        close(fd);
    return all ? TESS_OK : TESS_ERR_STALE; // the file was longer when it was opened
}

static tess_status file_part(void *user, const char *name, tess_source *part, tess_error *err);

static tess_status
file_refresh(void *user, tess_error *err)
{
    (void)user, (void)err;
    return TESS_OK;
}

static tess_source
file_source(char *path, bool directory, int64_t latency)
{
    tess_source source;
    tess_source_init(&source);
    source.user = path;
    source.latency = latency;
    source.close = free;
    source.refresh = file_refresh;
    if (directory) {
        source.part = file_part;
    } else {
        source.state = file_state;
        source.read = file_read;
    }
    return source;
}

static tess_status
file_part_at(const char *directory, const char *name, int64_t latency, tess_source *part)
{
    const size_t size = strlen(directory) + strlen(name) + 2;
    char *const path = malloc(size);
    if (!path)
        return TESS_ERR_NOMEM;
    (void)snprintf(path, size, "%s/%s", directory, name);
    if (access(path, R_OK) != 0) {
        free(path);
        return TESS_ERR_NOT_FOUND;
    }
    *part = file_source(path, false, latency);
    return TESS_OK;
}

enum { LATENCY = 2000 }; // microseconds that a far source declares; it takes less

// A directory of that latency has a mark behind its path.
static tess_status
file_part(void *user, const char *name, tess_source *part, tess_error *err)
{
    const char *const directory = user;
    const bool far = directory[strlen(directory) + 1] == 'f';
    (void)err;
    return file_part_at(directory, name, far ? LATENCY : 0, part);
}

static tess_source
stage_source(const struct stage *s)
{
    const bool far = s->kind->access == FAR_SOURCE;
    const size_t length = strlen(s->path);
    char *const path = malloc(length + 2);
    assert_non_null(path);
    memcpy(path, s->path, length + 1);
    path[length + 1] = far ? 'f' : 'n';
    return file_source(path, s->kind->layout == TESS_LAYOUT_SPARSE, far ? LATENCY : 0);
}

// -- rounds

static void
open_readers(struct stage *s)
{
    tess_storage storage;
    tess_source source;
    tess_storage_init(&storage);
    storage.checksums = s->kind->checksums;
    if (s->kind->access == SOURCE || s->kind->access == FAR_SOURCE) {
        source = stage_source(s);
        storage.source = &source;
    } else {
        storage.path = s->path;
        storage.mmap = s->kind->access == MAPPED;
        storage.lock_file = s->kind->lock_file;
    }
    ok(tess_array_open(&storage, &s->r, err));
}

static void
open_sketch(struct stage *s)
{
    tess_storage memory;
    void *image = NULL;
    tess_storage_init(&memory);
    ok(tess_array_sketch(s->w, &image, &memory.image_size, err));
    memory.image = image;
    memory.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&memory, &s->sketch, err));
    tess_free(image);
    ok(tess_adoption_begin(s->w, &s->adoption, err));
}

static void
create_super_chunk(struct stage *s, const tess_storage *storage, tess_params *params)
{
    static const uint64_t items[BESIDE_CHUNK];
    params->ndim = 0;
    s->most_rows = BESIDE_CHUNK * BESIDE_CHUNK;
    s->columns = 1;
    ok(tess_schunk_create(storage, params, &s->w, err));
    for (int n = 0; n < 5; n++)
        ok(tess_schunk_insert(s->w, n, items, sizeof items, err));
}

static void
stage_begin(struct stage *s, const struct kind *kind, struct random *r)
{
    tess_context context;
    tess_storage storage;
    tess_params params;
    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->columns = 10 * kind->unit;
    s->most_rows = 15 * kind->unit;
    s->chunk = 5 * kind->unit / 2;
    (void)snprintf(s->path, sizeof s->path, "%s", files_path("array"));
    tess_context_init(&context);
    context.threads = 2;
    context.cache = kind->cache;
    tess_storage_init(&storage);
    storage.context = &context;
    storage.path = kind->memory ? NULL : s->path;
    storage.mode = TESS_MODE_REPLACE;
    storage.checksums = kind->checksums;
    storage.durability = random_below(r, 4) ? TESS_DURABILITY_NONE : TESS_DURABILITY_ORDERED;
    storage.lock_file = kind->lock_file;
    storage.never_reuse = kind->access == MAPPED; // what is mapped does not get shorter
    tess_params_init(&params);
    params.dtype = NATIVE "u8";
    params.ndim = 2;
    params.layout = kind->layout;
    params.clevel = (int)random_below(r, 2);
    params.shape[0] = s->most_rows * 3 / 4;
    params.shape[1] = s->columns;
    for (int i = 0; i < 2; i++) {
        params.chunkshape[i] = s->chunk;
        params.blockshape[i] = kind->unit;
    }
    if (kind->unit == 0)
        create_super_chunk(s, &storage, &params);
    else
        ok(tess_array_zeros(&storage, &params, &s->w, err));
    ok(tess_array_flush(s->w, err));
    s->r = s->w;
    if (kind->access != THE_SAME)
        open_readers(s);
    if (kind->unit > 0 && random_below(r, 2))
        open_sketch(s);
    (void)pthread_rwlock_init(&s->lock, NULL);
    (void)pthread_rwlock_init(&s->reader_lock, NULL);
    (void)pthread_mutex_init(&s->next_lock, NULL);
}

static void
stage_end(struct stage *s)
{
    if (s->r != s->w)
        ok(tess_array_close(s->r, err));
    ok(tess_adoption_end(s->adoption, false, err));
    tess_array_discard(s->sketch);
    ok(tess_array_close(s->w, err));
    (void)pthread_rwlock_destroy(&s->lock);
    (void)pthread_rwlock_destroy(&s->reader_lock);
    (void)pthread_mutex_destroy(&s->next_lock);
    if (!s->kind->memory)
        files_remove(s->path);
    files_remove(files_path("array.b2lock"));
    assert_int_equal(files_count(), 0); // no temporary names, nor files of copies
}

static void
thread_begin(struct thread *t, struct stage *s, bool writer, uint64_t seed)
{
    memset(t, 0, sizeof *t);
    t->s = s;
    t->writes = writer;
    t->size = 8 * (size_t)(s->most_rows * s->columns);
    t->items = malloc(t->size);
    assert_non_null(t->items);
    random_init(&t->random, seed);
    assert_int_equal(pthread_create(&t->thread, NULL, work, t), 0);
}

static void
run_round(const struct kind *kind, uint64_t seed)
{
    struct thread threads[READERS + WRITERS];
    struct stage stage;
    struct random r;
    random_init(&r, seed);
    stage_begin(&stage, kind, &r);
    for (int i = 0; i < READERS + WRITERS; i++)
        thread_begin(&threads[i], &stage, i >= READERS, random_next(&r));
    for (int i = 0; i < READERS + WRITERS; i++) {
        assert_int_equal(pthread_join(threads[i].thread, NULL), 0);
        free(threads[i].items);
    }
    for (int i = 0; i < READERS + WRITERS; i++) {
        const struct thread *const t = &threads[i];
        if (t->status != TESS_OK)
            fail_msg("%s: %s: %s: %s", kind->name, t->way, tess_status_name(t->status),
                     t->error.message);
        if (t->wrong[0])
            fail_msg("%s: %s", kind->name, t->wrong);
        assert_true(t->stale < CALLS / 2 || kind->access == THE_SAME);
    }
    stage_end(&stage);
}

static const struct kind kinds[] = {
    {"memory", true, TESS_LAYOUT_CONTIGUOUS, THE_SAME, 4, 1 << 20, TESS_CHECKSUMS_WRITE, false},
    {"file", false, TESS_LAYOUT_CONTIGUOUS, THE_SAME, 4, 4000, TESS_CHECKSUMS_WRITE, false},
    {"large", false, TESS_LAYOUT_CONTIGUOUS, THE_SAME, 64, 1 << 20, TESS_CHECKSUMS_WRITE, false},
    {"locked", false, TESS_LAYOUT_CONTIGUOUS, THE_SAME, 4, 0, TESS_CHECKSUMS_VERIFY, true},
    {"sparse", false, TESS_LAYOUT_SPARSE, THE_SAME, 4, 0, TESS_CHECKSUMS_WRITE, false},
    {"sparse, verified", false, TESS_LAYOUT_SPARSE, THE_SAME, 4, 1 << 20, TESS_CHECKSUMS_VERIFY,
     true},
    {"super-chunk", false, TESS_LAYOUT_CONTIGUOUS, THE_SAME, 0, 0, TESS_CHECKSUMS_WRITE, false},
    {"super-chunk, sparse", false, TESS_LAYOUT_SPARSE, THE_SAME, 0, 0, TESS_CHECKSUMS_WRITE, false},
    {"opened", false, TESS_LAYOUT_CONTIGUOUS, OPENED, 4, 0, TESS_CHECKSUMS_WRITE, false},
    {"opened, sparse", false, TESS_LAYOUT_SPARSE, OPENED, 4, 0, TESS_CHECKSUMS_WRITE, false},
    {"mapped", false, TESS_LAYOUT_CONTIGUOUS, MAPPED, 4, 0, TESS_CHECKSUMS_WRITE, false},
    {"source", false, TESS_LAYOUT_CONTIGUOUS, SOURCE, 4, 0, TESS_CHECKSUMS_WRITE, false},
    {"far", false, TESS_LAYOUT_CONTIGUOUS, FAR_SOURCE, 4, 0, TESS_CHECKSUMS_WRITE, false},
    {"far, sparse", false, TESS_LAYOUT_SPARSE, FAR_SOURCE, 4, 0, TESS_CHECKSUMS_WRITE, false},
};

static const char *only; // one kind

static void
beside(void **state)
{
    const uint64_t seed = random_seed();
    const int64_t rounds = random_cases(1, 30);
    tess_budgets budgets;
    (void)state;
    tess_budgets_init(&budgets);
    budgets.files = 14; // files are closed and opened again meanwhile
    ok(tess_process_set_budgets(&budgets, err));
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (int64_t n = 0; n < rounds && (!only || strcmp(only, kinds[k].name) == 0); n++)
            run_round(&kinds[k], seed + (uint64_t)n);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(beside, files_setup, files_teardown),
    };
    (void)setenv("TESS_NUM_THREADS", "3", 1);
    only = argc > 1 ? argv[1] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
