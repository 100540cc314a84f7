/*
 * arguments.c - every public function with arguments that are wrong.
 *
 * Each refusal has a status and a sentence, changes nothing and leaves no file; that nothing leaks
 * is for the address sanitizer to say.
 */
#include "support/files.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

// A small array: 7 x 5 items of 4 bytes in chunks of 3 x 2, blocks of 2 x 2, filled with 0, 1, 2...
static void
small_params(tess_params *p)
{
    tess_params_init(p);
    p->dtype = "<i4";
    p->ndim = 2;
    p->shape[0] = 7;
    p->shape[1] = 5;
    p->chunkshape[0] = 3;
    p->chunkshape[1] = 2;
    p->blockshape[0] = 2;
    p->blockshape[1] = 2;
}

static void
small_reference(struct reference *r)
{
    reference_init(r, 2, (const int64_t[]){7, 5}, 4);
    for (int32_t i = 0; i < 35; i++)
        memcpy(r->data + 4 * i, &i, 4);
}

static const int64_t origin[2] = {0, 0};
static const int64_t whole[2] = {7, 5};

// The array that most tests have, in memory and in a file, and what it must hold all the time.
struct fixture {
    struct reference reference;
    tess_array *memory;
    tess_array *file;
    tess_array *readonly; // the file, as it was committed
};

static int
begin(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    const tess_metalayer layer = {"layer", "12345", 5};
    tess_storage storage;
    tess_params params;

    files_begin();
    small_reference(&f->reference);
    small_params(&params);
    params.metalayers = &layer;
    params.nmetalayers = 1;

    tess_storage_init(&storage);
    ok(tess_array_from(&storage, &params, f->reference.data, 140, &f->memory, err));
    storage.path = files_path("array.b2nd");
    storage.mode = TESS_MODE_NEW;
    ok(tess_array_from(&storage, &params, f->reference.data, 140, &f->file, err));
    ok(tess_vlmeta_set(f->file, "vl", "abc", 3, err));
    ok(tess_vlmeta_set(f->memory, "vl", "abc", 3, err));
    ok(tess_array_flush(f->file, err));
    storage.mode = TESS_MODE_READ;
    ok(tess_array_open(&storage, &f->readonly, err));
    *state = f;
    return 0;
}

static int
end(void **state)
{
    struct fixture *f = *state;

    assert_true(getuid() != 0 || seteuid(0) == 0); // permissions() may have failed in between
    (void)tess_array_close(f->memory, NULL);
    (void)tess_array_close(f->file, NULL);
    (void)tess_array_close(f->readonly, NULL);
    reference_finish(&f->reference);
    free(f);
    files_end();
    return 0;
}

static void
check_metas(const tess_array *a)
{
    tess_metalayer layer;
    void *content = NULL;
    size_t size = 0;
    tess_info info;

    tess_array_info(a, &info);
    assert_int_equal(info.nmetalayers, 2);
    assert_int_equal(info.nvlmetalayers, 1);
    ok(tess_meta_get(a, "layer", &layer, err));
    assert_int_equal(layer.size, 5);
    assert_memory_equal(layer.content, "12345", 5);
    ok(tess_vlmeta_get(a, "vl", &content, &size, err));
    assert_int_equal(size, 3);
    assert_memory_equal(content, "abc", 3);
    tess_free(content);
}

// All three as before, also for those who open the file after a commit.
static void
check_unchanged(struct fixture *f)
{
    tess_array *const arrays[] = {f->memory, f->file, f->readonly};

    ok(tess_array_flush(f->memory, err));
    ok(tess_array_flush(f->file, err));
    for (size_t i = 0; i < COUNT(arrays); i++) {
        check_array(arrays[i], &f->reference);
        check_metas(arrays[i]);
    }
    check_file(files_path("array.b2nd"), &f->reference);
}

// -- creating

typedef void change_fn(tess_params *p);

#define CHANGE(name, statement)      \
    static void name(tess_params *p) \
    {                                \
        statement;                   \
    }

CHANGE(ndim_negative, p->ndim = -1)
CHANGE(ndim_17, p->ndim = TESS_MAX_NDIM + 1)
CHANGE(ndim_huge, p->ndim = 1 << 30)
CHANGE(shape_negative, p->shape[1] = -1)
CHANGE(chunk_negative, p->chunkshape[0] = -3)
CHANGE(chunk_zero, p->chunkshape[1] = 0)
CHANGE(block_negative, p->blockshape[0] = -1)
CHANGE(block_zero, p->blockshape[1] = 0)
CHANGE(block_larger, p->blockshape[0] = 4)
CHANGE(typesize_negative, p->dtype = NULL; p->typesize = -4)
CHANGE(typesize_other, p->typesize = 8)
CHANGE(typesize_unknown, p->dtype = "no such type"; p->typesize = 0)
CHANGE(notation_no_size, p->dtype_format = 1; p->typesize = 0)
CHANGE(notation_negative, p->dtype_format = -1)
CHANGE(notation_128, p->dtype_format = 128)
CHANGE(codec_3, p->codec = 3)
CHANGE(codec_33, p->codec = 33)
CHANGE(codec_negative, p->codec = -1)
CHANGE(codec_257, p->codec = 257)
CHANGE(level_negative, p->clevel = -1)
CHANGE(level_10, p->clevel = 10)
CHANGE(filter_5, p->filters[0] = 5)
CHANGE(filter_32, p->filters[2] = 32)
CHANGE(filter_200, p->filters[5] = 200)
CHANGE(filter_34, p->filters[5] = 34)
CHANGE(split_0, p->split = (tess_split)0)
CHANGE(split_9, p->split = (tess_split)9)
CHANGE(layer_2, p->layer = (tess_layer)2)
CHANGE(struct_small, p->struct_size = 3)

static void
prec_of_zero(tess_params *p)
{
    p->dtype = "<f4";
    p->filters[0] = TESS_FILTER_TRUNC_PREC;
    p->filters_meta[0] = 0;
}

