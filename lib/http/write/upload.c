/*
 * upload.c - an object while it is written.
 */
#include "write/upload.h"

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "s3/answer.h"
#include "write/parts.h"
#include "write/plan.h"
#include "write/publish.h"
#include "write/send.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct http_upload {
    struct http_object *object;
    pid_t pid; // of the process that writes
    bool failed;
    int64_t head; // bytes in front of those that came first; -1: none came
    int64_t end; // of what came behind the head
    bool headed; // the first bytes came
    uint8_t *whole; // all bytes, if none came behind the head
    int64_t whole_size;
    struct http_parts *parts; // NULL: none yet
    struct http_part *filling; // of parts; NULL: none
    int number; // of the next part
    char *id; // of the upload, percent-encoded; NULL: it has not begun, or is over
    int64_t begun; // as the server says, seconds since 1970; -1: not known
};

tess_status
http_upload_new(struct http_object *o, struct http_upload **upload, tess_error *err)
{
    struct http_upload *const u = calloc(1, sizeof *u);
    if (!u)
        return http_fail_memory(err);
    u->object = o;
    u->pid = getpid();
    u->head = -1;
    u->begun = -1;
    u->number = 2;
    *upload = u;
    return TESS_OK;
}

static tess_status
begin(struct http_upload *u, tess_error *err)
{
    const struct http_sending sending = {.message = {.method = "POST", .once = true},
                                         .query = "uploads",
                                         .act = "to begin an upload"};
    struct http_text text = {0};
    struct http_reply reply;
    char *id = NULL;

    tess_status st = http_send(u->object, &sending, &reply, err);
    if (st == TESS_OK)
        st = s3_answer_upload_id(reply.body, reply.body_size, &id, err);
    if (st == TESS_ERR_CORRUPT)
        st = http_fail(err, TESS_ERR_IO, "the server names no upload where one was begun");
    if (st != TESS_OK)
        return st;
    http_text_encoded(&text, id, strlen(id), "");
    free(id);
    u->id = http_text_take(&text);
    u->begun = reply.head.date;
    return u->id ? TESS_OK : http_fail_memory(err);
}

static tess_status
submit(struct http_upload *u, struct http_part *part, tess_error *err)
{
    const tess_status st = u->id ? TESS_OK : begin(u, err);
    return st == TESS_OK ? http_parts_submit(u->parts, part, u->id, err) : st;
}

static tess_status
submit_filling(struct http_upload *u, tess_error *err)
{
    struct http_part *const part = u->filling;
    u->filling = NULL;
    return part ? submit(u, part, err) : TESS_OK;
}

// The next part to be filled.
static tess_status
acquire(struct http_upload *u, tess_error *err)
{
    const int64_t first = u->object->common->options.part_size;

    if (u->number > S3_PARTS_MAX)
        return http_fail(err, TESS_ERR_LIMIT,
                         "the object needs more than %d parts; part_size is %" PRId64,
                         (int)S3_PARTS_MAX, first);
    const tess_status st = http_parts_acquire(
        u->parts, u->number, (size_t)http_part_size(first, u->number), &u->filling, err);
    u->number += st == TESS_OK;
    return st;
}

static tess_status
write_behind(struct http_upload *u, int64_t offset, const uint8_t *src, size_t src_size,
             tess_error *err)
{
    tess_status st = TESS_OK;

    if (!u->object->target.s3)
        return http_fail(err, TESS_ERR_UNSUPPORTED,
                         "over HTTP an object is put by one request: it can have %" PRId64
                         " bytes (tess_source.head), and has more",
                         offset);
    if (u->head < 0)
        u->head = u->end = offset;
    if (u->headed || offset != u->end)
        return http_fail(err, TESS_ERR_ARG, "%zu bytes at %" PRId64 ", out of order", src_size,
                         offset);
    if (!u->parts)
        st = http_parts_new(u->object, &u->parts, err);
    for (size_t at = 0; at < src_size && st == TESS_OK;) {
        if (!u->filling && (st = acquire(u, err)) != TESS_OK)
            break;
        struct http_part *const part = u->filling;
        const size_t room = part->capacity - part->size, left = src_size - at;
        const size_t count = http_min_size(left, room);
        memcpy(part->bytes + part->size, src + at, count);
        part->size += count;
        at += count;
        u->end += (int64_t)count;
        if (part->size == part->capacity)
            st = submit_filling(u, err);
    }
    return st;
}

