/*
 * log.h - the requests that came, and how far their answers are.
 */
#ifndef HTTP_SERVER_LOG_H
#define HTTP_SERVER_LOG_H

#include "http/server/server.h"

#include <pthread.h>

struct server_log {
    pthread_mutex_t lock; // for all below
    pthread_cond_t idle; // signalled when `open` becomes 0; its clock is CLOCK_MONOTONIC
    struct server_entry *entries;
    int nentries, capacity;
    int64_t count;
    int64_t open; // requests whose answers are not all sent
    int generation; // changes with each reset
};

// Where a request is noted.
struct server_noted {
    int generation;
    int index; // -1: it is counted only
};

void server_log_init(struct server_log *log);
void server_log_finish(struct server_log *log);

// Counts a request, and gives it its number.
struct server_noted server_log_begin(struct server_log *log, struct server_request *request);

// The answer is sent; of a request from before a reset, nothing is noted.
void server_log_end(struct server_log *log, struct server_noted at, enum server_fault_kind fault,
                    int status, int64_t sent);

// The functions of server.h.
int64_t server_log_total(struct server_log *log);
int server_log_copy(struct server_log *log, int wait_ms, struct server_entry *dst, int most);
void server_log_clear(struct server_log *log);

#endif
