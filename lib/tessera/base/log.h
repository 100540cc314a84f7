/*
 * log.h - events that the program may want to know of, though no call fails: tess_log_set().
 *
 *     LOG(TESS_LOG_WARNING, TESS_EVENT_UNLOCKED, path, "no lock: %s", why);
 *
 * Off by default: then an event costs a load and a branch, and its arguments are not evaluated. The
 * function of the program runs on the thread that has the event, under a mutex of the process, so
 * no event is told while the caller holds a lock that another event may need; gates and turns are
 * held, since the function must not call the library.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/error.h"

#include <tessera/hooks.h>

#include <stdatomic.h>
#include <stdbool.h>

extern _Atomic int log_level; // TESS_LOG_OFF: nothing is told

// path: of the file or directory; NULL: none, or not known.
void log_event(tess_log_level level, tess_event event, const char *path, const char *fmt, ...)
    TESS_PRINTF(4, 5);

static inline bool
log_wants(tess_log_level level)
{
    return __builtin_expect((int)level <= atomic_load_explicit(&log_level, memory_order_relaxed),
                            0);
}

#define LOG(level, ...)                    \
    do {                                   \
        if (log_wants(level))              \
            log_event(level, __VA_ARGS__); \
    } while (0)

// fn NULL: none, and TESS_LOG_OFF. Returns when no thread is in the function before any more.
void log_set(tess_log_level level, tess_log_fn *fn, void *user);

#endif
