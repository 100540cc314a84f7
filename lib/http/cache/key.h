/*
 * key.h - which object, and which version of it, the bytes of the cache are of.
 *
 * Only hashes (SHA-256) reach the disk. A URL stands for an object without its user and password,
 * and without what a signature in its query adds, which is another one each time: X-Amz-* and
 * X-Goog-*, and the older parameters of AWS, CloudFront, Google and Azure, where the signature
 * itself is among them. Two objects with the same key differ in their ETags: one replaces the other
 * in the cache, and they are never mixed.
 */
#ifndef HTTP_CACHE_KEY_H
#define HTTP_CACHE_KEY_H

#include "address/target.h"
#include "answer/identity.h"

#include <stdbool.h>
#include <stdint.h>

enum { HTTP_HASH = 32 }; // bytes

#define HTTP_CACHE_OBJECT_MOST ((int64_t)1 << 50) // bytes: offsets in files stay far from overflow

struct http_cache_id {
    uint8_t key[HTTP_HASH]; // of the URL
    uint8_t etag[HTTP_HASH];
    int64_t size; // bytes of the object
};

// endpoint: of an address of S3, NULL: AWS. False: no memory, or an endpoint that is no URL.
bool http_cache_key(const struct http_target *target, const char *endpoint, uint8_t key[HTTP_HASH]);

// Fill in the version. False: the object cannot be cached, for want of a strong ETag or a size.
bool http_cache_version(const struct http_identity *identity, struct http_cache_id *id);

#endif
