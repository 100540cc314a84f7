/*
 * arrays_dictionaries.c - arrays whose chunks bring a dictionary for their blocks.
 *
 * They hold phrases out of a list of few, in many small blocks: each of those says what others have
 * said, too, but not itself. Some chunks must come with a dictionary in the end.
 */
#include "golden/arrays.h"
#include "golden/record.h"

#include <tessera.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    NPHRASES = 40,
    PHRASE = 16, // items
    BLOCK = 64, // items
    CHUNK = 64 * BLOCK,
};

static const struct codec codecs[] = {
    {"zstd", TESS_CODEC_ZSTD},
    {"lz4", TESS_CODEC_LZ4},
    {"lz4hc", TESS_CODEC_LZ4HC},
};

// The items from one on, along the last axis; the first block of a chunk, to which delta refers,
// says the same all over.
static void
speak(uint8_t *items, size_t typesize, int64_t from, int64_t count, uint32_t seed)
{
    for (int64_t i = 0; i < count; i++) {
        const uint32_t at = (uint32_t)(from + i);
        const uint32_t place = at / PHRASE;
        const uint32_t phrase =
            at % CHUNK < BLOCK ? 0 : ((place + seed) * 2654435761u >> 7) % NPHRASES;

        for (size_t byte = 0; byte < typesize; byte++)
            items[(size_t)i * typesize + byte] =
                (uint8_t)(((phrase * 977 + at % PHRASE * 31 + (uint32_t)byte) * 2654435761u >> 11) %
                              64 +
                          32);
    }
}

static void
overwrite(tess_array *a, struct reference *r, int64_t start, int64_t stop, uint32_t seed)
{
    static uint8_t items[3 * CHUNK * 12];

    speak(items, r->typesize, start, stop - start, seed);
    arrays_write(a, r, &start, &stop, items);
}

// Parts of blocks, whole blocks, a chunk; larger and smaller; before and after a commit.
static void
change(const char *name, tess_array **a, struct reference *r, uint32_t seed)
{
    const int64_t larger = 3 * CHUNK + 5;
    const int64_t smaller = 2 * CHUNK + 3 * BLOCK + 1;

    overwrite(*a, r, BLOCK + 3, BLOCK + 9, seed);
    overwrite(*a, r, 2 * BLOCK, 9 * BLOCK, seed + 1);
    arrays_resize(*a, r, &larger);
    arrays_reopen(name, a);
    overwrite(*a, r, CHUNK - 100, 2 * CHUNK + 100, seed + 2);
    overwrite(*a, r, CHUNK + 1, CHUNK + 2, seed + 3);
    MUST(tess_array_flush(*a, err));
    overwrite(*a, r, 5 * BLOCK - 1, 5 * BLOCK + 1, seed + 4);
    arrays_resize(*a, r, &smaller);
}

static bool
has_dictionary(tess_array *a)
{
    tess_info info;

    tess_array_info(a, &info);
    for (int64_t i = 0; i < info.nchunks; i++) {
        tess_chunk_info chunk;

        MUST(tess_array_chunk(a, i, &chunk, err));
        if (chunk.dictionary_size > 0)
            return true;
    }
    return false;
}

// Whether a dictionary was stored.
static bool
one(const char *name, const tess_params *p, bool changed, uint32_t seed)
{
    struct reference r;
    tess_array *a = NULL;

    reference_init(&r, 1, p->shape, (size_t)p->typesize);
    speak(r.data, r.typesize, 0, r.shape[0], seed);
    arrays_from(name, p, &r, &a);
    if (changed)
        change(name, &a, &r, seed);
    const bool has = has_dictionary(a);
    record_array(name, a, &r);
    reference_finish(&r);
    return has;
}

// Two dimensions: blocks are windows into the phrases.
static bool
two_dimensions(tess_layout layout, const struct codec *codec, const struct filters *f)
{
    static const struct grid grid = {"2d", 2, {150, 100}, {100, 64}, {9, 8}};
    tess_params p = arrays_params(codec, f, &grid, 2, layout);
    const int64_t larger[2] = {170, 130};
    const int64_t start[2] = {50, 30};
    const int64_t stop[2] = {77, 71};
    static uint8_t box[27 * 41 * 2];
    char name[200];
    struct reference r;
    tess_array *a = NULL;

    p.dictionary = true;
    (void)snprintf(name, sizeof name, "%sdictionary_2d_%s_%s", arrays_prefix(layout), codec->name,
                   f->name);
    reference_init(&r, 2, p.shape, 2);
    speak(r.data, 2, 0, 150 * 100, 3);
    arrays_from(name, &p, &r, &a);
    speak(box, 2, 999, 27 * 41, 4);
    arrays_write(a, &r, start, stop, box);
    arrays_resize(a, &r, larger);
    arrays_reopen(name, &a);
    arrays_write(a, &r, start, stop, box);
    const bool has = has_dictionary(a);
    record_array(name, a, &r);
    reference_finish(&r);
    return has;
}

void
arrays_with_dictionaries(tess_layout layout)
{
    static const struct grid grid = {"", 1, {2 * CHUNK + 1000}, {CHUNK}, {BLOCK}};
    static const int32_t sizes[] = {1, 2, 4, 8, 12};
    static const int levels[] = {1, 3, 6};
    char name[200];
    uint32_t seed = 0;

    for (size_t c = 0; c < COUNT(codecs); c++) {
        int stored = 0, made = 0;

        for (size_t f = 0; f < NFILTERS; f++) {
            for (size_t t = 0; t < COUNT(sizes); t++, seed++) {
                const bool changed = seed % 2 == 0;
                tess_params p =
                    arrays_params(&codecs[c], &arrays_filters[f], &grid, sizes[t], layout);

                if (layout == TESS_LAYOUT_SPARSE && seed % 7 > 1)
                    continue;
                p.dictionary = true;
                p.split = seed / 2 % 2 ? TESS_SPLIT_ALWAYS : TESS_SPLIT_NEVER;
                p.clevel = levels[seed % 3];
                (void)snprintf(name, sizeof name, "%sdictionary_%s_%s_%d_split%d%s",
                               arrays_prefix(layout), codecs[c].name, arrays_filters[f].name,
                               (int)sizes[t], (int)p.split, changed ? "_changed" : "");
                stored += one(name, &p, changed, seed);
                made++;
            }
            stored += two_dimensions(layout, &codecs[c], &arrays_filters[f]);
            made++;
        }
        printf("%s: %d of %d arrays with a dictionary\n", codecs[c].name, stored, made);
        if (stored < made / 2) {
            fprintf(stderr, "%s: few dictionaries\n", codecs[c].name);
            exit(1);
        }
    }
}
