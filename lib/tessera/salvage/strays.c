/*
 * strays.c - compares the list of chunks with the chunks in the file.
 *
 * Strays are intact chunks that are in no entry of the list: their numbers are unknown, and they
 * are counted. With by_order, lost entries of the list get them, in the order of the file.
 */
#include "salvage/private.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/header.h"
#include "chunk/scratch.h"
#include "frame/chunks/stored.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/sparse/files.h"
#include "io/folder.h"

#include <stdlib.h>

static int
strays_by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Chunks, as ranges of the file; those of a directory are never one inside of another.
struct stray {
    struct salvage_job *j;
    int64_t *known; // entries that the list has; ascending
    size_t nknown;
    int64_t *ends; // of their chunks; 0: there is none
    int64_t *items; // entries of chunks that the list does not have
    int64_t count, capacity;
    int64_t until; // where they may begin in the file: before the index
    struct chunk_scratch scratch;
};

static tess_status
keep_stray(struct stray *x, int64_t entry, tess_error *err)
{
    if (x->count == x->capacity) {
        const int64_t capacity = x->capacity > 0 ? 2 * x->capacity : 64;
        int64_t *const items = mem_resize(x->items, (size_t)capacity * sizeof *items);
        if (!items)
            return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of chunks");
        x->items = items;
        x->capacity = capacity;
    }
    x->items[x->count++] = entry;
    return TESS_OK;
}

static bool
can_decode(struct stray *x, int64_t entry)
{
    const tess_status st = stored_entry_decode(x->j->f, entry, &x->scratch);
    return st == TESS_OK || st == TESS_ERR_UNSUPPORTED;
}

static tess_status
strays_found_chunk(void *user, int64_t position, const struct chunk_header *h, bool *is_one,
                   tess_error *err)
{
    struct stray *const x = user;
    const int64_t entry = position - x->j->h.header_len;
    if (bsearch(&entry, x->known, x->nknown, sizeof entry, strays_by_value)) {
        *is_one = true;
        return TESS_OK;
    }
    const int64_t cost = (int64_t)h->cbytes + h->nbytes / TESS_MAX_NDIM;
    if (!search_may_try(&x->j->search, cost) || !can_decode(x, entry))
        return TESS_OK;
    x->j->search.left += cost;
    *is_one = true;
    return keep_stray(x, entry, err);
}

static tess_status
strays_found_file(void *user, const char *name, tess_error *err)
{
    struct stray *const x = user;
    struct chunk_header h;
    int64_t entry;
    if (!sparse_chunk_number(name, &entry) ||
        bsearch(&entry, x->known, x->nknown, sizeof entry, strays_by_value) ||
        !stored_entry_look(x->j->f, entry, &h) ||
        (x->j->h.chunksize > 0 && h.nbytes > x->j->h.chunksize) || !can_decode(x, entry))
        return TESS_OK;
    return keep_stray(x, entry, err);
}

static tess_status
find_strays(struct stray *x, tess_error *err)
{
    struct salvage_job *const j = x->j;
    const bool sizes_differ = j->h.chunksize <= 0;
    const struct chunk_search what = {
        .from = j->h.header_len,
        .until = x->until,
        .typesize = j->h.typesize,
        .nbytes = sizes_differ ? -1 : j->h.chunksize,
        .nbytes_last =
            sizes_differ ? -1 : frame_header_chunk_nbytes(&j->h, j->parts.list.nchunks - 1),
        .found = strays_found_chunk,
        .user = x,
    };
    if (!j->folder)
        return search_chunks(&j->search, &what, err);
    const tess_status st = folder_each(j->folder, strays_found_file, x, err);
    if (x->count > 0)
        qsort(x->items, (size_t)x->count, sizeof *x->items, strays_by_value);
    return st;
}

// Where the chunks of known entries end.
static tess_status
measure_known(struct stray *x, tess_error *err)
{
    struct chunk_header h;
    tess_status st = index_sorted(&x->j->parts.list, &x->known, &x->nknown, err);
    if (st != TESS_OK)
        return st;
    x->ends = mem_zeroed(x->nknown + 1, sizeof *x->ends);
    if (!x->ends)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of chunks");
    for (size_t i = 0; i < x->nknown; i++)
        if (stored_entry_look(x->j->f, x->known[i], &h))
            x->ends[i] = x->known[i] + (x->j->folder ? 1 : h.cbytes);
    return TESS_OK;
}

