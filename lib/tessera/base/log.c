/*
 * log.c - the function of the program that events are told to.
 *
 * Lock: one mutex, held while the function runs and across fork().
 */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

_Atomic int log_level = TESS_LOG_OFF;

static struct {
    pthread_mutex_t lock;
    tess_log_fn *fn; // NULL: none
    void *user;
} listener = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
log_before_fork(void)
{
    pthread_mutex_lock(&listener.lock);
}

static void
log_after_fork(void)
{
    pthread_mutex_unlock(&listener.lock);
}

static void
log_in_child(void)
{
    pthread_mutex_init(&listener.lock, NULL);
}

static void
log_watch_forks(void)
{
    pthread_atfork(log_before_fork, log_after_fork, log_in_child);
}

void
log_event(tess_log_level level, tess_event event, const char *path, const char *fmt, ...)
{
    char message[TESS_ERROR_MESSAGE_SIZE];
    const tess_log_entry entry = {.level = level, .event = event, .path = path, .message = message};
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    pthread_mutex_lock(&listener.lock);
    if (listener.fn && log_wants(level)) // it may have been exchanged meanwhile
        listener.fn(&entry, listener.user);
    pthread_mutex_unlock(&listener.lock);
}

void
log_set(tess_log_level level, tess_log_fn *fn, void *user)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, log_watch_forks); // before the lock is taken for the first time
    pthread_mutex_lock(&listener.lock);
    listener.fn = fn;
    listener.user = user;
    atomic_store(&log_level, fn ? (int)level : TESS_LOG_OFF);
    pthread_mutex_unlock(&listener.lock);
}
