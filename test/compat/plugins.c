/*
 * plugins.c - codecs and filters that the program registers.
 */
#include "compat/compat.h"

#include <stdlib.h>

enum { CODEC = 244, FILTER = 245, BYTES = 40000 };

static int nencoded, ndecoded; // with one thread

// Keeps every second byte; only for bytes that come in equal pairs.
static int
encode(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len, uint8_t meta,
       blosc2_cparams *cparams, const void *chunk)
{
    assert_int_equal(meta, 11);
    assert_int_equal(cparams->typesize, 4);
    assert_ptr_equal(cparams->codec_params, &nencoded);
    assert_non_null(chunk);
    nencoded++;
    if (input_len % 2 != 0 || input_len / 2 > output_len)
        return 0;
    for (int32_t i = 0; i < input_len; i += 2) {
        if (input[i] != input[i + 1])
            return 0;
        output[i / 2] = input[i];
    }
    return input_len / 2;
}

static int
decode(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len, uint8_t meta,
       blosc2_dparams *dparams, const void *chunk)
{
    assert_int_equal(meta, 11);
    assert_non_null(dparams);
    assert_non_null(chunk);
    ndecoded++;
    if (2 * input_len != output_len)
        return BLOSC2_ERROR_FAILURE;
    for (int32_t i = 0; i < output_len; i++)
        output[i] = input[i / 2];
    return output_len;
}

static int
failing_encode(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len,
               uint8_t meta, blosc2_cparams *cparams, const void *chunk)
{
    (void)input, (void)input_len, (void)output, (void)output_len, (void)meta, (void)cparams;
    (void)chunk;
    return BLOSC2_ERROR_FAILURE;
}

static int
forward(const uint8_t *src, uint8_t *dst, int32_t size, uint8_t meta, blosc2_cparams *cparams,
        uint8_t id)
{
    assert_int_equal(id, FILTER);
    assert_int_equal(cparams->typesize, 4);
    for (int32_t i = 0; i < size; i++)
        dst[i] = (uint8_t)(src[i] + meta);
    return 0;
}

static int
backward(const uint8_t *src, uint8_t *dst, int32_t size, uint8_t meta, blosc2_dparams *dparams,
         uint8_t id)
{
    assert_int_equal(id, FILTER);
    assert_non_null(dparams);
    for (int32_t i = 0; i < size; i++)
        dst[i] = (uint8_t)(src[i] - meta);
    return 0;
}

static char codec_name[] = "pairs", filter_name[] = "plus", other_name[] = "other";

static const blosc2_codec codec = {CODEC, codec_name, CODEC, 1, encode, decode};
static const blosc2_filter filter = {FILTER, filter_name, 1, forward, backward};

static blosc2_cparams
own_cparams(void)
{
    blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
    c.compcode = CODEC;
    c.compcode_meta = 11;
    c.typesize = 4;
    c.blocksize = 8000;
    c.splitmode = BLOSC_NEVER_SPLIT;
    c.filters[5] = FILTER;
    c.filters_meta[5] = 200;
    c.codec_params = &nencoded;
    return c;
}

static void
draw_pairs(uint8_t *items)
{
    for (int i = 0; i < BYTES; i++)
        items[i] = (uint8_t)(i / 2 % 251);
}

