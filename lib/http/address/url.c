/*
 * url.c - URLs taken apart and put together (RFC 3986).
 */
#include "address/url.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { URL_MAX = 1 << 16, PORT_MAX = 65535, ADDRESS_MAX = 64 };

// What may stand in a path and in a query besides the unreserved bytes.
#define SUB_DELIMITERS "!$&'()*+,;="
static const char in_path[] = SUB_DELIMITERS ":@/";
static const char in_query[] = SUB_DELIMITERS ":@/?";

struct span {
    const char *at;
    size_t size;
};

static char *
lower(struct span s)
{
    char *const copy = strndup(s.at, s.size);

    for (size_t i = 0; copy && i < s.size; i++)
        copy[i] = http_lower(copy[i]);
    return copy;
}

// What stands in front of "://" in text; size 0 if that is no scheme.
static struct span
scheme_of(const char *text)
{
    size_t n = 0;

    while (http_is_letter(text[n]) ||
           (n > 0 && (http_is_digit(text[n]) || (text[n] != '\0' && strchr("+-.", text[n])))))
        n++;
    return (struct span){text, strncmp(text + n, "://", 3) == 0 ? n : 0};
}

static tess_status
take_userinfo(struct span s, struct http_url *url, tess_error *err)
{
    for (size_t i = 0; i < s.size; i++) {
        const char c = s.at[i];
        if (c == '%' ? http_percent(s.at + i, s.size - i) < 0
                     : !http_unreserved(c) && !strchr(SUB_DELIMITERS ":", c))
            return http_fail(err, TESS_ERR_ARG,
                             "a URL's user and password must be percent-encoded");
    }
    url->userinfo = strndup(s.at, s.size);
    return url->userinfo ? TESS_OK : http_fail_memory(err);
}

static bool
is_ipv6(struct span s)
{
    char text[ADDRESS_MAX];
    struct in6_addr address;

    if (s.size < 2 || s.size - 2 >= sizeof text || s.at[s.size - 1] != ']')
        return false;
    memcpy(text, s.at + 1, s.size - 2);
    text[s.size - 2] = '\0';
    return inet_pton(AF_INET6, text, &address) == 1;
}

static bool
is_name(struct span s)
{
    for (size_t i = 0; i < s.size; i++)
        if (!http_unreserved(s.at[i]) || s.at[i] == '~')
            return false;
    return s.size > 0 && s.at[0] != '.';
}

static tess_status
take_host(struct span s, struct http_url *url, tess_error *err)
{
    if (!(s.size > 0 && s.at[0] == '[' ? is_ipv6(s) : is_name(s)))
        return http_fail(err, TESS_ERR_ARG,
                         "a URL's host must be a name of letters, digits, -, _ and ., an IPv4 "
                         "address, or an IPv6 address in brackets");
    url->host = lower(s);
    return url->host ? TESS_OK : http_fail_memory(err);
}

// `s` begins behind the colon; a port may be empty.
static tess_status
take_port(struct span s, struct http_url *url, tess_error *err)
{
    int port = 0;

    for (size_t i = 0; i < s.size; i++) {
        port = http_is_digit(s.at[i]) ? port * 10 + (s.at[i] - '0') : PORT_MAX + 1;
        if (port > PORT_MAX)
            break;
    }
    if (port > PORT_MAX || (s.size > 0 && port == 0))
        return http_fail(err, TESS_ERR_ARG, "a URL's port must be a number from 1 to %d", PORT_MAX);
    url->port = port;
    return TESS_OK;
}

static tess_status
take_authority(struct span s, struct http_url *url, tess_error *err)
{
    tess_status st = TESS_OK;
    const char *const at_sign = memrchr(s.at, '@', s.size);

    if (at_sign) {
        const size_t used = (size_t)(at_sign - s.at);
        st = take_userinfo((struct span){s.at, used}, url, err);
        s = (struct span){at_sign + 1, s.size - used - 1};
    }
    if (st != TESS_OK)
        return st;
    const char *const bracket = s.size > 0 && s.at[0] == '[' ? memchr(s.at, ']', s.size) : NULL;
    const char *const from = bracket ? bracket : s.at;
    const char *const colon = memchr(from, ':', s.size - (size_t)(from - s.at));
    const size_t host_size = colon ? (size_t)(colon - s.at) : s.size;
    st = take_host((struct span){s.at, host_size}, url, err);
    if (st == TESS_OK && colon)
        st = take_port((struct span){colon + 1, s.size - host_size - 1}, url, err);
    return st;
}

