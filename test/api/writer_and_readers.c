/*
 * writer_and_readers.c - one writer and many readers, in processes and threads, for as long as it
 * takes: every value that is read was committed, all values of one call are of one commit, and that
 * is the newest one when the call begins, or a later one.
 *
 * The threads of a reader share a handle. Readers are killed now and then, and others take their
 * place. The writer closes the array now and then, and puts a copy in its place.
 */
#include "api/witness.h"
#include "support/files.h"
#include "support/states.h"

#include <tessera.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PROCESSES = 3, THREADS = 3, PATIENCE = 60 };

struct setup {
    struct history history;
    tess_layout layout;
    bool mmap; // readers'
    bool lock_file;
    bool never_reuse;
    tess_durability durability;
    int clevel;
    uint32_t session; // commits from one open to the next
    uint32_t compact; // and from one copy to the next; 0: none
    int processes, threads; // of readers
    int pause; // microseconds between two calls, at most
    bool deaths;
    uint64_t seed;
};

// What all processes see.
struct board {
    _Atomic uint32_t begun, committed; // commits
    _Atomic uint32_t replaced; // by copies: how often that was begun, and done
    atomic_bool leave; // the writer
    atomic_bool over; // readers: there will be no other commit
    atomic_long reads, stale, refreshes, states, again, waited, deaths;
    atomic_bool failed;
    char sentence[300]; // of the first failure
};

struct crowd {
    const struct setup *setup;
    struct board *board;
    char path[300];
};

// Of this process and all others.
static void
blame(const struct crowd *c, const char *who, const char *format, ...)
{
    va_list args;
    if (!atomic_exchange(&c->board->failed, true)) {
        const int n = snprintf(c->board->sentence, sizeof c->board->sentence, "%s: ", who);
        va_start(args, format);
        (void)vsnprintf(c->board->sentence + n, sizeof c->board->sentence - (size_t)n, format,
                        args);
        va_end(args);
    }
    _exit(1);
}

static tess_storage
storage_of(const struct crowd *c, tess_mode mode)
{
    tess_storage storage = at(c->path, mode);
    storage.durability = c->setup->durability;
    storage.lock_file = c->setup->lock_file;
    storage.never_reuse = c->setup->never_reuse;
    return storage;
}

static bool
must_wait(const struct crowd *c, tess_status st, const tess_error *error)
{
    const bool must = c->setup->lock_file && st == TESS_ERR_IO && error->sys == EWOULDBLOCK;
    atomic_fetch_add(&c->board->waited, must);
    return must;
}

static void
nap(const struct crowd *c, struct random *r)
{
    if (c->setup->pause > 0)
        (void)usleep((unsigned)random_below(r, (uint64_t)c->setup->pause));
}

// -- the writer

