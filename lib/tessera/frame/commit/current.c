/*
 * current.c - whether the disk, the path and the process are still those that a handle knows.
 */
#include "frame/commit/current.h"

#include "base/memory.h"
#include "frame/container.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/trailer.h"
#include "frame/private.h"
#include "io/folder.h"
#include "io/io.h"
#include "io/lock_file.h"
#include "io/names/path.h"
#include "task/process.h"

#include <string.h>
#include <unistd.h>

// -- the process

void
frame_set_owner(struct frame *f)
{
    f->rights.process = getpid();
    f->rights.process_number = process_number();
}

// Each process has its own copy of memory.
static bool
has_file(const struct frame *f)
{
    return f->rights.writable && !f->storage.in_memory;
}

bool
frame_is_inherited(const struct frame *f)
{
    return has_file(f) && f->rights.process != getpid();
}

bool
frame_is_locked(const struct frame *f)
{
    const bool locked = f->folder ? f->folder->locked : f->io && f->io->locked;
    return locked && f->rights.process_number == process_number();
}

static tess_status
owner_refuse(tess_error *err)
{
    return err_set(err, TESS_ERR_ARG, -1,
                   "the array was opened for writing before this process was forked; only the "
                   "process that opened it may change it");
}

tess_status
frame_check_forked(const struct frame *f, tess_error *err)
{
    return f->rights.process_number != process_number() && has_file(f) ? owner_refuse(err)
                                                                       : TESS_OK;
}

// -- the disk

static tess_status
current_changed(int64_t position, tess_error *err)
{
    return err_set(err, TESS_ERR_STALE, position,
                   "the file was changed by another program since it was opened");
}

static bool
ends_before(struct io *io, int64_t end)
{
    int64_t size;
    return io_size(io, &size, NULL) == TESS_OK && size < end;
}

// Whether each byte is that of one of the two.
static bool
is_mixture(const uint8_t *now, const uint8_t *known, const uint8_t *other, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (now[i] != known[i] && now[i] != other[i])
            return false;
    return true;
}

// Bytes of the state that is known; `other`: what may stand there as well, or NULL. A file that is
// too short for them has another one. fresh: it was opened for this, what it keeps is as good.
static tess_status
current_compare(struct io *io, bool fresh, int64_t position, const uint8_t *known,
                const uint8_t *other, size_t size, tess_error *err)
{
    uint8_t small[FRAME_HEADER_SECTOR];
    uint8_t *const now = size <= sizeof small ? small : mem_alloc(size);
    if (!now)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes", size);
    tess_status st =
        fresh ? io_read(io, position, now, size, err) : io_read_again(io, position, now, size, err);
    const bool differs = st == TESS_OK ? memcmp(now, known, size) != 0 &&
                                             !(other && is_mixture(now, known, other, size))
                                       : ends_before(io, position + (int64_t)size);
    if (now != small)
        mem_free(now);
    return differs ? current_changed(position, err) : st;
}

// Where the state on the disk ends.
static int64_t
frame_end(const struct frame *f)
{
    return frame_header_get_frame_len(f->disk.head);
}

tess_status
frame_check_stamp(const struct frame *f, tess_error *err)
{
    struct io_stamp now;
    if (!f->disk.stamped || (f->disk.sealed && !f->folder))
        return TESS_OK;
    const tess_status st = io_stamp(f->io, &now, err);
    if (st != TESS_OK)
        return st;
    return memcmp(&now, &f->disk.stamp, sizeof now) != 0 ? current_changed(-1, err) : TESS_OK;
}

void
frame_stamp_again(struct frame *f)
{
    if (!f->disk.sealed && !f->folder)
        f->disk.stamped = io_stamp(f->io, &f->disk.stamp, NULL) == TESS_OK;
}

static tess_status
check_lock_file(const struct frame *f, tess_error *err)
{
    bool behind = false;
    tess_status st = TESS_OK;
    if (f->options.lock_file && f->rights.published)
        st = lock_file_check(f->options.lock_file, &behind, err);
    return st == TESS_OK && behind ? current_changed(-1, err) : st;
}

// Chunks that no commit has yet are overwritten by the process that stored them, and nothing on the
// disk tells.
static tess_status
check_chunks_stay(const struct frame *f, tess_error *err)
{
    if (f->batch.written == 0 || !frame_is_inherited(f))
        return TESS_OK;
    return err_set(err, TESS_ERR_STALE, -1,
                   "the array had changes that were not committed when this process was forked");
}

// Whether no other program can change the state, or reading says that one did. Of a directory the
// index may be replaced, which reading chunks does not tell.
static bool
is_fixed(const struct frame *f)
{
    return f->io->in_memory || (f->io->guarded && !f->folder);
}

