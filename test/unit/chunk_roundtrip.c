/*
 * chunk_roundtrip.c - random data through chunk/encode and back, and damaged chunks, which may be
 * refused or decode to anything, but do no harm.
 */
#include "chunk/content.h"
#include "chunk/encode/encode.h"

#include "base/bytes.h"
#include "chunk/encode/flat.h"
#include "support/hex.h"
#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 3000, NBYTES_MOST = 20000, MUTATIONS = 400 };

static const uint8_t pipelines[][FILTER_SLOTS] = {
    {0},
    {0, 0, 0, 0, 0, TESS_FILTER_SHUFFLE},
    {TESS_FILTER_SHUFFLE},
    {0, 0, 0, 0, 0, TESS_FILTER_BITSHUFFLE},
    {0, 0, 0, 0, 0, TESS_FILTER_DELTA},
    {0, 0, 0, 0, TESS_FILTER_DELTA, TESS_FILTER_SHUFFLE},
    {0, 0, 0, 0, TESS_FILTER_SHUFFLE, TESS_FILTER_DELTA},
    {0, 0, 0, 0, TESS_FILTER_SHUFFLE, TESS_FILTER_BYTEDELTA},
    {TESS_FILTER_DELTA, TESS_FILTER_SHUFFLE, TESS_FILTER_BYTEDELTA, TESS_FILTER_BITSHUFFLE,
     TESS_FILTER_SHUFFLE, TESS_FILTER_SHUFFLE},
};
enum { NPIPELINES = sizeof pipelines / sizeof pipelines[0] };

enum kind { ZEROS, CONSTANT, RAMP, STEPS, NOISE, SPARSE, WORDS, NKINDS };

static void
random_content(struct random *r, enum kind kind, int32_t itemsize, uint8_t *dst, int32_t size)
{
    uint32_t value = (uint32_t)random_next(r);

    memset(dst, 0, (size_t)size);
    if (kind == CONSTANT)
        memset(dst, (int)(value | 1) & 0xff, (size_t)size);
    if (kind == NOISE)
        random_bytes(r, dst, (size_t)size);
    for (int32_t i = 0; i + itemsize <= size && (kind == RAMP || kind == STEPS); i += itemsize) {
        value += kind == RAMP ? 3 : random_below(r, 50) == 0;
        for (int32_t j = 0; j < itemsize && j < 4; j++)
            dst[i + j] = (uint8_t)(value >> 8 * j);
    }
    for (int32_t i = 0; i + 12 <= size && kind == WORDS; i += 12) {
        const uint32_t word = value % 1000 * 1000 + (uint32_t)random_below(r, 100);
        uint8_t spelled[13];
        (void)snprintf((char *)spelled, sizeof spelled, "%012" PRIu32, word * word);
        memcpy(dst + i, spelled, 12);
    }
    for (int32_t i = 0; i < size / 200 && kind == SPARSE; i++)
        dst[random_below(r, (uint64_t)size)] = (uint8_t)random_next(r);
}

static void
random_spec(struct random *r, struct chunk_spec *spec)
{
    static const int codecs[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_LZ4HC,
                                 TESS_CODEC_ZLIB, TESS_CODEC_ZSTD};
    static const int32_t itemsizes[] = {1, 2, 4, 8, 16, 3, 7, 24, 255, 256, 300};
    const size_t which = random_below(r, NPIPELINES);

    *spec = (struct chunk_spec){
        .itemsize = itemsizes[random_below(r, sizeof itemsizes / sizeof itemsizes[0])],
        .nbytes = (int32_t)random_below(r, UINT64_C(1) << random_below(r, 15)) % NBYTES_MOST,
        .codec = codecs[random_below(r, 5)],
        .level = (int)random_below(r, 9), // 9 is slow
        .split = 1 + (int)random_below(r, 4),
        .dictionary = random_below(r, 2) == 0,
    };
    memcpy(spec->filters, pipelines[which], FILTER_SLOTS);
    for (int i = 0; i < FILTER_SLOTS; i++)
        if (random_below(r, 3) == 0 &&
            (spec->filters[i] == TESS_FILTER_SHUFFLE || spec->filters[i] == TESS_FILTER_BYTEDELTA))
            spec->filters_meta[i] = (uint8_t)random_below(r, 256);
    if (random_below(r, 2)) // whole items
        spec->nbytes -= spec->nbytes % spec->itemsize;
    spec->blocksize = spec->nbytes;
    if (spec->nbytes > 0 && random_below(r, 3) > 0)
        spec->blocksize = 1 + (int32_t)random_below(r, (uint64_t)spec->nbytes);
    if (spec->blocksize > 0 && spec->nbytes / spec->blocksize > 200)
        spec->blocksize = spec->nbytes / 200 + 1;
    if (spec->blocksize > spec->itemsize)
        spec->blocksize -= spec->blocksize % spec->itemsize;
}

