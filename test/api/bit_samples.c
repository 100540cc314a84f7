/*
 * bit_samples.c - small arrays whose bits are flipped.
 *
 * Those of other writers are small files of the collection: their chunks have no checksums. One of
 * them was changed by us afterwards, so that some of its chunks have one.
 */
#include "api/bit_samples.h"

#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 10, COLUMNS = 12, NITEMS = ROWS * COLUMNS };

static tess_storage
place(const char *path)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    storage.durability = TESS_DURABILITY_NONE;
    return storage;
}

// 10 x 12 items in chunks of 4 x 12, of two blocks each.
static tess_params
matrix(const char *dtype)
{
    tess_params p;
    tess_params_init(&p);
    p.dtype = dtype;
    p.ndim = 2;
    p.shape[0] = ROWS;
    p.shape[1] = p.chunkshape[1] = p.blockshape[1] = COLUMNS;
    p.chunkshape[0] = 4;
    p.blockshape[0] = 2;
    return p;
}

// Numbers that can be compressed, no chunk like another.
static void
make_numbers(const char *path, const tess_params *p, tess_array **a)
{
    const tess_storage storage = place(path);
    int32_t items[NITEMS];
    for (int i = 0; i < NITEMS; i++)
        items[i] = i / 3 * 7 + i / COLUMNS * 100;
    ok(tess_array_from(&storage, p, items, sizeof items, a, err));
}

static void
make_and_close(const char *path, const tess_params *p)
{
    tess_array *a;
    make_numbers(path, p, &a);
    ok(tess_array_close(a, err));
}

static void
make_lz4(const char *path)
{
    tess_params p = matrix("<i4");
    p.codec = TESS_CODEC_LZ4;
    make_and_close(path, &p);
}

static void
make_zstd(const char *path)
{
    tess_params p = matrix("<i4");
    p.codec = TESS_CODEC_ZSTD;
    p.filters[TESS_MAX_FILTERS - 1] = TESS_FILTER_BITSHUFFLE;
    make_and_close(path, &p);
}

static void
make_delta(const char *path)
{
    tess_params p = matrix("<i4");
    p.codec = TESS_CODEC_BLOSCLZ;
    p.filters[TESS_MAX_FILTERS - 2] = TESS_FILTER_DELTA;
    make_and_close(path, &p);
}

static void
make_zlib(const char *path)
{
    tess_params p = matrix("<i4");
    p.codec = TESS_CODEC_ZLIB;
    p.split = TESS_SPLIT_NEVER;
    p.layer = TESS_LAYER_CATERVA;
    make_and_close(path, &p);
}

static void
make_plain(const char *path)
{
    tess_params p = matrix("<i4");
    p.clevel = 0;
    make_and_close(path, &p);
}

static void
set_attributes(tess_array *a)
{
    ok(tess_attr_set_string(a, "units", "m/s", err));
    ok(tess_attr_set_int(a, "station", 12345, err));
    ok(tess_attr_set_json(a, "range", "[1.5, {\"a\": null}, \"text, text, text, text, text\"]",
                          err));
    ok(tess_vlmeta_set(a, "bytes", "\x01\x02\x03\x04\x05\x06\x07\x08", 8, err));
    ok(tess_vlmeta_set(a, "none", NULL, 0, err));
}

static void
make_attributes(const char *path)
{
    const tess_params p = matrix("<i4");
    tess_array *a;
    make_numbers(path, &p, &a);
    set_attributes(a);
    ok(tess_array_close(a, err));
}

// As many as a file can have: none is left for the reference to the ledger.
static void
set_all_attributes(tess_array *a)
{
    char name[20];
    for (int i = 0; i < 16; i++) {
        snprintf(name, sizeof name, "attribute %d", i);
        ok(tess_attr_set_int(a, name, 1000 + i, err));
    }
}

static void
make_all_attributes(const char *path)
{
    const tess_params p = matrix("<i4");
    tess_array *a;
    make_numbers(path, &p, &a);
    set_all_attributes(a);
    ok(tess_array_close(a, err));
}

static const tess_metalayer layers[] = {
    {"first", "some bytes of a program", 23},
    {"second", "\x92\x01\x02", 3},
    {"empty", NULL, 0},
};

static void
make_metalayers(const char *path)
{
    tess_params p = matrix("<i4");
    p.metalayers = layers;
    p.nmetalayers = (int)(sizeof layers / sizeof layers[0]);
    make_and_close(path, &p);
}

