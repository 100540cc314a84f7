/*
 * ndlayer.c - the metalayers of an array: `b2nd` or `caterva`, in every layout that existed, and
 * `tess_fill`.
 *
 * ndlayer_parse() is the one place that looks at the bytes of the first two. The format has one
 * marker for each field, so markers are checked before msgpack-c reads a number: it never meets a
 * container, and allocates nothing. The arrays themselves are read and written as a single byte 90
 * + ndim, which is what all writers do, and is no array marker of msgpack for 16 dimensions.
 *
 * Not here: whether the shapes fit together, and what the dtype means (geom/, meta/dtype.h).
 */
#include "meta/ndlayer.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "meta/pack.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

// The first byte: an array of so many elements.
enum {
    FORM_CATERVA_01 = 0x93, // ndim, shape, chunkshape
    FORM_SHAPES = 0x95, // version, ndim, shape, chunkshape, blockshape
    FORM_DTYPE_OLD = 0x96, // and dtype; or dtype format and dtype, wrongly counted
    FORM_DTYPE = 0x97, // and dtype format, dtype
};

// Markers of single fields.
enum { SMALL_MIN = 0x00, SMALL_MAX = 0x7f, UINT64 = 0xcf, INT32 = 0xd2, INT64 = 0xd3 };

#define BARE_SIZE(ndim) (12 + 19 * (size_t)(ndim)) // of a layer, its dtype not counted

// A cursor as in base/bytes.h, over objects: what cannot be read is 0, and `bad` is for good.
struct in {
    const char *src;
    size_t size;
    size_t at;
    bool bad;
};

// The byte ahead, 0 past the end.
static uint8_t
ndlayer_peek(const struct in *in)
{
    return in->at < in->size ? (uint8_t)in->src[in->at] : 0;
}

// The next number, if its marker is in first..last.
static int64_t
ndlayer_take_number(struct in *in, uint8_t first, uint8_t last)
{
    msgpack_unpacked u;
    size_t at = in->at;

    msgpack_unpacked_init(&u);
    if (in->bad || at >= in->size || ndlayer_peek(in) < first || ndlayer_peek(in) > last ||
        msgpack_unpack_next(&u, in->src, in->size, &at) != MSGPACK_UNPACK_SUCCESS) {
        in->bad = true;
        return 0;
    }
    in->at = at;
    return u.data.via.i64; // of a union with u64, whatever the sign
}

static int
take_small(struct in *in)
{
    return (int)ndlayer_take_number(in, SMALL_MIN, SMALL_MAX);
}

// A string with a length of 32 bits; by hand, since msgpack-c would allocate. Points into src.
static const char *
take_str32(struct in *in, size_t *size)
{
    struct rd r = rd_init(in->src + in->at, in->bad ? 0 : in->size - in->at);
    const uint8_t marker = rd_u8(&r);
    const uint32_t length = rd_u32be(&r);
    const uint8_t *const chars = rd_take(&r, length);

    if (r.bad || marker != PACK_STR32) {
        in->bad = true;
        return NULL;
    }
    in->at = in->size - r.left;
    *size = length;
    return (const char *)chars;
}

static void
skip_array_marker(struct in *in, int ndim)
{
    if (in->bad || in->at >= in->size || ndlayer_peek(in) != 0x90 + ndim)
        in->bad = true;
    else
        in->at++;
}

static void
take_int64s(struct in *in, int ndim, int64_t *values)
{
    skip_array_marker(in, ndim);
    for (int i = 0; i < ndim; i++)
        values[i] = ndlayer_take_number(in, INT64, INT64);
}

static void
take_int32s(struct in *in, int ndim, int32_t *values)
{
    skip_array_marker(in, ndim);
    for (int i = 0; i < ndim; i++)
        values[i] = (int32_t)ndlayer_take_number(in, INT32, INT32);
}

static void
take_shapes(struct in *in, struct ndlayer *nd)
{
    take_int64s(in, nd->ndim, nd->shape);
    take_int32s(in, nd->ndim, nd->chunkshape);
    take_int32s(in, nd->ndim, nd->blockshape);
}

// No blocks. Up to 0.1.0 numbers are little endian, which the marker of the shape tells.
static void
take_caterva_01(struct in *in, struct ndlayer *nd)
{
    skip_array_marker(in, nd->ndim);
    const uint8_t marker = ndlayer_peek(in) == UINT64 ? UINT64 : INT64;
    for (int i = 0; i < nd->ndim; i++)
        nd->shape[i] = ndlayer_take_number(in, marker, marker);
    take_int32s(in, nd->ndim, nd->chunkshape);

    for (int i = 0; i < nd->ndim && marker == UINT64; i++) {
        nd->shape[i] = (int64_t)__builtin_bswap64((uint64_t)nd->shape[i]);
        nd->chunkshape[i] = (int32_t)__builtin_bswap32((uint32_t)nd->chunkshape[i]);
    }
}