struct source {
    const struct chunk_encoder *e;
    const uint8_t *content;
    int fail_at; // block that cannot be had, -1: none
    const uint8_t *chunk; // one made before
    const struct chunk *open;
    struct random *r;
    int copied;
};

static tess_status
items(void *from, int32_t nblock, uint8_t *dst, tess_error *err)
{
    const struct source *const s = from;
    if (nblock == s->fail_at)
        return err_set(err, TESS_ERR_IO, 77, "block %d cannot be had", nblock);
    memcpy(dst, s->content + (int64_t)nblock * s->e->h.blocksize,
           (size_t)chunk_block_nbytes(&s->e->h, nblock));
    return TESS_OK;
}

static tess_status
stored(void *from, int32_t nblock, const uint8_t **bytes, int32_t *size, tess_error *err)
{
    struct source *const s = from;
    (void)err;
    *bytes = NULL;
    if (random_below(s->r, 4) == 0)
        return TESS_OK;
    const struct span span = chunk_span(s->open, nblock);
    *bytes = s->chunk + span.start;
    *size = span.stop - span.start;
    s->copied++;
    return TESS_OK;
}

static tess_status
fetch(void *from, int32_t offset, int32_t size, struct chunk_scratch *s, const uint8_t **bytes,
      tess_error *err)
{
    (void)size;
    (void)s;
    (void)err;
    *bytes = (const uint8_t *)from + offset;
    return TESS_OK;
}

// Open a chunk that stands in memory as a frame with items of that size would.
static tess_status
open_chunk(const uint8_t *bytes, int32_t size, int32_t itemsize, struct chunk *c, tess_error *err)
{
    const struct chunk_surroundings around = {.typesize = itemsize};
    struct chunk_header h;
    const size_t head = size < CHUNK_HEADER_SIZE ? (size_t)size : CHUNK_HEADER_SIZE;
    const tess_status st = chunk_header_parse(bytes, head, size, itemsize, &h, err);
    if (st != TESS_OK)
        return st;
    const int64_t front_size = chunk_front_size(&h);
    uint8_t *const front = exact_copy(bytes, (size_t)front_size);
    const tess_status opened = chunk_open(c, &h, front, (size_t)front_size, &around, err);
    free(front);
    return opened;
}

// Bytes [from, to) of the content.
static tess_status
read_part(const uint8_t *bytes, const struct chunk *c, int32_t from, int32_t to, uint8_t *dst,
          tess_error *err)
{
    const struct chunk_bytes source = {(void *)(uintptr_t)bytes, fetch};
    struct chunk_scratch scratch = {.limit = 1 << 20};
    struct chunk_cursor cur;
    tess_status st = cursor_init(&cur, c, &source, &scratch, err);
    if (st == TESS_OK)
        st = cursor_read(&cur, from, dst, (size_t)(to - from), err);
    cursor_finish(&cur);
    scratch_finish(&scratch);
    return st;
}

static void
say(const struct chunk_spec *s, const char *what)
{
    fail_msg("%s: %" PRId32 " bytes, items of %" PRId32 ", blocks of %" PRId32
             ", codec %d, level %d, split %d, filters %d %d %d %d %d %d, metas %d %d %d %d %d %d",
             what, s->nbytes, s->itemsize, s->blocksize, s->codec, s->level, s->split,
             s->filters[0], s->filters[1], s->filters[2], s->filters[3], s->filters[4],
             s->filters[5], s->filters_meta[0], s->filters_meta[1], s->filters_meta[2],
             s->filters_meta[3], s->filters_meta[4], s->filters_meta[5]);
}

