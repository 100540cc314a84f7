/*
 * sign.c - AWS Signature Version 4 for S3.
 */
#include "http/s3/sign.h"
#include "http/address/s3.h"
#include "http/base/ascii.h"
#include "http/base/error.h"
#include "http/base/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <nettle/hmac.h>
#include <nettle/sha2.h>

#define ALGORITHM "AWS4-HMAC-SHA256"

static const char empty_hash[] = // of no bytes
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

enum {
    DATE_SIZE = 9, // 20130524 and its NUL
    TIME_SIZE = 17, // 20130524T000000Z and its NUL
    OWN_HEADERS = 4, // host, hash, time and token
};

static const int64_t time_end = 253402300800; // the year 10000

// What a signature is made from, besides the request.
struct context {
    const struct s3_keys *keys;
    const char *region;
    char time[TIME_SIZE];
    char date[DATE_SIZE];
};

// A name and a value, that are sorted by name, then by value or as they came.
struct pair {
    char *name, *value;
    size_t order;
};

struct pairs {
    struct pair *at;
    size_t n;
};

static void
to_hex(const uint8_t *bytes, size_t size, char *text)
{
    for (size_t i = 0; i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

void
s3_hash(const void *bytes, size_t size, char hash[S3_HASH_SIZE])
{
    struct sha256_ctx sha;
    uint8_t digest[SHA256_DIGEST_SIZE];

    sha256_init(&sha);
    sha256_update(&sha, size, bytes);
    sha256_digest(&sha, sizeof digest, digest);
    to_hex(digest, sizeof digest, hash);
}

// dst may be key.
static void
hmac(const uint8_t *key, size_t key_size, const char *text, uint8_t dst[SHA256_DIGEST_SIZE])
{
    struct hmac_sha256_ctx ctx;

    hmac_sha256_set_key(&ctx, key_size, key);
    hmac_sha256_update(&ctx, strlen(text), (const uint8_t *)text);
    hmac_sha256_digest(&ctx, SHA256_DIGEST_SIZE, dst);
    explicit_bzero(&ctx, sizeof ctx);
}

static void
pairs_finish(struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++) {
        http_free_secret(pairs->at[i].name);
        http_free_secret(pairs->at[i].value);
    }
    free(pairs->at);
    *pairs = (struct pairs){0};
}

static int
by_value(const void *a, const void *b)
{
    const struct pair *const x = a;
    const struct pair *const y = b;
    const int names = strcmp(x->name, y->name);

    return names != 0 ? names : strcmp(x->value, y->value);
}

static int
by_order(const void *a, const void *b)
{
    const struct pair *const x = a;
    const struct pair *const y = b;
    const int names = strcmp(x->name, y->name);

    return names != 0 ? names : (x->order > y->order) - (x->order < y->order);
}

static char *
reencoded(const char *bytes, size_t size)
{
    struct http_text text = {0};

    http_text_reencoded(&text, bytes, size, "");
    return http_text_take(&text);
}

// The parts between & of a query; NULL is none.
static tess_status
split_query(const char *query, struct pairs *pairs, tess_error *err)
{
    size_t most = 1;

    for (const char *p = query ? query : ""; *p; p++)
        most += *p == '&';
    pairs->at = calloc(most, sizeof *pairs->at);
    if (!pairs->at)
        return http_fail_memory(err);
    for (const char *p = query ? query : ""; *p;) {
        const size_t size = strcspn(p, "&");
        const size_t name = strcspn(p, "=&");
        if (size > 0) {
            struct pair *const pair = &pairs->at[pairs->n++];
            pair->name = reencoded(p, name);
            pair->value = name < size ? reencoded(p + name + 1, size - name - 1) : strdup("");
            if (!pair->name || !pair->value)
                return http_fail_memory(err);
        }
        p += size + (p[size] == '&');
    }
    qsort(pairs->at, pairs->n, sizeof *pairs->at, by_value);
    return TESS_OK;
}

static void
add_query(struct http_text *text, const struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++) {
        http_text_string(text, i > 0 ? "&" : "");
        http_text_string(text, pairs->at[i].name);
        http_text_string(text, "=");
        http_text_string(text, pairs->at[i].value);
    }
}

static bool
is_token(const char *name)
{
    for (const char *p = name; *p; p++)
        if (!http_unreserved(*p) && !strchr("!#$%&'*+^`|", *p))
            return false;
    return name[0] != '\0';
}