static void
contexts_use_them(void **state)
{
    static uint8_t items[BYTES], back[BYTES], chunk[BYTES + BLOSC2_MAX_OVERHEAD];
    blosc2_codec own = codec;
    blosc2_filter plus = filter;
    const char *name;
    (void)state;
    draw_pairs(items);
    blosc2_context *const cctx = blosc2_create_cctx(own_cparams());
    blosc2_context *const dctx = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
    assert_int_equal(blosc2_compress_ctx(cctx, items, BYTES, chunk, sizeof chunk),
                     BLOSC2_ERROR_CODEC_SUPPORT);
    assert_good(blosc2_register_codec(&own));
    assert_good(blosc2_register_filter(&plus));
    nencoded = ndecoded = 0;
    const int n = blosc2_compress_ctx(cctx, items, BYTES, chunk, sizeof chunk);
    assert_in_range(n, BYTES / 2, BYTES * 6 / 10);
    assert_int_equal(nencoded, 5);
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, BYTES), BYTES);
    assert_int_equal(ndecoded, 5);
    assert_memory_equal(back, items, BYTES);
    assert_int_equal(blosc2_getitem_ctx(dctx, chunk, n, 5000, 10, back, BYTES), 40);
    assert_int_equal(ndecoded, 6); // one block of five
    assert_memory_equal(back, items + 20000, 40);

    assert_int_equal(blosc2_compcode_to_compname(CODEC, &name), CODEC);
    assert_string_equal(name, "pairs");
    assert_int_equal(blosc2_compname_to_compcode("pairs"), CODEC);
    blosc2_destroy();
    assert_int_equal(blosc2_compname_to_compcode("pairs"), -1);
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, BYTES),
                     BLOSC2_ERROR_CODEC_SUPPORT);
    blosc2_free_ctx(cctx);
    blosc2_free_ctx(dctx);
}

static void
failures_are_passed_on(void **state)
{
    static uint8_t items[BYTES], back[BYTES], chunk[BYTES + BLOSC2_MAX_OVERHEAD];
    blosc2_codec own = codec;
    blosc2_filter plus = filter;
    (void)state;
    draw_pairs(items);
    assert_good(blosc2_register_codec(&own));
    assert_good(blosc2_register_filter(&plus));
    blosc2_context *const cctx = blosc2_create_cctx(own_cparams());
    blosc2_context *const dctx = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
    const int n = blosc2_compress_ctx(cctx, items, BYTES, chunk, sizeof chunk);
    assert_true(n > 0);
    // A stream of another size: the decoder fails.
    const uint32_t start = chunk[32] + 256u * chunk[33];
    chunk[start] ^= 2;
    assert_true(blosc2_decompress_ctx(dctx, chunk, n, back, BYTES) < 0);
    blosc2_destroy();
    own.encoder = failing_encode;
    assert_good(blosc2_register_codec(&own));
    assert_good(blosc2_register_filter(&plus));
    assert_true(blosc2_compress_ctx(cctx, items, BYTES, chunk, sizeof chunk) < 0);
    blosc2_free_ctx(cctx);
    blosc2_free_ctx(dctx);
    blosc2_destroy();
}

// The chunk is not known in super-chunks.
static int
encode_in_schunk(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len,
                 uint8_t meta, blosc2_cparams *cparams, const void *chunk)
{
    return encode(input, input_len, output, output_len, meta, cparams, chunk ? chunk : input);
}

static int
decode_in_schunk(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len,
                 uint8_t meta, blosc2_dparams *dparams, const void *chunk)
{
    return decode(input, input_len, output, output_len, meta, dparams, chunk ? chunk : input);
}

// An array begins; items are written, and read, if there are the functions.
static void
check_array(blosc2_cparams *cparams, const uint8_t *items, bool writes, bool reads)
{
    const int64_t shape[] = {BYTES / 4}, start[] = {0};
    const int32_t chunkshape[] = {BYTES / 8}, blockshape[] = {2000};
    static uint8_t back[BYTES];
    blosc2_storage storage = {true, NULL, cparams, NULL, NULL};
    b2nd_context_t *const ctx =
        b2nd_create_ctx(&storage, 1, shape, chunkshape, blockshape, NULL, 0, NULL, 0);
    b2nd_array_t *array = NULL;

    assert_non_null(ctx);
    assert_good(b2nd_zeros(ctx, &array));
    assert_int_equal(b2nd_set_slice_cbuffer(items, shape, BYTES, start, shape, array) == 0, writes);
    assert_good(b2nd_free(array));
    assert_int_equal(b2nd_from_cbuffer(ctx, &array, items, BYTES) == 0, writes);
    if (writes) {
        assert_int_equal(b2nd_to_cbuffer(array, back, BYTES) == 0, reads);
        assert_good(b2nd_free(array));
    }
    assert_good(b2nd_free_ctx(ctx));
}

