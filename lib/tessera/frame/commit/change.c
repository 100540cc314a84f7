/*
 * change.c - changes of a frame's list of chunks, which can be undone.
 *
 * New chunks go to free space at once; the list in memory says so, the file does not yet. What a
 * put or another list leaves behind is released when the change is kept, what a put took when it
 * is undone.
 *
 * The list as it was is what the log of puts leads back to, until there is another list: that is a
 * new one, and the old one waits aside, its puts taken back.
 *
 * Not here: how a chunk is stored (put.c).
 */
#include "frame/commit/change.h"

#include "base/checked.h"
#include "base/memory.h"
#include "frame/chunks/usage.h"
#include "frame/commit/lock.h"
#include "frame/container.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/load.h"
#include "frame/private.h"
#include "io/io.h"

#include <assert.h>
#include <inttypes.h>

void
frame_begin(struct frame *f)
{
    assert(!f->change.open);
    f->container->expect(f);
    f->change.open = true;
    f->change.nchunks = f->index.nchunks;
    f->change.nbytes = f->h.nbytes;
    f->change.chunksize = f->h.chunksize;
    f->change.version = f->h.version;
    f->change.vlblocks = f->h.vlblocks;
    f->change.uniform = !f->index.entries;
    f->change.special = f->index.uniform;
    usage_save(&f->usage, &f->change.usage);
}

bool
frame_is_changing(const struct frame *f)
{
    return f->change.open;
}

static void
change_end_change(struct frame *f)
{
    struct change *const c = &f->change;
    index_finish(&c->replaced);
    mem_free(c->dropped);
    c->dropped = NULL;
    c->ndropped = 0;
    c->nputs = 0;
    c->resized = false;
    c->rearranged = false;
    c->open = false;
    if (!f->batch.dirty && f->staging.ncalls == 0)
        frame_lock_release(f);
}

static void
change_release(struct frame *f, int64_t entry)
{
    int64_t size = -1;
    if (entry < 0)
        return;
    checksums_set(&f->checksums, entry, 0);
    f->batch.parked += f->container->release(f, entry, &size);
    usage_release(&f->usage, size);
}

void
frame_keep(struct frame *f)
{
    struct change *const c = &f->change;
    for (int64_t i = 0; i < c->nputs; i++)
        change_release(f, c->puts[i].before);
    for (int64_t i = 0; i < c->ndropped; i++)
        change_release(f, c->dropped[i]);
    const bool differs = c->nputs > 0 || c->resized || c->rearranged;
    f->batch.dirty |= differs;
    f->batch.relied |= !differs;
    change_end_change(f);
}

// Entries that were put become what they were before.
static void
take_back_puts(struct frame *f)
{
    const struct change *const c = &f->change;
    for (int64_t i = c->nputs - 1; i >= 0; i--)
        f->index.entries[c->puts[i].n] = c->puts[i].before; // a put made the list take memory
}

void
frame_undo(struct frame *f)
{
    struct change *const c = &f->change;
    for (int64_t i = c->nputs - 1; i >= 0; i--)
        change_release(f, c->puts[i].after);
    if (c->rearranged) {
        index_finish(&f->index);
        f->index = c->replaced;
        c->replaced = (struct frame_index){0};
    } else {
        take_back_puts(f);
    }
    if (c->uniform) { // a list that got shorter, then memory, does not know its end
        index_finish(&f->index);
        index_init_uniform(&f->index, c->nchunks, c->special);
    }
    f->index.nchunks = c->nchunks;
    usage_restore(&f->usage, &c->usage);
    f->h.nbytes = c->nbytes;
    f->h.chunksize = c->chunksize;
    f->h.version = c->version;
    f->h.vlblocks = c->vlblocks;
    f->generation++;
    change_end_change(f);
}

// -- the log of puts

bool
change_is_untouched(const struct frame *f)
{
    const struct change *const c = &f->change;
    return c->nputs == 0 && c->ndropped == 0 && !c->rearranged;
}

tess_status
change_reserve_puts(struct change_put **puts, int64_t *capacity, int64_t wanted, tess_error *err)
{
    if (wanted <= *capacity)
        return TESS_OK;
    const int64_t n = max_i64(2 * *capacity, max_i64(wanted, 64));
    struct change_put *const more = mem_resize(*puts, (size_t)n * sizeof *more);
    if (!more)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " changed chunks", n);
    *puts = more;
    *capacity = n;
    return TESS_OK;
}

tess_status
change_reserve(struct frame *f, int64_t n, tess_error *err)
{
    struct change *const c = &f->change;
    const tess_status st = change_reserve_puts(&c->puts, &c->capacity, c->nputs + n, err);
    return st == TESS_OK ? index_reserve(&f->index, f->index.nchunks, err) : st;
}

void
change_put(struct frame *f, int64_t n, int64_t entry, int64_t size)
{
    struct change *const c = &f->change;
    const int64_t before = f->index.entries[n];
    usage_put(&f->usage, before, entry, size);
    c->puts[c->nputs++] =
        (struct change_put){.n = n, .before = before, .after = entry, .size = size};
    f->index.entries[n] = entry;
    f->batch.written += size;
    f->generation++;
}

// -- another length, another order

