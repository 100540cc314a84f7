/*
 * task.c - a job and its grains: the loop of the threads that work on it.
 *
 * All threads of a job run the same loop and do, each time round, the first of these that there is
 * to do: make grains until there is one for each thread; finish the oldest grain, when it is done;
 * work on a grain; wait. Grains made ahead keep the other threads busy while one is in a long next
 * or finish. The caller stays to the end, workers leave when there is nothing more to begin.
 *
 * Locks: `lock` guards all members of struct task_job below it. It is free during next, work,
 * finish and drop; `inside` keeps next and finish to one thread.
 *
 * Grains lie in slots. Without finish, a slot is free again when its grain is done; with it, when
 * all before it are finished, too. So the slots bound how far the others run ahead of a slow one.
 */
#include "task/task.h"

#include "base/checked.h"
#include "base/log.h"
#include "base/memory.h"
#include "task/gate.h"
#include "task/process.h"
#include "task/watch.h"
#include "task/workers.h"

#include <assert.h>
#include <stddef.h>

#define SLOTS_PER_THREAD 4
#define REPORT_LEAST 1000000 // nanoseconds to wait before a report
#define SLOTS_FIRST 2 // on the caller's stack

struct grain_memory {
    _Alignas(max_align_t) unsigned char bytes[TASK_GRAIN_SIZE_MAX];
};

struct slot {
    void *grain;
    struct slot *after;
    bool done;
};

struct task_job {
    struct workers_call call; // first, so that a worker finds the job
    const struct task *task;
    void *self;
    const tess_executor *executor; // NULL: the pool helps
    struct watch *watch;
    tess_error *err; // the caller's; of the first failure
    struct waitlock lock; // for all below
    tess_status status;
    int threads; // that may work on it
    bool inside; // a thread is in next or finish
    bool ended; // nothing more is made
    int left; // workers that came and will not touch this again
    struct slot *idle;
    // Grains in the order of making; with finish, until they are finished, else until a thread
    // works on them. From `ready` on none is begun.
    struct slot *first, *last, *ready;
    int nready;
};

int
task_threads(const struct task_width *width)
{
    const int most = width->executor ? executor_threads(width->executor) : cpus_threads();
    return width->threads > 0 && width->threads < most ? width->threads : most;
}

static tess_status
task_run_alone(const struct task *task, void *self, struct watch *watch, tess_error *err)
{
    struct grain_memory memory;
    void *const grain = memory.bytes;

    for (;;) {
        bool more = true;
        tess_status st = task->next(self, grain, &more, err);
        if (st != TESS_OK || !more)
            return st;
        st = task->work(self, grain, err);
        if (st == TESS_OK && task->finish)
            st = task->finish(self, grain, err);
        if (task->drop)
            task->drop(self, grain);
        if (st == TESS_OK)
            st = watch_look(watch, err);
        if (st != TESS_OK)
            return st;
    }
}

static void
task_drop(const struct task_job *j, struct slot *s)
{
    if (j->task->drop)
        j->task->drop(j->self, s->grain);
}

// The functions from here to participate() are called with the lock held, and return with it.

static void
task_changed(struct task_job *j)
{
    waitlock_changed(&j->lock);
    waitlock_wake_all(&j->lock);
}

// The first failure is the job's; grains that are not begun stay in the list, to be dropped.
static void
failed(struct task_job *j, tess_status st, const tess_error *err)
{
    j->ended = true;
    j->ready = NULL;
    j->nready = 0;
    if (j->status != TESS_OK)
        return;
    j->status = st;
    if (j->err)
        *j->err = *err;
}

static void
task_give_back(struct task_job *j, struct slot *s)
{
    s->after = j->idle;
    j->idle = s;
}

static void
task_append(struct task_job *j, struct slot *s)
{
    s->after = NULL;
    s->done = false;
    if (j->first)
        j->last->after = s;
    else
        j->first = s;
    j->last = s;
    if (j->status != TESS_OK) // of another thread, meanwhile
        return;
    if (!j->ready)
        j->ready = s;
    j->nready++;
}

static bool
may_make_grain(const struct task_job *j)
{
    return !j->inside && !j->ended && j->idle && j->nready < j->threads;
}

static void
make(struct task_job *j, tess_error *err)
{
    struct slot *const s = j->idle;
    bool more = true;

    j->idle = s->after;
    j->inside = true;
    waitlock_unlock(&j->lock);
    const tess_status st = j->task->next(j->self, s->grain, &more, err);
    waitlock_lock(&j->lock);
    j->inside = false;
    if (st == TESS_OK && more) {
        task_append(j, s);
    } else {
        task_give_back(j, s);
        j->ended = true;
    }
    if (st != TESS_OK)
        failed(j, st, err);
    task_changed(j);
}

static bool
may_finish(const struct task_job *j)
{
    return !j->inside && j->status == TESS_OK && j->first && j->first->done;
}

static void
task_finish(struct task_job *j, tess_error *err)
{
    struct slot *const s = j->first;

    j->inside = true;
    waitlock_unlock(&j->lock);
    const tess_status st = j->task->finish(j->self, s->grain, err);
    task_drop(j, s);
    waitlock_lock(&j->lock);
    j->inside = false;
    j->first = s->after;
    task_give_back(j, s);
    if (st != TESS_OK)
        failed(j, st, err);
    task_changed(j);
}

static void
task_work(struct task_job *j, tess_error *err)
{
    struct slot *const s = j->ready;

    j->ready = s->after;
    j->nready--;
    if (!j->task->finish)
        j->first = s->after;
    waitlock_unlock(&j->lock);
    const tess_status st = j->task->work(j->self, s->grain, err);
    if (!j->task->finish)
        task_drop(j, s);
    waitlock_lock(&j->lock);
    if (!j->task->finish)
        task_give_back(j, s);
    if (st != TESS_OK)
        failed(j, st, err);
    else
        s->done = true;
    task_changed(j);
}

