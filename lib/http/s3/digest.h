/*
 * digest.h - MD5 of what is sent, as S3 has it in headers and ETags. It finds damage, no attacks.
 */
#ifndef HTTP_S3_DIGEST_H
#define HTTP_S3_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

enum {
    S3_MD5_SIZE = 25, // in base64, as Content-MD5 has it, with its NUL
    S3_ETAG_SIZE = 48, // with quotes, the number of parts and its NUL
};

void s3_content_md5(const void *bytes, size_t size, char md5[S3_MD5_SIZE]);

// The ETag of an object that was put as a whole.
void s3_etag(const void *bytes, size_t size, char etag[S3_ETAG_SIZE]);

// The ETag of an object of n parts with those ETags. False: they are no MD5, nor would its be.
bool s3_etag_of_parts(const char *const *etags, size_t n, char etag[S3_ETAG_SIZE]);

/*
 * May an ETag be that of the expected object? A server with other ETags than MD5, as for encrypted
 * objects, gives no answer to that: true.
 */
bool s3_etag_may_be(const char *etag, const char *expected);

#endif