static void
prec_of_24(tess_params *p)
{
    prec_of_zero(p);
    p->filters_meta[0] = 24;
}

static void
prec_of_2_bytes(tess_params *p)
{
    p->dtype = "<f2";
    p->filters[0] = TESS_FILTER_TRUNC_PREC;
    p->filters_meta[0] = 3;
}

static void
prec_before_delta(tess_params *p)
{
    prec_of_zero(p);
    p->filters_meta[0] = 10;
    p->filters[1] = TESS_FILTER_DELTA;
}

static void
int_trunc_of_3_bytes(tess_params *p)
{
    p->dtype = NULL;
    p->typesize = 3;
    p->filters[0] = TESS_FILTER_INT_TRUNC;
    p->filters_meta[0] = 3;
}

static void
int_trunc_of_all(tess_params *p)
{
    p->filters[0] = TESS_FILTER_INT_TRUNC;
    p->filters_meta[0] = (uint8_t)-32;
}

static void
dtype_too_long(tess_params *p)
{
    static char name[TESS_DTYPE_MAX + 2];

    memset(name, 'x', sizeof name - 1);
    p->dtype = name;
    p->typesize = 4;
}

static void
chunk_2_gib(tess_params *p)
{
    p->shape[0] = p->chunkshape[0] = 1 << 29;
    p->shape[1] = p->chunkshape[1] = 1;
    p->blockshape[0] = 1 << 10;
    p->blockshape[1] = 1;
}

static void
chunk_padded_to_2_gib(tess_params *p) // it would fit alone; five blocks do not
{
    p->shape[0] = p->chunkshape[0] = (1 << 29) - 64;
    p->shape[1] = p->chunkshape[1] = 1;
    p->blockshape[0] = 134000000;
    p->blockshape[1] = 1;
}

static void
chunk_overflows(tess_params *p)
{
    p->shape[0] = p->shape[1] = 1;
    p->chunkshape[0] = p->chunkshape[1] = INT64_C(1) << 62;
    p->blockshape[0] = p->blockshape[1] = 1;
}

static void
shape_overflows(tess_params *p)
{
    p->shape[0] = p->shape[1] = INT64_C(1) << 40;
}

static void
shape_rounds_over(tess_params *p)
{
    p->shape[0] = INT64_MAX;
    p->shape[1] = 1;
}

static void
too_many_chunks(tess_params *p)
{
    p->shape[0] = p->shape[1] = INT64_C(1) << 20;
    p->chunkshape[0] = p->chunkshape[1] = 2;
}

static const tess_metalayer nameless = {"", "x", 1};
static const tess_metalayer null_name = {NULL, "x", 1};
static const tess_metalayer null_content = {"layer", NULL, 1};
static const tess_metalayer long_name = {"a name of more than 31 characters", "x", 1};
static const tess_metalayer reserved = {"b2nd", "x", 1};
static const tess_metalayer twice[] = {{"layer", "x", 1}, {"layer", "y", 1}};

static void
one_layer(tess_params *p, const tess_metalayer *layer)
{
    p->metalayers = layer;
    p->nmetalayers = 1;
}

CHANGE(meta_nameless, one_layer(p, &nameless))
CHANGE(meta_null_name, one_layer(p, &null_name))
CHANGE(meta_null_content, one_layer(p, &null_content))
CHANGE(meta_long_name, one_layer(p, &long_name))
CHANGE(meta_reserved, one_layer(p, &reserved))
CHANGE(meta_null, one_layer(p, NULL))
CHANGE(meta_negative, p->nmetalayers = -1)
CHANGE(meta_twice, p->metalayers = twice; p->nmetalayers = 2)

static void
meta_16(tess_params *p) // with the N-dimensional one 17
{
    static const tess_metalayer layers[TESS_MAX_METALAYERS] = {
        {"a", "", 0}, {"b", "", 0}, {"c", "", 0}, {"d", "", 0}, {"e", "", 0}, {"f", "", 0},
        {"g", "", 0}, {"h", "", 0}, {"i", "", 0}, {"j", "", 0}, {"k", "", 0}, {"l", "", 0},
        {"m", "", 0}, {"n", "", 0}, {"o", "", 0}, {"p", "", 0}};

    p->metalayers = layers;
    p->nmetalayers = TESS_MAX_METALAYERS;
}

