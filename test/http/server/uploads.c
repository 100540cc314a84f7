/*
 * uploads.c - uploads in parts that are neither completed nor aborted, and the requests for them.
 *
 * An upload that is completed stays in the list if the object cannot be stored, as in S3.
 */
#include "http/server/uploads.h"

#include "http/server/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MOST = 10000 };

struct part {
    struct part *next; // by rising number
    int64_t number;
    uint64_t version; // counts parts; the tag of this one
    size_t size;
    uint8_t *bytes;
};

struct server_upload {
    struct server_upload *next;
    uint64_t id;
    char *name;
    struct part *parts;
    uint64_t versions;
};

static void
free_parts(struct part *p)
{
    for (struct part *next; p; p = next) {
        next = p->next;
        free(p->bytes);
        free(p);
    }
}

static void
free_upload(struct server_upload *u)
{
    free_parts(u->parts);
    free(u->name);
    free(u);
}

void
server_uploads_init(struct server_uploads *u)
{
    *u = (struct server_uploads){0};
    pthread_mutex_init(&u->lock, NULL);
}

void
server_uploads_finish(struct server_uploads *u)
{
    for (struct server_upload *next, *p = u->first; p; p = next) {
        next = p->next;
        free_upload(p);
    }
    pthread_mutex_destroy(&u->lock);
}

int
server_uploads_count(struct server_uploads *u)
{
    int n = 0;

    pthread_mutex_lock(&u->lock);
    for (const struct server_upload *p = u->first; p; p = p->next)
        n++;
    pthread_mutex_unlock(&u->lock);
    return n;
}

static void
refuse(const struct server_upload_call *c, struct server_answer *a, int status, const char *code)
{
    server_answer_error(a, c->objects, status, code);
}

// Where the pointer to the upload is; NULL, and an answer: there is none of that id and name.
static struct server_upload **
find_upload(const struct server_upload_call *c, struct server_answer *a)
{
    char text[32];

    for (struct server_upload **p = &c->uploads->first; *p; p = &(*p)->next) {
        (void)snprintf(text, sizeof text, "upload-%" PRIu64, (*p)->id);
        if (strcmp(text, c->id) == 0 && strcmp((*p)->name, c->request->name) == 0)
            return p;
    }
    refuse(c, a, 404, "NoSuchUpload");
    return NULL;
}

void
server_upload_begin(const struct server_upload_call *c, struct server_answer *a)
{
    struct server_upload *const u = server_memory(sizeof *u);

    *u = (struct server_upload){.name = server_copy(c->request->name)};
    pthread_mutex_lock(&c->uploads->lock);
    const uint64_t id = u->id = ++c->uploads->last_id;
    u->next = c->uploads->first;
    c->uploads->first = u;
    pthread_mutex_unlock(&c->uploads->lock);
    server_text_print(&a->text,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<InitiateMultipartUploadResult>"
                      "<UploadId>upload-%" PRIu64 "</UploadId></InitiateMultipartUploadResult>",
                      id);
    server_text_print(&a->lines, "Content-Type: application/xml\r\n");
}

static void
print_part_tag(const struct server_upload *u, const struct part *p, char *dst, size_t dst_size)
{
    (void)snprintf(dst, dst_size, "part-%" PRIu64 "-%" PRId64 "-%" PRIu64, u->id, p->number,
                   p->version);
}

static void
store_part(struct server_upload *u, int64_t number, const struct server_request *r,
           struct server_answer *a)
{
    struct part **p = &u->parts;
    char tag[SERVER_TAG_SIZE];

    while (*p && (*p)->number < number)
        p = &(*p)->next;
    if (!*p || (*p)->number > number) {
        struct part *const inserted = server_memory(sizeof *inserted);
        *inserted = (struct part){.next = *p, .number = number};
        *p = inserted;
    }
    free((*p)->bytes);
    (*p)->bytes = server_memory(r->body_size);
    (*p)->size = r->body_size;
    (*p)->version = ++u->versions;
    if (r->body_size > 0)
        memcpy((*p)->bytes, r->body, r->body_size);
    print_part_tag(u, *p, tag, sizeof tag);
    server_tag_print(SERVER_ETAG_STRONG, tag, a->etag, sizeof a->etag); // needed to complete
}

void
server_upload_part(const struct server_upload_call *c, struct server_answer *a)
{
    char *const text = server_query_value(c->request, "partNumber");
    int64_t number = 0;

    if (!text || !server_parse_number(text, strlen(text), &number) || number < 1 ||
        number > PARTS_MOST) {
        free(text);
        refuse(c, a, 400, "InvalidArgument");
        return;
    }
    free(text);
    pthread_mutex_lock(&c->uploads->lock);
    struct server_upload **const u = find_upload(c, a);
    if (u)
        store_part(*u, number, c->request, a);
    pthread_mutex_unlock(&c->uploads->lock);
}

