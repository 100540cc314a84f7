/*
 * arrays_places.c - arrays that were copied to another place, made in memory, or stand behind other
 * data in a file.
 */
#include "golden/arrays.h"
#include "golden/record.h"

#include <tessera.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NSOURCES = 24 };

// An array with a short past, metalayers of both kinds, and holes in its file.
static void
make_source(const tess_storage *storage, unsigned which, struct reference *r, tess_array **a)
{
    static const tess_metalayer fixed = {"fixed", "\x93\x01\x02\x03", 4};
    static const int32_t sizes[] = {1, 4, 8};
    const struct grid *const grid = &arrays_grids[which % NGRIDS];
    tess_params p = arrays_params(&arrays_codecs[which % NCODECS],
                                  &arrays_filters[which % NFILTERS], grid, sizes[which % 3],
                                  which / 3 % 2 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS);
    int64_t shape[TESS_MAX_NDIM];

    if (!storage->path || storage->mode == TESS_MODE_APPEND)
        p.layout = TESS_LAYOUT_CONTIGUOUS;
    p.metalayers = &fixed;
    p.nmetalayers = (int)(which % 2);
    p.layer = which % 7 ? TESS_LAYER_B2ND : TESS_LAYER_CATERVA;
    reference_init(r, p.ndim, p.shape, (size_t)p.typesize);
    if (which % 4 == 0) { // its chunks are written one after the other
        const int64_t origin[TESS_MAX_NDIM] = {0};
        MUST(tess_array_zeros(storage, &p, a, err));
        MUST(tess_array_flush(*a, err));
        arrays_fill(r, which);
        MUST(tess_array_write(*a, origin, p.shape, r->data, reference_size(r), err));
    } else {
        arrays_fill(r, which);
        MUST(tess_array_from(storage, &p, r->data, reference_size(r), a, err));
    }
    MUST(tess_attr_set_json(*a, "origin", "{\"x\": 1.5, \"y\": [2, 3]}", err));
    MUST(tess_array_flush(*a, err));
    if (which % 5 == 1 && p.ndim > 0 && p.ndim < 9) {
        memcpy(shape, p.shape, sizeof shape);
        shape[0] += 3;
        arrays_resize(*a, r, shape);
    }
    MUST(tess_vlmeta_set(*a, "empty", NULL, 0, err));
}

static void
write_bytes(FILE *f, const void *bytes, size_t size)
{
    if (!f || fwrite(bytes, 1, size, f) != size) {
        perror("a file of bytes");
        exit(1);
    }
}

static void
write_file(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(record_path(name, ""), "wb");

    write_bytes(f, bytes, size);
    if (fclose(f) != 0)
        write_bytes(NULL, NULL, 0);
}

// A copy, opened again.
static void
record_copy(const char *name, const char *file, int64_t offset, const struct reference *r)
{
    tess_storage storage;
    tess_array *a = NULL;

    tess_storage_init(&storage);
    storage.path = record_path(file, "");
    storage.offset = offset;
    MUST(tess_array_open(&storage, &a, err));
    record_array_in(file, name, a, r);
}

// Saved from a file or directory to both, of those again to both, and as an image.
static void
saved(void)
{
    static const char *const layouts[] = {"contiguous", "sparse"};
    char name[100], copy[200], again[300];

    for (unsigned i = 0; i < NSOURCES; i++) {
        struct reference r;
        tess_array *a = NULL, *b = NULL;
        void *image = NULL;
        size_t size = 0;

        (void)snprintf(name, sizeof name, "source%u", i);
        const tess_storage storage = arrays_storage(name);
        make_source(&storage, i, &r, &a);
        for (int to = 0; to < 2; to++) {
            (void)snprintf(copy, sizeof copy, "%s_to_%s", name, layouts[to]);
            tess_storage there = arrays_storage(copy);
            MUST(tess_array_save(a, &there, (tess_layout)to, err));
            there.mode = TESS_MODE_READ;
            MUST(tess_array_open(&there, &b, err));
            (void)snprintf(again, sizeof again, "%s_to_%s", copy, layouts[!to]);
            there = arrays_storage(again);
            MUST(tess_array_save(b, &there, (tess_layout)!to, err));
            record_array(copy, b, &r);
            record_copy(again, again, 0, &r);
        }
        (void)snprintf(copy, sizeof copy, "%s_to_image", name);
        MUST(tess_array_to_image(a, &image, &size, err));
        write_file(copy, image, size);
        tess_free(image);
        record_copy(copy, copy, 0, &r);
        record_array(name, a, &r);
        reference_finish(&r);
    }
}

// Made in memory; the bytes it consists of, and its image.
static void
in_memory(void)
{
    char name[100];

    for (unsigned i = 0; i < NSOURCES; i++) {
        tess_storage memory;
        struct reference r;
        tess_array *a = NULL;
        const void *bytes = NULL;
        void *image = NULL;
        size_t size = 0;

        tess_storage_init(&memory);
        make_source(&memory, i, &r, &a);
        MUST(tess_array_image(a, &bytes, &size, err));
        (void)snprintf(name, sizeof name, "memory%u", i);
        write_file(name, bytes, size);
        record_copy(name, name, 0, &r);
        MUST(tess_array_to_image(a, &image, &size, err));
        (void)snprintf(name, sizeof name, "memory%u_to_image", i);
        write_file(name, image, size);
        tess_free(image);
        record_copy(name, name, 0, &r);
        tess_array_discard(a);
        reference_finish(&r);
    }
}

// Several in each file, made there or saved there, behind some bytes of another program.
static void
appended(void)
{
    char file[100], name[200];

    for (unsigned i = 0; i < NSOURCES; i++) {
        const size_t before = i % 4 * i * 37;

        (void)snprintf(file, sizeof file, "appended%u", i / 4);
        if (i % 4 == 0) {
            static const uint8_t bytes[1] = {0x9e};
            write_file(file, bytes, i == 0 ? 0 : 1);
        }
        FILE *f = fopen(record_path(file, ""), "ab"); // bytes between the frames
        for (size_t n = 0; n < before; n++)
            write_bytes(f, &"b2frame"[n % 8], 1);
        if (!f || fclose(f) != 0)
            write_bytes(NULL, NULL, 0);

        tess_storage storage = arrays_storage(file);
        struct reference r;
        tess_array *a = NULL;
        tess_info info;

        storage.mode = TESS_MODE_APPEND;
        if (i % 3 == 0) {
            tess_storage memory;
            tess_storage_init(&memory);
            make_source(&memory, i, &r, &a);
            FILE *end = fopen(record_path(file, ""), "ab");
            if (!end || fseek(end, 0, SEEK_END) != 0)
                write_bytes(NULL, NULL, 0);
            const long offset = ftell(end);
            (void)fclose(end);
            MUST(tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err));
            tess_array_discard(a);
            (void)snprintf(name, sizeof name, "%s_saved%u", file, i);
            record_copy(name, file, offset, &r);
        } else {
            make_source(&storage, i, &r, &a);
            tess_array_info(a, &info);
            (void)snprintf(name, sizeof name, "%s_made%u", file, i);
            record_array_in(file, name, a, &r);
        }
        reference_finish(&r);
    }
}

void
arrays_in_places(void)
{
    saved();
    in_memory();
    appended();
}
