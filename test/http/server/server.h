/*
 * server.h - an HTTP server in the process of a test: objects, S3's uploads, a log, faults.
 *
 *     struct server_options options;
 *     server_options_init(&options);
 *     struct server *s = server_start(&options);
 *     server_put(s, "bucket/key", bytes, size);
 *     ... requests to http://127.0.0.1:server_port(s)/bucket/key ...
 *     server_stop(s);
 *
 * Listens on 127.0.0.1, HTTP/1.1 with keep-alive, one thread per connection; connections do not
 * wait for each other. No TLS, and no dependency but POSIX.
 *
 * An object's name is the path of a request, percent-decoded, without the first slash. Requests:
 *
 * - GET, HEAD: with one range (bytes=a-b, a-, -n) 206, or 416 with the size in Content-Range if no
 *   byte is in it; ranges that are malformed or several are ignored. If-Match, If-None-Match,
 *   If-Range; ETag and Last-Modified in the answer.
 * - PUT: stores an object. If-Match and "If-None-Match: *" as in S3.
 * - DELETE: removes one; 204, also if there is none.
 * - POST ?uploads: begins an upload in parts.
 * - PUT ?partNumber=N&uploadId=I: stores a part, N from 1 to 10000, in any order; a second one of
 *   that number replaces it.
 * - POST ?uploadId=I: completes the upload. The parts in the XML body, by rising number, become the
 *   object; all but the last have `part_least` bytes or more. Conditions are those of PUT.
 * - DELETE ?uploadId=I: aborts the upload.
 *
 * Errors have the XML body of S3 (<Error><Code>...). Signatures are not checked: see `permit`.
 *
 * Order within a request: it is received whole and counted; `delay_ms`; `permit` may refuse it;
 * `fault` chooses a fault; it is executed; the answer is sent. A fault that is another status or a
 * redirect takes the place of the execution. Any other changes the answer only: what was put or
 * deleted stays so, though the client may not learn of it.
 *
 * All functions may be called by any thread, until server_stop(); they hold no lock while they call
 * `permit` and `fault`, which may call them. Running out of memory or threads ends the program.
 */
#ifndef HTTP_SERVER_SERVER_H
#define HTTP_SERVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A request, while `permit` or `fault` runs. Members stay until the function returns.
struct server_request {
    int64_t number; // 1, 2, ... since the start or the last server_log_reset()
    const char *method;
    const char *target; // path and query as they were sent
    const char *name; // of the object
    const char *query; // not decoded, without the question mark; "" if there is none
    const char *range; // the header; NULL: none
    // The range of bytes; a-: last is INT64_MAX; -n: first is -n, last INT64_MAX; none, several or
    // malformed: 0 and INT64_MAX.
    int64_t first, last;
    const uint8_t *body;
    size_t body_size;
    const struct server_headers *headers; // for server_header()
};

// The value of the first header of that name, in any case of letters; NULL: there is none.
const char *server_header(const struct server_request *request, const char *name);

/*
 * What can be wrong with an answer. HEAD has the headers of it.
 *
 * Faults of the body cut it after `at` bytes, or after all but one if it is not longer; an empty
 * body stays whole, but the connection is closed, or stalls, as well. Faults of ranges leave
 * answers other than 206 as they are.
 */
enum server_fault_kind {
    SERVER_NO_FAULT,
    // Time, and the connection.
    SERVER_STALL_ANSWER, // `ms` pass before the answer
    SERVER_STALL_BODY, // `ms` pass after `at` bytes of the body
    SERVER_CLOSE, // closed before the answer
    SERVER_CLOSE_HEADERS, // closed within the headers
    SERVER_RESET, // reset (RST) before the answer
    SERVER_RESET_BODY, // reset after `at` bytes of the body
    // The body.
    SERVER_SHORT_BODY, // Content-Length of all, `at` bytes, closed
    SERVER_CUT_CHUNKS, // chunked encoding, `at` bytes, closed before the last chunk
    SERVER_LONG_BODY, // after the Content-Length come 64 KiB more, then it is closed
    SERVER_ENDLESS_BODY, // no Content-Length, and no end until the client closes
    SERVER_ENDLESS_CHUNKS, // the same in chunked encoding
    SERVER_GZIP, // Content-Encoding: gzip, of valid gzip
    // Ranges.
    SERVER_WHOLE, // 200 with the whole object
    SERVER_RANGE_SHIFTED, // another range, one byte on or, at the end, back; Content-Range tells it
    SERVER_RANGE_SHORTER, // the first half; Content-Range tells it
    SERVER_RANGE_OTHER_SIZE, // Content-Range with a size one larger
    SERVER_NO_CONTENT_RANGE,
    SERVER_MULTIPART_RANGES, // multipart/byteranges with one part
    // Other statuses; not executed. `seconds` above 0 are told as Retry-After.
    SERVER_403,
    SERVER_404,
    SERVER_408,
    SERVER_416,
    SERVER_429, // Retry-After also if `seconds` are 0
    SERVER_429_DATE, // Retry-After is a date, `seconds` from now
    SERVER_500,
    SERVER_502,
    SERVER_503,
    // Redirects, with `status`, 302 if that is 0; not executed.
    SERVER_REDIRECT_CIRCLE, // to the same target
    SERVER_REDIRECT_PATH, // to `target`; NULL: to the same object, with a query "moved"
    SERVER_REDIRECT_HOST, // to `target`, NULL: the same target, of http://localhost:PORT
    // Headers.
    SERVER_GARBAGE, // 64 bytes in place of the status line, then closed
    SERVER_HUGE_HEADER, // a header line of 1 MiB
    SERVER_ENDLESS_HEADERS, // header lines until the client closes
    SERVER_NEGATIVE_LENGTH, // Content-Length: -1
    SERVER_HUGE_LENGTH, // Content-Length: 2^64 + size; after the body it is closed
    SERVER_OTHER_ETAG, // an ETag that no object has
    // What is stored.
    SERVER_REPLACED, // all bits of the object are flipped first; so it has another ETag, too
    SERVER_BAD_DIGEST, // 400, as if the body had been damaged on its way; not executed
    SERVER_CONFLICT, // 409 ConditionalRequestConflict; not executed
    SERVER_ERROR_IN_200, // 200 with an <Error> in the body, as S3 completes uploads; not executed
    SERVER_FAULTS // their count
};

