/*
 * sign.h - AWS Signature Version 4 for S3: requests with a signature in their headers, and URLs
 * with one in their query.
 *
 * Written here, since that of libcurl (8.x) signs queries in the order in which they are sent and
 * encodes = in keys otherwise than S3.
 *
 * Not here: what of a request is signed (canonical.h), and how (signature.h).
 */
#ifndef HTTP_S3_SIGN_H
#define HTTP_S3_SIGN_H

#include "s3/canonical.h"
#include "s3/signature.h"

#include <stdint.h>

enum {
    S3_EXPIRES_MAX = 604800, // seconds, seven days
    S3_LINES_MAX = 4,
};

// Headers to be sent, "name: value", without the end of the line; hold a token: wiped when freed.
struct s3_lines {
    char *line[S3_LINES_MAX];
    int n; // 0: anonymous
};

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
