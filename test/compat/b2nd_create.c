/*
 * b2nd_create.c - contexts, new arrays and their members.
 */
#include "compat/nd.h"
#include "support/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct nd_shapes shapes[] = {
    {0, {0}, {0}, {0}},
    {1, {10}, {7}, {2}},
    {2, {14, 10}, {8, 5}, {2, 2}},
    {3, {12, 0, 7}, {5, 0, 7}, {5, 0, 3}},
    {3, {9, 11, 13}, {4, 11, 5}, {3, 4, 5}},
    {5, {1, 3, 1, 20, 2}, {1, 2, 1, 9, 2}, {1, 1, 1, 4, 1}},
    {B2ND_MAX_DIM,
     {2, 1, 1, 2, 1, 1, 1, 3, 1, 1, 1, 1, 1, 2, 1, 3},
     {1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 1, 1, 2, 1, 2},
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}},
};

static b2nd_context_t *
try_context(int8_t ndim, const int64_t *shape, const int32_t *chunk, const int32_t *block)
{
    return b2nd_create_ctx(NULL, ndim, shape, chunk, block, NULL, 0, NULL, 0);
}

static void
contexts_that_are_refused(void **state)
{
    static const int64_t shape[] = {4, 4}, negative[] = {4, -4};
    static const int32_t chunk[] = {2, 2}, zero[] = {2, 0}, below[] = {2, -2};
    static const int32_t huge[] = {1 << 16, 1 << 16};
    blosc2_metalayer layers[BLOSC2_MAX_METALAYERS] = {{0}};
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_storage storage = BLOSC2_STORAGE_DEFAULTS;

    (void)state;
    assert_null(try_context(-1, shape, chunk, chunk));
    assert_null(try_context(B2ND_MAX_DIM + 1, shape, chunk, chunk));
    assert_null(try_context(2, NULL, chunk, chunk));
    assert_null(try_context(2, shape, NULL, chunk));
    assert_null(try_context(2, shape, chunk, NULL));
    assert_null(try_context(2, negative, chunk, chunk));
    assert_null(try_context(2, shape, below, chunk));
    assert_null(try_context(2, shape, chunk, below));
    assert_null(try_context(2, shape, chunk, zero));
    assert_null(try_context(2, shape, huge, huge));
    for (int i = 0; i < BLOSC2_MAX_METALAYERS; i++)
        layers[i].name = (char[]){"layer"};
    assert_null(
        b2nd_create_ctx(NULL, 2, shape, chunk, chunk, NULL, 0, layers, BLOSC2_MAX_METALAYERS));
    assert_null(b2nd_create_ctx(NULL, 2, shape, chunk, chunk, NULL, 0, layers, -1));
    assert_null(b2nd_create_ctx(NULL, 2, shape, chunk, chunk, NULL, 0, NULL, 1));
    cparams.compcode = 33; // ZFP, behind the shuffle of the defaults
    storage.cparams = &cparams;
    assert_null(b2nd_create_ctx(&storage, 2, shape, chunk, chunk, NULL, 0, NULL, 0));
    assert_int_equal(b2nd_free_ctx(NULL), BLOSC2_ERROR_NULL_POINTER);
}

typedef int make_fn(b2nd_context_t *ctx, b2nd_array_t **array);

static int
make_full(b2nd_context_t *ctx, b2nd_array_t **array)
{
    const int32_t item = 77;
    return b2nd_full(ctx, array, &item);
}

