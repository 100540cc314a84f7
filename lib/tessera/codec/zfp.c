/*
 * zfp.c - floats, nearly: ZFP by its library, with a bound on the error, the precision or the rate.
 *
 * The library checks neither the end of what it reads nor of what it writes. But for a field of a
 * given shape in a given mode there is a largest stream, for any bytes; so streams are read and
 * written in memory of that size. It is also aligned, which the library needs.
 *
 * The library may have been built for words of 8 to 64 bits. Their bits stand in the same order,
 * but a stream ends with a whole word; in the format that is one of 64 bits.
 *
 * In the format items and words are little-endian; the library has both in the byte order of the
 * machine. On a big-endian machine the items are copied and their bytes swapped before encoding,
 * swapped in place after decoding, and the words of a stream are swapped on both ways.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/swap.h"
#include "codec/codec.h"
#include "codec/codecs.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <zfp.h>

enum {
    ZFP_NDIM_MAX = 4,
    CELL_SIDE = 4,
    RATE_MAX = 100,
    WORD_SIZE = 8,
};

// The bits of a value's precision that each dimension more needs for the same quality.
static const unsigned extra_bits[ZFP_NDIM_MAX + 1] = {0, 5, 7, 9, 11};

struct zfp_call {
    zfp_stream *zfp;
    bitstream *bits;
    zfp_field field;
    uint8_t *buffer; // of a stream
    size_t size; // largest that can be
    uint8_t *swapped; // the items to encode, on a big-endian machine
};

static bool
field_fits(const struct block_grid *g, int64_t size)
{
    if (!g || g->ndim < 1 || g->ndim > ZFP_NDIM_MAX || (g->typesize != 4 && g->typesize != 8))
        return false;
    int64_t nbytes = g->typesize;
    for (int i = 0; i < g->ndim; i++) {
        if (g->shape[i] < CELL_SIDE || nbytes > INT32_MAX)
            return false;
        nbytes *= g->shape[i];
    }
    return nbytes == size;
}

// x is the last axis.
static zfp_field
field_of(const struct block_grid *g, void *items)
{
    size_t n[ZFP_NDIM_MAX] = {0};
    for (int i = 0; i < g->ndim; i++)
        n[i] = (size_t)g->shape[g->ndim - 1 - i];
    return (zfp_field){
        .type = g->typesize == 4 ? zfp_type_float : zfp_type_double,
        .nx = n[0],
        .ny = n[1],
        .nz = n[2],
        .nw = n[3],
        .data = items,
    };
}

static void
set_mode(const struct codec_call *call, struct zfp_call *job)
{
    const struct block_grid *const g = call->grid;
    const unsigned meta = (unsigned)call->meta;

    switch (call->codec->id) {
    case TESS_CODEC_ZFP_ACCURACY:
        (void)zfp_stream_set_accuracy(job->zfp, pow(10, (int8_t)meta));
        break;
    case TESS_CODEC_ZFP_PRECISION: {
        const unsigned precision = meta + extra_bits[g->ndim];
        (void)zfp_stream_set_precision(job->zfp,
                                       precision < ZFP_MAX_PREC ? precision : ZFP_MAX_PREC);
        break;
    }
    default:
        (void)zfp_stream_set_rate(job->zfp, meta / 100.0 * 8 * g->typesize, job->field.type,
                                  (unsigned)g->ndim, zfp_false);
    }
}

static void
zfp_finish(struct zfp_call *job)
{
    if (job->zfp)
        zfp_stream_close(job->zfp);
    if (job->bits)
        stream_close(job->bits);
    mem_free(job->buffer);
    mem_free(job->swapped);
}

// Numbers of `word` bytes from little-endian to the byte order of the machine, or back.
static void
swap_little(uint8_t *bytes, size_t size, size_t word)
{
    if (machine_is_big_endian() && word > 1)
        swap_bytes(bytes, size, word);
}

static void
swap_stream(struct zfp_call *job, size_t size)
{
    swap_little(job->buffer, size, (size_t)stream_alignment() / 8);
}

// The items are read or written as floats where they are.
static bool
init(const struct codec_call *call, void *items, struct zfp_call *job)
{
    assert((uintptr_t)items % (size_t)call->grid->typesize == 0);
    *job = (struct zfp_call){.zfp = zfp_stream_open(NULL), .field = field_of(call->grid, items)};
    if (!job->zfp)
        return false;
    set_mode(call, job);
    job->size = zfp_stream_maximum_size(job->zfp, &job->field);
    job->size += WORD_SIZE - job->size % WORD_SIZE;
    job->buffer = mem_alloc(job->size);
    if (!job->buffer)
        return false;
    job->bits = stream_open(job->buffer, job->size);
    if (!job->bits)
        return false;
    zfp_stream_set_bit_stream(job->zfp, job->bits);
    zfp_stream_rewind(job->zfp);
    return true;
}

// As init(), for items that the library only reads, in the byte order of the format.
static bool
init_encoder(const struct codec_call *call, const uint8_t *src, size_t size, struct zfp_call *job)
{
    if (!machine_is_big_endian())
        return init(call, (void *)(uintptr_t)src, job); // const to the library, too, if not by type

    uint8_t *const swapped = mem_alloc(size);
    if (swapped) {
        memcpy(swapped, src, size);
        swap_little(swapped, size, (size_t)call->grid->typesize);
    }
    const bool ready = swapped && init(call, swapped, job);
    job->swapped = swapped;
    return ready;
}

static tess_status
zfp_check(const struct codec_call *call, int32_t size, tess_error *err)
{
    const struct block_grid *const g = call->grid;

    if (!field_fits(g, size))
        return err_set(
            err, TESS_ERR_ARG, -1,
            "%s needs floats of 4 or 8 bytes in blocks of 1 to %d dimensions, %d items or "
            "more along each; these have %d, and items of %" PRId32 " bytes",
            call->codec->name, ZFP_NDIM_MAX, CELL_SIDE, g ? g->ndim : 0, g ? g->typesize : 0);
    if (call->codec->id == TESS_CODEC_ZFP_RATE && (call->meta < 1 || call->meta > RATE_MAX))
        return err_set(err, TESS_ERR_ARG, -1, "%s of %d %%, 1 to %d can be", call->codec->name,
                       call->meta, RATE_MAX);
    return TESS_OK;
}

// NaN and infinity, which have no place in such a stream.
static bool
has_nonfinite(const uint8_t *src, size_t size, int32_t typesize)
{
    const size_t step = (size_t)typesize;
    for (size_t i = 0; i < size; i += step) {
        const unsigned high = (unsigned)(src[i + step - 1] << 8 | src[i + step - 2]);
        const unsigned exponent = typesize == 4 ? 0x7f80 : 0x7ff0;
        if ((high & exponent) == exponent)
            return true;
    }
    return false;
}

static tess_status
zfp_encode(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
           size_t dst_size, size_t *out_size, tess_error *err)
{
    struct zfp_call job = {0};
    const tess_status st = zfp_check(call, src_size <= INT32_MAX ? (int32_t)src_size : 0, err);
    if (st != TESS_OK)
        return st;
    *out_size = 0;
    if (has_nonfinite(src, src_size, call->grid->typesize))
        return TESS_OK;
    if (!init_encoder(call, src, src_size, &job)) {
        zfp_finish(&job);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the ZFP encoder");
    }
    size_t size = zfp_compress(job.zfp, &job.field);
    for (; size % WORD_SIZE != 0; size++)
        job.buffer[size] = 0;
    swap_stream(&job, size);
    if (size <= dst_size) {
        memcpy(dst, job.buffer, size);
        *out_size = size;
    }
    zfp_finish(&job);
    return TESS_OK;
}

static tess_status
zfp_decode(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
           size_t dst_size, tess_error *err)
{
    struct zfp_call job;
    if (!field_fits(call->grid, dst_size <= INT32_MAX ? (int64_t)dst_size : 0))
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "%s: %zu bytes are no block of floats of the array's shape",
                       call->codec->name, dst_size);
    if (!init(call, dst, &job)) {
        zfp_finish(&job);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the ZFP decoder");
    }
    size_t used = 0;
    if (src_size <= job.size) {
        memcpy(job.buffer, src, src_size);
        memset(job.buffer + src_size, 0, job.size - src_size);
        swap_stream(&job, job.size);
        used = zfp_decompress(job.zfp, &job.field);
        swap_little(dst, dst_size, (size_t)call->grid->typesize);
    }
    zfp_finish(&job);
    if (used == 0 || used > src_size || src_size - used >= WORD_SIZE)
        return err_set(err, TESS_ERR_CORRUPT, -1, "these %zu bytes are no %s stream of %zu bytes",
                       src_size, call->codec->name, dst_size);
    return TESS_OK;
}

const struct codec codec_zfp_accuracy = {
    .id = TESS_CODEC_ZFP_ACCURACY,
    .format = CODEC_FORMAT_OTHER,
    .name = "zfp_accuracy",
    .needs_items = true,
    .lossy = true,
    .check = zfp_check,
    .encode = zfp_encode,
    .decode = zfp_decode,
};

const struct codec codec_zfp_precision = {
    .id = TESS_CODEC_ZFP_PRECISION,
    .format = CODEC_FORMAT_OTHER,
    .name = "zfp_precision",
    .needs_items = true,
    .lossy = true,
    .check = zfp_check,
    .encode = zfp_encode,
    .decode = zfp_decode,
};

const struct codec codec_zfp_rate = {
    .id = TESS_CODEC_ZFP_RATE,
    .format = CODEC_FORMAT_OTHER,
    .name = "zfp_rate",
    .needs_items = true,
    .lossy = true,
    .check = zfp_check,
    .encode = zfp_encode,
    .decode = zfp_decode,
};
