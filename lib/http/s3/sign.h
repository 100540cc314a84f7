/*
 * sign.h - AWS Signature Version 4 for S3.
 *
 * Written here, since that of libcurl (8.x) signs queries in the order in which they are sent and
 * encodes = in keys otherwise than S3.
 *
 * A server computes the signature from what it decoded, so the canonical form does the same: the
 * path and each name and value of the query are decoded, then encoded with all but the unreserved
 * bytes as %XX. A + is a plus, not a space. Paths are not normalised: a//b and a/../b are names.
 * Queries are sorted by encoded names, then values. How the URL is spelled does not matter.
 */
#ifndef HTTP_S3_SIGN_H
#define HTTP_S3_SIGN_H

#include "http/address/url.h"

#include <stddef.h>
#include <stdint.h>

struct s3_keys { // zeroed: anonymous, requests are not signed
    char *id; // access key ID
    char *secret;
    char *token; // of a session, or NULL
};

struct s3_header {
    const char *name, *value;
};

enum {
    S3_HASH_SIZE = 65, // SHA-256 as hexadecimal text, with its NUL
    S3_EXPIRES_MAX = 604800, // seconds, seven days
    S3_LINES_MAX = 4,
};

// In the place of the hash of a body that is not known when the request is signed.
#define S3_UNSIGNED_PAYLOAD "UNSIGNED-PAYLOAD"

struct s3_signer {
    const struct s3_keys *keys;
    const char *region; // NULL: S3_REGION_DEFAULT
    int64_t now; // seconds since 1970, UTC; servers refuse what is 15 minutes off
};

struct s3_request {
    const char *method; // GET, in capitals
    const struct http_url *url;
    // Headers that are sent besides and signed, in any order and case: those that begin with x-amz-
    // have to be among them. Host and what s3_sign() adds are not.
    const struct s3_header *headers;
    size_t nheaders;
    const char *payload; // hash of the body (s3_hash()), S3_UNSIGNED_PAYLOAD, or NULL: no body
};

// Headers to be sent, "name: value", without the end of the line; hold a token: wiped when freed.
struct s3_lines {
    char *line[S3_LINES_MAX];
    int n; // 0: anonymous
};

// SHA-256 of a body, as hexadecimal text.
void s3_hash(const void *bytes, size_t size, char hash[S3_HASH_SIZE]);

/*
 * The headers that make a request a signed one. On success the caller ends *lines with
 * s3_lines_finish(); else there are none.
 *
 * Returns TESS_ERR_ARG (a key, region, header or time that cannot be; keys are not shown),
 * TESS_ERR_NOMEM.
 */
tess_status s3_sign(const struct s3_signer *signer, const struct s3_request *request,
                    struct s3_lines *lines, tess_error *err);

void s3_lines_finish(struct s3_lines *lines);

/*
 * A URL that lets whoever has it make the request for `expires` seconds, 1 to S3_EXPIRES_MAX. The
 * body is not signed (request->payload is not looked at); request->headers have to be sent with it.
 * *text is to be freed with http_free_secret(). Fails as s3_sign() does, and with TESS_ERR_ARG
 * without keys.
 */
tess_status s3_presign(const struct s3_signer *signer, const struct s3_request *request,
                       int64_t expires, char **text, tess_error *err);

#endif
