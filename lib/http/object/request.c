/*
 * request.c - one request of libcurl.
 */
#include "object/request.h"

#include "address/url.h"
#include "answer/identity.h"
#include "base/error.h"
#include "base/text.h"
#include "s3/digest.h"
#include "s3/sign.h"
#include "s3/signature.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum {
    BUFFER_SIZE = 128 << 10, // bytes received at once, at most
    SEND_SIZE = 256 << 10, // sent
};

void
http_ask_text(const struct http_ask *ask, char text[HTTP_RANGE_TEXT_SIZE])
{
    if (ask->kind == HTTP_ASK_WHOLE)
        snprintf(text, HTTP_RANGE_TEXT_SIZE, "all bytes");
    else if (ask->kind == HTTP_ASK_LAST)
        snprintf(text, HTTP_RANGE_TEXT_SIZE, "the last %" PRId64 " bytes", ask->count);
    else
        snprintf(text, HTTP_RANGE_TEXT_SIZE, "bytes %" PRId64 "-%" PRId64, ask->first, ask->last);
}

static bool
add_header(struct http_request *r, const char *line)
{
    struct curl_slist *const longer = curl_slist_append(r->headers, line);
    if (longer)
        r->headers = longer;
    return longer;
}

static bool
add_range(struct http_request *r, const struct http_ask *ask)
{
    char line[96];
    if (ask->kind == HTTP_ASK_WHOLE)
        return true;
    if (ask->kind == HTTP_ASK_LAST)
        snprintf(line, sizeof line, "Range: bytes=-%" PRId64, ask->count);
    else
        snprintf(line, sizeof line, "Range: bytes=%" PRId64 "-%" PRId64, ask->first, ask->last);
    return add_header(r, line);
}

static bool
add_condition(struct http_request *r, const struct http_identity *identity)
{
    char line[HTTP_ETAG_SIZE + 16];
    if (!identity || !http_identity_strong(identity))
        return true;
    snprintf(line, sizeof line, "If-Match: %s", identity->etag);
    return add_header(r, line);
}

// A header "Name: value" of the program taken apart, if S3 wants it signed.
static bool
s3_header_of(const char *line, struct s3_header *header, struct http_text *names)
{
    const size_t size = strcspn(line, ":");
    if (size < 6 || strncasecmp(line, "x-amz-", 6) != 0)
        return false;
    http_text_add(names, line, size);
    header->name = http_text_take(names);
    header->value = line + size + 1 + strspn(line + size + 1, " \t");
    return header->name;
}

static tess_status
add_signature(struct http_request *r, struct http_object *o, const struct http_place *place,
              const char *method, const char *payload, tess_error *err)
{
    const struct http_options *const options = &o->common->options;
    const struct s3_signer signer = {.keys = &options->s3.keys,
                                     .region = http_common_region(o->common),
                                     .now = (int64_t)time(NULL)};
    struct s3_header *const headers = calloc(options->nheaders + 1, sizeof *headers);
    struct s3_request request = {
        .method = method, .url = &place->url, .headers = headers, .payload = payload};
    struct s3_lines lines = {.n = 0};
    struct http_text names = {0};

    if (!headers)
        return http_fail_memory(err);
    for (size_t i = 0; i < options->nheaders; i++)
        request.nheaders += s3_header_of(options->headers[i], &headers[request.nheaders], &names);
    tess_status st = s3_sign(&signer, &request, &lines, err);
    for (int i = 0; i < lines.n && st == TESS_OK; i++)
        if (!add_header(r, lines.line[i]))
            st = http_fail_memory(err);
    s3_lines_finish(&lines);
    for (size_t i = 0; i < request.nheaders; i++)
        free((char *)(uintptr_t)headers[i].name); // made by s3_header_of()
    free(headers);
    return st;
}

// What only the program's own server may see. payload: as s3_request has it.
static tess_status
add_secrets(struct http_request *r, CURL *easy, struct http_object *o,
            const struct http_place *place, const char *method, const char *payload,
            tess_error *err)
{
    const struct http_options *const options = &o->common->options;
    const char *const user = options->user ? options->user : o->target.user;
    const char *const password = options->user ? options->password : o->target.password;
    CURLcode code = CURLE_OK;

    for (size_t i = 0; i < options->nheaders; i++)
        if (!add_header(r, options->headers[i]))
            return http_fail_memory(err);
    if (o->target.s3)
        return add_signature(r, o, place, method, payload, err);
    if (options->token) {
        code = curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        if (code == CURLE_OK)
            code = curl_easy_setopt(easy, CURLOPT_XOAUTH2_BEARER, options->token);
    } else if (user) {
        code = curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        if (code == CURLE_OK)
            code = curl_easy_setopt(easy, CURLOPT_USERNAME, user);
        if (code == CURLE_OK)
            code = curl_easy_setopt(easy, CURLOPT_PASSWORD, password ? password : "");
    }
    return code == CURLE_OK ? TESS_OK : http_fail_memory(err);
}

