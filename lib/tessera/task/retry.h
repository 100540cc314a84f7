/*
 * retry.h - waiting by polling, with a timeout and cancellation.
 *
 *     retry_begin(&p, context, path, ms);
 *     do
 *         st = try_to_get_it(&why);
 *     while (st != TESS_OK && is_refused(&why) && retry_again(&p, &st, &why));
 *
 * Locks of files can be waited for by the operating system, too, but neither for a time nor until
 * the program does not want to any more.
 *
 * A struct retry belongs to the thread that waits. The program's function is called by that thread.
 * There is no lock here.
 */
#ifndef TASK_RETRY_H
#define TASK_RETRY_H

#include "task/watch.h"

struct retry {
    struct watch watch;
    int64_t end; // in nanoseconds of a clock; negative: never
    int64_t nap; // nanoseconds
    const char *path;
};

// For so many milliseconds; negative: as long as it takes. The context's function is told now and
// then that nothing of 1 is done; NULL: there is none. path: of what is waited for, for the log,
// and valid until the end; NULL: it is not known.
void retry_begin(struct retry *p, const tess_context *context, const char *path, int64_t ms);

// Sleep a little; true: try again. False: the time is over, or the program does not want to go on:
// *st is TESS_ERR_CANCELLED then.
bool retry_again(struct retry *p, tess_status *st, tess_error *err);

#endif
