/*
 * arrays_pasts.c - arrays that were not made from memory in one go.
 */
#include "golden/arrays.h"
#include "golden/record.h"

#include <tessera.h>

#include <stdio.h>
#include <string.h>

// Chunks of one value, untouched and written over.
static void
specials(tess_layout layout)
{
    static const char *const kinds[] = {"uninit", "zeros", "nan", "full"};
    static const uint8_t nan[2][8] = {{0, 0, 0xc0, 0x7f}, {0, 0, 0, 0, 0, 0, 0xf8, 0x7f}};
    uint8_t value[300];
    uint8_t box[300 * 9];
    char name[200];

    memset(box, 7, sizeof box);
    for (size_t i = 0; i < sizeof value; i++)
        value[i] = (uint8_t)(i + 1);
    for (int kind = 0; kind < 4; kind++)
        for (size_t t = 0; t < NTYPESIZES; t++)
            for (int over = 0; over < 2; over++) {
                const int32_t ts = arrays_typesizes[t];
                const tess_params p = arrays_params(
                    &arrays_codecs[t % NCODECS], &arrays_filters[t % 5], arrays_edges, ts, layout);
                struct reference r;
                tess_array *a = NULL;

                if (kind == 2 && ts != 4 && ts != 8)
                    continue;
                (void)snprintf(name, sizeof name, "%sspecial_%s_%d%s", arrays_prefix(layout),
                               kinds[kind], (int)ts, over ? "_over" : "");
                const tess_storage storage = arrays_storage(name);
                reference_init(&r, p.ndim, p.shape, (size_t)ts);
                if (kind == 0)
                    MUST(tess_array_uninit(&storage, &p, &a, err));
                else if (kind == 1)
                    MUST(tess_array_zeros(&storage, &p, &a, err));
                else if (kind == 2)
                    MUST(tess_array_nan(&storage, &p, &a, err));
                else
                    MUST(tess_array_full(&storage, &p, value, (size_t)ts, &a, err));
                if (kind > 1)
                    reference_fill(&r, kind == 2 ? nan[ts / 8] : value);
                if (over) {
                    const int64_t start[2] = {7, 5};
                    const int64_t stop[2] = {10, 8};
                    arrays_write(a, &r, start, stop, box);
                }
                record_array(name, a, &r);
                reference_finish(&r);
            }
}

// Arrays with a past: written in parts, grown, shrunk, with commits in between.
static void
histories(tess_layout layout)
{
    char name[200];

    for (size_t c = 0; c < NCODECS; c++)
        for (size_t f = 0; f < NFILTERS; f++) {
            const tess_params p =
                arrays_params(&arrays_codecs[c], &arrays_filters[f], arrays_edges, 4, layout);
            const int64_t shapes[][2] = {{20, 13}, {20, 20}, {9, 20}, {0, 20}, {12, 14}};
            uint8_t row[100];
            struct reference r;
            tess_array *a = NULL;

            (void)snprintf(name, sizeof name, "%shistory_%s_%s", arrays_prefix(layout),
                           arrays_codecs[c].name, arrays_filters[f].name);
            reference_init(&r, 2, p.shape, 4);
            arrays_fill(&r, (uint32_t)(c * 10 + f));
            arrays_from(name, &p, &r, &a);
            for (size_t i = 0; i < 3 + (c + f) % 3; i++) {
                memset(row, (int)(i + f), sizeof row);
                row[5] = (uint8_t)c;
                for (int64_t y = (int64_t)i; y < r.shape[0]; y += 4) {
                    const int64_t start[2] = {y, 0};
                    const int64_t stop[2] = {y + 1, r.shape[1]};
                    arrays_write(a, &r, start, stop, row);
                }
                MUST(tess_vlmeta_set(a, i % 2 ? "odd" : "even", row, 3 + 20 * i, err));
                MUST(tess_array_flush(a, err));
                arrays_resize(a, &r, shapes[i]);
            }
            record_array(name, a, &r);
            reference_finish(&r);
        }
}

void
arrays_with_pasts(tess_layout layout)
{
    specials(layout);
    histories(layout);
}
