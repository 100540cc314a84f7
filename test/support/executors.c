/*
 * executors.c - executors of all sorts: threads that work, and ways not to.
 */
#include "support/executors.h"

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK_SIZE ((size_t)4 << 20)
#else
#define STACK_SIZE ((size_t)256 << 10) // what tess_executor asks for
#endif

static void
check(bool fact)
{
    if (!fact)
        abort();
}

static void
queue_append(struct executors *x, tess_work_fn *run, void *work)
{
    if (x->count == x->capacity) {
        x->capacity = 2 * x->capacity + 16;
        x->queue = realloc(x->queue, (size_t)x->capacity * sizeof *x->queue);
        check(x->queue);
    }
    x->queue[x->count++] = (struct executors_item){run, work};
}

// A tess_submit_fn.
static bool
submit(tess_work_fn *run, void *work, void *user)
{
    struct executors *const x = user;

    pthread_mutex_lock(&x->lock);
    x->submitted++;
    if (x->kind == EXECUTORS_POOL || x->kind == EXECUTORS_TWICE || x->kind == EXECUTORS_LATE) {
        queue_append(x, run, work);
        pthread_cond_signal(&x->bell);
    }
    pthread_mutex_unlock(&x->lock);
    if (x->kind == EXECUTORS_AT_ONCE)
        run(work);
    return x->kind != EXECUTORS_REFUSE;
}

static void *
run_item(void *argument)
{
    const struct executors_item *const item = argument;
    item->run(item->work);
    return NULL;
}

// A tess_run_all_fn.
static void
run_all(tess_work_fn *run, int count, void *work, void *user)
{
    struct executors *const x = user;
    struct executors_item item = {run, work};
    pthread_t threads[EXECUTORS_THREADS_MAX];
    int n = 0;

    pthread_mutex_lock(&x->lock);
    x->submitted += count - 1;
    pthread_mutex_unlock(&x->lock);
    while (x->kind == EXECUTORS_LOOP && n < count - 1 && n < EXECUTORS_THREADS_MAX) {
        check(pthread_create(&threads[n], NULL, run_item, &item) == 0);
        n++;
    }
    for (int i = n; i < count; i++)
        run(work);
    while (n > 0)
        check(pthread_join(threads[--n], NULL) == 0);
}

static void *
serve(void *user)
{
    struct executors *const x = user;

    pthread_mutex_lock(&x->lock);
    while (!x->stopping) {
        if (x->first == x->count) {
            pthread_cond_wait(&x->bell, &x->lock);
            continue;
        }
        const struct executors_item item = x->queue[x->first++];
        pthread_mutex_unlock(&x->lock);
        item.run(item.work);
        if (x->kind == EXECUTORS_TWICE)
            item.run(item.work);
        pthread_mutex_lock(&x->lock);
    }
    pthread_mutex_unlock(&x->lock);
    return NULL;
}

void
executors_begin(struct executors *x, enum executors_kind kind, int threads)
{
    pthread_attr_t attr;

    *x = (struct executors){.kind = kind};
    tess_executor_init(&x->executor);
    if (kind == EXECUTORS_IN_TURN || kind == EXECUTORS_LOOP)
        x->executor.run_all = run_all;
    else
        x->executor.submit = submit;
    x->executor.user = x;
    x->executor.threads = threads;
    pthread_mutex_init(&x->lock, NULL);
    pthread_cond_init(&x->bell, NULL);
    if (kind != EXECUTORS_POOL && kind != EXECUTORS_TWICE)
        return;
    check(threads >= 1 && threads <= EXECUTORS_THREADS_MAX);
    check(pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, STACK_SIZE) == 0);
    for (; x->nthreads < threads; x->nthreads++)
        check(pthread_create(&x->threads[x->nthreads], &attr, serve, x) == 0);
    pthread_attr_destroy(&attr);
}

void
executors_end(struct executors *x)
{
    pthread_mutex_lock(&x->lock);
    x->stopping = true;
    pthread_cond_broadcast(&x->bell);
    pthread_mutex_unlock(&x->lock);
    for (int i = 0; i < x->nthreads; i++)
        check(pthread_join(x->threads[i], NULL) == 0);
    pthread_cond_destroy(&x->bell);
    pthread_mutex_destroy(&x->lock);
    free(x->queue);
}

const char *
executors_name(enum executors_kind kind)
{
    static const char *const names[] = {
        [EXECUTORS_POOL] = "pool",       [EXECUTORS_DROP] = "drop", [EXECUTORS_REFUSE] = "refuse",
        [EXECUTORS_AT_ONCE] = "at once", [EXECUTORS_LATE] = "late", [EXECUTORS_TWICE] = "twice",
        [EXECUTORS_IN_TURN] = "in turn", [EXECUTORS_LOOP] = "loop",
    };
    return names[kind];
}

int
executors_run_kept(struct executors *x)
{
    int n = 0;

    pthread_mutex_lock(&x->lock);
    while (x->first < x->count) {
        const struct executors_item item = x->queue[x->first++];
        pthread_mutex_unlock(&x->lock);
        item.run(item.work);
        n++;
        pthread_mutex_lock(&x->lock);
    }
    pthread_mutex_unlock(&x->lock);
    return n;
}

int
executors_submitted(struct executors *x)
{
    pthread_mutex_lock(&x->lock);
    const int n = x->submitted;
    pthread_mutex_unlock(&x->lock);
    return n;
}
