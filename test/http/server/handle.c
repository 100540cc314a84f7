/*
 * handle.c - executes a request as an honest server does.
 */
#include "http/server/handle.h"

#include "http/server/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
    struct server_objects *objects;
    struct server_uploads *uploads;
    const struct server_options *options;
    const struct server_request *request;
};

// Does the request want a range, and one of the object as it is now?
static bool
wants_range(const struct call *c, const struct server_object *object)
{
    const struct server_request *const r = c->request;
    const char *const if_range = server_header(r, "If-Range");

    return (r->first != 0 || r->last != INT64_MAX ||
            (r->range && strcmp(r->range, "bytes=0-") == 0)) &&
           (!if_range ||
            (if_range[0] == '"' && server_tag_listed(if_range, object, c->options->etag, true)));
}

// The body is the range. False: no byte of the object is in it.
static bool
choose_range(const struct server_request *r, struct server_answer *a)
{
    const int64_t size = a->object->size;
    const int64_t first = r->first >= 0 ? r->first : r->first + size > 0 ? r->first + size : 0;

    if (first >= size)
        return false;
    const int64_t last = r->last < size ? r->last : size - 1;
    a->status = 206;
    a->ranged = true;
    a->first = first;
    a->length = last - first + 1;
    a->of_size = size;
    return true;
}

static void
handle_get(const struct call *c, struct server_answer *a)
{
    const struct server_request *const r = c->request;
    const char *const match = server_header(r, "If-Match");
    const char *const none_match = server_header(r, "If-None-Match");
    const enum server_etag etag = c->options->etag;
    char date[32];

    // The object; the body is all of it.
    struct server_object *const object = server_objects_find(c->objects, r->name);
    if (!object) {
        server_answer_error(a, c->objects, 404, "NoSuchKey");
        return;
    }
    a->object = object;
    a->length = object->size;
    // Conditions. The reference to the object ends with the answers that are none of it.
    if (match && !server_tag_listed(match, object, etag, true)) {
        server_answer_error(a, c->objects, 412, "PreconditionFailed");
        return;
    }
    server_tag_print(etag, object->tag, a->etag, sizeof a->etag);
    if (none_match && server_tag_listed(none_match, object, etag, false)) {
        char kept[sizeof a->etag];
        memcpy(kept, a->etag, sizeof kept);
        server_answer_empty(a, c->objects, 304);
        memcpy(a->etag, kept, sizeof kept);
        return;
    }
    // The range.
    if (wants_range(c, object) && !choose_range(r, a)) {
        const int64_t size = object->size;
        server_answer_error(a, c->objects, 416, "InvalidRange");
        server_text_print(&a->lines, "Content-Range: bytes */%" PRId64 "\r\n", size);
        return;
    }
    server_print_date(object->modified, date);
    server_text_print(&a->lines, "Last-Modified: %s\r\nAccept-Ranges: bytes\r\n", date);
    server_text_print(&a->lines, "Content-Type: application/octet-stream\r\n");
}

static void
handle_put(const struct call *c, struct server_answer *a)
{
    const struct server_request *const r = c->request;
    const struct server_condition condition = {
        c->options->etag, server_header(r, "If-Match"),
        c->options->ignore_none_match ? NULL : server_header(r, "If-None-Match")};
    char tag[SERVER_TAG_SIZE];

    const int status =
        server_objects_put(c->objects, r->name, r->body, r->body_size, &condition, tag);
    if (status != 200)
        server_answer_error(a, c->objects, status, server_code_of(status));
    else
        server_tag_print(c->options->etag, tag, a->etag, sizeof a->etag);
}

static void
handle_delete(const struct call *c, struct server_answer *a)
{
    (void)server_objects_delete(c->objects, c->request->name);
    server_answer_empty(a, c->objects, 204);
}

// The first row with the method, and the parameter of the query if there is one, is meant.
static const struct row {
    const char *method;
    const char *parameter; // NULL: any query
    void (*upload)(const struct server_upload_call *c, struct server_answer *a);
    void (*object)(const struct call *c, struct server_answer *a);
} rows[] = {
    {"GET", NULL, NULL, handle_get},
    {"HEAD", NULL, NULL, handle_get},
    {"PUT", "uploadId", server_upload_part, NULL},
    {"PUT", NULL, NULL, handle_put},
    {"POST", "uploads", server_upload_begin, NULL},
    {"POST", "uploadId", server_upload_complete, NULL},
    {"DELETE", "uploadId", server_upload_abort, NULL},
    {"DELETE", NULL, NULL, handle_delete},
};

void
server_handle(struct server_objects *objects, struct server_uploads *uploads,
              const struct server_options *options, const struct server_request *request,
              struct server_answer *a)
{
    const struct call call = {objects, uploads, options, request};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].method, request->method) != 0)
            continue;
        char *const value =
            rows[i].parameter ? server_query_value(request, rows[i].parameter) : NULL;
        if (rows[i].parameter && !value)
            continue;
        const struct server_upload_call upload = {
            uploads,      objects, request, value, options->part_least, options->ignore_none_match,
            options->etag};
        if (rows[i].upload)
            rows[i].upload(&upload, a);
        else
            rows[i].object(&call, a);
        free(value);
        return;
    }
    server_answer_error(a, objects, 405, "MethodNotAllowed");
}
