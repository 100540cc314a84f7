/*
 * canonical.h - the canonical form of a request: the text that its signature is made of.
 *
 * A server computes the signature from what it decoded, so the canonical form does the same: the
 * path and each name and value of the query are decoded, then encoded with all but the unreserved
 * bytes as %XX. A + is a plus, not a space. Paths are not normalised: a//b and a/../b are names.
 * Queries are sorted by encoded names, then values. How the URL is spelled does not matter.
 *
 * Not here: keys, times and hashes (signature.h).
 */
#ifndef HTTP_S3_CANONICAL_H
#define HTTP_S3_CANONICAL_H

#include "address/url.h"
#include "base/text.h"

#include <stddef.h>

struct s3_header {
    const char *name, *value;
};

// In the place of the hash of a body that is not known when the request is signed.
#define S3_UNSIGNED_PAYLOAD "UNSIGNED-PAYLOAD"

struct s3_request {
    const char *method; // GET, in capitals
    const struct http_url *url;
    // Headers that are sent besides and signed, in any order and case: those that begin with x-amz-
    // have to be among them. Host and what s3_sign() adds are not.
    const struct s3_header *headers;
    size_t nheaders;
    const char *payload; // hash of the body (s3_hash()), S3_UNSIGNED_PAYLOAD, or NULL: no body
};

struct s3_pair; // a name and a value

struct s3_pairs {
    struct s3_pair *at;
    size_t n;
};

struct s3_canonical { // zeroed: empty
    const struct s3_request *request;
    struct s3_pairs query, headers; // sorted; empty until they are taken
    char *names; // of the headers, "host;x-amz-date"; NULL until these are taken
};

// Begin one, of a request that stays until its end. The caller ends it with s3_canonical_finish(),
// also after failures. TESS_ERR_ARG: the method is no word.
tess_status s3_canonical_init(struct s3_canonical *c, const struct s3_request *request,
                              tess_error *err);

// Take the parts between & of a query; NULL is none. TESS_ERR_NOMEM.
tess_status s3_canonical_take_query(struct s3_canonical *c, const char *query, tess_error *err);

// Take Host, `added`, and the headers of the request. TESS_ERR_ARG (a header that cannot be),
// TESS_ERR_LIMIT, TESS_ERR_NOMEM.
tess_status s3_canonical_take_headers(struct s3_canonical *c, const struct s3_header *added,
                                      size_t nadded, tess_error *err);

// The query that was taken, as it is signed.
void s3_canonical_add_query(const struct s3_canonical *c, struct http_text *text);

// The whole, if query and headers were taken, with the hash of the body. May hold a token: to be
// freed with http_free_secret(); NULL: no memory.
char *s3_canonical_text(const struct s3_canonical *c, const char *hash);

void s3_canonical_finish(struct s3_canonical *c); // wipes what it frees

#endif
