/*
 * sign.c - AWS Signature Version 4 for S3.
 */
#include "s3/sign.h"
#include "address/s3.h"
#include "address/url.h"
#include "base/error.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char empty_hash[] = // of no bytes
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

static tess_status
make_signature(const struct s3_scope *scope, const struct s3_canonical *canonical, const char *hash,
               char signature[S3_HASH_SIZE], tess_error *err)
{
    char *const text = s3_canonical_text(canonical, hash);
    const bool made = text && s3_signature(scope, text, signature);

    http_free_secret(text); // the token is in it
    return made ? TESS_OK : http_fail_memory(err);
}

// -- in headers

static tess_status
add_line(struct s3_lines *lines, const char *name, const char *value, tess_error *err)
{
    struct http_text text = {0};

    http_text_string(&text, name);
    http_text_string(&text, ": ");
    http_text_string(&text, value);
    lines->line[lines->n] = http_text_take(&text);
    return lines->line[lines->n++] ? TESS_OK : http_fail_memory(err);
}

static char *
authorization(const struct s3_scope *scope, const char *names, const char *signature)
{
    char *const who = s3_scope_credential(scope);
    struct http_text text = {0};

    if (!who)
        return NULL;
    http_text_string(&text, S3_ALGORITHM " Credential=");
    http_text_string(&text, who);
    http_text_string(&text, ", SignedHeaders=");
    http_text_string(&text, names);
    http_text_string(&text, ", Signature=");
    http_text_string(&text, signature);
    free(who);
    return http_text_take(&text);
}

// What was added to the request, and the signature.
static tess_status
make_lines(const struct s3_scope *scope, const struct s3_header *added, size_t nadded,
           const char *names, const char *signature, struct s3_lines *lines, tess_error *err)
{
    char *const value = authorization(scope, names, signature);
    tess_status st = value ? TESS_OK : http_fail_memory(err);

    for (size_t i = 0; i < nadded && st == TESS_OK; i++)
        st = add_line(lines, added[i].name, added[i].value, err);
    if (st == TESS_OK)
        st = add_line(lines, "Authorization", value, err);
    free(value);
    return st;
}

tess_status
s3_sign(const struct s3_signer *signer, const struct s3_request *request, struct s3_lines *lines,
        tess_error *err)
{
    const char *const hash = request->payload ? request->payload : empty_hash;
    struct s3_canonical canonical;
    struct s3_scope scope;
    char signature[S3_HASH_SIZE];

    *lines = (struct s3_lines){0};
    if (!signer->keys->id)
        return TESS_OK;
    const struct s3_header added[] = {
        {"x-amz-content-sha256", hash},
        {"x-amz-date", scope.time},
        {"x-amz-security-token", signer->keys->token},
    };
    const size_t nadded = sizeof added / sizeof *added - (signer->keys->token ? 0 : 1);

    tess_status st = s3_canonical_init(&canonical, request, err);
    if (st == TESS_OK)
        st = s3_scope_init(&scope, signer, err);
    if (st == TESS_OK)
        st = s3_canonical_take_query(&canonical, request->url->query, err);
    if (st == TESS_OK)
        st = s3_canonical_take_headers(&canonical, added, nadded, err);
    if (st == TESS_OK)
        st = make_signature(&scope, &canonical, hash, signature, err);
    if (st == TESS_OK)
        st = make_lines(&scope, added, nadded, canonical.names, signature, lines, err);
    if (st != TESS_OK)
        s3_lines_finish(lines);
    s3_canonical_finish(&canonical);
    return st;
}

void
s3_lines_finish(struct s3_lines *lines)
{
    for (int i = 0; i < lines->n; i++)
        http_free_secret(lines->line[i]);
    *lines = (struct s3_lines){0};
}

// -- in the query

// The query of the request, and behind it what a signed one says, but for the signature.
static char *
presigned_query(const struct s3_scope *scope, const struct s3_request *request, int64_t expires,
                const char *names)
{
    char seconds[24];
    char *const who = s3_scope_credential(scope);
    const struct s3_parameter parameters[] = {
        {"X-Amz-Algorithm", S3_ALGORITHM}, {"X-Amz-Credential", who},
        {"X-Amz-Date", scope->time},       {"X-Amz-Expires", seconds},
        {"X-Amz-SignedHeaders", names},    {"X-Amz-Security-Token", scope->keys->token},
    };
    const size_t n = sizeof parameters / sizeof *parameters - (scope->keys->token ? 0 : 1);

    snprintf(seconds, sizeof seconds, "%" PRId64, expires);
    char *const added = who ? s3_query(parameters, n) : NULL;
    free(who);
    if (!added)
        return NULL;
    struct http_text text = {0};
    if (request->url->query && request->url->query[0]) {
        http_text_string(&text, request->url->query);
        http_text_string(&text, "&");
    }
    http_text_string(&text, added);
    http_free_secret(added);
    return http_text_take(&text);
}

// The URL with that query, as it is signed, and the signature at its end.
static char *
presigned_text(const struct s3_canonical *canonical, const char *signature)
{
    char *const front = http_url_shown(canonical->request->url);
    struct http_text text = {0};

    if (!front)
        return NULL;
    http_text_string(&text, front);
    http_text_string(&text, "?");
    s3_canonical_add_query(canonical, &text);
    http_text_string(&text, "&X-Amz-Signature=");
    http_text_string(&text, signature);
    free(front);
    return http_text_take(&text);
}

tess_status
s3_presign(const struct s3_signer *signer, const struct s3_request *request, int64_t expires,
           char **text, tess_error *err)
{
    struct s3_canonical canonical;
    struct s3_scope scope;
    char signature[S3_HASH_SIZE];
    char *whole = NULL;

    *text = NULL;
    if (!signer->keys->id)
        return http_fail(err, TESS_ERR_ARG, "a URL cannot be signed without keys");
    if (expires < 1 || expires > S3_EXPIRES_MAX)
        return http_fail(err, TESS_ERR_ARG, "a signed URL must expire after 1 to %d seconds",
                         (int)S3_EXPIRES_MAX);
    tess_status st = s3_canonical_init(&canonical, request, err);
    if (st == TESS_OK)
        st = s3_scope_init(&scope, signer, err);
    if (st == TESS_OK)
        st = s3_canonical_take_headers(&canonical, NULL, 0, err);
    if (st == TESS_OK && !(whole = presigned_query(&scope, request, expires, canonical.names)))
        st = http_fail_memory(err);
    if (st == TESS_OK)
        st = s3_canonical_take_query(&canonical, whole, err);
    if (st == TESS_OK)
        st = make_signature(&scope, &canonical, S3_UNSIGNED_PAYLOAD, signature, err);
    if (st == TESS_OK && !(*text = presigned_text(&canonical, signature)))
        st = http_fail_memory(err);
    s3_canonical_finish(&canonical);
    http_free_secret(whole);
    return st;
}
