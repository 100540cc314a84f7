/*
 * threads.h - calls that run on the threads of a function of the program.
 */
#ifndef COMPAT_CHUNK_THREADS_H
#define COMPAT_CHUNK_THREADS_H

#include <tessera/context.h>

// Run work(arg, executor), which returns when all is done. The executor has the threads of the
// function that the program set with blosc2_set_threads_callback(), `threads` of them; NULL: there
// is no such function.
void b2_threads_run(int threads, void (*work)(void *arg, const tess_executor *executor), void *arg);

#endif
