/*
 * memory.c - each allocation of lib/http fails in turn: TESS_ERR_NOMEM, nothing is left, and the
 * same call succeeds when there is memory.
 *
 * Linked with wrappers of malloc() and its like (--wrap). The leak detector tells what is left.
 */
#include "base/text.h"
#include "http/http.h"
#include "s3/answer.h"
#include "s3/credentials.h"
#include "s3/profile.h"
#include "s3/sign.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);

static long until = -1; // allocations that succeed before one fails; negative: all do

static bool
fails(void)
{
    return until >= 0 && until-- == 0;
}

void *
__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

char *
__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

char *
__wrap_strndup(const char *text, size_t size)
{
    return fails() ? NULL : __real_strndup(text, size);
}

static tess_status
sign_and_presign(const struct http_url *url, tess_error *err)
{
    static char id[] = "id", secret[] = "secret", token[] = "token";
    static const struct s3_header headers[] = {{"x-amz-acl", "private"}};
    const struct s3_keys keys = {id, secret, token};
    const struct s3_signer signer = {&keys, NULL, 0};
    const struct s3_request request = {
        .method = "GET", .url = url, .headers = headers, .nheaders = 1};
    struct s3_lines lines;
    char *text = NULL;

    tess_status st = s3_sign(&signer, &request, &lines, err);
    assert_int_equal(lines.n, st == TESS_OK ? 4 : 0);
    s3_lines_finish(&lines);
    if (st == TESS_OK)
        st = s3_presign(&signer, &request, 60, &text, err);
    http_free_secret(text);
    return st;
}

static tess_status
addresses(tess_error *err)
{
    static const struct s3_place place = {"http://u.example/base", "eu-west-1", S3_STYLE_VIRTUAL};
    struct s3_address address;
    struct http_url url;

    tess_status st = s3_address_parse("s3://bucket/a b?c", &address, err);
    if (st == TESS_OK)
        st = s3_address_url(&address, &place, "b=2&a=1&c", &url, err);
    s3_address_finish(&address);
    if (st != TESS_OK)
        return st;
    st = sign_and_presign(&url, err);
    http_url_finish(&url);
    return st;
}

static tess_status
urls(tess_error *err)
{
    struct http_url url;
    const tess_status st = http_url_parse("http://u:p@h/a b?c d", &url, err);

    http_url_finish(&url);
    return st;
}

static const char *
lookup(void *user, const char *name)
{
    (void)user;
    return strcmp(name, "AWS_REGION") == 0              ? "eu-west-1"
           : strcmp(name, "AWS_ACCESS_KEY_ID") == 0     ? "id"
           : strcmp(name, "AWS_SECRET_ACCESS_KEY") == 0 ? "secret"
           : strcmp(name, "AWS_SESSION_TOKEN") == 0     ? "token"
           : strcmp(name, "AWS_ENDPOINT_URL") == 0      ? "http://h"
           : strcmp(name, "HOME") == 0                  ? "/nowhere"
                                                        : NULL;
}

static tess_status
settings(tess_error *err)
{
    struct s3_config config;
    const tess_status st = s3_config_load(lookup, NULL, &config, err);

    assert_int_equal(config.keys.id != NULL, st == TESS_OK);
    s3_config_finish(&config);
    return st;
}

static tess_status
profiles(tess_error *err)
{
    static const char text[] = "[default]\nregion = x\ns3 =\n a = b\n";
    struct s3_profiles p;
    const tess_status st = s3_profiles_parse(text, strlen(text), &p, err);

    s3_profiles_finish(&p);
    return st;
}

static tess_status
answers(tess_error *err)
{
    static const char text[] = "<InitiateMultipartUploadResult><UploadId>x</UploadId>"
                               "</InitiateMultipartUploadResult>";
    static const char *const etags[] = {"a", "b", "c", "d", "e", "f", "g"};
    char *id, *body;
    size_t size;

    tess_status st = s3_answer_upload_id(text, strlen(text), &id, err);
    free(id);
    if (st != TESS_OK)
        return st;
    st = s3_request_complete(etags, COUNT(etags), &body, &size, err);
    assert_int_equal(size > 0, st == TESS_OK);
    free(body);
    return st;
}

static void
each_allocation_fails(void **state)
{
    tess_status (*const calls[])(tess_error * err) = {urls, addresses, settings, profiles, answers};

    (void)state;
    for (size_t i = 0; i < COUNT(calls); i++) {
        tess_error err = {0};
        assert_int_equal(calls[i](&err), TESS_OK);
        long n = 0;
        for (bool failed = true; failed; n++) {
            until = n;
            const tess_status st = calls[i](&err);
            failed = until < 0; // an allocation failed
            until = -1;
            if (st != (failed ? TESS_ERR_NOMEM : TESS_OK))
                fail_msg("call %zu, allocation %ld: status %d", i, n, (int)st);
        }
        assert_true(n > 1);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