// Calls that cannot get the lock file, since readers have it all the time, are made again.
#define INSIST(c, call)                                                                   \
    do {                                                                                  \
        tess_error err_ = {0};                                                            \
        tess_error *const err = &err_;                                                    \
        tess_status st_ = (call);                                                         \
        while (st_ != TESS_OK && must_wait(c, st_, &err_))                                \
            st_ = (call);                                                                 \
        if (st_ != TESS_OK)                                                               \
            blame(c, "writer", "%s: %s: %s", #call, tess_status_name(st_), err_.message); \
    } while (0)

static tess_array *
open_to_write(const struct crowd *c)
{
    const tess_storage storage = storage_of(c, TESS_MODE_UPDATE);
    tess_array *a;
    INSIST(c, tess_array_open(&storage, &a, err));
    return a;
}

static void
commit(const struct crowd *c, tess_array *a, uint32_t commit)
{
    atomic_store(&c->board->begun, commit);
    INSIST(c, history_write(&c->setup->history, a, commit, err));
    INSIST(c, tess_array_flush(a, err));
    atomic_store(&c->board->committed, commit);
}

static void
make_first(const struct crowd *c)
{
    const tess_storage storage = storage_of(c, TESS_MODE_REPLACE);
    const tess_params params =
        history_params(&c->setup->history, c->setup->layout, c->setup->clevel);
    tess_array *a;
    INSIST(c, tess_array_zeros(&storage, &params, &a, err));
    commit(c, a, HISTORY_EPOCH);
    INSIST(c, tess_array_close(a, err));
}

static void
replace_by_copy(const struct crowd *c)
{
    const tess_storage from = storage_of(c, TESS_MODE_READ);
    const tess_storage to = storage_of(c, TESS_MODE_REPLACE);
    tess_array *a;
    INSIST(c, tess_array_open(&from, &a, err));
    atomic_fetch_add(&c->board->replaced, 1);
    INSIST(c, tess_array_save(a, &to, c->setup->layout, err));
    atomic_fetch_add(&c->board->replaced, 1);
    INSIST(c, tess_array_close(a, err));
}

static void
write_on(const struct crowd *c)
{
    struct random random;
    tess_array *a = NULL;
    random_init(&random, c->setup->seed);
    make_first(c);
    for (uint32_t n = HISTORY_EPOCH + 1; !atomic_load(&c->board->leave) && n < HISTORY_COMMITS;
         n++) {
        if (!a)
            a = open_to_write(c);
        commit(c, a, n);
        const bool compacts = c->setup->compact > 0 && n % c->setup->compact == 0;
        if (compacts || n % c->setup->session == 0) {
            INSIST(c, tess_array_close(a, err));
            a = NULL;
        }
        if (compacts)
            replace_by_copy(c);
        if (n % 16 == 0) // let readers see a state now and then
            (void)usleep(200);
        nap(c, &random);
    }
    INSIST(c, tess_array_close(a, err));
}

// -- readers

struct reader {
    const struct crowd *c;
    pthread_rwlock_t lock; // of what follows: who refreshes has it alone
    tess_array *a;
    struct moment moment;
    uint32_t replaced; // of the board, when the state was looked up
};

struct thread {
    struct reader *reader;
    pthread_t thread;
    uint64_t seed;
};

// A handle shows the newest state: one that was committed when `before` was read, or later.
static void
learn(struct reader *r, uint32_t before)
{
    uint32_t commit;
    tess_error error;
    if (history_commit_of(r->a, &commit, &error) != TESS_OK)
        blame(r->c, "reader", "which commit? %s", error.message);
    if (commit < before || commit < r->moment.commit || commit > atomic_load(&r->c->board->begun))
        blame(r->c, "reader", "has commit %u after %u, when %u was there", (unsigned)commit,
              (unsigned)r->moment.commit, (unsigned)before);
    moment_init(&r->moment, &r->c->setup->history, commit);

    tess_info info;
    tess_array_info(r->a, &info);
    if (info.ndim != 2 || memcmp(info.shape, r->moment.shape, sizeof r->moment.shape) != 0)
        blame(r->c, "reader", "another shape at commit %u", (unsigned)commit);
}

static void
open_to_read(struct reader *r, tess_checksums checksums)
{
    tess_storage storage = storage_of(r->c, TESS_MODE_READ);
    tess_error error;
    tess_status st;
    storage.mmap = r->c->setup->mmap;
    storage.checksums = checksums;
    do {
        const uint32_t before = atomic_load(&r->c->board->committed);
        r->replaced = atomic_load(&r->c->board->replaced);
        st = tess_array_open(&storage, &r->a, &error);
        if (st == TESS_OK)
            learn(r, before);
        else if (st == TESS_ERR_STALE)
            atomic_fetch_add(&r->c->board->again, 1);
        else if (!must_wait(r->c, st, &error))
            blame(r->c, "reader", "open: %s: %s", tess_status_name(st), error.message);
    } while (st != TESS_OK);
}

static tess_status
refresh(struct reader *r)
{
    struct board *const b = r->c->board;
    tess_error error;
    bool changed;
    (void)pthread_rwlock_wrlock(&r->lock);
    const uint32_t before = atomic_load(&b->committed), replaced = atomic_load(&b->replaced);
    const tess_status st = tess_array_refresh(r->a, &changed, &error);
    if (st == TESS_OK) {
        const uint32_t had = r->moment.commit;
        learn(r, before);
        r->replaced = replaced;
        if (!changed && r->moment.commit != had)
            blame(r->c, "reader", "commit %u is nothing new after %u", (unsigned)r->moment.commit,
                  (unsigned)had);
        atomic_fetch_add(&b->refreshes, 1);
        atomic_fetch_add(&b->states, r->moment.commit != had);
    } else if (st == TESS_ERR_STALE) {
        atomic_fetch_add(&b->again, 1);
    } else if (!must_wait(r->c, st, &error)) {
        blame(r->c, "reader", "refresh: %s: %s", tess_status_name(st), error.message);
    }
    (void)pthread_rwlock_unlock(&r->lock);
    return st;
}

// A file that was replaced stays as it is; else what was committed before a call begins is seen.
static tess_status
read_once(struct reader *r, struct witness *w, tess_status (*read)(struct witness *, tess_error *))
{
    struct board *const b = r->c->board;
    tess_error error;
    (void)pthread_rwlock_rdlock(&r->lock);
    const uint32_t before = atomic_load(&b->committed);
    const bool replaced = atomic_load(&b->replaced) != r->replaced;
    w->a = r->a;
    w->moment = &r->moment;
    const tess_status st = read(w, &error);
    if (st == TESS_OK && w->sentence[0] != '\0')
        blame(r->c, w->way, "%s", w->sentence);
    if (st == TESS_OK && !replaced && r->moment.commit < before)
        blame(r->c, w->way, "reads commit %u, and %u was there", (unsigned)r->moment.commit,
              (unsigned)before);
    if (st == TESS_ERR_STALE)
        atomic_fetch_add(&b->stale, 1);
    else if (st != TESS_OK && !must_wait(r->c, st, &error))
        blame(r->c, w->way, "at commit %u: %s: %s", (unsigned)r->moment.commit,
              tess_status_name(st), error.message);
    atomic_fetch_add(&b->reads, st == TESS_OK);
    (void)pthread_rwlock_unlock(&r->lock);
    return st;
}

static struct witness *
witness_new(uint64_t seed)
{
    struct witness *const w = calloc(1, sizeof *w);
    if (!w || !(w->got = malloc(HISTORY_ITEMS * sizeof *w->got)))
        abort();
    random_init(&w->random, seed);
    return w;
}

static void
witness_free(struct witness *w)
{
    free(w->got);
    free(w);
}

static void *
read_on(void *argument)
{
    struct thread *const t = argument;
    struct reader *const r = t->reader;
    struct witness *const w = witness_new(t->seed);
    while (!atomic_load(&r->c->board->over)) {
        const tess_status st = read_once(r, w, witness_read);
        if (st == TESS_ERR_STALE || random_below(&w->random, 32) == 0)
            (void)refresh(r);
        nap(r->c, &w->random);
    }
    witness_free(w);
    return NULL;
}

// When the writer is gone there is one state, the last, whole.
static void
read_last(struct reader *r)
{
    struct witness *const w = witness_new(1);
    w->way = "the last state";
    while (refresh(r) != TESS_OK || read_once(r, w, witness_read_all) != TESS_OK ||
           read_once(r, w, witness_verify) != TESS_OK)
        if (!r->c->setup->lock_file)
            blame(r->c, "reader", "the last state cannot be read");
    if (r->moment.commit != atomic_load(&r->c->board->committed))
        blame(r->c, "reader", "the last state is of commit %u", (unsigned)r->moment.commit);
    witness_free(w);
}

static void
read_together(const struct crowd *c, uint64_t seed)
{
    struct reader r = {.c = c};
    struct thread threads[THREADS];
    while (atomic_load(&c->board->committed) == 0)
        (void)usleep(100);
    (void)pthread_rwlock_init(&r.lock, NULL);
    open_to_read(&r, seed % 2 ? TESS_CHECKSUMS_VERIFY : TESS_CHECKSUMS_WRITE);
    for (int i = 0; i < c->setup->threads; i++) {
        threads[i] = (struct thread){.reader = &r, .seed = seed * THREADS + (uint64_t)i};
        if (pthread_create(&threads[i].thread, NULL, read_on, &threads[i]) != 0)
            abort();
    }
    for (int i = 0; i < c->setup->threads; i++)
        (void)pthread_join(threads[i].thread, NULL);
    read_last(&r);
    (void)tess_array_close(r.a, NULL);
    (void)pthread_rwlock_destroy(&r.lock);
}

// -- all of them

static pid_t
begin(const struct crowd *c, uint64_t reader)
{
    fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    alarm(10 * PATIENCE); // what hangs is killed
    if (reader == 0)
        write_on(c);
    else
        read_together(c, c->setup->seed + reader);
    exit(0); // where leaks are looked for
}

static void
end(const struct crowd *c, pid_t pid)
{
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status != 0 && !atomic_load(&c->board->failed))
        fail_msg("a process ended with status %x", (unsigned)status);
}

