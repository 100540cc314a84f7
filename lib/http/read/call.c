/*
 * call.c - a call of the source: pieces of an object are brought, by several transfers at once.
 *
 * There are as many slots as requests at once. A slot takes a piece, asks for it, waits and asks
 * again for the rest after failures, and takes the next when it is done: pieces that fail keep
 * their slots, so that a server in trouble gets no more requests at once than one that is well.
 */
#include "read/call.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/number.h"
#include "object/session.h"
#include "read/slot.h"
#include "read/transfer.h"
#include "read/words.h"

#include <errno.h>
#include <stdlib.h>

enum {
    POLL_MS = 50, // between two looks whether the call is cancelled
    LINGER_MS = 100, // for the end of an answer whose bytes are all there
};

struct call {
    struct http_effort e;
    struct http_listener listener;
    size_t next; // first piece that no slot took
    size_t told; // pieces before it were told, of a stream
    struct http_slot *slots;
    int nslots;
};

// Give a piece to a free slot. False: there is none.
static bool
slot_take(struct call *c, struct http_slot *s)
{
    struct http_batch *const b = &c->e.batch;

    if (b->stream || atomic_load(&b->object->rangeless)) {
        if (b->stream)
            return false;
        b->stream = &s->t;
        s->t.piece = NULL;
    } else {
        while (c->next < b->npieces && b->pieces[c->next].done)
            c->next++;
        if (c->next == b->npieces)
            return false;
        s->t.piece = &b->pieces[c->next++];
    }
    s->t.brought = s->brought = 0;
    s->state = HTTP_SLOT_WAITING;
    s->not_before = 0;
    return true;
}

// Start what can be started.
static void
start_slots(struct call *c)
{
    const int64_t now = http_now_ms();
    for (int i = 0; i < c->nslots && c->e.st == TESS_OK; i++) {
        struct http_slot *const s = &c->slots[i];
        if (s->state == HTTP_SLOT_WAITING && http_transfer_superseded(&s->t))
            http_slot_free(s);
        if (s->state == HTTP_SLOT_FREE && (now < c->e.hold || !slot_take(c, s)))
            continue;
        if (s->state == HTTP_SLOT_WAITING && s->not_before <= now)
            http_effort_fail(&c->e, http_slot_start(&c->e, s));
    }
}

// Tell of a piece, if it is done.
static void
tell_piece(struct call *c, size_t i)
{
    struct http_piece *const p = &c->e.batch.pieces[i];

    if (!p->done || p->told)
        return;
    p->told = true;
    if (c->listener.arrived)
        c->listener.arrived(c->listener.user, i);
    else if (c->listener.reading)
        tess_reading_arrived(c->listener.reading, i);
}

static void
tell(struct call *c, const struct http_slot *s)
{
    const struct http_piece *const all = c->e.batch.pieces;

    if (s->t.piece) {
        tell_piece(c, (size_t)(s->t.piece - all));
        return;
    }
    for (; c->told < c->e.batch.npieces && all[c->told].done; c->told++)
        tell_piece(c, c->told);
}

// What libcurl does not end by itself.
static void
sweep(struct call *c)
{
    const int64_t now = http_now_ms();

    for (int i = 0; i < c->nslots && c->e.st == TESS_OK; i++) {
        struct http_slot *const s = &c->slots[i];
        if (s->state != HTTP_SLOT_RUNNING)
            continue;
        tell(c, s);
        if (s->t.easy && !s->t.whole && !http_transfer_superseded(&s->t) &&
            http_slot_stalled(&c->e, s, now))
            http_slot_finish(&c->e, s, CURLE_OPERATION_TIMEDOUT);
        if (s->t.whole && s->whole_since < 0)
            s->whole_since = now;
        // Ended, or its end does not come, or another brings its piece.
        if (s->state == HTTP_SLOT_RUNNING &&
            (!s->t.easy || (s->t.whole && now - s->whole_since >= LINGER_MS) ||
             (!s->t.whole && http_transfer_superseded(&s->t))))
            http_slot_free(s);
    }
}

