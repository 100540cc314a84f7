/*
 * state.c - commits of a store, to be read.
 *
 * A file of a commit is opened with the front that the commit has of it, and is that file if the
 * end of the state is there. A newer commit may have moved it, which the manifest of that tells. A
 * file whose first bytes are neither those of the newest commit nor on their way was changed by a
 * program that does not know of commits, and is read as it is.
 */
#include "store/store.h"

#include "array/open/open.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "frame/contiguous/held.h"
#include "io/front.h"
#include "io/io.h"
#include "io/lock_file.h"
#include "io/state_files.h"
#include "store/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 100 }; // while a writer commits again and again

tess_status
store_state_read(const tess_store *s, const struct state_file *file, struct store_state **state,
                 tess_error *err)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    struct store_state *const own = mem_zeroed(1, sizeof *own);
    if (!own)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the state of a store");
    atomic_init(&own->users, 1);
    const int64_t memory = s->storage.limits.memory;
    tess_status st = state_files_read(&s->files, file, memory, &own->lock, &bytes, &size, err);
    if (st == TESS_OK)
        st = manifest_parse(&own->m, bytes, size, memory, err);
    if (st == TESS_OK && own->m.number != file->number)
        st = err_set(err, TESS_ERR_CORRUPT, -1,
                     "the manifest of the store has number %" PRIu64 ", its file %" PRIu64,
                     own->m.number, file->number);
    mem_free(bytes);
    if (st != TESS_OK) {
        store_state_release(own);
        return st;
    }
    own->follows = file->phase != STATE_DONE;
    *state = own;
    return TESS_OK;
}

// The number that a text is: digits and nothing else. False: it is none.
static bool
parse_number(const char *text, uint64_t *number)
{
    errno = 0;
    *number = strtoull(text, NULL, 10);
    return *text && !text[strspn(text, "0123456789")] && errno == 0;
}

// The newest, or one by its name or number; NULL: there is none.
static const struct state_file *
choose_state(const struct state_file *list, size_t n, const char *commit_name)
{
    uint64_t number;
    if (!commit_name)
        return n > 0 ? &list[n - 1] : NULL;
    const bool is_number = parse_number(commit_name, &number); // no commit has such a name
    for (size_t i = 0; i < n; i++)
        if (is_number ? list[i].number == number
                      : list[i].name[0] && strcmp(list[i].name, commit_name) == 0)
            return &list[i];
    return NULL;
}

tess_status
store_state_open(const tess_store *s, const char *commit_name, struct store_state **state,
                 tess_error *err)
{
    tess_status st = TESS_ERR_NOT_FOUND;
    *state = NULL;
    for (int i = 0; i < TRIES && st == TESS_ERR_NOT_FOUND; i++) {
        struct state_file *list;
        size_t n;
        st = state_files_list(&s->files, &list, &n, err);
        if (st != TESS_OK)
            return st;
        const struct state_file *const chosen = choose_state(list, n, commit_name);
        const bool none = !chosen;
        st = chosen ? store_state_read(s, chosen, state, err) : TESS_OK;
        mem_free(list);
        if (none)
            return commit_name ? err_set(err, TESS_ERR_NOT_FOUND, -1, "the store has no commit %s",
                                         commit_name)
                               : TESS_OK;
    }
    return st;
}

// The newest commit, and what is still to follow it. Number 0: there are none.
static tess_status
find_newest(const tess_store *s, struct state_file *newest, tess_error *err)
{
    struct state_file *list;
    size_t n;
    *newest = (struct state_file){.phase = STATE_DONE};
    const tess_status st = state_files_list(&s->files, &list, &n, err);
    if (st != TESS_OK)
        return st;
    if (n > 0)
        *newest = list[n - 1];
    mem_free(list);
    return TESS_OK;
}

tess_status
store_state_newest(const tess_store *s, uint64_t *number, tess_error *err)
{
    struct state_file newest;
    const tess_status st = find_newest(s, &newest, err);
    *number = newest.number;
    return st;
}

// The bytes of a file where its front stands; zeros where the file ends before. Allocated.
static tess_status
read_first(struct io *io, size_t front_size, int64_t size, uint8_t **now, tess_error *err)
{
    *now = mem_zeroed(1, front_size + 1);
    if (!*now)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes", front_size);
    const tess_status st = io_read(io, 0, *now, (size_t)min_i64(size, (int64_t)front_size), err);
    if (st != TESS_OK) {
        mem_free(*now);
        *now = NULL;
    }
    return st;
}

// Whether such bytes are those of one front or the other, byte by byte. Behind an empty frame that
// is to become longer, anything may stand: states that were never committed.
static bool
is_between(const uint8_t *now, const struct manifest_file *file, bool whole)
{
    for (size_t i = 0; i < file->front_size; i++)
        if (now[i] != file->front[i] &&
            (i < file->before_size ? now[i] != file->before[i] : !whole))
            return false;
    return file->before_size > 0;
}

