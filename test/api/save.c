/*
 * save.c - arrays written to another place.
 *
 *     save GOLDEN        the folder with the files of other writers
 */
#include "support/files.h"
#include "support/random.h"
#include "support/reference.h"
#include "support/saved_arrays.h"

#include <tessera.h>

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *golden;
static const int64_t origin[TESS_MAX_NDIM] = {0};

// -- all sources to all places

enum kind { AT_FILE, AT_MAP, AT_FOLDER, AT_FOLDER_MAP, AT_IMAGE, AT_MEMORY };

static const struct source {
    const char *name;
    enum kind kind;
    bool inside; // of a file or image, behind saved_junk and before more
    bool changed; // open for writing, with changes that are not committed
} sources[] = {
    {"file", AT_FILE, false, false},
    {"changed file", AT_FILE, false, true},
    {"inside a file", AT_FILE, true, false},
    {"map", AT_MAP, false, false},
    {"inside a map", AT_MAP, true, false},
    {"directory", AT_FOLDER, false, false},
    {"changed directory", AT_FOLDER, false, true},
    {"mapped directory", AT_FOLDER_MAP, false, false},
    {"image", AT_IMAGE, false, false},
    {"changed image", AT_IMAGE, false, true},
    {"inside an image", AT_IMAGE, true, false},
    {"memory", AT_MEMORY, false, false},
    {"changed memory", AT_MEMORY, false, true},
};

static const struct place {
    const char *name;
    tess_mode mode;
    tess_layout layout;
    const char *before; // NULL, "file" or "directory": what has the name
} places[] = {
    {"new file", TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, NULL},
    {"instead of a file", TESS_MODE_REPLACE, TESS_LAYOUT_CONTIGUOUS, "file"},
    {"behind a file", TESS_MODE_APPEND, TESS_LAYOUT_CONTIGUOUS, "file"},
    {"new directory", TESS_MODE_NEW, TESS_LAYOUT_SPARSE, NULL},
    {"directory instead of a file", TESS_MODE_REPLACE, TESS_LAYOUT_SPARSE, "file"},
    {"instead of a directory", TESS_MODE_REPLACE, TESS_LAYOUT_SPARSE, "directory"},
};

// A committed array in the file "host", between other bytes.
static uint8_t *
surround(size_t *size)
{
    size_t frame_size;
    uint8_t *const frame = files_read(files_path("source"), &frame_size);
    *size = JUNK + frame_size + JUNK;
    uint8_t *const bytes = malloc(*size);
    assert_non_null(bytes);
    memcpy(bytes, saved_junk, JUNK);
    memcpy(bytes + JUNK, frame, frame_size);
    memcpy(bytes + JUNK + frame_size, saved_junk, JUNK);
    files_write(files_path("host"), bytes, *size);
    free(frame);
    return bytes;
}

static tess_array *
open_source(const struct source *s, struct reference *r, uint8_t **image)
{
    const bool sparse = s->kind == AT_FOLDER || s->kind == AT_FOLDER_MAP;
    const bool memory = s->kind == AT_MEMORY;
    const char *const name = sparse ? "folder" : "source";
    tess_storage storage = saved_at(s->inside ? "host" : name, TESS_MODE_READ);
    size_t size;
    tess_array *a = saved_make(memory ? NULL : name, TESS_MODE_REPLACE,
                               sparse ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS, r);
    *image = NULL;
    if (!memory) {
        ok(tess_array_close(a, err));
        if (s->inside)
            *image = surround(&size);
        else if (!sparse)
            *image = files_read(files_path("source"), &size);
        if (s->kind == AT_IMAGE) {
            storage.path = NULL;
            storage.image = *image;
            storage.image_size = size;
        }
        storage.mode = s->changed ? TESS_MODE_UPDATE : TESS_MODE_READ;
        storage.offset = s->inside ? JUNK : 0;
        storage.mmap = s->kind == AT_MAP || s->kind == AT_FOLDER_MAP;
        ok(tess_array_open(&storage, &a, err));
    }
    if (s->changed)
        saved_change(a, r);
    return a;
}

static void
prepare_place(const struct place *p)
{
    struct reference r;
    if (!p->before)
        return;
    if (strcmp(p->before, "file") == 0) {
        files_write(files_path("copy"), saved_junk, JUNK);
        return;
    }
    saved_reference(&r, 99);
    ok(tess_array_close(saved_make("copy", TESS_MODE_NEW, TESS_LAYOUT_SPARSE, &r), err));
    reference_finish(&r);
}

