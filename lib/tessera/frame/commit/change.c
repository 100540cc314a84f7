/*
 * change.c - changes of a frame's list of chunks, which can be undone.
 *
 * New chunks go to free space at once; the list in memory says so, the file does not yet. What a
 * put or another list leaves behind is released when the change is kept, what a put took when it
 * is undone.
 *
 * The list as it was is what the log of puts leads back to, until there is another list: that is a
 * new one, and the old one waits aside, its puts taken back.
 */
#include "frame/commit/change.h"

#include "base/checked.h"
#include "base/memory.h"
#include "frame/chunks/usage.h"
#include "frame/commit/current.h"
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
    if (!f->dirty && f->nstaging == 0)
        frame_lock_release(f);
}

static void
change_release(struct frame *f, int64_t entry)
{
    int64_t size = -1;
    if (entry < 0)
        return;
    checksums_set(&f->checksums, entry, 0);
    f->parked += f->container->release(f, entry, &size);
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
    f->dirty |= differs;
    f->relied |= !differs;
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

static tess_status
reserve_puts(struct change_put **puts, int64_t *capacity, int64_t wanted, tess_error *err)
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

// Room for so many more changes of the list.
static tess_status
reserve_changes(struct frame *f, int64_t n, tess_error *err)
{
    struct change *const c = &f->change;
    const tess_status st = reserve_puts(&c->puts, &c->capacity, c->nputs + n, err);
    return st == TESS_OK ? index_reserve(&f->index, f->index.nchunks, err) : st;
}

static tess_status
reserve_where(const struct frame *f, struct frame_staged *staged, tess_error *err)
{
    if (!staged || !staged->again || staged->where)
        return TESS_OK;
    staged->where = mem_zeroed((size_t)f->index.nchunks, sizeof *staged->where);
    return staged->where ? TESS_OK
                         : err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks",
                                   f->index.nchunks);
}

static tess_status
reserve_put(struct frame *f, struct frame_staged *staged, int64_t n, tess_error *err)
{
    tess_status st = checksums_reserve(&f->checksums, n, err);
    if (st == TESS_OK)
        st = reserve_where(f, staged, err);
    if (st != TESS_OK)
        return st;
    return staged ? reserve_puts(&staged->puts, &staged->capacity, staged->nputs + n, err)
                  : reserve_changes(f, n, err);
}

static void
change_put(struct frame *f, int64_t n, int64_t entry, int64_t size)
{
    struct change *const c = &f->change;
    const int64_t before = f->index.entries[n];
    usage_put(&f->usage, before, entry, size);
    c->puts[c->nputs++] =
        (struct change_put){.n = n, .before = before, .after = entry, .size = size};
    f->index.entries[n] = entry;
    f->written += size;
    f->generation++;
}

// What was staged, and never got into the list.
static void
release_staged(struct frame *f, int64_t entry)
{
    int64_t size;
    if (entry < 0)
        return;
    checksums_set(&f->checksums, entry, 0);
    (void)f->container->release(f, entry, &size);
}

static void
take_put(struct frame *f, struct frame_staged *staged, int64_t n, int64_t entry, int64_t size)
{
    if (!staged) {
        change_put(f, n, entry, size);
        return;
    }
    if (staged->again && staged->where[n] > 0) {
        struct change_put *const put = &staged->puts[staged->where[n] - 1];
        release_staged(f, put->after);
        put->after = entry;
        put->size = size;
        return;
    }
    if (staged->again)
        staged->where[n] = staged->nputs + 1;
    staged->puts[staged->nputs++] =
        (struct change_put){.n = n, .before = -1, .after = entry, .size = size};
}

// Whether the list in memory leads to all that it led to when the change began.
static bool
is_untouched(const struct change *c)
{
    return c->nputs == 0 && c->ndropped == 0 && !c->rearranged;
}