tess_status
store_front_follows(struct io *io, const struct manifest_file *file, bool *follows, tess_error *err)
{
    uint8_t tail[MANIFEST_TAIL], *now = NULL;
    bool whole = false;
    int64_t size = 0;
    const int64_t end = frame_front_end(file->front, file->front_size, &whole);
    *follows = false;
    tess_status st = io_size(io, &size, err);
    const bool has_state = st == TESS_OK && end > 0 && (whole || size >= end);
    if (has_state)
        st = read_first(io, file->front_size, size, &now, err);
    if (st == TESS_OK && has_state)
        *follows = memcmp(now, file->front, file->front_size) != 0 && is_between(now, file, whole);
    mem_free(now);
    if (st == TESS_OK && *follows && !whole) { // else another file has the name
        st = io_read(io, end - MANIFEST_TAIL, tail, sizeof tail, err);
        *follows = st == TESS_OK && memcmp(tail, file->tail, sizeof tail) == 0;
    }
    return st;
}

// -- a file of a commit

struct found_file {
    struct home home;
    bool has_tail; // the end of the state is there
    bool has_front; // the first bytes are those of the commit
    bool has_before; // or those that it replaces, or a mixture
};

static tess_status
look_at_front(struct io *io, const struct manifest_file *file, int64_t end, bool whole,
              struct found_file *f, tess_error *err)
{
    uint8_t tail[MANIFEST_TAIL], *now = NULL;
    int64_t size;
    tess_status st = io_size(io, &size, err);
    if (st != TESS_OK)
        return st;
    if (size >= end) {
        st = io_read(io, end - MANIFEST_TAIL, tail, sizeof tail, err);
        f->has_tail = st == TESS_OK && memcmp(tail, file->tail, sizeof tail) == 0;
    }
    if (st != TESS_OK || (!whole && size < (int64_t)file->front_size))
        return st;
    st = read_first(io, file->front_size, size, &now, err);
    if (st == TESS_OK) {
        f->has_front =
            size >= (int64_t)file->front_size && memcmp(now, file->front, file->front_size) == 0;
        f->has_before = is_between(now, file, whole);
    }
    mem_free(now);
    return st;
}

// A file of that name. TESS_ERR_NOT_FOUND: there is none; the home is open after a success.
static tess_status
look_at_file(const tess_store *s, const struct manifest_file *file, const char *name, int64_t end,
             bool whole, struct found_file *f, tess_error *err)
{
    tess_storage storage = s->storage;
    char *const path = store_path_of(s, name);
    *f = (struct found_file){0};
    if (!path)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    storage.path = path;
    storage.mode = TESS_MODE_READ;
    tess_status st = home_open(&storage, &f->home, err);
    mem_free(path);
    if (st != TESS_OK)
        return st;
    lock_file_close(f->home.lock_file); // what is read does not change
    f->home.lock_file = NULL;
    st = f->home.at.io ? look_at_front(f->home.at.io, file, end, whole, f, err)
                       : err_set(err, TESS_ERR_NOT_FOUND, -1, "%s is a directory", name);
    if (st != TESS_OK)
        home_close(&f->home);
    return st;
}

/*
 * Whether a file that has the state of an older commit is one that the newest commit knows, in its
 * state: else a program that knows of no commits may have written over what the older one needs.
 * What is kept was in nobody's way.
 */
static tess_status
is_known(const struct store_state *state, const struct manifest_file *file,
         const struct manifest *newest, struct io *io, bool *known, tess_error *err)
{
    uint64_t number = state->m.number;
    const char *name = file->name, *next;
    while ((next = manifest_moved(newest, name, &number))) {
        name = next;
        number -= store_is_new_name(name);
    }
    struct found_file f = {.has_front = false};
    const struct manifest_file *const now = manifest_find(newest, name);
    const bool kept = strncmp(name, STATE_FOLDER, sizeof STATE_FOLDER - 1) == 0;
    *known = kept;
    if (kept || !now)
        return TESS_OK;
    bool whole = false;
    const int64_t end = frame_front_end(now->front, now->front_size, &whole);
    const tess_status st = look_at_front(io, now, end > 0 ? end : 0, whole, &f, err);
    *known = (f.has_tail || whole) && (f.has_front || f.has_before);
    return st;
}

// An array that is read, in the state of a commit.
struct reader {
    tess_store *s; // held, for its directory
    struct store_state *state; // held
    const struct manifest_file *file;
};

static void
reader_closed(void *user)
{
    struct reader *const r = user;
    store_state_release(r->state);
    store_release(r->s);
    mem_free(r);
}

