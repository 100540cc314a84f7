/*
 * session.c - sessions: connections of libcurl.
 */
#include "object/session.h"

#include "base/error.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { IDLE_MAX = 8 }; // sessions kept; more are closed when they come back

struct http_process {
    pid_t pid;
    struct http_process *before; // of the parent process: never looked into
    pthread_mutex_t lock; // guards the next two
    struct http_session *idle;
    int nidle;
    CURLSH *share;
    pthread_mutex_t shared[CURL_LOCK_DATA_LAST]; // guard what the sessions share, one for each kind
};

// -- libcurl

static pthread_once_t started = PTHREAD_ONCE_INIT;
static CURLcode start_result;

static void
start(void)
{
    // Never undone: other parts of the program may use libcurl, and it counts.
    start_result = curl_global_init(CURL_GLOBAL_DEFAULT);
}

// -- what the sessions of a process share

static void
share_lock(CURL *easy, curl_lock_data data, curl_lock_access access, void *user)
{
    struct http_process *const p = user;
    (void)easy, (void)access;
    pthread_mutex_lock(&p->shared[data]);
}

static void
share_unlock(CURL *easy, curl_lock_data data, void *user)
{
    struct http_process *const p = user;
    (void)easy;
    pthread_mutex_unlock(&p->shared[data]);
}

static void
session_free(struct http_session *s)
{
    for (int i = 0; i < s->neasies; i++)
        curl_easy_cleanup(s->easies[i]);
    if (s->multi)
        curl_multi_cleanup(s->multi);
    free(s->easies);
    free(s);
}

static void
process_free(struct http_process *p)
{
    while (p->idle) {
        struct http_session *const s = p->idle;
        p->idle = s->next;
        session_free(s);
    }
    if (p->share)
        curl_share_cleanup(p->share);
    for (int i = 0; i < CURL_LOCK_DATA_LAST; i++)
        pthread_mutex_destroy(&p->shared[i]);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static struct http_process *
process_new(struct http_process *before)
{
    struct http_process *const p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->pid = getpid();
    p->before = before;
    pthread_mutex_init(&p->lock, NULL);
    for (int i = 0; i < CURL_LOCK_DATA_LAST; i++)
        pthread_mutex_init(&p->shared[i], NULL);
    p->share = curl_share_init();
    if (!p->share || curl_share_setopt(p->share, CURLSHOPT_LOCKFUNC, share_lock) ||
        curl_share_setopt(p->share, CURLSHOPT_UNLOCKFUNC, share_unlock) ||
        curl_share_setopt(p->share, CURLSHOPT_USERDATA, p) ||
        curl_share_setopt(p->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS) ||
        curl_share_setopt(p->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION)) {
        process_free(p);
        return NULL;
    }
    return p;
}

// That of the running process; NULL: no memory.
static struct http_process *
process_now(struct http_pool *pool)
{
    struct http_process *p = atomic_load(&pool->process);
    while (!p || p->pid != getpid()) {
        struct http_process *const fresh = process_new(p);
        if (!fresh)
            return NULL;
        if (atomic_compare_exchange_strong(&pool->process, &p, fresh))
            return fresh;
        process_free(fresh); // another thread was first
    }
    return p;
}

tess_status
http_pool_init(struct http_pool *pool, int requests, tess_error *err)
{
    pool->requests = requests;
    atomic_init(&pool->process, NULL);
    pthread_once(&started, start);
    if (start_result != CURLE_OK)
        return http_fail(err, TESS_ERR_IO, "libcurl does not start: %s",
                         curl_easy_strerror(start_result));
    return TESS_OK;
}

void
http_pool_finish(struct http_pool *pool)
{
    struct http_process *const p = atomic_load(&pool->process);
    if (p && p->pid == getpid())
        process_free(p); // those before it are the parent's
    atomic_store(&pool->process, NULL);
}

// -- sessions

static struct http_session *
session_new(const struct http_pool *pool, CURLSH *share)
{
    struct http_session *const s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->share = share;
    s->capacity = pool->requests;
    s->easies = calloc((size_t)pool->requests, sizeof(CURL *));
    s->multi = curl_multi_init();
    if (!s->easies || !s->multi) {
        session_free(s);
        return NULL;
    }
    curl_multi_setopt(s->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(s->multi, CURLMOPT_MAXCONNECTS, (long)pool->requests);
    return s;
}

static void
signals_block(struct http_session *s)
{
    sigset_t pipe, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    s->piped = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe, &s->signals);
}

static void
signals_restore(const struct http_session *s)
{
    const struct timespec at_once = {0};
    sigset_t pipe, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    if (!s->piped && sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1)
        (void)sigtimedwait(&pipe, NULL, &at_once); // it is of this session
    pthread_sigmask(SIG_SETMASK, &s->signals, NULL);
}

tess_status
http_pool_acquire(struct http_pool *pool, struct http_session **session, tess_error *err)
{
    struct http_process *const p = process_now(pool);
    struct http_session *s = NULL;

    if (!p)
        return http_fail_memory(err);
    pthread_mutex_lock(&p->lock);
    if (p->idle) {
        s = p->idle;
        p->idle = s->next;
        p->nidle--;
    }
    pthread_mutex_unlock(&p->lock);
    if (!s && !(s = session_new(pool, p->share)))
        return http_fail_memory(err);
    signals_block(s);
    *session = s;
    return TESS_OK;
}

void
http_pool_release(struct http_pool *pool, struct http_session *session)
{
    struct http_process *const p = atomic_load(&pool->process);

    if (!session)
        return;
    const struct http_session before = *session;
    pthread_mutex_lock(&p->lock);
    const bool keep = p->nidle < IDLE_MAX;
    if (keep) {
        session->next = p->idle;
        p->idle = session;
        p->nidle++;
    }
    pthread_mutex_unlock(&p->lock);
    if (!keep)
        session_free(session);
    signals_restore(&before);
}

CURL *
http_session_easy(struct http_session *session)
{
    if (session->neasies > 0)
        return session->easies[--session->neasies];
    CURL *const easy = curl_easy_init();
    if (easy && curl_easy_setopt(easy, CURLOPT_SHARE, session->share) != CURLE_OK) {
        curl_easy_cleanup(easy);
        return NULL;
    }
    return easy;
}

void
http_session_keep(struct http_session *session, CURL *easy)
{
    curl_easy_reset(easy); // the share stays
    if (session->neasies < session->capacity)
        session->easies[session->neasies++] = easy;
    else
        curl_easy_cleanup(easy);
}