static const struct {
    const char *reason;
    change_fn *change;
    tess_status status;
    tess_status other; // as good
} bad_params[] = {
    {"ndim -1", ndim_negative, TESS_ERR_ARG, TESS_ERR_ARG},
    {"17 dimensions", ndim_17, TESS_ERR_ARG, TESS_ERR_LIMIT},
    {"2^30 dimensions", ndim_huge, TESS_ERR_ARG, TESS_ERR_LIMIT},
    {"an axis of -1 items", shape_negative, TESS_ERR_ARG, TESS_ERR_ARG},
    {"a chunk of -3 items", chunk_negative, TESS_ERR_ARG, TESS_ERR_ARG},
    {"a chunk with one axis 0", chunk_zero, TESS_ERR_ARG, TESS_ERR_ARG},
    {"a block of -1 items", block_negative, TESS_ERR_ARG, TESS_ERR_ARG},
    {"a block with one axis 0", block_zero, TESS_ERR_ARG, TESS_ERR_ARG},
    {"a block larger than its chunk", block_larger, TESS_ERR_ARG, TESS_ERR_ARG},
    {"items of -4 bytes", typesize_negative, TESS_ERR_ARG, TESS_ERR_ARG},
    {"<i4 of 8 bytes", typesize_other, TESS_ERR_ARG, TESS_ERR_ARG},
    {"a type nobody knows, of no size", typesize_unknown, TESS_ERR_ARG, TESS_ERR_ARG},
    {"a type in another notation, of no size", notation_no_size, TESS_ERR_ARG, TESS_ERR_ARG},
    {"dtype_format -1", notation_negative, TESS_ERR_ARG, TESS_ERR_ARG},
    {"dtype_format 128", notation_128, TESS_ERR_ARG, TESS_ERR_ARG},
    {"codec 3", codec_3, TESS_ERR_UNSUPPORTED, TESS_ERR_ARG},
    {"codec 33, zfp", codec_33, TESS_ERR_UNSUPPORTED, TESS_ERR_ARG},
    {"codec -1", codec_negative, TESS_ERR_ARG, TESS_ERR_UNSUPPORTED},
    {"codec 257", codec_257, TESS_ERR_ARG, TESS_ERR_UNSUPPORTED},
    {"level -1", level_negative, TESS_ERR_ARG, TESS_ERR_ARG},
    {"level 10", level_10, TESS_ERR_ARG, TESS_ERR_ARG},
    {"filter 5", filter_5, TESS_ERR_UNSUPPORTED, TESS_ERR_ARG},
    {"filter 32, ndcell", filter_32, TESS_ERR_UNSUPPORTED, TESS_ERR_ARG},
    {"filter 200", filter_200, TESS_ERR_UNSUPPORTED, TESS_ERR_ARG},
    {"filter 34, which is only read", filter_34, TESS_ERR_ARG, TESS_ERR_UNSUPPORTED},
    {"trunc_prec to 0 bits", prec_of_zero, TESS_ERR_ARG, TESS_ERR_ARG},
    {"trunc_prec to more bits than there are", prec_of_24, TESS_ERR_ARG, TESS_ERR_ARG},
    {"trunc_prec of 2 bytes", prec_of_2_bytes, TESS_ERR_ARG, TESS_ERR_ARG},
    {"a lossy filter before delta", prec_before_delta, TESS_ERR_ARG, TESS_ERR_ARG},
    {"int_trunc of 3 bytes", int_trunc_of_3_bytes, TESS_ERR_ARG, TESS_ERR_ARG},
    {"int_trunc of all bits", int_trunc_of_all, TESS_ERR_ARG, TESS_ERR_ARG},
    {"split 0", split_0, TESS_ERR_ARG, TESS_ERR_ARG},
    {"split 9", split_9, TESS_ERR_ARG, TESS_ERR_ARG},
    {"layer 2", layer_2, TESS_ERR_ARG, TESS_ERR_ARG},
    {"a params of 3 bytes", struct_small, TESS_ERR_ARG, TESS_ERR_ARG},
    {"a type string of 64 KiB", dtype_too_long, TESS_ERR_ARG, TESS_ERR_LIMIT},
    {"a chunk of 2 GiB", chunk_2_gib, TESS_ERR_LIMIT, TESS_ERR_LIMIT},
    {"a chunk of 2 GiB with its padding", chunk_padded_to_2_gib, TESS_ERR_LIMIT, TESS_ERR_LIMIT},
    {"a chunk of 2^124 items", chunk_overflows, TESS_ERR_LIMIT, TESS_ERR_ARG},
    {"2^80 items", shape_overflows, TESS_ERR_LIMIT, TESS_ERR_LIMIT},
    {"2^63 items with the edge of the last chunk", shape_rounds_over, TESS_ERR_LIMIT,
     TESS_ERR_LIMIT},
    {"2^38 chunks", too_many_chunks, TESS_ERR_LIMIT, TESS_ERR_LIMIT},
    {"a metalayer without a name", meta_nameless, TESS_ERR_ARG, TESS_ERR_ARG},
    {"a metalayer with NULL as its name", meta_null_name, TESS_ERR_ARG, TESS_ERR_ARG},
    {"a metalayer of 1 byte at NULL", meta_null_content, TESS_ERR_ARG, TESS_ERR_ARG},
    {"a metalayer with a name of 33 bytes", meta_long_name, TESS_ERR_ARG, TESS_ERR_ARG},
    {"a metalayer named b2nd", meta_reserved, TESS_ERR_ARG, TESS_ERR_ARG},
    {"metalayers at NULL", meta_null, TESS_ERR_ARG, TESS_ERR_ARG},
    {"-1 metalayers", meta_negative, TESS_ERR_ARG, TESS_ERR_ARG},
    {"two metalayers of one name", meta_twice, TESS_ERR_ARG, TESS_ERR_ARG},
    {"16 metalayers and b2nd", meta_16, TESS_ERR_LIMIT, TESS_ERR_ARG},
};

static void
params_refused(void **state)
{
    static const uint8_t data[140];
    tess_storage storage;

    (void)state;
    for (size_t i = 0; i < COUNT(bad_params); i++)
        for (int file = 0; file < 2; file++) {
            tess_array *a = (tess_array *)&storage; // must become NULL
            tess_params params;
            tess_error err = {0};

            small_params(&params);
            bad_params[i].change(&params);
            tess_storage_init(&storage);
            storage.mode = TESS_MODE_NEW;
            storage.path = file ? files_path("refused.b2nd") : NULL;
            const tess_status st = tess_array_zeros(&storage, &params, &a, &err);
            if (st != bad_params[i].status && st != bad_params[i].other)
                fail_msg("%s: %s (%s)", bad_params[i].reason, tess_status_name(st), err.message);
            check_error(&err, st, bad_params[i].reason);
            assert_null(a);
            assert_int_equal(tess_array_zeros(&storage, &params, &a, NULL), st);
            assert_int_equal(tess_array_uninit(&storage, &params, &a, NULL), st);
            assert_int_not_equal(tess_array_from(&storage, &params, data, 140, &a, NULL), TESS_OK);
            assert_int_not_equal(tess_array_full(&storage, &params, data, 4, &a, NULL), TESS_OK);
            assert_int_not_equal(tess_array_nan(&storage, &params, &a, NULL), TESS_OK);
            assert_null(a);
            assert_false(files_exist(files_path("refused.b2nd")));
        }
}

