/*
 * task.c - run the grains of a job, on the caller's thread.
 */
#include "task/task.h"

#include <stddef.h>

int
task_threads(const struct task_width *width)
{
    (void)width;
    return 1;
}

tess_status
task_run(const struct task *task, void *job, const struct task_width *width, tess_error *err)
{
    _Alignas(max_align_t) unsigned char grain[TASK_GRAIN_SIZE_MAX];
    (void)width;
    for (;;) {
        bool more = true;
        tess_status st = task->next(job, grain, &more, err);
        if (st != TESS_OK || !more)
            return st;
        st = task->work(job, grain, err);
        if (st == TESS_OK && task->finish)
            st = task->finish(job, grain, err);
        if (task->drop)
            task->drop(job, grain);
        if (st != TESS_OK)
            return st;
    }
}
