/*
 * profile.c - the files of ~/.aws of a stranger, alone, and as both files in settings that are
 * loaded.
 */
#include "s3/profile.h"
#include "fuzz/fuzz.h"
#include "s3/credentials.h"

#include <unistd.h>

static const char *const names[] = {"default", "one", "two words", ""};
static const char *const kinds[] = {NULL, "profile", "services"};
static const char *const keys[] = {"aws_access_key_id", "region", "s3", "services", ""};

static void
must_be_text(const struct s3_profiles *profiles, const char *text)
{
    must(text >= profiles->text && text + strlen(text) < profiles->text + profiles->text_size,
         "a value outside the file");
}

static void
try_profiles(const uint8_t *data, size_t size)
{
    struct s3_profiles profiles;
    tess_error err = {0};
    uint8_t *const exact = exact_copy(data, size);
    const tess_status st = s3_profiles_parse((const char *)exact, size, &profiles, &err);

    free(exact);
    if (st != TESS_OK) {
        must((st == TESS_ERR_ARG || st == TESS_ERR_LIMIT) && err.message[0] && !profiles.text,
             "%d: %s", (int)st, err.message);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const char *const section = s3_profiles_section(&profiles, kinds[k], names[i]);
            if (!section)
                continue;
            must_be_text(&profiles, section);
            for (size_t n = 0; n < sizeof keys / sizeof *keys; n++) {
                bool whole;
                const char *value = s3_profiles_get(&profiles, section, keys[n], NULL, &whole);
                must(value || !whole, "nothing, and whole");
                if (value && value[0])
                    must_be_text(&profiles, value);
                value = s3_profiles_get(&profiles, section, keys[n], "endpoint_url", &whole);
                if (value && value[0])
                    must_be_text(&profiles, value);
            }
        }
    s3_profiles_finish(&profiles);
}

static const char *
lookup(void *user, const char *name)
{
    const char *const path = user;

    return strcmp(name, "AWS_CONFIG_FILE") == 0 || strcmp(name, "AWS_SHARED_CREDENTIALS_FILE") == 0
               ? path
               : NULL;
}

static void
try_config(const uint8_t *data, size_t size)
{
    const char *const parent = getenv("TMPDIR");
    char path[4096];
    struct s3_config config;
    tess_error err = {0};

    snprintf(path, sizeof path, "%s/fuzz-XXXXXX", parent ? parent : "/dev/shm");
    const int fd = mkstemp(path);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0, "cannot write %s",
         path);
    const tess_status st = s3_config_load(lookup, path, &config, &err);
    must(st == TESS_OK || (err.status == st && err.message[0] && !config.keys.id), "%d: %s",
         (int)st, err.message);
    must(st != TESS_OK || !config.keys.id == !config.keys.secret, "one key of two");
    must(!config.region || config.region[0], "a region that is empty");
    s3_config_finish(&config);
    unlink(path);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_profiles(data, size);
    try_config(data, size);
    return 0;
}