static void
create_arguments(void **state)
{
    const struct fixture *f = *state;
    const uint8_t *data = f->reference.data;
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;

    tess_storage_init(&storage);
    small_params(&params);
    refused(TESS_ERR_ARG, tess_array_zeros(NULL, &params, &a, err));
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, NULL, &a, err));
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &params, NULL, err));
    refused(TESS_ERR_ARG, tess_array_uninit(NULL, NULL, NULL, err));
    refused(TESS_ERR_ARG, tess_array_nan(NULL, NULL, NULL, err));
    refused(TESS_ERR_ARG, tess_array_full(NULL, NULL, NULL, 0, NULL, err));
    refused(TESS_ERR_ARG, tess_array_from(NULL, NULL, NULL, 0, NULL, err));
    refused(TESS_ERR_ARG, tess_array_from(&storage, &params, NULL, 140, &a, err));
    refused(TESS_ERR_ARG, tess_array_from(&storage, &params, data, 139, &a, err));
    refused(TESS_ERR_ARG, tess_array_full(&storage, &params, data, 3, &a, err));
    refused(TESS_ERR_ARG, tess_array_full(&storage, &params, data, 0, &a, err));
    refused(TESS_ERR_ARG, tess_array_full(&storage, &params, NULL, 4, &a, err));
    params.dtype = "<i2";
    refused(TESS_ERR_ARG, tess_array_nan(&storage, &params, &a, err));
    params.dtype = "|V12";
    refused(TESS_ERR_ARG, tess_array_nan(&storage, &params, &a, err));
    assert_null(a);

    small_params(&params);
    params.fill = data;
    params.fill_size = 3;
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &params, &a, err));
    params.fill_size = 144; // more than needed
    ok(tess_array_zeros(&storage, &params, &a, err));
    ok(tess_array_close(a, err));
    small_params(&params);
    ok(tess_array_from(&storage, &params, data, 144, &a, err));
    check_array(a, &f->reference);
    ok(tess_array_close(a, err));
    ok(tess_array_full(&storage, &params, data, 140, &a, err));
    ok(tess_array_close(a, err));
    a = NULL;

    small_params(&params);
    storage.struct_size = 1;
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &params, &a, err));
    tess_storage_init(&storage);
    storage.mode = (tess_mode)17;
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &params, &a, err));
    tess_storage_init(&storage);
    storage.durability = (tess_durability)9;
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &params, &a, err));
    tess_storage_init(&storage);
    storage.path = files_path("new.b2nd");
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &params, &a, err)); // mode READ
    storage.mode = TESS_MODE_UPDATE;
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &params, &a, err));
    storage.mode = TESS_MODE_NEW;
    storage.offset = 10;
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &params, &a, err));
    assert_null(a);
    assert_int_equal(files_count(), 1);
}

static void
create_places(void **state)
{
    struct fixture *f = *state;
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;

    small_params(&params);
    tess_storage_init(&storage);
    storage.mode = TESS_MODE_NEW;
    storage.path = files_path("array.b2nd");
    refused(TESS_ERR_IO, tess_array_zeros(&storage, &params, &a, err)); // it exists
    storage.path = files_path("no such folder/array.b2nd");
    refused(TESS_ERR_IO, tess_array_zeros(&storage, &params, &a, err));
    storage.path = "";
    refused(TESS_ERR_IO, tess_array_zeros(&storage, &params, &a, err));

    assert_int_equal(mkdir(files_path("folder"), 0755), 0);
    storage.path = files_path("folder");
    refused(TESS_ERR_IO, tess_array_zeros(&storage, &params, &a, err));
    storage.mode = TESS_MODE_REPLACE;
    refused(TESS_ERR_IO, tess_array_zeros(&storage, &params, &a, err));
    storage.path = files_path("no such folder/array.b2nd");
    refused(TESS_ERR_IO, tess_array_zeros(&storage, &params, &a, err));
    assert_null(a);
    assert_int_equal(files_count(), 2);

    // What is open for writing is not replaced.
    storage.path = files_path("array.b2nd");
    refused(TESS_ERR_IO, tess_array_zeros(&storage, &params, &a, err));
    assert_int_equal(files_count(), 2);
    check_unchanged(f);

    // A failed replacement leaves the old file.
    size_t size;
    storage.path = files_path("other.b2nd");
    files_write(storage.path, "other", 5);
    params.clevel = 11;
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &params, &a, err));
    assert_int_equal(files_count(), 3);
    uint8_t *const other = files_read(storage.path, &size);
    assert_int_equal(size, 5);
    assert_memory_equal(other, "other", 5);
    free(other);
}

// -- opening

static void
open_arguments(void **state)
{
    struct fixture *f = *state;
    tess_storage storage;
    tess_array *a = NULL;

    tess_storage_init(&storage);
    refused(TESS_ERR_ARG, tess_array_open(NULL, &a, err));
    refused(TESS_ERR_ARG, tess_array_open(&storage, &a, err)); // no path, no image
    storage.path = files_path("array.b2nd");
    refused(TESS_ERR_ARG, tess_array_open(&storage, NULL, err));
    storage.struct_size = 0;
    refused(TESS_ERR_ARG, tess_array_open(&storage, &a, err));
    tess_storage_init(&storage);
    storage.path = files_path("array.b2nd");
    storage.mode = TESS_MODE_NEW;
    refused(TESS_ERR_ARG, tess_array_open(&storage, &a, err));
    storage.mode = TESS_MODE_REPLACE;
    refused(TESS_ERR_ARG, tess_array_open(&storage, &a, err));
    storage.mode = (tess_mode)-1;
    refused(TESS_ERR_ARG, tess_array_open(&storage, &a, err));
    storage.mode = TESS_MODE_READ;
    storage.offset = -1;
    refused(TESS_ERR_ARG, tess_array_open(&storage, &a, err));
    assert_null(a);
    check_unchanged(f);
}

