/*
 * follow.c - what follows a commit of a store, once it is current.
 *
 *   1. other commits that nobody needs are removed
 *   2. files get their names, first those that lose one; names are synced
 *   3. the first bytes go to the files, so that programs that know of no commits see the new state
 *   4. the manifest is marked as done
 * If a program dies in between, whoever opens the store for writing next does the rest; until then
 * readers have the first bytes from the manifest, and look for files under both names.
 */
#include "store/writer.h"

#include "array/array.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "frame/commit/lock.h"
#include "frame/contiguous/held.h"
#include "frame/query.h"
#include "grid/grid.h"
#include "io/file.h"
#include "io/front.h"
#include "io/io.h"
#include "io/names/below.h"
#include "io/state_files.h"
#include "store/manifest.h"
#include "store/store.h"

#include <inttypes.h>
#include <string.h>

enum { HIDDEN = 16 }; // bytes of a header, by which a frame is known

static const char NEW[] = STATE_FOLDER "/new";
static const char KEPT[] = STATE_FOLDER "/kept";

static bool
is_kept_name(const char *name)
{
    return strncmp(name, KEPT, sizeof KEPT - 1) == 0 && name[sizeof KEPT - 1] == '/';
}

bool
store_is_durable(const tess_store *s)
{
    return s->storage.durability >= TESS_DURABILITY_ORDERED;
}

// Remove unused older commits; load the others.
static tess_status
drop_older(tess_store *s, tess_error *err)
{
    struct writer *const w = s->writer;
    struct state_file *list;
    size_t n, nolder = 0;
    tess_status st = state_files_list(&s->files, &list, &n, err);
    if (st != TESS_OK)
        return st;
    struct store_state **const older = mem_zeroed(n + 1, sizeof *older);
    if (!older)
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu commits", n);
    for (size_t i = 0; i + 1 < n && st == TESS_OK; i++) {
        if (!list[i].name[0] && state_files_drop(&s->files, &list[i]))
            continue;
        for (size_t k = 0; k < w->nolder && !older[nolder]; k++)
            if (w->older[k]->m.number == list[i].number) {
                older[nolder] = w->older[k];
                atomic_fetch_add(&older[nolder]->users, 1);
            }
        if (!older[nolder])
            st = store_state_read(s, &list[i], &older[nolder], err);
        if (st == TESS_OK) { // it counts as in use by a lock of others only
            state_files_unlock(older[nolder]->lock);
            older[nolder]->lock = -1;
            nolder++;
        } else if (st == TESS_ERR_CORRUPT || st == TESS_ERR_UNSUPPORTED) {
            st = TESS_OK; // nobody can read it
        }
    }
    mem_free(list);
    if (st != TESS_OK) {
        for (size_t i = 0; older && i < nolder; i++)
            store_state_release(older[i]);
        mem_free(older);
        return st;
    }
    for (size_t i = 0; i < w->nolder; i++)
        store_state_release(w->older[i]);
    mem_free(w->older);
    w->older = older;
    w->nolder = nolder;
    return TESS_OK;
}

// Do the moves that take, or give, names; sync the names.
static tess_status
move_files(const tess_store *s, const struct manifest *m, bool give, tess_error *err)
{
    tess_status st = TESS_OK;
    const char *last = "";
    bool done = false;
    for (size_t i = 0; i < m->nmoves && st == TESS_OK; i++) {
        const struct manifest_move *const move = &m->moves[i];
        if (move->number != m->number || store_is_new_name(move->from) != give)
            continue;
        if (!give)
            st = below_find(s->files.root, move->to, &done, err);
        if (st != TESS_OK || (!give && done)) // done before
            continue;
        st = below_move(s->files.root, move->from, move->to, store_is_durable(s), err);
        if (st == TESS_ERR_NOT_FOUND)
            st = TESS_OK; // done before; or another program removed it
        if (st == TESS_OK && is_kept_name(move->to)) // else python-blosc2 lists it
            st = below_hide(s->files.root, move->to, HIDDEN, err);
    }
    for (size_t i = 0; i < m->nmoves && st == TESS_OK && store_is_durable(s); i++) {
        const struct manifest_move *const move = &m->moves[i];
        if (move->number != m->number || store_is_new_name(move->from) != give)
            continue;
        st = below_sync_parents(s->files.root, move->to, last, err);
        if (st == TESS_OK && !give)
            st = below_sync_parents(s->files.root, move->from, last, err);
        last = give ? move->to : "";
    }
    for (size_t i = 0; i < m->nmoves && st == TESS_OK && !give; i++)
        if (m->moves[i].number == m->number && !store_is_new_name(m->moves[i].from))
            below_remove_directories(s->files.root, m->moves[i].from);
    return st;
}

// What was removed, and no commit has any more.
static tess_status
remove_kept(const tess_store *s, const struct manifest *m, tess_error *err)
{
    const struct writer *const w = s->writer;
    const uint64_t oldest = w->nolder > 0 ? w->older[0]->m.number : m->number;
    tess_status st = TESS_OK;
    for (size_t i = 0; i < m->nmoves && st == TESS_OK; i++)
        if (is_kept_name(m->moves[i].to) && m->moves[i].number <= oldest)
            st = below_remove(s->files.root, m->moves[i].to, err);
    return st;
}

