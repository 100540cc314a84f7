/*
 * save.c - arrays written to another place, and arrays made behind other data in a file.
 *
 *     save GOLDEN        the folder with the files of other writers
 */
#include "api/files.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { ROWS = 40, COLUMNS = 30, JUNK = 777 };

static const char *golden;
static const int64_t origin[TESS_MAX_NDIM] = {0};
static uint8_t junk[JUNK];

static tess_storage
at(const char *name, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = files_path(name);
    storage.mode = mode;
    storage.durability = TESS_DURABILITY_NONE; // quicker
    return storage;
}

static const tess_metalayer layers[] = {{"first", "one", 3}, {"empty", "", 0}, {"last", "z", 1}};

// Every parameter is another than the default.
static void
grid_params(tess_params *p, tess_layout layout)
{
    tess_params_init(p);
    p->layout = layout;
    p->dtype = "<i8";
    p->ndim = 2;
    p->shape[0] = ROWS;
    p->shape[1] = COLUMNS;
    p->chunkshape[0] = 16;
    p->chunkshape[1] = 8;
    p->blockshape[0] = 5;
    p->blockshape[1] = 8;
    p->codec = TESS_CODEC_ZLIB;
    p->clevel = 7;
    p->split = TESS_SPLIT_NEVER;
    p->filters[4] = TESS_FILTER_DELTA;
    p->filters[5] = TESS_FILTER_BITSHUFFLE;
    p->filters_meta[5] = 3;
    p->metalayers = layers;
    p->nmetalayers = COUNT(layers);
}

// Noise in some chunks, few values in others, zeros in one.
static void
grid_reference(struct reference *r, uint64_t seed)
{
    struct random random;
    random_init(&random, seed);
    reference_init(r, 2, (const int64_t[]){ROWS, COLUMNS}, 8);
    for (int64_t i = 0; i < ROWS * COLUMNS; i++) {
        const int64_t column = i % COLUMNS;
        uint64_t value = column < 8 ? random_next(&random) : random_next(&random) % 11;
        if (i / COLUMNS >= 16 && i / COLUMNS < 32 && column >= 16 && column < 24)
            value = 0;
        memcpy(r->data + 8 * i, &value, 8);
    }
}

static tess_array *
make(const char *name, tess_mode mode, tess_layout layout, const struct reference *r)
{
    tess_storage storage = at(name ? name : "", mode);
    tess_params params;
    tess_array *a;
    if (!name)
        storage.path = NULL;
    grid_params(&params, layout);
    ok(tess_array_from(&storage, &params, r->data, reference_size(r), &a, err));
    ok(tess_vlmeta_set(a, "title", "waves", 5, err));
    ok(tess_vlmeta_set(a, "nothing", "", 0, err));
    ok(tess_array_flush(a, err));
    return a;
}