// The copy, where it is; then, changed, as an array of its own.
static void
check_place(const struct place *p, tess_array *source, const struct reference *r)
{
    const bool behind = p->mode == TESS_MODE_APPEND;
    struct reference changed;
    tess_info info;
    for (int mapped = 0; mapped < 2; mapped++) {
        tess_array *const b = saved_reopen("copy", TESS_MODE_READ, mapped, behind ? JUNK : 0);
        check_array(b, r);
        saved_check_same(source, b);
        tess_array_info(b, &info);
        assert_int_equal(info.contiguous, p->layout == TESS_LAYOUT_CONTIGUOUS);
        ok(tess_array_close(b, err));
    }
    if (behind) {
        size_t size;
        uint8_t *const bytes = files_read(files_path("copy"), &size);
        assert_int_equal(size, JUNK + info.file_size);
        assert_memory_equal(bytes, saved_junk, JUNK);
        free(bytes);
        return;
    }
    reference_copy(&changed, r);
    tess_array *const b = saved_reopen("copy", TESS_MODE_UPDATE, false, 0);
    if (r->shape[0] == ROWS) // else it was changed already
        saved_change(b, &changed);
    ok(tess_array_close(b, err));
    check_file(files_path("copy"), &changed);
    reference_finish(&changed);
}

static void
check_image(tess_array *source, const struct reference *r)
{
    tess_storage storage;
    tess_array *b;
    void *image;
    tess_storage_init(&storage);
    ok(tess_array_to_image(source, &image, &storage.image_size, err));
    storage.image = image;
    ok(tess_array_open(&storage, &b, err));
    check_array(b, r);
    saved_check_same(source, b);
    ok(tess_array_close(b, err));

    tess_storage file = saved_at("image", TESS_MODE_NEW);
    size_t size;
    ok(tess_array_save(source, &file, TESS_LAYOUT_CONTIGUOUS, err));
    uint8_t *const bytes = files_read(file.path, &size);
    assert_int_equal(size, storage.image_size);
    assert_memory_equal(bytes, image, size);
    assert_int_equal(remove(file.path), 0);
    free(bytes);
    tess_free(image);
}

static void
everywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(sources); i++) {
        struct reference committed, r;
        uint8_t *image;
        saved_reference(&r, i);
        reference_copy(&committed, &r);
        tess_array *const a = open_source(&sources[i], &r, &image);
        for (size_t k = 0; k < COUNT(places); k++) {
            prepare_place(&places[k]);
            tess_storage storage = saved_at("copy", places[k].mode);
            storage.durability = (tess_durability)(k % 3);
            print_message("%s, %s\n", sources[i].name, places[k].name);
            ok(tess_array_save(a, &storage, places[k].layout, err));
            check_place(&places[k], a, &r);
            saved_remove(places[k].layout);
        }
        check_image(a, &r);
        check_array(a, &r);
        tess_array_discard(a);
        if (sources[i].kind == AT_FILE && !sources[i].inside)
            check_file(files_path("source"), &committed);
        free(image);
        reference_finish(&committed);
        reference_finish(&r);
    }
}

// -- what arrays may be like

static void
shapes_and_specials(void **state)
{
    static const struct {
        int ndim;
        int64_t shape[3];
    } cases[] = {
        {0, {0}}, {1, {0}}, {3, {5, 0, 7}}, {1, {1}}, {2, {1 << 20, 1 << 20}},
    };
    tess_storage storage;
    tess_params params;
    tess_array *a;

    (void)state;
    tess_storage_init(&storage);
    for (size_t i = 0; i < COUNT(cases); i++) {
        tess_params_init(&params);
        params.dtype = "<f4";
        params.ndim = cases[i].ndim;
        memcpy(params.shape, cases[i].shape, sizeof cases[i].shape);
        const bool huge = params.shape[0] == 1 << 20;
        ok(tess_array_nan(&storage, &params, &a, err));
        if (!huge) {
            saved_check_copies(a, TESS_OK);
        } else { // there is nothing to store
            const tess_storage file = saved_at("huge", TESS_MODE_NEW);
            size_t size;
            ok(tess_array_save(a, &file, TESS_LAYOUT_CONTIGUOUS, err));
            free(files_read(file.path, &size));
            assert_true(size < 1000);
            tess_array *const b = saved_reopen("huge", TESS_MODE_READ, false, 0);
            const int64_t start[] = {12345, 678901}, stop[] = {12346, 678902};
            uint8_t item[4];
            ok(tess_array_read(b, start, stop, item, sizeof item, err));
            assert_memory_equal(item, ((uint8_t[]){0, 0, 0xc0, 0x7f}), 4); // NaN
            ok(tess_array_close(b, err));
        }
        ok(tess_array_close(a, err));
    }
}

