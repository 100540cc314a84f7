/*
 * codecs.c - how fast is each codec, and how much of the time does a part of a stream cost?
 *
 *     codecs [ROUNDS [CODEC [FILE:TYPESIZE[:NITEMS]]...]] > results.csv      21 rounds, all codecs
 *
 * The streams are the byte planes of blocks of NITEMS items (as many as 12,800 bytes hold): of raw
 * files, or of a smooth field as float32 and float64, rounded and with noise, and as int16 with a
 * low byte that hardly shrinks: noise, but for one row in eight.
 *
 * Encoded is all but planes of one byte, as in a chunk: with a look whether it is noise. Decoded
 * are the streams that got smaller. For LZ4 the functions of its library do the same, each round
 * after ours; the column `stored` has what each makes of the streams. Every encoder takes all
 * streams before the next one starts, so that the processor cannot remember their branches. Where a
 * codec cannot stop early, parts are not measured.
 */
#include "chunk/encode/encode.h"
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
#define BLOCK_SIZE 12800 // of a file
#define ITEM_MAX 16
#define ENCODE_ROUNDS 5
#define NPARTS 7

static const int levels[] = {1, 5, 9};
static const int ids[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_LZ4HC, TESS_CODEC_ZLIB,
                          TESS_CODEC_ZSTD};
static const size_t percents[NPARTS] = {10, 25, 50, 75, 90, 99, 100};

enum kind { FLOAT32, FLOAT64, SMALL32, NOISY32, INT16, NKINDS };

static const struct {
    const char *name;
    size_t typesize;
    size_t nitems; // of a block
} kinds[NKINDS] = {{"float32", 4, 62500},
                   {"float64", 8, 6250},
                   {"float32-small", 4, 3200},
                   {"float32-noisy", 4, 3200},
                   {"int16", 2, 65536}};

// Items that are cut into blocks and planes.
struct data {
    const char *name;
    size_t typesize;
    size_t nitems; // of a block
    size_t nblocks;
    uint8_t *planes; // of all blocks, one behind the other
};

struct stream {
    const uint8_t *plain;
    const uint8_t *packed; // NULL: it did not get smaller
    size_t packed_size;
};

struct streams {
    uint8_t *packed; // of all of them
    struct stream *at;
    int count;
    size_t size; // of each, plain
};

// One item of the field.
static void
put_item(enum kind kind, float value, bool disturbed, uint64_t *noise, uint8_t *item)
{
    const float noisy = value + 1e-3f * (float)bench_random_below(noise, 1 << 20) / (1 << 20);
    const double wide = (double)value;
    const int16_t narrow =
        (int16_t)(value * 1000 + (float)(disturbed ? bench_random(noise) % 250 : 0));

    if (kind == FLOAT32 || kind == SMALL32)
        memcpy(item, &value, sizeof value);
    else if (kind == NOISY32)
        memcpy(item, &noisy, sizeof noisy);
    else if (kind == FLOAT64)
        memcpy(item, &wide, sizeof wide);
    else
        memcpy(item, &narrow, sizeof narrow);
}

static void
put_planes(const struct data *d, size_t i, const uint8_t *item)
{
    const size_t block = i / d->nitems;
    for (size_t j = 0; j < d->typesize && block < d->nblocks; j++)
        d->planes[(block * d->typesize + j) * d->nitems + i % d->nitems] = item[j];
}

static void
data_of_field(struct data *d, enum kind kind, const float *field)
{
    uint64_t noise = 1;

    *d = (struct data){.name = kinds[kind].name,
                       .typesize = kinds[kind].typesize,
                       .nitems = kinds[kind].nitems,
                       .nblocks = NITEMS / kinds[kind].nitems};
    d->planes = bench_alloc(d->nblocks * d->nitems * d->typesize);
    for (size_t i = 0; i < NITEMS; i++) {
        uint8_t item[ITEM_MAX];
        put_item(kind, field[i], i / QUIET % 8 > 0, &noise, item);
        put_planes(d, i, item);
    }
}

