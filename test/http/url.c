/*
 * url.c - tests of http/address/url and http/address/s3.
 */
#include "address/url.h"
#include "address/s3.h"
#include "http/http.h"

static const struct {
    const char *text;
    const char *sent, *shown, *host, *userinfo;
} goods[] = {
    {"http://h", "http://h/", "http://h/", "h", NULL},
    {"HTTPS://Example.ORG/A%2fb?q=1#part", "https://example.org/A%2fb?q=1",
     "https://example.org/A%2fb", "example.org", NULL},
    {"https://h:443/", "https://h:443/", "https://h:443/", "h", NULL},
    {"http://h:443/", "http://h:443/", "http://h:443/", "h:443", NULL},
    {"http://h:/x", "http://h/x", "http://h/x", "h", NULL},
    {"http://h?", "http://h/?", "http://h/", "h", NULL},
    {"http://h#f?", "http://h/", "http://h/", "h", NULL},
    {"http://u:p%40ss@h:8080/x?y", "http://h:8080/x?y", "http://h:8080/x", "h:8080", "u:p%40ss"},
    {"http://@h/", "http://h/", "http://h/", "h", ""},
    {"http://[::1]:9000/x", "http://[::1]:9000/x", "http://[::1]:9000/x", "[::1]:9000", NULL},
    {"http://[2001:DB8::1]", "http://[2001:db8::1]/", "http://[2001:db8::1]/", "[2001:db8::1]",
     NULL},
    {"http://127.0.0.1/", "http://127.0.0.1/", "http://127.0.0.1/", "127.0.0.1", NULL},
    {"http://h/a b\"<>\\^`{|}", "http://h/a%20b%22%3C%3E%5C%5E%60%7B%7C%7D",
     "http://h/a%20b%22%3C%3E%5C%5E%60%7B%7C%7D", "h", NULL},
    {"http://h/\xc3\xa4?\xff", "http://h/%C3%A4?%FF", "http://h/%C3%A4", "h", NULL},
    {"http://h/a/../b//./c", "http://h/a/../b//./c", "http://h/a/../b//./c", "h", NULL},
    {"http://h/a?b?c/d=e&f", "http://h/a?b?c/d=e&f", "http://h/a", "h", NULL},
    {"http://h/a[0]?b[1]", "http://h/a%5B0%5D?b%5B1%5D", "http://h/a%5B0%5D", "h", NULL},
};

static void
parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(goods); i++) {
        struct http_url url;
        tess_error err = {0};
        if (http_url_parse(goods[i].text, &url, &err) != TESS_OK)
            fail_msg("%s: %s", goods[i].text, err.message);
        assert_text_free(http_url_text(&url), goods[i].sent);
        assert_text_free(http_url_shown(&url), goods[i].shown);
        assert_text_free(http_url_host(&url), goods[i].host);
        assert_text(url.userinfo, goods[i].userinfo);
        http_url_finish(&url);
        assert_null(url.host);
    }
}

static const struct {
    const char *why, *text;
} bads[] = {
    {"nothing", ""},
    {"no scheme", "://h/"},
    {"a digit first", "1http://h/"},
    {"no authority", "http:/h/"},
    {"a file", "/tmp/x"},
    {"no host", "http:///x"},
    {"no host but a port", "http://:80/"},
    {"no host but a user", "http://u@/"},
    {"two @", "http://u@v@h/"},
    {"a bracket in the user", "http://[u]@h/"},
    {"a blank in the host", "http://a b/"},
    {"a host beyond ASCII", "http://\xc3\xa4/"},
    {"an encoded host", "http://%61/"},
    {"a backslash in the host", "http://h\\@g/"},
    {"a dot in front of the host", "http://.h/"},
    {"IPv6 that is none", "http://[::g]/"},
    {"IPv6 without an end", "http://[::1/"},
    {"IPv6 with something behind it", "http://[::1]x/"},
    {"IPv6 with a zone", "http://[fe80::1%25eth0]/"},
    {"IPv6 without brackets", "http://::1/"},
    {"port 0", "http://h:0/"},
    {"port 65536", "http://h:65536/"},
    {"a port beyond int", "http://h:99999999999999999999/"},
    {"a negative port", "http://h:-1/"},
    {"a port of letters", "http://h:x/"},
    {"a line end in the path", "http://h/a\r\nHost: g"},
    {"a line end in the host", "http://h\r\nx/"},
    {"a tab in the query", "http://h/?\t"},
    {"DEL", "http://h/\x7f"},
    {"% at the end", "http://h/%"},
    {"% and one digit", "http://h/%1"},
    {"% and letters", "http://h/?%zz"},
    {"% in the user", "http://u%@h/"},
};

