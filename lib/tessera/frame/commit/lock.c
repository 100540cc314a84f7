/*
 * lock.c - the lock that other implementations know, around reads and changes.
 *
 * Other implementations hold the lock for moments; a program with this library holds it from its
 * first write to its commit. So a call polls for at least MOMENTS, even if tess_storage.wait is
 * shorter. It has a timeout, since one thread may have two handles that wait for each other. It
 * stops early with TESS_ERR_STALE if the number in the lock file says that the state may have been
 * replaced: then the lock would be of no use.
 */
#include "frame/commit/lock.h"

#include "frame/commit/current.h"
#include "frame/private.h"
#include "io/lock_file.h"
#include "io/names/path.h"
#include "task/watch.h"

#include <errno.h>

enum { MOMENTS = 10000 }; // milliseconds

static tess_status
check_lock_number(const struct frame_options *o, tess_error *err)
{
    bool behind;
    const tess_status st = lock_file_check(o->lock_file, &behind, err);
    if (st != TESS_OK || !behind)
        return st;
    return err_set(err, TESS_ERR_STALE, -1,
                   "the file was locked to be changed by another program since it was opened");
}

// Another program has the lock.
static bool
is_busy(tess_status st, const tess_error *err)
{
    return st == TESS_ERR_IO && err->sys == EWOULDBLOCK;
}

static tess_status
lock_try(const struct frame_options *o, tess_status (*try)(struct lock_file *, tess_error *),
         tess_error *err)
{
    tess_error why;
    tess_status st = try(o->lock_file, err);
    if (is_busy(st, err) && check_lock_number(o, &why) == TESS_ERR_STALE) {
        *err = why;
        st = TESS_ERR_STALE;
    }
    return st;
}

static tess_status
lock_get(const struct frame_options *o, tess_status (*try)(struct lock_file *, tess_error *),
         tess_error *err)
{
    struct retry p;
    tess_error why;
    tess_status st = lock_try(o, try, &why);
    if (st == TESS_OK)
        return st;
    retry_begin(&p, o->context, io_path_name(o->path),
                o->wait >= 0 && o->wait < MOMENTS ? MOMENTS : o->wait);
    while (is_busy(st, &why) && retry_again(&p, &st, &why))
        st = lock_try(o, try, &why);
    if (st != TESS_OK && err)
        *err = why;
    return st;
}

tess_status
frame_lock_share_early(const struct frame_options *o, tess_error *err)
{
    if (!o->lock_file || lock_file_skip(o->lock_file)) // nothing to lock
        return TESS_OK;
    tess_status st = lock_get(o, lock_file_share, err);
    if (st != TESS_OK)
        return st;
    st = check_lock_number(o, err);
    if (st != TESS_OK)
        lock_file_unshare(o->lock_file);
    return st;
}

void
frame_lock_unshare_early(const struct frame_options *o)
{
    if (o->lock_file)
        lock_file_unshare(o->lock_file);
}

tess_status
frame_lock_share(const struct frame *f, tess_error *err)
{
    return frame_lock_share_early(&f->options, err);
}

void
frame_lock_unshare(const struct frame *f)
{
    frame_lock_unshare_early(&f->options);
}

tess_status
frame_lock_take(const struct frame *f, tess_error *err)
{
    const struct frame_options *const o = &f->options;
    if (!o->lock_file || !f->rights.published || lock_file_is_taken(o->lock_file))
        return TESS_OK;
    tess_status st = lock_get(o, lock_file_take, err);
    if (st == TESS_OK)
        st = frame_check_unchanged(f, err);
    if (st != TESS_OK)
        lock_file_release(o->lock_file);
    return st;
}

tess_status
frame_lock_take_early(const struct frame_options *o, tess_error *err)
{
    return o->lock_file ? lock_get(o, lock_file_take, err) : TESS_OK;
}

tess_status
frame_lock_take_name(const struct frame *f, tess_error *err)
{
    if (f->options.lock_file)
        lock_file_forget(f->options.lock_file);
    return frame_lock_take_early(&f->options, err);
}

void
frame_lock_release(const struct frame *f)
{
    if (f->options.lock_file && !f->rights.held)
        lock_file_release(f->options.lock_file);
}

tess_status
frame_lock_hold(struct frame *f, tess_error *err)
{
    const tess_status st = frame_lock_take(f, err);
    f->rights.held |= st == TESS_OK;
    return st;
}

void
frame_lock_let_go(struct frame *f)
{
    if (!f->rights.held)
        return;
    f->rights.held = false;
    if (f->staging.ncalls == 0)
        frame_lock_release(f);
}

// Whether the bytes of another state can lead to a failure.
static bool
bytes_tell(tess_status st)
{
    return st == TESS_ERR_CORRUPT || st == TESS_ERR_IO || st == TESS_ERR_UNSUPPORTED ||
           st == TESS_ERR_LIMIT;
}

tess_status
frame_lock_blame(const struct frame *f, tess_status st, tess_error *err)
{
    tess_error why;
    if (!bytes_tell(st))
        return st;
    if (frame_lock_share(f, &why) == TESS_OK) { // no program is in the middle of a change
        const tess_status now = frame_check_unchanged(f, &why);
        frame_lock_unshare(f);
        if (now != TESS_ERR_STALE)
            return st;
    } else if (why.status != TESS_ERR_STALE) {
        return st;
    }
    if (err)
        *err = why;
    return TESS_ERR_STALE;
}
