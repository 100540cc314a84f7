/*
 * options.c - tess_http_options as this library keeps them.
 */
#include "object/options.h"

#include "address/s3.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/number.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TRY(expr)                     \
    do {                              \
        if ((st = (expr)) != TESS_OK) \
            goto out;                 \
    } while (0)

#define ENDS_MAX ((int64_t)16 << 20) // bytes of first and last
#define PART_DEFAULT ((int64_t)8 << 20)
#define PART_MIN ((int64_t)64 << 10) // S3 itself wants 5 MiB
#define PART_MAX ((int64_t)1 << 30)

enum {
    SIZE_MAX_GIVEN = 1 << 16, // of the struct; more was not initialised
    HEADERS_MAX = 256,
    REQUESTS_MAX = 256,
};

void
tess_http_options_init_sized(tess_http_options *options, size_t struct_size)
{
    const tess_http_options defaults = {
        .struct_size = struct_size,
        .connect_timeout = 10000,
        .stall_timeout = 20000,
        .stall_speed = 64,
        .deadline = 300000,
        .tries = 5,
        .requests = 16,
    };
    const size_t both = http_min_size(struct_size, sizeof defaults);
    memcpy(options, &defaults, both);
    memset((char *)options + both, 0, struct_size - both);
}

// What the program gave, as a struct of this library: what only newer headers have must be zero.
static tess_status
take_struct(const tess_http_options *given, tess_http_options *own, tess_error *err)
{
    tess_http_options_init(own);
    if (!given)
        return TESS_OK;
    const size_t size = given->struct_size;
    if (size < offsetof(tess_http_options, anonymous) + sizeof given->anonymous ||
        size > SIZE_MAX_GIVEN)
        return http_fail(err, TESS_ERR_ARG,
                         "a tess_http_options of %zu bytes: call tess_http_options_init()", size);
    for (size_t i = sizeof *own; i < size; i++)
        if (((const char *)given)[i])
            return http_fail(err, TESS_ERR_UNSUPPORTED,
                             "a tess_http_options with members that this version does not know");
    memcpy(own, given, http_min_size(size, sizeof *own));
    own->struct_size = sizeof *own;
    return TESS_OK;
}

static tess_status
check_number(const char *name, int64_t value, int64_t least, int64_t most, tess_error *err)
{
    if (value >= least && value <= most)
        return TESS_OK;
    return http_fail(err, TESS_ERR_ARG, "%s is %lld, it can be %lld to %lld", name,
                     (long long)value, (long long)least, (long long)most);
}

static tess_status
take_numbers(const tess_http_options *given, struct http_options *o, tess_error *err)
{
    tess_status st;

    TRY(check_number("connect_timeout", given->connect_timeout, 1, INT32_MAX, err));
    TRY(check_number("stall_timeout", given->stall_timeout, 1, INT32_MAX, err));
    TRY(check_number("stall_speed", given->stall_speed, 1, INT32_MAX, err));
    TRY(check_number("deadline", given->deadline, 1, INT32_MAX, err));
    TRY(check_number("tries", given->tries, 1, INT32_MAX, err));
    TRY(check_number("requests", given->requests, 1, REQUESTS_MAX, err));
    TRY(check_number("first", given->first, 0, ENDS_MAX, err));
    TRY(check_number("last", given->last, 0, ENDS_MAX, err));
    if (given->part_size != 0)
        TRY(check_number("part_size", given->part_size, PART_MIN, PART_MAX, err));
    o->part_size = given->part_size != 0 ? given->part_size : PART_DEFAULT;
    TRY(check_number("cache_size", given->cache_size, 0, INT64_MAX, err));
    o->connect_timeout = given->connect_timeout;
    o->stall_timeout = given->stall_timeout;
    o->stall_speed = given->stall_speed;
    o->deadline = given->deadline;
    o->tries = given->tries;
    o->requests = given->requests;
    o->first = given->first;
    o->last = given->last;
    o->cache_size = given->cache_size;
out:
    return st;
}

// NULL stays NULL.
static tess_status
take_text(const char *given, char **own, tess_error *err)
{
    if (!given)
        return TESS_OK;
    *own = strdup(given);
    return *own ? TESS_OK : http_fail_memory(err);
}

// Can it stand in a line of a header?
static bool
is_line(const char *text)
{
    for (; *text; text++)
        if (((unsigned char)*text < 0x20 && *text != '\t') || *text == 0x7f)
            return false;
    return true;
}

static bool
is_named(const char *line, size_t size, const char *name)
{
    return strlen(name) == size && strncasecmp(line, name, size) == 0;
}

static tess_status
check_header(const char *line, bool authorized, tess_error *err)
{
    static const char *const ours[] = {
        "accept-encoding", "connection",    "content-length", "content-md5",      "expect", "host",
        "if-match",        "if-none-match", "range",          "transfer-encoding"};
    static const char signs[] = "!#$%&'*+-.^_`|~"; // beside letters and digits, in a name
    const size_t size = line ? strcspn(line, ":") : 0;

    if (size == 0 || line[size] == '\0' || !is_line(line) ||
        line[size + 1 + strspn(line + size + 1, " \t")] == '\0')
        return http_fail(err, TESS_ERR_ARG, "a header that is not of the form \"Name: value\"");
    for (size_t i = 0; i < size; i++)
        if (!http_unreserved(line[i]) && !strchr(signs, line[i]))
            return http_fail(err, TESS_ERR_ARG,
                             "a header whose name has other signs than names can");
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (is_named(line, size, ours[i]))
            return http_fail(err, TESS_ERR_ARG, "the header %s is the library's own", ours[i]);
    if (authorized && is_named(line, size, "authorization"))
        return http_fail(err, TESS_ERR_ARG, "a header Authorization, beside other credentials");
    return TESS_OK;
}