static bool
has_controls(const char *text)
{
    for (const char *p = text; *p; p++)
        if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f)
            return true;
    return false;
}

static char *
lower(const char *name)
{
    char *const copy = strdup(name);

    for (char *p = copy; p && *p; p++)
        *p = http_lower(*p);
    return copy;
}

// Without blanks at both ends, and one for several.
static char *
trimmed(const char *value)
{
    struct http_text text = {0};

    for (const char *p = value + strspn(value, " \t"); *p; p += strspn(p, " \t")) {
        const size_t size = strcspn(p, " \t");
        http_text_string(&text, text.size > 0 ? " " : "");
        http_text_add(&text, p, size);
        p += size;
    }
    return http_text_take(&text);
}

static tess_status
add_header(struct pairs *pairs, const char *name, const char *value, tess_error *err)
{
    struct pair *const pair = &pairs->at[pairs->n];

    if (!is_token(name) || has_controls(value))
        return http_fail(err, TESS_ERR_ARG,
                         "a header's name must be a word, and its value without controls");
    pair->order = pairs->n++;
    pair->name = lower(name);
    pair->value = trimmed(value);
    return pair->name && pair->value ? TESS_OK : http_fail_memory(err);
}

// Those of the request and of the signature, sorted. `hash` is NULL: in the query, not a header.
static tess_status
collect_headers(const struct context *c, const struct s3_request *request, const char *hash,
                struct pairs *pairs, tess_error *err)
{
    char *const host = http_url_host(request->url);
    tess_status st = host ? TESS_OK : http_fail_memory(err);

    if (st == TESS_OK && request->nheaders > SIZE_MAX / sizeof *pairs->at - OWN_HEADERS)
        st = http_fail(err, TESS_ERR_LIMIT, "too many headers");
    if (st == TESS_OK) {
        pairs->at = calloc(request->nheaders + OWN_HEADERS, sizeof *pairs->at);
        st = pairs->at ? add_header(pairs, "host", host, err) : http_fail_memory(err);
    }
    if (st == TESS_OK && hash) {
        st = add_header(pairs, "x-amz-content-sha256", hash, err);
        if (st == TESS_OK)
            st = add_header(pairs, "x-amz-date", c->time, err);
        if (st == TESS_OK && c->keys->token)
            st = add_header(pairs, "x-amz-security-token", c->keys->token, err);
    }
    for (size_t i = 0; i < request->nheaders && st == TESS_OK; i++)
        st = add_header(pairs, request->headers[i].name, request->headers[i].value, err);
    if (st == TESS_OK)
        qsort(pairs->at, pairs->n, sizeof *pairs->at, by_order);
    free(host);
    return st;
}

static bool
is_repeated(const struct pairs *headers, size_t i)
{
    return i > 0 && strcmp(headers->at[i].name, headers->at[i - 1].name) == 0;
}

// "host;x-amz-date"
static char *
names_of(const struct pairs *headers)
{
    struct http_text text = {0};

    for (size_t i = 0; i < headers->n; i++)
        if (!is_repeated(headers, i)) {
            http_text_string(&text, i > 0 ? ";" : "");
            http_text_string(&text, headers->at[i].name);
        }
    return http_text_take(&text);
}

// Lines of name:value; values of one name are joined by commas.
static void
add_headers(struct http_text *text, const struct pairs *headers)
{
    for (size_t i = 0; i < headers->n; i++) {
        const bool repeated = is_repeated(headers, i);
        http_text_string(text, repeated ? "," : i > 0 ? "\n" : "");
        if (!repeated) {
            http_text_string(text, headers->at[i].name);
            http_text_string(text, ":");
        }
        http_text_string(text, headers->at[i].value);
    }
    http_text_string(text, "\n");
}

// "20130524/us-east-1/s3/aws4_request"
static void
add_scope(struct http_text *text, const struct context *c)
{
    http_text_string(text, c->date);
    http_text_string(text, "/");
    http_text_string(text, c->region);
    http_text_string(text, "/s3/aws4_request");
}

static char *
credential(const struct context *c)
{
    struct http_text text = {0};

    http_text_string(&text, c->keys->id);
    http_text_string(&text, "/");
    add_scope(&text, c);
    return http_text_take(&text);
}