// Offsets of the frames in the files where it is not 0.
static int64_t
golden_offset(const char *name)
{
    return strcmp(name, "append2_s.b2nd") == 0      ? 1858
           : strcmp(name, "append5000_s.b2nd") == 0 ? 5000
                                                    : 0;
}

// A copy of a frame that we do not write is its bytes.
static void
check_verbatim(tess_array *a, const char *path, const tess_info *info)
{
    void *image;
    size_t size, file_size;
    ok(tess_array_to_image(a, &image, &size, err));
    assert_int_equal(size, info->file_size);
    uint8_t *const bytes = files_read(path, &file_size);
    assert_true(file_size >= size);
    assert_memory_equal(bytes, image, size);
    free(bytes);
    tess_free(image);
}

static void
files_of_others(void **state)
{
    char folder[1000];
    int count = 0, old = 0, variable = 0, vlblocks = 0, plain = 0;

    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/files", golden);
    DIR *const dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));) {
        char path[1300];
        tess_storage storage;
        tess_array *a;
        tess_info info;
        if (e->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        print_message("%s\n", e->d_name);
        tess_storage_init(&storage);
        storage.path = path;
        storage.offset = golden_offset(e->d_name);
        for (int mapped = 0; mapped < 2; mapped++) {
            storage.mmap = mapped;
            ok(tess_array_open(&storage, &a, err));
            tess_array_info(a, &info);
            saved_check_copies(a, info.frame_version < 2 ? TESS_ERR_UNSUPPORTED : TESS_OK);
            if (info.frame_version < 2)
                check_verbatim(a, path, &info);
            ok(tess_array_close(a, err));
        }
        count++;
        old += info.frame_version < 2;
        plain += info.plain;
        vlblocks += info.vlblocks;
        variable += info.plain && info.chunksize == 0;
    }
    closedir(dir);
    assert_true(count >= 60);
    assert_true(old >= 9);
    assert_true(plain >= 7);
    assert_true(vlblocks >= 2);
    assert_true(variable >= 2);
}

