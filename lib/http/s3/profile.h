/*
 * profile.h - the files ~/.aws/config and ~/.aws/credentials, read as the AWS command line reads
 * them.
 *
 * That is Python's configparser: sections [name], lines "key = value" or "key: value" with keys in
 * any case, comments that begin a line with # or ;, values that go on in lines with a deeper
 * indent. A key with nothing behind it on its own line holds keys itself, one level deep:
 *
 *     [services local]
 *     s3 =
 *       endpoint_url = http://localhost:9000
 *
 * A section or key that is there twice is an error, not a choice. Files are text of a stranger;
 * they are secrets, too: the copy that is kept is wiped in the end, and messages never show any of
 * it.
 */
#ifndef HTTP_S3_PROFILE_H
#define HTTP_S3_PROFILE_H

#include <tessera/error.h>

#include <stdbool.h>
#include <stddef.h>

enum { S3_PROFILES_MAX = 1 << 20 }; // bytes of a file

struct s3_profile_entry;

struct s3_profiles { // zeroed: an empty file
    char *text; // what the entries point into
    size_t text_size;
    struct s3_profile_entry *entries; // sorted
    size_t nentries;
};

/*
 * Read `size` bytes. On success the caller ends *profiles with s3_profiles_finish(); else it is
 * empty. Returns TESS_ERR_ARG (a line that cannot be understood, by its number), TESS_ERR_LIMIT
 * (more than S3_PROFILES_MAX bytes), TESS_ERR_NOMEM.
 */
tess_status s3_profiles_parse(const char *bytes, size_t size, struct s3_profiles *profiles,
                              tess_error *err);

void s3_profiles_finish(struct s3_profiles *profiles);

/*
 * The name of a section, or NULL if there is none. With a kind it is [kind name], with the name in
 * quotes if it has blanks, the last if there are several of that name; kind "profile" is [default]
 * for that name, too. With kind NULL it is [name].
 */
const char *s3_profiles_section(const struct s3_profiles *profiles, const char *kind,
                                const char *name);

// What a section says of a key, or of `inner` inside it (NULL: the key itself); NULL: nothing. The
// value belongs to *profiles. *whole is false where it goes on in other lines, which are not given.
const char *s3_profiles_get(const struct s3_profiles *profiles, const char *section,
                            const char *key, const char *inner, bool *whole);

#endif
