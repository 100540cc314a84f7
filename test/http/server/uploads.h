/*
 * uploads.h - uploads in parts that are neither completed nor aborted, and the requests for them.
 */
#ifndef HTTP_SERVER_UPLOADS_H
#define HTTP_SERVER_UPLOADS_H

#include "http/server/answer.h"
#include "http/server/objects.h"

#include <pthread.h>

struct server_uploads {
    pthread_mutex_t lock; // for all below; may be held when that of the objects is taken
    struct server_upload *first;
    uint64_t last_id;
};

void server_uploads_init(struct server_uploads *u);
void server_uploads_finish(struct server_uploads *u);
int server_uploads_count(struct server_uploads *u);

// What a request of an upload needs.
struct server_upload_call {
    struct server_uploads *uploads;
    struct server_objects *objects;
    const struct server_request *request;
    const char *id; // of the query; NULL at begin
    size_t part_least;
    bool ignore_none_match;
    enum server_etag etag;
};

// Each executes a request, and fills in an answer that is only initialised.
void server_upload_begin(const struct server_upload_call *c, struct server_answer *a);
void server_upload_part(const struct server_upload_call *c, struct server_answer *a);
void server_upload_complete(const struct server_upload_call *c, struct server_answer *a);
void server_upload_abort(const struct server_upload_call *c, struct server_answer *a);

#endif