// Percent-encode what needs it. What is percent-encoded stays as it is, % included.
static tess_status
take_encoded(struct span s, const char *before, const char *keep, char **out, tess_error *err)
{
    struct http_text text = {0};

    http_text_string(&text, before);
    for (size_t i = 0; i < s.size; i++) {
        const unsigned char c = (unsigned char)s.at[i];
        const bool percent = c == '%';
        if (c < ' ' || c == 0x7f || (percent && http_percent(s.at + i, s.size - i) < 0)) {
            http_text_finish(&text);
            return http_fail(err, TESS_ERR_ARG, "a URL must not contain %s",
                             percent ? "a % without two hexadecimal digits behind it"
                                     : "control characters");
        }
        if (percent)
            http_text_add(&text, "%", 1);
        else
            http_text_encoded(&text, s.at + i, 1, keep);
    }
    *out = http_text_take(&text);
    return *out ? TESS_OK : http_fail_memory(err);
}

static tess_status
parse(const char *text, struct http_url *url, tess_error *err)
{
    tess_status st;

    if (strnlen(text, URL_MAX + 1) > URL_MAX)
        return http_fail(err, TESS_ERR_LIMIT, "a URL has more than %d bytes", (int)URL_MAX);
    const struct span scheme = scheme_of(text);
    if (scheme.size == 0)
        return http_fail(err, TESS_ERR_ARG, "a URL must begin like https://host/");
    url->scheme = lower(scheme);
    if (!url->scheme)
        return http_fail_memory(err);

    const char *at = text + scheme.size + 3;
    const struct span authority = {at, strcspn(at, "/?#")};
    st = take_authority(authority, url, err);
    at += authority.size;
    const struct span path = {at, strcspn(at, "?#")};
    if (st == TESS_OK)
        st = take_encoded(path, path.size == 0 ? "/" : "", in_path, &url->path, err);
    at += path.size;
    if (st == TESS_OK && *at == '?')
        st = take_encoded((struct span){at + 1, strcspn(at + 1, "#")}, "", in_query, &url->query,
                          err);
    return st;
}

tess_status
http_url_parse(const char *text, struct http_url *url, tess_error *err)
{
    *url = (struct http_url){0};
    const tess_status st = parse(text, url, err);
    if (st != TESS_OK)
        http_url_finish(url);
    return st;
}

void
http_url_finish(struct http_url *url)
{
    free(url->scheme);
    http_free_secret(url->userinfo);
    free(url->host);
    free(url->path);
    http_free_secret(url->query);
    *url = (struct http_url){0};
}

static void
add_host(struct http_text *text, const struct http_url *url, int usual_port)
{
    char port[16];

    http_text_string(text, url->host);
    if (url->port != 0 && url->port != usual_port) {
        snprintf(port, sizeof port, ":%d", url->port);
        http_text_string(text, port);
    }
}

static char *
join(const struct http_url *url, const char *query)
{
    struct http_text text = {0};

    http_text_string(&text, url->scheme);
    http_text_string(&text, "://");
    add_host(&text, url, 0);
    http_text_string(&text, url->path);
    if (query) {
        http_text_string(&text, "?");
        http_text_string(&text, query);
    }
    return http_text_take(&text);
}

char *
http_url_text(const struct http_url *url)
{
    return join(url, url->query);
}

char *
http_url_shown(const struct http_url *url)
{
    return join(url, NULL);
}

char *
http_url_host(const struct http_url *url)
{
    struct http_text text = {0};

    add_host(&text, url,
             strcmp(url->scheme, "https") == 0  ? 443
             : strcmp(url->scheme, "http") == 0 ? 80
                                                : 0);
    return http_text_take(&text);
}
