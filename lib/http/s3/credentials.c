/*
 * credentials.c - keys, region and endpoint of S3, from the environment and from ~/.aws.
 */
#include "s3/credentials.h"
#include "base/error.h"
#include "base/text.h"
#include "s3/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MAX_SHOWN = 80 };

// A file, and the section in it that is the profile.
struct file {
    struct s3_profiles profiles;
    const char *section; // NULL: not there
};

struct sources {
    s3_lookup_fn *lookup;
    void *user;
    char *profile; // NULL: none was asked for
    struct file credentials, config;
};

// A variable that is set and not empty, or NULL.
static const char *
variable(const struct sources *s, const char *name)
{
    const char *const value = s->lookup(s->user, name);

    return value && value[0] ? value : NULL;
}

// A copy of the value in *out, which was NULL.
static tess_status
copy(const char *value, char **out, tess_error *err)
{
    *out = value ? strdup(value) : NULL;
    return !value || *out ? TESS_OK : http_fail_memory(err);
}

// The path that `name` has, else the usual one; *path NULL: there is no home.
static tess_status
file_path(const struct sources *s, const char *name, const char *usual, char **path,
          tess_error *err)
{
    const char *const given = variable(s, name);
    struct http_text text = {0};

    *path = NULL;
    if (!given || strcmp(given, "~") == 0 || strncmp(given, "~/", 2) == 0) {
        char *const tail = strdup(given ? given + 1 : usual); // the lookup may end its life
        const char *const home = tail ? variable(s, "HOME") : NULL;
        if (home) {
            http_text_string(&text, home);
            http_text_string(&text, tail);
        }
        free(tail);
        if (!home)
            return tail ? TESS_OK : http_fail_memory(err);
    } else {
        http_text_string(&text, given);
    }
    *path = http_text_take(&text);
    return *path ? TESS_OK : http_fail_memory(err);
}