// Some items of some block, in order or as planes, compared with what its content is.
static void
check_part(struct random *r, const struct chunk_spec *spec, const uint8_t *bytes,
           const struct chunk *c, const uint8_t *content)
{
    const struct chunk_bytes source = {(void *)(uintptr_t)bytes, fetch};
    const int32_t i = (int32_t)random_below(r, (uint64_t)c->h.nblocks);
    const int32_t size = chunk_block_nbytes(&c->h, i);
    const int32_t n = size / spec->itemsize;
    struct block_need need = {.itemsize = spec->itemsize, .planes = random_below(r, 2)};
    struct chunk_scratch s = {0};
    struct decoded d;
    uint8_t *ref;
    tess_error err;

    if (n == 0)
        return;
    need.first = (int32_t)random_below(r, (uint64_t)n);
    need.stop = need.first + 1 + (int32_t)random_below(r, (uint64_t)(n - need.first));
    assert_int_equal(scratch_reserve(&s, spec->blocksize, NULL), TESS_OK);
    assert_int_equal(chunk_reference(c, &source, &s, &ref, NULL), TESS_OK);
    for (int k = 0; k < 3; k++)
        memset(s.buffer[k], 0xa5, s.size);
    if (block_load(c, i, &source, ref, &need, &s, &d, &err) != TESS_OK)
        say(spec, err.message);
    assert_int_equal(d.nbytes, size);
    const int32_t width = d.planes > 0 ? d.planes : 1;
    const uint8_t *const want = content + (int64_t)i * c->h.blocksize;
    for (int32_t k = need.first * need.itemsize; k < need.stop * need.itemsize; k++)
        if (want[k] != d.bytes[k % width * (size / width) + k / width])
            say(spec, "other items in a part of a block");
    free(ref);
    scratch_finish(&s);
}

// The whole of it at once, then pieces of it.
static void
check_content(struct random *r, const struct chunk_spec *spec, const uint8_t *chunk, int32_t cbytes,
              const uint8_t *content)
{
    tess_error err;
    struct chunk c;
    uint8_t *const exact = exact_copy(chunk, (size_t)cbytes);
    uint8_t *const back = malloc((size_t)spec->nbytes + 1);

    assert_non_null(back);
    if (open_chunk(exact, cbytes, spec->itemsize, &c, &err) != TESS_OK)
        say(spec, err.message);
    if (c.h.nbytes != spec->nbytes || c.h.cbytes != cbytes)
        say(spec, "other sizes");
    if (read_part(exact, &c, 0, spec->nbytes, back, &err) != TESS_OK)
        say(spec, err.message);
    if (memcmp(back, content, (size_t)spec->nbytes) != 0)
        say(spec, "other content");
    for (int i = 0; i < 5 && spec->nbytes > 0; i++) {
        const int32_t from = (int32_t)random_below(r, (uint64_t)spec->nbytes);
        const int32_t to = from + (int32_t)random_below(r, (uint64_t)(spec->nbytes - from) + 1);
        uint8_t *const part = malloc((size_t)(to - from) + 1);
        assert_non_null(part);
        if (read_part(exact, &c, from, to, part, &err) != TESS_OK)
            say(spec, err.message);
        if (memcmp(part, content + from, (size_t)(to - from)) != 0)
            say(spec, "other content in a part");
        free(part);
    }
    for (int i = 0; i < 5 && c.h.nblocks > 0; i++)
        check_part(r, spec, exact, &c, content);
    chunk_close(&c);
    free(back);
    free(exact);
}

// Encode once more, most blocks as they are stored.
static void
check_copying(struct random *r, const struct chunk_spec *spec, const struct chunk_encoder *e,
              const uint8_t *chunk, int32_t cbytes, const uint8_t *content, int *copied)
{
    struct chunk_scratch scratch = {0};
    struct chunk c;
    enum chunk_special special;
    int32_t size;
    tess_error err;
    uint8_t *const again = malloc((size_t)chunk_bound(e));

    assert_non_null(again);
    assert_int_equal(open_chunk(chunk, cbytes, spec->itemsize, &c, &err), TESS_OK);
    if (c.h.nblocks > 0) {
        struct source from = {e, content, -1, chunk, &c, r, 0};
        const struct block_source source = {.from = &from,
                                            .items = items,
                                            .stored = stored,
                                            .dict = c.dict.size > 0 ? &c.dict : NULL};
        if (chunk_encode(e, &source, &scratch, again, &size, &special, &err) != TESS_OK)
            say(spec, err.message);
        if (size != cbytes || memcmp(again, chunk, (size_t)size) != 0)
            say(spec, "another chunk when blocks are copied");
        *copied += from.copied;
    }
    scratch_finish(&scratch);
    chunk_close(&c);
    free(again);
}