// The argument loses what stands behind the name of the file.
static void
data_of_file(struct data *d, char *argument)
{
    uint8_t item[ITEM_MAX];
    char *const colon = strchr(argument, ':');
    char *const second = colon ? strchr(colon + 1, ':') : NULL;
    const int typesize = colon ? atoi(colon + 1) : 0;
    const int nitems = second ? atoi(second + 1) : typesize > 0 ? BLOCK_SIZE / typesize : 0;

    if (typesize < 1 || typesize > ITEM_MAX || nitems < 1)
        bench_die("%s: not FILE:TYPESIZE[:NITEMS], with a TYPESIZE up to %d", argument, ITEM_MAX);
    *colon = '\0';
    FILE *const file = fopen(argument, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0 || ftell(file) < (long)typesize * nitems)
        bench_die("%s: cannot be read, or has less than a block", argument);
    *d = (struct data){.name = strrchr(argument, '/') ? strrchr(argument, '/') + 1 : argument,
                       .typesize = (size_t)typesize,
                       .nitems = (size_t)nitems,
                       .nblocks = (size_t)(ftell(file) / typesize / nitems)};
    d->planes = bench_alloc(d->nblocks * d->nitems * d->typesize);
    rewind(file);
    for (size_t i = 0; i < d->nblocks * d->nitems; i++) {
        if (fread(item, d->typesize, 1, file) != 1)
            bench_die("%s: cannot be read", argument);
        put_planes(d, i, item);
    }
    fclose(file);
}

static bool
is_run(const uint8_t *bytes, size_t size)
{
    return memcmp(bytes, bytes + 1, size - 1) == 0;
}

static void
make_streams(struct streams *s, const struct codec_call *call, const struct data *d)
{
    const size_t n = d->nitems;
    const size_t count = d->nblocks * d->typesize;
    size_t used = 0;

    *s = (struct streams){.size = n};
    s->packed = bench_alloc(count * n + CODEC_SLACK);
    s->at = bench_alloc(count * sizeof *s->at);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *const plain = d->planes + i * n;
        size_t size;
        if (is_run(plain, n))
            continue;
        if (stream_encode(call, plain, n, s->packed + used, &size, NULL) != TESS_OK)
            bench_die("%s cannot encode", call->codec->name);
        s->at[s->count++] = (struct stream){plain, size > 0 ? s->packed + used : NULL, size};
        used += size;
    }
}

static void
free_streams(struct streams *s)
{
    free(s->packed);
    free(s->at);
}

static int
count_packed(const struct streams *s)
{
    int n = 0;
    for (int i = 0; i < s->count; i++)
        n += s->at[i].packed != NULL;
    return n;
}

// What is done with every stream: encoded, decoded whole, or the first `need` bytes of it.
enum contestant { ENCODE, LIBRARY_ENCODE, WHOLE, PART, LIBRARY_WHOLE, LIBRARY_PART };

static bool
encode_one(enum contestant who, const struct codec_call *call, const struct streams *s,
           const struct stream *one, void *library, uint8_t *dst, int64_t *stored)
{
    size_t n = 0;
    bool done = true;

    if (who == ENCODE)
        done = stream_encode(call, one->plain, s->size, dst, &n, NULL) == TESS_OK;
    else // as c-blosc2 calls it
        n = (size_t)LZ4_compress_fast_extState(library, (const char *)one->plain, (char *)dst,
                                               (int)s->size, (int)s->size - 1, 10 - call->level);
    if (n == 0) // it stays as it is
        memcpy(dst, one->plain, s->size);
    *stored += (int64_t)(n == 0 ? s->size : n);
    return done;
}