// NUL-terminated for the caller.
static tess_status
copy_dtype(const char *src, size_t size, struct ndlayer *nd, tess_error *err)
{
    if (memchr(src, '\0', size))
        return err_set(err, TESS_ERR_CORRUPT, -1, "the dtype of %zu bytes contains a NUL", size);
    nd->dtype = mem_alloc(size + 1);
    if (!nd->dtype)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a dtype of %zu bytes", size);
    memcpy(nd->dtype, src, size);
    nd->dtype[size] = '\0';
    return TESS_OK;
}

// Chunks without items have blocks without items.
static bool
blocks_are_unset(const struct ndlayer *nd)
{
    for (int i = 0; i < nd->ndim; i++)
        if ((nd->blockshape[i] < 1 && nd->chunkshape[i] > 0) ||
            nd->blockshape[i] > nd->chunkshape[i])
            return true;
    return false;
}

// Without an axis along which chunks have items, old and new layers look the same, and are.
static bool
all_chunks_are_empty(const struct ndlayer *nd)
{
    for (int i = 0; i < nd->ndim; i++)
        if (nd->chunkshape[i] > 0)
            return false;
    return nd->ndim > 0;
}

static tess_status
check_layer_entries(const struct ndlayer *nd, tess_error *err)
{
    for (int i = 0; i < nd->ndim; i++)
        if (nd->shape[i] < 0 || nd->chunkshape[i] < 0 || nd->blockshape[i] < 0)
            return err_set(err, TESS_ERR_CORRUPT, -1,
                           "axis %d: shape %" PRId64 ", chunk %" PRId32 ", block %" PRId32
                           ": none can be negative",
                           i, nd->shape[i], nd->chunkshape[i], nd->blockshape[i]);
    return TESS_OK;
}

static tess_status
check_form(uint8_t form, bool is_caterva, size_t size, tess_error *err)
{
    if (size == 0)
        return err_set(err, TESS_ERR_CORRUPT, -1, "the N-dimensional layer is empty");
    if (form == FORM_CATERVA_01 ? is_caterva : form >= FORM_SHAPES && form <= FORM_DTYPE)
        return TESS_OK;
    return err_set(
        err, TESS_ERR_CORRUPT, -1, "the N-dimensional layer '%s' starts with %02x instead of %s",
        is_caterva ? "caterva" : "b2nd", form, is_caterva ? "93, 95, 96 or 97" : "95, 96 or 97");
}

// The fields up to ndim.
static tess_status
ndlayer_parse_head(struct in *in, bool is_caterva, uint8_t *form, int *ndim, tess_error *err)
{
    *form = ndlayer_peek(in);
    const tess_status st = check_form(*form, is_caterva, in->size, err);
    if (st != TESS_OK)
        return st;
    in->at++;

    const int version = *form == FORM_CATERVA_01 ? 0 : take_small(in);
    if (version != 0)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "version %d of the N-dimensional layer, only 0 is known", version);
    *ndim = take_small(in);
    if (*ndim > NDIM_MAX)
        return err_set(err, TESS_ERR_CORRUPT, -1, "%d dimensions, at most %d can be", *ndim,
                       NDIM_MAX);
    return TESS_OK;
}

tess_status
ndlayer_parse(const uint8_t *src, size_t size, bool is_caterva, struct ndlayer *nd, tess_error *err)
{
    struct in in = {.src = (const char *)src, .size = size};
    struct ndlayer got = {0};
    const char *dtype = NULL;
    size_t dtype_size = 0;
    uint8_t form = 0;
    tess_status st = TESS_OK;

    *nd = (struct ndlayer){0};
    TRY(ndlayer_parse_head(&in, is_caterva, &form, &got.ndim, err));
    if (form == FORM_CATERVA_01)
        take_caterva_01(&in, &got);
    else
        take_shapes(&in, &got);
    if (form >= FORM_DTYPE_OLD) {
        if (form == FORM_DTYPE || ndlayer_peek(&in) != PACK_STR32)
            got.dtype_format = take_small(&in);
        dtype = take_str32(&in, &dtype_size);
    }
    if (in.bad)
        TRY(err_set(err, TESS_ERR_CORRUPT, -1,
                    "byte %zu of %zu of the N-dimensional layer is %02x, which does not fit, or "
                    "the layer breaks off",
                    in.at, size, ndlayer_peek(&in)));
    if (in.at < size)
        TRY(err_set(err, TESS_ERR_CORRUPT, -1, "%zu bytes are left after the N-dimensional layer",
                    size - in.at));

    const bool no_blocks =
        form == FORM_CATERVA_01 || (form == FORM_SHAPES && is_caterva && blocks_are_unset(&got));
    if (no_blocks)
        memcpy(got.blockshape, got.chunkshape, sizeof got.blockshape);
    got.linear = no_blocks && !all_chunks_are_empty(&got);
    TRY(check_layer_entries(&got, err));
    if (dtype)
        TRY(copy_dtype(dtype, dtype_size, &got, err));

    *nd = got;
    got.dtype = NULL; // now the caller's
out:
    ndlayer_finish(&got);
    return st;
}

