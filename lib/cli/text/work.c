/*
 * work.c - calls that change an array: a progress bar, and signals that cancel them.
 */
#include "cli/text/work.h"

#include "cli/report.h"
#include "cli/signals.h"

// A tess_progress_fn.
static bool
hear(int64_t done, int64_t total, void *progress)
{
    return progress_hear(done, total, progress) && !signals_came();
}

void
work_begin(struct work *w, tess_array *a)
{
    w->array = a;
    progress_begin(&w->progress, 1);
    signals_note();
    progress_set(a, hear, &w->progress);
}

void
work_end(struct work *w)
{
    progress_set(w->array, NULL, NULL);
    progress_end(&w->progress);
}

tess_status
work_status(tess_status st, tess_error *err)
{
    return st == TESS_ERR_CANCELLED ? report_set(err, st, "interrupted") : st;
}