// What is staged first makes the frame know that there are chunks that the list does not have.
static void
begin_staging(struct frame *f, struct frame_staged *staged)
{
    if (!staged || staged->begun)
        return;
    staged->begun = true;
    staged->failures = f->failures;
    f->nstaging++;
}

tess_status
frame_want_space(struct frame *f, tess_error *err)
{
    f->container->expect(f);
    tess_status st = frame_check_owner(f, err);
    if (st == TESS_OK)
        st = frame_lock_take(f, err);
    // The first bytes since the last commit: what is free must be known from the newest state.
    if (st == TESS_OK)
        st = f->written == 0 && f->nstaging == 0 ? frame_check_current(f, err)
                                                 : frame_check_stamp(f, err);
    if (st == TESS_OK)
        st = frame_need_checksums(f, err);
    if (st == TESS_OK && is_untouched(&f->change))
        st = f->container->reclaim(f, err);
    return st;
}

static tess_status
prepare_put(struct frame *f, struct frame_staged *staged, tess_error *err)
{
    assert(staged || f->change.open);
    tess_status st = frame_want_space(f, err);
    if (st == TESS_OK)
        st = reserve_put(f, staged, 1, err);
    if (st == TESS_OK)
        begin_staging(f, staged);
    return st;
}

tess_status
frame_stage_begin(struct frame *f, struct frame_staged *staged, int64_t n, tess_error *err)
{
    tess_status st = frame_want_space(f, err);
    if (st == TESS_OK)
        st = reserve_put(f, staged, n, err);
    if (st == TESS_OK)
        st = reserve_changes(f, n, err);
    if (st == TESS_OK)
        begin_staging(f, staged);
    return st;
}

void
frame_stage(struct frame *f, struct frame_staged *staged, int64_t n, int64_t entry, int64_t size,
            uint64_t checksum)
{
    if (entry >= 0 && f->keeps_ledger)
        checksums_set(&f->checksums, entry, checksum);
    take_put(f, staged, n, entry, size);
}

tess_status
frame_put(struct frame *f, struct frame_staged *staged, int64_t n, const uint8_t *chunk,
          int32_t size, tess_error *err)
{
    int64_t entry = -1;
    assert(n < f->index.nchunks);

    tess_status st = prepare_put(f, staged, err);
    if (st != TESS_OK)
        return st;
    st = f->container->put(f, chunk, size, &entry, err);
    frame_stamp_again(f);
    if (st != TESS_OK)
        return st;
    if (f->keeps_ledger)
        checksums_set(&f->checksums, entry, checksum_of(chunk, (size_t)size));
    take_put(f, staged, n, entry, size);
    return TESS_OK;
}

tess_status
frame_put_begin(struct frame *f, struct frame_staged *staged, int64_t n, int64_t room,
                struct frame_put *p, tess_error *err)
{
    *p = (struct frame_put){.staged = staged, .n = n, .room = room};
    assert(n < f->index.nchunks);

    const tess_status st = prepare_put(f, staged, err);
    return st == TESS_OK ? f->container->begin(f, p, err) : st;
}

tess_status
frame_put_piece(const struct frame_put *p, int64_t offset, const uint8_t *bytes, int64_t size,
                tess_error *err)
{
    assert(p->io && size <= p->room - offset);
    return io_write(p->io, p->position + offset, bytes, (size_t)size, err);
}

tess_status
frame_put_whole(struct frame_put *p, const uint8_t *chunk, int32_t size, tess_error *err)
{
    p->checksum = checksum_of(chunk, (size_t)size);
    p->whole = true;
    return frame_put_piece(p, 0, chunk, size, err);
}

tess_status
frame_put_end(struct frame *f, struct frame_put *p, int32_t size, tess_error *err)
{
    uint64_t checksum = p->checksum;
    tess_status st = f->keeps_ledger && !p->whole
                         ? checksum_of_stored(p->io, p->position, size, &checksum, err)
                         : TESS_OK;
    if (st == TESS_OK)
        st = f->container->end(f, p, size, err);
    frame_stamp_again(f);
    if (st != TESS_OK)
        return st;
    if (f->keeps_ledger)
        checksums_set(&f->checksums, p->entry, checksum);
    take_put(f, p->staged, p->n, p->entry, size);
    return TESS_OK;
}