static tess_array *
reopen(const char *name, tess_mode mode, bool mapped, int64_t offset)
{
    tess_storage storage = at(name, mode);
    tess_array *a = NULL;
    storage.mmap = mapped;
    storage.offset = offset;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

// Some of every kind of change, without a commit.
static void
change(tess_array *a, struct reference *r)
{
    static const int64_t start[] = {10, 5}, stop[] = {33, 17};
    struct reference box, more;
    reference_init(&box, 2, (const int64_t[]){23, 12}, 8);
    reference_init(&more, 2, (const int64_t[]){7, COLUMNS}, 8);
    memset(box.data, 0x33, reference_size(&box));
    memset(more.data, 0x77, reference_size(&more));
    ok(tess_array_write(a, start, stop, box.data, reference_size(&box), err));
    reference_set(r, start, stop, box.data);
    ok(tess_array_append(a, 0, 7, more.data, reference_size(&more), NULL, err));
    reference_append(r, 0, 7, more.data);
    ok(tess_meta_set(a, "first", "two", 3, err));
    ok(tess_vlmeta_set(a, "title", "tides and waves", 15, err));
    ok(tess_vlmeta_delete(a, "nothing", err));
    reference_finish(&box);
    reference_finish(&more);
}

static void
check_same_metalayers(tess_array *a, tess_array *b, const tess_info *info)
{
    for (int i = 0; i < info->nmetalayers; i++) {
        tess_metalayer x, y;
        ok(tess_meta_at(a, i, &x, err));
        ok(tess_meta_at(b, i, &y, err));
        assert_string_equal(x.name, y.name);
        assert_int_equal(x.size, y.size);
        if (x.size > 0)
            assert_memory_equal(x.content, y.content, x.size);
    }
    for (int i = 0; i < info->nvlmetalayers; i++) {
        const char *const name = tess_vlmeta_name(a, i);
        void *x, *y;
        size_t x_size, y_size;
        assert_string_equal(name, tess_vlmeta_name(b, i));
        ok(tess_vlmeta_get(a, name, &x, &x_size, err));
        ok(tess_vlmeta_get(b, name, &y, &y_size, err));
        assert_int_equal(x_size, y_size);
        if (x_size > 0)
            assert_memory_equal(x, y, x_size);
        tess_free(x);
        tess_free(y);
    }
}

static void
check_same_items(tess_array *a, tess_array *b, const tess_info *info)
{
    const size_t size = (size_t)info->nitems * (size_t)info->typesize;
    uint8_t *const x = calloc(1, size + 1), *const y = calloc(1, size + 1);
    assert_non_null(x);
    assert_non_null(y);
    const tess_status st = tess_array_read(a, origin, info->shape, x, size, NULL);
    assert_int_equal(tess_array_read(b, origin, info->shape, y, size, NULL), st);
    if (st == TESS_OK)
        assert_memory_equal(x, y, size + 1);
    else
        assert_int_equal(st, TESS_ERR_UNSUPPORTED); // a codec that this build lacks
    free(x);
    free(y);
}

// b is a copy of a: apart from where its chunks are, nothing tells them apart.
static void
check_same(tess_array *a, tess_array *b)
{
    tess_info x, y;
    tess_array_info(a, &x);
    tess_array_info(b, &y);
    assert_int_equal(x.ndim, y.ndim);
    assert_memory_equal(x.shape, y.shape, sizeof x.shape);
    assert_memory_equal(x.chunkshape, y.chunkshape, sizeof x.chunkshape);
    assert_memory_equal(x.blockshape, y.blockshape, sizeof x.blockshape);
    assert_int_equal(x.dtype != NULL, y.dtype != NULL);
    if (x.dtype)
        assert_string_equal(x.dtype, y.dtype);
    assert_int_equal(x.dtype_format, y.dtype_format);
    assert_int_equal(x.typesize, y.typesize);
    assert_int_equal(x.codec, y.codec);
    assert_int_equal(x.codec_meta, y.codec_meta);
    assert_int_equal(x.clevel, y.clevel);
    assert_memory_equal(x.filters, y.filters, sizeof x.filters);
    assert_memory_equal(x.filters_meta, y.filters_meta, sizeof x.filters_meta);
    assert_int_equal(x.split, y.split);
    assert_int_equal(x.nitems, y.nitems);
    assert_int_equal(x.nchunks, y.nchunks);
    assert_int_equal(x.nbytes, y.nbytes);
    assert_int_equal(x.chunksize, y.chunksize);
    assert_int_equal(x.blocksize, y.blocksize);
    assert_int_equal(x.layer != NULL, y.layer != NULL);
    if (x.layer)
        assert_string_equal(x.layer, y.layer);
    assert_int_equal(x.plain, y.plain);
    assert_int_equal(x.vlblocks, y.vlblocks);
    assert_int_equal(x.frame_version, y.frame_version);
    assert_int_equal(x.nmetalayers, y.nmetalayers);
    assert_int_equal(x.nvlmetalayers, y.nvlmetalayers);
    check_same_metalayers(a, b, &x);
    check_same_items(a, b, &x);
}

static int
begin(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof junk; i++)
        junk[i] = (uint8_t)(i * i + 3);
    files_begin();
    return 0;
}

// -- all sources to all places

enum kind { AT_FILE, AT_MAP, AT_FOLDER, AT_FOLDER_MAP, AT_IMAGE, AT_MEMORY };

