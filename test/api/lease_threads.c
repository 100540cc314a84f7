/*
 * lease_threads.c - workers write chunks to leases while other chunks of the array are overwritten
 * so much that the library commits on its own, again and again.
 *
 * Made for the thread sanitizer, too. Packets are added untrusted: what was overwritten while it
 * waited would not have its checksum any more. Chunks that came before are compared in the end.
 */
#include "support/files.h"
#include "support/packet_arrays.h"

#include <tessera.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CHUNK = 64, // rows and columns
    COLUMNS = 2 * CHUNK,
    BUSY = 24, // rows of chunks that are overwritten
    LENT = 32, // the others, which packets bring
    ROWS = (BUSY + LENT) * CHUNK,
    WRITES = 100, // at least, of a row of chunks or a part of it
    WORKERS = 2,
    WAITING = 5, // packets that a worker keeps for later
};

static double items[ROWS][COLUMNS];

struct owner {
    const char *path;
    const tess_params *p;
    tess_array *a, *sketch;
    tess_adoption *ad;
    bool files;
    atomic_int next; // row of chunks to be encoded
    atomic_bool done; // all of them were adopted
};

struct helper {
    pthread_t thread;
    struct owner *o;
    struct random random;
};

static tess_params
make_params(void)
{
    tess_params p;
    tess_params_init(&p);
    p.dtype = "<f8";
    p.ndim = 2;
    p.shape[0] = ROWS;
    p.shape[1] = COLUMNS;
    p.chunkshape[0] = p.chunkshape[1] = CHUNK;
    p.blockshape[0] = CHUNK / 4;
    p.blockshape[1] = CHUNK;
    return p;
}

// The one that writes in place: rows of chunks as a whole, or some of their rows.
static void *
overwrite(void *arg)
{
    struct helper *const h = arg;
    for (int i = 0; i < WRITES || !atomic_load(&h->o->done); i++) {
        const bool whole = random_below(&h->random, 4) > 0;
        int64_t start[2] = {(int64_t)random_below(&h->random, BUSY) * CHUNK, 0};
        int64_t stop[2] = {start[0] + CHUNK, COLUMNS};
        if (!whole) {
            start[0] += (int64_t)random_below(&h->random, CHUNK);
            stop[0] =
                start[0] + 1 + (int64_t)random_below(&h->random, (uint64_t)(stop[0] - start[0]));
        }
        const size_t size = (size_t)(stop[0] - start[0]) * sizeof items[0];
        random_bytes(&h->random, items[start[0]], size);
        ok(tess_array_write(h->o->a, start, stop, items[start[0]], size, err));
    }
    return NULL;
}

struct waiting {
    struct packet there;
    tess_lease lease;
};

static void
adopt(struct helper *h, const struct waiting *w)
{
    add(h->o->ad, &w->there);
    tess_free(w->there.bytes);
    if (random_below(&h->random, 2))
        ok(tess_adoption_return(h->o->ad, &w->lease, err));
}

// A worker that dies behind the packet of another: nothing of its lease is adopted.
static void
place_in_vain(struct helper *h, const struct packet *packet)
{
    tess_lease lease;
    ok(tess_adoption_lease(h->o->ad, needs(packet, h->o->files), &lease, err));
    const struct packet there = place_packet(packet, h->o->path, &lease);
    tess_free(there.bytes);
    if (random_below(&h->random, 2))
        ok(tess_adoption_return(h->o->ad, &lease, err));
}

static void *
work(void *arg)
{
    struct helper *const h = arg;
    struct owner *const o = h->o;
    struct waiting waiting[WAITING];
    size_t n = 0;
    for (int row; (row = atomic_fetch_add(&o->next, 1)) < BUSY + LENT;) {
        const int64_t start[2] = {row * CHUNK, 0}, stop[2] = {(row + 1) * CHUNK, COLUMNS};
        const struct packet packet =
            encode_box(o->sketch, o->p, (const uint8_t *)items, start, stop);
        struct waiting *const w = &waiting[n++];
        if (random_below(&h->random, 3) == 0)
            place_in_vain(h, &packet);
        const int64_t size = needs(&packet, o->files) + (int64_t)random_below(&h->random, 9);
        ok(tess_adoption_lease(o->ad, size, &w->lease, err));
        w->there = place_packet(&packet, o->path, &w->lease);
        tess_free(packet.bytes);
        while (n == WAITING || (n > 0 && random_below(&h->random, 3) == 0)) {
            const size_t i = (size_t)random_below(&h->random, n);
            adopt(h, &waiting[i]);
            waiting[i] = waiting[--n];
        }
    }
    while (n > 0)
        adopt(h, &waiting[--n]);
    return NULL;
}

static void
count_commits(const tess_log_entry *entry, void *user)
{
    if (entry->event == TESS_EVENT_COMMIT)
        ++*(int *)user;
}

static void
check_items(const tess_array *a)
{
    static double got[ROWS][COLUMNS];
    const int64_t start[2] = {0}, stop[2] = {ROWS, COLUMNS};
    ok(tess_array_read(a, start, stop, got, sizeof got, err));
    for (int i = 0; i < ROWS; i++)
        if (memcmp(got[i], items[i], sizeof items[i]) != 0)
            fail_msg("row %d is another one", i);
}

static void
run(int home, struct random *r)
{
    const char *const path = files_path("busy");
    const tess_params p = make_params();
    const int64_t start[2] = {0}, stop[2] = {BUSY * CHUNK, COLUMNS};
    struct owner o = {.path = path, .p = &p, .files = home == 2, .next = BUSY};
    struct helper writer = {.o = &o}, workers[WORKERS];
    tess_storage storage = storage_at(path, TESS_MODE_UPDATE);
    int commits = 0;

    random_bytes(r, items, sizeof items);
    ok(tess_array_close(make_owner(home, &p, path), err));
    storage.durability = (tess_durability)random_below(r, 3);
    storage.lock_file = random_below(r, 2);
    ok(tess_array_open(&storage, &o.a, err));
    o.sketch = open_sketch(o.a, NULL);
    ok(tess_array_write(o.a, start, stop, items, BUSY * CHUNK * sizeof items[0], err));
    ok(tess_array_flush(o.a, err)); // what is overwritten from here on is on the disk
    ok(tess_log_set(TESS_LOG_INFO, count_commits, &commits, err));
    o.ad = begin_adoption(o.a);
    random_init(&writer.random, random_next(r));
    assert_int_equal(pthread_create(&writer.thread, NULL, overwrite, &writer), 0);
    for (int i = 0; i < WORKERS; i++) {
        workers[i].o = &o;
        random_init(&workers[i].random, random_next(r));
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    atomic_store(&o.done, true);
    assert_int_equal(pthread_join(writer.thread, NULL), 0);
    ok(tess_log_set(TESS_LOG_OFF, NULL, NULL, err));
    assert_in_range(commits, 3, 100000);
    ok(tess_adoption_end(o.ad, random_below(r, 2), err));
    check_items(o.a);
    ok(tess_array_close(o.a, err));
    ok(tess_array_close(o.sketch, err));
    verify(path);
    storage.mode = TESS_MODE_READ;
    ok(tess_array_open(&storage, &o.a, err));
    check_items(o.a);
    ok(tess_array_close(o.a, err));
    files_remove(path);
}

static void
run_many(int home)
{
    struct random r;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(2, 40); i > 0; i--)
        run(home, &r);
}

static void
file(void **state)
{
    (void)state;
    run_many(1);
}

static void
directory(void **state)
{
    (void)state;
    run_many(2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(file),
        IN_A_FOLDER(directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
