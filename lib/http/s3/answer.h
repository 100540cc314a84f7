/*
 * answer.h - what S3 answers in XML, and the one request that is XML.
 *
 * Bodies are bytes of a stranger; what is taken from them is bounded, and text for messages has no
 * controls and nothing but ASCII in it.
 */
#ifndef HTTP_S3_ANSWER_H
#define HTTP_S3_ANSWER_H

#include <tessera/error.h>

#include <stddef.h>

enum { S3_PARTS_MAX = 10000 };

// <Error>, cut to what fits; "" where the answer does not say.
struct s3_refusal {
    char code[64]; // NoSuchKey
    char message[200];
    char region[64]; // the right one, where the region was wrong
};

// The refusal that a body holds. TESS_ERR_CORRUPT: it holds none; *refusal is all "".
tess_status s3_answer_refusal(const char *body, size_t size, struct s3_refusal *refusal,
                              tess_error *err);

// The upload ID of a multipart upload that began, to be freed. TESS_ERR_CORRUPT: there is none, or
// one that is no word of ASCII; TESS_ERR_NOMEM.
tess_status s3_answer_upload_id(const char *body, size_t size, char **id, tess_error *err);

/*
 * Whether a multipart upload was completed. The status 200 does not say so, as it is sent before
 * the server is done: TESS_ERR_IO with *refusal filled if the body is an error, which may be tried
 * again; TESS_ERR_CORRUPT if it says neither.
 */
tess_status s3_answer_completed(const char *body, size_t size, struct s3_refusal *refusal,
                                tess_error *err);

/*
 * The body that completes a multipart upload of parts 1 to n with those ETags, as the server sent
 * them. *body, of *size bytes without its NUL, is to be freed. TESS_ERR_LIMIT: no parts or more
 * than S3_PARTS_MAX; TESS_ERR_ARG: an ETag that is no word of
 * ASCII; TESS_ERR_NOMEM.
 */
tess_status s3_request_complete(const char *const *etags, size_t n, char **body, size_t *size,
                                tess_error *err);

#endif