static void
each_constructor_in_each_place(void **state)
{
    static const struct {
        make_fn *make;
        int32_t item;
    } makers[] = {{b2nd_uninit, 0}, {b2nd_empty, 0}, {b2nd_zeros, 0}, {make_full, 77}};

    (void)state;
    for (size_t k = 0; k < COUNT(shapes) * ND_PLACES * COUNT(makers); k++) {
        const struct nd_shapes *const s = &shapes[k % COUNT(shapes)];
        const struct nd_place *const place = &nd_places[k / COUNT(shapes) % ND_PLACES];
        const size_t m = k / COUNT(shapes) / ND_PLACES;
        const char *const path = place->file ? files_path("array") : NULL;
        const int64_t count = nd_count(s->shape, s->ndim);
        int32_t *const items = nd_items(count, 0);
        b2nd_context_t *const ctx = nd_context(s, place->contiguous, path);
        b2nd_array_t *array = NULL;

        for (int64_t i = 0; i < count; i++)
            items[i] = makers[m].item;
        assert_good(makers[m].make(ctx, &array));
        nd_check(array, items);
        assert_int_equal(array->sc->storage->contiguous, place->contiguous);
        assert_good(b2nd_free(array));
        if (path) {
            assert_good(b2nd_open(path, &array));
            nd_check(array, items);
            assert_int_equal(array->sc->storage->contiguous, place->contiguous);
            assert_string_equal(array->sc->storage->urlpath, path);
            assert_good(b2nd_free(array));
            files_remove(path);
        }
        assert_good(b2nd_free_ctx(ctx));
        free(items);
    }
}

static void
items_from_memory(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(shapes) * ND_PLACES; k++) {
        const struct nd_shapes *const s = &shapes[k % COUNT(shapes)];
        const struct nd_place *const place = &nd_places[k / COUNT(shapes)];
        const char *const path = place->file ? files_path("array") : NULL;
        const int64_t count = nd_count(s->shape, s->ndim);
        int32_t *const items = nd_items(count, 0);
        b2nd_array_t *array = nd_numbers(s, place->contiguous, path);

        nd_check(array, items);
        if (count > 1) // not only a zero
            assert_true(array->sc->cbytes > 0);
        assert_good(b2nd_free(array));
        if (path) {
            assert_good(b2nd_open(path, &array));
            nd_check(array, items);
            assert_good(b2nd_free(array));
            files_remove(path);
        }
        free(items);
    }
}

static void
nans_of_two_sizes(void **state)
{
    static const int64_t shape[] = {5};
    static const int32_t chunk[] = {3}, block[] = {2};
    static const int32_t sizes[] = {4, 8};
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_storage storage = BLOSC2_STORAGE_DEFAULTS;
    b2nd_array_t *array = NULL;

    (void)state;
    storage.cparams = &cparams;
    for (size_t k = 0; k < COUNT(sizes); k++) {
        float narrow[5];
        double wide[5];
        void *const items = sizes[k] == sizeof *wide ? (void *)wide : narrow;
        cparams.typesize = sizes[k];
        b2nd_context_t *const ctx =
            b2nd_create_ctx(&storage, 1, shape, chunk, block, NULL, 0, NULL, 0);
        assert_good(b2nd_nans(ctx, &array));
        assert_good(b2nd_to_cbuffer(array, items, 5 * sizes[k]));
        for (int i = 0; i < 5; i++)
            assert_true(sizes[k] == sizeof *wide ? isnan(wide[i]) : isnan(narrow[i]));
        assert_good(b2nd_free(array));
        assert_good(b2nd_free_ctx(ctx));
    }
    cparams.typesize = 2;
    b2nd_context_t *const ctx = b2nd_create_ctx(&storage, 1, shape, chunk, block, NULL, 0, NULL, 0);
    assert_int_equal(b2nd_nans(ctx, &array), BLOSC2_ERROR_DATA);
    assert_null(array);
    assert_good(b2nd_free_ctx(ctx));
}