static const struct source {
    const char *name;
    enum kind kind;
    bool inside; // of a file or image, behind junk and before more
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
    memcpy(bytes, junk, JUNK);
    memcpy(bytes + JUNK, frame, frame_size);
    memcpy(bytes + JUNK + frame_size, junk, JUNK);
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
    tess_storage storage = at(s->inside ? "host" : name, TESS_MODE_READ);
    size_t size;
    tess_array *a = make(memory ? NULL : name, TESS_MODE_REPLACE,
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
        change(a, r);
    return a;
}

static void
prepare_place(const struct place *p)
{
    struct reference r;
    if (!p->before)
        return;
    if (strcmp(p->before, "file") == 0) {
        files_write(files_path("copy"), junk, JUNK);
        return;
    }
    grid_reference(&r, 99);
    ok(tess_array_close(make("copy", TESS_MODE_NEW, TESS_LAYOUT_SPARSE, &r), err));
    reference_finish(&r);
}

static void
remove_place(const struct place *p)
{
    if (p->layout == TESS_LAYOUT_SPARSE) {
        char path[100];
        for (unsigned n = 0; n < 64; n++) {
            snprintf(path, sizeof path, "copy/%08X.chunk", n);
            (void)unlink(files_path(path));
        }
        assert_int_equal(unlink(files_path("copy/chunks.b2frame")), 0);
    }
    assert_int_equal(remove(files_path("copy")), 0); // there was nothing else in it
}

// The copy, where it is; then, changed, as an array of its own.
static void
check_place(const struct place *p, tess_array *source, const struct reference *r)
{
    const bool behind = p->mode == TESS_MODE_APPEND;
    struct reference changed;
    tess_info info;
    for (int mapped = 0; mapped < 2; mapped++) {
        tess_array *const b = reopen("copy", TESS_MODE_READ, mapped, behind ? JUNK : 0);
        check_array(b, r);
        check_same(source, b);
        tess_array_info(b, &info);
        assert_int_equal(info.contiguous, p->layout == TESS_LAYOUT_CONTIGUOUS);
        ok(tess_array_close(b, err));
    }
    if (behind) {
        size_t size;
        uint8_t *const bytes = files_read(files_path("copy"), &size);
        assert_int_equal(size, JUNK + info.file_size);
        assert_memory_equal(bytes, junk, JUNK);
        free(bytes);
        return;
    }
    reference_copy(&changed, r);
    tess_array *const b = reopen("copy", TESS_MODE_UPDATE, false, 0);
    if (r->shape[0] == ROWS) // else it was changed already
        change(b, &changed);
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
    check_same(source, b);
    ok(tess_array_close(b, err));

    tess_storage file = at("image", TESS_MODE_NEW);
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
        grid_reference(&r, i);
        reference_copy(&committed, &r);
        tess_array *const a = open_source(&sources[i], &r, &image);
        for (size_t k = 0; k < COUNT(places); k++) {
            prepare_place(&places[k]);
            tess_storage storage = at("copy", places[k].mode);
            storage.durability = (tess_durability)(k % 3);
            print_message("%s, %s\n", sources[i].name, places[k].name);
            ok(tess_array_save(a, &storage, places[k].layout, err));
            check_place(&places[k], a, &r);
            remove_place(&places[k]);
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

// Saved every way, the array reads the same.
static void
check_copies(tess_array *a, tess_status sparse)
{
    static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};
    const int nfiles = files_count();
    for (size_t i = 0; i < COUNT(layouts); i++) {
        const tess_storage storage = at("copy", TESS_MODE_REPLACE);
        const tess_storage again = at("again", TESS_MODE_REPLACE);
        if (layouts[i] == TESS_LAYOUT_SPARSE && sparse != TESS_OK) {
            refused(sparse, tess_array_save(a, &storage, layouts[i], err));
            continue;
        }
        ok(tess_array_save(a, &storage, layouts[i], err));
        tess_array *const b = reopen("copy", TESS_MODE_READ, false, 0);
        check_same(a, b);
        ok(tess_array_save(b, &again, TESS_LAYOUT_CONTIGUOUS, err)); // and back
        tess_array *const c = reopen("again", TESS_MODE_READ, true, 0);
        check_same(a, c);
        ok(tess_array_close(c, err));
        ok(tess_array_close(b, err));
        assert_int_equal(unlink(files_path("again")), 0);
        const struct place place = {.layout = layouts[i]};
        remove_place(&place);
    }
    assert_int_equal(files_count(), nfiles);
}

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
            check_copies(a, TESS_OK);
        } else { // there is nothing to store
            const tess_storage file = at("huge", TESS_MODE_NEW);
            size_t size;
            ok(tess_array_save(a, &file, TESS_LAYOUT_CONTIGUOUS, err));
            free(files_read(file.path, &size));
            assert_true(size < 1000);
            tess_array *const b = reopen("huge", TESS_MODE_READ, false, 0);
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
            check_copies(a, info.frame_version < 2 ? TESS_ERR_UNSUPPORTED : TESS_OK);
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
    tess_storage storage = at("tiny", TESS_MODE_NEW);
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
    a = reopen("tiny", TESS_MODE_READ, false, 0);
    check_array(a, &r);
    check_copies(a, TESS_OK);
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
    grid_reference(&r, 1);
    tess_array *a = make("a", TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, &r);
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

    const tess_storage copy = at("copy", TESS_MODE_NEW), again = at("again", TESS_MODE_NEW);
    ok(tess_array_save(a, &copy, TESS_LAYOUT_CONTIGUOUS, err));
    check_file(copy.path, &r);
    tess_array *const b = reopen("copy", TESS_MODE_READ, false, 0);
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
    grid_reference(&r, 1);
    reference_copy(&changed, &r);
    tess_array *a = make("a", TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, &r);
    assert_int_equal(symlink("a", files_path("link")), 0);
    change(a, &changed);
    static const char *const names[] = {"a", "link"};
    static const tess_mode modes[] = {TESS_MODE_REPLACE, TESS_MODE_APPEND};
    for (size_t i = 0; i < 4; i++) {
        const tess_storage own = at(names[i / 2], modes[i % 2]);
        refused(TESS_ERR_ARG, tess_array_save(a, &own, TESS_LAYOUT_CONTIGUOUS, err));
    }
    const tess_storage own = at("a", TESS_MODE_REPLACE);
    refused(TESS_ERR_ARG, tess_array_save(a, &own, TESS_LAYOUT_SPARSE, err));
    check_file(own.path, &r);
    ok(tess_array_close(a, err));
    check_file(own.path, &changed);
    assert_int_equal(unlink(files_path("link")), 0);

    for (int mapped = 0; mapped < 2; mapped++) {
        a = reopen("a", TESS_MODE_READ, mapped, 0);
        ok(tess_array_save(a, &own, TESS_LAYOUT_CONTIGUOUS, err));
        check_file(own.path, &changed);
        check_array(a, &changed);
        ok(tess_array_close(a, err));
    }

    // Behind itself.
    const tess_storage behind = at("a", TESS_MODE_APPEND);
    tess_info info;
    a = reopen("a", TESS_MODE_READ, false, 0);
    tess_array_info(a, &info);
    ok(tess_array_save(a, &behind, TESS_LAYOUT_CONTIGUOUS, err));
    check_array(a, &changed);
    tess_array *const b = reopen("a", TESS_MODE_READ, false, info.file_size);
    check_same(a, b);
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
    grid_reference(&r, 1);
    reference_copy(&changed, &r);
    tess_array *a = make("a", TESS_MODE_NEW, TESS_LAYOUT_SPARSE, &r);
    tess_storage own = at("a/", TESS_MODE_REPLACE);
    change(a, &changed);
    refused(TESS_ERR_ARG, tess_array_save(a, &own, TESS_LAYOUT_SPARSE, err));
    check_file(files_path("a"), &r);
    ok(tess_array_close(a, err));

    a = reopen("a", TESS_MODE_READ, false, 0);
    refused(TESS_ERR_IO, tess_array_save(a, &own, TESS_LAYOUT_CONTIGUOUS, err));
    static const char *const inside[] = {"a/00000000.chunk", "a/chunks.b2frame", "a/new"};
    for (size_t i = 0; i < COUNT(inside); i++) {
        const tess_storage in = at(inside[i], TESS_MODE_REPLACE);
        refused(TESS_ERR_ARG, tess_array_save(a, &in, TESS_LAYOUT_CONTIGUOUS, err));
        refused(TESS_ERR_ARG, tess_array_save(a, &in, TESS_LAYOUT_SPARSE, err));
    }
    check_array(a, &changed);
    own = at("a/", TESS_MODE_REPLACE);
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
    void *image = junk;
    size_t size = 1;
    files_write(files_path("there"), junk, JUNK);
    const int nfiles = files_count();
    for (size_t i = 0; i < COUNT(layouts); i++) {
        tess_storage storage = at("new", TESS_MODE_NEW);
        refused(want, tess_array_save(a, &storage, layouts[i], err));
        storage = at("there", TESS_MODE_REPLACE);
        refused(want, tess_array_save(a, &storage, layouts[i], err));
    }
    const tess_storage behind = at("there", TESS_MODE_APPEND);
    refused(want, tess_array_save(a, &behind, TESS_LAYOUT_CONTIGUOUS, err));
    refused(want, tess_array_to_image(a, &image, &size, err));
    assert_null(image);
    assert_int_equal(size, 0);
    assert_int_equal(files_count(), nfiles);
    uint8_t *const bytes = files_read(files_path("there"), &size);
    assert_int_equal(size, JUNK);
    assert_memory_equal(bytes, junk, JUNK);
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
    grid_reference(&r, 1);
    tess_array *const whole = make(NULL, TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, &r);
    for (size_t i = 0; i < 2 * COUNT(damages); i++) {
        const struct damage *const d = &damages[i / 2];
        const bool sparse = i % 2;
        const char *const array = sparse ? "folder" : "a";
        const tess_storage place = at(array, TESS_MODE_REPLACE);
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
            tess_array *const a = reopen(array, TESS_MODE_READ, mapped, 0);
            check_refused(a, d->at == 0 ? TESS_ERR_UNSUPPORTED : TESS_ERR_CORRUPT);
            ok(tess_array_close(a, err));
        }
    }
    const tess_storage place = at("folder", TESS_MODE_REPLACE);
    ok(tess_array_save(whole, &place, TESS_LAYOUT_SPARSE, err));
    tess_array *const a = reopen("folder", TESS_MODE_READ, false, 0);
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
    tess_storage storage = at("a", TESS_MODE_NEW);
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
    storage = at("a", TESS_MODE_READ);
    storage.limits.memory = 1 << 15; // enough to read it, block by block
    ok(tess_array_open(&storage, &a, err));
    check_array(a, &r);
    check_refused(a, TESS_ERR_LIMIT);
    ok(tess_array_close(a, err));
    storage = at("a", TESS_MODE_READ);
    storage.limits.memory = 1 << 17;
    ok(tess_array_open(&storage, &a, err));
    check_copies(a, TESS_OK);
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
        grid_reference(&r, 1);
        ok(tess_array_close(make("a", TESS_MODE_REPLACE, layouts[i], &r), err));
        tess_array *const reader = reopen("a", TESS_MODE_READ, false, 0);
        tess_array *const a = reopen("a", TESS_MODE_UPDATE, false, 0);
        change(a, &r);
        check_copies(reader, TESS_OK);
        ok(tess_array_close(a, err));
        check_refused(reader, TESS_ERR_STALE);
        ok(tess_array_close(reader, err));
        reference_finish(&r);
    }
}

