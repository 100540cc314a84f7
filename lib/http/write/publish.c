/*
 * publish.c - the last request of a write.
 */
#include "write/publish.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/number.h"
#include "s3/answer.h"
#include "s3/digest.h"
#include "write/send.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ABORT_MS = 5000, // that an abort takes at most
    SLACK = 5, // seconds that an object may be older than the answer that it began with
    PATIENCE = 3, // completing takes a server longer than other requests
};

static tess_status
fail_exists(tess_error *err)
{
    http_fail(err, TESS_ERR_IO, "the object exists already");
    err->sys = EEXIST;
    return TESS_ERR_IO;
}

static tess_status
look(struct http_object *o, struct http_reply *reply, tess_error *err)
{
    const struct http_sending sending = {.message = {.method = "HEAD"},
                                         .act = "whether the object exists"};
    return http_send(o, &sending, reply, err);
}

// A server that does not let look is told with the request itself.
static tess_status
check_absent(struct http_publication *p, tess_error *err)
{
    struct http_reply reply;
    const tess_status st = look(p->object, &reply, err);
    const int status = reply.head.status;

    if (st == TESS_OK)
        return fail_exists(err);
    if (p->begun < 0)
        p->begun = reply.head.date;
    return status == 404 || status == 410 || status == 403 || status == 405 || status == 501
               ? TESS_OK
               : st;
}

static bool
is_ours(const struct http_publication *p, const char *etag)
{
    struct http_reply reply;
    const struct http_head *const head = &reply.head;
    tess_error ignored;

    return look(p->object, &reply, &ignored) == TESS_OK && head->length == p->size &&
           (p->begun < 0 || head->modified < 0 || head->modified >= p->begun - SLACK) &&
           s3_etag_may_be(head->etag, etag);
}

tess_status
http_publish_whole(struct http_publication *p, const void *bytes, tess_error *err)
{
    struct http_sending sending = {
        .message = {.method = "PUT",
                    .body = bytes,
                    .body_size = (size_t)p->size,
                    .only_new = !p->replace,
                    .once = true},
        .act = "to store the object",
    };
    struct http_reply reply;
    char etag[S3_ETAG_SIZE];

    tess_status st = p->replace ? TESS_OK : check_absent(p, err);
    if (st == TESS_OK)
        st = http_send(p->object, &sending, &reply, err);
    else
        return st;
    if (st != TESS_OK && sending.message.only_new && reply.head.status == 501) {
        sending.message.only_new = false;
        st = http_send(p->object, &sending, &reply, err);
    }
    if (st == TESS_OK || !reply.unsure || p->replace)
        return st;
    s3_etag(bytes, (size_t)p->size, etag); // an earlier try may have stored it
    return is_ours(p, etag) ? TESS_OK : st;
}

// -- parts

enum outcome {
    DONE,
    FAILED, // the server says no
    AGAIN, // it may have been completed, or not
    UNCONDITIONAL, // it does not know If-None-Match
};

static bool
one_of(const char *code, const char *const *codes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(code, codes[i]) == 0)
            return true;
    return false;
}

// An answer of status 200 can be an error: its status is sent before the server is done.
static enum outcome
judge_completed(const struct http_reply *reply, struct s3_refusal *refusal, tess_error *err)
{
    static const char *const final[] = {"EntityTooSmall",
                                        "EntityTooLarge",
                                        "InvalidPart",
                                        "NoSuchUpload",
                                        "InvalidPartOrder",
                                        "MalformedXML",
                                        "AccessDenied",
                                        "NotImplemented",
                                        "PreconditionFailed",
                                        "InvalidRequest",
                                        "ConditionalRequestConflict"};
    const tess_status st = s3_answer_completed(reply->body, reply->body_size, refusal, err);

    if (st == TESS_OK)
        return DONE;
    if (st != TESS_ERR_IO)
        http_fail(err, TESS_ERR_IO,
                  "the answer of %zu bytes does not say whether the upload was "
                  "completed",
                  reply->body_size);
    return one_of(refusal->code, final, sizeof final / sizeof *final) ? FAILED : AGAIN;
}