// Functions may be missing when a codec or filter is registered; calls that need them fail.
static void
functions_that_are_missing(void **state)
{
    static uint8_t items[BYTES], back[BYTES], chunk[BYTES + BLOSC2_MAX_OVERHEAD];
    (void)state;
    draw_pairs(items);
    for (unsigned missing = 0; missing < 16; missing++) {
        const bool writes = !(missing & 5), reads = !(missing & 10);
        blosc2_codec own = codec;
        blosc2_filter plus = filter;
        blosc2_cparams cparams = own_cparams();
        blosc2_storage storage = {true, NULL, &cparams, NULL, NULL};

        own.encoder = missing & 1 ? NULL : encode_in_schunk;
        own.decoder = missing & 2 ? NULL : decode_in_schunk;
        plus.forward = missing & 4 ? NULL : forward;
        plus.backward = missing & 8 ? NULL : backward;
        assert_good(blosc2_register_codec(&own));
        assert_good(blosc2_register_filter(&plus));
        blosc2_context *const cctx = blosc2_create_cctx(cparams);
        blosc2_context *const dctx = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
        const int n = blosc2_compress_ctx(cctx, items, BYTES, chunk, sizeof chunk);
        assert_int_equal(n > 0, writes);
        if (writes)
            assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, BYTES),
                             reads ? BYTES : BLOSC2_ERROR_CODEC_SUPPORT);
        blosc2_free_ctx(cctx);
        blosc2_free_ctx(dctx);
        blosc2_schunk *const schunk = blosc2_schunk_new(&storage);
        assert_non_null(schunk);
        assert_int_equal(blosc2_schunk_append_buffer(schunk, items, BYTES) == 1, writes);
        if (writes)
            assert_int_equal(blosc2_schunk_decompress_chunk(schunk, 0, back, BYTES),
                             reads ? BYTES : BLOSC2_ERROR_CODEC_SUPPORT);
        assert_good(blosc2_schunk_free(schunk));
        check_array(&cparams, items, writes, reads);
        blosc2_destroy();
    }
}

// A codec that asks for a metalayer of the super-chunk that it works for.
static void
check_layer(blosc2_schunk *schunk)
{
    uint8_t *content = NULL;
    int32_t size = 0;

    assert_int_equal(blosc2_vlmeta_exists(schunk, "step"), 0);
    assert_int_equal(blosc2_vlmeta_exists(schunk, "other"), BLOSC2_ERROR_NOT_FOUND);
    assert_int_equal(blosc2_vlmeta_get(schunk, "step", &content, &size), 0);
    assert_int_equal(size, 3);
    assert_memory_equal(content, "two", 3);
    free(content);
}

static int
asking_encode(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len,
              uint8_t meta, blosc2_cparams *cparams, const void *chunk)
{
    check_layer(cparams->schunk);
    return encode_in_schunk(input, input_len, output, output_len, meta, cparams, chunk);
}

static int
asking_decode(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len,
              uint8_t meta, blosc2_dparams *dparams, const void *chunk)
{
    check_layer(dparams->schunk);
    return decode_in_schunk(input, input_len, output, output_len, meta, dparams, chunk);
}

static void
codecs_read_metalayers(void **state)
{
    static uint8_t items[BYTES], back[BYTES];
    blosc2_codec own = codec;
    blosc2_filter plus = filter;
    blosc2_cparams cparams = own_cparams();
    blosc2_storage storage = {true, NULL, &cparams, NULL, NULL};
    (void)state;
    draw_pairs(items);
    own.encoder = asking_encode;
    own.decoder = asking_decode;
    assert_good(blosc2_register_codec(&own));
    assert_good(blosc2_register_filter(&plus));
    blosc2_schunk *const schunk = blosc2_schunk_new(&storage);
    assert_non_null(schunk);
    uint8_t layer[] = {'t', 'w', 'o'};
    assert_int_equal(blosc2_vlmeta_add(schunk, "step", layer, sizeof layer, NULL), 0);
    nencoded = ndecoded = 0;
    assert_int_equal(blosc2_schunk_append_buffer(schunk, items, BYTES), 1);
    assert_true(nencoded > 0);
    assert_int_equal(blosc2_schunk_decompress_chunk(schunk, 0, back, BYTES), BYTES);
    assert_true(ndecoded > 0);
    assert_memory_equal(back, items, BYTES);
    // By a context of the super-chunk, too.
    uint8_t *chunk = NULL;
    bool needs_free = false;
    const int size = blosc2_schunk_get_chunk(schunk, 0, &chunk, &needs_free);
    assert_int_equal(blosc2_decompress_ctx(schunk->dctx, chunk, size, back, BYTES), BYTES);
    free(chunk);
    assert_good(blosc2_schunk_free(schunk));
    blosc2_destroy();
}

