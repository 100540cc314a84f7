/*
 * chunks.c - what arrays say of their chunks and blocks: our own, and those of other writers.
 *
 * What is expected of files of other writers was found with another reader.
 */
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum {
    ITEMS = 1000, // of a chunk, 8 bytes each
    CHUNK_SIZE = 8 * ITEMS,
    BLOCK_SIZE = CHUNK_SIZE / 4,
    HEADER_SIZE = 32,
};

static tess_storage
at(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    return storage;
}

static tess_array *
open_at(const char *path, tess_mode mode)
{
    const tess_storage storage = at(path, mode);
    tess_array *a = NULL;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

// A file of test/golden; its path stays until the next call.
static const char *
golden(const char *name)
{
    static char path[1000];
    const char *const folder = getenv("TESS_GOLDEN");
    if (!folder)
        fail_msg("TESS_GOLDEN does not say where files of other writers are");
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static tess_chunk_info
chunk(tess_array *a, int64_t n)
{
    tess_chunk_info info;
    memset(&info, 0x5a, sizeof info);
    ok(tess_array_chunk(a, n, &info, err));
    return info;
}

// Sizes of blocks in memory of just their size; they must be those of the chunk.
static int32_t *
blocks(tess_array *a, int64_t n)
{
    const tess_chunk_info info = chunk(a, n);
    const size_t count = (size_t)info.nblocks;
    int64_t total = 0;
    int32_t *const sizes = count > 0 ? malloc(count * sizeof *sizes) : NULL;

    assert_true(count == 0 || sizes);
    ok(tess_array_chunk_blocks(a, n, sizes, count, err));
    for (size_t i = 0; i < count; i++) {
        assert_in_range(sizes[i], 1, info.nbytes);
        if (info.blocksize > 0 && i + 1 < count)
            assert_int_equal(sizes[i], info.blocksize);
        total += sizes[i];
    }
    assert_int_equal(total, info.kind == TESS_CHUNK_BLOCKS ? info.nbytes : 0);
    return sizes;
}

// Everything but the number of stored bytes of blocks.
static void
check_chunk(tess_array *a, int64_t n, const tess_chunk_info *want)
{
    const tess_chunk_info got = chunk(a, n);

    if (got.kind != want->kind)
        fail_msg("chunk %d is of kind %d instead of %d", (int)n, (int)got.kind, (int)want->kind);
    assert_int_equal(got.stored, want->stored);
    assert_int_equal(got.offset, want->offset);
    assert_int_equal(got.nbytes, want->nbytes);
    if (want->kind != TESS_CHUNK_BLOCKS || want->cbytes > 0)
        assert_int_equal(got.cbytes, want->cbytes);
    assert_int_equal(got.nblocks, want->nblocks);
    assert_int_equal(got.blocksize, want->blocksize);
    assert_int_equal(got.codec, want->codec);
    assert_memory_equal(got.filters, want->filters, sizeof got.filters);
    assert_memory_equal(got.filters_meta, want->filters_meta, sizeof got.filters_meta);
    assert_int_equal(got.split, want->split);
    assert_int_equal(got.dictionary_size, want->dictionary_size);
    free(blocks(a, n));
}

// -- our own

static void
params_for(tess_params *p, int64_t nchunks)
{
    tess_params_init(p);
    p->dtype = "<f8";
    p->ndim = 1;
    p->shape[0] = nchunks * ITEMS;
    p->chunkshape[0] = ITEMS;
    p->blockshape[0] = ITEMS / 4;
}

static void
write_chunk(tess_array *a, int64_t n, const void *items)
{
    const int64_t start = n * ITEMS, stop = start + ITEMS;
    ok(tess_array_write(a, &start, &stop, items, CHUNK_SIZE, err));
}

static const tess_chunk_info of_blocks = {
    .kind = TESS_CHUNK_BLOCKS,
    .stored = true,
    .nbytes = CHUNK_SIZE,
    .nblocks = 4,
    .blocksize = BLOCK_SIZE,
    .codec = TESS_CODEC_LZ4,
    .filters = {0, 0, 0, 0, 0, TESS_FILTER_SHUFFLE},
    .split = true,
};
static const tess_chunk_info plain = {
    .kind = TESS_CHUNK_PLAIN,
    .stored = true,
    .nbytes = CHUNK_SIZE,
    .cbytes = HEADER_SIZE + CHUNK_SIZE,
};
static const tess_chunk_info zeros = {.kind = TESS_CHUNK_ZEROS, .nbytes = CHUNK_SIZE};
static const tess_chunk_info nans = {.kind = TESS_CHUNK_NANS, .nbytes = CHUNK_SIZE};
static const tess_chunk_info uninit = {.kind = TESS_CHUNK_UNINIT, .nbytes = CHUNK_SIZE};
static const tess_chunk_info value = {
    .kind = TESS_CHUNK_VALUE,
    .stored = true,
    .nbytes = CHUNK_SIZE,
    .cbytes = HEADER_SIZE + 8,
};

enum { RAMP, NOISE, NULLS, KEPT, CHUNKS };

// Chunk RAMP can be compressed, NOISE cannot, NULLS is zeros; KEPT is as the array was made.
static void
write_kinds(tess_array *a)
{
    uint8_t items[CHUNK_SIZE];
    struct random random;

    for (int i = 0; i < ITEMS; i++) { // little-endian, as filters take numbers
        const double v = i;
        uint64_t bits;
        memcpy(&bits, &v, sizeof bits);
        for (int k = 0; k < 8; k++)
            items[8 * i + k] = (uint8_t)(bits >> 8 * k);
    }
    write_chunk(a, RAMP, items);
    random_init(&random, 1);
    random_bytes(&random, items, sizeof items);
    write_chunk(a, NOISE, items);
    memset(items, 0, sizeof items);
    write_chunk(a, NULLS, items);
}

static void
check_kinds(tess_array *a, const tess_chunk_info *kept)
{
    check_chunk(a, RAMP, &of_blocks);
    assert_in_range(chunk(a, RAMP).cbytes, HEADER_SIZE + 4 * 4, CHUNK_SIZE);
    check_chunk(a, NOISE, &plain);
    check_chunk(a, NULLS, &zeros);
    check_chunk(a, KEPT, kept);
}

static void
check_kinds_in(const char *path, const tess_chunk_info *kept)
{
    for (int mapped = 0; mapped < 2; mapped++) {
        tess_storage storage = at(path, TESS_MODE_READ);
        tess_array *a = NULL;
        storage.mmap = mapped;
        ok(tess_array_open(&storage, &a, err));
        check_kinds(a, kept);
        ok(tess_array_close(a, err));
    }
}

// Arrays of all beginnings; in memory (path NULL), a file, a directory.
static void
check_beginnings(const char *path, tess_layout layout)
{
    static const double one = 1;
    const tess_storage storage = at(path, TESS_MODE_REPLACE);
    const tess_chunk_info *const kept[] = {&zeros, &nans, &uninit, &value};
    tess_params params;

    params_for(&params, CHUNKS);
    params.layout = layout;
    for (size_t i = 0; i < COUNT(kept); i++) {
        tess_array *a = NULL;
        if (kept[i] == &zeros)
            ok(tess_array_zeros(&storage, &params, &a, err));
        else if (kept[i] == &nans)
            ok(tess_array_nan(&storage, &params, &a, err));
        else if (kept[i] == &uninit)
            ok(tess_array_uninit(&storage, &params, &a, err));
        else
            ok(tess_array_full(&storage, &params, &one, sizeof one, &a, err));
        for (int64_t n = 0; n < CHUNKS; n++)
            check_chunk(a, n, kept[i]);
        write_kinds(a);
        check_kinds(a, kept[i]); // not committed
        ok(tess_array_close(a, err));
        if (path)
            check_kinds_in(path, kept[i]);
    }
}

static void
kinds(void **state)
{
    (void)state;
    check_beginnings(NULL, TESS_LAYOUT_CONTIGUOUS);
    check_beginnings(files_path("a"), TESS_LAYOUT_CONTIGUOUS);
    check_beginnings(files_path("b"), TESS_LAYOUT_SPARSE);
}

// A chunk has the size of its file; what a longer file has more is no part of it.
static void
files_of_chunks(void **state)
{
    const tess_storage storage = at(files_path("a"), TESS_MODE_NEW);
    const char *const name = files_path("a/00000000.chunk");
    tess_params params;
    tess_array *a = NULL;
    size_t size;

    (void)state;
    params_for(&params, CHUNKS);
    params.layout = TESS_LAYOUT_SPARSE;
    ok(tess_array_zeros(&storage, &params, &a, err));
    write_kinds(a);
    ok(tess_array_close(a, err));
    uint8_t *const bytes = files_read(name, &size);
    a = open_at(storage.path, TESS_MODE_READ);
    assert_int_equal(chunk(a, RAMP).cbytes, size);
    files_write(name, bytes, size - 1);
    refused(TESS_ERR_CORRUPT, tess_array_chunk(a, RAMP, &(tess_chunk_info){0}, err));
    refused(TESS_ERR_CORRUPT, tess_array_chunk_blocks(a, RAMP, (int32_t[4]){0}, 4, err));
    check_chunk(a, NOISE, &plain);
    bytes[12]--; // cbytes
    files_write(name, bytes, size);
    assert_int_equal(chunk(a, RAMP).cbytes, size - 1);
    ok(tess_array_close(a, err));
    free(bytes);
}

static void
codecs_and_filters(void **state)
{
    static const struct {
        tess_codec codec;
        int found;
        tess_split mode;
        uint8_t filters[TESS_MAX_FILTERS];
        uint8_t metas[TESS_MAX_FILTERS];
        bool split;
    } cases[] = {
        {TESS_CODEC_BLOSCLZ, 0, TESS_SPLIT_AUTO, {0, 0, 0, 0, 0, 1}, {0}, true},
        {TESS_CODEC_LZ4, 1, TESS_SPLIT_NEVER, {0}, {0}, false},
        {TESS_CODEC_LZ4, 1, TESS_SPLIT_ALWAYS, {0, 0, 0, 0, 0, 2}, {0}, true},
        {TESS_CODEC_LZ4HC, 1, TESS_SPLIT_NEVER, {3, 0, 1}, {0}, false}, // found as LZ4
        {TESS_CODEC_ZLIB, 4, TESS_SPLIT_AUTO, {4, 1}, {20}, false},
        {TESS_CODEC_ZSTD, 5, TESS_SPLIT_NEVER, {1, 35}, {0}, false},
        {TESS_CODEC_ZSTD, 5, TESS_SPLIT_ALWAYS, {0, 0, 0, 4, 0, 1}, {0, 0, 0, 0xf6}, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const tess_storage memory = at(NULL, TESS_MODE_NEW);
        tess_chunk_info want = of_blocks;
        tess_params params;
        tess_array *a = NULL;

        params_for(&params, CHUNKS);
        params.codec = cases[i].codec;
        params.split = cases[i].mode;
        memcpy(params.filters, cases[i].filters, sizeof params.filters);
        memcpy(params.filters_meta, cases[i].metas, sizeof params.filters_meta);
        want.codec = cases[i].found;
        want.split = cases[i].split;
        memcpy(want.filters, cases[i].filters, sizeof want.filters);
        memcpy(want.filters_meta, cases[i].metas, sizeof want.filters_meta);
        ok(tess_array_zeros(&memory, &params, &a, err));
        write_kinds(a);
        check_chunk(a, RAMP, &want);
        ok(tess_array_close(a, err));
    }
}

// Items of one byte have nothing to be split, whatever is asked for; nor have those of 300.
static void
unsplit_items(void **state)
{
    static const int32_t typesizes[] = {1, 2, 300};
    static uint8_t items[300 * 64];

    (void)state;
    items[0] = 1;
    for (size_t i = 0; i < COUNT(typesizes); i++) {
        const tess_storage memory = at(NULL, TESS_MODE_NEW);
        tess_params params;
        tess_array *a = NULL;

        tess_params_init(&params);
        params.typesize = typesizes[i];
        params.ndim = 1;
        params.shape[0] = params.chunkshape[0] = params.blockshape[0] = 64;
        params.split = TESS_SPLIT_ALWAYS;
        ok(tess_array_from(&memory, &params, items, 64 * (size_t)typesizes[i], &a, err));
        assert_int_equal(chunk(a, 0).kind, TESS_CHUNK_BLOCKS);
        assert_int_equal(chunk(a, 0).split, typesizes[i] == 2);
        ok(tess_array_close(a, err));
    }
}

static void
arguments(void **state)
{
    const tess_storage memory = at(NULL, TESS_MODE_NEW);
    static const int64_t none[] = {-1, CHUNKS, INT64_MIN, INT64_MAX};
    tess_chunk_info info;
    tess_params params;
    tess_array *a = NULL;
    int32_t sizes[6] = {-1, -1, -1, -1, -1, -1};

    (void)state;
    params_for(&params, CHUNKS);
    ok(tess_array_zeros(&memory, &params, &a, err));
    write_kinds(a);
    for (size_t i = 0; i < COUNT(none); i++) {
        refused(TESS_ERR_ARG, tess_array_chunk(a, none[i], &info, err));
        refused(TESS_ERR_ARG, tess_array_chunk_blocks(a, none[i], sizes, COUNT(sizes), err));
    }
    refused(TESS_ERR_ARG, tess_array_chunk(NULL, 0, &info, err));
    refused(TESS_ERR_ARG, tess_array_chunk(a, 0, NULL, err));
    refused(TESS_ERR_ARG, tess_array_chunk_blocks(NULL, 0, sizes, COUNT(sizes), err));
    refused(TESS_ERR_ARG, tess_array_chunk_blocks(a, RAMP, sizes, 3, err));
    refused(TESS_ERR_ARG, tess_array_chunk_blocks(a, RAMP, sizes, 0, err));
    refused(TESS_ERR_ARG, tess_array_chunk_blocks(a, RAMP, NULL, 4, err));
    assert_int_equal(sizes[0], -1);
    ok(tess_array_chunk_blocks(a, RAMP, sizes, COUNT(sizes), err)); // more than needed
    assert_int_equal(sizes[3], BLOCK_SIZE);
    assert_int_equal(sizes[4], -1);
    for (int64_t n = NOISE; n < CHUNKS; n++)
        ok(tess_array_chunk_blocks(a, n, NULL, 0, err));
    ok(tess_array_close(a, err));
}

static void
check_stale(const char *path, tess_layout layout)
{
    const tess_storage storage = at(path, TESS_MODE_NEW);
    tess_chunk_info info;
    tess_params params;
    tess_array *a = NULL;
    int32_t sizes[4];

    params_for(&params, CHUNKS);
    params.layout = layout;
    ok(tess_array_zeros(&storage, &params, &a, err));
    write_kinds(a);
    ok(tess_array_close(a, err));
    tess_array *const reader = open_at(path, TESS_MODE_READ);
    a = open_at(path, TESS_MODE_UPDATE);
    ok(tess_array_resize(a, &(int64_t){3 * CHUNKS * ITEMS}, err));
    check_kinds(reader, &zeros);
    ok(tess_array_close(a, err));
    for (int64_t n = 0; n < CHUNKS; n++) {
        refused(TESS_ERR_STALE, tess_array_chunk(reader, n, &info, err));
        refused(TESS_ERR_STALE, tess_array_chunk_blocks(reader, n, sizes, COUNT(sizes), err));
    }
    ok(tess_array_close(reader, err));
}

static void
stale(void **state)
{
    (void)state;
    check_stale(files_path("a"), TESS_LAYOUT_CONTIGUOUS);
    check_stale(files_path("b"), TESS_LAYOUT_SPARSE);
}

static void
no_chunks(void **state)
{
    tess_array *const a = open_at(golden("resize_zero_s.b2nd"), TESS_MODE_READ);
    tess_chunk_info info;
    (void)state;
    refused(TESS_ERR_ARG, tess_array_chunk(a, 0, &info, err));
    ok(tess_array_close(a, err));
}

// -- of other writers

#define BLOCKS .kind = TESS_CHUNK_BLOCKS, .stored = true
#define PLAIN .kind = TESS_CHUNK_PLAIN, .stored = true
#define LAST_SHUFFLE .filters = {0, 0, 0, 0, 0, TESS_FILTER_SHUFFLE}

static const struct {
    const char *name;
    int64_t n;
    tess_chunk_info info;
} foreign[] = {
    // chunks and blocks of different sizes, bytes
    {"vlblocks_300_s.b2frame",
     0,
     {BLOCKS, .nbytes = 37, .cbytes = 101, .nblocks = 4, .codec = 5, LAST_SHUFFLE}},
    {"vlblocks_300_s.b2frame",
     1,
     {BLOCKS, .offset = 37, .nbytes = 1305, .cbytes = 960, .nblocks = 3, .codec = 5, LAST_SHUFFLE}},
    // blocks of different sizes with a dictionary
    {"vlblocks_dict_s.b2frame",
     1,
     {BLOCKS, .offset = 24806, .nbytes = 13052, .cbytes = 3344, .nblocks = 64, .codec = 5,
      .dictionary_size = 652}},
    // chunks of different sizes, all too short to be compressed
    {"vlchunks_s.b2frame", 0, {PLAIN, .nbytes = 10, .cbytes = 42}},
    {"vlchunks_s.b2frame", 2, {PLAIN, .offset = 260, .nbytes = 3000, .cbytes = 3032}},
    {"vlchunks_s.b2frame", 4, {PLAIN, .offset = 3261, .nbytes = 777, .cbytes = 809}},
    // plain, items of 4 bytes; the last chunk is shorter
    {"sc_old204_s.b2frame",
     0,
     {BLOCKS, .nbytes = 2800, .cbytes = 797, .nblocks = 1, .blocksize = 2800, .codec = 1,
      LAST_SHUFFLE, .split = true}},
    {"sc_old204_s.b2frame", 1, {.kind = TESS_CHUNK_ZEROS, .offset = 700, .nbytes = 2800}},
    {"sc_old204_s.b2frame", 3, {PLAIN, .offset = 2100, .nbytes = 800, .cbytes = 832}},
    // headers of 16 bytes
    {"b1compat_lz4_s.b2frame",
     1,
     {BLOCKS, .offset = 1000, .nbytes = 8000, .cbytes = 514, .nblocks = 4, .blocksize = 2048,
      .codec = 1, .filters = {0, 0, 0, 0, 0, TESS_FILTER_BITSHUFFLE}}},
    {"b1compat_lz4_s.b2frame", 2, {.kind = TESS_CHUNK_NANS, .offset = 2000, .nbytes = 8000}},
    // arrays
    {"caterva_v0_1_0_A_2d_i4.caterva", // items in C order, one block
     8,
     {BLOCKS, .nbytes = 480, .cbytes = 98, .nblocks = 1, .blocksize = 480, .codec = 5,
      LAST_SHUFFLE}},
    {"dict_lz4_3p3p2_7.b2nd",
     3,
     {BLOCKS, .nbytes = 48000, .cbytes = 5022, .nblocks = 100, .blocksize = 480, .codec = 1,
      LAST_SHUFFLE, .split = true, .dictionary_size = 2400}},
    {"c059_zlib_l5_trshuf_ts4.b2nd",
     1,
     {BLOCKS, .nbytes = 5260, .cbytes = 1387, .nblocks = 5, .blocksize = 1052, .codec = 4,
      .filters = {0, 0, 0, 0, TESS_FILTER_TRUNC_PREC, TESS_FILTER_SHUFFLE},
      .filters_meta = {0, 0, 0, 0, 10, 0}}},
    {"full_300_s.b2nd",
     5,
     {.kind = TESS_CHUNK_VALUE, .stored = true, .nbytes = 4800, .cbytes = 332}},
    {"uninit_part_s.b2nd", 3, {.kind = TESS_CHUNK_UNINIT, .nbytes = 768}},
    {"b2nd5_K_nd0.b2nd", 0, {PLAIN, .nbytes = 4, .cbytes = 36}},
};

static void
other_writers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(foreign); i++) {
        tess_array *const a = open_at(golden(foreign[i].name), TESS_MODE_READ);
        check_chunk(a, foreign[i].n, &foreign[i].info);
        ok(tess_array_close(a, err));
    }
}

static void
sizes_of_blocks(void **state)
{
    static const int32_t first[] = {4, 12, 20, 1}, second[] = {300, 5, 1000};
    tess_array *a = open_at(golden("vlblocks_300_s.b2frame"), TESS_MODE_READ);
    int32_t *sizes = blocks(a, 0);

    (void)state;
    assert_memory_equal(sizes, first, sizeof first);
    free(sizes);
    sizes = blocks(a, 1);
    assert_memory_equal(sizes, second, sizeof second);
    free(sizes);
    ok(tess_array_close(a, err));

    a = open_at(golden("vlblocks_dict_s.b2frame"), TESS_MODE_READ);
    for (int64_t n = 0; n < 2; n++) { // a series that is repeated
        const int32_t least = n == 0 ? 380 : 200, period = n == 0 ? 17 : 9;
        sizes = blocks(a, n);
        for (int32_t i = 0; i < 64; i++)
            assert_int_equal(sizes[i], least + i % period);
        free(sizes);
    }
    ok(tess_array_close(a, err));
}

// Each chunk begins where the one before it ends.
static void
offsets(void **state)
{
    static const char *const names[] = {
        "vlblocks_300_s.b2frame", "vlblocks_dict_s.b2frame", "vlchunks_s.b2frame",
        "sc_old204_s.b2frame",    "b1compat_lz4_s.b2frame",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        tess_array *const a = open_at(golden(names[i]), TESS_MODE_READ);
        int64_t total = 0;
        tess_info info;
        tess_array_info(a, &info);
        for (int64_t n = 0; n < info.nchunks; n++) {
            assert_int_equal(chunk(a, n).offset * info.typesize, total);
            total += chunk(a, n).nbytes;
        }
        assert_int_equal(total, info.nbytes);
        ok(tess_array_close(a, err));
    }
}

// -- damage

static int32_t
get_le(const uint8_t *p)
{
    return (int32_t)(p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
}

static void
put_le(uint8_t *p, int32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)((uint32_t)v >> 8 * i);
}

// What is said of the first chunk of vlblocks_300_s, now that it is damaged.
static void
check_damaged(const uint8_t *image, size_t size)
{
    static const int64_t start = 0, stop = 37;
    tess_storage storage = at(NULL, TESS_MODE_READ);
    tess_array *a = NULL;
    int32_t sizes[4];
    uint8_t items[37];

    storage.image = image;
    storage.image_size = size;
    ok(tess_array_open(&storage, &a, err));
    assert_int_equal(chunk(a, 0).nblocks, 4);
    refused(TESS_ERR_CORRUPT, tess_array_chunk_blocks(a, 0, sizes, COUNT(sizes), err));
    refused(TESS_ERR_CORRUPT, tess_array_read(a, &start, &stop, items, sizeof items, err));
    free(blocks(a, 1));
    ok(tess_array_close(a, err));
}

static void
damaged_sizes(void **state)
{
    enum { CHUNK_AT = 97, TABLE_AT = CHUNK_AT + HEADER_SIZE };
    static const int32_t sizes[] = {4, 12, 20, 1};
    static const struct {
        int block;
        int32_t size; // instead of the right one
    } cases[] = {
        {0, 0}, {0, -1}, {0, INT32_MIN}, {0, INT32_MAX}, {0, 38}, {0, 37}, {0, 5},
        {0, 3}, {2, 19}, {2, 21},        {3, 0},         {3, 2},  {3, -1}, {3, INT32_MAX},
    };
    size_t size;
    uint8_t *const image = files_read(golden("vlblocks_300_s.b2frame"), &size);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t *const at_block = image + CHUNK_AT + get_le(image + TABLE_AT + 4 * cases[i].block);
        assert_int_equal(get_le(at_block), sizes[cases[i].block]);
        put_le(at_block, cases[i].size);
        check_damaged(image, size);
        put_le(at_block, sizes[cases[i].block]);
    }
    for (int32_t left = 1; left <= 4; left++) { // bytes left to a block for size and content
        const int32_t start = get_le(image + TABLE_AT), next = get_le(image + TABLE_AT + 4);
        put_le(image + TABLE_AT + 4, start + left);
        check_damaged(image, size);
        put_le(image + TABLE_AT + 4, next);
    }
    free(image);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kinds, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(files_of_chunks, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(stale, files_setup, files_teardown),
        cmocka_unit_test(codecs_and_filters),
        cmocka_unit_test(unsplit_items),
        cmocka_unit_test(arguments),
        cmocka_unit_test(no_chunks),
        cmocka_unit_test(other_writers),
        cmocka_unit_test(sizes_of_blocks),
        cmocka_unit_test(offsets),
        cmocka_unit_test(damaged_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
