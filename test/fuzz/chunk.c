/*
 * chunk.c - one chunk in memory, decoded as a whole and block by block.
 *
 * Input: 8 bytes of surroundings, then the chunk. The surroundings are the typesize of the frame
 * (2 bytes), the number of dimensions of the array (1 byte; 0: no array) and the extents of its
 * blocks (5 bytes, in turn).
 *
 * Stored bytes are handed out in memory of their exact size. What block_decode() leaves shuffled
 * must be the same as what it gives in order, so must parts of a block, and the blocks together be
 * the whole.
 */
#include "chunk/content.h"
#include "fuzz/fuzz.h"
#include "support/random.h"

enum {
    CONTENT_MAX = 1 << 22, // of a chunk
    PARTS = 4, // of a block, that are compared with the whole
};

// Hands out copies; the last one is kept until the next is asked for.
struct exact {
    const uint8_t *chunk;
    size_t size;
    uint8_t *copy;
};

static tess_status
fetch_exact(void *from, int32_t offset, int32_t size, struct chunk_scratch *s,
            const uint8_t **bytes, tess_error *err)
{
    struct exact *const e = from;

    (void)s;
    (void)err;
    must(offset >= 0 && size >= 0 && (size_t)offset <= e->size &&
             (size_t)size <= e->size - (size_t)offset,
         "%d bytes at %d are asked of a chunk of %zu", size, offset, e->size);
    free(e->copy);
    *bytes = e->copy = exact_copy(e->chunk + offset, (size_t)size);
    return TESS_OK;
}

static void
draw_surroundings(struct rd *r, struct block_grid *grid, struct chunk_surroundings *around)
{
    int32_t extents[5];

    *around = (struct chunk_surroundings){.typesize = rd_u16be(r)};
    *grid = (struct block_grid){.ndim = rd_u8(r) % (NDIM_MAX + 1)};
    for (int i = 0; i < 5; i++)
        extents[i] = rd_u8(r) + 1;
    for (int i = 0; i < grid->ndim; i++)
        grid->shape[i] = extents[i % 5];
    grid->typesize = around->typesize;
    if (grid->ndim > 0 && grid->typesize > 0)
        around->grid = grid;
}

// A part of block i, which as a whole is `want`.
static void
compare_part(const struct chunk *c, int32_t i, const struct chunk_bytes *source, const uint8_t *ref,
             struct chunk_scratch *s, const struct block_need *need, const uint8_t *want,
             int32_t nbytes)
{
    struct decoded d;

    for (int k = 0; k < 3; k++) // what was decoded before must not help
        memset(s->buffer[k], 0xa5, s->size);
    must(block_load(c, i, source, ref, need, s, &d, NULL) == TESS_OK,
         "items %d to %d of block %d are refused, the whole is not", need->first, need->stop, i);
    must(d.nbytes == nbytes, "block %d has %d bytes, then %d", i, nbytes, d.nbytes);
    must(need->planes || d.planes == 0, "planes of block %d, which nobody asked for", i);
    const int32_t width = d.planes > 0 ? d.planes : 1;
    const int32_t n = d.nbytes / width;
    for (int32_t k = need->first * need->itemsize; k < need->stop * need->itemsize; k++)
        must(want[k] == d.bytes[k % width * n + k / width],
             "byte %d of block %d differs, items %d to %d", k, i, need->first, need->stop);
}

// All items with the last shuffle left to the reader, then some of them, both ways.
static void
compare_parts(const struct chunk *c, int32_t i, const struct chunk_bytes *source,
              const uint8_t *ref, struct chunk_scratch *s, const uint8_t *want, int32_t nbytes)
{
    struct block_need need = {.itemsize = c->h.typesize, .planes = true};
    const int32_t n = nbytes / need.itemsize;
    struct random r;

    need.stop = n;
    compare_part(c, i, source, ref, s, &need, want, nbytes);
    random_init(&r, (uint64_t)i ^ (uint64_t)c->h.cbytes);
    for (int k = 0; k < PARTS && n > 0; k++) {
        need.first = (int32_t)random_below(&r, (uint64_t)n);
        need.stop = need.first + 1 + (int32_t)random_below(&r, (uint64_t)(n - need.first));
        need.planes = k % 2 == 0;
        compare_part(c, i, source, ref, s, &need, want, nbytes);
    }
}

