/*
 * flat.c - chunks out of bytes that stand in memory: of equal blocks, or of blocks that differ in
 * size.
 *
 * Where blocks differ in size, one is filtered as if it were the first of a chunk of its own, and
 * is one stream: its size, and what the codec makes of it, or the filtered bytes. There are no
 * runs, and no plain chunks. A dictionary stands behind the table, as in other chunks.
 */
#include "chunk/encode/flat.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/encode/dictionary.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/encoder.h"
#include "chunk/header.h"
#include "chunk/scratch.h"
#include "codec/dict.h"

#include <inttypes.h>
#include <string.h>

enum { LEVEL = 5 };

struct flat {
    const uint8_t *bytes;
    const struct chunk_encoder *e;
};

static const uint8_t *
flat_bytes(void *from, int32_t nblock)
{
    const struct flat *const flat = from;
    return flat->bytes + (int64_t)nblock * flat->e->h.blocksize;
}

static tess_status
flat_items(void *from, int32_t nblock, uint8_t *dst, tess_error *err)
{
    const struct flat *const flat = from;
    (void)err;
    memcpy(dst, flat_bytes(from, nblock), (size_t)chunk_block_nbytes(&flat->e->h, nblock));
    return TESS_OK;
}

tess_status
chunk_encode_flat(const struct chunk_encoder *e, const uint8_t *src, struct chunk_scratch *s,
                  uint8_t *dst, int32_t *cbytes, tess_error *err)
{
    enum chunk_special special;
    struct flat flat = {src, e};
    const struct block_source source = {.from = &flat, .items = flat_items, .bytes = flat_bytes};
    return chunk_encode(e, &source, s, dst, cbytes, &special, err);
}

static tess_status
flat_prepare(size_t size, int32_t blocksize, int level, struct chunk_encoder *e, uint8_t **chunk,
             tess_error *err)
{
    *chunk = NULL;
    if (size > CHUNK_NBYTES_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1, "%zu bytes, a chunk has at most %d", size,
                       CHUNK_NBYTES_MAX);
    const int32_t block = (int32_t)min_i64(blocksize, (int64_t)size);
    const struct chunk_spec spec = {
        .itemsize = 8,
        .nbytes = (int32_t)size,
        .blocksize = block > 8 ? block - block % 8 : block,
        .codec = TESS_CODEC_BLOSCLZ,
        .level = level,
        .filters = {0, 0, 0, 0, 0, TESS_FILTER_SHUFFLE},
        .split = SPLIT_NEVER,
    };
    const tess_status st = chunk_encoder_init(e, &spec, err);
    if (st != TESS_OK)
        return st;
    *chunk = mem_alloc((size_t)chunk_bound(e));
    return *chunk ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes", size);
}

tess_status
chunk_of_bytes(const void *src, size_t size, int32_t blocksize, uint8_t **chunk, int32_t *cbytes,
               tess_error *err)
{
    struct chunk_encoder e;
    tess_status st = flat_prepare(size, blocksize, LEVEL, &e, chunk, err);
    if (st != TESS_OK)
        return st;
    struct chunk_scratch scratch = {0};
    st = chunk_encode_flat(&e, src, &scratch, *chunk, cbytes, err);
    scratch_finish(&scratch);
    if (st != TESS_OK) {
        mem_free(*chunk);
        *chunk = NULL;
    }
    return st;
}

tess_status
chunk_of_room(size_t size, int32_t blocksize, uint8_t **chunk, int32_t *cbytes, uint8_t **room,
              tess_error *err)
{
    struct chunk_encoder e;
    const tess_status st = flat_prepare(size, blocksize, 0, &e, chunk, err);
    if (st != TESS_OK)
        return st;
    *cbytes = chunk_begin_plain(&e, *chunk);
    *room = *chunk + CHUNK_HEADER_SIZE;
    return TESS_OK;
}

// -- blocks that differ in size

enum { SIZE_SIZE = 4 }; // of the size in front of a block, and of its place in the table

// What all blocks of the chunk have in common.
struct vl_chunk {
    const struct chunk_spec *spec;
    const uint8_t *src;
    const int32_t *sizes;
    int32_t nblocks;
    struct chunk_scratch *s;
    struct codec_dict dict; // empty: none
};

int64_t
chunk_vl_bound(const struct chunk_spec *spec, int64_t nblocks)
{
    const int64_t dictionary =
        spec->dictionary ? SIZE_SIZE + (int64_t)dictionary_capacity(spec->nbytes) : 0;
    return CHUNK_HEADER_SIZE + 2 * SIZE_SIZE * nblocks + spec->nbytes + dictionary + CODEC_SLACK;
}

static tess_status
encoder_of(const struct chunk_spec *spec, int32_t size, struct chunk_encoder *e, tess_error *err)
{
    struct chunk_spec own = *spec;
    own.nbytes = own.blocksize = size;
    own.split = SPLIT_NEVER;
    own.grid = NULL;
    return chunk_encoder_init(e, &own, err);
}

static tess_status
filter_block(const struct vl_chunk *c, const struct chunk_encoder *e, const uint8_t *src,
             struct filtered *f, tess_error *err)
{
    const struct encoding x = {.e = e};
    const tess_status st = scratch_reserve(c->s, e->h.blocksize, err);
    if (st != TESS_OK)
        return st;
    memcpy(c->s->buffer[0], src, (size_t)e->h.nbytes);
    return block_filter(&x, 0, c->s->buffer[0], c->s, f, err);
}

// -- the dictionary