static tess_status
changed_by_others(const struct store_state *state, tess_error *err)
{
    return err_set(err, TESS_ERR_STALE, -1,
                   "a program that does not know of commits changed the file since the commit "
                   "%" PRIu64,
                   state->m.number);
}

// TESS_ERR_STALE: a writer has gone on since that was the newest commit.
static tess_status
check_still_newest(const tess_store *s, const struct state_file *newest, tess_error *err)
{
    struct state_file now;
    const tess_status st = find_newest(s, &now, err);
    return st == TESS_OK && (now.number != newest->number || now.phase != newest->phase)
               ? err_set(err, TESS_ERR_STALE, -1, "a writer commits again and again")
               : st;
}

// The file has other first bytes by now: by a later commit, or by another program.
static tess_status
reader_changed(void *user, struct io *io, tess_error *err)
{
    const struct reader *const r = user;
    bool known = false;
    tess_status st = TESS_ERR_STALE;
    for (int i = 0; i < TRIES && st == TESS_ERR_STALE; i++) {
        struct store_state *newest = NULL;
        uint64_t number = 0;
        st = store_state_open(r->s, NULL, &newest, err);
        const struct manifest *const m = newest ? &newest->m : &r->state->m;
        if (st == TESS_OK)
            st = is_known(r->state, r->file, m, io, &known, err);
        if (st == TESS_OK && !known) // the bytes may be of a commit that was made meanwhile
            st = store_state_newest(r->s, &number, err);
        if (st == TESS_OK && !known && number != (newest ? newest->m.number : 0))
            st = err_set(err, TESS_ERR_STALE, -1, "a writer commits again and again");
        store_state_release(newest);
    }
    return st == TESS_OK && !known ? changed_by_others(r->state, err) : st;
}

// A home that is open, in the state of the commit.
static tess_status
open_with_front(const tess_store *s, const struct manifest_file *file, struct home *home,
                tess_array **a, tess_error *err)
{
    tess_storage storage = s->storage;
    struct reader *const r = mem_alloc(sizeof *r);
    const struct io_front_owner owner = {reader_closed, reader_changed, r};
    if (!r) {
        home_close(home);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an array");
    }
    *r = (struct reader){(tess_store *)s, s->state, file};
    storage.path = NULL; // it stays what it is, whatever the path leads to
    storage.image = NULL;
    storage.source = NULL;
    storage.mode = TESS_MODE_READ;
    atomic_fetch_add(&r->s->users, 1);
    atomic_fetch_add(&s->state->users, 1);
    const tess_status st =
        io_front_fixed(home->at.io, file->front, file->front_size, &owner, &home->at.io, err);
    if (st != TESS_OK) {
        reader_closed(r);
        home->at.io = NULL;
        home_close(home);
        return st;
    }
    return array_open(home, &storage, a, err);
}

static tess_status
open_changed(const tess_store *s, const char *name, tess_array **a, tess_error *err)
{
    LOG(TESS_LOG_WARNING, TESS_EVENT_REFRESH, name,
        "another program changed it since the commit %" PRIu64 " of its store", s->state->m.number);
    return store_open_as_it_is(s, name, false, a, err);
}

// The move of a commit that leads to a name.
static const char *
name_before(const struct manifest *m, const char *name)
{
    for (size_t i = 0; i < m->nmoves; i++)
        if (m->moves[i].number == m->number && strcmp(m->moves[i].to, name) == 0)
            return m->moves[i].from;
    return NULL;
}

// An empty frame, all of which the commit has, unless another program changed it since. As long as
// names may not have followed the commit, the file that has the name now may be an older one.
static tess_status
open_whole(const tess_store *s, const struct manifest_file *file, tess_array **a, tess_error *err)
{
    tess_source source;
    struct found_file f;
    uint64_t newest;
    tess_status st = look_at_file(s, file, file->name, (int64_t)file->front_size, true, &f, err);
    if (st == TESS_OK)
        home_close(&f.home);
    else if (st != TESS_ERR_NOT_FOUND)
        return st;
    const bool may_be_older = s->state->follows && name_before(&s->state->m, file->name);
    const bool differs = st == TESS_OK && !f.has_front && !f.has_before && !may_be_older;
    st = store_state_newest(s, &newest, err);
    if (st != TESS_OK)
        return st;
    if (differs && newest == s->state->m.number)
        return open_changed(s, file->name, a, err);
    uint8_t *const bytes = mem_alloc(file->front_size);
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes", file->front_size);
    memcpy(bytes, file->front, file->front_size);
    st = bytes_source(bytes, file->front_size, &source, err);
    return st == TESS_OK ? store_open_in_source(s, &source, a, err) : st;
}

