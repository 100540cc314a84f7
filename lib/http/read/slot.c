/*
 * slot.c - a place for one request at a time: its tries, pauses and redirects.
 */
#include "read/slot.h"

#include "address/url.h"
#include "answer/head.h"
#include "answer/retry.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "object/object.h"
#include "read/words.h"
#include "s3/answer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PROGRESS = 64 << 10 }; // bytes: failures before them do not count as tries

void
http_effort_fail(struct http_effort *c, tess_status st)
{
    if (c->st == TESS_OK)
        c->st = st;
}

void
http_effort_fail_why(struct http_effort *c, const char *format, ...)
{
    if (c->st != TESS_OK)
        return;
    const size_t used = strlen(c->why.message);
    va_list args;
    va_start(args, format);
    vsnprintf(c->why.message + used, sizeof c->why.message - used, format, args);
    va_end(args);
    http_effort_fail(c, c->why.status);
}

static void
drop_hops(struct http_slot *s)
{
    for (int i = 0; i < s->nhops; i++)
        http_free_secret(s->hops[i]); // queries may be signatures
    s->nhops = 0;
    http_transfer_drop_places(&s->t);
}

void
http_slot_free(struct http_slot *s)
{
    http_transfer_stop(&s->t);
    drop_hops(s);
    s->state = HTTP_SLOT_FREE;
    s->failures = 0;
}

// The same request once more, at once, to s->t.place if that is set.
static void
slot_again(struct http_slot *s)
{
    s->state = HTTP_SLOT_WAITING;
    s->not_before = 0;
}

// c->why says what failed: try again from the program's URL, after a while of at least `least` ms.
static void
slot_retry(struct http_effort *c, struct http_slot *s, int64_t least)
{
    const int64_t now = http_now_ms();

    if (s->t.brought - s->brought >= PROGRESS)
        s->failures = 0;
    s->brought = s->t.brought;
    if (s->t.moved)
        http_object_unmove(c->batch.object, s->t.place);
    drop_hops(s);
    if (++s->failures >= c->options->tries) {
        http_effort_fail_why(c, " (tries: %d)", s->failures);
        return;
    }
    const int64_t wait = http_max(http_retry_wait(s->failures, &c->random), least);
    if (least > 0)
        c->hold = http_max(c->hold, now + least);
    if (wait >= c->deadline - now) {
        http_effort_fail_why(c, "; the next try, after %" PRId64 " s, would be behind the deadline",
                             (wait + 999) / 1000);
        return;
    }
    s->state = HTTP_SLOT_WAITING;
    s->not_before = now + wait;
}