static void
refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bads); i++) {
        struct http_url url;
        tess_error err = {0};
        if (http_url_parse(bads[i].text, &url, &err) != TESS_ERR_ARG)
            fail_msg("%s: not refused", bads[i].why);
        assert_int_equal(err.status, TESS_ERR_ARG);
        assert_true(err.message[0] != '\0');
        assert_null(url.scheme);
        assert_int_equal(http_url_parse(bads[i].text, &url, NULL), TESS_ERR_ARG);
    }
}

static void
secrets_are_not_shown(void **state)
{
    struct http_url url;
    tess_error err = {0};

    (void)state;
    assert_int_equal(http_url_parse("http://u:hunter2@h:x/?hunter2", &url, &err), TESS_ERR_ARG);
    assert_null(strstr(err.message, "hunter2"));
    assert_int_equal(http_url_parse("http://u:hunter2%@h/", &url, &err), TESS_ERR_ARG);
    assert_null(strstr(err.message, "hunter2"));
}

static void
long_urls(void **state)
{
    enum { LIMIT = 1 << 16 };
    char *const text = malloc(LIMIT + 2);
    struct http_url url;

    (void)state;
    assert_non_null(text);
    memset(text, 'a', LIMIT + 1);
    memcpy(text, "http://h/", 9);
    text[LIMIT] = '\0';
    assert_int_equal(http_url_parse(text, &url, NULL), TESS_OK);
    assert_text_free(http_url_text(&url), text);
    http_url_finish(&url);
    text[LIMIT] = 'a';
    text[LIMIT + 1] = '\0';
    assert_int_equal(http_url_parse(text, &url, NULL), TESS_ERR_LIMIT);
    free(text);
}

static const struct {
    const char *text, *bucket, *key;
} addresses[] = {
    {"s3://bucket/key", "bucket", "key"},
    {"s3://bucket/a/b?versionId=1#x%20", "bucket", "a/b?versionId=1#x%20"},
    {"s3://bucket//a//", "bucket", "/a//"},
    {"s3://bucket/", "bucket", ""},
    {"s3://bucket", "bucket", ""},
    {"s3://my.bucket-1_X/\xc3\xa4\n", "my.bucket-1_X", "\xc3\xa4\n"},
};

static const struct {
    const char *text;
    tess_status status;
} no_addresses[] = {
    {"", TESS_ERR_ARG},
    {"s3:bucket/key", TESS_ERR_ARG},
    {"S3://bucket/key", TESS_ERR_ARG},
    {"s3:///key", TESS_ERR_ARG},
    {"s3://bu cket/key", TESS_ERR_ARG},
    {"s3://bucket?x/key", TESS_ERR_ARG},
    {"s3://b@evil.example/key", TESS_ERR_ARG},
    {"s3://../key", TESS_ERR_ARG},
    {"s3://arn:aws:s3:us-west-2:1:accesspoint/name/key", TESS_ERR_UNSUPPORTED},
};

static void
s3_addresses(void **state)
{
    struct s3_address address;

    (void)state;
    for (size_t i = 0; i < COUNT(addresses); i++) {
        assert_int_equal(s3_address_parse(addresses[i].text, &address, NULL), TESS_OK);
        assert_text(address.bucket, addresses[i].bucket);
        assert_text(address.key, addresses[i].key);
        s3_address_finish(&address);
    }
    for (size_t i = 0; i < COUNT(no_addresses); i++) {
        tess_error err = {0};
        if (s3_address_parse(no_addresses[i].text, &address, &err) != no_addresses[i].status)
            fail_msg("%s: not refused", no_addresses[i].text);
        assert_null(address.bucket);
    }
}

#define AUTO S3_STYLE_AUTO
#define VIRTUAL S3_STYLE_VIRTUAL
#define PATH S3_STYLE_PATH

