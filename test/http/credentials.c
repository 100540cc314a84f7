/*
 * credentials.c - tests of http/s3/credentials and http/s3/profile: words of messages, limits, and
 * what is not in botocore. botocore.py compares what counts first.
 */
#include "s3/credentials.h"
#include "http/http.h"
#include "s3/profile.h"

#include <sys/stat.h>
#include <unistd.h>

// An environment as a list that ends with NULL: name, value, name, ...
static const char *
lookup(void *user, const char *name)
{
    for (const char *const *at = user; *at; at += 2)
        if (strcmp(at[0], name) == 0)
            return at[1];
    return NULL;
}

static char folder[] = "/tmp/tessera-http-XXXXXX";
static char file[sizeof folder + 10];

static void
write_file(const char *bytes, size_t size)
{
    FILE *const out = fopen(file, "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static tess_status
load(const char *text, struct s3_config *config, tess_error *err)
{
    const char *const env[] = {"AWS_CONFIG_FILE", file, NULL};

    write_file(text, strlen(text));
    return s3_config_load(lookup, (void *)(uintptr_t)env, config, err);
}

static int
set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/config", folder);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    unlink(file);
    return rmdir(folder);
}

static void
nothing_is_anonymous(void **state)
{
    const char *const env[] = {"HOME", "/nowhere", "AWS_ACCESS_KEY_ID", "", "AWS_PROFILE",
                               "",     NULL};
    const char *const none[] = {NULL};
    struct s3_config config;

    (void)state;
    for (int i = 0; i < 2; i++) {
        void *const user = (void *)(uintptr_t)(i ? env : none);
        assert_int_equal(s3_config_load(lookup, user, &config, NULL), TESS_OK);
        assert_null(config.keys.id);
        assert_null(config.region);
        assert_null(config.endpoint);
        assert_int_equal(config.style, S3_STYLE_AUTO);
        s3_config_finish(&config);
    }
}

static void
regions_of_the_environment(void **state)
{
    const char *const env[] = {"AWS_DEFAULT_REGION", "eu-west-1", "AWS_REGION", "eu-west-2", NULL};
    struct s3_config config;

    (void)state;
    assert_int_equal(s3_config_load(lookup, (void *)(uintptr_t)env, &config, NULL), TESS_OK);
    assert_text(config.region, "eu-west-2");
    s3_config_finish(&config);
    assert_null(config.region);
}

#define SECRET "hunter2"
#define KEYS "aws_access_key_id = " SECRET "\naws_secret_access_key = " SECRET "\n"

static const struct {
    const char *why, *text;
    tess_status status;
    const char *message;
} bads[] = {
    {"a key in front of sections", KEYS, TESS_ERR_ARG, "line 1: "},
    {"no key", "[default]\n" KEYS SECRET "\n", TESS_ERR_ARG, "line 4: "},
    {"no name of a key", "[default]\n= " SECRET "\n", TESS_ERR_ARG, "line 2: "},
    {"a section twice", "[default]\n\n[default]\n" KEYS, TESS_ERR_ARG, "line 3: the same section"},
    {"a key twice", "[default]\n" KEYS "AWS_access_key_id=" SECRET "\n", TESS_ERR_ARG,
     "line 4: the same key as in line 2"},
    {"an inner key twice", "[default]\ns3=\n a=1\n a=2\n", TESS_ERR_ARG, "line 4: the same key"},
    {"inside a value no key", "[default]\ns3=\n " SECRET "\n", TESS_ERR_ARG, "line 3: "},
    {"one key of two", "[default]\naws_access_key_id=" SECRET "\n", TESS_ERR_ARG,
     "no aws_secret_access_key"},
    {"a key of two lines", "[default]\n" KEYS "  " SECRET "\n", TESS_ERR_ARG,
     "aws_secret_access_key must be one line"},
    {"no such services", "[default]\nservices=x\n", TESS_ERR_ARG, "services x"},
    {"no such style", "[default]\ns3=\n addressing_style=" SECRET "\n", TESS_ERR_ARG,
     "addressing_style"},
    {"a role", "[default]\nrole_arn=x\n" KEYS, TESS_ERR_UNSUPPORTED, "role_arn"},
    {"SSO", "[default]\nsso_session=x\n", TESS_ERR_UNSUPPORTED, "SSO"},
    {"a process", "[default]\ncredential_process=" SECRET "\n", TESS_ERR_UNSUPPORTED,
     "credential_process"},
};

static void
refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bads); i++) {
        struct s3_config config;
        tess_error err = {0};
        if (load(bads[i].text, &config, &err) != bads[i].status)
            fail_msg("%s: not refused", bads[i].why);
        if (!strstr(err.message, bads[i].message))
            fail_msg("%s: %s", bads[i].why, err.message);
        if (strstr(err.message, SECRET))
            fail_msg("%s: the message shows a secret: %s", bads[i].why, err.message);
        assert_null(config.keys.id);
    }
}