// A header of more than a sector, whose write a crash may tear.
static void
make_long_header(const char *path)
{
    char content[600];
    const tess_metalayer layer = {"long", content, sizeof content};
    tess_params p = matrix("<i4");
    tess_array *a;
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (char)(i * i);
    p.metalayers = &layer;
    p.nmetalayers = 1;
    make_numbers(path, &p, &a);
    content[500] = 'x';
    ok(tess_meta_set(a, "long", content, sizeof content, err));
    ok(tess_array_flush(a, err));
    content[599] = 'y';
    ok(tess_meta_set(a, "long", content, sizeof content, err));
    ok(tess_array_close(a, err));
}

static void
make_dictionaries(const char *path)
{
    static const char *const words[] = {"north", "east wind", "calm", "south-west", "storm"};
    enum { LENGTH = 16, COUNT = 512 };
    const tess_storage storage = place(path);
    static char items[COUNT * LENGTH];
    tess_params p;
    tess_array *a;
    memset(items, 0, sizeof items);
    for (int i = 0; i < COUNT; i++)
        (void)snprintf(items + i * LENGTH, LENGTH, "%s %d", words[i * 7 % 5], i % 13);
    tess_params_init(&p);
    p.dtype = "|S16";
    p.ndim = 1;
    p.shape[0] = p.chunkshape[0] = COUNT;
    p.blockshape[0] = 16;
    p.codec = TESS_CODEC_ZSTD;
    p.dictionary = true;
    p.filters[TESS_MAX_FILTERS - 1] = TESS_FILTER_NONE;
    ok(tess_array_from(&storage, &p, items, sizeof items, &a, err));
    tess_chunk_info chunk;
    ok(tess_array_chunk(a, 0, &chunk, err));
    assert_true(chunk.dictionary_size > 0);
    ok(tess_array_close(a, err));
}

// Chunks that were never written, of zeros, of NaNs, of one value, and stored ones.
static void
make_specials_in(const char *path, const char *dtype, tess_layout layout)
{
    const tess_storage storage = place(path);
    const uint8_t numbers[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    const uint8_t zeros[16] = {0}, value[2] = {3, 4};
    uint8_t same[16];
    tess_params p;
    tess_array *a;
    for (size_t i = 0; i < sizeof same; i++)
        same[i] = value[i % 2];
    tess_params_init(&p);
    p.dtype = dtype;
    p.ndim = 1;
    p.shape[0] = 40;
    p.chunkshape[0] = 8;
    p.layout = layout;
    ok(tess_array_uninit(&storage, &p, &a, err));
    ok(tess_array_write(a, (const int64_t[]){8}, (const int64_t[]){16}, zeros, 16, err));
    ok(tess_array_write(a, (const int64_t[]){16}, (const int64_t[]){24}, same, 16, err));
    ok(tess_array_write(a, (const int64_t[]){24}, (const int64_t[]){32}, numbers, 16, err));
    ok(tess_array_close(a, err));
}

static void
make_specials(const char *path)
{
    make_specials_in(path, "<u2", TESS_LAYOUT_CONTIGUOUS);
}

static void
make_special_directory(const char *path)
{
    make_specials_in(path, "<i2", TESS_LAYOUT_SPARSE);
}

static void
make_nans(const char *path)
{
    const tess_storage storage = place(path);
    const tess_params p = matrix("<f4");
    tess_array *a;
    ok(tess_array_nan(&storage, &p, &a, err));
    ok(tess_array_close(a, err));
}

static void
make_zeros(const char *path)
{
    const tess_storage storage = place(path);
    const tess_params p = matrix("<u2");
    tess_array *a;
    ok(tess_array_zeros(&storage, &p, &a, err));
    ok(tess_array_close(a, err));
}

// A fill value, which growth showed.
static void
make_grown(const char *path)
{
    const int32_t fill = -999;
    tess_params p = matrix("<i4");
    tess_array *a;
    p.fill = &fill;
    p.fill_size = sizeof fill;
    make_numbers(path, &p, &a);
    ok(tess_array_flush(a, err));
    ok(tess_array_resize(a, (const int64_t[]){ROWS + 4, COLUMNS + 3}, err));
    ok(tess_array_close(a, err));
}

// Several commits: holes, an index behind chunks, parts of earlier states.
static void
make_rewritten(const char *path)
{
    const tess_params p = matrix("<i4");
    int32_t items[4 * COLUMNS];
    tess_array *a;
    make_numbers(path, &p, &a);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4 * COLUMNS; k++)
            items[k] = k * k * (i + 1);
        ok(tess_array_write(a, (const int64_t[]){i % 2 * 4, 0},
                            (const int64_t[]){i % 2 * 4 + 4, COLUMNS}, items, sizeof items, err));
        ok(tess_array_flush(a, err));
    }
    ok(tess_array_close(a, err));
}

