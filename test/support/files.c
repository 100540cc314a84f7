/*
 * files.c - temporary files, and comparisons that say what differs.
 */
#include "support/files.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[256];

static void
tell(const tess_log_entry *entry, void *user)
{
    fprintf(user, "log: %s: %s\n", entry->path ? entry->path : "memory", entry->message);
}

void
files_begin(void)
{
    const char *const level = getenv("TESS_TEST_LOG");
    const char *tmp = getenv("TMPDIR");

    (void)snprintf(folder, sizeof folder, "%s/tess-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(folder))
        fail_msg("cannot make the folder %s", folder);
    if (level)
        ok(tess_log_set((tess_log_level)atoi(level), tell, stderr, err));
}

static bool
is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

void
files_remove(const char *path)
{
    DIR *dir = opendir(path);
    char inside[1200];

    for (struct dirent *e; dir && (e = readdir(dir));)
        if (!is_dot(e->d_name)) {
            (void)snprintf(inside, sizeof inside, "%s/%s", path, e->d_name);
            files_remove(inside);
        }
    if (dir)
        closedir(dir);
    (void)remove(path);
}

void
files_end(void)
{
    files_remove(folder);
}

int
files_setup(void **state)
{
    (void)state;
    files_begin();
    return 0;
}

int
files_teardown(void **state)
{
    (void)state;
    files_end();
    return 0;
}

const char *
files_path(const char *name)
{
    static char paths[4][600];
    static unsigned turn;
    char *path = paths[turn++ % 4];

    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

bool
files_exist(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

int
files_count(void)
{
    DIR *dir = opendir(folder);
    int n = 0;

    for (struct dirent *e; dir && (e = readdir(dir));)
        n += !is_dot(e->d_name);
    if (dir)
        closedir(dir);
    return n;
}

uint8_t *
files_read(const char *path, size_t *size)
{
    struct stat st;
    FILE *f = fopen(path, "rb");

    if (!f || fstat(fileno(f), &st) != 0)
        fail_msg("cannot open %s", path);
    *size = (size_t)st.st_size;

    uint8_t *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    (void)fclose(f);
    return bytes;
}

void
files_write(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");

    if (!f || (size > 0 && fwrite(bytes, 1, size, f) != size) || fclose(f) != 0)
        fail_msg("cannot write %s", path);
}

// The index of an item, for people.
static const char *
place(const struct reference *r, size_t position)
{
    static char text[400];
    int64_t at[REFERENCE_MAX_NDIM];
    size_t length = 0;

    for (int i = r->ndim - 1; i >= 0; i--) {
        at[i] = (int64_t)(position % (size_t)r->shape[i]);
        position /= (size_t)r->shape[i];
    }
    text[0] = '\0';
    for (int i = 0; i < r->ndim; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%lld", i ? ", " : "",
                                   (long long)at[i]);
    return text;
}

static void
compare_items(const uint8_t *got, const struct reference *want)
{
    const size_t size = reference_size(want);

    for (size_t i = 0; i < size; i++)
        if (got[i] != want->data[i])
            fail_msg("item [%s], byte %zu: %02x instead of %02x", place(want, i / want->typesize),
                     i % want->typesize, got[i], want->data[i]);
}

void
check_array(const tess_array *a, const struct reference *want)
{
    const int64_t origin[REFERENCE_MAX_NDIM] = {0};
    const size_t size = reference_size(want);
    tess_info info;

    tess_array_info(a, &info);
    assert_int_equal(info.ndim, want->ndim);
    assert_int_equal(info.typesize, want->typesize);
    for (int i = 0; i < want->ndim; i++)
        assert_int_equal(info.shape[i], want->shape[i]);
    assert_int_equal(info.nitems, reference_nitems(want->ndim, want->shape));

    uint8_t *got = malloc(size > 0 ? size : 1); // no larger: tools see what goes beyond
    assert_non_null(got);
    memset(got, 0xa5, size);
    ok(tess_array_read(a, origin, want->shape, got, size, err));
    compare_items(got, want);
    free(got);
}

void
check_file(const char *path, const struct reference *want)
{
    tess_storage storage;
    tess_array *a = NULL;

    tess_storage_init(&storage);
    storage.path = path;
    for (int mapped = 0; mapped < 2; mapped++) {
        storage.mmap = mapped;
        ok(tess_array_open(&storage, &a, err));
        check_array(a, want);
        ok(tess_array_close(a, err));
    }
}

void
check_error(const tess_error *err, tess_status want, const char *call)
{
    const char *end = memchr(err->message, '\0', sizeof err->message);

    if (!end || end == err->message)
        fail_msg("%s: no sentence", call);
    if (end[-1] == '\n')
        fail_msg("%s: the sentence ends in a newline", call);
    if (err->status != want)
        fail_msg("%s: status %d in the error, %d expected", call, (int)err->status, (int)want);
}

// False: nothing can be read there.
static bool
check_golden_file(const char *path, const char *name,
                  void (*check)(tess_array *a, const struct reference *ref, const char *name,
                                void *user),
                  void *user)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    struct reference ref;
    tess_storage storage;
    tess_array *a;
    tess_info info;

    tess_storage_init(&storage);
    storage.path = path;
    if (tess_array_open(&storage, &a, NULL) != TESS_OK)
        return false;
    tess_array_info(a, &info);
    reference_init(&ref, info.ndim, info.shape, (size_t)info.typesize);
    const bool readable =
        tess_array_read(a, origin, info.shape, ref.data, reference_size(&ref), NULL) == TESS_OK;
    if (readable)
        check(a, &ref, name, user);
    reference_finish(&ref);
    ok(tess_array_close(a, err));
    return readable;
}

void
check_golden_files(void (*check)(tess_array *a, const struct reference *ref, const char *name,
                                 void *user),
                   void *user)
{
    const char *const golden = getenv("TESS_GOLDEN");
    char path[4096];
    int n = 0;

    if (!golden)
        fail_msg("TESS_GOLDEN does not say where files of other writers are");
    DIR *const dir = opendir(golden);
    assert_non_null(dir);
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        (void)snprintf(path, sizeof path, "%s/%s", golden, e->d_name);
        n += e->d_name[0] != '.' && check_golden_file(path, e->d_name, check, user);
    }
    closedir(dir);
    assert_true(n > 10);
}
