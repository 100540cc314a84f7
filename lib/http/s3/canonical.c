/*
 * canonical.c - the canonical form of a request.
 */
#include "s3/canonical.h"
#include "base/ascii.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Sorted by name, then by value or as they came.
struct s3_pair {
    char *name, *value;
    size_t order;
};

static void
pairs_finish(struct s3_pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++) {
        http_free_secret(pairs->at[i].name);
        http_free_secret(pairs->at[i].value);
    }
    free(pairs->at);
    *pairs = (struct s3_pairs){0};
}

// -- the query

static int
by_value(const void *a, const void *b)
{
    const struct s3_pair *const x = a;
    const struct s3_pair *const y = b;
    const int names = strcmp(x->name, y->name);

    return names != 0 ? names : strcmp(x->value, y->value);
}

static char *
reencoded(const char *bytes, size_t size)
{
    struct http_text text = {0};

    http_text_reencoded(&text, bytes, size, "");
    return http_text_take(&text);
}

tess_status
s3_canonical_take_query(struct s3_canonical *c, const char *query, tess_error *err)
{
    struct s3_pairs *const pairs = &c->query;
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
            struct s3_pair *const pair = &pairs->at[pairs->n++];
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

void
s3_canonical_add_query(const struct s3_canonical *c, struct http_text *text)
{
    for (size_t i = 0; i < c->query.n; i++) {
        http_text_string(text, i > 0 ? "&" : "");
        http_text_string(text, c->query.at[i].name);
        http_text_string(text, "=");
        http_text_string(text, c->query.at[i].value);
    }
}

// -- headers

static int
by_order(const void *a, const void *b)
{
    const struct s3_pair *const x = a;
    const struct s3_pair *const y = b;
    const int names = strcmp(x->name, y->name);

    return names != 0 ? names : (x->order > y->order) - (x->order < y->order);
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
add_header(struct s3_pairs *pairs, const char *name, const char *value, tess_error *err)
{
    struct s3_pair *const pair = &pairs->at[pairs->n];

    if (!is_token(name) || has_controls(value))
        return http_fail(err, TESS_ERR_ARG,
                         "a header's name must be a word, and its value without controls");
    pair->order = pairs->n++;
    pair->name = lower(name);
    pair->value = trimmed(value);
    return pair->name && pair->value ? TESS_OK : http_fail_memory(err);
}

// Those of the request, host and `added`, sorted.
static tess_status
collect_headers(const struct s3_request *request, const struct s3_header *added, size_t nadded,
                struct s3_pairs *pairs, tess_error *err)
{
    char *const host = http_url_host(request->url);
    const size_t own = nadded + 1;
    tess_status st = host ? TESS_OK : http_fail_memory(err);

    if (st == TESS_OK && request->nheaders > SIZE_MAX / sizeof *pairs->at - own)
        st = http_fail(err, TESS_ERR_LIMIT, "too many headers");
    if (st == TESS_OK) {
        pairs->at = calloc(request->nheaders + own, sizeof *pairs->at);
        st = pairs->at ? add_header(pairs, "host", host, err) : http_fail_memory(err);
    }
    for (size_t i = 0; i < nadded && st == TESS_OK; i++)
        st = add_header(pairs, added[i].name, added[i].value, err);
    for (size_t i = 0; i < request->nheaders && st == TESS_OK; i++)
        st = add_header(pairs, request->headers[i].name, request->headers[i].value, err);
    if (st == TESS_OK)
        qsort(pairs->at, pairs->n, sizeof *pairs->at, by_order);
    free(host);
    return st;
}

static bool
is_repeated(const struct s3_pairs *headers, size_t i)
{
    return i > 0 && strcmp(headers->at[i].name, headers->at[i - 1].name) == 0;
}

// "host;x-amz-date"
static char *
names_of(const struct s3_pairs *headers)
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
add_headers(struct http_text *text, const struct s3_pairs *headers)
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

// -- the whole

tess_status
s3_canonical_init(struct s3_canonical *c, const struct s3_request *request, tess_error *err)
{
    *c = (struct s3_canonical){.request = request};
    if (!is_token(request->method))
        return http_fail(err, TESS_ERR_ARG, "a method must be a word such as GET");
    return TESS_OK;
}

tess_status
s3_canonical_take_headers(struct s3_canonical *c, const struct s3_header *added, size_t nadded,
                          tess_error *err)
{
    const tess_status st = collect_headers(c->request, added, nadded, &c->headers, err);

    if (st != TESS_OK)
        return st;
    c->names = names_of(&c->headers);
    return c->names ? TESS_OK : http_fail_memory(err);
}

char *
s3_canonical_text(const struct s3_canonical *c, const char *hash)
{
    const char *const path = c->request->url->path;
    struct http_text text = {0};

    http_text_string(&text, c->request->method);
    http_text_string(&text, "\n");
    http_text_reencoded(&text, path, strlen(path), "/");
    http_text_string(&text, "\n");
    s3_canonical_add_query(c, &text);
    http_text_string(&text, "\n");
    add_headers(&text, &c->headers);
    http_text_string(&text, "\n");
    http_text_string(&text, c->names);
    http_text_string(&text, "\n");
    http_text_string(&text, hash);
    return http_text_take(&text);
}

void
s3_canonical_finish(struct s3_canonical *c)
{
    pairs_finish(&c->query);
    pairs_finish(&c->headers);
    free(c->names);
    *c = (struct s3_canonical){0};
}