static void
limits(void **state)
{
    char *const text = malloc(S3_PROFILES_MAX + 2);
    struct s3_config config;
    tess_error err;

    (void)state;
    assert_non_null(text);
    memset(text, '\n', S3_PROFILES_MAX + 1);
    text[S3_PROFILES_MAX] = '\0';
    memcpy(text, "[default]\nregion=x", 18);
    assert_int_equal(load(text, &config, &err), TESS_OK);
    assert_text(config.region, "x");
    s3_config_finish(&config);
    text[S3_PROFILES_MAX] = '\n';
    text[S3_PROFILES_MAX + 1] = '\0';
    assert_int_equal(load(text, &config, &err), TESS_ERR_LIMIT);
    free(text);

    struct s3_profiles profiles;
    assert_int_equal(s3_profiles_parse("[a]\nb=c\0d\n", 10, &profiles, &err), TESS_ERR_ARG);
    assert_int_equal(s3_profiles_parse("", 0, &profiles, &err), TESS_OK);
    assert_null(s3_profiles_section(&profiles, NULL, "default"));
    s3_profiles_finish(&profiles);
}

// Many sections and keys, which must not take the time of their square.
static void
many_entries(void **state)
{
    enum { N = 60000 };
    char *const text = malloc(S3_PROFILES_MAX);
    struct s3_profiles profiles;
    size_t size = 0;

    (void)state;
    assert_non_null(text);
    for (int i = 0; i < N; i++)
        size += (size_t)sprintf(text + size, i % 2 ? "k%d=v\n" : "[s%d]\n", i % 100 ? i : -i);
    assert_true(size < S3_PROFILES_MAX);
    assert_int_equal(s3_profiles_parse(text, size, &profiles, NULL), TESS_OK);
    bool whole;
    assert_text(s3_profiles_get(&profiles, "s4242", "k4243", NULL, &whole), "v");
    assert_true(whole);
    assert_null(s3_profiles_get(&profiles, "s4242", "k4245", NULL, &whole));
    s3_profiles_finish(&profiles);
    free(text);
}

// What is no regular file is passed over, and is not waited for.
static void
other_files(void **state)
{
    const char *const env[] = {"AWS_CONFIG_FILE", file, NULL};
    struct s3_config config;

    (void)state;
    unlink(file);
    assert_int_equal(mkfifo(file, 0600), 0);
    assert_int_equal(s3_config_load(lookup, (void *)(uintptr_t)env, &config, NULL), TESS_OK);
    unlink(file);
    assert_int_equal(mkdir(file, 0700), 0);
    assert_int_equal(s3_config_load(lookup, (void *)(uintptr_t)env, &config, NULL), TESS_OK);
    assert_int_equal(rmdir(file), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_anonymous),
        cmocka_unit_test(regions_of_the_environment),
        cmocka_unit_test(refused),
        cmocka_unit_test(limits),
        cmocka_unit_test(many_entries),
        cmocka_unit_test(other_files),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
