/*
 * commit.c - when a state goes to the disk.
 *
 * Not here: how it goes there (contiguous/commit.c, sparse.c), whether the disk still has the last
 * state (current.c).
 */
#include "frame/commit/commit.h"

#include "base/checked.h"
#include "base/log.h"
#include "frame/commit/current.h"
#include "frame/commit/lock.h"
#include "frame/commit/pending.h"
#include "frame/container.h"
#include "frame/load.h"
#include "frame/private.h"
#include "io/io.h"
#include "io/names/path.h"

#include <inttypes.h>

enum {
    BATCH_MIN = 64 << 20,
    BATCH_SHARE = 20, // of the stored data: an index costs little against it
    PARKED_MIN = 256 << 10,
    PARKED_SHARE = 10,
    PARKED_SHARE_ORDERED = 16,
};

static tess_status
commit_now(struct frame *f, tess_error *err)
{
    tess_status st = frame_check_unchanged(f, err);
    if (st == TESS_OK && f->batch.dirty)
        st = frame_need_checksums(f, err);
    if (st != TESS_OK)
        return st;
    st = f->batch.dirty ? f->container->commit(f, err) : f->container->settle(f, err);
    frame_stamp_again(f);
    return st;
}

// What is to be committed must be found by the path. What was committed may have been moved since,
// as programs do that make files beside others; but not removed.
static tess_status
check_found(const struct frame *f, bool needed, tess_error *err)
{
    struct io_identity now;
    tess_status st = needed || f->batch.committed ? frame_check_path(f, err) : TESS_OK;
    if (st != TESS_ERR_STALE || needed)
        return st;
    st = io_identify(f->io, &now, err);
    return st == TESS_OK && now.removed ? frame_check_path(f, err) : st;
}

tess_status
frame_commit(struct frame *f, tess_error *err)
{
    const bool unsure = f->disk.unsure && f->options.durability >= TESS_DURABILITY_FSYNC;
    const bool needed = f->batch.dirty || unsure;
    tess_status st = frame_check_owner(f, err);
    if (st == TESS_OK)
        st = check_found(f, needed, err);
    if (st == TESS_OK && needed)
        st = frame_lock_take(f, err);
    if (st == TESS_OK && needed)
        st = commit_now(f, err);
    if (st == TESS_OK && !needed && f->batch.relied)
        st = frame_check_unchanged(f, err);
    if (st == TESS_OK)
        f->batch.relied = false;
    if (st == TESS_OK && needed) {
        f->batch.committed |= f->batch.dirty;
        f->batch.dirty = false;
        f->batch.written_before += f->batch.written;
        f->batch.written = 0;
        f->batch.parked = 0;
    }
    if (st == TESS_ERR_STALE) // which it stays
        f->rights.held = false;
    if ((!f->batch.dirty && f->staging.ncalls == 0) || st == TESS_ERR_STALE)
        frame_lock_release(f);
    return st;
}

tess_status
frame_commit_sealed(struct frame *f, tess_error *err)
{
    const bool dirty = f->batch.dirty;
    f->batch.dirty |= !f->disk.sealed;
    const tess_status st = frame_commit(f, err);
    if (st == TESS_OK || f->disk.attempted) // which is for the next commit to settle
        return st;
    f->batch.dirty = dirty;
    if (!dirty && f->staging.ncalls == 0)
        frame_lock_release(f);
    return st;
}

/*
 * What is overwritten makes the file larger than its data until the commit, and, where that is not
 * synced, until the next one. Two such batches, or one, and what lies unused between chunks stay
 * below a quarter of the data.
 */
int64_t
frame_batch(const struct frame *f)
{
    const bool twice = pending_durability(f) == TESS_DURABILITY_ORDERED;
    return PARKED_MIN + f->h.cbytes / (twice ? PARKED_SHARE_ORDERED : PARKED_SHARE);
}

bool
frame_commit_is_due(const struct frame *f)
{
    if (f->options.explicit_commits || f->storage.once) // once: earlier states cannot be read
        return false;
    const bool large = f->batch.written >= max_i64(BATCH_MIN, f->h.cbytes / BATCH_SHARE);
    return large || (f->batch.parked >= frame_batch(f) && !f->options.never_reuse);
}

tess_status
frame_commit_if_large(struct frame *f, tess_error *err)
{
    if (!frame_commit_is_due(f))
        return TESS_OK;
    const bool parked = f->batch.parked >= frame_batch(f);
    LOG(TESS_LOG_INFO, TESS_EVENT_COMMIT, io_path_name(f->options.path),
        "an automatic commit: %" PRId64 " bytes %s", parked ? f->batch.parked : f->batch.written,
        parked ? "of chunks were overwritten" : "were written since the last one");
    return frame_commit(f, err);
}

tess_status
frame_publish(struct frame *f, tess_error *err)
{
    if (f->rights.published)
        return TESS_OK;
    tess_status st = frame_lock_take_name(f, err);
    if (st == TESS_OK) {
        f->rights.exposed = true;
        st = pending_sync(f, f->io, TESS_DURABILITY_ORDERED, err);
        f->batch.dirty |= st != TESS_OK; // all that was written may be lost: write it again
    }
    if (st == TESS_OK)
        st = f->container->publish(f, err);
    f->rights.published = st == TESS_OK;
    frame_lock_release(f);
    return st;
}
