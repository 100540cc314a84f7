/*
 * task.c - run the grains of a job, on the caller's thread.
 */
#include "task/task.h"

#include <stddef.h>

tess_status
task_run(const struct task *task, void *job, tess_error *err)
{
    _Alignas(max_align_t) unsigned char grain[TASK_GRAIN_SIZE_MAX];
    for (;;) {
        bool more = true;
        tess_status st = task->next(job, grain, &more, err);
        if (st == TESS_OK && !more)
            return TESS_OK;
        if (st == TESS_OK)
            st = task->work(job, grain, err);
        if (st != TESS_OK)
            return st;
    }
}