static tess_status
take_headers(const tess_http_options *given, bool authorized, struct http_options *o,
             tess_error *err)
{
    if (given->nheaders == 0)
        return TESS_OK;
    if (!given->headers || given->nheaders > HEADERS_MAX)
        return http_fail(err, TESS_ERR_ARG, "%zu headers; they can be %d, and not NULL",
                         given->nheaders, HEADERS_MAX);
    if (!(o->headers = calloc(given->nheaders, sizeof *o->headers)))
        return http_fail_memory(err);
    for (; o->nheaders < given->nheaders; o->nheaders++) {
        const char *const line = given->headers[o->nheaders];
        tess_status st = check_header(line, authorized, err);
        if (st == TESS_OK)
            st = take_text(line, &o->headers[o->nheaders], err);
        if (st != TESS_OK)
            return st;
    }
    return TESS_OK;
}

static tess_status
take_login(const tess_http_options *given, struct http_options *o, tess_error *err)
{
    tess_status st;

    if (given->user && given->token)
        return http_fail(err, TESS_ERR_ARG, "both a user and a token are given");
    if (given->password && !given->user)
        return http_fail(err, TESS_ERR_ARG, "a password is given, and no user");
    if (given->user && strchr(given->user, ':'))
        return http_fail(err, TESS_ERR_ARG, "the name of a user cannot have a colon");
    if (given->token && !is_line(given->token))
        return http_fail(err, TESS_ERR_ARG, "a token cannot have control characters");
    TRY(take_text(given->user, &o->user, err));
    TRY(take_text(given->password, &o->password, err));
    TRY(take_text(given->token, &o->token, err));
    TRY(take_text(given->ca_file, &o->ca_file, err));
    TRY(take_text(given->cache_dir, &o->cache_dir, err));
out:
    return st;
}

static const char *
lookup(void *user, const char *name)
{
    (void)user;
    return getenv(name);
}

static tess_status
replace(const char *given, char **own, tess_error *err)
{
    if (given) {
        http_free_secret(*own);
        *own = NULL;
    }
    return take_text(given, own, err);
}

// What the program says goes before what the environment says, which is only wrong if needed.
static tess_status
take_s3(const tess_http_options *given, struct http_options *o, tess_error *err)
{
    const bool given_keys = given->anonymous || given->access_key;
    struct s3_keys none = {0};
    tess_status st;

    if (!given->access_key != !given->secret_key || (given->session_token && !given->access_key))
        return http_fail(err, TESS_ERR_ARG, "access_key and secret_key belong together");
    if (given->anonymous && given->access_key)
        return http_fail(err, TESS_ERR_ARG, "both anonymous and an access_key are given");
    if (given->region && !s3_region_valid(given->region))
        return http_fail(err, TESS_ERR_ARG, "the region is none");
    st = s3_config_load(lookup, NULL, &o->s3, given_keys ? NULL : err);
    if (st != TESS_OK && (!given_keys || st == TESS_ERR_NOMEM))
        return st == TESS_ERR_NOMEM ? http_fail_memory(err) : st;
    if (given_keys) {
        http_free_secret(o->s3.keys.id);
        http_free_secret(o->s3.keys.secret);
        http_free_secret(o->s3.keys.token);
        o->s3.keys = none;
    }
    TRY(take_text(given->access_key, &o->s3.keys.id, err));
    TRY(take_text(given->secret_key, &o->s3.keys.secret, err));
    if (given->access_key)
        TRY(take_text(given->session_token, &o->s3.keys.token, err));
    TRY(replace(given->region, &o->s3.region, err));
    TRY(replace(given->endpoint, &o->s3.endpoint, err));
out:
    return st;
}

tess_status
http_options_take(const tess_http_options *given, bool s3, struct http_options *options,
                  tess_error *err)
{
    struct http_options o = {0};
    tess_http_options all;
    tess_status st;

    TRY(take_struct(given, &all, err));
    TRY(take_numbers(&all, &o, err));
    TRY(take_login(&all, &o, err));
    if (s3)
        TRY(take_s3(&all, &o, err));
    if (s3 && (o.user || o.token))
        TRY(http_fail(err, TESS_ERR_ARG, "a user or token for s3://, which has keys"));
    TRY(take_headers(&all, o.user || o.token || o.s3.keys.id, &o, err));
    *options = o;
    o = (struct http_options){0};
out:
    http_options_finish(&o);
    return st;
}

void
http_options_finish(struct http_options *options)
{
    http_free_secret(options->user);
    http_free_secret(options->password);
    http_free_secret(options->token);
    free(options->ca_file);
    free(options->cache_dir);
    for (size_t i = 0; i < options->nheaders; i++)
        http_free_secret(options->headers[i]);
    free(options->headers);
    s3_config_finish(&options->s3);
    *options = (struct http_options){0};
}
