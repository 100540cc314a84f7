/*
 * codecs.c - how fast is each codec, and how much of the time does a part of a stream cost?
 *
 *     codecs [ROUNDS [CODEC]] > results.csv      21 rounds, all codecs
 *
 * The streams are the byte planes of blocks: a smooth field as float32 and float64, and as int16
 * with a low byte that hardly shrinks: noise, but for one row in eight. Planes of one byte, and
 * those that do not get smaller, are left out, as the format does not hand them to a codec. For LZ4
 * the functions of its library do the same, each round after ours. Where a codec cannot stop early,
 * parts are not measured.
 */
#include "codec/codec.h"

#include "support.h"

#include <tessera/version.h>

#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 100
#define NITEMS (SIDE * SIDE * SIDE)
#define QUIET 64 // of 8 times so many items, the ones without noise
#define ENCODE_ROUNDS 3
#define NPARTS 7

static const int levels[] = {1, 5, 9};
static const int ids[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_LZ4HC, TESS_CODEC_ZLIB,
                          TESS_CODEC_ZSTD};
static const size_t percents[NPARTS] = {10, 25, 50, 75, 90, 99, 100};

enum kind { FLOAT32, FLOAT64, INT16, NKINDS };

static const struct {
    const char *name;
    size_t typesize;
    size_t nitems; // of a block
} kinds[NKINDS] = {{"float32", 4, 62500}, {"float64", 8, 6250}, {"int16", 2, 65536}};

struct stream {
    const uint8_t *plain;
    const uint8_t *packed;
    size_t packed_size;
};

struct streams {
    uint8_t *plain, *packed; // of all of them
    struct stream *at;
    int count;
    size_t size; // of each, plain
    int64_t stored;
};

// One item of the field.
static void
put_item(enum kind kind, float value, bool noisy, uint64_t *noise, uint8_t *item)
{
    const double wide = (double)value;
    const int16_t narrow = (int16_t)(value * 1000 + (float)(noisy ? bench_random(noise) % 250 : 0));

    if (kind == FLOAT32)
        memcpy(item, &value, sizeof value);
    else if (kind == FLOAT64)
        memcpy(item, &wide, sizeof wide);
    else
        memcpy(item, &narrow, sizeof narrow);
}

// The planes of all whole blocks, one behind the other.
static uint8_t *
make_planes(enum kind kind, const float *field)
{
    const size_t typesize = kinds[kind].typesize, n = kinds[kind].nitems;
    uint8_t *const planes = bench_alloc(NITEMS * typesize);
    uint64_t noise = 1;

    for (size_t i = 0; i < NITEMS; i++) {
        uint8_t item[8];
        put_item(kind, field[i], i / QUIET % 8 > 0, &noise, item);
        for (size_t j = 0; j < typesize; j++)
            if (i / n < NITEMS / n)
                planes[(i / n * typesize + j) * n + i % n] = item[j];
    }
    return planes;
}

static bool
is_run(const uint8_t *bytes, size_t size)
{
    return memcmp(bytes, bytes + 1, size - 1) == 0;
}

static void
make_streams(struct streams *s, const struct codec_call *call, enum kind kind, const float *field)
{
    const size_t n = kinds[kind].nitems;
    const size_t count = NITEMS / n * kinds[kind].typesize;
    size_t used = 0;

    *s = (struct streams){.plain = make_planes(kind, field), .size = n};
    s->packed = bench_alloc(count * n);
    s->at = bench_alloc(count * sizeof *s->at);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *const plain = s->plain + i * n;
        size_t size;
        if (is_run(plain, n))
            continue;
        if (call->codec->encode(call, plain, n, s->packed + used, n - 1, &size, NULL) != TESS_OK)
            bench_die("%s cannot encode", call->codec->name);
        if (size > 0)
            s->at[s->count++] = (struct stream){plain, s->packed + used, size};
        used += size;
    }
    s->stored = (int64_t)used;
}

static void
free_streams(struct streams *s)
{
    free(s->plain);
    free(s->packed);
    free(s->at);
}

// What is done with every stream: encoded, decoded whole, or the first `need` bytes of it.
enum contestant { ENCODE, WHOLE, PART, LIBRARY_WHOLE, LIBRARY_PART };

