/*
 * target.c - the object that a source reads.
 */
#include "address/target.h"

#include "base/ascii.h"
#include "base/error.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TRY(expr)                     \
    do {                              \
        if ((st = (expr)) != TESS_OK) \
            goto out;                 \
    } while (0)

bool
http_target_begins(const char *text, const char *scheme)
{
    const size_t size = strlen(scheme);
    return strncasecmp(text, scheme, size) == 0 && strncmp(text + size, "://", 3) == 0;
}

static bool
ends_in_slash(const char *text)
{
    const size_t size = strlen(text);
    return size == 0 || text[size - 1] == '/';
}

static tess_status
decode(const char *text, size_t size, char **own, tess_error *err)
{
    struct http_text t = {0};
    for (size_t i = 0; i < size; i++) {
        const int value = http_percent(text + i, size - i);
        const char c = value < 0 ? text[i] : (char)value;
        if (c == '\0') {
            http_text_finish(&t);
            return http_fail(err, TESS_ERR_ARG, "a URL with a NUL in its user or password");
        }
        http_text_add(&t, &c, 1);
        i += value < 0 ? 0 : 2;
    }
    *own = http_text_take(&t);
    return *own ? TESS_OK : http_fail_memory(err);
}

static tess_status
take_userinfo(struct http_target *t, tess_error *err)
{
    const char *const info = t->url.userinfo;
    if (!info)
        return TESS_OK;
    const size_t size = strcspn(info, ":");
    const tess_status st = decode(info, size, &t->user, err);
    if (st != TESS_OK || info[size] == '\0')
        return st;
    return decode(info + size + 1, strlen(info + size + 1), &t->password, err);
}

static char *
s3_shown(const struct s3_address *a)
{
    struct http_text t = {0};
    http_text_string(&t, "s3://");
    http_text_string(&t, a->bucket);
    http_text_string(&t, "/");
    http_text_encoded(&t, a->key, strlen(a->key), "/");
    return http_text_take(&t);
}

// What follows from the rest.
static tess_status
complete(struct http_target *t, tess_error *err)
{
    t->directory = ends_in_slash(t->s3 ? t->address.key : t->url.path);
    t->name = t->s3 ? s3_shown(&t->address) : http_url_shown(&t->url);
    return t->name ? TESS_OK : http_fail_memory(err);
}

tess_status
http_target_parse(const char *text, struct http_target *target, tess_error *err)
{
    struct http_target t = {.s3 = http_target_begins(text, "s3")};
    tess_status st;

    if (t.s3) {
        TRY(s3_address_parse(text, &t.address, err));
    } else if (!http_target_begins(text, "http") && !http_target_begins(text, "https")) {
        TRY(http_fail(err, TESS_ERR_UNSUPPORTED, "no URL that begins with http, https or s3"));
    } else {
        TRY(http_url_parse(text, &t.url, err));
        TRY(take_userinfo(&t, err));
    }
    TRY(complete(&t, err));
    *target = t;
    t = (struct http_target){0};
out:
    http_target_finish(&t);
    return st;
}

static tess_status
copy_text(const char *text, char **own, tess_error *err)
{
    *own = text ? strdup(text) : NULL;
    return *own || !text ? TESS_OK : http_fail_memory(err);
}

static tess_status
joined(const char *directory, const char *name, char **own, tess_error *err)
{
    struct http_text t = {0};
    http_text_string(&t, directory);
    http_text_string(&t, name);
    *own = http_text_take(&t);
    return *own ? TESS_OK : http_fail_memory(err);
}

tess_status
http_target_part(const struct http_target *directory, const char *name, struct http_target *target,
                 tess_error *err)
{
    struct http_target t = {.s3 = directory->s3};
    tess_status st;

    for (const char *c = name; *c; c++)
        if (!http_unreserved(*c) || *c == '~')
            return http_fail(err, TESS_ERR_ARG, "no name of a part of a directory");
    if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return http_fail(err, TESS_ERR_ARG, "no name of a part of a directory");
    if (t.s3) {
        TRY(copy_text(directory->address.bucket, &t.address.bucket, err));
        TRY(joined(directory->address.key, name, &t.address.key, err));
    } else {
        const struct http_url *const url = &directory->url;
        t.url.port = url->port;
        TRY(copy_text(url->scheme, &t.url.scheme, err));
        TRY(copy_text(url->host, &t.url.host, err));
        TRY(joined(url->path, name, &t.url.path, err));
        TRY(copy_text(url->query, &t.url.query, err));
    }
    TRY(copy_text(directory->user, &t.user, err));
    TRY(copy_text(directory->password, &t.password, err));
    TRY(complete(&t, err));
    *target = t;
    t = (struct http_target){0};
out:
    http_target_finish(&t);
    return st;
}

void
http_target_finish(struct http_target *target)
{
    s3_address_finish(&target->address);
    http_url_finish(&target->url);
    http_free_secret(target->user);
    http_free_secret(target->password);
    free(target->name);
    *target = (struct http_target){0};
}
