/*
 * work.c - calls of the library that take long: a progress bar, and signals that cancel them.
 */
#include "text/work.h"

#include "report.h"
#include "signals.h"

#include <stddef.h>

// A tess_progress_fn.
static bool
hear(int64_t done, int64_t total, void *user)
{
    struct work *const w = user;
    const double part = total > 0 ? (double)done / (double)total : 1;

    if (w->kind != WORK_CANCELS_STEP)
        progress_add(&w->progress, part - w->progress.done);
    return w->kind == WORK_ENDS || !signals_came();
}

void
work_begin(struct work *w, enum work_kind kind)
{
    *w = (struct work){.kind = kind};
    progress_begin(&w->progress, kind == WORK_CANCELS_STEP ? 0 : 1);
    if (kind != WORK_ENDS)
        signals_note();
}

void
work_follow(struct work *w, tess_context *context)
{
    context->progress = hear;
    context->progress_user = w;
}

// The rest of the context stays, so nothing can fail.
static void
set_progress(tess_array *a, tess_progress_fn *progress, void *user)
{
    tess_context context;

    tess_array_get_context(a, &context);
    context.progress = progress;
    context.progress_user = user;
    (void)!tess_array_set_context(a, &context, NULL);
}

void
work_follow_array(struct work *w, tess_array *a)
{
    w->array = a;
    set_progress(a, hear, w);
}

void
work_end(struct work *w)
{
    if (w->array)
        set_progress(w->array, NULL, NULL);
    w->array = NULL;
    progress_end(&w->progress);
}

tess_status
work_status(tess_status st, tess_error *err)
{
    return st == TESS_ERR_CANCELLED ? report_set(err, st, "interrupted") : st;
}