// Every step-th block, or its start, into `samples`, which has room for `most` bytes.
static tess_status
take_flat_samples(const struct vl_chunk *c, int32_t step, uint8_t *bytes, size_t most,
                  size_t *sizes, unsigned *count, tess_error *err)
{
    const uint8_t *src = c->src;
    tess_status st = TESS_OK;
    size_t used = 0;
    *count = 0;
    for (int32_t i = 0; i < c->nblocks && used < most && st == TESS_OK; src += c->sizes[i++]) {
        struct chunk_encoder e;
        struct filtered f;
        if (i % step != 0)
            continue;
        st = encoder_of(c->spec, c->sizes[i], &e, err);
        if (st == TESS_OK)
            st = filter_block(c, &e, src, &f, err);
        if (st != TESS_OK)
            break;
        sizes[*count] = f.neblock < most - used ? f.neblock : most - used;
        memcpy(bytes + used, f.bytes, sizes[*count]);
        used += sizes[(*count)++];
    }
    return st;
}

// tmp holds the longest block.
static tess_status
learn(struct vl_chunk *c, const struct chunk_encoder *e, size_t capacity, uint8_t *tmp,
      tess_error *err)
{
    const size_t wanted = dictionary_samples_size(capacity), nbytes = (size_t)c->spec->nbytes;
    const size_t most = wanted < nbytes ? wanted : nbytes;
    const int32_t step = (int32_t)(nbytes / most);
    uint8_t *const bytes = mem_alloc(most);
    size_t *const sizes = mem_alloc((size_t)c->nblocks * sizeof *sizes);
    unsigned count = 0;
    tess_status st = bytes && sizes ? take_flat_samples(c, step, bytes, most, sizes, &count, err)
                                    : err_set(err, TESS_ERR_NOMEM, -1, "no memory for samples");
    if (st == TESS_OK) {
        const struct samples samples = {bytes, sizes, count};
        const struct codec_call call = chunk_encoder_call(e, c->s->codec);
        st = dictionary_make(&c->dict, &call, &samples, capacity, c->nblocks, e->dictionary_always,
                             tmp, err);
    }
    mem_free(bytes);
    mem_free(sizes);
    return st;
}

static tess_status
make_flat_dictionary(struct vl_chunk *c, tess_error *err)
{
    const size_t capacity = dictionary_capacity(c->spec->nbytes);
    struct chunk_encoder e;
    int32_t longest = 1;
    for (int32_t i = 0; i < c->nblocks; i++)
        longest = c->sizes[i] > longest ? c->sizes[i] : longest;
    tess_status st = encoder_of(c->spec, longest, &e, err);
    if (st != TESS_OK || !e.dictionary || e.level == 0 || capacity == 0)
        return st;
    uint8_t *const tmp = mem_alloc((size_t)longest);
    if (!tmp)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %" PRId32 " bytes",
                       longest);
    st = learn(c, &e, capacity, tmp, err);
    mem_free(tmp);
    return st;
}

// -- the chunk

static tess_status
encode_block(const struct vl_chunk *c, const struct chunk_encoder *e, const uint8_t *src,
             uint8_t *dst, int32_t *size, tess_error *err)
{
    struct filtered f;
    size_t csize = 0;
    tess_status st = filter_block(c, e, src, &f, err);
    if (st != TESS_OK)
        return st;
    struct codec_call call = chunk_encoder_call(e, c->s->codec);
    call.dict = c->dict.size > 0 ? &c->dict : NULL;
    put_i32le(dst, e->h.nbytes);
    if (e->level > 0)
        st = stream_encode(&call, f.bytes, f.neblock, dst + SIZE_SIZE, &csize, err);
    if (csize == 0) {
        csize = f.neblock;
        memcpy(dst + SIZE_SIZE, f.bytes, csize);
    }
    *size = SIZE_SIZE + (int32_t)csize;
    return st;
}

static int32_t
write_dictionary(const struct vl_chunk *c, uint8_t *dst)
{
    if (c->dict.size == 0)
        return 0;
    put_i32le(dst, (int32_t)c->dict.size);
    memcpy(dst + SIZE_SIZE, c->dict.bytes, c->dict.size);
    return SIZE_SIZE + (int32_t)c->dict.size;
}

static void
write_flat_header(const struct vl_chunk *c, const struct chunk_encoder *e, int32_t cbytes,
                  uint8_t *dst)
{
    struct chunk_header h = e->h;
    h.vlblocks = true;
    h.nbytes = c->spec->nbytes;
    h.nblocks = c->nblocks;
    h.cbytes = cbytes;
    h.has_dict = c->dict.size > 0;
    chunk_header_write(&h, dst);
}

tess_status
chunk_encode_vl(const struct chunk_spec *spec, const uint8_t *src, const int32_t *sizes,
                int32_t nblocks, struct chunk_scratch *s, uint8_t *dst, int32_t *cbytes,
                tess_error *err)
{
    struct vl_chunk c = {.spec = spec, .src = src, .sizes = sizes, .nblocks = nblocks, .s = s};
    struct chunk_encoder e;
    int32_t at = CHUNK_HEADER_SIZE + SIZE_SIZE * nblocks;
    tess_status st = spec->dictionary ? make_flat_dictionary(&c, err) : TESS_OK;
    if (st == TESS_OK)
        at += write_dictionary(&c, dst + at);
    for (int32_t i = 0; i < nblocks && st == TESS_OK; i++) {
        int32_t size = 0;
        st = encoder_of(spec, sizes[i], &e, err);
        if (st == TESS_OK)
            st = encode_block(&c, &e, src, dst + at, &size, err);
        put_i32le(dst + CHUNK_HEADER_SIZE + SIZE_SIZE * i, at);
        at += size;
        src += sizes[i];
    }
    if (st == TESS_OK)
        write_flat_header(&c, &e, at, dst);
    codec_dict_finish(&c.dict);
    *cbytes = at;
    return st;
}