static void
pack_array_marker(msgpack_packer *pk, int ndim)
{
    const uint8_t marker = (uint8_t)(0x90 + ndim);
    pack_bytes(pk, &marker, 1);
}

static void
pack_int32s(msgpack_packer *pk, int ndim, const int32_t *values)
{
    pack_array_marker(pk, ndim);
    for (int i = 0; i < ndim; i++)
        msgpack_pack_fix_int32(pk, values[i]);
}

static void
pack_shapes(msgpack_packer *pk, const struct ndlayer *nd)
{
    static const int32_t none[NDIM_MAX] = {0}; // as Caterva 0.3 has it

    msgpack_pack_int(pk, 0); // version
    msgpack_pack_int(pk, nd->ndim);
    pack_array_marker(pk, nd->ndim);
    for (int i = 0; i < nd->ndim; i++)
        msgpack_pack_fix_int64(pk, nd->shape[i]);
    pack_int32s(pk, nd->ndim, nd->chunkshape);
    pack_int32s(pk, nd->ndim, nd->linear ? none : nd->blockshape);
}

tess_status
ndlayer_write(const struct ndlayer *nd, bool as_caterva, uint8_t **out, size_t *out_size,
              tess_error *err)
{
    const char *const dtype = nd->dtype ? nd->dtype : "";
    const size_t dtype_size = strlen(dtype);
    msgpack_packer pk;

    assert(nd->ndim >= 0 && nd->ndim <= NDIM_MAX);
    assert(nd->dtype_format >= 0 && nd->dtype_format <= SMALL_MAX);
    assert(as_caterva || !nd->linear);
    if (dtype_size > INT32_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1, "a dtype of %zu bytes", dtype_size);

    uint8_t *const layer = mem_alloc(BARE_SIZE(nd->ndim) + dtype_size);
    uint8_t *at = layer;
    if (!layer)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the N-dimensional layer");

    msgpack_packer_init(&pk, &at, pack_write);
    msgpack_pack_array(&pk, as_caterva ? 5 : 7);
    pack_shapes(&pk, nd);
    if (!as_caterva) {
        msgpack_pack_int(&pk, nd->dtype_format);
        pack_head32(&pk, PACK_STR32, (uint32_t)dtype_size);
        pack_bytes(&pk, dtype, dtype_size);
    }
    *out = layer;
    *out_size = (size_t)(at - layer);
    return TESS_OK;
}

void
ndlayer_finish(struct ndlayer *nd)
{
    if (!nd)
        return;
    mem_free(nd->dtype);
    *nd = (struct ndlayer){0};
}

// -- the fill value

enum { BIN8 = 0xc4, BIN16 = 0xc5, BIN32 = 0xc6, HEAD_MAX = 5 };

tess_status
fill_layer_add(struct layers *metas, const uint8_t *item, size_t size, tess_error *err)
{
    uint8_t head[HEAD_MAX];
    size_t head_size;

    if (size > FILL_SIZE_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "a fill value of %zu bytes that are not zeros, at most %d can be", size,
                       FILL_SIZE_MAX);
    if (size <= UINT8_MAX) {
        head[0] = BIN8;
        head[1] = (uint8_t)size;
        head_size = 2;
    } else if (size <= UINT16_MAX) {
        head[0] = BIN16;
        put_u16be(head + 1, (uint16_t)size);
        head_size = 3;
    } else {
        head[0] = BIN32;
        put_u32be(head + 1, (uint32_t)size);
        head_size = 5;
    }
    uint8_t *const content = mem_alloc(head_size + size);
    if (!content)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a fill value of %zu bytes", size);
    memcpy(content, head, head_size);
    memcpy(content + head_size, item, size);
    const tess_status st =
        layers_add(metas, LAYERS_FIXED_MAX, FILL_LAYER, content, head_size + size, err);
    mem_free(content);
    return st;
}

bool
fill_layer_is(const struct layer *layer)
{
    return strcmp(layer->name, FILL_LAYER) == 0;
}

tess_status
fill_layer_parse(const struct layer *layer, size_t size, const uint8_t **item, tess_error *err)
{
    struct rd r = rd_init(layer->content, layer->size);
    const uint8_t marker = rd_u8(&r);
    uint32_t length = 0;

    if (marker == BIN8)
        length = rd_u8(&r);
    else if (marker == BIN16)
        length = rd_u16be(&r);
    else if (marker == BIN32)
        length = rd_u32be(&r);
    else
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "metalayer " FILL_LAYER ": marker 0x%02x, a binary string is expected",
                       marker);
    *item = rd_take(&r, length);
    if (r.bad || r.left > 0 || length != size)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "metalayer " FILL_LAYER ": a binary string of %u bytes in %u, items have "
                       "%zu bytes",
                       length, layer->size, size);
    return TESS_OK;
}