static const uint8_t *
bytes_in_place(void *from, int32_t nblock)
{
    const struct source *const s = from;
    return s->content + (int64_t)nblock * s->e->h.blocksize;
}

// Encode once more, from where the content stands, which ends with its last byte.
static void
check_in_place(const struct chunk_spec *spec, const struct chunk_encoder *e, const uint8_t *chunk,
               int32_t cbytes, const uint8_t *content)
{
    struct chunk_scratch scratch = {0};
    enum chunk_special special;
    int32_t size;
    tess_error err;
    uint8_t *const again = malloc((size_t)chunk_bound(e));
    uint8_t *const exact = malloc((size_t)spec->nbytes + 1);

    assert_non_null(again);
    assert_non_null(exact);
    memcpy(exact + 1, content, (size_t)spec->nbytes); // at an odd address
    struct source from = {.e = e, .content = exact + 1, .fail_at = -1};
    const struct block_source source = {.from = &from, .items = items, .bytes = bytes_in_place};
    if (chunk_encode(e, &source, &scratch, again, &size, &special, &err) != TESS_OK)
        say(spec, err.message);
    if (size != cbytes || memcmp(again, chunk, (size_t)size) != 0)
        say(spec, "another chunk from where the content stands");
    if (memcmp(exact + 1, content, (size_t)spec->nbytes) != 0)
        say(spec, "the content was written to");
    scratch_finish(&scratch);
    free(exact);
    free(again);
}

