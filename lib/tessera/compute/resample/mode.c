/*
 * mode.c - the item that a box of items in memory has most often.
 *
 * Items are put into a table by their bytes, with how often they came and which was the first: so
 * the work follows the number of items, however many are different.
 */
#include "compute/resample/mode.h"

#include "base/limits.h"
#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

struct entry {
    const uint8_t *item; // NULL: free
    size_t count, order;
};

static uint64_t
hash_of(const uint8_t *item, size_t size)
{
    uint64_t h = 0xcbf29ce484222325;
    for (size_t k = 0; k < size; k++)
        h = (h ^ item[k]) * 0x100000001b3;
    return h ^ h >> 29;
}

// Twice as many places as items, a power of two.
static tess_status
mode_reserve(struct mode_room *room, size_t nitems, size_t *places, tess_error *err)
{
    *places = 4;
    while (*places < 2 * nitems)
        *places *= 2;
    if (room->capacity < *places) {
        mem_free(room->items);
        room->items = mem_alloc(*places * sizeof(struct entry));
        room->capacity = room->items ? *places : 0;
    }
    if (!room->items)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu items of a cell", nitems);
    memset(room->items, 0, *places * sizeof(struct entry));
    return TESS_OK;
}

tess_status
mode_of(struct mode_room *room, int ndim, const int64_t *shape, const int64_t *strides,
        const uint8_t *items, size_t size, uint8_t *mode, tess_error *err)
{
    int64_t at[NDIM_MAX] = {0};
    size_t nitems = 1, places, order = 0;
    const struct entry *best = NULL;
    for (int i = 0; i < ndim; i++)
        nitems *= (size_t)shape[i];
    const tess_status st = mode_reserve(room, nitems, &places, err);
    if (st != TESS_OK)
        return st;
    struct entry *const table = (void *)room->items;
    for (int i = 0; i >= 0;) {
        const uint8_t *item = items;
        for (int k = 0; k < ndim; k++)
            item += at[k] * strides[k];
        size_t place = (size_t)hash_of(item, size) & (places - 1);
        while (table[place].item && memcmp(table[place].item, item, size) != 0)
            place = (place + 1) & (places - 1);
        struct entry *const e = &table[place];
        if (!e->item)
            *e = (struct entry){.item = item, .order = order};
        e->count++;
        order++;
        if (!best || e->count > best->count || (e->count == best->count && e->order < best->order))
            best = e;
        for (i = ndim - 1; i >= 0 && ++at[i] == shape[i]; i--)
            at[i] = 0;
    }
    memcpy(mode, best->item, size);
    return TESS_OK;
}