static bool
decode_one(enum contestant who, const struct codec_call *call, const struct streams *s,
           const struct stream *one, size_t need, uint8_t *dst)
{
    const char *const src = (const char *)one->packed;
    const int src_size = (int)one->packed_size, size = (int)s->size;

    switch (who) {
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
encode_all(enum contestant who, const struct codec_call *call, const struct streams *s,
           void *library, uint8_t *dst, struct bench_times *times, int64_t *stored)
{
    const double start = bench_now();

    *stored = 0;
    for (int i = 0; i < s->count; i++)
        if (!encode_one(who, call, s, &s->at[i], library, dst, stored))
            bench_die("%s cannot encode", call->codec->name);
    bench_times_add(times, bench_now() - start);
}

static void
decode_all(enum contestant who, const struct codec_call *call, const struct streams *s, size_t need,
           uint8_t *dst, struct bench_times *times)
{
    const double start = bench_now();

    for (int i = 0; i < s->count; i++)
        if (s->at[i].packed && !decode_one(who, call, s, &s->at[i], need, dst))
            bench_die("%s: a stream is refused", call->codec->name);
    bench_times_add(times, bench_now() - start);
}

struct results {
    struct bench_times encode, library_encode, whole, library_whole;
    struct bench_times part[NPARTS], library_part[NPARTS];
    int64_t stored, library_stored;
};

static void
print_row(const struct codec_call *call, const struct data *d, int count, const char *library,
          const char *what, size_t need, int64_t stored, const struct bench_times *times)
{
    char cell[96];

    snprintf(cell, sizeof cell, "%.60s-%s", d->name, what);
    const struct bench_row row = {
        .program = "codecs",
        .library = library,
        .threads = 1,
        .storage = "memory",
        .codec = call->codec->name,
        .level = call->level,
        .filter = "shuffle",
        .cell = cell,
        .requests = count,
        .bytes = (int64_t)need * count,
        .stored = stored,
        .times = *times,
    };
    if (times->n > 0)
        bench_csv_row(&row);
}

static void
print(const struct codec_call *call, const struct data *d, const struct streams *s,
      const struct results *r)
{
    static const char ours[] = "tessera " TESS_VERSION;
    const int packed = count_packed(s);
    char library[32];

    snprintf(library, sizeof library, "lz4 %s", LZ4_versionString());
    print_row(call, d, s->count, ours, "encode", s->size, r->stored, &r->encode);
    print_row(call, d, s->count, library, "encode", s->size, r->library_stored, &r->library_encode);
    if (packed == 0)
        return;
    print_row(call, d, packed, ours, "decode", s->size, r->stored, &r->whole);
    print_row(call, d, packed, library, "decode", s->size, r->stored, &r->library_whole);
    for (int k = 0; k < NPARTS; k++) {
        const size_t need = s->size * percents[k] / 100;
        char what[32];
        snprintf(what, sizeof what, "part-%zu", percents[k]);
        print_row(call, d, packed, ours, what, need, r->stored, &r->part[k]);
        print_row(call, d, packed, library, what, need, r->stored, &r->library_part[k]);
    }
}

static void
measure(const struct codec_call *call, const struct streams *s, int rounds, struct results *r)
{
    const bool lz4 = call->codec->format == CODEC_FORMAT_LZ4;
    const bool fast = call->codec->id == TESS_CODEC_LZ4;
    uint8_t *const dst = bench_alloc(s->size + CODEC_SLACK);
    void *const library = bench_alloc((size_t)LZ4_sizeofState());

    memset(r, 0, sizeof *r);
    for (int i = 0; i < rounds; i++) {
        if (i < ENCODE_ROUNDS)
            encode_all(ENCODE, call, s, NULL, dst, &r->encode, &r->stored);
        if (i < ENCODE_ROUNDS && fast)
            encode_all(LIBRARY_ENCODE, call, s, library, dst, &r->library_encode,
                       &r->library_stored);
        decode_all(WHOLE, call, s, 0, dst, &r->whole);
        if (lz4)
            decode_all(LIBRARY_WHOLE, call, s, 0, dst, &r->library_whole);
        for (int k = 0; k < NPARTS && call->codec->decode_part; k++) {
            const size_t need = s->size * percents[k] / 100;
            decode_all(PART, call, s, need, dst, &r->part[k]);
            if (lz4)
                decode_all(LIBRARY_PART, call, s, need, dst, &r->library_part[k]);
        }
    }
    free(library);
    free(dst);
}

static void
run_codec(const struct codec *codec, int rounds, const struct data *d, struct codec_state *state)
{
    static struct results results;

    for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
        const struct codec_call call = {.codec = codec, .state = state, .level = levels[l]};
        struct streams s;
        make_streams(&s, &call, d);
        measure(&call, &s, rounds, &results);
        print(&call, d, &s, &results);
        free_streams(&s);
    }
}

static void
run_codecs(const char *name, int rounds, const struct data *d, struct codec_state *state)
{
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const struct codec *const codec = codec_by_id(ids[i]);
        if (!name || strcmp(name, codec->name) == 0)
            run_codec(codec, rounds, d, state);
    }
}

int
main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 21;
    const char *const name = argc > 2 ? argv[2] : NULL;
    float *const field = bench_alloc(NITEMS * sizeof *field);
    struct codec_state *const state = codec_state_new();
    struct data d;

    if (rounds < 1 || rounds > BENCH_ROUNDS_MAX || !state)
        bench_die("usage: codecs [ROUNDS [CODEC [FILE:TYPESIZE[:NITEMS]]...]] > results.csv");
    bench_field(field, SIDE, 1);
    bench_csv_header();
    for (enum kind kind = FLOAT32; argc <= 3 && kind < NKINDS; kind++) {
        data_of_field(&d, kind, field);
        run_codecs(name, rounds, &d, state);
        free(d.planes);
    }
    for (int i = 3; i < argc; i++) {
        data_of_file(&d, argv[i]);
        run_codecs(name, rounds, &d, state);
        free(d.planes);
    }
    codec_state_free(state);
    free(field);
    return 0;
}