static void
make_empty(const char *path)
{
    const tess_storage storage = place(path);
    tess_params p = matrix("<i4");
    tess_array *a;
    p.shape[0] = 0;
    ok(tess_array_zeros(&storage, &p, &a, err));
    set_attributes(a);
    ok(tess_array_close(a, err));
}

static void
make_scalar(const char *path)
{
    const tess_storage storage = place(path);
    const double item = 2.5;
    tess_params p;
    tess_array *a;
    tess_params_init(&p);
    p.dtype = "<f8";
    ok(tess_array_from(&storage, &p, &item, sizeof item, &a, err));
    ok(tess_array_close(a, err));
}

static void
make_directory(const char *path)
{
    tess_params p = matrix("<i4");
    tess_array *a;
    p.layout = TESS_LAYOUT_SPARSE;
    p.metalayers = layers;
    p.nmetalayers = 2;
    make_numbers(path, &p, &a);
    set_attributes(a);
    ok(tess_array_close(a, err));
}

static void
make_full_directory(const char *path)
{
    tess_params p = matrix("<i4");
    tess_array *a;
    p.layout = TESS_LAYOUT_SPARSE;
    make_numbers(path, &p, &a);
    set_all_attributes(a);
    ok(tess_array_close(a, err));
}

// A file of another writer, and one more chunk of ours.
static void
make_mixed(const char *path)
{
    tess_storage storage = place(path);
    tess_array *a;
    const int64_t begin[TESS_MAX_NDIM] = {0};
    int64_t end[TESS_MAX_NDIM];
    uint8_t items[64] = {1, 2, 3};
    tess_info info;
    bit_sample_make(&(struct bit_sample){.golden = "mb_lz4_s.b2nd"}, path);
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&storage, &a, err));
    tess_array_info(a, &info);
    for (int i = 0; i < info.ndim; i++)
        end[i] = 1;
    ok(tess_array_write(a, begin, end, items, sizeof items, err));
    ok(tess_array_close(a, err));
}

const struct bit_sample bit_samples[] = {
    {"LZ4, shuffle", .sealed = true, .make = make_lz4},
    {"Zstandard, bitshuffle", .sealed = true, .make = make_zstd},
    {"BloscLZ, delta", .sealed = true, .make = make_delta},
    {"zlib, Caterva", .sealed = true, .make = make_zlib},
    {"stored plainly", .sealed = true, .make = make_plain},
    {"attributes", .sealed = true, .make = make_attributes},
    {"16 attributes", .sealed = true, .make = make_all_attributes},
    {"fixed metalayers", .sealed = true, .make = make_metalayers},
    {"a long header", .sealed = true, .make = make_long_header},
    {"a dictionary", .sealed = true, .make = make_dictionaries},
    {"special chunks", .sealed = true, .make = make_specials},
    {"NaNs", .sealed = true, .make = make_nans},
    {"zeros", .sealed = true, .make = make_zeros},
    {"a fill value, grown", .sealed = true, .make = make_grown},
    {"several commits", .sealed = true, .make = make_rewritten},
    {"no items", .sealed = true, .make = make_empty},
    {"a scalar", .sealed = true, .make = make_scalar},
    {"directory", .directory = true, .sealed = true, .make = make_directory},
    {"directory, 16 attributes", .directory = true, .sealed = true, .make = make_full_directory},
    {"directory, special chunks", .directory = true, .sealed = true,
     .make = make_special_directory},
    {"c-blosc2, then us", .make = make_mixed},
    {"c-blosc2, 3 chunks", .golden = "mb_lz4_s.b2nd"},
    {"c-blosc2, zeros", .golden = "2_15_2_G_zeros.b2nd"},
    {"c-blosc2, a value", .golden = "2_12_0_H_full.b2nd"},
    {"c-blosc2, never written", .golden = "uninit_part_s.b2nd"},
    {"c-blosc2, metalayers", .golden = "metas_up_s.b2nd"},
    {"c-blosc2, attributes", .golden = "append2_s.b2nd"},
    {"c-blosc2, a scalar", .golden = "b2nd5_K_nd0.b2nd"},
    {"c-blosc2, no array", .golden = "sc_tofile_s.b2frame"},
    {"Caterva", .golden = "caterva_v0_4_0_F_4d_zero.caterva"},
    {0},
};

void
bit_sample_make(const struct bit_sample *sample, const char *path)
{
    char from[1000];
    size_t size;
    if (sample->make) {
        sample->make(path);
        return;
    }
    (void)snprintf(from, sizeof from, "%s/%s", getenv("TESS_GOLDEN"), sample->golden);
    uint8_t *const bytes = files_read(from, &size);
    files_write(path, bytes, size);
    free(bytes);
}