static char *
canonical_request(const struct s3_request *request, const struct pairs *query,
                  const struct pairs *headers, const char *names, const char *hash)
{
    struct http_text text = {0};

    http_text_string(&text, request->method);
    http_text_string(&text, "\n");
    http_text_reencoded(&text, request->url->path, strlen(request->url->path), "/");
    http_text_string(&text, "\n");
    add_query(&text, query);
    http_text_string(&text, "\n");
    add_headers(&text, headers);
    http_text_string(&text, "\n");
    http_text_string(&text, names);
    http_text_string(&text, "\n");
    http_text_string(&text, hash);
    return http_text_take(&text);
}

static char *
string_to_sign(const struct context *c, const char *canonical)
{
    char hash[S3_HASH_SIZE];
    struct http_text text = {0};

    s3_hash(canonical, strlen(canonical), hash);
    http_text_string(&text, ALGORITHM "\n");
    http_text_string(&text, c->time);
    http_text_string(&text, "\n");
    add_scope(&text, c);
    http_text_string(&text, "\n");
    http_text_string(&text, hash);
    return http_text_take(&text);
}

// False: no memory.
static bool
sign_string(const struct context *c, const char *string, char signature[S3_HASH_SIZE])
{
    uint8_t key[SHA256_DIGEST_SIZE];
    struct http_text text = {0};

    http_text_string(&text, "AWS4");
    http_text_string(&text, c->keys->secret);
    char *const secret = http_text_take(&text);
    if (!secret)
        return false;
    hmac((const uint8_t *)secret, strlen(secret), c->date, key);
    hmac(key, sizeof key, c->region, key);
    hmac(key, sizeof key, "s3", key);
    hmac(key, sizeof key, "aws4_request", key);
    hmac(key, sizeof key, string, key);
    to_hex(key, sizeof key, signature);
    explicit_bzero(key, sizeof key);
    http_free_secret(secret);
    return true;
}

static tess_status
make_signature(const struct context *c, const struct s3_request *request, const struct pairs *query,
               const struct pairs *headers, const char *names, const char *hash,
               char signature[S3_HASH_SIZE], tess_error *err)
{
    char *const canonical = canonical_request(request, query, headers, names, hash);
    char *const string = canonical ? string_to_sign(c, canonical) : NULL;
    const bool made = string && sign_string(c, string, signature);

    http_free_secret(canonical); // the token is in it
    free(string);
    return made ? TESS_OK : http_fail_memory(err);
}

static tess_status
context_init(struct context *c, const struct s3_signer *signer, const struct s3_request *request,
             tess_error *err)
{
    const struct s3_keys *const keys = signer->keys;
    const time_t now = (time_t)signer->now;
    struct tm parts;

    *c = (struct context){.keys = keys,
                          .region = signer->region ? signer->region : S3_REGION_DEFAULT};
    if (!is_token(request->method))
        return http_fail(err, TESS_ERR_ARG, "a method must be a word such as GET");
    if (!keys->secret || !http_is_word(keys->id) || !http_is_word(keys->secret) ||
        (keys->token && !http_is_word(keys->token)))
        return http_fail(err, TESS_ERR_ARG,
                         "the access key ID, the secret access key and the session token must be "
                         "there, of visible ASCII, without blanks");
    if (!s3_region_valid(c->region))
        return http_fail(err, TESS_ERR_ARG, "a region must be like eu-central-1");
    if (signer->now < 0 || signer->now >= time_end || now != signer->now || !gmtime_r(&now, &parts))
        return http_fail(err, TESS_ERR_ARG, "requests cannot be signed for the time %" PRId64,
                         signer->now);
    strftime(c->time, sizeof c->time, "%Y%m%dT%H%M%SZ", &parts);
    strftime(c->date, sizeof c->date, "%Y%m%d", &parts);
    return TESS_OK;
}

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
authorization(const struct context *c, const char *names, const char *signature)
{
    char *const who = credential(c);
    struct http_text text = {0};

    if (!who)
        return NULL;
    http_text_string(&text, ALGORITHM " Credential=");
    http_text_string(&text, who);
    http_text_string(&text, ", SignedHeaders=");
    http_text_string(&text, names);
    http_text_string(&text, ", Signature=");
    http_text_string(&text, signature);
    free(who);
    return http_text_take(&text);
}

