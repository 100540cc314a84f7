/*
 * assemble.c - from encoded blocks to a chunk.
 *
 * Behind the header stand the table of blocks, the dictionary, and the blocks in order, without
 * holes. A block of zeros is nothing but stream sizes of zero, so bytes tell whether a chunk is.
 *
 * Not here: encoding (encode.c).
 */
#include "chunk/encode/assemble.h"

#include "base/bytes.h"
#include "chunk/encode/encode.h"
#include "chunk/header.h"

static int64_t
end_of(const struct assembly *x)
{
    return (int64_t)x->e->h.nbytes + CHUNK_HEADER_SIZE;
}

static bool
assemble_fits(struct assembly *x, int64_t size)
{
    x->full |= end_of(x) - x->at < size;
    return !x->full;
}

static void
add_dictionary(struct assembly *x, const struct codec_dict *dict)
{
    if (!assemble_fits(x, (int64_t)dict->size + 4))
        return;
    put_i32le(x->dst + x->at, (int32_t)dict->size);
    memcpy(x->dst + x->at + 4, dict->bytes, dict->size);
    x->at += 4 + (int64_t)dict->size;
    x->has_dict = true;
}

void
assembly_begin(struct assembly *x, const struct chunk_encoder *e, const struct codec_dict *dict,
               uint8_t *dst, int64_t capacity)
{
    *x = (struct assembly){
        .e = e,
        .dst = dst,
        .capacity = capacity,
        .at = chunk_blocks_start(e),
        .full = chunk_encoder_is_plain(e),
        .zeros = e->h.nbytes > 0,
    };
    if (dict && dict->size > 0 && !x->full)
        add_dictionary(x, dict);
}

int64_t
assembly_front(const struct chunk_encoder *e)
{
    return chunk_blocks_start(e) + 4 + DICT_SIZE_MAX;
}

int64_t
assembly_bound(const struct chunk_encoder *e)
{
    return chunk_bound(e) + assembly_front(e) + e->h.nblocks * (block_bound(e) - e->h.blocksize);
}

uint8_t *
assembly_room(const struct assembly *x, int64_t size)
{
    return !x->full && x->capacity - x->at >= size ? x->dst + x->at : NULL;
}

static bool
all_zero(const uint8_t *bytes, int64_t size)
{
    int64_t i = 0;
    while (i < size && bytes[i] == 0)
        i++;
    return i == size;
}

static void
assemble_append(struct assembly *x, const uint8_t *bytes, int64_t size)
{
    if (x->capacity > 0 && bytes != x->dst + x->at)
        memcpy(x->dst + x->at, bytes, (size_t)size);
    x->at += size;
    x->zeros = x->zeros && all_zero(bytes, size);
}

static void
note_start(struct assembly *x, int64_t start)
{
    put_i32le(x->dst + CHUNK_HEADER_SIZE + 4 * (size_t)x->nblocks, (int32_t)start);
    x->nblocks++;
}

void
assembly_add(struct assembly *x, const uint8_t *bytes, int32_t size)
{
    if (!assemble_fits(x, size))
        return;
    note_start(x, x->at);
    assemble_append(x, bytes, size);
}

void
assembly_add_run(struct assembly *x, const int32_t *starts, int32_t count, int32_t size,
                 const uint8_t *bytes)
{
    if (!assemble_fits(x, size))
        return;
    for (int32_t i = 0; i < count; i++)
        note_start(x, x->at + (starts[i] - starts[0]));
    assemble_append(x, bytes, size);
}

static void
write_special(const struct chunk_encoder *e, enum chunk_special special, int32_t cbytes,
              uint8_t *dst)
{
    struct chunk_header h = e->h;
    h.special = special;
    h.cbytes = cbytes;
    chunk_header_write(&h, dst);
}

int32_t
assembly_end(const struct assembly *x, enum chunk_special *special)
{
    *special = x->zeros ? SPECIAL_ZEROS : SPECIAL_NONE;
    if (x->zeros) {
        write_special(x->e, SPECIAL_ZEROS, CHUNK_HEADER_SIZE, x->dst);
        return CHUNK_HEADER_SIZE;
    }
    struct chunk_header h = x->e->h;
    h.cbytes = (int32_t)x->at;
    h.has_dict = x->has_dict;
    chunk_header_write(&h, x->dst);
    return h.cbytes;
}

int32_t
chunk_begin_plain(const struct chunk_encoder *e, uint8_t *dst)
{
    struct chunk_header h = e->h;
    h.memcpyed = true;
    h.cbytes = h.nbytes + CHUNK_HEADER_SIZE;
    chunk_header_write(&h, dst);
    return h.cbytes;
}

int32_t
chunk_encode_value(const struct chunk_encoder *e, const uint8_t *item, uint8_t *dst)
{
    const int32_t cbytes = CHUNK_HEADER_SIZE + e->itemsize;
    write_special(e, SPECIAL_VALUE, cbytes, dst);
    memcpy(dst + CHUNK_HEADER_SIZE, item, (size_t)e->itemsize);
    return cbytes;
}