// The content by blocks, as far as they can be decoded; NULL if one cannot.
static uint8_t *
decode_blocks(const struct chunk *c, const struct chunk_bytes *source, struct chunk_scratch *s)
{
    static const struct block_need all = {0};
    uint8_t *const content = exact_memory((size_t)c->h.nbytes);
    uint8_t *ref = NULL;
    int32_t at = 0;
    bool good = chunk_reference(c, source, s, &ref, NULL) == TESS_OK;

    for (int32_t i = 0; i < c->h.nblocks && good; i++) {
        struct decoded d;
        good = block_load(c, i, source, ref, &all, s, &d, NULL) == TESS_OK &&
               d.nbytes <= c->h.nbytes - at;
        if (!good)
            break;
        must(d.planes == 0, "planes of block %d, which nobody asked for", i);
        memcpy(content + at, d.bytes, (size_t)d.nbytes);
        compare_parts(c, i, source, ref, s, content + at, d.nbytes);
        at += d.nbytes;
    }
    good = good && at == c->h.nbytes;
    free(ref);
    if (!good)
        free(content);
    return good ? content : NULL;
}

// The same by a cursor that goes backwards, in steps that do not fit the blocks.
static uint8_t *
read_backwards(const struct chunk *c, const struct chunk_bytes *source, struct chunk_scratch *s)
{
    uint8_t *const content = exact_memory((size_t)c->h.nbytes);
    const int32_t step = c->h.nbytes / 7 + 1;
    struct chunk_cursor cur;
    bool good = cursor_init(&cur, c, source, s, NULL) == TESS_OK;

    for (int32_t stop = c->h.nbytes; stop > 0 && good; stop -= step) {
        const int32_t start = stop > step ? stop - step : 0;
        good = cursor_read(&cur, start, content + start, (size_t)(stop - start), NULL) == TESS_OK;
    }
    cursor_finish(&cur);
    if (!good)
        free(content);
    return good ? content : NULL;
}

static void
in_pieces(const uint8_t *src, size_t size, const struct chunk_surroundings *around)
{
    struct exact exact = {.chunk = src, .size = size};
    const struct chunk_bytes source = {&exact, fetch_exact};
    struct chunk_scratch s = {.limit = CONTENT_MAX};
    struct chunk_header h;
    struct chunk c;

    const size_t head = size < CHUNK_HEADER_SIZE ? size : CHUNK_HEADER_SIZE;
    if (chunk_header_parse(src, head, (int64_t)size, around->typesize, &h, NULL) != TESS_OK ||
        h.nbytes > CONTENT_MAX)
        return;
    const size_t front_size = (size_t)chunk_front_size(&h);
    must(front_size <= size, "%zu bytes of a chunk of %zu are asked for", front_size, size);
    uint8_t *const front = exact_copy(src, front_size);
    const tess_status st = chunk_open(&c, &h, front, front_size, around, NULL);
    free(front);
    if (st != TESS_OK)
        return;

    uint8_t *const backwards = read_backwards(&c, &source, &s);
    if (h.nblocks > 0) {
        uint8_t *const blocks = decode_blocks(&c, &source, &s);
        must(!blocks == !backwards, "blocks and cursor do not agree whether the chunk is good");
        must(!blocks || memcmp(blocks, backwards, (size_t)h.nbytes) == 0,
             "blocks and cursor read different bytes");
        free(blocks);
    }
    free(backwards);
    free(exact.copy);
    chunk_close(&c);
    scratch_finish(&s);
}

static void
whole(const uint8_t *src, size_t size)
{
    uint8_t *content;
    size_t content_size;

    if (chunk_content(src, size, CONTENT_MAX, &content, &content_size, NULL) == TESS_OK)
        must(content_size <= CONTENT_MAX, "%zu bytes in spite of the limit", content_size);
    free(content);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rd r = rd_init(data, size);
    struct block_grid grid;
    struct chunk_surroundings around;

    draw_surroundings(&r, &grid, &around);
    if (r.bad)
        return 0;
    uint8_t *const chunk = exact_copy(r.at, r.left);
    whole(chunk, r.left);
    if (r.left >= CHUNK_HEADER_MIN && (size_t)get_i32le(chunk + 12) != r.left) {
        put_i32le(chunk + 12, (int32_t)r.left); // else no shorter or longer input gets any further
        whole(chunk, r.left);
    }
    in_pieces(chunk, r.left, &around);
    free(chunk);
    return 0;
}