static bool
run_one(enum contestant who, const struct codec_call *call, const struct streams *s,
        const struct stream *one, size_t need, uint8_t *dst)
{
    const char *const src = (const char *)one->packed;
    const int src_size = (int)one->packed_size, size = (int)s->size;
    size_t n;

    switch (who) {
    case ENCODE:
        return call->codec->encode(call, one->plain, s->size, dst, s->size, &n, NULL) == TESS_OK;
    case WHOLE:
        return call->codec->decode(call, one->packed, one->packed_size, dst, s->size, NULL) ==
               TESS_OK;
    case PART:
        return call->codec->decode_part(call, one->packed, one->packed_size, dst, need, s->size,
                                        NULL) == TESS_OK;
    case LIBRARY_WHOLE:
        return LZ4_decompress_safe(src, (char *)dst, src_size, size) == size;
    default:
        return LZ4_decompress_safe_partial(src, (char *)dst, src_size, (int)need, size) >=
               (int)need;
    }
}

static void
run_all(enum contestant who, const struct codec_call *call, const struct streams *s, size_t need,
        uint8_t *dst, struct bench_times *times)
{
    const double start = bench_now();

    for (int i = 0; i < s->count; i++)
        if (!run_one(who, call, s, &s->at[i], need, dst))
            bench_die("%s: a stream is refused", call->codec->name);
    bench_times_add(times, bench_now() - start);
}

struct results {
    struct bench_times encode, whole, library_whole;
    struct bench_times part[NPARTS], library_part[NPARTS];
};

static void
print_row(const struct codec_call *call, const struct streams *s, enum kind kind,
          const char *library, const char *what, size_t need, const struct bench_times *times)
{
    char cell[64];

    snprintf(cell, sizeof cell, "%s-%s", kinds[kind].name, what);
    const struct bench_row row = {
        .program = "codecs",
        .library = library,
        .threads = 1,
        .storage = "memory",
        .codec = call->codec->name,
        .level = call->level,
        .filter = "shuffle",
        .cell = cell,
        .requests = s->count,
        .bytes = (int64_t)need * s->count,
        .stored = s->stored,
        .times = *times,
    };
    if (times->n > 0)
        bench_csv_row(&row);
}

static void
print(const struct codec_call *call, const struct streams *s, enum kind kind,
      const struct results *r)
{
    static const char ours[] = "tessera " TESS_VERSION;
    char library[32];

    snprintf(library, sizeof library, "lz4 %s", LZ4_versionString());
    print_row(call, s, kind, ours, "encode", s->size, &r->encode);
    print_row(call, s, kind, ours, "decode", s->size, &r->whole);
    print_row(call, s, kind, library, "decode", s->size, &r->library_whole);
    for (int k = 0; k < NPARTS; k++) {
        const size_t need = s->size * percents[k] / 100;
        char what[32];
        snprintf(what, sizeof what, "part-%zu", percents[k]);
        print_row(call, s, kind, ours, what, need, &r->part[k]);
        print_row(call, s, kind, library, what, need, &r->library_part[k]);
    }
}

static void
measure(const struct codec_call *call, const struct streams *s, int rounds, struct results *r)
{
    const bool lz4 = call->codec->format == CODEC_FORMAT_LZ4;
    uint8_t *const dst = bench_alloc(s->size + CODEC_SLACK);

    memset(r, 0, sizeof *r);
    for (int i = 0; i < rounds; i++) {
        if (i < ENCODE_ROUNDS)
            run_all(ENCODE, call, s, 0, dst, &r->encode);
        run_all(WHOLE, call, s, 0, dst, &r->whole);
        if (lz4)
            run_all(LIBRARY_WHOLE, call, s, 0, dst, &r->library_whole);
        for (int k = 0; k < NPARTS && call->codec->decode_part; k++) {
            const size_t need = s->size * percents[k] / 100;
            run_all(PART, call, s, need, dst, &r->part[k]);
            if (lz4)
                run_all(LIBRARY_PART, call, s, need, dst, &r->library_part[k]);
        }
    }
    free(dst);
}

static void
run_codec(const struct codec *codec, int rounds, const float *field, struct codec_state *state)
{
    static struct results results;

    for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++)
        for (enum kind kind = FLOAT32; kind < NKINDS; kind++) {
            const struct codec_call call = {.codec = codec, .state = state, .level = levels[l]};
            struct streams s;
            make_streams(&s, &call, kind, field);
            measure(&call, &s, rounds, &results);
            print(&call, &s, kind, &results);
            free_streams(&s);
        }
}

int
main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 21;
    float *const field = bench_alloc(NITEMS * sizeof *field);
    struct codec_state *const state = codec_state_new();

    if (argc > 3 || rounds < 1 || rounds > BENCH_ROUNDS_MAX || !state)
        bench_die("usage: codecs [ROUNDS [CODEC]] > results.csv");
    bench_field(field, SIDE, 1);
    bench_csv_header();
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const struct codec *const codec = codec_by_id(ids[i]);
        if (argc < 3 || strcmp(argv[2], codec->name) == 0)
            run_codec(codec, rounds, field, state);
    }
    codec_state_free(state);
    free(field);
    return 0;
}
