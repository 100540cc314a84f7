/*
 * parts.c - the parts of an upload that are in memory, and the threads that send them.
 */
#include "write/parts.h"

#include "base/error.h"
#include "s3/answer.h"
#include "write/plan.h"
#include "write/send.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct http_parts {
    struct http_object *object;
    pid_t pid; // whose threads these are
    pthread_t threads[HTTP_PARTS_AT_ONCE]; // of the thread that writes, with nthreads
    int nthreads;

    pthread_mutex_t lock; // for all below
    pthread_cond_t work; // a part is queued, or it is over
    pthread_cond_t done; // a part was sent, or it is over
    const char *id; // constant once it is set
    struct http_part *filled, **filled_end; // queue
    struct http_part *filling; // acquired
    struct http_part *sending[HTTP_PARTS_AT_ONCE]; // by thread; NULL: none
    int nparts; // in memory
    int nbusy; // of sending
    bool interrupted; // a part that was under way was stopped
    char **etags; // by number - 1
    size_t netags;
    bool over;
    tess_status st; // the first failure
    tess_error why;
    atomic_bool stop; // tells http_send()
};

struct start { // of a thread
    struct http_parts *parts;
    int index;
};

static void
part_free(struct http_part *part)
{
    if (part)
        free(part->bytes);
    free(part);
}

// -- with the lock

static void
fail_locked(struct http_parts *p, tess_status st, const tess_error *why)
{
    if (p->st == TESS_OK) {
        p->st = st;
        p->why = *why;
    }
    p->over = true;
    atomic_store(&p->stop, true);
    pthread_cond_broadcast(&p->work);
    pthread_cond_broadcast(&p->done);
}

static tess_status
state_locked(const struct http_parts *p, tess_error *err)
{
    if (p->st != TESS_OK && err)
        *err = p->why;
    return p->st;
}

static tess_status
note_etag_locked(struct http_parts *p, int number, const char *etag, tess_error *err)
{
    const size_t n = (size_t)number;
    if (n > p->netags) {
        char **const longer = realloc(p->etags, n * sizeof *longer);
        if (!longer)
            return http_fail_memory(err);
        memset(longer + p->netags, 0, (n - p->netags) * sizeof *longer);
        p->etags = longer;
        p->netags = n;
    }
    p->etags[n - 1] = strdup(etag);
    return p->etags[n - 1] ? TESS_OK : http_fail_memory(err);
}

// -- threads

static tess_status
send_part(struct http_parts *p, const struct http_part *part, char etag[HTTP_ETAG_SIZE],
          tess_error *err)
{
    char act[64];
    struct http_reply *const reply = malloc(sizeof *reply);
    const size_t room = strlen(p->id) + 64;
    char *const query = malloc(room);
    tess_status st;

    snprintf(act, sizeof act, "to store part %d", part->number);
    if (reply && query) {
        snprintf(query, room, "partNumber=%d&uploadId=%s", part->number, p->id);
        const struct http_sending sending = {
            .message = {.method = "PUT", .body = part->bytes, .body_size = part->size},
            .query = query,
            .act = act,
            .cancelled = &p->stop,
        };
        st = http_send(p->object, &sending, reply, err);
    } else {
        st = http_fail_memory(err);
    }
    if (st == TESS_OK && reply->head.etag[0] == '\0')
        st = http_fail(err, TESS_ERR_IO, "the server gives no ETag for part %d", part->number);
    if (st == TESS_OK)
        memcpy(etag, reply->head.etag, HTTP_ETAG_SIZE);
    free(query);
    free(reply);
    return st;
}