static void
open_places(void **state)
{
    struct fixture *f = *state;
    static const uint8_t zeros[1000];
    size_t size = 0;
    uint8_t *bytes = files_read(files_path("array.b2nd"), &size);
    tess_storage storage;
    tess_array *a = NULL;

    tess_storage_init(&storage);
    storage.path = files_path("no such file");
    refused(TESS_ERR_NOT_FOUND, tess_array_open(&storage, &a, err));
    storage.mode = TESS_MODE_UPDATE;
    refused(TESS_ERR_NOT_FOUND, tess_array_open(&storage, &a, err));
    storage.mode = TESS_MODE_READ;
    storage.path = "";
    refused(TESS_ERR_NOT_FOUND, tess_array_open(&storage, &a, err));
    storage.path = files_path("array.b2nd/inside");
    refused(TESS_ERR_IO, tess_array_open(&storage, &a, err));

    files_write(files_path("empty"), "", 0);
    storage.path = files_path("empty");
    refused(TESS_ERR_FORMAT, tess_array_open(&storage, &a, err));
    files_write(files_path("zeros"), zeros, sizeof zeros);
    storage.path = files_path("zeros");
    refused(TESS_ERR_FORMAT, tess_array_open(&storage, &a, err));
    files_write(files_path("text"), "This is not a frame.", 20);
    storage.path = files_path("text");
    refused(TESS_ERR_FORMAT, tess_array_open(&storage, &a, err));

    // A folder: not an IO error of the disk alone; sparse frames are folders, and not read yet.
    tess_error error = {0};
    assert_int_equal(mkdir(files_path("folder"), 0755), 0);
    storage.path = files_path("folder");
    const tess_status st = tess_array_open(&storage, &a, &error);
    assert_true(st == TESS_ERR_IO || st == TESS_ERR_UNSUPPORTED || st == TESS_ERR_FORMAT);
    check_error(&error, st, "open a folder");

    storage.path = files_path("array.b2nd");
    storage.offset = (int64_t)size; // behind the end
    refused(TESS_ERR_FORMAT, tess_array_open(&storage, &a, err));
    storage.offset = INT64_MAX;
    const tess_status far = tess_array_open(&storage, &a, &error);
    assert_true(far == TESS_ERR_FORMAT || far == TESS_ERR_ARG);
    check_error(&error, far, "open at offset 2^63 - 1");
    storage.offset = 1;
    refused(TESS_ERR_FORMAT, tess_array_open(&storage, &a, err));

    tess_storage_init(&storage);
    storage.image = bytes;
    for (size_t n = 0; n < size; n++) { // every cut is noticed
        tess_error cut = {0};
        uint8_t *part = malloc(n > 0 ? n : 1);
        assert_non_null(part);
        memcpy(part, bytes, n);
        storage.image = part;
        storage.image_size = n;
        const tess_status refusal = tess_array_open(&storage, &a, &cut);
        if (refusal != TESS_ERR_FORMAT && refusal != TESS_ERR_CORRUPT)
            fail_msg("image cut to %zu of %zu bytes: %s (%s)", n, size, tess_status_name(refusal),
                     cut.message);
        check_error(&cut, refusal, "a cut image");
        free(part);
    }
    storage.image = NULL;
    storage.image_size = 100;
    refused(TESS_ERR_ARG, tess_array_open(&storage, &a, err));
    assert_null(a);
    free(bytes);
    check_unchanged(f);
}

// Who is root is nobody for the while: root is refused nothing.
static void
permissions(void **state)
{
    const uid_t nobody = 65534;
    const bool is_root = geteuid() == 0;
    const char *path = files_path("array.b2nd");
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;

    (void)state;
    small_params(&params);
    tess_storage_init(&storage);
    storage.path = path;
    assert_int_equal(chmod(files_path("."), 0555), 0);
    assert_int_equal(chmod(path, 0444), 0);
    assert_true(!is_root || seteuid(nobody) == 0);
    ok(tess_array_open(&storage, &a, err));
    ok(tess_array_close(a, err));
    a = NULL;
    storage.mode = TESS_MODE_UPDATE;
    refused(TESS_ERR_IO, tess_array_open(&storage, &a, err));
    storage.mode = TESS_MODE_REPLACE;
    refused(TESS_ERR_IO, tess_array_zeros(&storage, &params, &a, err));
    storage.mode = TESS_MODE_NEW;
    storage.path = files_path("new.b2nd");
    refused(TESS_ERR_IO, tess_array_zeros(&storage, &params, &a, err));
    assert_true(!is_root || seteuid(0) == 0);

    storage.path = path;
    storage.mode = TESS_MODE_READ;
    assert_int_equal(chmod(path, 0), 0);
    assert_true(!is_root || seteuid(nobody) == 0);
    refused(TESS_ERR_IO, tess_array_open(&storage, &a, err));
    assert_true(!is_root || seteuid(0) == 0);
    assert_null(a);
    assert_int_equal(chmod(files_path("."), 0755), 0);
}

static void
limits(void **state)
{
    struct fixture *f = *state;
    tess_storage storage;
    tess_array *a = NULL;

    tess_storage_init(&storage);
    storage.path = files_path("array.b2nd");
    storage.limits.ndim = 1;
    refused(TESS_ERR_LIMIT, tess_array_open(&storage, &a, err));
    storage.limits.ndim = 2;
    storage.limits.nchunks = 8;
    refused(TESS_ERR_LIMIT, tess_array_open(&storage, &a, err));
    storage.limits.nchunks = 9;
    ok(tess_array_open(&storage, &a, err));
    check_array(a, &f->reference);
    ok(tess_array_close(a, err));
    a = NULL;
    storage.limits.memory = 1;
    refused(TESS_ERR_LIMIT, tess_array_open(&storage, &a, err));
    assert_null(a);
}

