/*
 * url.c - URLs and addresses in S3, as a user or a file of settings gives them.
 *
 * The text is the input up to its first NUL. What is understood must be the same when it is put
 * together and read again, and can be signed; nothing of it ends a line.
 */
#include "address/s3.h"
#include "fuzz/fuzz.h"
#include "s3/sign.h"

static void
must_be_visible(const char *text)
{
    for (const char *p = text; *p; p++)
        must(*p > ' ' && *p < 0x7f, "byte %d in %s", *p, text);
}

static void
must_come_back(const struct http_url *url)
{
    struct http_url again;
    tess_error err = {0};
    char *const text = http_url_text(url);

    must(text, "no memory");
    must_be_visible(text);
    // What was encoded is longer, and may go beyond the limit.
    const tess_status st = http_url_parse(text, &again, &err);
    must(st == TESS_OK || st == TESS_ERR_LIMIT, "%s: %s", text, err.message);
    if (st == TESS_OK) {
        char *const second = http_url_text(&again);
        must(second && strcmp(text, second) == 0, "%s becomes %s", text, second);
        must(strcmp(url->host, again.host) == 0 && url->port == again.port, "%s", text);
        free(second);
        http_url_finish(&again);
    }
    free(text);
}

static void
must_be_signed(const struct http_url *url)
{
    static char id[] = "id", secret[] = "secret";
    const struct s3_keys keys = {id, secret, NULL};
    const struct s3_signer signer = {&keys, NULL, 0};
    const struct s3_request request = {.method = "GET", .url = url};
    struct s3_lines lines;
    char *text;
    tess_error err = {0};

    must(s3_sign(&signer, &request, &lines, &err) == TESS_OK && lines.n == 3, "%s", err.message);
    must(s3_presign(&signer, &request, 1, &text, &err) == TESS_OK, "%s", err.message);
    must_be_visible(text);
    free(text);
    s3_lines_finish(&lines);
}

static void
try_url(const char *text)
{
    struct http_url url;
    tess_error err = {0};

    const tess_status st = http_url_parse(text, &url, &err);
    if (st != TESS_OK) {
        must((st == TESS_ERR_ARG || st == TESS_ERR_LIMIT) && err.status == st && err.message[0],
             "%d: %s", (int)st, err.message);
        return;
    }
    must_come_back(&url);
    must_be_signed(&url);
    http_url_finish(&url);
}

static void
try_address(const char *text)
{
    static const struct s3_place places[] = {
        {NULL, NULL, S3_STYLE_AUTO},
        {NULL, "eu-central-1", S3_STYLE_VIRTUAL},
        {"http://h:1/base/", NULL, S3_STYLE_PATH},
    };
    struct s3_address address;

    if (s3_address_parse(text, &address, NULL) != TESS_OK)
        return;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct http_url url;
        if (s3_address_url(&address, &places[i], "a=b", &url, NULL) == TESS_OK) {
            must_come_back(&url);
            must_be_signed(&url);
            http_url_finish(&url);
        }
    }
    s3_address_finish(&address);
}

// As an endpoint and as a region.
static void
try_place(const char *text)
{
    static char bucket[] = "bucket", key[] = "key";
    const struct s3_address address = {bucket, key};

    for (int i = 0; i < 4; i++) {
        const struct s3_place place = {i & 1 ? text : NULL, i & 1 ? NULL : text,
                                       i & 2 ? S3_STYLE_VIRTUAL : S3_STYLE_PATH};
        struct http_url url;
        if (s3_address_url(&address, &place, NULL, &url, NULL) == TESS_OK) {
            must_come_back(&url);
            http_url_finish(&url);
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const whole = (char *)exact_memory(size + 1);

    if (size > 0)
        memcpy(whole, data, size);
    char *const text = (char *)exact_copy(whole, strlen(whole) + 1);
    try_url(text);
    try_address(text);
    try_place(text);
    free(text);
    free(whole);
    return 0;
}