// Whether an entry cannot be right, whatever damage the chunk has: it is that of another place,
// too, or inside of another chunk.
static bool
is_impossible(const struct stray *x, int64_t entry)
{
    const int64_t *const at = bsearch(&entry, x->known, x->nknown, sizeof entry, strays_by_value);
    const size_t i = at ? (size_t)(at - x->known) : 0;
    if (!at)
        return false;
    if ((i > 0 && x->known[i - 1] == entry) || (i + 1 < x->nknown && x->known[i + 1] == entry))
        return true;
    return x->ends[i] == 0 && i > 0 && x->ends[i - 1] > entry;
}

// Whether chunks, those of the list and the others, stand one behind the other, from the first byte
// or number on. Else there may be some that an older state had.
static bool
is_gapless(const struct stray *x)
{
    struct chunk_header h;
    int64_t at = 0;
    size_t known = 0;
    int64_t next = 0;
    while (known < x->nknown || next < x->count) {
        const bool stray =
            next < x->count && (known == x->nknown || x->items[next] < x->known[known]);
        const int64_t entry = stray ? x->items[next++] : x->known[known++];
        if (entry != at || !stored_entry_look(x->j->f, entry, &h))
            return false;
        at = entry + (x->j->folder ? 1 : h.cbytes);
    }
    return true;
}

// How many chunks are adjacent, from the start of a file without a list: after a gap, chunks may be
// missing, or belong to an older state. In files of Tessera, the first commit, which has no chunks,
// may precede them.
static int64_t
count_row(const struct stray *x, bool ours)
{
    struct chunk_header h;
    int64_t at = ours && x->count > 0 && !x->j->folder ? x->items[0] : 0;
    int64_t n = 0;
    while (n < x->count && x->items[n] == at && stored_entry_look(x->j->f, at, &h)) {
        at += x->j->folder ? 1 : h.cbytes;
        n++;
    }
    return n;
}

// How many of the nopen lost entries can get strays, in the order of the file.
static int64_t
count_placeable(const struct salvage_job *j, const struct stray *x, int64_t nopen, bool has_index)
{
    const bool ours = j->has_ledger || j->parts.fingerprint;
    if (has_index) // Tessera stores chunks in any order: only files of others are in order
        return x->count == nopen && !ours && is_gapless(x) ? nopen : 0;
    return min_i64(count_row(x, ours), nopen);
}

static void
fill_places(struct salvage_job *j, const struct stray *x, int64_t nopen, bool has_index)
{
    struct frame_index *const list = &j->parts.list;
    const int64_t placeable = count_placeable(j, x, nopen, has_index);
    const int64_t placed = j->s->by_order ? placeable : 0;
    int64_t next = 0;
    for (int64_t n = 0; n < list->nchunks && next < placed; n++)
        if (list->entries[n] == INDEX_LOST)
            list->entries[n] = x->items[next++];
    j->s->nunplaced = x->count - placed;
    j->s->nplaceable = placeable - placed;
    j->s->nfound += placed;
    if (placed == 0)
        return;
    j->s->in_order = true;
    j->s->list_source = TESS_REPAIR_ORDER;
}

tess_status
salvage_check_list(struct salvage_job *j, int64_t index_at, tess_error *err)
{
    struct frame_index *const list = &j->parts.list;
    const bool has_index = index_at >= 0;
    struct stray x = {.j = j,
                      .until = has_index ? index_at : j->search.size,
                      .scratch = {.limit = j->limits.memory}};
    int64_t nopen = 0;
    tess_status st = TESS_OK;
    if (!list->entries)
        return TESS_OK;
    salvage_use_grid(j);
    TRY(measure_known(&x, err));
    for (int64_t n = 0; n < list->nchunks; n++) {
        int64_t *const entry = &list->entries[n];
        if (*entry >= 0 && is_impossible(&x, *entry))
            *entry = INDEX_LOST;
        nopen += *entry == INDEX_LOST;
    }
    if (nopen == 0)
        goto out;
    j->s->index_damaged = true;
    mem_free(x.known); // fewer by now
    mem_free(x.ends);
    x.known = x.ends = NULL;
    TRY(measure_known(&x, err));
    TRY(find_strays(&x, err));
    fill_places(j, &x, nopen, has_index);
out:
    mem_free(x.known);
    mem_free(x.ends);
    mem_free(x.items);
    scratch_finish(&x.scratch);
    return st;
}
