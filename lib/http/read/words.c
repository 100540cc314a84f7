/*
 * words.c - what went wrong with a transfer, in words.
 */
#include "read/words.h"

#include "address/url.h"
#include "answer/judge.h"
#include "object/request.h"
#include "s3/answer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

tess_status
http_why(tess_error *why, tess_status st, int sys, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why->message, sizeof why->message, format, args);
    va_end(args);
    why->status = st;
    why->sys = sys;
    why->offset = -1;
    return st;
}

// "example.org:8080", for messages.
void
http_host_text(const struct http_transfer *t, char *text, size_t size)
{
    char *const host = http_url_host(&t->place->url);
    snprintf(text, size, "%s", host ? host : "the server");
    free(host);
}

// The reason in the body of S3's answer: ", NoSuchKey"; "" where it has none.
static void
reason_text(const struct http_transfer *t, char *text, size_t size)
{
    struct s3_refusal refusal;
    text[0] = '\0';
    if (s3_answer_refusal(t->body, t->body_size, &refusal, NULL) == TESS_OK && refusal.code[0])
        snprintf(text, size, " %s", refusal.code);
}

static bool
is_tls(CURLcode code)
{
    return code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION ||
           code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_CERTPROBLEM;
}

void
http_describe(const struct http_transfer *t, CURLcode code, tess_error *why)
{
    const struct http_judgement *const j = &t->judgement;
    char host[160], range[HTTP_RANGE_TEXT_SIZE], reason[80];

    http_host_text(t, host, sizeof host);
    http_ask_text(&t->ask, range);
    reason_text(t, reason, sizeof reason);
    if (j->verdict == HTTP_VERDICT_NONE && code == CURLE_OUT_OF_MEMORY)
        // What libcurl also says of a line beyond its own limit of 100 KB, before this library sees
        // any of it.
        http_why(why, TESS_ERR_IO, 0,
                 "%s answers the request for %s with headers that are too long, "
                 "or there is no memory",
                 host, range);
    else if (j->verdict == HTTP_VERDICT_NONE)
        http_why(why, TESS_ERR_IO, code == CURLE_OPERATION_TIMEDOUT ? ETIMEDOUT : 0,
                 "%s gives no answer to the request for %s: %s", host, range,
                 is_tls(code) && t->why[0] ? t->why : curl_easy_strerror(code));
    else if (j->verdict == HTTP_VERDICT_TAKE || j->verdict == HTTP_VERDICT_STREAM ||
             j->verdict == HTTP_VERDICT_EMPTY)
        http_why(why, TESS_ERR_IO, 0,
                 "%s answers %d to the request for %s, but not all bytes come%s%s", host,
                 t->head.status, range, code == CURLE_OK ? "" : ": ",
                 code == CURLE_OK ? "" : curl_easy_strerror(code));
    else if (j->why && t->head.status < 300)
        http_why(why, j->status, j->sys, "%s answers the request for %s %s (status %d)", host,
                 range, j->why, t->head.status);
    else if (j->why)
        http_why(why, j->status, j->sys, "%s answers %d%s to the request for %s: %s", host,
                 t->head.status, reason, range, j->why);
    else
        http_why(why, j->status == TESS_OK ? TESS_ERR_IO : j->status, j->sys,
                 "%s answers %d%s to the request for %s", host, t->head.status, reason, range);
}
