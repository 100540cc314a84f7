/*
 * judge.c - what an answer means for the request.
 */
#include "answer/judge.h"

#include "answer/retry.h"
#include "base/number.h"

#include <errno.h>

#define REPLACED "with another object than before"

static struct http_judgement
refused(tess_status status, const char *why)
{
    return (struct http_judgement){
        .verdict = HTTP_VERDICT_REFUSED, .status = status, .total = -1, .why = why};
}

static struct http_judgement
taken(enum http_verdict verdict, int64_t total, int64_t position)
{
    return (struct http_judgement){.verdict = verdict, .total = total, .position = position};
}

static bool
replaced(const struct http_head *head, int64_t total, const struct http_identity *known)
{
    const struct http_identity id = http_identity_of(head, total);
    return known && !http_identity_same(known, &id);
}

static struct http_judgement
judge_part(const struct http_ask *ask, const struct http_head *head,
           const struct http_identity *known)
{
    const int64_t total = head->total;
    int64_t first = ask->first, last = ask->last;

    if (ask->kind == HTTP_ASK_WHOLE)
        return refused(TESS_ERR_IO, "with a part, where all was asked for");
    if (head->multipart)
        return refused(TESS_ERR_IO, "with several parts, where one was asked for");
    if (!head->ranged || head->first < 0)
        return refused(TESS_ERR_IO, "with a part, and no Content-Range says which");
    if (replaced(head, total, known))
        return refused(TESS_ERR_STALE, REPLACED);
    if (ask->kind != HTTP_ASK_RANGE && total < 0)
        return refused(TESS_ERR_IO, "without the size of the object");
    if (ask->kind == HTTP_ASK_FIRST) {
        first = 0;
        last = http_min(ask->last, total - 1);
    } else if (ask->kind == HTTP_ASK_LAST) {
        first = http_max(total - ask->count, 0);
        last = total - 1;
    }
    if (head->first != first || head->last != last)
        return refused(TESS_ERR_IO, "with another range than asked for");
    return taken(HTTP_VERDICT_TAKE, total, first);
}

// All of the object: is that what was asked for?
static bool
covers(const struct http_ask *ask, int64_t total)
{
    switch (ask->kind) {
    case HTTP_ASK_WHOLE:
        return true;
    case HTTP_ASK_LAST:
        return total >= 0 && ask->count >= total;
    default:
        return total >= 0 && ask->first == 0 && ask->last >= total - 1;
    }
}

static struct http_judgement
judge_whole(const struct http_ask *ask, const struct http_head *head,
            const struct http_identity *known)
{
    const int64_t total = head->length;

    if (replaced(head, total, known))
        return refused(TESS_ERR_STALE, REPLACED);
    if (total < 0 && (!known || known->size < 0))
        return refused(TESS_ERR_IO, "without the size of the object");
    if (total == 0)
        return taken(HTTP_VERDICT_EMPTY, 0, 0);
    return taken(covers(ask, total) ? HTTP_VERDICT_TAKE : HTTP_VERDICT_STREAM, total, 0);
}

// 416: no byte of the range exists.
static struct http_judgement
judge_unsatisfied(const struct http_ask *ask, const struct http_head *head,
                  const struct http_identity *known)
{
    const int64_t total = head->ranged && head->first < 0 ? head->total : -1;

    if (known && total >= 0 && known->size >= 0 && known->size != total)
        return refused(TESS_ERR_STALE, REPLACED);
    if (ask->kind == HTTP_ASK_FIRST || ask->kind == HTTP_ASK_LAST) {
        if (total == 0)
            return taken(HTTP_VERDICT_EMPTY, 0, 0);
        if (total < 0)
            return taken(HTTP_VERDICT_ASK_WHOLE, -1, 0);
    }
    return (struct http_judgement){
        .verdict = HTTP_VERDICT_FAILED, .status = TESS_ERR_IO, .total = total};
}

// Answers without the object.
static struct http_judgement
judge_status(int status)
{
    struct http_judgement j = {.verdict = HTTP_VERDICT_FAILED, .status = TESS_ERR_IO, .total = -1};

    if (status == 301 || status == 302 || status == 303 || status == 307 || status == 308) {
        j.verdict = HTTP_VERDICT_REDIRECT;
    } else if (status == 401 || status == 403) {
        j.sys = EACCES;
    } else if (status == 404 || status == 410) {
        j.status = TESS_ERR_NOT_FOUND;
        j.sys = ENOENT;
    } else if (status == 412) {
        j.status = TESS_ERR_STALE;
        j.why = "that the object was replaced";
    } else if (http_retry_status(status)) {
        j.verdict = HTTP_VERDICT_RETRY;
        j.sys = status == 408 || status == 504 ? ETIMEDOUT : 0;
    }
    return j;
}

struct http_judgement
http_judge(const struct http_ask *ask, const struct http_head *head,
           const struct http_identity *known)
{
    if (head->bad)
        return refused(TESS_ERR_IO, head->bad);
    if (head->status == 416)
        return judge_unsatisfied(ask, head, known);
    if (head->status < 200 || head->status > 299)
        return judge_status(head->status);
    if (head->encoded)
        return refused(TESS_ERR_IO, "with a Content-Encoding, which was not asked for");
    if (head->status == 206)
        return judge_part(ask, head, known);
    if (head->status == 200)
        return judge_whole(ask, head, known);
    return (struct http_judgement){
        .verdict = HTTP_VERDICT_FAILED, .status = TESS_ERR_IO, .total = -1};
}
