/*
 * transfer.c - one request under way, and the bytes that it brings.
 */
#include "read/transfer.h"

#include "answer/head.h"
#include "answer/identity.h"
#include "answer/judge.h"
#include "base/error.h"
#include "base/number.h"
#include "object/session.h"

#include <string.h>

bool
http_transfer_superseded(const struct http_transfer *t)
{
    const struct http_batch *const b = t->batch;
    return t->piece ? b->stream != NULL || t->piece->done : b->stream != t;
}

// The pieces that it brings.
static struct http_piece *
wanted(const struct http_transfer *t, size_t *n)
{
    *n = t->piece ? 1 : t->batch->npieces;
    return t->piece ? t->piece : t->batch->pieces;
}

static bool
all_done(const struct http_transfer *t)
{
    return t->piece ? t->piece->done : t->batch->left == 0;
}

// The answer has the object: which one, and how large is it?
static bool
take_identity(struct http_transfer *t)
{
    struct http_object *const o = t->batch->object;
    struct http_judgement *const j = &t->judgement;
    const struct http_identity id = http_identity_of(&t->head, j->total);

    if (!http_object_is(o, &id, &t->st)) { // judged before another answer was the first one
        j->verdict = HTTP_VERDICT_REFUSED;
        j->status = TESS_ERR_STALE;
        j->why = "with another object than before";
        return false;
    }
    if (t->st != TESS_OK)
        return false;
    const int64_t total = j->total >= 0 ? j->total : atomic_load(&o->identity)->size;
    if (total >= 0)
        t->batch->left -= http_pieces_settle(t->batch->pieces, t->batch->npieces, total);
    return true;
}

// This transfer brings all pieces from now on; the others stop when libcurl calls them next.
static void
become_stream(struct http_transfer *t)
{
    t->batch->stream = t;
    t->piece = NULL;
    t->at = 0;
}

// The headers are complete. False: stop.
static bool
judge(struct http_transfer *t)
{
    struct http_object *const o = t->batch->object;
    struct http_judgement *const j = &t->judgement;

    *j = http_judge(&t->ask, &t->head, atomic_load(&o->identity));
    switch (j->verdict) {
    case HTTP_VERDICT_STREAM:
        if (!take_identity(t))
            return false;
        atomic_store(&o->rangeless, true);
        become_stream(t);
        break;
    case HTTP_VERDICT_TAKE:
    case HTTP_VERDICT_EMPTY:
        if (!take_identity(t))
            return false;
        break;
    case HTTP_VERDICT_REFUSED:
        return false;
    default:
        return true;
    }
    t->position = j->position;
    t->whole = all_done(t);
    return true;
}

static size_t
on_header(char *line, size_t one, size_t size, void *user)
{
    struct http_transfer *const t = user;

    (void)one; // is 1
    t->received += (int64_t)size;
    if (t->body_began)
        return size;
    if (http_transfer_superseded(t))
        return 0;
    if (!http_head_line(&t->head, line, size)) {
        t->judgement = http_judge(&t->ask, &t->head, NULL); // refused
        return 0;
    }
    if (t->head.complete && t->head.status >= 200 && !judge(t))
        return 0;
    return size;
}

static size_t
keep_body(struct http_transfer *t, const char *bytes, size_t size)
{
    const size_t room = sizeof t->body - t->body_size;
    const size_t count = http_min_size(size, room);
    memcpy(t->body + t->body_size, bytes, count);
    t->body_size += count;
    return count; // less than size stops the transfer
}

static size_t
on_body(char *bytes, size_t one, size_t size, void *user)
{
    struct http_transfer *const t = user;
    size_t n;

    (void)one; // is 1
    t->received += (int64_t)size;
    t->body_began = true;
    if (http_transfer_superseded(t) && !t->whole)
        return 0;
    if (t->judgement.verdict != HTTP_VERDICT_TAKE && t->judgement.verdict != HTTP_VERDICT_STREAM)
        return keep_body(t, bytes, size);
    if (t->whole)
        return 0; // bytes behind those asked for
    struct http_piece *const pieces = wanted(t, &n);
    const int64_t stop = pieces[n - 1].offset + (int64_t)pieces[n - 1].size;
    const int64_t room = http_max(stop - t->position, 0);
    const size_t count = http_size_within(size, room);
    t->batch->left -= http_pieces_take(pieces, n, &t->at, t->position, bytes, count, &t->brought);
    t->position += (int64_t)count;
    t->whole = all_done(t);
    if (t->whole && !t->piece)
        return 0; // the rest of the object is not wanted
    return count;
}

tess_status
http_transfer_start(struct http_transfer *t, tess_error *err)
{
    struct http_object *const o = t->batch->object;

    t->ask = t->piece ? http_piece_ask(t->piece) : (struct http_ask){.kind = HTTP_ASK_WHOLE};
    http_head_init(&t->head);
    t->judgement = (struct http_judgement){.verdict = HTTP_VERDICT_NONE, .total = -1};
    t->st = TESS_OK;
    t->body_began = t->whole = false;
    t->position = t->received = 0;
    t->at = t->body_size = 0;
    t->why[0] = '\0';
    t->easy = http_session_easy(t->batch->session);
    if (!t->easy)
        return http_fail_memory(err);
    const tess_status st = http_request_set(t->easy, o, t->place, &t->ask,
                                            atomic_load(&o->identity), &t->request, err);
    if (st == TESS_OK && curl_easy_setopt(t->easy, CURLOPT_HEADERFUNCTION, on_header) == CURLE_OK &&
        curl_easy_setopt(t->easy, CURLOPT_HEADERDATA, t) == CURLE_OK &&
        curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK &&
        curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t) == CURLE_OK &&
        curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t) == CURLE_OK &&
        curl_easy_setopt(t->easy, CURLOPT_ERRORBUFFER, t->why) == CURLE_OK &&
        curl_multi_add_handle(t->batch->session->multi, t->easy) == CURLM_OK)
        return TESS_OK;
    http_transfer_stop(t);
    return st == TESS_OK ? http_fail_memory(err) : st;
}

void
http_transfer_stop(struct http_transfer *t)
{
    if (!t->easy)
        return;
    curl_multi_remove_handle(t->batch->session->multi, t->easy); // also of one that is not in it
    http_session_keep(t->batch->session, t->easy);
    t->easy = NULL;
    http_request_finish(&t->request);
}

void
http_transfer_drop_places(struct http_transfer *t)
{
    http_place_free(t->own);
    t->own = t->place = NULL;
    t->moved = false;
}