static void *
send_parts(void *arg)
{
    const struct start start = *(struct start *)arg;
    struct http_parts *const p = start.parts;
    free(arg);

    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->over && !p->filled)
            pthread_cond_wait(&p->work, &p->lock);
        if (p->over)
            break;
        struct http_part *const part = p->filled;
        p->filled = part->next;
        if (!p->filled)
            p->filled_end = &p->filled;
        p->sending[start.index] = part;
        p->nbusy++;
        pthread_mutex_unlock(&p->lock);

        char etag[HTTP_ETAG_SIZE];
        tess_error why = {.offset = -1};
        tess_status st = send_part(p, part, etag, &why);

        pthread_mutex_lock(&p->lock);
        if (st == TESS_OK)
            st = note_etag_locked(p, part->number, etag, &why);
        else
            p->interrupted = true;
        p->sending[start.index] = NULL;
        p->nbusy--;
        p->nparts--;
        part_free(part);
        if (st != TESS_OK)
            fail_locked(p, st, &why);
        pthread_cond_broadcast(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

// Signals are for the program's threads.
static int
thread_start(struct http_parts *p)
{
    struct start *const start = malloc(sizeof *start);
    sigset_t all, before;

    if (!start)
        return ENOMEM;
    *start = (struct start){p, p->nthreads};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&p->threads[p->nthreads], NULL, send_parts, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        free(start);
    else
        p->nthreads++;
    return failed;
}

// -- the thread that writes

tess_status
http_parts_new(struct http_object *o, struct http_parts **parts, tess_error *err)
{
    struct http_parts *const p = calloc(1, sizeof *p);
    if (!p)
        return http_fail_memory(err);
    p->object = o;
    p->pid = getpid();
    p->filled_end = &p->filled;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    atomic_init(&p->stop, false);
    *parts = p;
    return TESS_OK;
}

tess_status
http_parts_acquire(struct http_parts *parts, int number, size_t size, struct http_part **part,
                   tess_error *err)
{
    struct http_part *const own = calloc(1, sizeof *own);
    const int most = http_parts_in_memory((int64_t)size);
    tess_status st;

    pthread_mutex_lock(&parts->lock);
    while (parts->st == TESS_OK && parts->nparts >= most)
        pthread_cond_wait(&parts->done, &parts->lock);
    st = state_locked(parts, err);
    if (st == TESS_OK)
        parts->nparts++;
    pthread_mutex_unlock(&parts->lock);
    if (st == TESS_OK && own && (own->bytes = malloc(size > 0 ? size : 1))) {
        own->number = number;
        own->capacity = size;
        parts->filling = own;
        *part = own;
        return TESS_OK;
    }
    part_free(own);
    return st == TESS_OK ? http_fail(err, TESS_ERR_NOMEM, "no memory for a part of %zu bytes", size)
                         : st;
}

tess_status
http_parts_submit(struct http_parts *parts, struct http_part *part, const char *id, tess_error *err)
{
    pthread_mutex_lock(&parts->lock);
    if (!parts->id)
        parts->id = id; // before there is a part: threads read it without the lock
    *parts->filled_end = part;
    parts->filled_end = &part->next;
    parts->filling = NULL;
    int queued = 0;
    for (const struct http_part *q = parts->filled; q; q = q->next)
        queued++;
    const bool wanted = parts->nbusy + queued > parts->nthreads;
    tess_status st = state_locked(parts, err);
    pthread_cond_signal(&parts->work);
    pthread_mutex_unlock(&parts->lock);
    if (st == TESS_OK && wanted && parts->nthreads < HTTP_PARTS_AT_ONCE) {
        const int failed = thread_start(parts);
        if (failed && parts->nthreads == 0)
            st = http_fail_sys(err, failed, "no thread to send with");
    }
    return st;
}

tess_status
http_parts_wait(struct http_parts *parts, tess_error *err)
{
    pthread_mutex_lock(&parts->lock);
    while (parts->st == TESS_OK && (parts->filled || parts->nbusy > 0))
        pthread_cond_wait(&parts->done, &parts->lock);
    const tess_status st = state_locked(parts, err);
    pthread_mutex_unlock(&parts->lock);
    return st;
}

const char *const *
http_parts_etags(const struct http_parts *parts, size_t *n)
{
    *n = parts->netags;
    return (const char *const *)parts->etags;
}

static bool
stop_threads(struct http_parts *p)
{
    pthread_mutex_lock(&p->lock);
    p->over = true;
    atomic_store(&p->stop, true);
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->nthreads; i++)
        pthread_join(p->threads[i], NULL);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
    return p->interrupted;
}

bool
http_parts_free(struct http_parts *parts)
{
    if (!parts)
        return false;
    const bool interrupted = parts->pid == getpid() && stop_threads(parts);
    for (struct http_part *next, *part = parts->filled; part; part = next) {
        next = part->next;
        part_free(part);
    }
    for (int i = 0; i < HTTP_PARTS_AT_ONCE; i++)
        part_free(parts->sending[i]); // only in a child
    part_free(parts->filling);
    for (size_t i = 0; i < parts->netags; i++)
        free(parts->etags[i]);
    free(parts->etags);
    free(parts);
    return interrupted;
}