static void
types_are_recorded(void **state)
{
    static const struct {
        const char *given, *found;
        int32_t typesize;
        int8_t format;
    } cases[] = {
        {NULL, "|S6", 6, 0},
        {"<f8", "<f8", 8, 0},
        {"[('a', '<i4'), ('b', '|S3')]", "[('a', '<i4'), ('b', '|S3')]", 7, 0},
        {"complex", "complex", 16, 3},
    };
    static const int64_t shape[] = {4};
    static const int32_t chunk[] = {4};

    (void)state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
        blosc2_storage storage = BLOSC2_STORAGE_DEFAULTS;
        b2nd_array_t *array = NULL;

        cparams.typesize = cases[k].typesize;
        storage.cparams = &cparams;
        storage.contiguous = true;
        char *const path = strdup(files_path("array"));
        storage.urlpath = path;
        b2nd_context_t *const ctx = b2nd_create_ctx(&storage, 1, shape, chunk, chunk,
                                                    cases[k].given, cases[k].format, NULL, 0);
        assert_good(b2nd_zeros(ctx, &array));
        for (int turn = 0; turn < 2; turn++) {
            assert_string_equal(array->dtype, cases[k].found);
            assert_int_equal(array->dtype_format, cases[k].format);
            assert_int_equal(array->sc->typesize, cases[k].typesize);
            assert_good(b2nd_free(array));
            if (turn == 0)
                assert_good(b2nd_open(path, &array));
        }
        assert_good(b2nd_free_ctx(ctx));
        files_remove(path);
        free(path);
    }
}

static void
metalayers_of_the_context(void **state)
{
    uint8_t bytes[] = {1, 2, 3};
    blosc2_metalayer layers[] = {{(char[]){"first"}, bytes, 3}, {(char[]){"empty"}, NULL, 0}};
    static const int64_t shape[] = {4};
    static const int32_t chunk[] = {4};
    b2nd_context_t *const ctx =
        b2nd_create_ctx(NULL, 1, shape, chunk, chunk, NULL, 0, layers, COUNT(layers));
    b2nd_array_t *array = NULL;
    uint8_t *content = NULL;
    int32_t size = -1;

    (void)state;
    assert_good(b2nd_zeros(ctx, &array));
    assert_int_equal(array->sc->nmetalayers, 3);
    assert_int_equal(array->sc->nvlmetalayers, 0);
    assert_int_equal(blosc2_meta_exists(array->sc, "b2nd"), 0);
    assert_int_equal(blosc2_meta_get(array->sc, "first", &content, &size), 1);
    assert_int_equal(size, 3);
    assert_memory_equal(content, bytes, 3);
    free(content);
    assert_int_equal(blosc2_meta_get(array->sc, "empty", &content, &size), 2);
    assert_int_equal(size, 0);
    assert_null(content);
    assert_good(b2nd_free(array));
    assert_good(b2nd_free_ctx(ctx));
}

// -- codecs and filters of the program

static int encoded, decoded; // blocks

// Items below 2^16, shuffled: the second half is zeros. The first is stored inverted.
static int
encode_inverted(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len,
                uint8_t meta, blosc2_cparams *cparams, const void *chunk)
{
    const int32_t half = input_len / 2;

    (void)chunk;
    if (meta != 7 || cparams->typesize != 4 || output_len < half)
        return 0;
    for (int32_t i = 0; i < half; i++) {
        if (input[half + i] != 0)
            return 0;
        output[i] = (uint8_t)~input[i];
    }
    encoded++;
    return half;
}

static int
decode_inverted(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len,
                uint8_t meta, blosc2_dparams *dparams, const void *chunk)
{
    (void)meta;
    (void)dparams;
    (void)chunk;
    memset(output, 0, (size_t)output_len);
    for (int32_t i = 0; i < input_len; i++)
        output[i] = (uint8_t)~input[i];
    decoded++;
    return output_len;
}