void
server_upload_abort(const struct server_upload_call *c, struct server_answer *a)
{
    pthread_mutex_lock(&c->uploads->lock);
    struct server_upload **const place = find_upload(c, a);
    struct server_upload *const u = place ? *place : NULL;
    if (u)
        *place = u->next;
    pthread_mutex_unlock(&c->uploads->lock);
    if (u) {
        free_upload(u);
        server_answer_empty(a, c->objects, 204);
    }
}

// The text between <name> and </name>, in [from, end), without spaces and quotes (also &quot;)
// around.
static bool
find_element(const char *from, const char *end, const char *name, const char **text, size_t *size)
{
    char open[32], close[32];

    (void)snprintf(open, sizeof open, "<%s>", name);
    (void)snprintf(close, sizeof close, "</%s>", name);
    const char *p = memmem(from, (size_t)(end - from), open, strlen(open));
    if (!p)
        return false;
    p += strlen(open);
    const char *stop = memmem(p, (size_t)(end - p), close, strlen(close));
    if (!stop)
        return false;
    for (size_t skip = 1; skip > 0; p += skip)
        skip = stop - p >= 6 && memcmp(p, "&quot;", 6) == 0 ? 6
               : p < stop && strchr(" \t\r\n\"", *p) && *p  ? 1
                                                            : 0;
    for (size_t skip = 1; skip > 0; stop -= skip)
        skip = stop - p >= 6 && memcmp(stop - 6, "&quot;", 6) == 0     ? 6
               : p < stop && strchr(" \t\r\n\"", stop[-1]) && stop[-1] ? 1
                                                                       : 0;
    *text = p;
    *size = (size_t)(stop - p);
    return true;
}

// A part of the list that completes an upload. NULL, and *code: it is refused.
static const struct part *
find_part(const struct server_upload *u, const char *from, const char *end, const char **code)
{
    const char *number_text, *tag;
    size_t number_size, tag_size;
    int64_t number;
    char have[SERVER_TAG_SIZE];

    *code = "MalformedXML";
    if (!find_element(from, end, "PartNumber", &number_text, &number_size) ||
        !server_parse_number(number_text, number_size, &number) ||
        !find_element(from, end, "ETag", &tag, &tag_size))
        return NULL;
    *code = "InvalidPart";
    const struct part *p = u->parts;
    while (p && p->number != number)
        p = p->next;
    if (!p)
        return NULL;
    print_part_tag(u, p, have, sizeof have);
    return tag_size == strlen(have) && memcmp(tag, have, tag_size) == 0 ? p : NULL;
}

// The parts of the list, one behind the other. NULL: done; else the code of an error.
static const char *
assemble(const struct server_upload_call *c, const struct server_upload *u,
         struct server_text *whole)
{
    const char *p = (const char *)c->request->body;
    const char *const end = p ? p + c->request->body_size : NULL;
    const struct part *last = NULL;

    while (p && (p = memmem(p, (size_t)(end - p), "<Part>", 6))) {
        const char *const stop = memmem(p, (size_t)(end - p), "</Part>", 7);
        const char *code;
        if (!stop)
            return "MalformedXML";
        const struct part *const part = find_part(u, p, stop, &code);
        if (!part)
            return code;
        if (last && part->number <= last->number)
            return "InvalidPartOrder";
        if (last && last->size < c->part_least)
            return "EntityTooSmall";
        server_text_add(whole, part->bytes, part->size);
        last = part;
        p = stop;
    }
    return last ? NULL : "MalformedXML";
}

// The status of the answer, and the code of an error, NULL if the status has one.
static int
complete_locked(const struct server_upload_call *c, const struct server_upload *u, char *tag,
                const char **code)
{
    const struct server_condition condition = {
        c->etag, server_header(c->request, "If-Match"),
        c->ignore_none_match ? NULL : server_header(c->request, "If-None-Match")};
    struct server_text whole = {0};
    int status = 400;

    *code = assemble(c, u, &whole);
    if (!*code)
        status = server_objects_put(c->objects, u->name, whole.data, whole.size, &condition, tag);
    server_text_finish(&whole);
    return status;
}

void
server_upload_complete(const struct server_upload_call *c, struct server_answer *a)
{
    char tag[SERVER_TAG_SIZE];
    const char *code = NULL;
    int status = 0;

    pthread_mutex_lock(&c->uploads->lock);
    struct server_upload **const place = find_upload(c, a);
    struct server_upload *const u = place ? *place : NULL;
    if (u)
        status = complete_locked(c, u, tag, &code);
    if (status == 200)
        *place = u->next;
    pthread_mutex_unlock(&c->uploads->lock);
    if (status == 200) {
        free_upload(u);
        server_tag_print(c->etag, tag, a->etag, sizeof a->etag);
        server_text_print(&a->text,
                          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                          "<CompleteMultipartUploadResult><ETag>&quot;%s&quot;</ETag>"
                          "</CompleteMultipartUploadResult>",
                          tag);
        server_text_print(&a->lines, "Content-Type: application/xml\r\n");
    } else if (status != 0) {
        refuse(c, a, status, code ? code : server_code_of(status));
    }
}