// Files cannot grow beyond `size` while `call` runs, which is to fail for that.
#define with_small_files(size, call)                         \
    do {                                                     \
        struct rlimit all_;                                  \
        void (*const old_)(int) = signal(SIGXFSZ, SIG_IGN);  \
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &all_), 0); \
        const struct rlimit few_ = {(size), all_.rlim_max};  \
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &few_), 0); \
        const tess_status st_ = (call);                      \
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &all_), 0); \
        (void)signal(SIGXFSZ, old_);                         \
        assert_int_equal(st_, TESS_ERR_IO);                  \
    } while (0)

static void
check_junk_alone(const char *name)
{
    size_t size;
    uint8_t *const bytes = files_read(files_path(name), &size);
    assert_int_equal(size, JUNK);
    assert_memory_equal(bytes, junk, JUNK);
    free(bytes);
}

static void
full_disk(void **state)
{
    struct reference r;

    (void)state;
    grid_reference(&r, 1);
    tess_array *const a = make(NULL, TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, &r);
    files_write(files_path("there"), junk, JUNK);
    static const tess_mode modes[] = {TESS_MODE_NEW, TESS_MODE_REPLACE, TESS_MODE_APPEND};
    for (size_t i = 0; i < COUNT(modes); i++) {
        const tess_storage storage = at(i == 0 ? "new" : "there", modes[i]);
        with_small_files(JUNK + 300, tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, NULL));
        if (modes[i] != TESS_MODE_APPEND)
            with_small_files(300, tess_array_save(a, &storage, TESS_LAYOUT_SPARSE, NULL));
        check_junk_alone("there");
        assert_int_equal(files_count(), 1);
    }
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

