/*
 * s3.c - s3://bucket/key, and the URL where a server has that object.
 */
#include "address/s3.h"
#include "base/error.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUCKET_MAX = 255, // what botocore lets pass; AWS itself has 63
    LABEL_MAX = 63, // of a name of DNS
    BUCKET_MIN = 3,
};

#define DIGITS "0123456789"
#define SMALL "abcdefghijklmnopqrstuvwxyz"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

tess_status
s3_address_parse(const char *text, struct s3_address *address, tess_error *err)
{
    static const char scheme[] = "s3://";

    *address = (struct s3_address){0};
    if (strncmp(text, scheme, strlen(scheme)) != 0)
        return http_fail(err, TESS_ERR_ARG, "an address in S3 must begin like s3://bucket/");
    const char *const bucket = text + strlen(scheme);
    if (strncmp(bucket, "arn:", 4) == 0)
        return http_fail(err, TESS_ERR_UNSUPPORTED,
                         "access points (s3://arn:...) are not supported: give their alias as the "
                         "bucket");
    const size_t size = strcspn(bucket, "/");
    if (size == 0 || size > BUCKET_MAX || strspn(bucket, SMALL CAPITALS DIGITS ".-_") != size ||
        bucket[0] == '.')
        return http_fail(err, TESS_ERR_ARG,
                         "a bucket's name must have 1 to %d letters, digits, ., - and _",
                         (int)BUCKET_MAX);
    address->bucket = strndup(bucket, size);
    address->key = strdup(bucket[size] == '/' ? bucket + size + 1 : "");
    if (!address->bucket || !address->key) {
        s3_address_finish(address);
        return http_fail_memory(err);
    }
    return TESS_OK;
}

void
s3_address_finish(struct s3_address *address)
{
    free(address->bucket);
    free(address->key);
    *address = (struct s3_address){0};
}

bool
s3_region_valid(const char *region)
{
    const size_t size = strspn(region, SMALL CAPITALS DIGITS "-_");

    return size > 0 && size <= LABEL_MAX && region[size] == '\0';
}

// Whether a server can have bucket.host for a name, and over TLS with its one certificate: a label.
static bool
is_label(const char *bucket)
{
    const size_t size = strlen(bucket);

    return size >= BUCKET_MIN && size <= LABEL_MAX && strspn(bucket, SMALL DIGITS "-") == size &&
           bucket[0] != '-' && bucket[size - 1] != '-';
}

// Labels, one behind another.
static bool
is_host(const char *bucket)
{
    const size_t size = strlen(bucket);

    return size >= BUCKET_MIN && size <= LABEL_MAX && strspn(bucket, SMALL DIGITS ".-") == size &&
           bucket[0] != '-' && bucket[size - 1] != '-' && bucket[size - 1] != '.' &&
           !strstr(bucket, "..");
}

// What regions of a kind have for a domain, by how their names begin; the first that fits.
static const struct {
    const char *region;
    const char *domain;
} domains[] = {
    {"cn-", "amazonaws.com.cn"},
    {"us-iso-", "c2s.ic.gov"},
    {"us-isob-", "sc2s.sgov.gov"},
    {"", "amazonaws.com"},
};

static char *
aws_endpoint(const char *region)
{
    struct http_text text = {0};
    size_t i = 0;

    while (region && strncmp(region, domains[i].region, strlen(domains[i].region)) != 0)
        i++;
    http_text_string(&text, "https://s3.");
    if (region) {
        http_text_string(&text, region);
        http_text_string(&text, ".");
    }
    http_text_string(&text, domains[region ? i : sizeof domains / sizeof *domains - 1].domain);
    return http_text_take(&text);
}

static tess_status
parse_endpoint(const struct s3_place *place, struct http_url *url, tess_error *err)
{
    if (place->region && !s3_region_valid(place->region))
        return http_fail(err, TESS_ERR_ARG,
                         "a region must have 1 to %d letters, digits, - and _, like eu-central-1",
                         (int)LABEL_MAX);
    if (!place->endpoint) {
        char *const text = aws_endpoint(place->region);
        const tess_status st = text ? http_url_parse(text, url, err) : http_fail_memory(err);
        free(text);
        return st;
    }
    const tess_status st = http_url_parse(place->endpoint, url, err);
    if (st != TESS_OK)
        return st;
    if ((strcmp(url->scheme, "http") != 0 && strcmp(url->scheme, "https") != 0) || url->query ||
        url->userinfo)
        return http_fail(
            err, TESS_ERR_ARG,
            "an endpoint must be http:// or https:// with a host, and no user or query");
    return TESS_OK;
}

static bool
is_number(const char *host)
{
    struct in_addr address;

    return host[0] == '[' || inet_pton(AF_INET, host, &address) == 1;
}

static tess_status
put_into_host(const char *bucket, struct http_url *url, tess_error *err)
{
    struct http_text text = {0};

    if (!is_host(bucket) || is_number(url->host))
        return http_fail(err, TESS_ERR_ARG,
                         "bucket %.*s cannot stand in the name of a host (virtual-hosted style): "
                         "use path style",
                         (int)LABEL_MAX, bucket);
    http_text_string(&text, bucket);
    http_text_string(&text, ".");
    http_text_string(&text, url->host);
    free(url->host);
    url->host = http_text_take(&text);
    return url->host ? TESS_OK : http_fail_memory(err);
}

static tess_status
put_into_path(const char *bucket, const char *key, struct http_url *url, tess_error *err)
{
    struct http_text text = {0};
    size_t size = strlen(url->path);

    while (size > 0 && url->path[size - 1] == '/') // of the endpoint
        size--;
    http_text_add(&text, url->path, size);
    http_text_string(&text, "/");
    if (bucket) {
        http_text_string(&text, bucket);
        http_text_string(&text, key[0] ? "/" : "");
    }
    http_text_encoded(&text, key, strlen(key), "/");
    free(url->path);
    url->path = http_text_take(&text);
    return url->path ? TESS_OK : http_fail_memory(err);
}

tess_status
s3_address_url(const struct s3_address *address, const struct s3_place *place, const char *query,
               struct http_url *url, tess_error *err)
{
    const bool virtual_style =
        place->style == S3_STYLE_VIRTUAL ||
        (place->style == S3_STYLE_AUTO && !place->endpoint && is_label(address->bucket));

    *url = (struct http_url){0};
    tess_status st = parse_endpoint(place, url, err);
    if (st == TESS_OK && virtual_style)
        st = put_into_host(address->bucket, url, err);
    if (st == TESS_OK)
        st = put_into_path(virtual_style ? NULL : address->bucket, address->key, url, err);
    if (st == TESS_OK && query) {
        url->query = strdup(query);
        st = url->query ? TESS_OK : http_fail_memory(err);
    }
    if (st != TESS_OK)
        http_url_finish(url);
    return st;
}

char *
s3_query(const struct s3_parameter *parameters, size_t n)
{
    struct http_text text = {0};

    for (size_t i = 0; i < n; i++) {
        http_text_string(&text, i > 0 ? "&" : "");
        http_text_encoded(&text, parameters[i].name, strlen(parameters[i].name), "");
        http_text_string(&text, "=");
        http_text_encoded(&text, parameters[i].value, strlen(parameters[i].value), "");
    }
    return http_text_take(&text);
}
