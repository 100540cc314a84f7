/*
 * send.c - requests that write.
 */
#include "write/send.h"

#include "address/url.h"
#include "answer/retry.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/number.h"
#include "object/session.h"
#include "s3/answer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    POLL_MS = 50, // between two looks whether it is cancelled
    ANSWER_MOST = 1 << 20, // bytes of a body; more stops the transfer
};

// A request while it is sent.
struct sender {
    struct http_object *object;
    const struct http_sending *sending;
    struct http_reply *reply;
    struct http_session *session;
    int64_t deadline;
    int64_t received; // bytes of the answer
    CURLcode code; // how the last try ended
    bool cancelled, late, stalled; // why this side ended it
    char why[CURL_ERROR_SIZE]; // libcurl's words
    char host[160]; // for messages
    const char *region; // that was signed for
};

static bool
is_cancelled(const struct http_sending *sending)
{
    return sending->cancelled && atomic_load(sending->cancelled);
}

bool
http_send_pause(const struct http_sending *sending, const struct http_head *head, int failures,
                int64_t deadline)
{
    uint64_t random = (uint64_t)http_now_ms() ^ (uint64_t)(uintptr_t)sending << 16;
    const int64_t least = http_head_wait(head, (int64_t)time(NULL));
    const int64_t wait = http_max(http_retry_wait(failures, &random), least);

    const int64_t until = http_now_ms() + wait;
    if (until >= deadline)
        return false;
    for (int64_t now; (now = http_now_ms()) < until;) {
        if (is_cancelled(sending))
            return false;
        const int64_t ms = http_min(until - now, POLL_MS);
        const struct timespec pause = {.tv_nsec = (long)ms * 1000000};
        (void)nanosleep(&pause, NULL);
    }
    return !is_cancelled(sending);
}

// -- one try

static size_t
on_header(char *line, size_t one, size_t size, void *user)
{
    struct sender *const s = user;
    (void)one; // is 1
    s->received += (int64_t)size;
    if (s->reply->body_size > 0)
        return size; // a trailer
    return http_head_line(&s->reply->head, line, size) ? size : 0;
}

static size_t
on_body(char *bytes, size_t one, size_t size, void *user)
{
    struct sender *const s = user;
    struct http_reply *const r = s->reply;
    const size_t room = sizeof r->body - r->body_size;
    const size_t count = http_min_size(size, room);
    (void)one; // is 1
    s->received += (int64_t)size;
    memcpy(r->body + r->body_size, bytes, count);
    r->body_size += count;
    return s->received <= ANSWER_MOST ? size : 0;
}

// Until the transfer ends, or is ended.
static void
drive(struct sender *s, CURL *easy)
{
    const struct http_options *const o = &s->object->common->options;
    const int64_t limit =
        (int64_t)o->stall_timeout * (s->sending->patience > 0 ? s->sending->patience : 1);
    int64_t mark = http_now_ms(), mark_bytes = 0;

    for (;;) {
        int running, left;
        if (curl_multi_perform(s->session->multi, &running) != CURLM_OK) {
            s->code = CURLE_OUT_OF_MEMORY;
            return;
        }
        for (const CURLMsg *m; (m = curl_multi_info_read(s->session->multi, &left));)
            if (m->msg == CURLMSG_DONE && m->easy_handle == easy) {
                s->code = m->data.result;
                return;
            }
        const int64_t now = http_now_ms();
        curl_off_t sent = 0, connected = 0;
        (void)curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &sent);
        (void)curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
        const int64_t bytes = (int64_t)sent + s->received;
        if (connected == 0) // that has a limit of its own
            mark = now;
        if (now - mark >= limit) {
            s->stalled = bytes == mark_bytes || bytes - mark_bytes < limit * o->stall_speed / 1000;
            mark = now;
            mark_bytes = bytes;
        }
        s->cancelled = is_cancelled(s->sending);
        s->late = now >= s->deadline;
        if (s->cancelled || s->late || s->stalled) {
            s->code = CURLE_OPERATION_TIMEDOUT;
            return;
        }
        (void)curl_multi_poll(s->session->multi, NULL, 0, POLL_MS, NULL);
    }
}

