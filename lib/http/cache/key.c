/*
 * key.c - which object, and which version of it, the bytes of the cache are of.
 */
#include "cache/key.h"

#include "address/url.h"

#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// What a signature adds to a query: `mark`, names that begin with `prefix`, and names.
struct signature {
    const char *mark, *prefix;
    const char *names[20]; // ends with NULL
};

static const struct signature signatures[] = {
    {"X-Amz-Signature", "X-Amz-", {NULL}},
    {"X-Goog-Signature", "X-Goog-", {NULL}},
    {"Signature",
     NULL,
     {"AWSAccessKeyId", "GoogleAccessId", "Expires", "Signature", "Policy", "Key-Pair-Id",
      "x-amz-security-token"}},
    {"sig",
     NULL,
     {"sv", "ss", "srt", "sp", "st", "se", "sr", "spr", "sip", "sig", "skoid", "sktid", "skt",
      "ske", "sks", "skv", "saoid", "suoid", "scid"}}, // Azure
};

static bool
named(const char *parameter, size_t size, const char *name)
{
    return strlen(name) == size && strncasecmp(parameter, name, size) == 0;
}

static bool
query_has(const char *query, const char *name)
{
    while (*query) {
        const size_t size = strcspn(query, "&");
        if (named(query, strcspn(query, "=&"), name))
            return true;
        query += size + (query[size] == '&');
    }
    return false;
}

static bool
belongs_to(const struct signature *s, const char *parameter, size_t size)
{
    if (s->prefix && strncasecmp(parameter, s->prefix, strlen(s->prefix)) == 0)
        return true;
    for (const char *const *name = s->names; *name; name++)
        if (named(parameter, size, *name))
            return true;
    return false;
}

// Each text with its NUL, so that no two sequences of texts are one sequence of bytes.
static void
add_text(struct sha256_ctx *sha, const char *text)
{
    sha256_update(sha, strlen(text) + 1, (const uint8_t *)text);
}

static void
add_query(struct sha256_ctx *sha, const char *query)
{
    enum { KINDS = sizeof signatures / sizeof *signatures };
    bool has[KINDS];

    for (size_t i = 0; i < KINDS; i++)
        has[i] = query_has(query, signatures[i].mark);
    for (const char *p = query; *p;) {
        const size_t size = strcspn(p, "&");
        bool drop = false;
        for (size_t i = 0; i < KINDS; i++)
            drop = drop || (has[i] && belongs_to(&signatures[i], p, strcspn(p, "=&")));
        if (!drop) {
            sha256_update(sha, 1, (const uint8_t *)"&");
            sha256_update(sha, size, (const uint8_t *)p);
        }
        p += size + (p[size] == '&');
    }
}

static bool
add_host(struct sha256_ctx *sha, const struct http_url *url)
{
    char *const host = http_url_host(url);

    if (!host)
        return false;
    add_text(sha, url->scheme);
    add_text(sha, host);
    add_text(sha, url->path);
    free(host);
    return true;
}

bool
http_cache_key(const struct http_target *target, const char *endpoint, uint8_t key[HTTP_HASH])
{
    struct sha256_ctx sha;
    bool ok = true;

    sha256_init(&sha);
    if (target->s3) {
        add_text(&sha, "s3");
        if (endpoint) {
            struct http_url url = {0};
            ok = http_url_parse(endpoint, &url, NULL) == TESS_OK && add_host(&sha, &url);
            http_url_finish(&url);
        }
        add_text(&sha, target->address.bucket);
        add_text(&sha, target->address.key);
    } else {
        ok = add_host(&sha, &target->url);
        add_query(&sha, target->url.query ? target->url.query : "");
    }
    sha256_digest(&sha, HTTP_HASH, key);
    return ok;
}

bool
http_cache_version(const struct http_identity *identity, struct http_cache_id *id)
{
    struct sha256_ctx sha;

    if (!http_identity_strong(identity) || identity->size <= 0 ||
        identity->size > HTTP_CACHE_OBJECT_MOST)
        return false;
    sha256_init(&sha);
    add_text(&sha, identity->etag);
    sha256_digest(&sha, HTTP_HASH, id->etag);
    id->size = identity->size;
    return true;
}
