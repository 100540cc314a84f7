/*
 * hooks.c - a program that brings its own: threads, memory, and a log.
 *
 * The threads are a pool as programs have it, for any work; the library's is a part of that. The
 * allocator has a limit, and says at the end how much was needed. What happens goes to stderr.
 */
#include <tessera.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// -- threads

enum { THREADS = 2, QUEUE = 64 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t bell;
    struct {
        tess_work_fn *run;
        void *work;
    } queue[QUEUE];
    int first, count;
    bool stopping;
    pthread_t threads[THREADS];
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .bell = PTHREAD_COND_INITIALIZER};

static bool
submit(tess_work_fn *run, void *work, void *user)
{
    (void)user;
    pthread_mutex_lock(&pool.lock);
    const bool room = pool.count < QUEUE;
    if (room) {
        const int last = (pool.first + pool.count++) % QUEUE;
        pool.queue[last].run = run;
        pool.queue[last].work = work;
        pthread_cond_signal(&pool.bell);
    }
    pthread_mutex_unlock(&pool.lock);
    return room;
}

static void *
serve(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    while (!pool.stopping) {
        if (pool.count == 0) {
            pthread_cond_wait(&pool.bell, &pool.lock);
            continue;
        }
        tess_work_fn *const run = pool.queue[pool.first].run;
        void *const work = pool.queue[pool.first].work;
        pool.first = (pool.first + 1) % QUEUE;
        pool.count--;
        pthread_mutex_unlock(&pool.lock);
        run(work);
        pthread_mutex_lock(&pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

// What is queued then is forgotten.
static void
stop_pool(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.stopping = true;
    pthread_cond_broadcast(&pool.bell);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(pool.threads[i], NULL);
}

// -- memory

// In front of each piece, as large as it must be for what is behind it to be aligned.
struct head {
    size_t size;
    void *start; // of what libc gave
};

static struct {
    atomic_size_t used, most;
    size_t limit;
} memory = {.limit = (size_t)64 << 20};

static bool
reserve(size_t size)
{
    const size_t used = atomic_fetch_add(&memory.used, size) + size;
    if (used > memory.limit) {
        atomic_fetch_sub(&memory.used, size);
        return false;
    }
    size_t most = atomic_load(&memory.most);
    while (used > most && !atomic_compare_exchange_weak(&memory.most, &most, used))
        ;
    return true;
}

static void *
limited_alloc(size_t size, size_t align, void *user)
{
    (void)user;
    const size_t head = (sizeof(struct head) + align - 1) / align * align;
    if (size > memory.limit || !reserve(size))
        return NULL;
    char *const start = aligned_alloc(align, (head + size + align - 1) / align * align);
    if (!start) {
        atomic_fetch_sub(&memory.used, size);
        return NULL;
    }
    struct head *const h = (struct head *)(void *)(start + head) - 1;
    h->size = size;
    h->start = start;
    return start + head;
}

static void
limited_free(void *piece, void *user)
{
    struct head *const h = (struct head *)piece - 1;
    (void)user;
    atomic_fetch_sub(&memory.used, h->size);
    free(h->start);
}

static void *
limited_resize(void *piece, size_t size, void *user)
{
    const size_t before = ((struct head *)piece - 1)->size;
    char *const other = limited_alloc(size, _Alignof(max_align_t), user);
    for (size_t i = 0; other && i < (size < before ? size : before); i++)
        other[i] = ((const char *)piece)[i];
    if (other)
        limited_free(piece, user);
    return other;
}

// -- log

static void
tell(const tess_log_entry *entry, void *user)
{
    static const char *const levels[] = {"", "warning", "info", "debug"};
    fprintf(user, "%s: event %d: %s: %s\n", levels[entry->level], (int)entry->event,
            entry->path ? entry->path : "-", entry->message);
}

// -- the program

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static void
set_hooks(void)
{
    tess_allocator allocator;
    tess_error err;

    tess_allocator_init(&allocator);
    allocator.alloc = limited_alloc;
    allocator.resize = limited_resize;
    allocator.free = limited_free;
    check(tess_allocator_set(&allocator, &err), &err); // before all else
    check(tess_log_set(TESS_LOG_INFO, tell, stderr, &err), &err);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&pool.threads[i], NULL, serve, NULL) != 0)
            exit(1);
}

int
main(void)
{
    const double half = 0.5;
    tess_executor executor;
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_statistics statistics;
    tess_array *a;
    tess_error err;

    set_hooks();
    tess_executor_init(&executor);
    executor.submit = submit;
    executor.threads = THREADS;
    tess_context_init(&context);
    context.executor = &executor;
    tess_storage_init(&storage); // no path: in memory
    storage.context = &context;
    tess_params_init(&params);
    params.dtype = "<f8";
    params.ndim = 2;
    params.shape[0] = params.shape[1] = 4000;
    check(tess_array_full(&storage, &params, &half, sizeof half, &a, &err), &err);
    check(tess_array_statistics(a, NULL, NULL, &statistics, &err), &err);
    check(tess_array_close(a, &err), &err);
    stop_pool();
    printf("sum %.0f; %zu KiB of memory at once, %zu bytes are left\n", statistics.sum,
           atomic_load(&memory.most) >> 10, atomic_load(&memory.used));
    return atomic_load(&memory.used) == 0 ? 0 : 1;
}
