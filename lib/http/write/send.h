/*
 * send.h - requests that write: each is sent by the calling thread, with its tries and pauses.
 *
 * Several threads may send for one object: each takes a session from the pool.
 *
 * Redirects are not followed, as bytes of the program would go where it did not say; but for the
 * region of a bucket, which S3 corrects.
 */
#ifndef HTTP_WRITE_SEND_H
#define HTTP_WRITE_SEND_H

#include "answer/head.h"
#include "object/object.h"
#include "object/request.h"

enum { HTTP_REPLY_KEPT = 4096 };

struct http_sending {
    struct http_message message;
    const char *query; // percent-encoded; NULL: that of the URL
    const char *act; // for messages, "to store part 3"
    int tries; // 0: those of the options
    int patience; // stall_timeout is so many times that of the options; 0: once
    int64_t deadline; // http_now_ms(); 0: from the options, with a second for each MiB of body
    const atomic_bool *cancelled; // looked at 20 times a second; NULL: it is not
};

struct http_reply {
    struct http_head head; // of the last answer; status 0: none came
    char body[HTTP_REPLY_KEPT]; // its beginning
    size_t body_size;
    bool unsure; // a try that failed may have been executed
    bool again; // it failed with what may pass
};

/*
 * Send, until an answer of status 2xx, which is TESS_OK, or one that says no. TESS_ERR_NOT_FOUND:
 * 404, 410. TESS_ERR_IO, with sys as http.h says, EEXIST for 412. TESS_ERR_CANCELLED; TESS_ERR_ARG
 * (it cannot be signed), TESS_ERR_NOMEM. *reply is filled in any case.
 */
tess_status http_send(struct http_object *o, const struct http_sending *sending,
                      struct http_reply *reply, tess_error *err);

// Sleep before another try, after so many failures. False: the deadline would be over, or it was
// cancelled.
bool http_send_pause(const struct http_sending *sending, const struct http_head *head, int failures,
                     int64_t deadline);

#endif