static bool
set_options(CURL *easy, const struct http_options *options, const char *url)
{
    const bool tls = strncmp(url, "https:", 6) == 0;
    const struct {
        CURLoption option;
        long value;
    } numbers[] = {
        {CURLOPT_PATH_AS_IS, 1}, // dots in names of S3
        {CURLOPT_FOLLOWLOCATION, 0}, // object.h decides what is sent where
        {CURLOPT_NOSIGNAL, 1},
        {CURLOPT_CONNECTTIMEOUT_MS, options->connect_timeout},
        {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS},
        {CURLOPT_PIPEWAIT, tls}, // HTTP/2 is only offered with TLS
        {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1}, // those of a proxy are not of the answer
        {CURLOPT_SSL_VERIFYPEER, 1},
        {CURLOPT_SSL_VERIFYHOST, 2},
    };
    const struct {
        CURLoption option;
        const char *value;
    } texts[] = {
        {CURLOPT_URL, url},
        {CURLOPT_PROTOCOLS_STR, "http,https"},
        {CURLOPT_USERAGENT, "tessera/" TESS_VERSION},
        {CURLOPT_CAINFO, options->ca_file},
    };

    // Refused by some versions for a handle that had a transfer over HTTP/2; it is only faster.
    (void)curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)BUFFER_SIZE);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (curl_easy_setopt(easy, numbers[i].option, numbers[i].value) != CURLE_OK)
            return false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value && curl_easy_setopt(easy, texts[i].option, texts[i].value) != CURLE_OK)
            return false;
    return true;
}

tess_status
http_request_set(CURL *easy, struct http_object *o, const struct http_place *place,
                 const struct http_ask *ask, const struct http_identity *identity,
                 struct http_request *request, tess_error *err)
{
    struct http_request r = {0};
    char *const url = http_url_text(&place->url);
    tess_status st = TESS_OK;

    if (!url || !set_options(easy, &o->common->options, url) ||
        !add_header(&r, "Accept-Encoding: identity") || !add_range(&r, ask) ||
        !add_condition(&r, identity))
        st = http_fail_memory(err);
    if (st == TESS_OK && place->trusted)
        st = add_secrets(&r, easy, o, place, "GET", NULL, err);
    if (st == TESS_OK && curl_easy_setopt(easy, CURLOPT_HTTPHEADER, r.headers) != CURLE_OK)
        st = http_fail_memory(err);
    http_free_secret(url); // its query may be a signature
    if (st == TESS_OK)
        *request = r;
    else
        http_request_finish(&r);
    return st;
}

static bool
has_header(const struct http_options *options, const char *name)
{
    const size_t size = strlen(name);
    for (size_t i = 0; i < options->nheaders; i++)
        if (strncasecmp(options->headers[i], name, size) == 0 && options->headers[i][size] == ':')
            return true;
    return false;
}

static bool
set_body(CURL *easy, const struct http_options *options, struct http_request *r,
         const struct http_message *m)
{
    // That of a form is libcurl's default.
    static const char type[] = "Content-Type: application/octet-stream";

    if (!m->body && strcmp(m->method, "HEAD") == 0)
        return curl_easy_setopt(easy, CURLOPT_NOBODY, 1L) == CURLE_OK;
    if (!m->body && strcmp(m->method, "DELETE") == 0)
        return curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, m->method) == CURLE_OK;
    // No Expect: it costs a round trip, or a second at servers that do not know it.
    (void)curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, (long)SEND_SIZE);
    return curl_easy_setopt(easy, CURLOPT_POST, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_POSTFIELDS, m->body ? m->body : "") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)m->body_size) ==
               CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, m->method) == CURLE_OK &&
           add_header(r, "Expect:") && (has_header(options, "Content-Type") || add_header(r, type));
}

static bool
add_md5(struct http_request *r, const struct http_message *m)
{
    char md5[S3_MD5_SIZE], line[S3_MD5_SIZE + 16];
    if (!m->body)
        return true;
    s3_content_md5(m->body, m->body_size, md5);
    snprintf(line, sizeof line, "Content-MD5: %s", md5);
    return add_header(r, line);
}

tess_status
http_request_set_message(CURL *easy, struct http_object *o, const struct http_place *place,
                         const struct http_message *message, struct http_request *request,
                         tess_error *err)
{
    const struct http_options *const options = &o->common->options;
    const bool sign = o->target.s3 && options->s3.keys.id;
    struct http_request r = {0};
    char hash[S3_HASH_SIZE];
    char *const url = http_url_text(&place->url);
    tess_status st = TESS_OK;

    if (!url || !set_options(easy, options, url) || !set_body(easy, options, &r, message) ||
        curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, (long)message->once) != CURLE_OK ||
        (message->only_new && !add_header(&r, "If-None-Match: *")) ||
        (o->target.s3 && !sign && !add_md5(&r, message)))
        st = http_fail_memory(err);
    if (sign && message->body)
        s3_hash(message->body, message->body_size, hash);
    if (st == TESS_OK)
        st = add_secrets(&r, easy, o, place, message->method, message->body ? hash : NULL, err);
    if (st == TESS_OK && curl_easy_setopt(easy, CURLOPT_HTTPHEADER, r.headers) != CURLE_OK)
        st = http_fail_memory(err);
    http_free_secret(url);
    if (st == TESS_OK)
        *request = r;
    else
        http_request_finish(&r);
    return st;
}

void
http_request_finish(struct http_request *request)
{
    for (struct curl_slist *line = request->headers; line; line = line->next)
        explicit_bzero(line->data, strlen(line->data));
    curl_slist_free_all(request->headers);
    request->headers = NULL;
}
