/*
 * signature.h - the keys of S3, and signatures made with them: HMAC-SHA256 of a canonical request,
 * with a key derived from the secret one for one day and one region.
 */
#ifndef HTTP_S3_SIGNATURE_H
#define HTTP_S3_SIGNATURE_H

#include <tessera/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define S3_ALGORITHM "AWS4-HMAC-SHA256"

enum {
    S3_HASH_SIZE = 65, // SHA-256 as hexadecimal text, with its NUL
    S3_DATE_SIZE = 9, // 20130524 and its NUL
    S3_TIME_SIZE = 17, // 20130524T000000Z and its NUL
};

struct s3_keys { // zeroed: anonymous, requests are not signed
    char *id; // access key ID
    char *secret;
    char *token; // of a session, or NULL
};

struct s3_signer {
    const struct s3_keys *keys;
    const char *region; // NULL: S3_REGION_DEFAULT
    int64_t now; // seconds since 1970, UTC; servers refuse what is 15 minutes off
};

// What a signature is made from, besides the request.
struct s3_scope {
    const struct s3_keys *keys;
    const char *region;
    char time[S3_TIME_SIZE];
    char date[S3_DATE_SIZE];
};

// Check a signer, which stays as long as the scope. TESS_ERR_ARG: a key, region or time that cannot
// be; keys are not shown.
tess_status s3_scope_init(struct s3_scope *scope, const struct s3_signer *signer, tess_error *err);

// "AKIDEXAMPLE/20130524/us-east-1/s3/aws4_request". To be freed; NULL: no memory.
char *s3_scope_credential(const struct s3_scope *scope);

// SHA-256 of a body, as hexadecimal text.
void s3_hash(const void *bytes, size_t size, char hash[S3_HASH_SIZE]);

// The signature of a canonical request, as hexadecimal text. False: no memory.
bool s3_signature(const struct s3_scope *scope, const char *canonical,
                  char signature[S3_HASH_SIZE]);

#endif