static void
receive(struct call *c)
{
    CURLM *const multi = c->e.batch.session->multi;
    int running, left;

    if (curl_multi_perform(multi, &running) != CURLM_OK) {
        http_effort_fail(&c->e, http_fail_memory(&c->e.why));
        return;
    }
    for (const CURLMsg *m; (m = curl_multi_info_read(multi, &left)) && c->e.st == TESS_OK;) {
        struct http_transfer *t = NULL;
        if (m->msg != CURLMSG_DONE ||
            curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t) != CURLE_OK)
            continue;
        for (int i = 0; i < c->nslots; i++)
            if (&c->slots[i].t == t)
                http_slot_finish(&c->e, &c->slots[i], m->data.result);
    }
    sweep(c);
}

// Until when nothing has to be done but to receive, in milliseconds from now.
static int
pause_ms(const struct call *c)
{
    const int64_t now = http_now_ms();
    int64_t pause = POLL_MS;

    for (int i = 0; i < c->nslots; i++) {
        const struct http_slot *const s = &c->slots[i];
        int64_t until = now + pause;
        if (s->state == HTTP_SLOT_WAITING)
            until = s->not_before;
        else if (s->state == HTTP_SLOT_FREE && !c->e.batch.stream && c->next < c->e.batch.npieces)
            until = c->e.hold;
        pause = http_min(pause, http_max(until - now, 0));
    }
    return (int)pause;
}

static void
look_at_clock(struct call *c)
{
    if (c->listener.reading && tess_reading_cancelled(c->listener.reading)) {
        http_effort_fail(&c->e,
                         http_why(&c->e.why, TESS_ERR_CANCELLED, 0, "reading was cancelled"));
    } else if (http_now_ms() >= c->e.deadline) {
        const tess_error last = c->e.why;
        http_why(&c->e.why, TESS_ERR_IO, ETIMEDOUT, "not all bytes came within %d ms",
                 c->e.options->deadline);
        if (last.message[0])
            http_effort_fail_why(&c->e, "; %s", last.message);
        http_effort_fail(&c->e, TESS_ERR_IO);
    }
}

static void
run(struct call *c)
{
    while (c->e.st == TESS_OK && c->e.batch.left > 0) {
        look_at_clock(c);
        if (c->e.st == TESS_OK)
            start_slots(c);
        if (c->e.st == TESS_OK)
            receive(c);
        const int pause = c->e.st == TESS_OK && c->e.batch.left > 0 ? pause_ms(c) : 0;
        if (pause > 0)
            (void)curl_multi_poll(c->e.batch.session->multi, NULL, 0, pause, NULL);
    }
}

static size_t
count_left(const struct http_piece *pieces, size_t n)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        left += !pieces[i].done;
    return left;
}

tess_status
http_call_listening(struct http_object *o, struct http_piece *pieces, size_t n,
                    const struct http_listener *listener, tess_error *err)
{
    const struct http_options *const options = &o->common->options;
    const int64_t now = http_now_ms();
    struct call c = {
        .e.batch = {.object = o, .pieces = pieces, .npieces = n, .left = count_left(pieces, n)},
        .e.options = options,
        .e.deadline = now + options->deadline,
        .listener = *listener,
        .e.random = (uint64_t)now ^ (uint64_t)(uintptr_t)&c << 16,
        .nslots = n < (size_t)options->requests ? (int)n : options->requests,
    };

    c.e.st = http_pool_acquire(&o->common->pool, &c.e.batch.session, &c.e.why);
    if (c.e.st == TESS_OK && !(c.slots = calloc((size_t)c.nslots, sizeof *c.slots)))
        c.e.st = http_fail_memory(&c.e.why);
    for (int i = 0; i < c.nslots && c.slots; i++)
        c.slots[i].t.batch = &c.e.batch;
    run(&c);
    for (int i = 0; i < c.nslots && c.slots; i++)
        http_slot_free(&c.slots[i]);
    free(c.slots);
    http_pool_release(&o->common->pool, c.e.batch.session);
    if (c.e.st != TESS_OK && err)
        *err = c.e.why;
    return c.e.st;
}

tess_status
http_call(struct http_object *o, struct http_piece *pieces, size_t n, const tess_reading *reading,
          tess_error *err)
{
    const struct http_listener listener = {.reading = reading};
    return http_call_listening(o, pieces, n, &listener, err);
}