static tess_status
make_lines(const struct context *c, const char *hash, const char *names, const char *signature,
           struct s3_lines *lines, tess_error *err)
{
    char *const value = authorization(c, names, signature);
    tess_status st = value ? TESS_OK : http_fail_memory(err);

    if (st == TESS_OK)
        st = add_line(lines, "x-amz-content-sha256", hash, err);
    if (st == TESS_OK)
        st = add_line(lines, "x-amz-date", c->time, err);
    if (st == TESS_OK && c->keys->token)
        st = add_line(lines, "x-amz-security-token", c->keys->token, err);
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
    struct pairs query = {0}, headers = {0};
    struct context c;
    char signature[S3_HASH_SIZE];
    char *names = NULL;

    *lines = (struct s3_lines){0};
    if (!signer->keys->id)
        return TESS_OK;
    tess_status st = context_init(&c, signer, request, err);
    if (st == TESS_OK)
        st = split_query(request->url->query, &query, err);
    if (st == TESS_OK)
        st = collect_headers(&c, request, hash, &headers, err);
    if (st == TESS_OK && !(names = names_of(&headers)))
        st = http_fail_memory(err);
    if (st == TESS_OK)
        st = make_signature(&c, request, &query, &headers, names, hash, signature, err);
    if (st == TESS_OK)
        st = make_lines(&c, hash, names, signature, lines, err);
    if (st != TESS_OK)
        s3_lines_finish(lines);
    pairs_finish(&query);
    pairs_finish(&headers);
    free(names);
    return st;
}

void
s3_lines_finish(struct s3_lines *lines)
{
    for (int i = 0; i < lines->n; i++)
        http_free_secret(lines->line[i]);
    *lines = (struct s3_lines){0};
}

// The query of the request, and behind it what a signed one says, but for the signature.
static char *
presigned_query(const struct context *c, const struct s3_request *request, int64_t expires,
                const char *names)
{
    char seconds[24];
    char *const who = credential(c);
    const struct s3_parameter parameters[] = {
        {"X-Amz-Algorithm", ALGORITHM}, {"X-Amz-Credential", who},
        {"X-Amz-Date", c->time},        {"X-Amz-Expires", seconds},
        {"X-Amz-SignedHeaders", names}, {"X-Amz-Security-Token", c->keys->token},
    };
    const size_t n = sizeof parameters / sizeof *parameters - (c->keys->token ? 0 : 1);

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
presigned_text(const struct http_url *url, const struct pairs *query, const char *signature)
{
    char *const front = http_url_shown(url);
    struct http_text text = {0};

    if (!front)
        return NULL;
    http_text_string(&text, front);
    http_text_string(&text, "?");
    add_query(&text, query);
    http_text_string(&text, "&X-Amz-Signature=");
    http_text_string(&text, signature);
    free(front);
    return http_text_take(&text);
}

tess_status
s3_presign(const struct s3_signer *signer, const struct s3_request *request, int64_t expires,
           char **text, tess_error *err)
{
    struct pairs query = {0}, headers = {0};
    struct context c;
    char signature[S3_HASH_SIZE];
    char *names = NULL;
    char *whole = NULL;

    *text = NULL;
    if (!signer->keys->id)
        return http_fail(err, TESS_ERR_ARG, "a URL cannot be signed without keys");
    if (expires < 1 || expires > S3_EXPIRES_MAX)
        return http_fail(err, TESS_ERR_ARG, "a signed URL must expire after 1 to %d seconds",
                         (int)S3_EXPIRES_MAX);
    tess_status st = context_init(&c, signer, request, err);
    if (st == TESS_OK)
        st = collect_headers(&c, request, NULL, &headers, err);
    if (st == TESS_OK &&
        (!(names = names_of(&headers)) || !(whole = presigned_query(&c, request, expires, names))))
        st = http_fail_memory(err);
    if (st == TESS_OK)
        st = split_query(whole, &query, err);
    if (st == TESS_OK)
        st = make_signature(&c, request, &query, &headers, names, S3_UNSIGNED_PAYLOAD, signature,
                            err);
    if (st == TESS_OK && !(*text = presigned_text(request->url, &query, signature)))
        st = http_fail_memory(err);
    pairs_finish(&query);
    pairs_finish(&headers);
    free(names);
    http_free_secret(whole);
    return st;
}
