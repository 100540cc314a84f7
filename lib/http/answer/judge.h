/*
 * judge.h - what an answer means for the request. Pure: no network, no clock, no state.
 *
 * An answer is accepted only if its head proves that the bytes are those of the range, and of the
 * object, that were requested.
 */
#ifndef HTTP_ANSWER_JUDGE_H
#define HTTP_ANSWER_JUDGE_H

#include "answer/head.h"
#include "answer/identity.h"

#include <tessera/error.h>

// What was asked for.
enum http_ask_kind {
    HTTP_ASK_RANGE, // first to last, which lie within the object
    HTTP_ASK_FIRST, // 0 to last, or to the end of the object, whose size is not known
    HTTP_ASK_LAST, // the last `count` bytes, or all there are
    HTTP_ASK_WHOLE, // without a header Range
};

struct http_ask {
    enum http_ask_kind kind;
    int64_t first, last; // last is included
    int64_t count;
};

enum http_verdict {
    HTTP_VERDICT_NONE, // no answer came
    HTTP_VERDICT_TAKE, // the body is from `position` on
    HTTP_VERDICT_STREAM, // the same, the whole object: the server does not answer ranges
    HTTP_VERDICT_EMPTY, // the object has no bytes
    HTTP_VERDICT_ASK_WHOLE, // ask again, for the whole
    HTTP_VERDICT_REDIRECT, // if there is a Location
    HTTP_VERDICT_RETRY, // later
    HTTP_VERDICT_REFUSED, // an answer that can not be used; stop reading it
    HTTP_VERDICT_FAILED, // the server says no, maybe with reasons in the body
};

struct http_judgement {
    enum http_verdict verdict;
    tess_status status; // TESS_OK, or what the call returns
    int sys; // errno that goes with it, or 0
    int64_t total; // size of the object; -1: not told
    int64_t position; // of the first byte of the body
    const char *why; // in words, behind "HOST answers"; NULL: the status of the answer says it
};

// known: the object that was read so far, or NULL.
struct http_judgement http_judge(const struct http_ask *ask, const struct http_head *head,
                                 const struct http_identity *known);

#endif