// Whether the file is under that name, in its state; f is open then.
static tess_status
try_name(const tess_store *s, const struct manifest_file *file, const char *name, int64_t end,
         struct found_file *f, bool *found, tess_error *err)
{
    const tess_status st = look_at_file(s, file, name, end, false, f, err);
    *found = st == TESS_OK && f->has_tail;
    if (st == TESS_OK && !*found)
        home_close(&f->home);
    return st == TESS_ERR_NOT_FOUND ? TESS_OK : st;
}

/*
 * Names under which a file of a commit may be now, in the order in which it gets them; how many
 * there are. The moves of all commits before the newest one are done. Of those of the newest one,
 * in its first phase those that take names away are under way, to names that no other file gets; in
 * the second one those that give names, which no other file has then.
 */
static int
names_now(const struct manifest_file *file, uint64_t number, const struct manifest *newest,
          enum state_phase phase, const char *names[2])
{
    const char *name = file->name;
    int n = 1;
    if (number == newest->number) { // from where its own moves begin
        const char *const new_name = name_before(newest, name);
        const char *const old_name = new_name ? name_before(newest, new_name) : NULL;
        name = old_name ? old_name : new_name ? new_name : name;
        number--;
    }
    names[0] = name;
    while ((name = manifest_moved(newest, name, &number))) {
        const bool gives = store_is_new_name(names[n - 1]);
        const bool is_last = number == newest->number;
        if (is_last && gives && phase == STATE_COMMITTED)
            break;
        if (!is_last || phase != (gives ? STATE_MOVED : STATE_COMMITTED))
            n = 0;
        names[n++] = name;
        number -= store_is_new_name(name); // the move that leads on from there is of that commit
    }
    return n;
}

// *found: whether the file is there, in its state; f is open then.
static tess_status
find_state_file(const tess_store *s, const struct manifest_file *file,
                const struct manifest *newest, enum state_phase phase, int64_t end,
                struct found_file *f, bool *found, tess_error *err)
{
    const char *names[2];
    const int n = names_now(file, s->state->m.number, newest, phase, names);
    tess_status st = TESS_OK;
    *found = false;
    for (int i = 0; i < n && st == TESS_OK && !*found; i++)
        st = try_name(s, file, names[i], end, f, found, err);
    return st;
}

// TESS_ERR_STALE, TESS_ERR_NOT_FOUND: a writer has gone on meanwhile.
static tess_status
open_file_once(const tess_store *s, const struct manifest_file *file, int64_t end, tess_array **a,
               tess_error *err)
{
    struct found_file f;
    struct store_state *later = NULL;
    struct state_file now;
    bool found = false, known = true;
    tess_status st = find_newest(s, &now, err);
    const bool is_newest = now.number <= s->state->m.number;
    if (st == TESS_OK && !is_newest)
        st = store_state_open(s, NULL, &later, err);
    if (st != TESS_OK)
        return st;
    const struct manifest *const newest = later ? &later->m : &s->state->m;
    if (is_newest && now.number != newest->number) // it is gone
        now.phase = STATE_DONE;
    st = find_state_file(s, file, newest, now.phase, end, &f, &found, err);
    if (st == TESS_OK && found && !is_newest)
        st = is_known(s->state, file, newest, f.home.at.io, &known, err);
    else if (st == TESS_OK && is_newest)
        known = found && (f.has_front || f.has_before);
    if (st == TESS_OK && newest->number == now.number) // else what is there may be of a later one
        st = check_still_newest(s, &now, err);
    else if (st == TESS_OK && !is_newest)
        st = err_set(err, TESS_ERR_STALE, -1, "a writer commits again and again");
    if (st == TESS_OK && found && known)
        st = open_with_front(s, file, &f.home, a, err);
    else if (found)
        home_close(&f.home);
    if (st == TESS_OK && !known && is_newest)
        st = open_changed(s, file->name, a, err);
    else if (st == TESS_OK && found && !known)
        st = changed_by_others(s->state, err);
    else if (st == TESS_OK && !found)
        st = err_set(err, TESS_ERR_STALE, -1,
                     "the file of the commit %" PRIu64 " is gone, or was changed by a program "
                     "that does not know of commits",
                     s->state->m.number);
    store_state_release(later);
    return st;
}

tess_status
store_state_file(const tess_store *s, const struct manifest_file *file, tess_array **a,
                 tess_error *err)
{
    bool whole = false;
    const int64_t end = frame_front_end(file->front, file->front_size, &whole);
    *a = NULL;
    if (end < 0)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "the manifest of the store has no header of a frame for %s", file->name);
    if (whole)
        return open_whole(s, file, a, err);
    tess_status st = TESS_ERR_STALE;
    for (int i = 0; i < TRIES && (st == TESS_ERR_STALE || st == TESS_ERR_NOT_FOUND); i++)
        st = open_file_once(s, file, end, a, err);
    return st;
}