static tess_status
set_callbacks(struct sender *s, CURL *easy, tess_error *err)
{
    if (curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, s) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, s) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, s->why) == CURLE_OK)
        return TESS_OK;
    return http_fail_memory(err);
}

static tess_status
place_of(struct sender *s, struct http_place **place, tess_error *err)
{
    s->region = http_common_region(s->object->common);
    const tess_status st = http_object_place(s->object, place, err);
    if (st != TESS_OK)
        return st;
    if (s->sending->query) {
        free((*place)->url.query);
        (*place)->url.query = strdup(s->sending->query);
    }
    char *const host = http_url_host(&(*place)->url);
    snprintf(s->host, sizeof s->host, "%s", host ? host : "the server");
    free(host);
    return s->sending->query && !(*place)->url.query ? http_fail_memory(err) : TESS_OK;
}

// Fails only on this side: else s->code and the reply say what became of it.
static tess_status
attempt(struct sender *s, tess_error *err)
{
    struct http_request request = {0};
    struct http_place *place = NULL;
    CURL *easy = NULL;

    http_head_init(&s->reply->head);
    s->reply->body_size = 0;
    s->received = 0;
    s->stalled = false;
    s->why[0] = '\0';
    tess_status st = place_of(s, &place, err);
    if (st == TESS_OK && !(easy = http_session_easy(s->session)))
        st = http_fail_memory(err);
    if (st == TESS_OK)
        st = http_request_set_message(easy, s->object, place, &s->sending->message, &request, err);
    if (st == TESS_OK)
        st = set_callbacks(s, easy, err);
    if (st == TESS_OK && curl_multi_add_handle(s->session->multi, easy) != CURLM_OK)
        st = http_fail_memory(err);
    if (st == TESS_OK) {
        drive(s, easy);
        curl_multi_remove_handle(s->session->multi, easy);
    }
    if (easy)
        http_session_keep(s->session, easy);
    http_request_finish(&request);
    http_place_free(place);
    return st;
}

// -- what became of it

static int
answered(const struct sender *s) // the status of a whole answer, or 0
{
    const struct http_head *const head = &s->reply->head;
    return s->code == CURLE_OK && head->complete && !head->bad && head->status >= 200 ? head->status
                                                                                      : 0;
}

// Is a later try worth it, though the status does not say so? S3 found damage, or waited too long.
static bool
passes(const char *code)
{
    static const char *const codes[] = {"BadDigest",      "ConditionalRequestConflict",
                                        "IncompleteBody", "OperationAborted",
                                        "RequestTimeout", "XAmzContentSHA256Mismatch"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(code, codes[i]) == 0)
            return true;
    return false;
}

static bool
lost(CURLcode code) // may another try succeed, where no answer came?
{
    return code != CURLE_PEER_FAILED_VERIFICATION && code != CURLE_SSL_CACERT_BADFILE &&
           code != CURLE_SSL_CERTPROBLEM && code != CURLE_UNSUPPORTED_PROTOCOL &&
           code != CURLE_URL_MALFORMAT && code != CURLE_OUT_OF_MEMORY;
}

static tess_status
describe_lost(const struct sender *s, tess_error *err)
{
    const char *const bad = s->reply->head.bad;
    const bool tls =
        s->code == CURLE_SSL_CONNECT_ERROR || s->code == CURLE_PEER_FAILED_VERIFICATION;

    http_fail(err, TESS_ERR_IO, "%s gives no answer when asked %s: %s", s->host, s->sending->act,
              bad                ? bad
              : tls && s->why[0] ? s->why
                                 : curl_easy_strerror(s->code));
    err->sys = s->code == CURLE_OPERATION_TIMEDOUT ? ETIMEDOUT : 0;
    return TESS_ERR_IO;
}

