/*
 * arrays_kinds.c - arrays of all codecs, filters, shapes, typesizes, splits and levels.
 */
#include "golden/arrays.h"
#include "golden/record.h"

#include <tessera.h>

#include <stdio.h>
#include <string.h>

static const struct filters lossy[] = {
    {"trunc_prec", {0, 0, 0, 0, 4, 1}, {0, 0, 0, 0, 10, 0}},
    {"int_trunc", {0, 0, 0, 0, 36, 2}, {0, 0, 0, 0, 0xfc, 0}},
};

// What the filters of `lossy` would not change: only the two highest bytes of an item are used.
static void
fill_lossy(struct reference *r, uint32_t seed)
{
    const size_t size = reference_size(r);

    arrays_fill(r, seed);
    for (size_t i = 0; i < size; i++)
        if (i % r->typesize < r->typesize - 2)
            r->data[i] = 0;
}

static void
codecs_and_filters(tess_layout layout)
{
    static const int levels[] = {1, 5, 9};
    static const int32_t sizes[] = {1, 4, 8, 12};
    char name[200];
    uint32_t seed = 1;

    for (size_t c = 0; c < NCODECS; c++)
        for (size_t f = 0; f < NFILTERS; f++)
            for (size_t t = 0; t < COUNT(sizes); t++) {
                tess_params p = arrays_params(&arrays_codecs[c], &arrays_filters[f], arrays_edges,
                                              sizes[t], layout);
                p.clevel = levels[seed % 3];
                (void)snprintf(name, sizeof name, "%s%s_%s_%d_level%d", arrays_prefix(layout),
                               arrays_codecs[c].name, arrays_filters[f].name, (int)sizes[t],
                               p.clevel);
                arrays_make(name, &p, seed++);
            }
}

static void
lossy_filters(tess_layout layout)
{
    char name[200];
    uint32_t seed = 500;

    for (size_t c = 0; c < NCODECS; c++)
        for (size_t f = 0; f < COUNT(lossy); f++)
            for (int32_t t = 4; t <= 8; t += 4) {
                const tess_params p =
                    arrays_params(&arrays_codecs[c], &lossy[f], arrays_edges, t, layout);
                struct reference r;
                tess_array *a = NULL;

                (void)snprintf(name, sizeof name, "%s%s_%s_%d", arrays_prefix(layout),
                               arrays_codecs[c].name, lossy[f].name, (int)t);
                reference_init(&r, p.ndim, p.shape, (size_t)t);
                fill_lossy(&r, seed++);
                arrays_from(name, &p, &r, &a);
                record_array(name, a, &r);
                reference_finish(&r);
            }
}

static void
shapes_and_typesizes(tess_layout layout)
{
    char name[200];
    uint32_t seed = 1000;

    for (size_t g = 0; g < NGRIDS; g++)
        for (size_t t = 0; t < NTYPESIZES; t++) {
            const struct codec *codec = &arrays_codecs[seed % NCODECS];
            const struct filters *f = &arrays_filters[seed / 3 % NFILTERS];
            tess_params p = arrays_params(codec, f, &arrays_grids[g], arrays_typesizes[t], layout);

            (void)snprintf(name, sizeof name, "%sshape_%s_%d_%s_%s", arrays_prefix(layout),
                           arrays_grids[g].name, (int)arrays_typesizes[t], codec->name, f->name);
            arrays_make(name, &p, seed++);
        }
}

static void
splits_and_levels(tess_layout layout)
{
    static const tess_split splits[] = {TESS_SPLIT_ALWAYS, TESS_SPLIT_NEVER, TESS_SPLIT_AUTO};
    static const struct grid large = {"large", 1, {3000}, {2000}, {500}};
    char name[200];
    uint32_t seed = 2000;

    for (size_t c = 0; c < NCODECS; c++)
        for (size_t s = 0; s < COUNT(splits); s++)
            for (int32_t t = 2; t <= 16; t *= 2) {
                tess_params p =
                    arrays_params(&arrays_codecs[c], &arrays_filters[1], &large, t, layout);
                p.split = splits[s];
                (void)snprintf(name, sizeof name, "%ssplit%d_%s_%d", arrays_prefix(layout),
                               (int)splits[s], arrays_codecs[c].name, (int)t);
                arrays_make(name, &p, seed++);
            }
    for (size_t c = 0; c < NCODECS; c++)
        for (int level = 0; level <= 9; level++) {
            tess_params p =
                arrays_params(&arrays_codecs[c], &arrays_filters[level % 4], &large, 4, layout);
            p.clevel = level;
            (void)snprintf(name, sizeof name, "%slevel%d_%s", arrays_prefix(layout), level,
                           arrays_codecs[c].name);
            arrays_make(name, &p, seed++);
        }
}

// Shapes that the library chooses: of blocks, or of chunks and blocks.
static void
automatic_shapes(tess_layout layout)
{
    static const struct grid large[] = {
        {"1d", 1, {300001}, {100000}, {0}},
        {"1d_short", 1, {1000}, {1000}, {0}},
        {"2d", 2, {700, 500}, {300, 400}, {0}},
        {"2d_tall", 2, {100000, 3}, {30000, 3}, {0}},
        {"2d_wide", 2, {3, 100000}, {2, 99999}, {0}},
        {"3d", 3, {60, 70, 80}, {60, 1, 80}, {0}},
        {"5d", 5, {9, 11, 7, 13, 10}, {9, 4, 7, 5, 3}, {0}},
    };
    static const int32_t sizes[] = {1, 2, 8, 12, 300};
    char name[200];
    uint32_t seed = 5000;

    for (size_t g = 0; g < COUNT(large); g++)
        for (size_t t = 0; t < COUNT(sizes); t++) {
            const int64_t nitems = reference_nitems(large[g].ndim, large[g].shape);

            for (int chunks = 0; chunks < 2; chunks++, seed++) {
                tess_params p =
                    arrays_params(&arrays_codecs[seed % NCODECS], &arrays_filters[seed % NFILTERS],
                                  &large[g], sizes[t], layout);

                if (nitems * sizes[t] > 1500000)
                    continue;
                p.clevel = 1 + (int)(seed % 6);
                if (chunks)
                    memset(p.chunkshape, 0, sizeof p.chunkshape);
                (void)snprintf(name, sizeof name, "%sautomatic_%s_%s_%d", arrays_prefix(layout),
                               chunks ? "chunks" : "blocks", large[g].name, (int)sizes[t]);
                arrays_make(name, &p, seed);
            }
        }
}

void
arrays_of_kinds(tess_layout layout)
{
    codecs_and_filters(layout);
    lossy_filters(layout);
    shapes_and_typesizes(layout);
    splits_and_levels(layout);
    automatic_shapes(layout);
}
