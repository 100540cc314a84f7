/*
 * answer.h - what is answered, and how it is sent.
 *
 * The first half of the struct is the answer of an honest server; faults change it, or set members
 * of the second half, which are for them alone.
 */
#ifndef HTTP_SERVER_ANSWER_H
#define HTTP_SERVER_ANSWER_H

#include "http/server/objects.h"
#include "http/server/printed.h"
#include "http/server/wire.h"

struct server_answer {
    int status;
    struct server_object *object; // a reference, of which [first, first + length) is the body
    int64_t first, length;
    struct server_text text; // the body, where there is no object
    bool ranged; // a 206: Content-Range is first, length and of_size
    int64_t of_size;
    char etag[SERVER_TAG_SIZE + 8]; // "": none
    struct server_text lines; // other headers, each with CRLF
    bool head; // no body is sent
    bool no_length; // neither a body nor a length: 204, 304
    bool close; // the connection has no other request

    const char *status_line; // instead of one, with CRLF; NULL: that of the status
    char length_text[32]; // Content-Length instead of the right one; "": the right one
    bool without_length, chunked;
    bool close_first, close_headers, reset; // nothing is sent; half of the head; by RST
    int stall_first_ms, stall_ms; // before the answer, at `stall_at`
    int64_t stall_at, cut_at; // bytes of the body sent before; -1: not
    int64_t more; // bytes after the body; -1: no end
    bool endless_headers;
};

void server_answer_init(struct server_answer *a);
void server_answer_finish(struct server_answer *a, struct server_objects *o);

// An answer with a body of XML as S3's errors have, instead of what was there.
void server_answer_error(struct server_answer *a, struct server_objects *o, int status,
                         const char *code);
// The same, with a status and no body.
void server_answer_empty(struct server_answer *a, struct server_objects *o, int status);

// Bytes of the body.
int64_t server_answer_size(const struct server_answer *a);
// The body becomes a text of its own. False: the file of the object has it no more.
bool server_answer_own_body(struct server_answer *a, struct server_objects *o);

// "Sun, 06 Nov 1994 08:49:37 GMT", into 32 bytes.
void server_print_date(time_t t, char *dst);

// What S3 calls an error of that status; "Error" if it has no name for it.
const char *server_code_of(int status);

// False: the connection is to be closed. *sent: bytes of the body; *begun: some bytes were sent.
bool server_answer_send(const struct server_answer *a, struct server_wire *w, int64_t *sent,
                        bool *begun);

#endif