// Compare the reference next to the ledger. Only it has the number of the commit: the trailer has
// that number only if the reference is a metalayer.
static tess_status
compare_beside(const struct frame *f, struct io *io, bool fresh, tess_error *err)
{
    uint8_t known[LEDGER_REF_BESIDE_SIZE];
    const bool empty = frame_header_get_nbytes(f->disk.head) == 0;
    const int64_t at =
        frame_end(f) - (empty ? 0 : (int64_t)f->disk.tail_size + LEDGER_REF_BESIDE_SIZE);
    if (!f->disk.ledger_known || !f->disk.ref.beside)
        return TESS_OK;
    ledger_ref_write_beside(known, f->disk.tail + f->disk.tail_size - TRAILER_SEAL, &f->disk.ref);
    return current_compare(io, fresh, at, known, NULL, sizeof known, err);
}

// The header up to some byte, and the end of the trailer. A commit writes the trailer first, so a
// header that looks the same has its own trailer by now; or it has cut the file.
static tess_status
compare_both(const struct frame *f, size_t head_size, size_t tail_size, tess_error *err)
{
    struct io *io;
    bool owned;
    if (f->disk.left_behind)
        return current_changed(-1, err);
    if (!f->disk.head || is_fixed(f))
        return TESS_OK;
    tess_status st = check_chunks_stay(f, err);
    if (st == TESS_OK)
        st = check_lock_file(f, err);
    if (st == TESS_OK)
        st = frame_check_stamp(f, err);
    if (st == TESS_OK)
        st = f->container->current(f, &io, &owned, err);
    if (st != TESS_OK)
        return st;
    st = current_compare(io, owned, 0, f->disk.head, f->disk.attempted, head_size, err);
    if (st == TESS_OK && tail_size > 0) {
        st = current_compare(io, owned, frame_end(f) - (int64_t)tail_size,
                             f->disk.tail + f->disk.tail_size - tail_size, NULL, tail_size, err);
        if (st == TESS_ERR_IO && current_compare(io, owned, 0, f->disk.head, f->disk.attempted,
                                                 head_size, NULL) == TESS_ERR_STALE)
            st = current_changed(0, err);
    }
    if (st == TESS_OK && tail_size > 0)
        st = compare_beside(f, io, owned, err);
    if (owned)
        io_close(io);
    return st;
}

// The index of a state of another program, which no fingerprint covers.
static tess_status
compare_index(const struct frame *f, tess_error *err)
{
    const bool empty = !f->disk.head || frame_header_get_nbytes(f->disk.head) == 0;
    uint64_t now = 0;
    if (f->disk.sealed || empty || f->disk.index_size == 0 || is_fixed(f))
        return TESS_OK;
    const int64_t at =
        (int64_t)f->disk.head_size + (f->folder ? 0 : frame_header_get_cbytes(f->disk.head));
    const tess_status st = checksum_of_stored(f->io, at, f->disk.index_size, &now, err);
    return st == TESS_OK && now != f->disk.index_hash ? current_changed(at, err) : st;
}

// The header of a later state may be the same, not its fingerprint, since that of the number of the
// commit is in it. Of a directory, each state has a file of its own; but a file that was closed for
// the budget (io/open_files.h) and removed since may have left its inode to that of a later state.
tess_status
frame_check_current(const struct frame *f, tess_error *err)
{
    return compare_both(f, FRAME_HEADER_SECTOR, f->disk.sealed ? TRAILER_SEAL : 0, err);
}

tess_status
frame_check_unchanged(const struct frame *f, tess_error *err)
{
    const tess_status st =
        compare_both(f, f->disk.head_size, f->disk.tail ? f->disk.tail_size : 0, err);
    return st == TESS_OK ? compare_index(f, err) : st;
}

bool
frame_is_same_state(const struct frame *x, const struct frame *y)
{
    return x->disk.ref.number == y->disk.ref.number && x->disk.ref.hash == y->disk.ref.hash &&
           x->disk.head_size == y->disk.head_size &&
           memcmp(x->disk.head, y->disk.head, x->disk.head_size) == 0 &&
           x->disk.tail_size == y->disk.tail_size &&
           memcmp(x->disk.tail, y->disk.tail, x->disk.tail_size) == 0;
}

void
frame_set_left_behind(struct frame *f, bool left_behind)
{
    f->disk.left_behind = left_behind;
}

bool
frame_is_left_behind(const struct frame *f)
{
    return f->disk.left_behind;
}

void
frame_leave(struct frame *f)
{
    f->disk.left_behind = true;
    if (f->staging.nleases == 0)
        io_unlock(f->io);
}

tess_status
frame_check_owner(const struct frame *f, tess_error *err)
{
    if (f->disk.left_behind)
        return current_changed(-1, err);
    return frame_is_inherited(f) ? owner_refuse(err) : TESS_OK;
}

tess_status
frame_check_path(const struct frame *f, tess_error *err)
{
    return f->options.path && f->rights.published ? io_path_check(f->options.path, err) : TESS_OK;
}
