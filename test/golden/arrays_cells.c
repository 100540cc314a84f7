/*
 * arrays_cells.c - arrays with filters and codecs that look at the shape of blocks.
 */
#include "golden/arrays.h"
#include "golden/record.h"

#include <tessera.h>

#include <stdio.h>

static void
cell_filters(tess_layout layout)
{
    static const struct filters ndcell[] = {
        {"ndcell", {0, 0, 0, 0, 0, 32}, {0, 0, 0, 0, 0, 2}},
        {"ndcell_shuffle", {0, 0, 0, 0, 32, 1}, {0, 0, 0, 0, 1, 0}},
        {"delta_ndcell", {3, 32}, {0, 2}},
    };
    char name[200];
    uint32_t seed = 3000;

    for (size_t g = 0; g < NGRIDS; g++)
        for (size_t f = 0; f < COUNT(ndcell); f++)
            for (size_t t = 0; t < NTYPESIZES; t++) {
                const struct codec *codec = &arrays_codecs[seed % NCODECS];
                tess_params p =
                    arrays_params(codec, &ndcell[f], &arrays_grids[g], arrays_typesizes[t], layout);
                int64_t cell = 1, items = 1;

                for (int i = 0; i < p.ndim; i++) {
                    cell *= ndcell[f].metas[f == 0 ? 5 : f == 1 ? 4 : 1];
                    items *= p.blockshape[i];
                }
                if (p.ndim < 1 || p.ndim > 8 || p.typesize > 255 || cell > items)
                    continue;
                (void)snprintf(name, sizeof name, "%s%s_%s_%d_%s", arrays_prefix(layout),
                               ndcell[f].name, arrays_grids[g].name, (int)p.typesize, codec->name);
                arrays_make(name, &p, seed++);
            }
}

// What is lost, is lost: we and the other reader must read the same means.
static void
cell_means(tess_layout layout)
{
    static const struct filters ndmean = {"ndmean", {0, 0, 0, 0, 33, 1}, {0, 0, 0, 0, 2, 0}};
    static const int64_t origin[TESS_MAX_NDIM] = {0};
    char name[200];
    uint32_t seed = 3900;

    for (int32_t t = 4; t <= 8; t += 4)
        for (size_t c = 0; c < NCODECS; c++) {
            const tess_params p =
                arrays_params(&arrays_codecs[c], &ndmean, arrays_edges, t, layout);
            struct reference r;
            tess_array *a = NULL;

            (void)snprintf(name, sizeof name, "%sndmean_%d_%s", arrays_prefix(layout), (int)t,
                           arrays_codecs[c].name);
            reference_init(&r, 2, p.shape, (size_t)t);
            arrays_fill(&r, seed++);
            arrays_from(name, &p, &r, &a);
            MUST(tess_array_read(a, origin, r.shape, r.data, reference_size(&r), err));
            record_array(name, a, &r);
            reference_finish(&r);
        }
}

// NDLZ: bytes, or larger items that are split.
static void
ndlz(tess_layout layout)
{
    static const struct grid large[] = {
        {"exact", 2, {96, 64}, {48, 64}, {16, 32}},
        {"edges", 2, {71, 53}, {40, 30}, {13, 18}},
        {"tiny", 2, {30, 30}, {10, 10}, {3, 5}},
    };
    static const struct codec codec = {"ndlz", TESS_CODEC_NDLZ};
    char name[200];
    uint32_t seed = 4000;

    for (size_t g = 0; g < COUNT(large); g++)
        for (size_t f = 0; f < 6; f++)
            for (size_t t = 0; t < 7; t++)
                for (int side = 4; side <= 8; side += 4) {
                    tess_params p = arrays_params(&codec, &arrays_filters[f], &large[g],
                                                  arrays_typesizes[t], layout);

                    p.codec_meta = (uint8_t)side;
                    p.split =
                        arrays_typesizes[t] == 1 && seed % 2 ? TESS_SPLIT_AUTO : TESS_SPLIT_ALWAYS;
                    (void)snprintf(name, sizeof name, "%sndlz%d_%s_%s_%d", arrays_prefix(layout),
                                   side, large[g].name, arrays_filters[f].name, (int)p.typesize);
                    arrays_make(name, &p, seed++);
                }
}

void
arrays_of_cells(tess_layout layout)
{
    cell_filters(layout);
    cell_means(layout);
    ndlz(layout);
}
