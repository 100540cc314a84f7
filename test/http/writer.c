/*
 * writer.c - writing to a source of a URL as libtessera does.
 */
#include "http/writer.h"

#include "http/reader.h"
#include "s3/digest.h"
#include "s3/signature.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char endpoint[64];

tess_http_options
writer_options(struct server *server)
{
    tess_http_options o = reader_options();
    snprintf(endpoint, sizeof endpoint, "http://127.0.0.1:%d", server_port(server));
    o.endpoint = endpoint;
    o.region = "eu-central-1";
    o.access_key = "AKIDEXAMPLE";
    o.secret_key = "hush";
    o.part_size = WRITER_PART;
    return o;
}

tess_source
writer_open(struct server *server, const char *name, const tess_http_options *options)
{
    const tess_http_options own = writer_options(server);
    tess_source source = {.struct_size = sizeof source};
    tess_error err;
    char url[256];
    snprintf(url, sizeof url, "s3://bucket/%s", name);
    if (tess_http_source(url, options ? options : &own, &source, &err) != TESS_OK)
        fail_msg("%s: %s", url, err.message);
    return source;
}

int
writer_permit(const struct server_request *r, void *user)
{
    const char *const hash = server_header(r, "x-amz-content-sha256");
    const char *const md5 = server_header(r, "Content-MD5");
    char own_hash[S3_HASH_SIZE], own_md5[S3_MD5_SIZE];
    (void)user;
    s3_hash(r->body, r->body_size, own_hash);
    s3_content_md5(r->body, r->body_size, own_md5);
    if (server_header(r, "Authorization"))
        return hash && strcmp(hash, own_hash) == 0 ? 0 : 400;
    return r->body_size == 0 || (md5 && strcmp(md5, own_md5) == 0) ? 0 : 400;
}

tess_status
writer_write(const tess_source *s, const uint8_t *object, size_t size, size_t most, tess_error *err)
{
    const size_t head = size < (size_t)s->head ? size : (size_t)s->head;
    tess_status st = TESS_OK;

    for (size_t at = head, n; at < size && st == TESS_OK; at += n) {
        n = size - at < most ? size - at : most;
        uint8_t *const exact = malloc(n); // for the sanitizers
        assert_non_null(exact);
        memcpy(exact, object + at, n);
        st = s->write(s->user, (int64_t)at, exact, n, err);
        free(exact);
    }
    if (st == TESS_OK && head > 0)
        st = s->write(s->user, 0, object, head, err);
    return st;
}

tess_status
writer_put(tess_source *s, const uint8_t *object, size_t size, bool replace, tess_error *err)
{
    memset(err, 0, sizeof *err);
    tess_status st = writer_write(s, object, size, 50000, err);
    if (st == TESS_OK)
        st = s->publish(s->user, (int64_t)size, replace, err);
    s->close(s->user);
    if (st != TESS_OK && (err->status != st || err->offset != -1 || !err->message[0] ||
                          strstr(err->message, "hush") || strstr(err->message, "uploadId")))
        fail_msg("status %d, error of status %d: \"%s\"", st, err->status, err->message);
    return st;
}

void
writer_check(struct server *server, const char *name, const uint8_t *object, size_t size)
{
    char path[256];
    size_t have_size;
    snprintf(path, sizeof path, "bucket/%s", name);
    uint8_t *const have = server_get(server, path, &have_size);
    if (!have || have_size != size || memcmp(have, object, size) != 0)
        fail_msg("%s: %zu bytes, not the %zu that were written", path, have ? have_size : 0, size);
    free(have);
}