// A chunk with the short header of Blosc1, shorter than an index can refer to at the end.
static void
tiny_chunk(void **state)
{
    static const uint8_t chunk[] = {2, 1, 2, 1, 3, 0, 0, 0, 3, 0, 0, 0, 19, 0, 0, 0, 'a', 'b', 'c'};
    tess_storage storage = saved_at("tiny", TESS_MODE_NEW);
    struct reference r;
    tess_params params;
    tess_array *a;

    (void)state;
    reference_init(&r, 1, (const int64_t[]){3}, 1);
    memcpy(r.data, "abc", 3);
    tess_params_init(&params);
    params.layout = TESS_LAYOUT_SPARSE;
    params.ndim = 1;
    params.shape[0] = 3;
    storage.checksums = TESS_CHECKSUMS_NONE; // the chunk becomes another one
    ok(tess_array_from(&storage, &params, r.data, 3, &a, err));
    ok(tess_array_close(a, err));
    files_write(files_path("tiny/00000000.chunk"), chunk, sizeof chunk);
    a = saved_reopen("tiny", TESS_MODE_READ, false, 0);
    check_array(a, &r);
    saved_check_copies(a, TESS_OK);
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

// Overwritten with noise of other sizes again and again, then cut.
static void
holes_stay_behind(void **state)
{
    const int64_t shrunk[] = {20, COLUMNS};
    struct random random;
    struct reference r;
    tess_info info, copied;
    size_t size, again_size;

    (void)state;
    random_init(&random, random_seed());
    saved_reference(&r, 1);
    tess_array *a = saved_make("a", TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, &r);
    for (int i = 0; i < 30; i++) {
        const int64_t start[] = {(int64_t)random_below(&random, ROWS),
                                 (int64_t)random_below(&random, COLUMNS)};
        const int64_t stop[] = {
            start[0] + 1 + (int64_t)random_below(&random, (uint64_t)(ROWS - start[0])),
            start[1] + 1 + (int64_t)random_below(&random, (uint64_t)(COLUMNS - start[1]))};
        const size_t box = reference_box_size(&r, start, stop);
        uint8_t *const items = malloc(box);
        assert_non_null(items);
        random_bytes(&random, items, box);
        ok(tess_array_write(a, start, stop, items, box, err));
        reference_set(&r, start, stop, items);
        ok(tess_array_flush(a, err));
        free(items);
    }
    ok(tess_array_resize(a, shrunk, err));
    reference_resize(&r, shrunk);
    ok(tess_array_flush(a, err));

    const tess_storage copy = saved_at("copy", TESS_MODE_NEW),
                       again = saved_at("again", TESS_MODE_NEW);
    ok(tess_array_save(a, &copy, TESS_LAYOUT_CONTIGUOUS, err));
    check_file(copy.path, &r);
    tess_array *const b = saved_reopen("copy", TESS_MODE_READ, false, 0);
    tess_array_info(a, &info);
    tess_array_info(b, &copied);
    assert_true(copied.file_size < info.file_size);
    assert_true(copied.cbytes < info.cbytes);
    ok(tess_array_save(b, &again, TESS_LAYOUT_CONTIGUOUS, err)); // there is no more to win
    uint8_t *const x = files_read(copy.path, &size), *const y = files_read(again.path, &again_size);
    assert_int_equal(size, copied.file_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(x, y, size);
    free(x);
    free(y);
    ok(tess_array_close(b, err));
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

// -- the array's own place

static void
own_file(void **state)
{
    struct reference r, changed;

    (void)state;
    saved_reference(&r, 1);
    reference_copy(&changed, &r);
    tess_array *a = saved_make("a", TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, &r);
    assert_int_equal(symlink("a", files_path("link")), 0);
    saved_change(a, &changed);
    static const char *const names[] = {"a", "link"};
    static const tess_mode modes[] = {TESS_MODE_REPLACE, TESS_MODE_APPEND};
    for (size_t i = 0; i < 4; i++) {
        const tess_storage own = saved_at(names[i / 2], modes[i % 2]);
        refused(TESS_ERR_ARG, tess_array_save(a, &own, TESS_LAYOUT_CONTIGUOUS, err));
    }
    const tess_storage own = saved_at("a", TESS_MODE_REPLACE);
    refused(TESS_ERR_ARG, tess_array_save(a, &own, TESS_LAYOUT_SPARSE, err));
    check_file(own.path, &r);
    ok(tess_array_close(a, err));
    check_file(own.path, &changed);
    assert_int_equal(unlink(files_path("link")), 0);

    for (int mapped = 0; mapped < 2; mapped++) {
        a = saved_reopen("a", TESS_MODE_READ, mapped, 0);
        ok(tess_array_save(a, &own, TESS_LAYOUT_CONTIGUOUS, err));
        check_file(own.path, &changed);
        check_array(a, &changed);
        ok(tess_array_close(a, err));
    }

    // Behind itself.
    const tess_storage behind = saved_at("a", TESS_MODE_APPEND);
    tess_info info;
    a = saved_reopen("a", TESS_MODE_READ, false, 0);
    tess_array_info(a, &info);
    ok(tess_array_save(a, &behind, TESS_LAYOUT_CONTIGUOUS, err));
    check_array(a, &changed);
    tess_array *const b = saved_reopen("a", TESS_MODE_READ, false, info.file_size);
    saved_check_same(a, b);
    ok(tess_array_save(b, &own, TESS_LAYOUT_SPARSE, err)); // a directory takes the name of both
    check_array(a, &changed);
    check_array(b, &changed);
    ok(tess_array_close(b, err));
    ok(tess_array_close(a, err));
    check_file(own.path, &changed);
    assert_int_equal(files_count(), 1);
    reference_finish(&changed);
    reference_finish(&r);
}

static void
own_directory(void **state)
{
    struct reference r, changed;
    uint8_t item[8];
    const int64_t one[] = {1, 1};

    (void)state;
    saved_reference(&r, 1);
    reference_copy(&changed, &r);
    tess_array *a = saved_make("a", TESS_MODE_NEW, TESS_LAYOUT_SPARSE, &r);
    tess_storage own = saved_at("a/", TESS_MODE_REPLACE);
    saved_change(a, &changed);
    refused(TESS_ERR_ARG, tess_array_save(a, &own, TESS_LAYOUT_SPARSE, err));
    check_file(files_path("a"), &r);
    ok(tess_array_close(a, err));

    a = saved_reopen("a", TESS_MODE_READ, false, 0);
    refused(TESS_ERR_IO, tess_array_save(a, &own, TESS_LAYOUT_CONTIGUOUS, err));
    static const char *const inside[] = {"a/00000000.chunk", "a/chunks.b2frame", "a/new"};
    for (size_t i = 0; i < COUNT(inside); i++) {
        const tess_storage in = saved_at(inside[i], TESS_MODE_REPLACE);
        refused(TESS_ERR_ARG, tess_array_save(a, &in, TESS_LAYOUT_CONTIGUOUS, err));
        refused(TESS_ERR_ARG, tess_array_save(a, &in, TESS_LAYOUT_SPARSE, err));
    }
    check_array(a, &changed);
    own = saved_at("a/", TESS_MODE_REPLACE);
    ok(tess_array_save(a, &own, TESS_LAYOUT_SPARSE, err));
    check_file(files_path("a"), &changed);
    refused(TESS_ERR_STALE, tess_array_read(a, origin, one, item, sizeof item, err));
    ok(tess_array_close(a, err));
    assert_int_equal(files_count(), 1);
    reference_finish(&changed);
    reference_finish(&r);
}

// -- failures

// No way to save the array works, and nothing changes by trying.
static void
check_refused(tess_array *a, tess_status want)
{
    static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};
    void *image = saved_junk;
    size_t size = 1;
    files_write(files_path("there"), saved_junk, JUNK);
    const int nfiles = files_count();
    for (size_t i = 0; i < COUNT(layouts); i++) {
        tess_storage storage = saved_at("new", TESS_MODE_NEW);
        refused(want, tess_array_save(a, &storage, layouts[i], err));
        storage = saved_at("there", TESS_MODE_REPLACE);
        refused(want, tess_array_save(a, &storage, layouts[i], err));
    }
    const tess_storage behind = saved_at("there", TESS_MODE_APPEND);
    refused(want, tess_array_save(a, &behind, TESS_LAYOUT_CONTIGUOUS, err));
    refused(want, tess_array_to_image(a, &image, &size, err));
    assert_null(image);
    assert_int_equal(size, 0);
    assert_int_equal(files_count(), nfiles);
    uint8_t *const bytes = files_read(files_path("there"), &size);
    assert_int_equal(size, JUNK);
    assert_memory_equal(bytes, saved_junk, JUNK);
    free(bytes);
}

enum { NBYTES_AT = 4, CBYTES_AT = 12 };

static const struct damage {
    const char *why;
    int at;
    uint8_t bytes[4];
} damages[] = {
    {"more stored bytes than there are", CBYTES_AT, {0xff, 0xff, 0xff, 0x7f}},
    {"fewer than a header", CBYTES_AT, {31, 0, 0, 0}},
    {"less than none", CBYTES_AT, {0, 0, 0, 0x80}},
    {"another size than its place", NBYTES_AT, {8, 0, 0, 0}},
    {"a version of the future", 0, {99, 1, 7, 8}},
};

// In the first chunk, which is noise; it stands behind the header.
static void
damaged_chunks(void **state)
{
    struct reference r;
    size_t size;

    (void)state;
    saved_reference(&r, 1);
    tess_array *const whole = saved_make(NULL, TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, &r);
    for (size_t i = 0; i < 2 * COUNT(damages); i++) {
        const struct damage *const d = &damages[i / 2];
        const bool sparse = i % 2;
        const char *const array = sparse ? "folder" : "a";
        const tess_storage place = saved_at(array, TESS_MODE_REPLACE);
        ok(tess_array_save(whole, &place, sparse ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS,
                           err));
        const char *const name = sparse ? "folder/00000000.chunk" : "a";
        uint8_t *const bytes = files_read(files_path(name), &size);
        const int start =
            sparse ? 0 : bytes[11] << 24 | bytes[12] << 16 | bytes[13] << 8 | bytes[14];
        memcpy(bytes + start + d->at, d->bytes, 4);
        files_write(files_path(name), bytes, size);
        free(bytes);
        for (int mapped = 0; mapped < 2; mapped++) {
            print_message("%s\n", d->why);
            tess_array *const a = saved_reopen(array, TESS_MODE_READ, mapped, 0);
            check_refused(a, d->at == 0 ? TESS_ERR_UNSUPPORTED : TESS_ERR_CORRUPT);
            ok(tess_array_close(a, err));
        }
    }
    const tess_storage place = saved_at("folder", TESS_MODE_REPLACE);
    ok(tess_array_save(whole, &place, TESS_LAYOUT_SPARSE, err));
    tess_array *const a = saved_reopen("folder", TESS_MODE_READ, false, 0);
    assert_int_equal(truncate(files_path("folder/00000000.chunk"), 20), 0);
    check_refused(a, TESS_ERR_CORRUPT);
    assert_int_equal(unlink(files_path("folder/00000000.chunk")), 0);
    check_refused(a, TESS_ERR_IO);
    ok(tess_array_close(a, err));
    ok(tess_array_close(whole, err));
    reference_finish(&r);
}

static void
limits(void **state)
{
    struct reference r;
    tess_storage storage = saved_at("a", TESS_MODE_NEW);
    tess_params params;
    tess_array *a;

    (void)state;
    reference_init(&r, 1, (const int64_t[]){1 << 16}, 1);
    for (size_t i = 0; i < reference_size(&r); i++)
        r.data[i] = (uint8_t)(i * i >> 3 ^ i >> 7);
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = params.chunkshape[0] = 1 << 16;
    params.blockshape[0] = 1 << 10;
    params.clevel = 0; // stored as it is
    ok(tess_array_from(&storage, &params, r.data, reference_size(&r), &a, err));
    ok(tess_array_close(a, err));
    storage = saved_at("a", TESS_MODE_READ);
    storage.limits.memory = 1 << 15; // enough to read it, block by block
    ok(tess_array_open(&storage, &a, err));
    check_array(a, &r);
    check_refused(a, TESS_ERR_LIMIT);
    ok(tess_array_close(a, err));
    storage = saved_at("a", TESS_MODE_READ);
    storage.limits.memory = 1 << 17;
    ok(tess_array_open(&storage, &a, err));
    saved_check_copies(a, TESS_OK);
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

static void
stale(void **state)
{
    static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};
    (void)state;
    for (size_t i = 0; i < COUNT(layouts); i++) {
        struct reference r;
        saved_reference(&r, 1);
        ok(tess_array_close(saved_make("a", TESS_MODE_REPLACE, layouts[i], &r), err));
        tess_array *const reader = saved_reopen("a", TESS_MODE_READ, false, 0);
        tess_array *const a = saved_reopen("a", TESS_MODE_UPDATE, false, 0);
        saved_change(a, &r);
        saved_check_copies(reader, TESS_OK);
        ok(tess_array_close(a, err));
        check_refused(reader, TESS_ERR_STALE);
        ok(tess_array_close(reader, err));
        reference_finish(&r);
    }
}

static void
full_disk(void **state)
{
    struct reference r;

    (void)state;
    saved_reference(&r, 1);
    tess_array *const a = saved_make(NULL, TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, &r);
    files_write(files_path("there"), saved_junk, JUNK);
    static const tess_mode modes[] = {TESS_MODE_NEW, TESS_MODE_REPLACE, TESS_MODE_APPEND};
    for (size_t i = 0; i < COUNT(modes); i++) {
        const tess_storage storage = saved_at(i == 0 ? "new" : "there", modes[i]);
        with_small_files(JUNK + 300, tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, NULL));
        if (modes[i] != TESS_MODE_APPEND)
            with_small_files(300, tess_array_save(a, &storage, TESS_LAYOUT_SPARSE, NULL));
        saved_check_junk("there");
        assert_int_equal(files_count(), 1);
    }
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

static void
arguments(void **state)
{
    tess_storage storage = saved_at("copy", TESS_MODE_NEW);
    struct reference r;
    void *image;
    size_t size;

    (void)state;
    saved_reference(&r, 1);
    tess_array *const a = saved_make(NULL, TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, &r);
    refused(TESS_ERR_ARG, tess_array_save(NULL, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    refused(TESS_ERR_ARG, tess_array_save(a, NULL, TESS_LAYOUT_CONTIGUOUS, err));
    refused(TESS_ERR_ARG, tess_array_save(a, &storage, (tess_layout)7, err));
    storage.offset = 8;
    refused(TESS_ERR_ARG, tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    storage.offset = 0;
    storage.struct_size = offsetof(tess_storage, context); // shorter than in any release
    refused(TESS_ERR_ARG, tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    storage = saved_at("copy", TESS_MODE_READ);
    refused(TESS_ERR_ARG, tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    storage.mode = TESS_MODE_UPDATE;
    refused(TESS_ERR_ARG, tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    storage.mode = TESS_MODE_APPEND;
    refused(TESS_ERR_NOT_FOUND, tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    refused(TESS_ERR_ARG, tess_array_save(a, &storage, TESS_LAYOUT_SPARSE, err));
    storage.mode = TESS_MODE_NEW;
    storage.path = NULL;
    refused(TESS_ERR_ARG, tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    refused(TESS_ERR_ARG, tess_array_to_image(NULL, &image, &size, err));
    refused(TESS_ERR_ARG, tess_array_to_image(a, NULL, &size, err));
    refused(TESS_ERR_ARG, tess_array_to_image(a, &image, NULL, err));
    assert_null(image);
    tess_free(NULL);
    assert_int_equal(files_count(), 0);

    files_write(files_path("copy"), saved_junk, JUNK);
    storage = saved_at("copy", TESS_MODE_NEW);
    refused(TESS_ERR_IO, tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    refused(TESS_ERR_IO, tess_array_save(a, &storage, TESS_LAYOUT_SPARSE, err));
    saved_check_junk("copy");
    assert_int_equal(files_count(), 1);
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

// Two places of the index with the same chunk: a copy of each would be larger than the file, by any
// factor. The index of two chunks is stored plainly; the trailer's last 17 bytes are the kind of
// its fingerprint, 0 for none, and the fingerprint.
static void
shared_chunks(void **state)
{
    enum { SIZE = 1000 };
    const tess_storage target = saved_at("copy", TESS_MODE_NEW);
    tess_storage storage;
    tess_params params;
    uint8_t items[2 * SIZE], back[2 * SIZE];
    const int64_t start = 0, stop = 2 * SIZE;
    const void *image;
    void *copy;
    size_t size, copy_size;
    tess_array *a;
    struct random random;

    (void)state;
    random_init(&random, random_seed());
    random_bytes(&random, items, sizeof items);
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = stop;
    params.chunkshape[0] = params.blockshape[0] = SIZE;
    ok(tess_array_from(&storage, &params, items, sizeof items, &a, err));
    ok(tess_array_image(a, &image, &size, err));
    uint8_t *const bytes = malloc(size);
    assert_non_null(bytes);
    memcpy(bytes, image, size);
    ok(tess_array_close(a, err));

    const size_t header_len = (size_t)bytes[13] << 8 | bytes[14];
    const size_t cbytes = (size_t)bytes[45] << 8 | bytes[46];
    uint8_t *const entries = bytes + header_len + cbytes + 32;
    assert_memory_not_equal(entries, entries + 8, 8);
    memcpy(entries + 8, entries, 8);
    bytes[size - 17] = 0;
    storage.image = bytes;
    storage.image_size = size;
    ok(tess_array_open(&storage, &a, err));
    ok(tess_array_read(a, &start, &stop, back, sizeof back, err));
    assert_memory_equal(back + SIZE, items, SIZE);
    refused(TESS_ERR_CORRUPT, tess_array_to_image(a, &copy, &copy_size, err));
    refused(TESS_ERR_CORRUPT, tess_array_save(a, &target, TESS_LAYOUT_CONTIGUOUS, err));
    refused(TESS_ERR_CORRUPT, tess_array_save(a, &target, TESS_LAYOUT_SPARSE, err));
    assert_int_equal(files_count(), 0);
    ok(tess_array_close(a, err));
    free(bytes);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everywhere, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(shapes_and_specials, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(files_of_others, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(tiny_chunk, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(holes_stay_behind, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(own_file, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(own_directory, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(damaged_chunks, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(limits, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(stale, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(full_disk, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(arguments, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(shared_chunks, saved_begin, files_teardown),
    };
    if (argc != 2) {
        (void)fprintf(stderr, "usage: save GOLDEN\n");
        return 2;
    }
    golden = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