static void
a_codec_of_the_program(void **state)
{
    blosc2_codec codec = {.compcode = 240,
                          .compname = (char[]){"inverted"},
                          .complib = 1,
                          .version = 1,
                          .encoder = encode_inverted,
                          .decoder = decode_inverted};
    static const int64_t shape[] = {100, 20};
    static const int32_t chunk[] = {40, 20}, block[] = {10, 20};
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_storage storage = BLOSC2_STORAGE_DEFAULTS;
    int32_t *const items = nd_items(2000, 0);
    char *const path = strdup(files_path("array"));
    b2nd_array_t *array = NULL;

    (void)state;
    assert_good(blosc2_register_codec(&codec));
    cparams.typesize = 4;
    cparams.compcode = 240;
    cparams.compcode_meta = 7;
    cparams.splitmode = BLOSC_NEVER_SPLIT;
    storage.cparams = &cparams;
    storage.contiguous = true;
    storage.urlpath = path;
    b2nd_context_t *const ctx = b2nd_create_ctx(&storage, 2, shape, chunk, block, NULL, 0, NULL, 0);
    assert_good(b2nd_from_cbuffer(ctx, &array, items, 8000));
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(array->sc->compcode, 240);
        assert_int_equal(array->sc->compcode_meta, 7);
        assert_int_equal(encoded, 10); // the two blocks of padding are zeros, which need no codec
        nd_check(array, items);
        assert_true(decoded > 0);
        assert_good(b2nd_free(array));
        if (turn == 0)
            assert_good(b2nd_open(path, &array));
    }
    assert_good(b2nd_free_ctx(ctx));
    free(path);
    free(items);
}

static int
no_filter(blosc2_prefilter_params *params)
{
    (void)params;
    return 0;
}

static int
no_postfilter(blosc2_postfilter_params *params)
{
    (void)params;
    return 0;
}

// They work on blocks of a context.
static void
functions_before_and_behind_blocks_are_refused(void **state)
{
    static const struct nd_shapes s = {2, {5, 9}, {2, 6}, {2, 4}};
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_dparams dparams = BLOSC2_DPARAMS_DEFAULTS;
    blosc2_storage storage = BLOSC2_STORAGE_DEFAULTS;
    b2nd_array_t *array = NULL;

    (void)state;
    storage.cparams = &cparams;
    storage.dparams = &dparams;
    cparams.prefilter = no_filter;
    b2nd_context_t *ctx =
        b2nd_create_ctx(&storage, 2, s.shape, s.chunkshape, s.blockshape, NULL, 0, NULL, 0);
    assert_int_equal(b2nd_zeros(ctx, &array), BLOSC2_ERROR_INVALID_PARAM);
    assert_good(b2nd_free_ctx(ctx));
    cparams.prefilter = NULL;
    dparams.postfilter = no_postfilter;
    ctx = b2nd_create_ctx(&storage, 2, s.shape, s.chunkshape, s.blockshape, NULL, 0, NULL, 0);
    assert_int_equal(b2nd_zeros(ctx, &array), BLOSC2_ERROR_POSTFILTER);
    assert_null(array);
    assert_good(b2nd_free_ctx(ctx));
}

// A block that exceeds its chunk.
static void
large_blocks(void **state)
{
    static const struct nd_shapes large = {2, {5, 9}, {2, 6}, {5, 4}};
    int32_t *const items = nd_items(45, 0);
    b2nd_array_t *const array = nd_numbers(&large, false, NULL);

    (void)state;
    nd_check(array, items);
    assert_int_equal(array->blockshape[0], 2);
    assert_int_equal(array->blockshape[1], 4);
    assert_good(b2nd_free(array));
    free(items);
}

// Nothing is left at the path.
static void
tuners_are_refused(void **state)
{
    static const struct nd_shapes s = {2, {5, 9}, {2, 6}, {2, 4}};
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_storage storage = BLOSC2_STORAGE_DEFAULTS;
    char path[4096];
    b2nd_array_t *array = NULL;

    (void)state;
    (void)snprintf(path, sizeof path, "%s", files_path("array"));
    cparams.tuner_id = 32;
    storage.cparams = &cparams;
    storage.contiguous = true;
    storage.urlpath = path;
    b2nd_context_t *const ctx =
        b2nd_create_ctx(&storage, s.ndim, s.shape, s.chunkshape, s.blockshape, NULL, 0, NULL, 0);
    assert_non_null(ctx);
    assert_int_equal(b2nd_zeros(ctx, &array), BLOSC2_ERROR_TUNER);
    assert_null(array);
    assert_null(blosc2_schunk_new(&storage));
    assert_int_equal(files_count(), 0);
    assert_good(b2nd_free_ctx(ctx));
}

