/*
 * update_arrays.c - files of other writers, changed by us, for another reader to compare.
 *
 *     update_arrays FROM FOLDER
 *
 * copies each file of FROM that can be opened for writing to FOLDER, changes it at random, and
 * compares with the slow reference on the way. Frames that are not to be changed must say so. Used
 * by interop.py; record.h says what is written.
 */
#include "golden/record.h"
#include "support/exact.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CHANGES 12
#define BYTES_MAX 400000 // larger arrays are left out: the reference is slow

static struct random rng;

static void
give_up(const char *name, const tess_error *error)
{
    fprintf(stderr, "%s: %s\n", name, error->message);
    exit(1);
}

static void
copy_file(const char *from, const char *to)
{
    char buffer[4096];
    size_t n;
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");

    if (!in || !out) {
        perror(in ? to : from);
        exit(1);
    }
    while ((n = fread(buffer, 1, sizeof buffer, in)) > 0)
        if (fwrite(buffer, 1, n, out) != n)
            break;
    if (ferror(in) || fclose(in) != 0 || fclose(out) != 0) {
        perror(from);
        exit(1);
    }
}

static void
compare(const char *name, const char *when, const tess_array *a, const struct reference *r)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    const size_t size = reference_size(r);
    uint8_t *got = exact_memory(size);

    MUST(tess_array_read(a, origin, r->shape, got, size, err));
    if (memcmp(got, r->data, size) != 0) {
        fprintf(stderr, "%s: other data after: %s\n", name, when);
        exit(1);
    }
    free(got);
}

static void
change_items(tess_array *a, struct reference *r)
{
    int64_t start[TESS_MAX_NDIM] = {0};
    int64_t stop[TESS_MAX_NDIM] = {0};

    for (int i = 0; i < r->ndim; i++) {
        start[i] = below(&rng, r->shape[i] + 1);
        stop[i] = start[i] + below(&rng, r->shape[i] - start[i] + 1);
    }

    const size_t size = reference_box_size(r, start, stop);
    uint8_t *items = exact_memory(size);
    random_bytes(&rng, items, size);
    if (below(&rng, 2))
        memset(items, 3, size);
    reference_set(r, start, stop, items);
    MUST(tess_array_write(a, start, stop, items, size, err));
    free(items);
}

static void
change_shape(tess_array *a, struct reference *r)
{
    int64_t shape[TESS_MAX_NDIM] = {0};
    tess_info info;

    tess_array_info(a, &info);
    for (int i = 0; i < r->ndim; i++)
        shape[i] = info.chunkshape[i] == 0 || r->ndim > 8 || below(&rng, 2)
                       ? r->shape[i]
                       : below(&rng, r->shape[i] + 1) + below(&rng, 4);
    reference_resize(r, shape);
    MUST(tess_array_resize(a, shape, err));
}

static void
reopen(const char *name, tess_array **a)
{
    tess_storage storage;

    MUST(tess_array_close(*a, err));
    tess_storage_init(&storage);
    storage.path = record_path(name, "");
    storage.mode = TESS_MODE_UPDATE;
    MUST(tess_array_open(&storage, a, err));
}

static bool
lossy(const tess_info *info)
{
    for (int i = 0; i < TESS_MAX_FILTERS; i++)
        if (info->filters[i] == TESS_FILTER_TRUNC_PREC ||
            info->filters[i] == TESS_FILTER_INT_TRUNC || info->filters[i] == TESS_FILTER_NDMEAN)
            return true;
    return info->codec >= TESS_CODEC_ZFP_ACCURACY && info->codec <= TESS_CODEC_ZFP_RATE;
}

static void
change(const char *name, tess_array **a, struct reference *r)
{
    for (int i = 0; i < CHANGES; i++) {
        switch (below(&rng, 5)) {
        case 0:
            change_shape(*a, r);
            compare(name, "resize", *a, r);
            break;
        case 1:
            reopen(name, a);
            compare(name, "reopen", *a, r);
            break;
        case 2:
            if (tess_vlmeta_name(*a, 0) && below(&rng, 2))
                MUST(tess_vlmeta_delete(*a, tess_vlmeta_name(*a, 0), err));
            else if (!tess_vlmeta_name(*a, 10))
                MUST(tess_vlmeta_set(*a, below(&rng, 2) ? "ours" : "ours too", name, strlen(name),
                                     err));
            MUST(tess_array_flush(*a, err));
            compare(name, "flush", *a, r);
            break;
        default:
            change_items(*a, r);
            compare(name, "write", *a, r);
            break;
        }
    }
}

