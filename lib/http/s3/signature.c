/*
 * signature.c - the keys of S3, and signatures made with them.
 */
#include "s3/signature.h"
#include "address/s3.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <nettle/hmac.h>
#include <nettle/sha2.h>

static const int64_t time_end = 253402300800; // the year 10000

static void
to_hex(const uint8_t *bytes, size_t size, char *text)
{
    for (size_t i = 0; i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

void
s3_hash(const void *bytes, size_t size, char hash[S3_HASH_SIZE])
{
    struct sha256_ctx sha;
    uint8_t digest[SHA256_DIGEST_SIZE];

    sha256_init(&sha);
    sha256_update(&sha, size, bytes);
    sha256_digest(&sha, sizeof digest, digest);
    to_hex(digest, sizeof digest, hash);
}

// dst may be key.
static void
hmac(const uint8_t *key, size_t key_size, const char *text, uint8_t dst[SHA256_DIGEST_SIZE])
{
    struct hmac_sha256_ctx ctx;

    hmac_sha256_set_key(&ctx, key_size, key);
    hmac_sha256_update(&ctx, strlen(text), (const uint8_t *)text);
    hmac_sha256_digest(&ctx, SHA256_DIGEST_SIZE, dst);
    explicit_bzero(&ctx, sizeof ctx);
}

tess_status
s3_scope_init(struct s3_scope *scope, const struct s3_signer *signer, tess_error *err)
{
    const struct s3_keys *const keys = signer->keys;
    const time_t now = (time_t)signer->now;
    struct tm parts;

    *scope = (struct s3_scope){.keys = keys,
                               .region = signer->region ? signer->region : S3_REGION_DEFAULT};
    if (!keys->secret || !http_is_word(keys->id) || !http_is_word(keys->secret) ||
        (keys->token && !http_is_word(keys->token)))
        return http_fail(err, TESS_ERR_ARG,
                         "the access key ID, the secret access key and the session token must be "
                         "there, of visible ASCII, without blanks");
    if (!s3_region_valid(scope->region))
        return http_fail(err, TESS_ERR_ARG, "a region must be like eu-central-1");
    if (signer->now < 0 || signer->now >= time_end || now != signer->now || !gmtime_r(&now, &parts))
        return http_fail(err, TESS_ERR_ARG, "requests cannot be signed for the time %" PRId64,
                         signer->now);
    strftime(scope->time, sizeof scope->time, "%Y%m%dT%H%M%SZ", &parts);
    strftime(scope->date, sizeof scope->date, "%Y%m%d", &parts);
    return TESS_OK;
}

// "20130524/us-east-1/s3/aws4_request"
static void
add_scope(struct http_text *text, const struct s3_scope *scope)
{
    http_text_string(text, scope->date);
    http_text_string(text, "/");
    http_text_string(text, scope->region);
    http_text_string(text, "/s3/aws4_request");
}

char *
s3_scope_credential(const struct s3_scope *scope)
{
    struct http_text text = {0};

    http_text_string(&text, scope->keys->id);
    http_text_string(&text, "/");
    add_scope(&text, scope);
    return http_text_take(&text);
}

static char *
string_to_sign(const struct s3_scope *scope, const char *canonical)
{
    char hash[S3_HASH_SIZE];
    struct http_text text = {0};

    s3_hash(canonical, strlen(canonical), hash);
    http_text_string(&text, S3_ALGORITHM "\n");
    http_text_string(&text, scope->time);
    http_text_string(&text, "\n");
    add_scope(&text, scope);
    http_text_string(&text, "\n");
    http_text_string(&text, hash);
    return http_text_take(&text);
}

// False: no memory.
static bool
sign_string(const struct s3_scope *scope, const char *string, char signature[S3_HASH_SIZE])
{
    uint8_t key[SHA256_DIGEST_SIZE];
    struct http_text text = {0};

    http_text_string(&text, "AWS4");
    http_text_string(&text, scope->keys->secret);
    char *const secret = http_text_take(&text);
    if (!secret)
        return false;
    hmac((const uint8_t *)secret, strlen(secret), scope->date, key);
    hmac(key, sizeof key, scope->region, key);
    hmac(key, sizeof key, "s3", key);
    hmac(key, sizeof key, "aws4_request", key);
    hmac(key, sizeof key, string, key);
    to_hex(key, sizeof key, signature);
    explicit_bzero(key, sizeof key);
    http_free_secret(secret);
    return true;
}

bool
s3_signature(const struct s3_scope *scope, const char *canonical, char signature[S3_HASH_SIZE])
{
    char *const string = string_to_sign(scope, canonical);
    const bool made = string && sign_string(scope, string, signature);

    free(string);
    return made;
}
