/*
 * request.h - one request of libcurl: its URL, headers, credentials, and the limits on it.
 */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include "http/judge.h"
#include "http/object.h"

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

// Wipes what it frees.
void http_request_finish(struct http_request *request);

#endif