static tess_status
describe(const struct sender *s, const struct s3_refusal *refusal, tess_error *err)
{
    const int status = s->reply->head.status;
    const bool redirect = status >= 300 && status < 400;
    const tess_status st = status == 404 || status == 410 ? TESS_ERR_NOT_FOUND : TESS_ERR_IO;

    http_fail(err, st, "%s answers %d%s%s when asked %s%s", s->host, status,
              refusal->code[0] ? " " : "", refusal->code, s->sending->act,
              redirect ? "; redirects are not followed when writing" : "");
    err->sys = status == 401 || status == 403   ? EACCES
               : status == 404 || status == 410 ? ENOENT
               : status == 412                  ? EEXIST
               : status == 408 || status == 504 ? ETIMEDOUT
               : status == 413                  ? EFBIG
               : status == 507                  ? ENOSPC
                                                : 0;
    return st;
}

// TESS_OK: done. Else err says what is wrong; reply->again: another try may help. *at_once: and
// needs no pause.
static tess_status
judge(struct sender *s, bool *at_once, tess_error *err)
{
    struct http_reply *const r = s->reply;
    struct s3_refusal refusal = {.code = ""};
    const int status = answered(s);

    *at_once = false;
    if (s->cancelled)
        return http_fail(err, TESS_ERR_CANCELLED, "writing was cancelled");
    if (status == 0) {
        r->head.status = 0; // of a part of an answer
        r->again = !s->late && lost(s->code);
        r->unsure = true;
        return describe_lost(s, err);
    }
    const bool told =
        s->object->target.s3 && s3_answer_refusal(r->body, r->body_size, &refusal, NULL) == TESS_OK;
    // Of a completion, POST, the caller looks into the answer.
    const bool denied = told && status < 300 && strcmp(s->sending->message.method, "PUT") == 0;
    if (status < 300 && !denied)
        return TESS_OK;
    r->unsure |= status >= 500 || denied;
    r->again = http_retry_status(status) || passes(refusal.code) || denied;
    if (s->object->target.s3 && (status == 301 || status == 307 || status == 400)) {
        const char *const region = r->head.region[0] ? r->head.region : refusal.region;
        *at_once = http_common_correct(s->object->common, s->region, region);
        r->again |= *at_once;
    }
    return describe(s, &refusal, err);
}

tess_status
http_send(struct http_object *o, const struct http_sending *sending, struct http_reply *reply,
          tess_error *err)
{
    const struct http_options *const options = &o->common->options;
    const int tries = sending->tries > 0 ? sending->tries : options->tries;
    struct sender s = {.object = o, .sending = sending, .reply = reply};
    tess_error why = {.offset = -1};
    bool at_once;

    *reply = (struct http_reply){.body_size = 0};
    http_head_init(&reply->head);
    s.deadline = sending->deadline > 0 ? sending->deadline
                                       : http_now_ms() + options->deadline +
                                             (int64_t)(sending->message.body_size >> 20) * 1000;
    tess_status st = http_pool_acquire(&o->common->pool, &s.session, &why);
    for (int failures = 0; st == TESS_OK;) {
        reply->again = false;
        st = attempt(&s, &why);
        if (st != TESS_OK)
            break;
        st = judge(&s, &at_once, &why);
        if (st == TESS_OK || !reply->again)
            break;
        if (!at_once && (++failures >= tries ||
                         !http_send_pause(sending, &reply->head, failures, s.deadline))) {
            const size_t used = strlen(why.message);
            if (failures > 1)
                snprintf(why.message + used, sizeof why.message - used, " (tries: %d)", failures);
            break;
        }
        st = TESS_OK;
    }
    http_pool_release(&o->common->pool, s.session);
    if (st != TESS_OK && err)
        *err = why;
    return st;
}