static void
limit_of_nesting(void **state)
{
    tess_storage storage;
    tess_array *a = NULL;
    tess_value *value;

    tess_params params;
    (void)state;
    tess_storage_init(&storage);
    storage.path = files_path("nested.b2nd");
    storage.mode = TESS_MODE_NEW;
    tess_params_init(&params);
    ok(tess_array_zeros(&storage, &params, &a, err));
    ok(tess_attr_set_json(a, "deep", "[[[1]]]", err));
    ok(tess_array_close(a, err));
    storage.mode = TESS_MODE_READ;
    for (int levels = 1; levels <= TESS_VALUE_MAX_DEPTH; levels++) {
        storage.limits.nesting = levels;
        ok(tess_array_open(&storage, &a, err));
        ok(tess_attr_get(a, "deep", &value, err));
        assert_int_equal(value->type, levels < 3 ? TESS_VALUE_OPAQUE : TESS_VALUE_LIST);
        tess_free(value);
        ok(tess_array_close(a, err));
    }
    a = NULL;
    storage.limits.nesting = TESS_VALUE_MAX_DEPTH + 1;
    refused(TESS_ERR_ARG, tess_array_open(&storage, &a, err));
    storage.limits.nesting = -1;
    refused(TESS_ERR_ARG, tess_array_open(&storage, &a, err));
    assert_null(a);
}

// What lies behind the last of 3 items, in a block of 16 KB, becomes part of the array.
static tess_status
grow_by_one(int32_t value, tess_error *why)
{
    tess_storage storage;
    tess_params params;
    tess_array *a, *narrow = NULL;
    const void *image;
    size_t size;

    tess_storage_init(&storage);
    tess_params_init(&params);
    params.typesize = sizeof value;
    params.ndim = 1;
    params.shape[0] = 3;
    params.chunkshape[0] = params.blockshape[0] = 1 << 12;
    params.clevel = 0; // stored as it is: nothing else takes memory for the block
    const int32_t items[] = {value, value, value};
    ok(tess_array_from(&storage, &params, items, sizeof items, &a, err));
    ok(tess_array_image(a, &image, &size, err));
    storage.image = image;
    storage.image_size = size;
    storage.mode = TESS_MODE_UPDATE;
    storage.limits.memory = 1 << 10;
    ok(tess_array_open(&storage, &narrow, err));
    const tess_status st = tess_array_resize(narrow, (const int64_t[]){4}, why);
    tess_array_discard(narrow);
    tess_array_discard(a);
    return st;
}

static void
limit_of_blocks(void **state)
{
    (void)state;
    refused(TESS_ERR_LIMIT, grow_by_one(7, err));
    ok(grow_by_one(0, err)); // no block is looked at
}

// The limit is for blocks: that several are read or written at once is no reason to refuse any.
static void
limit_of_many_blocks(void **state)
{
    enum { SIDE = 512, BLOCK = 32 }; // 4 KiB each
    struct reference r;
    tess_storage storage;
    tess_params params;
    struct random random;

    (void)state;
    random_init(&random, random_seed());
    reference_init(&r, 2, (const int64_t[]){SIDE, SIDE}, 4);
    random_bytes(&random, r.data, reference_size(&r) / 2); // the other half is zeros
    tess_params_init(&params);
    params.typesize = 4;
    params.ndim = 2;
    for (int i = 0; i < 2; i++) {
        params.shape[i] = params.chunkshape[i] = SIDE;
        params.blockshape[i] = BLOCK;
    }
    for (params.clevel = 0; params.clevel < 2; params.clevel++) {
        tess_array *a = NULL;
        tess_storage_init(&storage);
        storage.path = files_path("many.b2nd");
        storage.mode = TESS_MODE_REPLACE;
        ok(tess_array_from(&storage, &params, r.data, reference_size(&r), &a, err));
        ok(tess_array_close(a, err));
        storage.mode = TESS_MODE_UPDATE;
        storage.limits.memory = 6 << 10;
        ok(tess_array_open(&storage, &a, err));
        check_array(a, &r);
        const int64_t start[2] = {200, 3}, stop[2] = {230, SIDE - 5};
        const size_t size = reference_box_size(&r, start, stop);
        reference_set(&r, start, stop, r.data);
        uint8_t *const items = malloc(size);
        assert_non_null(items);
        reference_get(&r, start, stop, items);
        ok(tess_array_write(a, start, stop, items, size, err));
        check_array(a, &r);
        ok(tess_array_close(a, err));
        free(items);
    }
    reference_finish(&r);
}

// -- reading and writing

static const struct {
    const char *reason;
    int64_t start[2];
    int64_t stop[2];
} bad_boxes[] = {
    {"starts at -1", {-1, 0}, {3, 3}},
    {"starts at the smallest number", {INT64_MIN, 0}, {3, 3}},
    {"ends behind the rows", {0, 0}, {8, 5}},
    {"ends behind the columns", {0, 0}, {7, 6}},
    {"ends at the largest number", {0, 0}, {INT64_MAX, 5}},
    {"goes backwards", {3, 3}, {2, 4}},
    {"goes backwards along the last axis", {3, 3}, {4, 2}},
    {"is empty, but outside", {9, 0}, {9, 5}},
    {"spans all numbers", {INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX}},
};

static void
boxes(void **state)
{
    struct fixture *f = *state;
    uint8_t memory[4 * 7 * 6] = {0};

    for (size_t i = 0; i < COUNT(bad_boxes); i++) {
        const int64_t *start = bad_boxes[i].start;
        const int64_t *stop = bad_boxes[i].stop;
        tess_array *const arrays[] = {f->memory, f->file};

        print_message("box that %s\n", bad_boxes[i].reason);
        for (size_t j = 0; j < COUNT(arrays); j++) {
            refused(TESS_ERR_ARG,
                    tess_array_read(arrays[j], start, stop, memory, sizeof memory, err));
            refused(TESS_ERR_ARG,
                    tess_array_write(arrays[j], start, stop, memory, sizeof memory, err));
        }
    }
    check_unchanged(f);
}