static bool
all_zero(const uint8_t *bytes, int32_t size)
{
    for (int32_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static void
there_and_back(void **state)
{
    struct random r;
    uint8_t *const content = malloc(NBYTES_MOST);
    int plain = 0, zeros = 0, compressed = 0, copied = 0;

    (void)state;
    assert_non_null(content);
    random_init(&r, random_seed());
    for (int round = 0; round < ROUNDS; round++) {
        struct chunk_spec spec;
        struct chunk_encoder e;
        struct chunk_scratch scratch = {0};
        enum chunk_special special;
        int32_t cbytes;
        tess_error err;

        random_spec(&r, &spec);
        random_content(&r, (enum kind)random_below(&r, NKINDS), spec.itemsize, content,
                       spec.nbytes);
        if (chunk_encoder_init(&e, &spec, &err) != TESS_OK)
            say(&spec, err.message);
        uint8_t *const chunk = malloc((size_t)chunk_bound(&e)); // exactly
        assert_non_null(chunk);
        struct source from = {.e = &e, .content = content, .fail_at = -1};
        const struct block_source source = {.from = &from, .items = items};
        if (chunk_encode(&e, &source, &scratch, chunk, &cbytes, &special, &err) != TESS_OK)
            say(&spec, err.message);

        if (cbytes > spec.nbytes + CHUNK_HEADER_SIZE)
            say(&spec, "larger than the plain bytes");
        const bool zero = spec.nbytes >= 32 && spec.level > 0 && all_zero(content, spec.nbytes);
        const bool is_plain =
            cbytes == spec.nbytes + CHUNK_HEADER_SIZE; // table and sizes too large
        if (special == SPECIAL_ZEROS ? !zero || cbytes != CHUNK_HEADER_SIZE : zero && !is_plain)
            say(&spec, "zeros that are not special, or the other way");
        zeros += special == SPECIAL_ZEROS;
        plain += is_plain;
        compressed += cbytes < spec.nbytes;
        check_content(&r, &spec, chunk, cbytes, content);
        check_copying(&r, &spec, &e, chunk, cbytes, content, &copied);
        check_in_place(&spec, &e, chunk, cbytes, content);
        scratch_finish(&scratch);
        free(chunk);
    }
    free(content);
    assert_true(plain > ROUNDS / 20 && zeros > ROUNDS / 50 && compressed > ROUNDS / 10);
    assert_true(copied > ROUNDS / 10);
}

// Short blocks of words that come again: a dictionary saves a lot, as nearly each sample of a few
// blocks shows. In noise there is nothing to save.
static void
dictionaries(void **state)
{
    static const int codecs[] = {TESS_CODEC_LZ4, TESS_CODEC_LZ4HC, TESS_CODEC_ZSTD};
    static uint8_t content[NBYTES_MOST];
    struct random r;
    int copied = 0, nhasty = 0, missed = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < 120; round++) {
        const bool noise = round % 4 == 0;
        int32_t sizes[2];
        for (int with = 0; with < 2; with++) {
            const struct chunk_spec spec = {.itemsize = 1,
                                            .nbytes = NBYTES_MOST,
                                            .blocksize = 100 + 7 * (round / 12),
                                            .codec = codecs[round % 3],
                                            .level = 1 + round % 9,
                                            .split = 2,
                                            .dictionary = with == 1};
            struct chunk_scratch scratch = {0};
            struct chunk_encoder e;
            struct chunk c;
            enum chunk_special special;

            if (!with)
                random_content(&r, noise ? NOISE : WORDS, 1, content, NBYTES_MOST);
            assert_int_equal(chunk_encoder_init(&e, &spec, NULL), TESS_OK);
            uint8_t *const chunk = malloc((size_t)chunk_bound(&e));
            assert_non_null(chunk);
            struct source from = {.e = &e, .content = content, .fail_at = -1};
            const struct block_source source = {.from = &from, .items = items};
            assert_int_equal(
                chunk_encode(&e, &source, &scratch, chunk, &sizes[with], &special, NULL), TESS_OK);
            assert_int_equal(open_chunk(chunk, sizes[with], 1, &c, NULL), TESS_OK);
            const bool hasty = spec.codec == TESS_CODEC_LZ4; // may not see it
            nhasty += hasty && c.dict.size > 0;
            if (c.dict.size > 0 && (noise || !with))
                say(&spec, "a dictionary where there should be none");
            missed += c.dict.size == 0 && with && !noise && !hasty;
            chunk_close(&c);
            check_content(&r, &spec, chunk, sizes[with], content);
            if (with)
                check_copying(&r, &spec, &e, chunk, sizes[with], content, &copied);
            check_in_place(&spec, &e, chunk, sizes[with], content);
            scratch_finish(&scratch);
            free(chunk);
        }
        assert_true(noise ? sizes[1] == sizes[0]
                          : sizes[1] <= sizes[0] + sizes[0] / 50); // judged by a few samples
    }
    assert_true(copied > 1000 && nhasty > 10);
    assert_in_range(missed, 0, 2); // of 60
}

// Runs have no use for a dictionary: what it saves is counted for the other streams alone.
static void
few_streams_for_a_dictionary(void **state)
{
    enum { NBYTES = 1 << 20, BLOCK = 64 };
    static const int codecs[] = {TESS_CODEC_LZ4, TESS_CODEC_LZ4HC};
    static uint8_t content[NBYTES];
    struct random r;
    int ndicts = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < 30; round++) {
        int32_t sizes[2];
        memset(content, 0, sizeof content);
        for (int i = 0; i < NBYTES; i += BLOCK)
            if (random_below(&r, round < 15 ? 100 : 2) == 0) {
                random_content(&r, NOISE, 1, content + i, BLOCK);
                memcpy(content + i, "something that saves", round < 15 ? 6 : 20);
            }
        for (int with = 0; with < 2; with++) {
            const struct chunk_spec spec = {.itemsize = 1,
                                            .nbytes = NBYTES,
                                            .blocksize = BLOCK,
                                            .codec = codecs[round % 2],
                                            .level = 5,
                                            .split = 2,
                                            .dictionary = with == 1};
            struct chunk_scratch scratch = {0};
            struct chunk_encoder e;
            enum chunk_special special;
            assert_int_equal(chunk_encoder_init(&e, &spec, NULL), TESS_OK);
            uint8_t *const chunk = malloc((size_t)chunk_bound(&e));
            assert_non_null(chunk);
            struct source from = {.e = &e, .content = content, .fail_at = -1};
            const struct block_source source = {.from = &from, .items = items};
            assert_int_equal(
                chunk_encode(&e, &source, &scratch, chunk, &sizes[with], &special, NULL), TESS_OK);
            scratch_finish(&scratch);
            free(chunk);
        }
        ndicts += sizes[1] < sizes[0];
        assert_true(sizes[1] <= sizes[0]);
    }
    assert_in_range(ndicts, 1, 29);
}