static bool
passes(CURLcode code) // may another try succeed?
{
    static const CURLcode codes[] = {
        CURLE_COULDNT_RESOLVE_PROXY,
        CURLE_COULDNT_RESOLVE_HOST,
        CURLE_COULDNT_CONNECT,
        CURLE_PARTIAL_FILE,
        CURLE_OPERATION_TIMEDOUT,
        CURLE_SSL_CONNECT_ERROR,
        CURLE_GOT_NOTHING,
        CURLE_SEND_ERROR,
        CURLE_RECV_ERROR,
        CURLE_HTTP2,
        CURLE_HTTP2_STREAM,
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (code == codes[i])
            return true;
    return code == CURLE_OK; // closed, but for an answer
}

static void
follow(struct http_effort *c, struct http_slot *s, const char *location)
{
    struct http_place *place;
    tess_error err;
    char host[HTTP_HOST_TEXT_SIZE];

    http_host_text(&s->t, host, sizeof host);
    if (s->t.moved) // a chain begins at the program's URL
        http_object_unmove(c->batch.object, s->t.place);
    if (s->nhops == HTTP_HOPS_MAX) {
        http_why(&c->why, TESS_ERR_IO, ELOOP, "%s redirects, after %d redirects before", host,
                 HTTP_HOPS_MAX);
        http_effort_fail(c, TESS_ERR_IO);
        return;
    }
    const tess_status st = http_object_redirect(c->batch.object, location, &place, &err);
    if (st != TESS_OK) {
        http_why(&c->why, st, 0, "%s answers %d: %s", host, s->t.head.status, err.message);
        http_effort_fail(c, st);
        return;
    }
    char *const from = http_url_text(&s->t.place->url), *const to = http_url_text(&place->url);
    bool circle = !from || !to || strcmp(from, to) == 0;
    for (int i = 0; i < s->nhops && !circle; i++)
        circle = strcmp(s->hops[i], to) == 0;
    const bool memory = from && to;
    http_free_secret(to);
    if (from)
        s->hops[s->nhops++] = from;
    http_place_free(s->t.own);
    s->t.own = s->t.place = place;
    s->t.moved = false;
    slot_again(s);
    if (!memory) {
        http_effort_fail(c, http_fail_memory(&c->why));
    } else if (circle) {
        http_why(&c->why, TESS_ERR_IO, ELOOP, "%s redirects in a circle", host);
        http_effort_fail(c, TESS_ERR_IO);
    }
}

// The whole answer came, and says no.
static void
answered(struct http_effort *c, struct http_slot *s, const char *location)
{
    struct http_transfer *const t = &s->t;
    struct http_object *const o = c->batch.object;
    const int status = t->head.status;

    if (o->target.s3 && (status == 301 || status == 307 || status == 400)) {
        struct s3_refusal refusal = {.region = ""};
        (void)s3_answer_refusal(t->body, t->body_size, &refusal, NULL);
        const char *const region = t->head.region[0] ? t->head.region : refusal.region;
        if (http_common_correct(o->common, t->region, region)) {
            drop_hops(s);
            slot_again(s);
            return;
        }
    }
    if (t->judgement.verdict == HTTP_VERDICT_REDIRECT && location) {
        follow(c, s, location);
        return;
    }
    http_describe(&s->t, CURLE_OK, &c->why);
    if (t->judgement.verdict == HTTP_VERDICT_RETRY)
        slot_retry(c, s, http_head_wait(&t->head, (int64_t)time(NULL)));
    else if (t->moved && status < 500 && status != 412) // what a redirect gave does not last
        slot_retry(c, s, 0);
    else
        http_effort_fail(c, c->why.status);
}

void
http_slot_finish(struct http_effort *c, struct http_slot *s, CURLcode code)
{
    struct http_transfer *const t = &s->t;
    char *location = NULL;

    if (t->judgement.verdict == HTTP_VERDICT_REDIRECT &&
        curl_easy_getinfo(t->easy, CURLINFO_REDIRECT_URL, &location) == CURLE_OK && location)
        location = strdup(location); // of the easy handle
    http_transfer_stop(t);
    if (t->st != TESS_OK) {
        http_effort_fail(c, http_fail_memory(&c->why));
    } else if (t->whole) {
        if (t->own && s->nhops > 0) {
            http_object_move(c->batch.object, t->own);
            t->own = NULL;
        }
    } else if (http_transfer_superseded(t)) {
        http_slot_free(s);
    } else {
        switch (t->judgement.verdict) {
        case HTTP_VERDICT_NONE:
        case HTTP_VERDICT_TAKE:
        case HTTP_VERDICT_STREAM:
        case HTTP_VERDICT_EMPTY:
            http_describe(&s->t, code, &c->why);
            if (passes(code) && t->judgement.verdict != HTTP_VERDICT_EMPTY)
                slot_retry(c, s, 0);
            else
                http_effort_fail(c, c->why.status);
            break;
        case HTTP_VERDICT_ASK_WHOLE:
            c->batch.stream = t;
            t->piece = NULL;
            slot_again(s);
            break;
        case HTTP_VERDICT_REFUSED:
            http_describe(&s->t, code, &c->why);
            http_effort_fail(c, c->why.status);
            break;
        default:
            answered(c, s, location);
        }
    }
    http_free_secret(location);
}

tess_status
http_slot_start(struct http_effort *c, struct http_slot *s)
{
    struct http_object *const o = c->batch.object;
    tess_status st;

    if (!s->t.place) { // not within a chain of redirects
        s->t.place = atomic_load(&o->moved);
        s->t.moved = s->t.place;
        if (!s->t.place) {
            st = http_object_place(o, &s->t.own, &c->why);
            if (st != TESS_OK)
                return st;
            s->t.place = s->t.own;
        }
    }
    s->t.region = http_common_region(o->common);
    st = http_transfer_start(&s->t, &c->why);
    s->state = HTTP_SLOT_RUNNING;
    s->mark = -1;
    s->whole_since = -1;
    return st;
}

bool
http_slot_stalled(const struct http_effort *c, struct http_slot *s, int64_t now)
{
    curl_off_t connected = 0;
    const int64_t limit = c->options->stall_timeout;

    if (s->mark < 0) {
        if (curl_easy_getinfo(s->t.easy, CURLINFO_PRETRANSFER_TIME_T, &connected) == CURLE_OK &&
            connected > 0) {
            s->mark = now;
            s->mark_bytes = s->t.received;
        }
        return false;
    }
    if (now - s->mark < limit)
        return false;
    const int64_t came = s->t.received - s->mark_bytes;
    const bool stalled = came == 0 || came < limit * c->options->stall_speed / 1000;
    s->mark = now;
    s->mark_bytes = s->t.received;
    return stalled;
}