// Tell the watch how far the job is.
static void
report(struct task_job *j, tess_error *err)
{
    waitlock_unlock(&j->lock);
    const tess_status st = watch_look(j->watch, err);
    waitlock_lock(&j->lock);
    if (st == TESS_OK)
        return;
    failed(j, st, err);
    task_changed(j);
}

// Nothing is left to begin; and to finish, for the caller. What others still do is their affair.
static bool
over(const struct task_job *j, bool caller)
{
    if (!j->ended || j->ready)
        return false;
    return !caller || !j->first || j->status != TESS_OK;
}

// The caller wakes up in time to report.
static void
task_wait(struct task_job *j, bool caller)
{
    const int64_t patience = caller ? watch_patience(j->watch) : INT64_MAX;
    if (patience == INT64_MAX)
        waitlock_wait(&j->lock);
    else
        waitlock_wait_for(&j->lock, max_i64(patience, REPORT_LEAST));
}

static void
participate(struct task_job *j, bool caller)
{
    tess_error text;
    tess_error *const err = j->err ? &text : NULL;

    while (!over(j, caller)) {
        if (may_make_grain(j))
            make(j, err);
        else if (may_finish(j))
            task_finish(j, err);
        else if (j->ready)
            task_work(j, err);
        else
            task_wait(j, caller);
        if (caller && watch_is_due(j->watch))
            report(j, err);
    }
}

static void
task_help(struct workers_call *call)
{
    struct task_job *const j = (struct task_job *)call;

    waitlock_lock(&j->lock);
    participate(j, false);
    j->left++;
    task_changed(j);
    waitlock_unlock(&j->lock); // the job is gone from here on
}

// Grains of other slots, behind a table of them. NULL: the first ones must do.
static struct slot *
more_slots(struct task_job *j)
{
    const size_t align = _Alignof(max_align_t);
    const size_t size = (j->task->grain_size + align - 1) / align * align;
    const size_t n = (size_t)j->threads * SLOTS_PER_THREAD - SLOTS_FIRST;
    const size_t table = (n * sizeof(struct slot) + align - 1) / align * align;
    struct slot *const slots = mem_alloc(table + n * size);

    for (size_t i = 0; slots && i < n; i++) {
        slots[i].grain = (unsigned char *)slots + table + i * size;
        task_give_back(j, &slots[i]);
    }
    return slots;
}

static void
run_with_workers(struct task_job *j)
{
    tess_error text;
    waitlock_unlock(&j->lock);
    if (j->executor)
        executor_open(&j->call, j->executor);
    else
        workers_open(&j->call);
    waitlock_lock(&j->lock);
    participate(j, true);
    waitlock_unlock(&j->lock);
    const int came = j->executor ? executor_close(&j->call) : workers_close(&j->call);
    waitlock_lock(&j->lock);
    while (j->left < came) {
        task_wait(j, true);
        if (watch_is_due(j->watch))
            report(j, j->err ? &text : NULL);
    }
}

static tess_status
task_run_together(const struct task *task, void *self, const struct task_width *width,
                  tess_error *err)
{
    struct grain_memory grains[SLOTS_FIRST];
    struct slot slots[SLOTS_FIRST], *more = NULL;
    tess_error text;
    struct task_job j = {
        .call = {.help = task_help, .cost = width->cost, .wanted = task_threads(width) - 1},
        .task = task,
        .self = self,
        .executor = width->executor,
        .watch = width->watch,
        .err = err,
        .threads = task_threads(width),
    };

    waitlock_init(&j.lock);
    waitlock_lock(&j.lock);
    for (int i = 0; i < SLOTS_FIRST; i++) {
        slots[i].grain = grains[i].bytes;
        task_give_back(&j, &slots[i]);
    }
    while (j.idle && !j.ended) // the first two, before anybody hears of it
        make(&j, err ? &text : NULL);
    if (j.nready == SLOTS_FIRST) {
        more = more_slots(&j);
        if (!more)
            LOG(TESS_LOG_WARNING, TESS_EVENT_MEMORY, NULL,
                "no memory for the grains of %d threads: fewer are made ahead", j.threads);
        run_with_workers(&j);
    } else {
        participate(&j, true);
    }
    waitlock_unlock(&j.lock);
    waitlock_finish(&j.lock);
    for (struct slot *s = j.first; s; s = s->after)
        task_drop(&j, s);
    mem_free(more);
    return j.status;
}

// The executor's works that come to this thread meanwhile are no help.
static tess_status
run_with_executor(const struct task *task, void *job, const struct task_width *width,
                  tess_error *err)
{
    const bool before = executor_enter();
    const tess_status st = task_threads(width) > 1 && executor_worth(width->executor, width->cost)
                               ? task_run_together(task, job, width, err)
                               : task_run_alone(task, job, width->watch, err);
    executor_leave(before);
    return st;
}

bool
task_is_shared(const struct task_width *width)
{
    return width->executor || (task_threads(width) > 1 && workers_worth(width->cost));
}

tess_status
task_run(const struct task *task, void *job, const struct task_width *width, tess_error *err)
{
    assert(task->grain_size <= TASK_GRAIN_SIZE_MAX);
    if (width->executor)
        return run_with_executor(task, job, width, err);
    if (task_is_shared(width))
        return task_run_together(task, job, width, err);
    return task_run_alone(task, job, width->watch, err);
}
