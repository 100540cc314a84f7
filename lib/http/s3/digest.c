/*
 * digest.c - MD5 of what is sent.
 */
#include "s3/digest.h"

#include "base/ascii.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <nettle/base64.h>
#include <nettle/md5.h>

static void
md5_finish(struct md5_ctx *md5, uint8_t digest[MD5_DIGEST_SIZE])
{
    md5_digest(md5, MD5_DIGEST_SIZE, digest);
}

static void
md5_of(const void *bytes, size_t size, uint8_t digest[MD5_DIGEST_SIZE])
{
    struct md5_ctx md5;
    md5_init(&md5);
    if (size > 0)
        md5_update(&md5, size, bytes);
    md5_finish(&md5, digest);
}

// The 32 hexadecimal digits between quotes, with "-N" behind them or not.
static bool
parse(const char *etag, uint8_t digest[MD5_DIGEST_SIZE], bool *parts)
{
    const char *p = etag;
    if (*p++ != '"')
        return false;
    for (int i = 0; i < MD5_DIGEST_SIZE; i++, p += 2) {
        const int high = http_hex(p[0]), low = high < 0 ? -1 : http_hex(p[1]);
        if (low < 0)
            return false;
        digest[i] = (uint8_t)(high << 4 | low);
    }
    *parts = *p == '-';
    if (*parts)
        for (p++; http_is_digit(*p); p++)
            ;
    return strcmp(p, "\"") == 0;
}

static int
print(const uint8_t digest[MD5_DIGEST_SIZE], char etag[S3_ETAG_SIZE])
{
    int n = 0;
    etag[n++] = '"';
    for (int i = 0; i < MD5_DIGEST_SIZE; i++)
        n += snprintf(etag + n, 3, "%02x", digest[i]);
    return n;
}

void
s3_content_md5(const void *bytes, size_t size, char md5[S3_MD5_SIZE])
{
    uint8_t digest[MD5_DIGEST_SIZE];
    md5_of(bytes, size, digest);
    base64_encode_raw(md5, sizeof digest, digest);
    md5[S3_MD5_SIZE - 1] = '\0';
}

void
s3_etag(const void *bytes, size_t size, char etag[S3_ETAG_SIZE])
{
    uint8_t digest[MD5_DIGEST_SIZE];
    md5_of(bytes, size, digest);
    const int n = print(digest, etag);
    memcpy(etag + n, "\"", 2);
}

bool
s3_etag_of_parts(const char *const *etags, size_t n, char etag[S3_ETAG_SIZE])
{
    uint8_t digest[MD5_DIGEST_SIZE];
    struct md5_ctx md5;
    bool parts;

    md5_init(&md5);
    for (size_t i = 0; i < n; i++) {
        if (!parse(etags[i], digest, &parts) || parts)
            return false;
        md5_update(&md5, sizeof digest, digest);
    }
    md5_finish(&md5, digest);
    const int used = print(digest, etag);
    snprintf(etag + used, (size_t)(S3_ETAG_SIZE - used), "-%u\"", (unsigned)n % 100000);
    return true;
}

bool
s3_etag_may_be(const char *etag, const char *expected)
{
    uint8_t have[MD5_DIGEST_SIZE], want[MD5_DIGEST_SIZE];
    bool have_parts, want_parts;

    if (!parse(etag, have, &have_parts) || !parse(expected, want, &want_parts))
        return true;
    return strcmp(etag, expected) == 0;
}