static void
read_arguments(void **state)
{
    struct fixture *f = *state;
    uint8_t memory[140] = {0};
    const int64_t one[2] = {1, 1};

    refused(TESS_ERR_ARG, tess_array_read(NULL, origin, whole, memory, 140, err));
    refused(TESS_ERR_ARG, tess_array_read(f->file, NULL, whole, memory, 140, err));
    refused(TESS_ERR_ARG, tess_array_read(f->file, origin, NULL, memory, 140, err));
    refused(TESS_ERR_ARG, tess_array_read(f->file, origin, whole, NULL, 140, err));
    refused(TESS_ERR_ARG, tess_array_read(f->file, origin, whole, memory, 139, err));
    refused(TESS_ERR_ARG, tess_array_read(f->file, origin, whole, memory, 0, err));
    refused(TESS_ERR_ARG, tess_array_read(f->file, origin, one, memory, 3, err));
    ok(tess_array_read(f->file, origin, origin, NULL, 0, err));
    ok(tess_array_read(f->file, whole, whole, NULL, 0, err));
    check_unchanged(f);
}

static void
write_arguments(void **state)
{
    struct fixture *f = *state;
    uint8_t memory[140] = {0};

    refused(TESS_ERR_ARG, tess_array_write(NULL, origin, whole, memory, 140, err));
    refused(TESS_ERR_ARG, tess_array_write(f->file, NULL, whole, memory, 140, err));
    refused(TESS_ERR_ARG, tess_array_write(f->file, origin, NULL, memory, 140, err));
    refused(TESS_ERR_ARG, tess_array_write(f->file, origin, whole, NULL, 140, err));
    refused(TESS_ERR_ARG, tess_array_write(f->file, origin, whole, memory, 139, err));
    refused(TESS_ERR_ARG, tess_array_write(f->readonly, origin, whole, memory, 140, err));
    ok(tess_array_write(f->file, origin, origin, NULL, 0, err));
    check_unchanged(f);
}

static void
shape_arguments(void **state)
{
    struct fixture *f = *state;
    const int64_t negative[2] = {7, -1};
    const int64_t huge[2] = {INT64_C(1) << 40, INT64_C(1) << 40};
    const int64_t largest[2] = {INT64_MAX, 1};
    const int64_t many[2] = {INT64_C(1) << 20, INT64_C(1) << 20};
    const int64_t larger[2] = {8, 5};
    uint8_t memory[200] = {0};

    refused(TESS_ERR_ARG, tess_array_resize(NULL, larger, err));
    refused(TESS_ERR_ARG, tess_array_resize(f->file, NULL, err));
    refused(TESS_ERR_ARG, tess_array_resize(f->file, negative, err));
    refused(TESS_ERR_LIMIT, tess_array_resize(f->file, huge, err));
    refused(TESS_ERR_LIMIT, tess_array_resize(f->file, largest, err));
    refused(TESS_ERR_LIMIT, tess_array_resize(f->file, many, err));
    refused(TESS_ERR_LIMIT, tess_array_resize(f->memory, many, err));
    refused(TESS_ERR_ARG, tess_array_resize(f->readonly, larger, err));

    refused(TESS_ERR_ARG, tess_array_append(NULL, 0, 1, memory, 20, NULL, err));
    refused(TESS_ERR_ARG, tess_array_append(f->file, -1, 1, memory, 20, NULL, err));
    refused(TESS_ERR_ARG, tess_array_append(f->file, 2, 1, memory, 20, NULL, err));
    refused(TESS_ERR_ARG, tess_array_append(f->file, 0, 1, memory, 19, NULL, err));
    refused(TESS_ERR_ARG,
            tess_array_append(f->file, 1, 1, memory, 20, NULL, err)); // a layer has 28 bytes
    refused(TESS_ERR_ARG, tess_array_append(f->file, 0, 2, memory, 20, NULL, err));
    refused(TESS_ERR_ARG, tess_array_append(f->file, 0, -1, memory, 20, NULL, err));
    refused(TESS_ERR_ARG, tess_array_append(f->file, 0, 1, NULL, 20, NULL, err));
    refused(TESS_ERR_LIMIT, tess_array_append(f->file, 0, INT64_MAX, memory, 20, NULL, err));
    ok(tess_array_append(f->file, 0, 0, NULL, 0, NULL, err));
    refused(TESS_ERR_ARG, tess_array_append(f->readonly, 0, 1, memory, 20, NULL, err));
    check_unchanged(f);
}

static void
appends_without_layers(void **state)
{
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;
    tess_info info;

    (void)state;
    tess_storage_init(&storage);
    small_params(&params);
    params.shape[1] = 0;
    ok(tess_array_zeros(&storage, &params, &a, err));
    ok(tess_array_append(a, 0, 4, NULL, 0, NULL, err)); // no items, but the axis grows
    tess_array_info(a, &info);
    assert_int_equal(info.shape[0], params.shape[0] + 4);
    assert_int_equal(info.shape[1], 0);
    ok(tess_array_close(a, err));

    tess_params_init(&params);
    ok(tess_array_zeros(&storage, &params, &a, err));
    refused(TESS_ERR_ARG, tess_array_append(a, 0, 1, "1", 1, NULL, err)); // no axis
    ok(tess_array_close(a, err));
}

static void
ends(void **state)
{
    struct fixture *f = *state;
    const void *image = NULL;
    size_t size = 0;

    assert_int_equal(tess_array_close(NULL, NULL), TESS_OK);
    ok(tess_array_close(NULL, err));
    tess_array_discard(NULL);
    tess_free(NULL);
    refused(TESS_ERR_ARG, tess_array_flush(NULL, err));
    ok(tess_array_flush(f->readonly, err)); // nothing to do
    refused(TESS_ERR_ARG, tess_array_image(NULL, &image, &size, err));
    refused(TESS_ERR_ARG, tess_array_image(f->file, &image, &size, err));
    refused(TESS_ERR_ARG, tess_array_image(f->memory, NULL, &size, err));
    refused(TESS_ERR_ARG, tess_array_image(f->memory, &image, NULL, err));
    check_unchanged(f);
}

// -- metalayers