struct server_fault {
    enum server_fault_kind kind;
    int ms; // milliseconds; those of stalls
    int64_t at; // bytes of the body before the fault
    int seconds; // of Retry-After
    int status; // of redirects: 301, 302, 307, 308
    const char *target; // of redirects, path and query; a string that stays; may be NULL
};

// "short-body"
const char *server_fault_name(enum server_fault_kind kind);

// Chooses the fault of a request. Called by the threads of connections, by several at once.
typedef struct server_fault server_fault_fn(const struct server_request *request, void *user);

// Faults at random, of which the number of the request and the seed decide alone:
//     options.fault = server_fault_by_chance;
//     options.fault_user = &chance;
struct server_chance {
    uint64_t seed;
    double probability; // 0 to 1
    uint64_t kinds; // sum of SERVER_KIND(); 0: all
    int ms; // of stalls
};
#define SERVER_KIND(kind) ((uint64_t)1 << (kind))
server_fault_fn server_fault_by_chance;

// Decides whether a request is served: 0, or the status of the refusal (403, ...). Called by the
// threads of connections, by several at once.
typedef int server_permit_fn(const struct server_request *request, void *user);

enum server_etag { SERVER_ETAG_STRONG, SERVER_ETAG_WEAK, SERVER_ETAG_NONE };

struct server_options {
    int port; // 0: any that is free
    // Objects are the files below; NULL: they are in memory. A string that stays.
    const char *directory;
    int delay_ms; // milliseconds before the first byte of each answer
    enum server_etag etag; // which ETags objects have; weak ones never satisfy If-Match
    size_t part_least; // bytes of a part that is not the last: 5 MiB
    bool ignore_none_match; // writes do not know If-None-Match
    server_fault_fn *fault; // NULL: no faults
    void *fault_user; // passed to `fault`
    server_permit_fn *permit; // NULL: all are served
    void *permit_user; // passed to `permit`
};

void server_options_init(struct server_options *options);

// NULL, and errno: the port cannot be had.
struct server *server_start(const struct server_options *options);

// Ends all connections, joins all threads, forgets objects in memory. NULL is fine.
void server_stop(struct server *s);

int server_port(const struct server *s);

// Requests that arrive from now on have these; port and directory stay.
void server_set_options(struct server *s, const struct server_options *options);

// Store an object, of a copy of the bytes, with a new ETag. False: the name is none for a file
// (empty, or with parts that are empty, "." or ".."), or the file cannot be written.
bool server_put(struct server *s, const char *name, const void *bytes, size_t size);

// False: there was none.
bool server_delete(struct server *s, const char *name);

// The bytes of an object; free() them. NULL: there is none.
uint8_t *server_get(struct server *s, const char *name, size_t *size);

// Uploads that are neither completed nor aborted.
int server_uploads(struct server *s);

// A line of the log.
struct server_entry {
    int64_t number; // of the request
    char method[16]; // longer texts are cut
    char path[256]; // with the query, as sent
    char host[64]; // the header; "" if there is none
    char range[64]; // the header; "" if there is none
    bool authorization; // the header Authorization was there
    enum server_fault_kind fault;
    int status; // of the answer; 0: none of it was sent
    int64_t sent; // bytes of the body that were sent, without those of chunked encoding
    int64_t start_ns, end_ns; // CLOCK_MONOTONIC: all received, all sent. end_ns 0: not yet
};

// Requests are listed up to this number, and counted beyond it.
#define SERVER_LOG_MOST 65536

// Requests since the start or the last reset. One that the client has an answer of is counted.
int64_t server_log_count(struct server *s);

// Copies up to `most` lines, in the order of the numbers, and returns how many. Waits before, at
// most `wait_ms`, until the answers of all requests are sent: of one that the client just received,
// the server may not have noted the end.
int server_log_list(struct server *s, int wait_ms, struct server_entry *dst, int most);

// Forgets all requests; the next has number 1.
void server_log_reset(struct server *s);

#endif
