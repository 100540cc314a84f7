/*
 * history.c - an array whose every commit is known.
 */
#include "api/history.h"

#include "support/native.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

static const char name[] = "commit";

static void
draw_shape(const struct history *history, uint32_t epoch, int64_t shape[2])
{
    struct random r;
    shape[0] = history->small ? 12 : 110;
    shape[1] = history->small ? 70 : 90;
    if (!history->reshapes)
        return;
    random_init(&r, epoch);
    const bool large = !history->small && random_below(&r, 4) == 0;
    const uint64_t most = history->small ? 20 : large ? HISTORY_LENGTH : 60;
    for (int i = 0; i < 2; i++)
        shape[i] = 1 + (int64_t)random_below(&r, most);
    if (history->empties && random_below(&r, 8) == 0)
        shape[random_below(&r, 2)] = 0;
}

void
moment_init(struct moment *m, const struct history *history, uint32_t commit)
{
    struct random r;
    *m = (struct moment){.commit = commit, .first = commit / HISTORY_EPOCH * HISTORY_EPOCH};
    draw_shape(history, commit / HISTORY_EPOCH, m->shape);
    memcpy(m->boxes[0].stop, m->shape, sizeof m->shape);
    random_init(&r, m->first);
    for (uint32_t k = 1; k <= commit - m->first; k++)
        for (int i = 0; i < 2 && m->shape[i] > 0; i++) {
            const uint64_t length = (uint64_t)m->shape[i];
            const int64_t start = (int64_t)random_below(&r, length);
            m->boxes[k].start[i] = start;
            m->boxes[k].stop[i] = start + 1 + (int64_t)random_below(&r, length - (uint64_t)start);
        }
}

// Commits differ in how much of an item is noise, so chunks have different sizes.
static uint64_t
item(uint32_t commit, int64_t row, int64_t column)
{
    const uint64_t place = (uint64_t)commit << 16 | (uint64_t)row << 8 | (uint64_t)column;
    const uint64_t noise = (place * UINT64_C(0x9e3779b97f4a7c15)) >> 56;
    return (noise & ((1U << commit % 9) - 1)) << 38 | place;
}

uint64_t
moment_item(const struct moment *m, int64_t row, int64_t column)
{
    uint32_t k = m->commit - m->first;
    while (k > 0 && (row < m->boxes[k].start[0] || row >= m->boxes[k].stop[0] ||
                     column < m->boxes[k].start[1] || column >= m->boxes[k].stop[1]))
        k--;
    return item(m->first + k, row, column);
}

tess_params
history_params(const struct history *history, tess_layout layout, int clevel)
{
    tess_params params;
    tess_params_init(&params);
    params.dtype = NATIVE "u8";
    params.ndim = 2;
    draw_shape(history, 1, params.shape);
    params.chunkshape[0] = 40;
    params.chunkshape[1] = 60;
    params.blockshape[0] = 20;
    params.blockshape[1] = 30;
    params.layout = layout;
    params.clevel = clevel;
    return params;
}

tess_status
history_write(const struct history *history, tess_array *a, uint32_t commit, tess_error *err)
{
    static uint64_t items[HISTORY_ITEMS];
    struct moment m;
    moment_init(&m, history, commit);
    const uint32_t k = commit - m.first;
    const int64_t *const start = m.boxes[k].start, *const stop = m.boxes[k].stop;
    uint64_t *to = items;
    for (int64_t row = start[0]; row < stop[0]; row++)
        for (int64_t column = start[1]; column < stop[1]; column++)
            *to++ = item(commit, row, column);
    tess_status st = tess_array_resize(a, m.shape, err);
    if (st == TESS_OK)
        st = tess_array_write(a, start, stop, items, sizeof items, err);
    if (st == TESS_OK)
        st = tess_vlmeta_set(a, name, &commit, sizeof commit, err);
    return st;
}

tess_status
history_commit_of(const tess_array *a, uint32_t *commit, tess_error *err)
{
    void *content;
    size_t size;
    *commit = 0;
    const tess_status st = tess_vlmeta_get(a, name, &content, &size, err);
    if (st != TESS_OK)
        return st;
    if (size == sizeof *commit)
        memcpy(commit, content, size);
    tess_free(content);
    return st;
}