static const struct {
    const char *address;
    struct s3_place place;
    const char *query;
    const char *url; // NULL: refused
} places[] = {
    {"s3://bucket/key", {NULL, NULL, AUTO}, NULL, "https://bucket.s3.amazonaws.com/key"},
    {"s3://bucket/key",
     {NULL, "eu-central-1", AUTO},
     NULL,
     "https://bucket.s3.eu-central-1.amazonaws.com/key"},
    {"s3://bucket/key",
     {NULL, "cn-north-1", AUTO},
     "uploads=",
     "https://bucket.s3.cn-north-1.amazonaws.com.cn/key?uploads="},
    {"s3://bucket/key",
     {NULL, "us-east-1", PATH},
     NULL,
     "https://s3.us-east-1.amazonaws.com/bucket/key"},
    // A certificate for *.s3.amazonaws.com is none for names with dots; others cannot be names.
    {"s3://my.bucket/key",
     {NULL, "us-east-1", AUTO},
     NULL,
     "https://s3.us-east-1.amazonaws.com/my.bucket/key"},
    {"s3://my.bucket/key",
     {NULL, "us-east-1", VIRTUAL},
     NULL,
     "https://my.bucket.s3.us-east-1.amazonaws.com/key"},
    {"s3://Big_Bucket/key",
     {NULL, "us-east-1", AUTO},
     NULL,
     "https://s3.us-east-1.amazonaws.com/Big_Bucket/key"},
    {"s3://Big_Bucket/key", {NULL, "us-east-1", VIRTUAL}, NULL, NULL},
    {"s3://ab/key", {NULL, NULL, AUTO}, NULL, "https://s3.amazonaws.com/ab/key"},
    {"s3://bucket/key",
     {"http://localhost:9000", NULL, AUTO},
     NULL,
     "http://localhost:9000/bucket/key"},
    {"s3://bucket/key",
     {"http://localhost:9000/", NULL, VIRTUAL},
     NULL,
     "http://bucket.localhost:9000/key"},
    {"s3://bucket/key",
     {"https://h/base/dir//", NULL, AUTO},
     NULL,
     "https://h/base/dir/bucket/key"},
    {"s3://bucket/key", {"https://[::1]:1/", NULL, AUTO}, NULL, "https://[::1]:1/bucket/key"},
    {"s3://bucket/key", {"https://[::1]:1/", NULL, VIRTUAL}, NULL, NULL},
    {"s3://bucket/key", {"https://10.0.0.1", NULL, VIRTUAL}, NULL, NULL},
    {"s3://bucket/key", {"ftp://h/", NULL, AUTO}, NULL, NULL},
    {"s3://bucket/key", {"https://h/?x=1", NULL, AUTO}, NULL, NULL},
    {"s3://bucket/key", {"https://u:p@h/", NULL, AUTO}, NULL, NULL},
    {"s3://bucket/key", {"h:9000", NULL, AUTO}, NULL, NULL},
    {"s3://bucket/key", {NULL, "evil.example/", AUTO}, NULL, NULL},
    {"s3://bucket/key", {NULL, "", AUTO}, NULL, NULL},
    {"s3://bucket", {NULL, NULL, PATH}, "uploads=", "https://s3.amazonaws.com/bucket?uploads="},
    {"s3://bucket", {NULL, NULL, AUTO}, NULL, "https://bucket.s3.amazonaws.com/"},
    {"s3://bucket//a/../b?c=d+e%2F~ \xc3\xa4*'()",
     {NULL, NULL, AUTO},
     NULL,
     "https://bucket.s3.amazonaws.com//a/../b%3Fc%3Dd%2Be%252F~%20%C3%A4%2A%27%28%29"},
};

static void
s3_urls(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        struct s3_address address;
        struct http_url url;
        tess_error err = {0};
        assert_int_equal(s3_address_parse(places[i].address, &address, NULL), TESS_OK);
        const tess_status st =
            s3_address_url(&address, &places[i].place, places[i].query, &url, &err);
        if ((st == TESS_OK) != (places[i].url != NULL))
            fail_msg("case %zu: %s", i, st == TESS_OK ? url.host : err.message);
        if (st == TESS_OK)
            assert_text_free(http_url_text(&url), places[i].url);
        else
            assert_int_equal(st, TESS_ERR_ARG);
        http_url_finish(&url);
        s3_address_finish(&address);
    }
}

static void
queries(void **state)
{
    static const struct s3_parameter parameters[] = {
        {"uploads", ""}, {"uploadId", "a+b/c=d~"}, {"x y", "\xc3\xa4"}};

    (void)state;
    assert_text_free(s3_query(parameters, 3), "uploads=&uploadId=a%2Bb%2Fc%3Dd~&x%20y=%C3%A4");
    assert_text_free(s3_query(parameters, 0), "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),     cmocka_unit_test(refused),
        cmocka_unit_test(long_urls), cmocka_unit_test(secrets_are_not_shown),
        cmocka_unit_test(s3_urls),   cmocka_unit_test(s3_addresses),
        cmocka_unit_test(queries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