// Chunks of any size come, go, and change places; blocks of different sizes are not written.
static void
change_list(const char *name, tess_array **a)
{
    for (int i = 0; i < CHANGES; i++) {
        tess_info info;
        uint8_t items[1000];
        tess_array_info(*a, &info);
        const int64_t n = info.nchunks, at = below(&rng, n + 1);
        const int64_t size = info.chunkshape[0] > 0 && below(&rng, 3) > 0
                                 ? info.chunkshape[0] * info.typesize
                                 : 1 + below(&rng, (int64_t)sizeof items);
        for (size_t k = 0; k < sizeof items; k++)
            items[k] = (uint8_t)below(&rng, 9);
        if (below(&rng, 5) == 0)
            reopen(name, a);
        else if (n > 1 && (info.vlblocks || below(&rng, 4) == 0))
            MUST(tess_schunk_remove(*a, at < n ? at : 0, 1, err));
        else if (!info.vlblocks && size <= (int64_t)sizeof items)
            MUST(tess_schunk_insert(*a, at, items, (size_t)size, err));
        else if (!info.vlblocks && size < INT32_MAX)
            MUST(tess_schunk_insert_special(*a, at, 1, TESS_CHUNK_ZEROS, (size_t)size, err));
    }
}

// Whether the file was changed.
static bool
update(const char *from, const char *name)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    tess_error error = {0};
    tess_storage storage;
    tess_array *a = NULL;
    struct reference r;
    tess_info info;

    copy_file(from, record_path(name, ""));
    tess_storage_init(&storage);
    storage.path = record_path(name, "");
    storage.mode = TESS_MODE_UPDATE;
    storage.durability = TESS_DURABILITY_NONE;
    const tess_status st = tess_array_open(&storage, &a, &error);
    if (st == TESS_ERR_UNSUPPORTED || st == TESS_ERR_FORMAT) {
        // Frames of old kinds; those that do not start with the file.
        printf("%s: %s\n", name, error.message);
        return false;
    }
    if (st != TESS_OK)
        give_up(name, &error);
    tess_array_info(a, &info);
    if (lossy(&info) || info.nitems * info.typesize > BYTES_MAX) {
        tess_array_discard(a);
        return false;
    }
    if (info.plain) { // what this library reads then, an independent reader has to read, too
        change_list(name, &a);
        tess_array_info(a, &info);
    }
    reference_init(&r, info.ndim, info.shape, (size_t)info.typesize);
    if (tess_array_read(a, origin, r.shape, r.data, reference_size(&r), &error) != TESS_OK) {
        if (error.status != TESS_ERR_UNSUPPORTED)
            give_up(name, &error);
        printf("%s: %s\n", name, error.message);
        tess_array_discard(a);
        reference_finish(&r);
        return false;
    }
    if (!info.plain)
        change(name, &a, &r);
    record_array(name, a, &r);
    reference_finish(&r);
    return true;
}

static int
is_array(const struct dirent *e)
{
    const char *extension = strrchr(e->d_name, '.');

    return extension && (strcmp(extension, ".b2nd") == 0 || strcmp(extension, ".caterva") == 0 ||
                         strcmp(extension, ".b2frame") == 0);
}

int
main(int argc, char **argv)
{
    struct dirent **files = NULL;
    char path[1000];
    struct stat st;
    int changed = 0;

    if (argc != 3) {
        fputs("usage: update_arrays FROM FOLDER\n", stderr);
        return 2;
    }
    const int n = scandir(argv[1], &files, is_array, alphasort);
    if (n < 0) {
        perror(argv[1]);
        return 1;
    }
    const uint64_t seed = random_seed();
    record_begin(argv[2]);
    for (int i = 0; i < n; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", argv[1], files[i]->d_name);
        random_init(&rng, seed + (uint64_t)i);
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
            changed += update(path, files[i]->d_name);
        free(files[i]);
    }
    free(files);
    record_end();
    printf("%d files changed\n", changed);
    return 0;
}
