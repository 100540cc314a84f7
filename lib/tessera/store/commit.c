/*
 * commit.c - the state to come of a store becomes the newest one.
 *
 * Steps:
 *   1. each array is committed: its chunks, index and trailer go to its file, where the last commit
 *      has nothing, and are synced; its first bytes wait in memory (io/front.h)
 *   2. the manifest, with these first bytes, is written and synced
 *   3. it gets its name, which is synced: from here on the new state is current
 *   4. files follow it (follow.c)
 * What died before step 3 has changed nothing.
 */
#include "store/store.h"

#include "array/array.h"
#include "array/open/open.h"
#include "array/update.h"
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
#include "io/names/path.h"
#include "io/state_files.h"
#include "store/manifest.h"
#include "store/writer.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static const char NEW[] = STATE_FOLDER "/new";

// -- steps 1 to 3

// The front of a new file that the program does not have open.
static tess_status
read_made(const tess_store *s, const struct writer_array *x, uint8_t **front, size_t *size,
          uint8_t *tail, tess_error *err)
{
    tess_array *a;
    tess_status st = store_open_as_it_is(s, x->made, true, &a, err);
    if (st != TESS_OK)
        return st;
    if (frame_is_sparse(a->grid->frame))
        st = err_set(err, TESS_ERR_UNSUPPORTED, -1, "%s is sparse, which arrays of a store are not",
                     x->name);
    else
        st = frame_read_front(a->grid->frame, front, size, tail, err);
    array_free(a);
    return st;
}

// Another program may have put a file in the place of that of an array.
static tess_status
check_not_replaced(const tess_store *s, const struct writer_array *x, tess_error *err)
{
    struct io_identity identity;
    char *const path = store_path_of(s, writer_name_until_commit(s->writer, x->name));
    tess_status st = path ? io_identify(frame_file(x->a->grid->frame), &identity, err)
                          : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    if (st == TESS_OK && !io_identity_is_at(&identity, path))
        st = err_set(err, TESS_ERR_STALE, -1, "%s: another program replaced the file", x->name);
    mem_free(path);
    return st;
}

// Bring an array to its file, and its front to the manifest.
static tess_status
commit_array(const tess_store *s, struct writer_array *x, struct manifest *m, tess_error *err)
{
    uint8_t *front = NULL, tail[FRAME_TAIL];
    size_t size = 0;
    struct manifest_file *file = manifest_find(m, x->name);
    bool is_there = true;
    tess_status st = x->made ? below_find(s->files.root, x->made, &is_there, err) : TESS_OK;
    if (st == TESS_OK && !is_there)
        st = err_set(err, TESS_ERR_STALE, -1, "%s: its file, %s, is gone", x->name, x->made);
    if (st != TESS_OK)
        return st;
    if (x->a && !x->made)
        st = check_not_replaced(s, x, err);
    if (st == TESS_OK && x->a)
        st = array_commit(x->a, err);
    if (st == TESS_OK && x->a && x->made &&
        store_is_durable(s)) // its first bytes are in the file already
        st = io_sync(frame_file(x->a->grid->frame), err);
    if (st == TESS_OK)
        st = x->a ? frame_read_front(x->a->grid->frame, &front, &size, tail, err)
                  : read_made(s, x, &front, &size, tail, err);
    if (st != TESS_OK)
        return err_prefix(err, st, "%s", x->name);
    if (x->made && file)
        st = writer_keep_replaced(s->writer, m, file, err);
    if (st == TESS_OK && x->made)
        st = manifest_add_move(m, x->made, x->name, m->number, err);
    if (st == TESS_OK && !file)
        st = manifest_add_file(m, x->name, &file, err);
    if (st == TESS_OK)
        st = manifest_set_front(file, front, size, tail, err);
    const bool same = size == x->settled_size && memcmp(front, x->settled, size) == 0;
    if (st == TESS_OK && !same)
        st = manifest_set_before(file, x->settled, x->settled_size, err);
    if (st == TESS_OK && !same)
        file->since = m->number;
    mem_free(x->coming);
    x->coming = front;
    x->coming_size = size;
    return st;
}

static int64_t
now_in_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Moves that no commit that stays needs to know of.
static void
forget_moves(const tess_store *s, struct manifest *m)
{
    const struct writer *const w = s->writer;
    const uint64_t last = s->state ? s->state->m.number : 0;
    const uint64_t oldest = w->nolder > 0 ? w->older[0]->m.number : last;
    size_t kept = 0;
    for (size_t i = 0; i < m->nmoves; i++)
        if (m->moves[i].number > oldest) {
            m->moves[kept++] = m->moves[i];
        } else {
            mem_free(m->moves[i].from);
            mem_free(m->moves[i].to);
        }
    m->nmoves = kept;
}

