/*
 * selection.c - what all kinds of selections have in common, and the chunks and blocks that they
 * meet.
 *
 * Along an axis, the picks of a chunk or block stand together; a part is a combination of such
 * ranges, and the next one is found as a car's odometer turns. Points and parts of boxes are sorted
 * by chunk and block.
 */
#include "select/selection.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "grid/read/plain.h"
#include "select/private.h"

#include <inttypes.h>

void
selection_begin(struct selection *s, const struct selection_kind *kind,
                const struct chunk_grid *grid)
{
    const struct geometry *const g = &grid->g;
    const bool whole = grid->plain || grid->linear;
    *s = (struct selection){.kind = kind, .grid = grid, .ncopies = 1};
    for (int i = 0; i < g->ndim; i++) {
        s->cell[i] = whole ? g->chunkshape[i] : g->blockshape[i];
        s->cells[i] = whole ? 1 : g->bgrid[i];
    }
}

void
selection_finish(struct selection *s)
{
    if (s->kind)
        s->kind->finish(s);
    *s = (struct selection){0};
}

struct place
selection_locate(const struct selection *s, int axis, int64_t index)
{
    const struct chunk_grid *const grid = s->grid;
    if (grid->plain) { // chunks may be of any size
        const int64_t chunk = plain_chunk_at(grid, index * grid->g.typesize);
        return (struct place){chunk, 0, index - plain_chunk_start(grid, chunk) / grid->g.typesize};
    }
    const int64_t chunk = index / grid->g.chunkshape[axis];
    const int64_t rest = index - chunk * grid->g.chunkshape[axis];
    const int64_t block = rest / s->cell[axis];
    return (struct place){chunk, block, rest - block * s->cell[axis]};
}

int64_t
selection_copy(const struct selection *s, int64_t n)
{
    int64_t at = 0;
    for (int i = 0; i < s->nnew; i++) {
        at += n % s->copies[i] * s->copy_step[i];
        n /= s->copies[i];
    }
    return at;
}

bool
selection_chunk(const struct selection *s, int64_t n, struct part *chunk)
{
    return s->kind->chunk(s, n, chunk);
}

bool
selection_block(const struct selection *s, const struct part *chunk, int64_t n, struct part *block)
{
    return s->kind->block(s, chunk, n, block);
}

struct reach
selection_reach(const struct selection *s, const struct part *block)
{
    return s->kind->reach(s, block);
}

bool
selection_fills_block(const struct selection *s, const struct part *block)
{
    return s->kind->fills_block && s->kind->fills_block(s, block);
}

void
picks_begin(struct picks *p, const struct selection *s, const struct part *block)
{
    p->s = s;
    p->block = block;
    p->more = true;
    s->kind->picks_begin(p);
}

bool
picks_next(struct picks *p)
{
    p->n = 0;
    if (p->more)
        p->s->kind->picks_next(p);
    return p->n > 0;
}

// -- chunks and blocks

// The first of [first, stop) whose chunk (block) along the axis is n or more.
static int64_t
cells_lower_bound(const struct axis_pick *picks, int64_t first, int64_t stop, bool chunk, int64_t n)
{
    while (first < stop) {
        const int64_t middle = first + (stop - first) / 2;
        if ((chunk ? picks[middle].chunk : picks[middle].block) < n)
            first = middle + 1;
        else
            stop = middle;
    }
    return first;
}

// The ranges among which parts are looked for.
struct search {
    const struct selection *s;
    const struct part *within; // NULL: everything
    bool chunk; // chunks are looked for, else blocks
};

// Along an axis, the first range of picks whose coordinate is n or more; false: there is none.
static bool
axis_range(const struct search *search, int axis, int64_t n, struct part *part, int64_t *found)
{
    const struct axis *const x = &search->s->axis[axis];
    const int64_t first = search->within ? search->within->first[axis] : 0;
    const int64_t stop = search->within ? search->within->stop[axis] : x->n;
    const int64_t at = cells_lower_bound(x->picks, first, stop, search->chunk, n);
    if (at == stop)
        return false;
    *found = search->chunk ? x->picks[at].chunk : x->picks[at].block;
    part->first[axis] = at;
    part->stop[axis] = cells_lower_bound(x->picks, at, stop, search->chunk, *found + 1);
    return true;
}

// Coordinates of cell n of a grid; false if it has no such cell.
static bool
coordinates(int ndim, const int64_t *grid, int64_t n, int64_t *at)
{
    for (int i = ndim - 1; i >= 0; i--) {
        at[i] = n % grid[i];
        n /= grid[i];
    }
    return n == 0;
}

static bool
find_cell(const struct search *search, const int64_t *grid, int64_t n, struct part *part)
{
    const int ndim = search->s->grid->g.ndim;
    int64_t at[NDIM_MAX], found;
    int axis = 0;

    if (!coordinates(ndim, grid, n, at))
        return false;
    while (axis < ndim) {
        if (axis_range(search, axis, at[axis], part, &found)) {
            if (found > at[axis]) // the axes behind it start again
                for (int i = axis + 1; i < ndim; i++)
                    at[i] = 0;
            at[axis++] = found;
        } else { // a step along the axis before it
            if (axis == 0)
                return false;
            for (int i = axis; i < ndim; i++)
                at[i] = 0;
            at[--axis]++;
        }
    }
    part->n = 0;
    for (int i = 0; i < ndim; i++)
        part->n = part->n * grid[i] + at[i];
    return true;
}

bool
cells_chunk(const struct selection *s, int64_t n, struct part *chunk)
{
    const struct search search = {.s = s, .chunk = true};
    return find_cell(&search, s->grid->g.grid, n, chunk);
}

bool
cells_block(const struct selection *s, const struct part *chunk, int64_t n, struct part *block)
{
    const struct search search = {.s = s, .within = chunk};
    return find_cell(&search, s->cells, n, block);
}

// -- things in blocks, sorted by chunk and block

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
count_touched_blocks(const struct sorted *list, int64_t n)
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
    s->nblocks = count_touched_blocks(list, n);
    return TESS_OK;
}