// What a codec can make smaller at all is stored so, if only by a byte. The stream is the second
// block; the first takes next to nothing, so that there is room.
static void
small_gains(void **state)
{
    static const int codecs[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_LZ4HC,
                                 TESS_CODEC_ZLIB, TESS_CODEC_ZSTD};
    enum { BLOCK = 200 };
    struct random r;
    int small = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < 5000; round++) {
        const struct chunk_spec spec = {.itemsize = 1,
                                        .nbytes = 2 * BLOCK,
                                        .blocksize = BLOCK,
                                        .codec = codecs[round % 5],
                                        .level = 5,
                                        .split = 2};
        struct chunk_scratch scratch = {0};
        struct chunk_encoder e;
        enum chunk_special special;
        uint8_t content[2 * BLOCK] = {0};
        uint8_t ample[2 * BLOCK];
        size_t csize = 0;
        int32_t cbytes;

        random_bytes(&r, content + BLOCK, BLOCK);
        memset(content + BLOCK + 20, content[BLOCK], 1 + (size_t)random_below(&r, 60));
        assert_int_equal(chunk_encoder_init(&e, &spec, NULL), TESS_OK);
        uint8_t *const chunk = malloc((size_t)chunk_bound(&e)); // exactly
        assert_non_null(chunk);
        struct source from = {.e = &e, .content = content, .fail_at = -1};
        const struct block_source source = {.from = &from, .items = items};
        assert_int_equal(chunk_encode(&e, &source, &scratch, chunk, &cbytes, &special, NULL),
                         TESS_OK);

        const struct codec_call call = {.codec = e.codec, .state = scratch.codec, .level = 5};
        assert_int_equal(
            e.codec->encode(&call, content + BLOCK, BLOCK, ample, sizeof ample, &csize, NULL),
            TESS_OK);
        const size_t stored = csize > 0 && csize < BLOCK ? csize : BLOCK;
        assert_int_equal(cbytes, CHUNK_HEADER_SIZE + 2 * 4 + 4 + 4 + stored);
        small += stored < BLOCK && stored >= BLOCK - 8;
        check_content(&r, &spec, chunk, cbytes, content);
        scratch_finish(&scratch);
        free(chunk);
    }
    assert_true(small > 200);
}

static void
values(void **state)
{
    struct random r;
    uint8_t content[3000], chunk[3000 + CHUNK_HEADER_SIZE];

    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < 200; round++) {
        struct chunk_spec spec;
        struct chunk_encoder e;
        random_spec(&r, &spec);
        spec.nbytes = (1 + (int32_t)random_below(&r, 10)) * spec.itemsize;
        spec.blocksize = spec.itemsize;
        assert_int_equal(chunk_encoder_init(&e, &spec, NULL), TESS_OK);
        random_bytes(&r, content, (size_t)spec.itemsize);
        for (int32_t i = spec.itemsize; i < spec.nbytes; i++)
            content[i] = content[i - spec.itemsize];
        const int32_t cbytes = chunk_encode_value(&e, content, chunk);
        assert_int_equal(cbytes, CHUNK_HEADER_SIZE + spec.itemsize);
        assert_true(cbytes <= chunk_bound(&e));
        check_content(&r, &spec, chunk, cbytes, content);
    }
}

// Items keep what the filter says, or all of it where the chunk is stored as it is.
static void
lossy(void **state)
{
    static const struct {
        uint8_t id, meta;
        int32_t typesize;
        uint64_t mask;
    } filters[] = {
        {TESS_FILTER_TRUNC_PREC, 10, 4, 0xffffe000},
        {TESS_FILTER_TRUNC_PREC, 0xf8, 8, UINT64_C(0xffffffffffffff00)},
        {TESS_FILTER_INT_TRUNC, 5, 2, 0xf800},
        {TESS_FILTER_INT_TRUNC, 0xfd, 1, 0xf8},
    };
    struct random r;
    uint8_t content[4000], *back;
    size_t size;
    int cut = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < 200; round++) {
        const size_t which = random_below(&r, 4);
        const int32_t typesize = filters[which].typesize;
        const struct chunk_spec spec = {.itemsize = typesize,
                                        .nbytes = 4000,
                                        .blocksize = 800,
                                        .codec = TESS_CODEC_LZ4,
                                        .level = (int)random_below(&r, 10),
                                        .filters = {filters[which].id, TESS_FILTER_SHUFFLE},
                                        .filters_meta = {filters[which].meta},
                                        .split = 3};
        struct chunk_encoder e;
        struct chunk_scratch scratch = {0};
        uint8_t chunk[4000 + CHUNK_HEADER_SIZE];
        enum chunk_special special;
        int32_t cbytes;
        assert_int_equal(chunk_encoder_init(&e, &spec, NULL), TESS_OK);
        random_bytes(&r, content, sizeof content);
        struct source from = {.e = &e, .content = content, .fail_at = -1};
        const struct block_source source = {.from = &from, .items = items};
        assert_int_equal(chunk_encode(&e, &source, &scratch, chunk, &cbytes, &special, NULL),
                         TESS_OK);
        scratch_finish(&scratch);
        assert_int_equal(chunk_content(chunk, (size_t)cbytes, 4000, &back, &size, NULL), TESS_OK);
        const bool as_it_is = cbytes == 4000 + CHUNK_HEADER_SIZE;
        for (int32_t i = 0; i < 4000; i++) {
            const uint8_t mask = (uint8_t)(filters[which].mask >> 8 * (i % typesize));
            assert_int_equal(back[i], as_it_is ? content[i] : content[i] & mask);
        }
        cut += !as_it_is;
        free(back);
    }
    assert_true(cut > 20);
}