// All bytes of an open file, up to one more than are allowed; wiped and freed by the caller.
static tess_status
read_all(int fd, char *bytes, size_t room, size_t *size, tess_error *err)
{
    ssize_t n;

    *size = 0;
    while (*size < room) {
        n = read(fd, bytes + *size, room - *size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return http_fail_sys(err, errno, "cannot read");
        if (n == 0)
            break;
        *size += (size_t)n;
    }
    return TESS_OK;
}

static tess_status
read_file(int fd, struct s3_profiles *profiles, tess_error *err)
{
    const size_t room = S3_PROFILES_MAX + 1;
    char *const bytes = malloc(room);
    size_t size;

    if (!bytes)
        return http_fail_memory(err);
    tess_status st = read_all(fd, bytes, room, &size, err);
    if (st == TESS_OK)
        st = s3_profiles_parse(bytes, size, profiles, err);
    explicit_bzero(bytes, size);
    free(bytes);
    return st;
}

// What is no file is as one that is not there: /dev/null, a directory.
static tess_status
open_file(const char *path, struct s3_profiles *profiles, tess_error *err)
{
    struct stat status;
    tess_status st = TESS_OK;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0) {
        const int why = errno;
        if (why == ENOENT || why == ENOTDIR || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
            return TESS_OK;
        return http_fail_sys(err, why, "cannot open");
    }
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        st = read_file(fd, profiles, err);
    close(fd);
    return st;
}

// Puts the path in front of a message.
static tess_status
name_file(const char *path, tess_status st, tess_error *err)
{
    if (err && st != TESS_OK && st != TESS_ERR_NOMEM) {
        char tail[TESS_ERROR_MESSAGE_SIZE];
        memcpy(tail, err->message, sizeof tail);
        snprintf(err->message, sizeof err->message, "%.150s: %.150s", path, tail);
    }
    return st;
}

static tess_status
load_file(const struct sources *s, const char *name, const char *usual, struct file *file,
          tess_error *err)
{
    char *path;
    tess_status st = file_path(s, name, usual, &path, err);

    if (st == TESS_OK && path)
        st = name_file(path, open_file(path, &file->profiles, err), err);
    free(path);
    return st;
}

static const char *
get(const struct file *file, const char *key, const char *inner, bool *whole)
{
    *whole = true;
    return file->section ? s3_profiles_get(&file->profiles, file->section, key, inner, whole)
                         : NULL;
}

static bool
has(const struct file *file, const char *key)
{
    bool whole;

    return get(file, key, NULL, &whole) != NULL;
}

// A value of one line as a copy in *out; NULL: it is not there.
static tess_status
get_copy(const struct file *file, const char *key, const char *inner, char **out, tess_error *err)
{
    bool whole;
    const char *const value = get(file, key, inner, &whole);

    *out = NULL;
    if (value && !whole)
        return http_fail(err, TESS_ERR_ARG, "the profile's %s must be one line",
                         inner ? inner : key);
    return copy(value, out, err);
}

// The same of the profile, wherever it is: what the file of credentials says counts first.
static tess_status
profile_copy(const struct sources *s, const char *key, const char *inner, char **out,
             tess_error *err)
{
    const struct file *const file = has(&s->credentials, key) ? &s->credentials : &s->config;

    return get_copy(file, key, inner, out, err);
}

static bool
profile_has(const struct sources *s, const char *key)
{
    return has(&s->credentials, key) || has(&s->config, key);
}

static tess_status
sources_load(struct sources *s, tess_error *err)
{
    const char *const old_name = variable(s, "AWS_DEFAULT_PROFILE");
    tess_status st = copy(old_name ? old_name : variable(s, "AWS_PROFILE"), &s->profile, err);

    if (st == TESS_OK)
        st = load_file(s, "AWS_SHARED_CREDENTIALS_FILE", "/.aws/credentials", &s->credentials, err);
    if (st == TESS_OK)
        st = load_file(s, "AWS_CONFIG_FILE", "/.aws/config", &s->config, err);
    if (st != TESS_OK)
        return st;
    const char *const name = s->profile ? s->profile : "default";
    s->credentials.section = s3_profiles_section(&s->credentials.profiles, NULL, name);
    s->config.section = s3_profiles_section(&s->config.profiles, "profile", name);
    if (s->profile && !s->credentials.section && !s->config.section)
        return http_fail(err, TESS_ERR_NOT_FOUND, "there is no profile %.*s (AWS_PROFILE)",
                         (int)NAME_MAX_SHOWN, s->profile);
    return TESS_OK;
}

static void
sources_finish(struct sources *s)
{
    free(s->profile);
    s3_profiles_finish(&s->credentials.profiles);
    s3_profiles_finish(&s->config.profiles);
}

static tess_status
keys_of_environment(const struct sources *s, struct s3_keys *keys, tess_error *err)
{
    tess_status st = copy(variable(s, "AWS_ACCESS_KEY_ID"), &keys->id, err);

    if (st != TESS_OK || !keys->id)
        return st;
    st = copy(variable(s, "AWS_SECRET_ACCESS_KEY"), &keys->secret, err);
    if (st == TESS_OK && !keys->secret)
        return http_fail(err, TESS_ERR_ARG,
                         "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not");
    if (st == TESS_OK) {
        const char *const old = variable(s, "AWS_SECURITY_TOKEN");
        st = copy(old ? old : variable(s, "AWS_SESSION_TOKEN"), &keys->token, err);
    }
    return st;
}

// What a profile says that its keys have to be fetched, in the order in which botocore asks.
static const struct {
    const char *key;
    bool before_keys; // counts even where the file of credentials has keys
    const char *what;
} fetched[] = {
    {"role_arn", true, "a role (role_arn)"},
    {"web_identity_token_file", true, "a role (web_identity_token_file)"},
    {"sso_session", true, "SSO"},
    {"sso_start_url", true, "SSO"},
    {"login_session", false, "a login (login_session)"},
    {"credential_process", false, "a process (credential_process)"},
};

static tess_status
refuse_fetched(const struct sources *s, bool before_keys, tess_error *err)
{
    for (size_t i = 0; i < sizeof fetched / sizeof *fetched; i++)
        if (fetched[i].before_keys == before_keys && profile_has(s, fetched[i].key))
            return http_fail(err, TESS_ERR_UNSUPPORTED,
                             "the profile takes its keys from %s, which is not supported: put keys "
                             "into the environment (aws configure export-credentials --format env)",
                             fetched[i].what);
    return TESS_OK;
}

static tess_status
keys_of_file(const struct file *file, struct s3_keys *keys, tess_error *err)
{
    tess_status st = get_copy(file, "aws_access_key_id", NULL, &keys->id, err);

    if (st != TESS_OK || !keys->id)
        return st;
    st = get_copy(file, "aws_secret_access_key", NULL, &keys->secret, err);
    if (st == TESS_OK && !keys->secret)
        return http_fail(err, TESS_ERR_ARG,
                         "the profile has aws_access_key_id, but no aws_secret_access_key");
    if (st == TESS_OK)
        st = get_copy(file, "aws_security_token", NULL, &keys->token, err);
    if (st == TESS_OK && !keys->token)
        st = get_copy(file, "aws_session_token", NULL, &keys->token, err);
    return st;
}

static tess_status
find_keys(const struct sources *s, struct s3_keys *keys, tess_error *err)
{
    tess_status st = keys_of_environment(s, keys, err);

    if (st == TESS_OK && !keys->id)
        st = refuse_fetched(s, true, err);
    if (st == TESS_OK && !keys->id)
        st = keys_of_file(&s->credentials, keys, err);
    if (st == TESS_OK && !keys->id)
        st = refuse_fetched(s, false, err);
    if (st == TESS_OK && !keys->id)
        st = keys_of_file(&s->config, keys, err);
    return st;
}

static tess_status
find_region(const struct sources *s, char **region, tess_error *err)
{
    const char *value = variable(s, "AWS_REGION");

    if (!value)
        value = variable(s, "AWS_DEFAULT_REGION");
    return value ? copy(value, region, err) : profile_copy(s, "region", NULL, region, err);
}

static tess_status
ignores_endpoints(const struct sources *s, bool *ignores, tess_error *err)
{
    char *value = NULL;
    const char *const set = variable(s, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
    const tess_status st =
        set ? copy(set, &value, err)
            : profile_copy(s, "ignore_configured_endpoint_urls", NULL, &value, err);

    *ignores = value && strcasecmp(value, "true") == 0;
    free(value);
    return st;
}

// That of the section of services which the profile names.
static tess_status
services_endpoint(const struct sources *s, char **endpoint, tess_error *err)
{
    char *name;
    tess_status st = profile_copy(s, "services", NULL, &name, err);

    if (st != TESS_OK || !name)
        return st;
    const struct file services = {
        .profiles = s->config.profiles,
        .section = s3_profiles_section(&s->config.profiles, "services", name),
    };
    if (!services.section)
        st = http_fail(err, TESS_ERR_ARG, "the profile names services %.*s, which are not there",
                       (int)NAME_MAX_SHOWN, name);
    else
        st = get_copy(&services, "s3", "endpoint_url", endpoint, err);
    free(name);
    return st;
}

// What is there, but empty, is not there.
static void
drop_empty(char **value)
{
    if (*value && !(*value)[0]) {
        free(*value);
        *value = NULL;
    }
}

static tess_status
find_endpoint(const struct sources *s, char **endpoint, tess_error *err)
{
    bool ignores;
    tess_status st = ignores_endpoints(s, &ignores, err);

    if (st != TESS_OK || ignores)
        return st;
    const char *value = variable(s, "AWS_ENDPOINT_URL_S3");
    if (!value)
        value = variable(s, "AWS_ENDPOINT_URL");
    if (value)
        return copy(value, endpoint, err);
    st = services_endpoint(s, endpoint, err);
    drop_empty(endpoint);
    if (st == TESS_OK && !*endpoint)
        st = profile_copy(s, "endpoint_url", NULL, endpoint, err);
    return st;
}

static tess_status
find_style(const struct sources *s, enum s3_style *style, tess_error *err)
{
    char *value;
    tess_status st = profile_copy(s, "s3", "addressing_style", &value, err);

    if (st == TESS_OK && value) {
        if (strcmp(value, "path") == 0)
            *style = S3_STYLE_PATH;
        else if (strcmp(value, "virtual") == 0)
            *style = S3_STYLE_VIRTUAL;
        else if (strcmp(value, "auto") != 0)
            st = http_fail(err, TESS_ERR_ARG,
                           "the profile's addressing_style must be auto, path or virtual");
    }
    free(value);
    return st;
}

tess_status
s3_config_load(s3_lookup_fn *lookup, void *user, struct s3_config *config, tess_error *err)
{
    struct sources s = {.lookup = lookup, .user = user};

    *config = (struct s3_config){0};
    tess_status st = sources_load(&s, err);
    if (st == TESS_OK)
        st = find_keys(&s, &config->keys, err);
    if (st == TESS_OK)
        st = find_region(&s, &config->region, err);
    if (st == TESS_OK)
        st = find_endpoint(&s, &config->endpoint, err);
    if (st == TESS_OK)
        st = find_style(&s, &config->style, err);
    if (st == TESS_OK) {
        drop_empty(&config->region);
        drop_empty(&config->endpoint);
    } else {
        s3_config_finish(config);
    }
    sources_finish(&s);
    return st;
}

void
s3_config_finish(struct s3_config *config)
{
    http_free_secret(config->keys.id);
    http_free_secret(config->keys.secret);
    http_free_secret(config->keys.token);
    free(config->region);
    free(config->endpoint);
    *config = (struct s3_config){0};
}
