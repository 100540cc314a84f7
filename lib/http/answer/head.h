/*
 * head.h - the status line and the header lines of an answer, as far as they matter here.
 *
 * Each line is a claim of a server: numbers are parsed with a check for overflow, texts are cut or
 * dropped beyond a fixed size, and nothing is allocated. A header that contradicts itself, or has a
 * value that cannot be, makes the answer a bad one.
 *
 * Not here: what an answer means for a request (judge.h). No network, no clock.
 */
#ifndef HTTP_ANSWER_HEAD_H
#define HTTP_ANSWER_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HTTP_HEAD_MAX = 64 << 10, // bytes of all header lines of an answer
    HTTP_ETAG_SIZE = 256, // with its quotes and a NUL; longer ones count as none
    HTTP_REGION_SIZE = 64,
};

struct http_head {
    int status; // 100 to 999; 0: no status line was seen
    int64_t length; // Content-Length; -1: none
    bool ranged; // there is a Content-Range, of which the next three are:
    int64_t first, last; // -1: "*", there are no such bytes
    int64_t total; // -1: "*", not told
    char etag[HTTP_ETAG_SIZE]; // with quotes, without W/; "": none
    bool weak; // the ETag is
    int64_t modified; // Last-Modified, seconds since 1970; -1: none
    int64_t date; // Date; -1: none
    int64_t retry_seconds; // Retry-After as seconds; -1: none, or a date
    int64_t retry_date; // Retry-After as a date; -1: none, or seconds
    bool encoded; // Content-Encoding is not identity
    bool multipart; // Content-Type is multipart/...
    char region[HTTP_REGION_SIZE]; // x-amz-bucket-region; "": none
    bool complete; // the empty line was seen
    size_t size; // bytes of lines so far
    const char *bad; // what is wrong with it, in words; NULL: nothing
};

// Before the first line.
void http_head_init(struct http_head *head);

/*
 * Take the next line, with or without its end. A status line behind the empty line begins another
 * answer: that before was an interim one (1xx), or that of a proxy.
 *
 * Returns false if head->bad is set: the transfer is to be stopped.
 */
bool http_head_line(struct http_head *head, const char *line, size_t size);

// Milliseconds that the answer asks to wait before the next try; -1: it does not say. `now` is that
// of this machine, seconds since 1970, and is used if the answer has no Date.
int64_t http_head_wait(const struct http_head *head, int64_t now);

// Decimal digits, all of them, as a number; false: other bytes, none, or beyond 63 bits.
bool http_number(const char *text, size_t size, int64_t *value);

// A date in one of the three forms of RFC 9110 5.6.7, as seconds since 1970; -1: it is none.
int64_t http_date(const char *text, size_t size);

#endif
