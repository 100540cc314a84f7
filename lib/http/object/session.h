/*
 * session.h - sessions: connections of libcurl, used by one call at a time and kept for the next.
 *
 * A session is a multi handle with its connections, and easy handles to be used again. A pool hands
 * them out, the one that was used last first: its connections are the most likely to be open still.
 * All sessions of a pool share addresses of hosts and TLS sessions, each behind a mutex of its own;
 * connections are not shared, since libcurl cannot do that between threads.
 *
 * fork(): sessions belong to the process that made them, as two processes would mix their bytes in
 * one connection. In a child the pool begins anew, without looking at anything of the parent's,
 * whose mutexes may be locked; what the parent had is left behind, not closed.
 */
#ifndef HTTP_OBJECT_SESSION_H
#define HTTP_OBJECT_SESSION_H

#include <tessera/error.h>

#include <curl/curl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

struct http_session {
    CURLM *multi;
    CURLSH *share; // of the pool
    struct http_session *next; // in the pool
    CURL **easies; // not in use
    int neasies, capacity;
    sigset_t signals; // of the calling thread, before
    bool piped; // SIGPIPE was pending before
};

struct http_process; // sessions of one process

struct http_pool {
    int requests; // transfers of a session at once
    _Atomic(struct http_process *) process; // of the last process that used the pool
};

// Starts libcurl, once per process. TESS_ERR_IO: it does not start.
tess_status http_pool_init(struct http_pool *pool, int requests, tess_error *err);

// No session may be in use. Zeroed is fine.
void http_pool_finish(struct http_pool *pool);

/*
 * A session for the calling thread, which must release it. Meanwhile SIGPIPE is blocked in this
 * thread: TLS libraries raise it, and what libcurl does against it is not made for threads.
 */
tess_status http_pool_acquire(struct http_pool *pool, struct http_session **session,
                              tess_error *err);

// No easy handle may be in its multi handle. NULL is fine.
void http_pool_release(struct http_pool *pool, struct http_session *session);

// An easy handle with default options and the pool's share; NULL: no memory.
CURL *http_session_easy(struct http_session *session);

// Give it back, not in the multi handle.
void http_session_keep(struct http_session *session, CURL *easy);

#endif
