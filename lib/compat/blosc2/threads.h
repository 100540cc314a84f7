/*
 * threads.h - calls that run on several threads: of a function of the program, or of their own.
 */
#ifndef COMPAT_BLOSC2_THREADS_H
#define COMPAT_BLOSC2_THREADS_H

#include <stdbool.h>
#include <tessera/context.h>

// Whether the program has set a function with blosc2_set_threads_callback(). The executor then has
// `threads` jobs of it, at least 2; when it is used, the function that is set then counts.
bool b2_threads_executor(int threads, tess_executor *executor);

// Run a function on `threads` threads at once, the calling one among them: those of the function of
// the program, or new ones; on fewer if there are no more. Returns when all have ended.
void b2_threads_run(int threads, tess_work_fn *run, void *work);

#endif