static bool
goes_on(const struct crowd *c, double until)
{
    if (atomic_load(&c->board->failed))
        return false;
    return seconds() < until ||
           (atomic_load(&c->board->states) < 4 && seconds() < until + PATIENCE);
}

static void
run(const struct setup *setup, const char *name, double duration)
{
    struct crowd c = {.setup = setup};
    pid_t readers[PROCESSES];
    uint64_t begun = 0;
    struct random random;
    void *const shared =
        mmap(NULL, sizeof *c.board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    c.board = shared;
    random_init(&random, setup->seed);
    (void)snprintf(c.path, sizeof c.path, "%s", files_path("array"));

    const pid_t writer = begin(&c, 0);
    for (int i = 0; i < setup->processes; i++)
        readers[i] = begin(&c, ++begun);
    for (const double until = seconds() + duration; goes_on(&c, until);) {
        (void)usleep(20000 + (unsigned)random_below(&random, 30000));
        pid_t *const victim = &readers[random_below(&random, (uint64_t)setup->processes)];
        if (!setup->deaths || atomic_load(&c.board->failed))
            continue;
        assert_int_equal(kill(*victim, SIGKILL), 0);
        assert_int_equal(waitpid(*victim, NULL, 0), *victim);
        *victim = begin(&c, ++begun);
        atomic_fetch_add(&c.board->deaths, 1);
    }
    atomic_store(&c.board->leave, true);
    end(&c, writer);
    atomic_store(&c.board->over, true);
    for (int i = 0; i < setup->processes; i++)
        end(&c, readers[i]);

    print_message("%s: %u commits, %u copies, %ld reads, %ld stale, %ld refreshes, %ld states, "
                  "%ld again, %ld waited, %ld killed\n",
                  name, (unsigned)atomic_load(&c.board->committed),
                  (unsigned)atomic_load(&c.board->replaced) / 2, atomic_load(&c.board->reads),
                  atomic_load(&c.board->stale), atomic_load(&c.board->refreshes),
                  atomic_load(&c.board->states), atomic_load(&c.board->again),
                  atomic_load(&c.board->waited), atomic_load(&c.board->deaths));
    if (atomic_load(&c.board->failed))
        fail_msg("%s: seed %llu: %s", name, (unsigned long long)setup->seed, c.board->sentence);
    assert_true(atomic_load(&c.board->states) >= 4);
    assert_int_equal(munmap(shared, sizeof *c.board), 0);
    files_remove(c.path);
    files_remove(files_path("array.b2lock"));
    assert_int_equal(files_count(), 0); // no temporary names
}

static void
draw(struct setup *s, struct random *r)
{
    s->seed = random_next(r) >> 16;
    s->durability =
        random_below(r, 3) ? TESS_DURABILITY_NONE : (tess_durability)(1 + (int)random_below(r, 2));
    s->never_reuse = random_below(r, 4) == 0;
    s->clevel = random_below(r, 2) ? 0 : 1;
    s->session = (uint32_t[]){1, 16, 1000}[random_below(r, 3)];
    s->compact = (uint32_t[]){0, 40, 400}[random_below(r, 3)];
    s->processes = 1 + (int)random_below(r, PROCESSES);
    s->threads = 1 + (int)random_below(r, THREADS);
    s->pause = random_below(r, 2) ? 0 : 500;
    s->deaths = random_below(r, 3) == 0;
    // Who asks for the lock file can have it only while others do not.
    if (s->lock_file)
        s->pause = 4000;
    // Else the file may get shorter in the middle of a call (storage.h).
    if (s->mmap && s->layout == TESS_LAYOUT_CONTIGUOUS && !s->lock_file)
        s->never_reuse = true;
    if (s->never_reuse)
        s->compact = 40; // the file would grow and grow
    s->history.small = random_below(r, 2) == 0;
    s->history.empties = !(s->never_reuse && s->layout == TESS_LAYOUT_CONTIGUOUS);
}

static void
beside_a_writer(void **state)
{
    const int64_t rounds = random_cases(1, 36);
    struct random random;
    (void)state;
    random_init(&random, random_seed());
    for (int64_t n = 0; n < rounds; n++)
        for (int k = 0; k < 16; k++) {
            struct setup s = {
                .layout = k & 1 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS,
                .mmap = k & 2,
                .lock_file = k & 4,
                .history.reshapes = k & 8,
            };
            char name[200];
            draw(&s, &random);
            (void)snprintf(
                name, sizeof name, "%s%s%s%s%s%s, durability %d, level %d, %u a session, %d x %d",
                s.layout == TESS_LAYOUT_SPARSE ? "sparse" : "contiguous", s.mmap ? ", mapped" : "",
                s.lock_file ? ", lock file" : "", s.history.reshapes ? ", shapes" : "",
                s.history.small ? ", small" : "", s.never_reuse ? ", no reuse" : "",
                (int)s.durability, s.clevel, (unsigned)s.session, s.processes, s.threads);
            run(&s, name, 0.3);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(beside_a_writer, files_setup, files_teardown),
    };
    (void)setenv("TESS_NUM_THREADS", "3", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