void
frame_put_abandon(struct frame *f, struct frame_put *p)
{
    if (!p->io)
        return;
    f->container->abandon(f, p);
    p->io = NULL;
    frame_stamp_again(f);
}

tess_status
frame_put_special(struct frame *f, struct frame_staged *staged, int64_t n,
                  enum chunk_special special, tess_error *err)
{
    const int64_t entry = index_entry_of(special);
    int64_t before;
    assert((staged || f->change.open) && n < f->index.nchunks);
    const bool is_staged = staged && frame_staged_entry(staged, n, &before);
    if ((is_staged ? before : index_get(&f->index, n)) == entry)
        return TESS_OK;
    tess_status st = frame_need_checksums(f, err);
    if (st == TESS_OK)
        st = reserve_put(f, staged, 1, err);
    if (st != TESS_OK)
        return st;
    begin_staging(f, staged);
    take_put(f, staged, n, entry, 0);
    return TESS_OK;
}

int64_t
frame_staged_chunk(const struct frame_staged *staged, int64_t i)
{
    return staged->puts[i].n;
}

int64_t
frame_staged_put(const struct frame_staged *staged, int64_t i, int64_t *size)
{
    *size = staged->puts[i].size;
    return staged->puts[i].after;
}

bool
frame_staged_entry(const struct frame_staged *staged, int64_t n, int64_t *entry)
{
    if (!staged->where || staged->where[n] == 0)
        return false;
    *entry = staged->puts[staged->where[n] - 1].after;
    return true;
}

tess_status
frame_install_prepare(struct frame *f, const struct frame_staged *staged, tess_error *err)
{
    if (staged->begun && staged->failures != f->failures)
        return err_set(err, TESS_ERR_IO, -1,
                       "the file could not be synced while the call stored its chunks");
    return reserve_changes(f, staged->nputs, err);
}

tess_status
frame_install(struct frame *f, struct frame_staged *staged, tess_error *err)
{
    const bool alone = !f->change.open;
    if (alone)
        frame_begin(f);
    const tess_status st = frame_install_prepare(f, staged, err);
    for (int64_t i = 0; i < staged->nputs && st == TESS_OK; i++)
        change_put(f, staged->puts[i].n, staged->puts[i].after, staged->puts[i].size);
    if (st == TESS_OK)
        staged->nputs = 0;
    if (alone && st == TESS_OK)
        frame_keep(f);
    else if (alone)
        frame_undo(f);
    return st;
}

void
frame_drop(struct frame *f, struct frame_staged *staged)
{
    for (int64_t i = staged->nputs - 1; i >= 0; i--)
        release_staged(f, staged->puts[i].after);
    mem_free(staged->puts);
    mem_free(staged->where);
    if (staged->begun && --f->nstaging == 0 && !f->dirty)
        frame_lock_release(f);
    *staged = (struct frame_staged){0};
}

// The list is about to lead to less than it did when the change began. Chunks that are stored in
// the same change may want to know what is free, which is learned from the whole list.
static tess_status
prepare_drop(struct frame *f, tess_error *err)
{
    tess_status st = frame_need_checksums(f, err);
    if (st == TESS_OK && is_untouched(&f->change)) {
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
    if (f->nleases > 0) // also where the state on the disk is empty already
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "an array that loses all its items is written over its first chunks, but "
                       "parts of its file are leased (tess_adoption_lease())");
    if (!f->options.never_reuse || !f->head || frame_header_get_nbytes(f->head) == 0)
        return TESS_OK;
    return err_set(
        err, TESS_ERR_UNSUPPORTED, -1,
        "an array that loses all its items is written over its first chunks, but never_reuse "
        "is set");
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
