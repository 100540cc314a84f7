/*
 * order.c - which stored chunk stands behind another one in the file.
 */
#include "frame/chunks/order.h"

#include "base/memory.h"
#include "frame/format/index.h"

#include <stdbool.h>

enum { NEXT_MAX = 16 }; // places of the list that are looked at for the chunk behind one

// Whether what is next in the list is behind, for all chunks.
static bool
list_tells(const struct frame_index *list)
{
    int64_t last = -1, place = -1;
    for (int64_t i = 0; list->entries && i < list->nchunks; i++) {
        const int64_t entry = list->entries[i];
        if (entry < 0)
            continue;
        if (last >= 0 && (entry <= last || i - place > NEXT_MAX))
            return false;
        last = entry;
        place = i;
    }
    return last < 0 || list->nchunks - place <= NEXT_MAX;
}

void
order_learn(struct order *x, const struct frame_index *list)
{
    if (!list_tells(list) && index_sorted(list, &x->entries, &x->n, NULL) != TESS_OK)
        *x = (struct order){0};
}

void
order_finish(struct order *x)
{
    mem_free(x->entries);
    *x = (struct order){0};
}

// The first that is larger.
static int64_t
entry_above(const struct order *x, int64_t entry)
{
    size_t low = 0, high = x->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (x->entries[middle] <= entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low < x->n ? x->entries[low] : ORDER_LAST;
}

int64_t
order_behind(const struct order *x, const struct frame_index *list, int64_t n, int64_t entry)
{
    int64_t i = n + 1;
    if (x->entries)
        return entry_above(x, entry);
    while (i < list->nchunks && i <= n + NEXT_MAX && index_get(list, i) < 0)
        i++;
    if (i == list->nchunks)
        return ORDER_LAST;
    const int64_t next = i <= n + NEXT_MAX ? index_get(list, i) : -1;
    return next > entry ? next : ORDER_UNKNOWN;
}
