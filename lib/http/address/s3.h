/*
 * s3.h - s3://bucket/key, and the URL where a server has that object.
 */
#ifndef HTTP_ADDRESS_S3_H
#define HTTP_ADDRESS_S3_H

#include "address/url.h"

#include <stdbool.h>
#include <stddef.h>

struct s3_address { // zeroed: empty
    char *bucket;
    char *key; // any bytes but NUL, not encoded; "" for the bucket itself
};

// Where the name of the bucket stands.
enum s3_style {
    S3_STYLE_AUTO, // in the host at AWS, but for names with dots; in the path at other endpoints
    S3_STYLE_VIRTUAL, // in the host: https://bucket.host/key
    S3_STYLE_PATH, // in the path: https://host/bucket/key
};

struct s3_place { // zeroed: AWS, and nothing said of a region
    const char *endpoint; // URL of the server, or NULL: AWS
    const char *region; // NULL: the one of AWS that knows all buckets, us-east-1
    enum s3_style style;
};

// The region that requests are signed for when none is given.
#define S3_REGION_DEFAULT "us-east-1"

/*
 * Take s3://bucket/key apart. All that stands behind the bucket's slash is the key, byte for byte:
 * ?, # and % are bytes like others, as the AWS command line takes them. On success the caller ends
 * *address with s3_address_finish(); else it is empty.
 *
 * Returns TESS_ERR_ARG (no such address), TESS_ERR_UNSUPPORTED (an ARN), TESS_ERR_NOMEM.
 */
tess_status s3_address_parse(const char *text, struct s3_address *address, tess_error *err);

void s3_address_finish(struct s3_address *address);

/*
 * The URL of an object; of the bucket, if the key is empty. *query (NULL: none) becomes its query.
 *
 * Returns TESS_ERR_ARG (endpoint, region, or a bucket that cannot stand in a host and shall),
 * TESS_ERR_LIMIT, TESS_ERR_NOMEM.
 */
tess_status s3_address_url(const struct s3_address *address, const struct s3_place *place,
                           const char *query, struct http_url *url, tess_error *err);

// Letters, digits, hyphens and underscores, one to 63: what can stand in a host and in a signature.
bool s3_region_valid(const char *region);

struct s3_parameter {
    const char *name;
    const char *value; // "" for one that is only named
};

// A query of n parameters, percent-encoded, in that order. To be freed; NULL: no memory.
char *s3_query(const struct s3_parameter *parameters, size_t n);

#endif
