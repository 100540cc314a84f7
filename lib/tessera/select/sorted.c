/*
 * sorted.c - things in blocks, sorted by chunk and block.
 */
#include "select/sorted.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>

tess_status
sorted_allocate(struct selection *s, int64_t n, const char *what, tess_error *err)
{
    size_t size;
    if (to_size(n, &size) && size <= SIZE_MAX / 2 / sizeof(struct sorted))
        s->own = mem_alloc((size > 0 ? size : 1) * sizeof(struct sorted));
    return s->own ? TESS_OK
                  : err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " %s", n, what);
}

// -- parts

// The first of [first, stop) that is in block `block` of the chunk, or behind it.
static int64_t
sorted_lower_bound(const struct sorted *list, int64_t first, int64_t stop, int64_t chunk,
                   int64_t block)
{
    while (first < stop) {
        const int64_t middle = first + (stop - first) / 2;
        const struct sorted *const p = &list[middle];
        if (p->chunk < chunk || (p->chunk == chunk && p->block < block))
            first = middle + 1;
        else
            stop = middle;
    }
    return first;
}

bool
sorted_chunk(const struct selection *s, int64_t n, struct part *chunk)
{
    const struct sorted *const list = s->own;
    const int64_t first = sorted_lower_bound(list, 0, s->nown, n, 0);
    if (first == s->nown)
        return false;
    chunk->n = list[first].chunk;
    chunk->first[0] = first;
    chunk->stop[0] = sorted_lower_bound(list, first, s->nown, chunk->n + 1, 0);
    return true;
}

bool
sorted_block(const struct selection *s, const struct part *chunk, int64_t n, struct part *block)
{
    const struct sorted *const list = s->own;
    const int64_t stop = chunk->stop[0];
    const int64_t first = sorted_lower_bound(list, chunk->first[0], stop, chunk->n, n);
    if (first == stop)
        return false;
    block->n = list[first].block;
    block->first[0] = first;
    block->stop[0] = sorted_lower_bound(list, first, stop, chunk->n, block->n + 1);
    return true;
}

void
sorted_finish(struct selection *s)
{
    mem_free(s->own);
}

// -- sorting

enum key { KEY_ITEM, KEY_BLOCK, KEY_CHUNK };

static int64_t
sorted_key_of(const struct sorted *p, enum key key)
{
    return key == KEY_CHUNK ? p->chunk : key == KEY_BLOCK ? p->block : p->item;
}

// Sort by one byte of a key. Things that are equal in it keep their order.
static void
sort_by_byte(const struct sorted *from, struct sorted *to, int64_t n, enum key key, int shift)
{
    int64_t start[256] = {0}, sum = 0;

    for (int64_t i = 0; i < n; i++)
        start[sorted_key_of(&from[i], key) >> shift & 0xff]++;
    for (int i = 0; i < 256; i++) {
        const int64_t count = start[i];
        start[i] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++)
        to[start[sorted_key_of(&from[i], key) >> shift & 0xff]++] = from[i];
}

// Sort by one key, byte after byte from the lowest. *list and *spare may change places.
static void
sort_by(struct sorted **list, struct sorted **spare, int64_t n, enum key key)
{
    int64_t bits = 0; // that are set in any
    for (int64_t i = 0; i < n; i++)
        bits |= sorted_key_of(&(*list)[i], key);
    for (int shift = 0; bits >> shift > 0; shift += 8) {
        sort_by_byte(*list, *spare, n, key, shift);
        struct sorted *const sorted = *spare;
        *spare = *list;
        *list = sorted;
        if (shift == 56)
            return;
    }
}

static bool
before(const struct sorted *p, const struct sorted *q)
{
    return p->chunk < q->chunk || (p->chunk == q->chunk && p->block < q->block);
}

static int64_t
count_blocks(const struct sorted *list, int64_t n)
{
    int64_t count = n > 0;
    for (int64_t i = 1; i < n; i++)
        count += before(&list[i - 1], &list[i]);
    return count;
}

tess_status
sorted_sort(struct selection *s, bool by_item, tess_error *err)
{
    const int64_t n = s->nown;
    struct sorted *list = s->own;
    struct sorted *spare = mem_alloc((size_t)max_i64(n, 1) * sizeof *spare);
    if (!spare)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory to sort %" PRId64 " items", n);
    if (by_item)
        sort_by(&list, &spare, n, KEY_ITEM);
    sort_by(&list, &spare, n, KEY_BLOCK);
    sort_by(&list, &spare, n, KEY_CHUNK);
    mem_free(spare);
    s->own = list;
    s->nblocks = count_blocks(list, n);
    return TESS_OK;
}