static const struct refused {
    const char *what;
    struct chunk_spec spec;
    tess_status status;
} refused[] = {
    {"level -1", {.itemsize = 1, .level = -1}, TESS_ERR_ARG},
    {"level 10", {.itemsize = 1, .level = 10}, TESS_ERR_ARG},
    {"codec 3", {.itemsize = 1, .codec = 3}, TESS_ERR_UNSUPPORTED},
    {"codec grok", {.itemsize = 1, .codec = 37}, TESS_ERR_UNSUPPORTED},
    {"codec ndlz without an array", {.itemsize = 1, .codec = 32, .codec_meta = 4}, TESS_ERR_ARG},
    {"ndcell without an array",
     {.itemsize = 1, .filters = {TESS_FILTER_NDCELL}, .filters_meta = {2}},
     TESS_ERR_UNSUPPORTED},
    {"codec -1", {.itemsize = 1, .codec = -1}, TESS_ERR_UNSUPPORTED},
    {"filter 5", {.itemsize = 1, .filters = {5}}, TESS_ERR_UNSUPPORTED},
    {"bytedelta of old", {.itemsize = 1, .filters = {FILTER_BYTEDELTA_OLD}}, TESS_ERR_ARG},
    {"trunc_prec of integers",
     {.itemsize = 2, .filters = {TESS_FILTER_TRUNC_PREC}, .filters_meta = {3}},
     TESS_ERR_ARG},
    {"trunc_prec of 0 bits", {.itemsize = 4, .filters = {TESS_FILTER_TRUNC_PREC}}, TESS_ERR_ARG},
    {"a lossy filter before delta",
     {.itemsize = 4, .filters = {TESS_FILTER_TRUNC_PREC, TESS_FILTER_DELTA}, .filters_meta = {10}},
     TESS_ERR_ARG},
};

static void
specs_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct chunk_spec spec = refused[i].spec;
        struct chunk_encoder e;
        tess_error err = {0};
        spec.nbytes = spec.blocksize = 1024;
        const tess_status st = chunk_encoder_init(&e, &spec, &err);
        if (st != refused[i].status || err.status != st)
            fail_msg("%s: status %d: %s", refused[i].what, st, err.message);
    }
}

static void
source_fails(void **state)
{
    uint8_t content[1000];
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    random_bytes(&r, content, sizeof content);
    for (int level = 0; level < 2; level++)
        for (int filter = TESS_FILTER_NONE; filter <= TESS_FILTER_DELTA; filter++)
            for (int block = 0; block < 10; block++) {
                const struct chunk_spec spec = {.itemsize = 4,
                                                .nbytes = 1000,
                                                .blocksize = 100,
                                                .level = level,
                                                .filters = {(uint8_t)filter}};
                struct chunk_encoder e;
                struct chunk_scratch scratch = {0};
                uint8_t chunk[1000 + CHUNK_HEADER_SIZE];
                enum chunk_special special;
                int32_t cbytes;
                tess_error err = {0};
                assert_int_equal(chunk_encoder_init(&e, &spec, NULL), TESS_OK);
                struct source from = {.e = &e, .content = content, .fail_at = block};
                const struct block_source source = {.from = &from, .items = items};
                assert_int_equal(
                    chunk_encode(&e, &source, &scratch, chunk, &cbytes, &special, &err),
                    TESS_ERR_IO);
                assert_int_equal(err.offset, 77);
                scratch_finish(&scratch);
            }
}