// All of a small object: sent when it is published.
static tess_status
keep_whole(struct http_upload *u, const void *src, size_t src_size, tess_error *err)
{
    u->whole = malloc(src_size > 0 ? src_size : 1);
    if (!u->whole)
        return http_fail(err, TESS_ERR_NOMEM, "no memory for an object of %zu bytes", src_size);
    if (src_size > 0)
        memcpy(u->whole, src, src_size);
    u->whole_size = (int64_t)src_size;
    return TESS_OK;
}

static tess_status
write_head(struct http_upload *u, const void *src, size_t src_size, tess_error *err)
{
    struct http_part *part;

    if (u->headed || (u->head >= 0 && (int64_t)src_size != u->head))
        return http_fail(err, TESS_ERR_ARG, "%zu bytes at 0, out of order", src_size);
    u->headed = true;
    if (u->head < 0)
        return keep_whole(u, src, src_size, err);
    tess_status st = submit_filling(u, err);
    if (st == TESS_OK)
        st = http_parts_acquire(u->parts, 1, src_size, &part, err);
    if (st == TESS_OK) {
        memcpy(part->bytes, src, src_size);
        part->size = src_size;
        st = submit(u, part, err);
    }
    return st;
}

static tess_status
check_usable(const struct http_upload *u, tess_error *err)
{
    if (u->pid != getpid())
        return http_fail(err, TESS_ERR_UNSUPPORTED, "what was begun before fork() stays there");
    if (u->failed)
        return http_fail(err, TESS_ERR_IO, "an earlier write of this object failed");
    return TESS_OK;
}

tess_status
http_upload_write(struct http_upload *u, int64_t offset, const void *src, size_t src_size,
                  tess_error *err)
{
    tess_status st = check_usable(u, err);
    if (st != TESS_OK || src_size == 0)
        return st;
    if (offset < 0 || offset > INT64_MAX - (int64_t)src_size)
        st = http_fail(err, TESS_ERR_LIMIT, "%zu bytes at %" PRId64, src_size, offset);
    else
        st = offset > 0 ? write_behind(u, offset, src, src_size, err)
                        : write_head(u, src, src_size, err);
    u->failed = st != TESS_OK;
    return st;
}

tess_status
http_upload_publish(struct http_upload *u, int64_t size, bool replace, tess_error *err)
{
    struct http_publication p = {
        .object = u->object, .size = size, .replace = replace, .begun = u->begun};
    const int64_t have = u->parts ? u->end : u->whole_size;
    tess_status st = check_usable(u, err);
    size_t n;

    if (st != TESS_OK)
        return st;
    if (have != size || (u->parts && !u->headed)) {
        st = http_fail(err, TESS_ERR_ARG, "%" PRId64 " bytes were written, not %" PRId64, have,
                       size);
    } else if (!u->parts) {
        st = u->whole ? TESS_OK : keep_whole(u, NULL, 0, err);
        if (st == TESS_OK)
            st = http_publish_whole(&p, u->whole, err);
    } else {
        st = http_parts_wait(u->parts, err);
        if (st == TESS_OK) {
            const char *const *const etags = http_parts_etags(u->parts, &n);
            st = http_publish_parts(&p, u->id, etags, n, err);
            free(u->id);
            u->id = NULL;
        }
    }
    u->failed = st != TESS_OK;
    return st;
}

void
http_upload_free(struct http_upload *u)
{
    if (!u)
        return;
    const bool interrupted = http_parts_free(u->parts);
    if (u->id && u->pid == getpid())
        http_abort_parts(u->object, u->id, interrupted);
    free(u->id);
    free(u->whole);
    free(u);
}