static void
meta_arguments(void **state)
{
    struct fixture *f = *state;
    tess_metalayer layer;

    refused(TESS_ERR_ARG, tess_meta_at(NULL, 0, &layer, err));
    refused(TESS_ERR_ARG, tess_meta_at(f->file, -1, &layer, err));
    refused(TESS_ERR_ARG, tess_meta_at(f->file, 2, &layer, err));
    refused(TESS_ERR_ARG, tess_meta_at(f->file, 0, NULL, err));
    refused(TESS_ERR_ARG, tess_meta_get(NULL, "layer", &layer, err));
    refused(TESS_ERR_ARG, tess_meta_get(f->file, NULL, &layer, err));
    refused(TESS_ERR_NOT_FOUND, tess_meta_get(f->file, "nobody", &layer, err));
    refused(TESS_ERR_NOT_FOUND, tess_meta_get(f->file, "vl", &layer, err));
    refused(TESS_ERR_ARG, tess_meta_get(f->file, "layer", NULL, err));
    refused(TESS_ERR_ARG, tess_meta_set(NULL, "layer", "abcde", 5, err));
    refused(TESS_ERR_ARG, tess_meta_set(f->file, NULL, "abcde", 5, err));
    refused(TESS_ERR_NOT_FOUND, tess_meta_set(f->file, "nobody", "abcde", 5, err));
    refused(TESS_ERR_ARG, tess_meta_set(f->file, "layer", "abcd", 4, err));
    refused(TESS_ERR_ARG, tess_meta_set(f->file, "layer", "abcdef", 6, err));
    refused(TESS_ERR_ARG, tess_meta_set(f->file, "layer", NULL, 5, err));
    refused(TESS_ERR_ARG, tess_meta_set(f->readonly, "layer", "abcde", 5, err));
    ok(tess_meta_get(f->file, "b2nd", &layer, err));

    const size_t size = layer.size;
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, layer.content, size);
    refused(TESS_ERR_ARG, tess_meta_set(f->file, "b2nd", copy, size, err));
    free(copy);
    check_unchanged(f);
}

static void
vlmeta_arguments(void **state)
{
    struct fixture *f = *state;
    const char *too_long = "12345678901234567890123456789012"; // 32
    void *content = NULL;
    size_t size = 0;

    assert_null(tess_vlmeta_name(f->file, -1));
    assert_null(tess_vlmeta_name(f->file, 1));
    assert_string_equal(tess_vlmeta_name(f->file, 0), "vl");
    refused(TESS_ERR_ARG, tess_vlmeta_get(NULL, "vl", &content, &size, err));
    refused(TESS_ERR_ARG, tess_vlmeta_get(f->file, NULL, &content, &size, err));
    refused(TESS_ERR_NOT_FOUND, tess_vlmeta_get(f->file, "nobody", &content, &size, err));
    refused(TESS_ERR_NOT_FOUND, tess_vlmeta_get(f->file, "layer", &content, &size, err));
    refused(TESS_ERR_ARG, tess_vlmeta_get(f->file, "vl", NULL, &size, err));
    refused(TESS_ERR_ARG, tess_vlmeta_get(f->file, "vl", &content, NULL, err));
    assert_null(content);
    refused(TESS_ERR_ARG, tess_vlmeta_set(NULL, "new", "x", 1, err));
    refused(TESS_ERR_ARG, tess_vlmeta_set(f->file, NULL, "x", 1, err));
    refused(TESS_ERR_ARG, tess_vlmeta_set(f->file, "", "x", 1, err));
    refused(TESS_ERR_ARG, tess_vlmeta_set(f->file, too_long, "x", 1, err));
    refused(TESS_ERR_ARG, tess_vlmeta_set(f->file, "new", NULL, 1, err));
    refused(TESS_ERR_ARG, tess_vlmeta_set(f->readonly, "new", "x", 1, err));
    refused(TESS_ERR_ARG, tess_vlmeta_delete(NULL, "vl", err));
    refused(TESS_ERR_ARG, tess_vlmeta_delete(f->file, NULL, err));
    refused(TESS_ERR_NOT_FOUND, tess_vlmeta_delete(f->file, "nobody", err));
    refused(TESS_ERR_ARG, tess_vlmeta_delete(f->readonly, "vl", err));

    tess_error error = {0};
    const tess_status st = tess_vlmeta_set(f->file, "new", "x", (size_t)INT32_MAX - 63, &error);
    assert_true(st == TESS_ERR_ARG || st == TESS_ERR_LIMIT); // refused before a byte is looked at
    check_error(&error, st, "a layer of 2 GiB");
    check_unchanged(f);
}

static void
names_of_statuses(void **state)
{
    (void)state;
    for (int i = -1; i <= 100; i++) {
        assert_non_null(tess_status_name((tess_status)i));
        assert_true(strlen(tess_status_name((tess_status)i)) > 0);
        for (int j = 0; i <= TESS_ERR_CANCELLED && j < i; j++)
            assert_string_not_equal(tess_status_name((tess_status)i),
                                    tess_status_name((tess_status)j));
    }
    assert_string_equal(tess_version(), TESS_VERSION);
}

#define WITH_ARRAYS(test) cmocka_unit_test_setup_teardown(test, begin, end)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ARRAYS(params_refused),
        WITH_ARRAYS(create_arguments),
        WITH_ARRAYS(create_places),
        WITH_ARRAYS(open_arguments),
        WITH_ARRAYS(open_places),
        WITH_ARRAYS(permissions),
        WITH_ARRAYS(limits),
        WITH_ARRAYS(limit_of_nesting),
        cmocka_unit_test(limit_of_blocks),
        cmocka_unit_test_setup_teardown(limit_of_many_blocks, files_setup, files_teardown),
        WITH_ARRAYS(boxes),
        WITH_ARRAYS(read_arguments),
        WITH_ARRAYS(write_arguments),
        WITH_ARRAYS(shape_arguments),
        WITH_ARRAYS(appends_without_layers),
        WITH_ARRAYS(ends),
        WITH_ARRAYS(meta_arguments),
        WITH_ARRAYS(vlmeta_arguments),
        cmocka_unit_test(names_of_statuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