static void
bytes(void **state)
{
    struct random r;
    uint8_t *const content = malloc(NBYTES_MOST);

    (void)state;
    assert_non_null(content);
    random_init(&r, random_seed());
    for (int round = 0; round < 400; round++) {
        const size_t size = random_below(&r, NBYTES_MOST >> random_below(&r, 14));
        uint8_t *chunk, *back;
        int32_t cbytes;
        size_t back_size;
        random_content(&r, (enum kind)random_below(&r, NKINDS), 8, content, (int32_t)size);
        assert_int_equal(
            chunk_of_bytes(content, size, 16 << random_below(&r, 12), &chunk, &cbytes, NULL),
            TESS_OK);
        uint8_t *const exact = exact_copy(chunk, (size_t)cbytes);
        assert_int_equal(chunk_content(exact, (size_t)cbytes, NBYTES_MOST, &back, &back_size, NULL),
                         TESS_OK);
        assert_int_equal(back_size, size);
        if (size > 0)
            assert_memory_equal(back, content, size);
        else
            assert_null(back);
        free(exact);
        free(chunk);
        free(back);
    }
    free(content);
}

static void
decode_anything(const uint8_t *src, size_t size)
{
    uint8_t *content;
    size_t content_size;
    tess_error err;
    uint8_t *const exact = exact_copy(src, size);
    const tess_status st = chunk_content(exact, size, 1 << 20, &content, &content_size, &err);
    if (st == TESS_OK)
        free(content);
    else
        assert_true(st == TESS_ERR_CORRUPT || st == TESS_ERR_UNSUPPORTED || st == TESS_ERR_LIMIT);
    free(exact);
}

// Chunks cut off anywhere, whether the header knows or not, and with one byte changed, or a number.
static void
damage(void **state)
{
    struct random r;
    uint8_t *const content = malloc(NBYTES_MOST);

    (void)state;
    assert_non_null(content);
    random_init(&r, random_seed());
    for (int round = 0; round < 150; round++) {
        struct chunk_spec spec;
        struct chunk_encoder e;
        struct chunk_scratch scratch = {0};
        enum chunk_special special;
        int32_t cbytes;
        random_spec(&r, &spec);
        spec.nbytes %= 3000;
        if (spec.blocksize > spec.nbytes)
            spec.blocksize = spec.nbytes;
        random_content(&r, (enum kind)(RAMP + random_below(&r, 4)), spec.itemsize, content,
                       spec.nbytes);
        assert_int_equal(chunk_encoder_init(&e, &spec, NULL), TESS_OK);
        uint8_t *const chunk = malloc((size_t)chunk_bound(&e));
        assert_non_null(chunk);
        struct source from = {.e = &e, .content = content, .fail_at = -1};
        const struct block_source source = {.from = &from, .items = items};
        assert_int_equal(chunk_encode(&e, &source, &scratch, chunk, &cbytes, &special, NULL),
                         TESS_OK);
        scratch_finish(&scratch);

        for (int32_t size = 0; size < cbytes; size += size < 200 ? 1 : 7) {
            decode_anything(chunk, (size_t)size);
            if (size >= CHUNK_HEADER_MIN) {
                uint8_t *const shorter = exact_copy(chunk, (size_t)size);
                put_i32le(shorter + 12, size);
                decode_anything(shorter, (size_t)size);
                free(shorter);
            }
        }
        for (int i = 0; i < MUTATIONS; i++) {
            uint8_t *const other = exact_copy(chunk, (size_t)cbytes);
            const size_t within = random_below(&r, 2) ? 100 : 5000; // mostly header and table
            const size_t at = random_below(&r, (size_t)cbytes < within ? (size_t)cbytes : within);
            other[at] = (uint8_t)random_next(&r);
            if (random_below(&r, 4) == 0 && at + 4 <= (size_t)cbytes)
                put_i32le(other + at, (int32_t)random_next(&r) >> random_below(&r, 32));
            decode_anything(other, (size_t)cbytes);
            free(other);
        }
        free(chunk);
    }
    free(content);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(dictionaries),
        cmocka_unit_test(few_streams_for_a_dictionary),
        cmocka_unit_test(values),
        cmocka_unit_test(lossy),
        cmocka_unit_test(specs_refused),
        cmocka_unit_test(source_fails),
        cmocka_unit_test(bytes),
        cmocka_unit_test(small_gains),
        cmocka_unit_test(damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
