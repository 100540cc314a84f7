/*
 * feed_npz.c - a member of a .npz file, which is a ZIP archive of .npy files, as a feed.
 */
#include "formats/feed.h"

#include "report.h"

#include <zip.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Names of members that a message lists.
#define LISTED_MAX 5

struct npz {
    struct feed feed;
    zip_t *archive;
    zip_file_t *member;
};

static tess_status
fail(tess_error *err, const char *what, const zip_error_t *error)
{
    zip_error_t copy = *error; // the words are kept with the error
    const tess_status st = zip_error_code_zip(error) == ZIP_ER_MEMORY ? TESS_ERR_NOMEM
                           : zip_error_code_zip(error) == ZIP_ER_CRC  ? TESS_ERR_CORRUPT
                                                                      : TESS_ERR_IO;

    copy.str = NULL;
    (void)report_set(err, st, "%s: %s", what, zip_error_strerror(&copy));
    zip_error_fini(&copy);
    return st;
}

static tess_status
npz_read(struct feed *s, void *dst, size_t size, size_t *got, tess_error *err)
{
    const struct npz *const z = (struct npz *)s;
    uint8_t *const p = dst;

    *got = 0;
    while (*got < size) {
        const zip_int64_t n = zip_fread(z->member, p + *got, size - *got);

        if (n < 0)
            return fail(err, "cannot read", zip_file_get_error(z->member));
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return TESS_OK;
}

static void
npz_close(struct feed *s)
{
    struct npz *const z = (struct npz *)s;

    if (z->member)
        (void)zip_fclose(z->member);
    if (z->archive)
        zip_discard(z->archive);
    free(z);
}

// "there is no x; there are a.npy, b.npy, ..."
static tess_status
list_members(const struct npz *z, const char *name, tess_error *err)
{
    const zip_int64_t count = zip_get_num_entries(z->archive, 0);
    char text[400] = "";
    size_t n = 0;

    for (zip_int64_t i = 0; i < count && i < LISTED_MAX && n < sizeof text; i++) {
        const char *const member = zip_get_name(z->archive, (zip_uint64_t)i, 0);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i > 0 ? ", " : "",
                              member ? member : "?");
    }
    return report_set(err, TESS_ERR_ARG, "%s%s; the archive holds %s%s",
                      name ? "there is no " : "which member", name ? name : "",
                      count > 0 ? text : "nothing", count > LISTED_MAX ? ", ..." : "");
}

// The index of the member `name` or `name.npy`; without a name of the only one. -1 if there is
// none.
static zip_int64_t
find_member(const struct npz *z, const char *name)
{
    if (!name)
        return zip_get_num_entries(z->archive, 0) == 1 ? 0 : -1;

    const size_t size = strlen(name) + sizeof ".npy";
    char *const with_suffix = malloc(size);
    zip_int64_t index = zip_name_locate(z->archive, name, 0);

    if (index < 0 && with_suffix) {
        (void)snprintf(with_suffix, size, "%s.npy", name);
        index = zip_name_locate(z->archive, with_suffix, 0);
    }
    free(with_suffix);
    return index;
}

tess_status
feed_npz_open(const char *path, const char *member, struct feed **feed, tess_error *err)
{
    struct npz *z = calloc(1, sizeof *z);
    int code = 0;
    tess_status st = TESS_OK;

    if (!z)
        return report_nomem(err, sizeof *z);
    z->feed = (struct feed){.read = npz_read, .close = npz_close};
    z->archive = zip_open(path, ZIP_RDONLY, &code);
    if (!z->archive) {
        zip_error_t error;

        zip_error_init_with_code(&error, code);
        st = fail(err, "cannot open as .npz", &error);
        zip_error_fini(&error);
        goto out;
    }
    const zip_int64_t index = find_member(z, member);
    if (index < 0) {
        st = list_members(z, member, err);
        goto out;
    }
    z->member = zip_fopen_index(z->archive, (zip_uint64_t)index, 0);
    if (!z->member) {
        st = fail(err, "cannot open the member", zip_get_error(z->archive));
        goto out;
    }
    *feed = &z->feed;
    z = NULL;
out:
    feed_close(z ? &z->feed : NULL);
    return st;
}