static enum outcome
try_to_complete(struct http_object *o, const struct http_sending *sending, struct http_reply *reply,
                struct s3_refusal *refusal, tess_error *err)
{
    *refusal = (struct s3_refusal){.code = ""};
    if (http_send(o, sending, reply, err) == TESS_OK)
        return judge_completed(reply, refusal, err);
    (void)s3_answer_refusal(reply->body, reply->body_size, refusal, NULL);
    if (sending->message.only_new && reply->head.status == 501)
        return UNCONDITIONAL;
    // A conflict with another writer needs the parts anew.
    return reply->again && reply->head.status != 409 ? AGAIN : FAILED;
}

static bool
says_exists(const struct http_reply *reply, const struct s3_refusal *refusal)
{
    return reply->head.status == 412 || strcmp(refusal->code, "PreconditionFailed") == 0;
}

// Completes; *unsure: it may be completed though the call fails.
static tess_status
complete(struct http_publication *p, struct http_sending *sending, bool *unsure, tess_error *err)
{
    const int tries = p->object->common->options.tries;
    struct s3_refusal refusal;
    struct http_reply reply;

    *unsure = false;
    for (int failures = 0;;) {
        const enum outcome outcome = try_to_complete(p->object, sending, &reply, &refusal, err);
        if (outcome == DONE)
            return TESS_OK;
        if (outcome == UNCONDITIONAL) {
            sending->message.only_new = false;
            continue;
        }
        if (outcome == FAILED) {
            if (!*unsure && says_exists(&reply, &refusal))
                return fail_exists(err);
            return err->status;
        }
        *unsure = true;
        if (++failures >= tries ||
            !http_send_pause(sending, &reply.head, failures, sending->deadline))
            return err->status;
    }
}

// "uploadId=ID"; NULL: no memory.
static char *
query_of(const char *id)
{
    const size_t room = strlen(id) + 16;
    char *const query = malloc(room);
    if (query)
        snprintf(query, room, "uploadId=%s", id);
    return query;
}

tess_status
http_publish_parts(struct http_publication *p, const char *id, const char *const *etags, size_t n,
                   tess_error *err)
{
    struct http_sending sending = {
        .message = {.method = "POST", .only_new = !p->replace, .once = true},
        .act = "to complete the upload",
        .tries = 1,
        .patience = PATIENCE,
        .deadline = http_now_ms() + p->object->common->options.deadline,
    };
    char *const query = query_of(id);
    char *body = NULL, etag[S3_ETAG_SIZE];
    bool unsure = false;
    tess_status st = query ? TESS_OK : http_fail_memory(err);

    if (st == TESS_OK && !p->replace)
        st = check_absent(p, err);
    if (st == TESS_OK)
        st = s3_request_complete(etags, n, &body, &sending.message.body_size, err);
    if (st == TESS_OK) {
        sending.message.body = body;
        sending.query = query;
        st = complete(p, &sending, &unsure, err);
    }
    if (st != TESS_OK) {
        http_abort_parts(p->object, id, false); // from here on nothing can complete it
        if (unsure) {
            if (!s3_etag_of_parts(etags, n, etag))
                etag[0] = '\0';
            st = is_ours(p, etag) ? TESS_OK : st;
        }
    }
    free(body);
    free(query);
    return st;
}

void
http_abort_parts(struct http_object *o, const char *id, bool often)
{
    const int64_t deadline = o->common->options.deadline;
    char *const query = query_of(id);
    const struct http_sending sending = {
        .message = {.method = "DELETE"},
        .query = query,
        .act = "to abort the upload",
        .deadline = http_now_ms() + http_min(deadline, ABORT_MS),
    };
    struct http_reply reply;
    tess_error ignored;

    for (int i = 0; query && i < (often ? 2 : 1); i++)
        if (http_send(o, &sending, &reply, &ignored) != TESS_OK)
            break;
    free(query);
}