static void
arrays_that_are_refused(void **state)
{
    static const struct nd_shapes s = {2, {5, 9}, {2, 6}, {2, 4}};
    static const struct nd_shapes wide = {1, {INT32_MAX}, {INT32_MAX}, {1}};
    int32_t items[45] = {0};
    b2nd_context_t *ctx = nd_context(&s, true, NULL);
    b2nd_array_t *array = NULL;

    (void)state;
    assert_int_equal(b2nd_zeros(NULL, &array), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_zeros(ctx, NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_uninit(NULL, &array), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_empty(NULL, &array), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_nans(NULL, &array), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_full(ctx, &array, NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_from_cbuffer(ctx, &array, NULL, 180), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_from_cbuffer(ctx, &array, items, 179), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_from_cbuffer(ctx, &array, items, -1), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_free(NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_null(array);
    assert_good(b2nd_free_ctx(ctx));

    ctx = nd_context(&wide, true, NULL);
    assert_int_equal(b2nd_empty(ctx, &array), BLOSC2_ERROR_MAX_BUFSIZE_EXCEEDED);
    assert_null(array);
    assert_good(b2nd_free_ctx(ctx));

    // What is at the path stays.
    const char *const path = files_path("array");
    files_write(path, "x", 1);
    ctx = nd_context(&s, true, path);
    assert_true(b2nd_zeros(ctx, &array) < 0);
    assert_null(array);
    size_t size = 0;
    free(files_read(path, &size));
    assert_int_equal(size, 1);
    assert_good(b2nd_free_ctx(ctx));
}

// c-blosc2 makes arrays and super-chunks of any filters, and says that they cannot encode when a
// chunk is to be encoded. Nothing is where chunks are stored as they are: at level 0, and short
// ones.
static const struct unfit {
    const char *reason;
    uint8_t filters[2];
    int8_t metas[2];
    int32_t typesize;
    bool works;
} unfits[] = {
    {"to no bit", {BLOSC_TRUNC_PREC}, {0}, 4, false},
    {"to no bit of 8 bytes", {BLOSC_TRUNC_PREC, BLOSC_SHUFFLE}, {0}, 8, false},
    {"to 24 bits", {BLOSC_TRUNC_PREC}, {24}, 4, false},
    {"of 23 bits", {BLOSC_TRUNC_PREC}, {-23}, 4, false},
    {"of 22 bits", {BLOSC_TRUNC_PREC}, {-22}, 4, true},
    {"to 52 bits", {BLOSC_TRUNC_PREC}, {52}, 8, true},
    {"of items of 2 bytes", {BLOSC_TRUNC_PREC}, {3}, 2, false},
    {"delta behind it", {BLOSC_TRUNC_PREC, BLOSC_DELTA}, {0}, 4, false},
};

// Returns whether the items could be written.
static bool
write_to_array(blosc2_cparams *cparams, const uint8_t *items, int32_t size)
{
    const int64_t shape[] = {size / cparams->typesize}, start[] = {0};
    const int32_t whole[] = {(int32_t)shape[0]};
    blosc2_storage storage = {true, NULL, cparams, NULL, NULL};
    b2nd_context_t *const ctx = b2nd_create_ctx(&storage, 1, shape, whole, whole, NULL, 0, NULL, 0);
    b2nd_array_t *array = NULL;
    uint8_t back[2000];

    assert_non_null(ctx);
    assert_good(b2nd_zeros(ctx, &array));
    assert_memory_equal(array->sc->storage->cparams->filters, cparams->filters,
                        sizeof cparams->filters);
    const int rc = b2nd_set_slice_cbuffer(items, shape, size, start, shape, array);
    assert_true(rc == 0 || rc == BLOSC2_ERROR_FILTER_PIPELINE);
    assert_int_equal(b2nd_append(array, items, size, 0), rc);
    assert_good(b2nd_to_cbuffer(array, back, sizeof back));
    if (rc < 0) {
        assert_int_equal(array->shape[0], shape[0]);
        assert_int_equal(back[7], 0);
        b2nd_array_t *other = NULL, *both = NULL;
        assert_good(b2nd_zeros(ctx, &other));
        assert_int_equal(b2nd_concatenate(ctx, array, other, 0, false, &both),
                         BLOSC2_ERROR_FILTER_PIPELINE);
        assert_good(b2nd_free(other));
    }
    assert_good(b2nd_free(array));
    assert_int_equal(b2nd_from_cbuffer(ctx, &array, items, size) == 0, rc == 0);
    if (rc == 0)
        assert_good(b2nd_free(array));
    assert_good(b2nd_free_ctx(ctx));
    return rc == 0;
}

static bool
write_to_schunk(blosc2_cparams *cparams, const uint8_t *items, int32_t size, bool lossless)
{
    blosc2_storage storage = {true, NULL, cparams, NULL, NULL};
    blosc2_schunk *const schunk = blosc2_schunk_new(&storage);
    uint8_t back[1000];

    assert_non_null(schunk);
    const int64_t nchunks = blosc2_schunk_append_buffer(schunk, items, size);
    if (nchunks == 1) {
        assert_int_equal(blosc2_schunk_decompress_chunk(schunk, 0, back, sizeof back), size);
        if (lossless)
            assert_memory_equal(back, items, (size_t)size);
    }
    assert_good(blosc2_schunk_free(schunk));
    return nchunks == 1;
}

static bool
write_to_chunk(const blosc2_cparams *cparams, const uint8_t *items, int32_t size)
{
    blosc2_context *const ctx = blosc2_create_cctx(*cparams);
    uint8_t chunk[1000 + BLOSC2_MAX_OVERHEAD];

    assert_non_null(ctx);
    const int n = blosc2_compress_ctx(ctx, items, size, chunk, sizeof chunk);
    blosc2_free_ctx(ctx);
    return n > 0;
}

static void
filters_that_cannot_encode(void **state)
{
    uint8_t items[960];

    (void)state;
    for (size_t i = 0; i < sizeof items; i++)
        items[i] = (uint8_t)(i * i / 7);
    for (size_t k = 0; k < 3 * COUNT(unfits); k++) {
        const struct unfit *const u = &unfits[k / 3];
        const int32_t size = k % 3 == 1 ? 16 : (int32_t)sizeof items;
        blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;

        cparams.clevel = k % 3 == 2 ? 0 : 5;
        cparams.typesize = u->typesize;
        memset(cparams.filters, 0, sizeof cparams.filters);
        memcpy(cparams.filters, u->filters, sizeof u->filters);
        memcpy(cparams.filters_meta, u->metas, sizeof u->metas);
        const bool works = u->works || k % 3 > 0;
        if (write_to_array(&cparams, items, size) != works ||
            write_to_schunk(&cparams, items, size, k % 3 > 0) != works ||
            write_to_chunk(&cparams, items, size) != works)
            fail_msg("%s, %d bytes, level %d: works: %d", u->reason, size, cparams.clevel, !works);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_that_are_refused),
        IN_A_FOLDER(each_constructor_in_each_place),
        IN_A_FOLDER(items_from_memory),
        cmocka_unit_test(nans_of_two_sizes),
        IN_A_FOLDER(types_are_recorded),
        cmocka_unit_test(metalayers_of_the_context),
        IN_A_FOLDER(a_codec_of_the_program),
        cmocka_unit_test(functions_before_and_behind_blocks_are_refused),
        cmocka_unit_test(large_blocks),
        IN_A_FOLDER(tuners_are_refused),
        cmocka_unit_test(filters_that_cannot_encode),
        IN_A_FOLDER(arrays_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