static void
registering(void **state)
{
    blosc2_codec own = codec;
    blosc2_filter plus = filter;
    (void)state;
    assert_good(blosc2_register_codec(&own));
    assert_good(blosc2_register_codec(&own)); // again: nothing to do
    own.compname = other_name;
    assert_int_equal(blosc2_register_codec(&own), BLOSC2_ERROR_CODEC_PARAM);
    own.compcode = BLOSC2_USER_REGISTERED_CODECS_START - 1;
    assert_int_equal(blosc2_register_codec(&own), BLOSC2_ERROR_CODEC_PARAM);
    own.compcode = 230;
    own.encoder = NULL, own.decoder = NULL;
    assert_good(blosc2_register_codec(&own));
    own.compname = NULL;
    assert_int_equal(blosc2_register_codec(&own), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_register_codec(NULL), BLOSC2_ERROR_INVALID_PARAM);

    assert_good(blosc2_register_filter(&plus));
    assert_good(blosc2_register_filter(&plus));
    plus.name = other_name;
    assert_int_equal(blosc2_register_filter(&plus), BLOSC2_ERROR_FAILURE);
    plus.id = BLOSC2_USER_REGISTERED_FILTERS_START - 1;
    assert_int_equal(blosc2_register_filter(&plus), BLOSC2_ERROR_FAILURE);
    plus.id = 230;
    plus.forward = NULL, plus.backward = NULL;
    assert_good(blosc2_register_filter(&plus));
    assert_int_equal(blosc2_register_filter(NULL), BLOSC2_ERROR_INVALID_PARAM);
    blosc2_destroy();
}

static void
names(void **state)
{
    static const struct {
        int code;
        const char *name, *library;
        int format;
    } known[] = {
        {BLOSC_BLOSCLZ, "blosclz", "BloscLZ", BLOSC_BLOSCLZ_LIB},
        {BLOSC_LZ4, "lz4", "LZ4", BLOSC_LZ4_LIB},
        {BLOSC_LZ4HC, "lz4hc", "LZ4", BLOSC_LZ4_LIB},
        {BLOSC_ZLIB, "zlib", "Zlib", BLOSC_ZLIB_LIB},
        {BLOSC_ZSTD, "zstd", "Zstd", BLOSC_ZSTD_LIB},
    };
    const char *name;
    char *library, *version;
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        assert_int_equal(blosc2_compcode_to_compname(known[i].code, &name), known[i].code);
        assert_string_equal(name, known[i].name);
        assert_int_equal(blosc2_compname_to_compcode(known[i].name), known[i].code);
        assert_int_equal(blosc2_get_complib_info(known[i].name, &library, &version),
                         known[i].format);
        assert_string_equal(library, known[i].library);
        assert_non_null(version);
        free(library);
        free(version);
        assert_non_null(strstr(blosc2_list_compressors(), known[i].name));
    }
    assert_int_equal(blosc2_compcode_to_compname(3, &name), -1);
    assert_null(name);
    assert_int_equal(blosc2_compname_to_compcode("none"), -1);
    assert_int_equal(blosc2_compname_to_compcode(NULL), -1);
    assert_int_equal(blosc2_get_complib_info("none", &library, &version), -1);
    assert_true(!library && !version);
    assert_string_equal(blosc2_get_version_string(), BLOSC2_VERSION_STRING);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_use_them),
        cmocka_unit_test(failures_are_passed_on),
        cmocka_unit_test(functions_that_are_missing),
        cmocka_unit_test(codecs_read_metalayers),
        cmocka_unit_test(registering),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
