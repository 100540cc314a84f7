/*
 * request.h - one request of libcurl: its URL, headers, credentials, and the limits on it.
 */
#ifndef HTTP_OBJECT_REQUEST_H
#define HTTP_OBJECT_REQUEST_H

#include "answer/judge.h"
#include "object/object.h"

struct http_request { // zeroed: empty
    struct curl_slist *headers; // belong to the easy handle until it is reset
};

enum { HTTP_RANGE_TEXT_SIZE = 64 };

// "bytes 0-99", "the last 100 bytes", "all": for messages.
void http_ask_text(const struct http_ask *ask, char text[HTTP_RANGE_TEXT_SIZE]);

/*
 * Make an easy handle with default options ask for bytes of an object at a place. identity: of the
 * object, which is asked for in If-Match if it can be; NULL: any. On success the caller ends
 * *request with http_request_finish(), when the handle was reset; else it is empty.
 *
 * Credentials and the program's headers are only in it if the place is trusted.
 */
tess_status http_request_set(CURL *easy, struct http_object *o, const struct http_place *place,
                             const struct http_ask *ask, const struct http_identity *identity,
                             struct http_request *request, tess_error *err);

// A request that is no reading of the object.
struct http_message {
    const char *method; // PUT, POST, DELETE, HEAD
    const void *body; // NULL: none; stays until the request is over
    size_t body_size;
    bool only_new; // refuse if the object exists: If-None-Match: *
    // It matters how often the request arrives: on a new connection, since libcurl sends it once
    // more, and does not tell, if one that was kept turns out to be closed.
    bool once;
};

// The same for a message. S3 refuses it if the body does not arrive as it is: its hash is signed,
// or, of a request that is not signed, in Content-MD5.
tess_status http_request_set_message(CURL *easy, struct http_object *o,
                                     const struct http_place *place,
                                     const struct http_message *message,
                                     struct http_request *request, tess_error *err);

// Wipes what it frees.
void http_request_finish(struct http_request *request);

#endif