static tess_status
make_manifest(tess_store *s, struct manifest *m, tess_error *err)
{
    struct writer *const w = s->writer;
    tess_status st = manifest_copy(m, &w->next, err);
    if (st != TESS_OK)
        return st;
    m->time = now_in_milliseconds();
    forget_moves(s, m);
    writer_drop_missing(s);
    for (size_t i = 0; i < w->narrays && st == TESS_OK; i++)
        st = commit_array(s, &w->arrays[i], m, err);
    return st;
}

// Whether a manifest says anything that the last one does not.
static bool
changes_something(const tess_store *s, const struct manifest *m)
{
    if (!s->state || m->nfiles != s->state->m.nfiles || manifest_has_moves(m))
        return true;
    for (size_t i = 0; i < m->nfiles; i++) {
        const struct manifest_file *const x = &m->files[i], *const y = &s->state->m.files[i];
        if (strcmp(x->name, y->name) != 0 || x->front_size != y->front_size ||
            memcmp(x->front, y->front, x->front_size) != 0)
            return true;
    }
    return false;
}

// A commit to be published, and what comes next, for which no memory is needed then.
struct coming {
    struct store_state *state;
    struct manifest next;
};

static void
coming_finish(struct coming *c)
{
    store_state_release(c->state);
    manifest_finish(&c->next);
}

static tess_status
coming_make(tess_store *s, struct coming *c, tess_error *err)
{
    *c = (struct coming){.state = mem_zeroed(1, sizeof *c->state)};
    if (!c->state)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the state of a store");
    atomic_init(&c->state->users, 1);
    c->state->lock = -1;
    tess_status st = make_manifest(s, &c->state->m, err);
    if (st == TESS_OK)
        st = manifest_copy(&c->next, &c->state->m, err);
    c->next.number++;
    return st;
}

static tess_status
publish(tess_store *s, struct coming *c, tess_error *err)
{
    struct writer *const w = s->writer;
    const struct manifest *const m = &c->state->m;
    uint8_t *bytes;
    size_t size;
    tess_status st = manifest_write(m, &bytes, &size, err);
    if (st == TESS_OK && store_is_durable(s) && manifest_has_moves(m)) // names of new files
        st = below_sync_parents(s->files.root, STATE_FOLDER "/new/", "", err);
    if (st == TESS_OK)
        st = state_files_commit(&s->files, m->number, bytes, size, store_is_durable(s), err);
    mem_free(bytes);
    if (st != TESS_OK)
        return st;
    // It is current from here on, whatever follows.
    w->current = (struct state_file){.number = m->number, .phase = STATE_COMMITTED};
    w->unfinished = true;
    w->relisted = false;
    store_state_release(s->state);
    s->state = c->state;
    manifest_finish(&w->next);
    w->next = c->next;
    *c = (struct coming){0};
    writer_committed(s);
    return TESS_OK;
}

tess_status
store_commit(tess_store *s, tess_error *err)
{
    struct coming c = {0};
    tess_status st = writer_check(s, err);
    if (st == TESS_OK)
        st = store_finish_commit(s, err);
    if (st == TESS_OK)
        st = coming_make(s, &c, err);
    const bool changes = st == TESS_OK && changes_something(s, &c.state->m);
    if (changes)
        st = publish(s, &c, err);
    coming_finish(&c);
    if (!changes || st != TESS_OK)
        return st;
    st = store_follow(s, err);
    if (st == TESS_OK)
        writer_let_go(s);
    return st;
}

tess_status
store_abort(tess_store *s, tess_error *err)
{
    struct writer *const w = s->writer;
    struct manifest next = {0};
    tess_status st = writer_check(s, err);
    if (st == TESS_OK) // its new files may be among those that are forgotten
        st = store_finish_commit(s, err);
    if (st != TESS_OK)
        return st;
    st = s->state ? manifest_copy(&next, &s->state->m, err) : TESS_OK;
    if (st != TESS_OK)
        return st;
    next.number = s->state ? s->state->m.number + 1 : 1;
    writer_forget(w);
    manifest_finish(&w->next);
    w->next = next;
    w->relisted = false;
    st = below_clear(s->files.root, NEW, err);
    if (st == TESS_OK)
        st = store_list(s, &next, true, err);
    return st == TESS_OK ? writer_adopt(s, err) : st;
}
