/*
 * log.c - the requests that came, and how far their answers are.
 */
#include "http/server/log.h"

#include "http/server/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void
server_log_init(struct server_log *log)
{
    pthread_condattr_t attr;

    *log = (struct server_log){0};
    pthread_mutex_init(&log->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&log->idle, &attr);
    pthread_condattr_destroy(&attr);
}

void
server_log_finish(struct server_log *log)
{
    pthread_cond_destroy(&log->idle);
    pthread_mutex_destroy(&log->lock);
    free(log->entries);
}

static void
copy_text(char *dst, size_t size, const char *text)
{
    (void)snprintf(dst, size, "%s", text ? text : "");
}

// Index of a new entry; -1: there are as many as are kept.
static int
append_entry(struct server_log *log, const struct server_request *r)
{
    if (log->nentries == SERVER_LOG_MOST)
        return -1;
    if (log->nentries == log->capacity) {
        log->capacity = 2 * log->capacity + 64;
        log->entries = realloc(log->entries, (size_t)log->capacity * sizeof *log->entries);
        if (!log->entries)
            abort();
    }
    struct server_entry *const e = &log->entries[log->nentries];
    *e = (struct server_entry){.number = r->number, .start_ns = server_now()};
    copy_text(e->method, sizeof e->method, r->method);
    copy_text(e->path, sizeof e->path, r->target);
    copy_text(e->host, sizeof e->host, server_header(r, "Host"));
    copy_text(e->range, sizeof e->range, r->range);
    e->authorization = server_header(r, "Authorization") != NULL;
    return log->nentries++;
}

struct server_noted
server_log_begin(struct server_log *log, struct server_request *request)
{
    pthread_mutex_lock(&log->lock);
    request->number = ++log->count;
    log->open++;
    const struct server_noted at = {log->generation, append_entry(log, request)};
    pthread_mutex_unlock(&log->lock);
    return at;
}

void
server_log_end(struct server_log *log, struct server_noted at, enum server_fault_kind fault,
               int status, int64_t sent)
{
    pthread_mutex_lock(&log->lock);
    if (at.generation == log->generation && at.index >= 0) {
        struct server_entry *const e = &log->entries[at.index];
        e->fault = fault;
        e->status = status;
        e->sent = sent;
        e->end_ns = server_now();
    }
    if (--log->open == 0)
        pthread_cond_broadcast(&log->idle);
    pthread_mutex_unlock(&log->lock);
}

int64_t
server_log_total(struct server_log *log)
{
    pthread_mutex_lock(&log->lock);
    const int64_t n = log->count;
    pthread_mutex_unlock(&log->lock);
    return n;
}

int
server_log_copy(struct server_log *log, int wait_ms, struct server_entry *dst, int most)
{
    const int64_t end = server_now() + (int64_t)wait_ms * 1000000;
    const struct timespec until = {.tv_sec = end / 1000000000, .tv_nsec = end % 1000000000};

    pthread_mutex_lock(&log->lock);
    while (log->open > 0 && server_now() < end)
        (void)pthread_cond_timedwait(&log->idle, &log->lock, &until);
    const int n = most < log->nentries ? most : log->nentries;
    if (n > 0)
        memcpy(dst, log->entries, (size_t)n * sizeof *dst);
    pthread_mutex_unlock(&log->lock);
    return n;
}

void
server_log_clear(struct server_log *log)
{
    pthread_mutex_lock(&log->lock);
    log->nentries = 0;
    log->count = 0;
    log->generation++;
    pthread_mutex_unlock(&log->lock);
}