static void
arguments(void **state)
{
    tess_storage storage = at("copy", TESS_MODE_NEW);
    struct reference r;
    void *image;
    size_t size;

    (void)state;
    grid_reference(&r, 1);
    tess_array *const a = make(NULL, TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, &r);
    refused(TESS_ERR_ARG, tess_array_save(NULL, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    refused(TESS_ERR_ARG, tess_array_save(a, NULL, TESS_LAYOUT_CONTIGUOUS, err));
    refused(TESS_ERR_ARG, tess_array_save(a, &storage, (tess_layout)7, err));
    storage.offset = 8;
    refused(TESS_ERR_ARG, tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    storage.offset = 0;
    storage.struct_size = offsetof(tess_storage, context); // shorter than in any release
    refused(TESS_ERR_ARG, tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    storage = at("copy", TESS_MODE_READ);
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

    files_write(files_path("copy"), junk, JUNK);
    storage = at("copy", TESS_MODE_NEW);
    refused(TESS_ERR_IO, tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    refused(TESS_ERR_IO, tess_array_save(a, &storage, TESS_LAYOUT_SPARSE, err));
    check_junk_alone("copy");
    assert_int_equal(files_count(), 1);
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

// -- arrays made behind other data

static void
check_inside(const char *name, int64_t offset, const struct reference *r)
{
    tess_info info;
    size_t size;
    for (int mapped = 0; mapped < 2; mapped++) {
        tess_array *const a = reopen(name, TESS_MODE_READ, mapped, offset);
        check_array(a, r);
        tess_array_info(a, &info);
        assert_int_equal(info.offset, offset);
        assert_false(info.writable);
        ok(tess_array_close(a, err));
    }
    uint8_t *const bytes = files_read(files_path(name), &size);
    tess_storage storage;
    tess_array *a;
    tess_storage_init(&storage);
    storage.image = bytes;
    storage.image_size = size;
    storage.offset = offset;
    ok(tess_array_open(&storage, &a, err));
    check_array(a, r);
    ok(tess_array_close(a, err));
    free(bytes);
}

static void
check_front(const char *name, const uint8_t *front, size_t front_size)
{
    size_t size;
    uint8_t *const bytes = files_read(files_path(name), &size);
    assert_true(size > front_size);
    if (front_size > 0)
        assert_memory_equal(bytes, front, front_size);
    free(bytes);
}

// Each behind the ones before, changed until it is closed.
static void
behind_other_data(void **state)
{
    static const size_t fronts[] = {0, 1, 511, 4096, 100001};
    struct random random;

    (void)state;
    random_init(&random, random_seed());
    for (size_t i = 0; i < COUNT(fronts); i++) {
        struct reference r[3];
        int64_t offsets[3];
        uint8_t *const front = malloc(fronts[i] + 1);
        assert_non_null(front);
        random_bytes(&random, front, fronts[i]);
        files_write(files_path("host"), front, fronts[i]);
        for (int k = 0; k < 3; k++) {
            const int64_t shrunk[] = {9, COLUMNS}, grown[] = {50, COLUMNS + 3};
            tess_info info;
            struct stat before;
            assert_int_equal(stat(files_path("host"), &before), 0);
            grid_reference(&r[k], random_next(&random));
            tess_array *const a = make("host", TESS_MODE_APPEND, TESS_LAYOUT_CONTIGUOUS, &r[k]);
            tess_array_info(a, &info);
            offsets[k] = info.offset;
            assert_int_equal(info.offset, before.st_size);
            assert_true(info.writable);
            check_array(a, &r[k]);
            check_inside("host", offsets[k], &r[k]); // to others
            struct reference committed;
            reference_copy(&committed, &r[k]);
            change(a, &r[k]);
            check_array(a, &r[k]);
            check_inside("host", offsets[k], &committed);
            reference_finish(&committed);
            ok(tess_array_flush(a, err));
            check_inside("host", offsets[k], &r[k]);
            ok(tess_array_resize(a, shrunk, err));
            reference_resize(&r[k], shrunk);
            ok(tess_array_flush(a, err));
            if (k != 1) {
                ok(tess_array_resize(a, grown, err));
                reference_resize(&r[k], grown);
            }
            ok(tess_array_close(a, err));
            check_front("host", front, fronts[i]);
            for (int m = 0; m <= k; m++)
                check_inside("host", offsets[m], &r[m]);
        }
        for (int k = 0; k < 3; k++)
            reference_finish(&r[k]);
        free(front);
        assert_int_equal(files_count(), 1);
    }
}

static void
behind_fails(void **state)
{
    const tess_storage behind = at("host", TESS_MODE_APPEND);
    tess_storage missing = at("missing", TESS_MODE_APPEND);
    tess_params params;
    struct reference r;
    tess_array *a;

    (void)state;
    grid_reference(&r, 1);
    files_write(behind.path, junk, JUNK);
    grid_params(&params, TESS_LAYOUT_CONTIGUOUS);
    refused(TESS_ERR_NOT_FOUND, tess_array_zeros(&missing, &params, &a, err));
    assert_int_equal(mkdir(files_path("folder"), 0777), 0);
    missing.path = files_path("folder");
    refused(TESS_ERR_IO, tess_array_zeros(&missing, &params, &a, err));
    params.layout = TESS_LAYOUT_SPARSE;
    refused(TESS_ERR_ARG, tess_array_zeros(&behind, &params, &a, err));

    // Once the file is open; once something is written.
    grid_params(&params, TESS_LAYOUT_CONTIGUOUS);
    params.codec = (tess_codec)200;
    refused(TESS_ERR_UNSUPPORTED,
            tess_array_from(&behind, &params, r.data, reference_size(&r), &a, err));
    grid_params(&params, TESS_LAYOUT_CONTIGUOUS);
    for (rlim_t more = 1; more < 4000; more += 97) {
        with_small_files(JUNK + more,
                         tess_array_from(&behind, &params, r.data, reference_size(&r), &a, NULL));
        assert_null(a);
        check_junk_alone("host");
    }
    assert_int_equal(files_count(), 2);
    reference_finish(&r);
}

// Two places of the index with the same chunk: a copy of each would be larger than the file, by any
// factor. The index of two chunks is stored plainly; the trailer's last 17 bytes are the kind of
// its fingerprint, 0 for none, and the fingerprint.
static void
shared_chunks(void **state)
{
    enum { SIZE = 1000 };
    const tess_storage target = at("copy", TESS_MODE_NEW);
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

static void
behind_writers(void **state)
{
    const tess_storage behind = at("host", TESS_MODE_APPEND), update = at("host", TESS_MODE_UPDATE);
    tess_params params;
    struct reference r, s;
    tess_array *b;
    tess_info info;

    (void)state;
    grid_reference(&r, 1);
    grid_reference(&s, 2);
    grid_params(&params, TESS_LAYOUT_CONTIGUOUS);
    ok(tess_array_close(make("host", TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, &r), err));
    tess_array *a = make("host", TESS_MODE_APPEND, TESS_LAYOUT_CONTIGUOUS, &s);
    tess_array_info(a, &info);
    refused(TESS_ERR_IO, tess_array_zeros(&behind, &params, &b, err));
    refused(TESS_ERR_IO, tess_array_open(&update, &b, err));
    refused(TESS_ERR_ARG, tess_array_save(a, &behind, TESS_LAYOUT_CONTIGUOUS, err));
    tess_array *const reader = reopen("host", TESS_MODE_READ, false, 0);
    refused(TESS_ERR_IO, tess_array_save(reader, &behind, TESS_LAYOUT_CONTIGUOUS, err));
    check_array(reader, &r);
    ok(tess_array_close(reader, err));
    change(a, &s);
    check_copies(a, TESS_OK);
    ok(tess_array_close(a, err));
    check_file(files_path("host"), &r);
    check_inside("host", info.offset, &s);

    tess_storage inside = at("host", TESS_MODE_UPDATE);
    inside.offset = info.offset;
    refused(TESS_ERR_UNSUPPORTED, tess_array_open(&inside, &b, err));
    refused(TESS_ERR_UNSUPPORTED, tess_array_open(&update, &b, err)); // would overwrite the other
    check_file(files_path("host"), &r);
    check_inside("host", info.offset, &s);
    reference_finish(&s);
    reference_finish(&r);
}

// Whatever lies between the two, and wherever the second one starts in what is read at once.
static void
behind_leftovers(void **state)
{
    enum { PIECE = 65536 };
    static uint8_t gap[2 * PIECE];
    struct reference r;
    size_t size;

    (void)state;
    grid_reference(&r, 1);
    ok(tess_array_close(make("host", TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, &r), err));
    uint8_t *const frame = files_read(files_path("host"), &size);
    uint8_t *const bytes = malloc(2 * size + sizeof gap);
    assert_non_null(bytes);
    memcpy(bytes, frame, size);
    for (size_t n = 0; n < sizeof gap; n += n == 2            ? PIECE - 20
                                            : n == PIECE + 20 ? PIECE - 30
                                                              : 1) {
        const tess_storage update = at("host", TESS_MODE_UPDATE);
        tess_array *a;
        memset(bytes + size, 0xa8, n);
        files_write(files_path("host"), bytes, size + n);
        ok(tess_array_close(reopen("host", TESS_MODE_UPDATE, false, 0), err));
        memcpy(bytes + size + n, frame, size);
        files_write(files_path("host"), bytes, 2 * size + n);
        refused(TESS_ERR_UNSUPPORTED, tess_array_open(&update, &a, err));
    }
    free(bytes);
    free(frame);
    reference_finish(&r);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everywhere, begin, files_teardown),
        cmocka_unit_test_setup_teardown(shapes_and_specials, begin, files_teardown),
        cmocka_unit_test_setup_teardown(files_of_others, begin, files_teardown),
        cmocka_unit_test_setup_teardown(tiny_chunk, begin, files_teardown),
        cmocka_unit_test_setup_teardown(holes_stay_behind, begin, files_teardown),
        cmocka_unit_test_setup_teardown(own_file, begin, files_teardown),
        cmocka_unit_test_setup_teardown(own_directory, begin, files_teardown),
        cmocka_unit_test_setup_teardown(damaged_chunks, begin, files_teardown),
        cmocka_unit_test_setup_teardown(limits, begin, files_teardown),
        cmocka_unit_test_setup_teardown(stale, begin, files_teardown),
        cmocka_unit_test_setup_teardown(full_disk, begin, files_teardown),
        cmocka_unit_test_setup_teardown(arguments, begin, files_teardown),
        cmocka_unit_test_setup_teardown(behind_other_data, begin, files_teardown),
        cmocka_unit_test_setup_teardown(behind_fails, begin, files_teardown),
        cmocka_unit_test_setup_teardown(shared_chunks, begin, files_teardown),
        cmocka_unit_test_setup_teardown(behind_writers, begin, files_teardown),
        cmocka_unit_test_setup_teardown(behind_leftovers, begin, files_teardown),
    };
    if (argc != 2) {
        (void)fprintf(stderr, "usage: save GOLDEN\n");
        return 2;
    }
    golden = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
