/*
 * sign.c - tests of http/s3/sign: the examples of the documentation of S3, and what is refused.
 *
 * botocore.py compares many more requests with another implementation.
 */
#include "s3/sign.h"
#include "http/http.h"

enum { NOW = 1369353600 }; // 2013-05-24T00:00:00Z

static char id[] = "AKIAIOSFODNN7EXAMPLE";
static char secret[] = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
static char token[] =
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxf"
    "pSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGd==";

static const struct s3_keys keys = {id, secret, NULL};
static const struct s3_signer signer = {&keys, "us-east-1", NOW};

#define URL "https://examplebucket.s3.amazonaws.com"

static const char scope[] = "Authorization: AWS4-HMAC-SHA256 "
                            "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                            "SignedHeaders=";

// "Examples: Signature Calculations in AWS Signature Version 4" of the S3 API reference.
static const struct {
    const char *method, *url;
    struct s3_header headers[2];
    const char *payload; // the body itself
    const char *names, *signature;
} examples[] = {
    {"GET",
     URL "/test.txt",
     {{"Range", "bytes=0-9"}},
     NULL,
     "host;range;x-amz-content-sha256;x-amz-date",
     "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
    {"PUT",
     URL "/test$file.text",
     {{"x-amz-storage-class", "REDUCED_REDUNDANCY"}, {"Date", "Fri, 24 May 2013 00:00:00 GMT"}},
     "Welcome to Amazon S3.",
     "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
     "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
    {"GET",
     URL "?lifecycle",
     {{NULL, NULL}},
     NULL,
     "host;x-amz-content-sha256;x-amz-date",
     "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
    {"GET",
     URL "?max-keys=2&prefix=J",
     {{NULL, NULL}},
     NULL,
     "host;x-amz-content-sha256;x-amz-date",
     "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
    // The same in another order and spelling.
    {"GET",
     "https://EXAMPLEBUCKET.s3.amazonaws.com:443/?%70refix=%4a&max-keys=2",
     {{NULL, NULL}},
     NULL,
     "host;x-amz-content-sha256;x-amz-date",
     "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
    {"GET",
     URL "/%74est.txt",
     {{"RANGE", " \t bytes=0-9  "}},
     NULL,
     "host;range;x-amz-content-sha256;x-amz-date",
     "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
};

static void
documented(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(examples); i++) {
        struct http_url url;
        struct s3_lines lines;
        char hash[S3_HASH_SIZE];
        char want[512];
        const char *const body = examples[i].payload;
        assert_int_equal(http_url_parse(examples[i].url, &url, NULL), TESS_OK);
        s3_hash(body ? body : "", body ? strlen(body) : 0, hash);
        struct s3_request request = {.method = examples[i].method,
                                     .url = &url,
                                     .headers = examples[i].headers,
                                     .payload = body ? hash : NULL};
        while (request.nheaders < 2 && examples[i].headers[request.nheaders].name)
            request.nheaders++;
        assert_int_equal(s3_sign(&signer, &request, &lines, NULL), TESS_OK);
        assert_int_equal(lines.n, 3);
        snprintf(want, sizeof want, "x-amz-content-sha256: %s", hash);
        assert_text(lines.line[0], want);
        assert_text(lines.line[1], "x-amz-date: 20130524T000000Z");
        snprintf(want, sizeof want, "%s%s, Signature=%s", scope, examples[i].names,
                 examples[i].signature);
        assert_text(lines.line[2], want);
        s3_lines_finish(&lines);
        assert_int_equal(lines.n, 0);
        http_url_finish(&url);
    }
}

static void
presigned(void **state)
{
    struct http_url url;
    char *text;

    (void)state;
    assert_int_equal(http_url_parse(URL "/test.txt", &url, NULL), TESS_OK);
    const struct s3_request request = {.method = "GET", .url = &url};
    assert_int_equal(s3_presign(&signer, &request, 86400, &text, NULL), TESS_OK);
    assert_text_free(
        text,
        URL "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
            "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
            "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
            "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
    assert_int_equal(s3_presign(&signer, &request, 0, &text, NULL), TESS_ERR_ARG);
    assert_int_equal(s3_presign(&signer, &request, S3_EXPIRES_MAX + 1, &text, NULL), TESS_ERR_ARG);
    assert_null(text);
    http_url_finish(&url);
}

static void
tokens(void **state)
{
    const struct s3_keys session = {id, secret, token};
    const struct s3_signer with_token = {&session, NULL, NOW};
    struct http_url url;
    struct s3_lines lines;
    char want[512];

    (void)state;
    assert_int_equal(http_url_parse(URL "/", &url, NULL), TESS_OK);
    const struct s3_request request = {
        .method = "PUT", .url = &url, .payload = S3_UNSIGNED_PAYLOAD};
    assert_int_equal(s3_sign(&with_token, &request, &lines, NULL), TESS_OK);
    assert_int_equal(lines.n, 4);
    assert_text(lines.line[0], "x-amz-content-sha256: UNSIGNED-PAYLOAD");
    snprintf(want, sizeof want, "x-amz-security-token: %s", token);
    assert_text(lines.line[2], want);
    assert_non_null(strstr(lines.line[3], "/us-east-1/s3/"));
    assert_non_null(
        strstr(lines.line[3], "=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"));
    s3_lines_finish(&lines);
    http_url_finish(&url);
}

static void
anonymous(void **state)
{
    const struct s3_keys nobody = {NULL, NULL, NULL};
    const struct s3_signer unsigned_requests = {&nobody, NULL, NOW};
    struct http_url url;
    struct s3_lines lines;
    char *text;

    (void)state;
    assert_int_equal(http_url_parse(URL "/", &url, NULL), TESS_OK);
    const struct s3_request request = {.method = "GET", .url = &url};
    assert_int_equal(s3_sign(&unsigned_requests, &request, &lines, NULL), TESS_OK);
    assert_int_equal(lines.n, 0);
    assert_int_equal(s3_presign(&unsigned_requests, &request, 60, &text, NULL), TESS_ERR_ARG);
    http_url_finish(&url);
}

static void
refused(void **state)
{
    static char empty[] = "", line[] = "a\nb", blank[] = "a b", high[] = "a\xff";
    const struct {
        const char *why;
        struct s3_keys keys;
        const char *region;
        int64_t now;
        const char *method;
        struct s3_header header;
    } bads[] = {
        {"no secret", {id, NULL, NULL}, NULL, NOW, "GET", {"a", "b"}},
        {"an empty ID", {empty, secret, NULL}, NULL, NOW, "GET", {"a", "b"}},
        {"an empty secret", {id, empty, NULL}, NULL, NOW, "GET", {"a", "b"}},
        {"a line end in the ID", {line, secret, NULL}, NULL, NOW, "GET", {"a", "b"}},
        {"a blank in the secret", {id, blank, NULL}, NULL, NOW, "GET", {"a", "b"}},
        {"a token beyond ASCII", {id, secret, high}, NULL, NOW, "GET", {"a", "b"}},
        {"a region with a slash", {id, secret, NULL}, "a/b", NOW, "GET", {"a", "b"}},
        {"a time before 1970", {id, secret, NULL}, NULL, -1, "GET", {"a", "b"}},
        {"the year 10000", {id, secret, NULL}, NULL, 253402300800, "GET", {"a", "b"}},
        {"a time beyond all", {id, secret, NULL}, NULL, INT64_MAX, "GET", {"a", "b"}},
        {"a method with a blank", {id, secret, NULL}, NULL, NOW, "GET /", {"a", "b"}},
        {"no method", {id, secret, NULL}, NULL, NOW, "", {"a", "b"}},
        {"a header with a colon", {id, secret, NULL}, NULL, NOW, "GET", {"a:", "b"}},
        {"a header without a name", {id, secret, NULL}, NULL, NOW, "GET", {"", "b"}},
        {"a header of two lines", {id, secret, NULL}, NULL, NOW, "GET", {"a", "b\r\nc: d"}},
    };
    struct http_url url;

    (void)state;
    assert_int_equal(http_url_parse(URL "/", &url, NULL), TESS_OK);
    for (size_t i = 0; i < COUNT(bads); i++) {
        const struct s3_signer s = {&bads[i].keys, bads[i].region, bads[i].now};
        const struct s3_request request = {
            .method = bads[i].method, .url = &url, .headers = &bads[i].header, .nheaders = 1};
        struct s3_lines lines;
        char *text;
        tess_error err = {0};
        if (s3_sign(&s, &request, &lines, &err) != TESS_ERR_ARG)
            fail_msg("%s: not refused", bads[i].why);
        assert_int_equal(lines.n, 0);
        assert_null(strstr(err.message, "wJal"));
        assert_int_equal(s3_presign(&s, &request, 60, &text, NULL), TESS_ERR_ARG);
        assert_null(text);
    }
    http_url_finish(&url);
}

// The last second that can be written, and headers that are there twice: in the order given.
static void
edges(void **state)
{
    static const struct s3_header twice[] = {{"b", "2"}, {"a", "x"}, {"B", "1"}};
    static const struct s3_header joined[] = {{"a", "x"}, {"b", "2,1"}};
    const struct s3_signer late = {&keys, NULL, 253402300799};
    struct http_url url;
    struct s3_lines first, second;

    (void)state;
    assert_int_equal(http_url_parse(URL "/", &url, NULL), TESS_OK);
    struct s3_request request = {.method = "GET", .url = &url, .headers = twice, .nheaders = 3};
    assert_int_equal(s3_sign(&late, &request, &first, NULL), TESS_OK);
    assert_text(first.line[1], "x-amz-date: 99991231T235959Z");
    request.headers = joined;
    request.nheaders = 2;
    assert_int_equal(s3_sign(&late, &request, &second, NULL), TESS_OK);
    assert_text(first.line[2], second.line[2]);
    s3_lines_finish(&first);
    s3_lines_finish(&second);
    http_url_finish(&url);
}

// A NUL that is encoded is a byte of the key, and does not end what is signed.
static void
encoded_nuls(void **state)
{
    static const char *const texts[] = {URL "/a%00b?c%00d", URL "/a%00c?c%00d", URL "/a%00b?c%00e"};
    char *line[COUNT(texts)];

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct http_url url;
        struct s3_lines lines;
        assert_int_equal(http_url_parse(texts[i], &url, NULL), TESS_OK);
        const struct s3_request request = {.method = "GET", .url = &url};
        assert_int_equal(s3_sign(&signer, &request, &lines, NULL), TESS_OK);
        line[i] = strdup(lines.line[2]);
        assert_non_null(line[i]);
        s3_lines_finish(&lines);
        http_url_finish(&url);
    }
    assert_string_not_equal(line[0], line[1]);
    assert_string_not_equal(line[0], line[2]);
    for (size_t i = 0; i < COUNT(texts); i++)
        free(line[i]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documented),   cmocka_unit_test(presigned), cmocka_unit_test(tokens),
        cmocka_unit_test(anonymous),    cmocka_unit_test(refused),   cmocka_unit_test(edges),
        cmocka_unit_test(encoded_nuls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