// The list is about to lead to less than it did when the change began. Chunks that are stored in
// the same change may want to know what is free, which is learned from the whole list.
static tess_status
prepare_drop(struct frame *f, tess_error *err)
{
    tess_status st = frame_need_checksums(f, err);
    if (st == TESS_OK && change_is_untouched(f)) {
        st = frame_lock_take(f, err);
        if (st == TESS_OK)
            st = f->container->reclaim(f, err);
    }
    return st;
}

// Remember the chunks that fall out of the list: all from `first` on that are not kept.
static tess_status
note_dropped(struct frame *f, int64_t first, const bool *kept, tess_error *err)
{
    struct change *const c = &f->change;
    if (!f->index.entries || first >= f->index.nchunks)
        return TESS_OK;
    const int64_t most = c->ndropped + f->index.nchunks - first;
    int64_t *const dropped = mem_resize(c->dropped, (size_t)most * sizeof *dropped);
    if (!dropped)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks", most);
    c->dropped = dropped;
    for (int64_t n = first; n < f->index.nchunks; n++)
        if (f->index.entries[n] >= 0 && !(kept && kept[n]))
            c->dropped[c->ndropped++] = f->index.entries[n];
    return TESS_OK;
}

// The list becomes another one.
static void
replace_list(struct frame *f, struct frame_index *next)
{
    struct change *const c = &f->change;
    if (c->rearranged) {
        index_finish(&f->index);
    } else {
        take_back_puts(f);
        c->replaced = f->index;
        c->rearranged = true;
    }
    f->index = *next;
    *next = (struct frame_index){0};
    usage_forget_counts(&f->usage);
}

// A list that got shorter may not get longer: what stood behind its end is needed to undo it.
static tess_status
spare_list(struct frame *f, tess_error *err)
{
    const struct change *const c = &f->change;
    struct frame_index copy;
    tess_status st = TESS_OK;
    if (c->rearranged || !c->resized)
        return TESS_OK;
    index_init_uniform(&copy, f->index.nchunks, f->index.uniform);
    for (int64_t n = 0; f->index.entries && n < f->index.nchunks && st == TESS_OK; n++)
        st = index_set(&copy, n, f->index.entries[n], err);
    if (st == TESS_OK)
        replace_list(f, &copy);
    index_finish(&copy);
    return st;
}

// The trailer of an empty frame stands where its first chunks did.
static tess_status
check_empty(const struct frame *f, int64_t nchunks, tess_error *err)
{
    if (nchunks > 0 || f->folder || f->io->in_memory)
        return TESS_OK;
    if (f->staging.nleases > 0) // also where the state on the disk is empty already
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "an array that loses all its items is written over its first chunks, but "
                       "parts of its file are leased (tess_adoption_lease())");
    const bool kept = f->options.never_reuse || f->space.holds;
    if (!kept || !f->disk.head || frame_header_get_nbytes(f->disk.head) == 0)
        return TESS_OK;
    return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                   "an array that loses all its items is written over its first chunks, but %s",
                   f->options.never_reuse ? "never_reuse is set"
                                          : "the last commit of its store has them");
}

tess_status
frame_set_length(struct frame *f, int64_t nchunks, enum chunk_special special, tess_error *err)
{
    const int64_t before = f->change.ndropped;
    struct usage_saved usage;
    assert(f->change.open);
    tess_status st = check_empty(f, nchunks, err);
    if (st == TESS_OK)
        st = nchunks < f->index.nchunks ? prepare_drop(f, err) : frame_need_checksums(f, err);
    if (st == TESS_OK && nchunks > f->index.nchunks)
        st = spare_list(f, err);
    if (st == TESS_OK)
        st = note_dropped(f, nchunks, NULL, err);
    usage_save(&f->usage, &usage);
    usage_resize(&f->usage, &f->index, nchunks, special);
    if (st == TESS_OK)
        st = index_resize(&f->index, nchunks, special, err);
    f->generation++;
    if (st != TESS_OK) {
        f->change.ndropped = before;
        usage_restore(&f->usage, &usage);
        return st;
    }
    f->change.resized = true;
    f->h.nbytes = nchunks * f->h.chunksize;
    return TESS_OK;
}

tess_status
frame_rearrange(struct frame *f, struct frame_index *next, const bool *kept, tess_error *err)
{
    assert(f->change.open);
    tess_status st = check_empty(f, next->nchunks, err);
    if (st == TESS_OK)
        st = prepare_drop(f, err);
    if (st == TESS_OK)
        st = note_dropped(f, 0, kept, err);
    if (st != TESS_OK)
        return st;
    replace_list(f, next);
    f->h.nbytes = f->index.nchunks * f->h.chunksize;
    f->generation++;
    return TESS_OK;
}

void
frame_set_sizes(struct frame *f, int32_t chunksize, int64_t nbytes, bool vlblocks)
{
    assert(f->change.open);
    f->change.resized |= f->h.chunksize != chunksize || f->h.nbytes != nbytes;
    f->h.chunksize = chunksize;
    f->h.nbytes = nbytes;
    f->h.vlblocks = vlblocks;
    if (chunksize == 0 || vlblocks)
        f->h.version = 3;
}