// The first bytes of a file that this program has not open.
static tess_status
write_front(const tess_store *s, const struct manifest_file *file, tess_error *err)
{
    struct io *io = NULL;
    bool is_file = false, follows = false;
    tess_status st = below_find(s->files.root, file->name, &is_file, err);
    if (st != TESS_OK || !is_file) // also a symbolic link
        return st;
    char *const path = store_path_of(s, file->name);
    st = path ? io_file_open(path, true, &io, err)
              : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    if (st == TESS_OK)
        st = store_front_follows(io, file, &follows, err);
    if (st == TESS_OK && follows)
        st = io_write(io, 0, file->front, file->front_size, err);
    if (st == TESS_OK && follows && store_is_durable(s))
        st = io_sync(io, err);
    io_close(io);
    mem_free(path);
    return st;
}

// Of an array that this program has: the same, and space that no commit needs is free.
static tess_status
settle_array(const tess_store *s, struct writer_array *x, tess_error *err)
{
    struct frame *const f = x->a->grid->frame;
    const struct manifest_file *const file = manifest_find(&s->state->m, x->name);
    struct held_state *states;
    size_t n;
    if (!file)
        return TESS_OK;
    tess_status st = frame_lock_take(f, err);
    if (st == TESS_OK)
        st = io_front_settle(frame_file(f), (int64_t)file->front_size, err);
    frame_lock_release(f);
    if (st == TESS_OK)
        st = writer_load_older(s, x->name, f, &states, &n, err);
    if (st != TESS_OK)
        return st;
    frame_let_go(f, states, n);
    frame_hold(f);
    writer_free_older(states, n);
    return TESS_OK;
}

static struct writer_array *
array_of_file(const tess_store *s, const char *name)
{
    for (size_t i = 0; i < s->writer->narrays; i++)
        if (s->writer->arrays[i].a && strcmp(s->writer->arrays[i].name, name) == 0)
            return &s->writer->arrays[i];
    return NULL;
}

static tess_status
follow_fronts(const tess_store *s, const struct manifest *m, tess_error *err)
{
    tess_status st = TESS_OK;
    for (size_t i = 0; i < m->nfiles && st == TESS_OK; i++)
        if (m->files[i].since == m->number && m->files[i].before_size > 0 &&
            !array_of_file(s, m->files[i].name))
            st = write_front(s, &m->files[i], err);
    for (size_t i = 0; i < s->writer->narrays && st == TESS_OK; i++)
        if (s->writer->arrays[i].a && !s->writer->arrays[i].made)
            st = settle_array(s, &s->writer->arrays[i], err);
    return st;
}

static tess_status
set_phase(tess_store *s, enum state_phase phase, tess_error *err)
{
    struct state_file to = s->writer->current;
    to.phase = phase;
    return state_files_rename(&s->files, &s->writer->current, &to, err);
}

tess_status
store_follow(tess_store *s, tess_error *err)
{
    const struct manifest *const m = &s->state->m;
    struct writer *const w = s->writer;
    // The name of the commit is on the disk before anything of the last one goes.
    tess_status st = store_is_durable(s) ? state_files_sync(&s->files, err) : TESS_OK;
    if (st == TESS_OK)
        st = drop_older(s, err);
    if (st == TESS_OK && manifest_has_moves(m)) {
        if (w->current.phase == STATE_COMMITTED) {
            st = move_files(s, m, false, err);
            if (st == TESS_OK)
                st = set_phase(s, STATE_MOVED, err);
            if (st == TESS_OK && store_is_durable(s)) // once more, they would take other files away
                st = state_files_sync(&s->files, err);
        }
        if (st == TESS_OK)
            st = move_files(s, m, true, err);
    }
    if (st == TESS_OK)
        st = remove_kept(s, m, err);
    // What was made, and replaced or removed before it counted.
    if (st == TESS_OK && w->numbers > 0 && !writer_has_made(w))
        st = below_clear(s->files.root, NEW, err);
    if (st == TESS_OK)
        st = follow_fronts(s, m, err);
    if (st == TESS_OK)
        st = set_phase(s, STATE_DONE, err);
    w->unfinished = st != TESS_OK;
    return st;
}

tess_status
store_finish_commit(tess_store *s, tess_error *err)
{
    return s->writer->unfinished ? store_follow(s, err) : TESS_OK;
}

tess_status
store_roll_forward(tess_store *s, tess_error *err)
{
    struct writer *const w = s->writer;
    struct state_file *list;
    size_t n;
    tess_status st = state_files_list(&s->files, &list, &n, err);
    if (st != TESS_OK)
        return st;
    if (n > 0)
        w->current = list[n - 1];
    mem_free(list);
    if (n > 0 && (!s->state || s->state->m.number != w->current.number))
        return err_set(err, TESS_ERR_STALE, -1, "another program committed meanwhile");
    if (n > 0 && w->current.phase != STATE_DONE) {
        st = store_follow(s, err);
        if (st == TESS_OK)
            LOG(TESS_LOG_INFO, TESS_EVENT_COMMIT, s->path,
                "files followed the commit %" PRIu64 " of a program that died", w->current.number);
    } else if (n > 0) {
        st = drop_older(s, err);
    }
    return st == TESS_OK ? below_clear(s->files.root, NEW, err) : st; // of a program that died
}
