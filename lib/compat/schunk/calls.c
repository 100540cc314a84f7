/*
 * calls.c - who may use the handle of a super-chunk, and for what.
 *
 * Order of locks: the list of files, then the lock of one access, or of two in the order of
 * their addresses, then counts. A call that holds the lock of a super-chunk never acquires the
 * list.
 *
 * After a fork the child does not write by the handles of its parent, and as the parent goes on
 * writing, it cannot read by them: the first call of the child opens the file for reading again.
 */
#include "schunk/calls.h"

#include "blosc2/error.h"
#include "blosc2/program_io.h"
#include "blosc2/storage.h"
#include "schunk/access.h"
#include "schunk/rebase.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/schunk.h>

enum { TRIES = 1000 }; // of one call, while others commit at each of theirs

static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;
static struct b2_schunk *files; // guarded by list
static atomic_int writers; // super-chunks on files that are open for writing
static pthread_once_t hooks = PTHREAD_ONCE_INIT;

// -- the list of files

// At exit no thread is waited for: one that still writes has what it has committed.
static void
commit_all(void)
{
    if (pthread_mutex_trylock(&list) != 0)
        return;
    for (struct b2_schunk *s = files; s; s = s->next) {
        pthread_rwlock_t *const lock = &s->access->lock;
        if (!s->writable ||
            (s->path ? pthread_rwlock_tryrdlock(lock) : pthread_rwlock_trywrlock(lock)) != 0)
            continue;
        tess_error err = {0};
        if (s->path)
            (void)b2_code(tess_array_flush(s->a, &err), &err); // the message is all there is to do
        else if (s->access->unwritten)
            (void)b2_access_write(s);
        pthread_rwlock_unlock(lock);
    }
    pthread_mutex_unlock(&list);
}

// What the parent has not written yet, it writes itself. The list is not locked before a fork: one
// that holds it waits for locks of the library, which has those then. Whatever a thread of the
// parent was about, the list can be walked.
static void
leave_to_parent(void)
{
    pthread_mutex_init(&list, NULL);
    for (struct b2_schunk *s = files; s; s = s->next) {
        s->access->unwritten = false;
        if (!s->path || !s->writable)
            continue;
        s->inherited = true;
        s->writable = false;
    }
    writers = 0;
}

static void
register_hooks(void)
{
    (void)atexit(commit_all); // without it, programs must free their super-chunks
    (void)pthread_atfork(NULL, NULL, leave_to_parent);
}

void
b2_access_add_file(struct b2_schunk *s)
{
    if (!s->path && !s->by_program)
        return;
    pthread_once(&hooks, register_hooks);
    pthread_mutex_lock(&list);
    s->next = files;
    files = s;
    writers += s->path && s->writable;
    pthread_mutex_unlock(&list);
}

void
b2_access_remove_file(struct b2_schunk *s)
{
    if (!s->path && !s->by_program)
        return;
    pthread_mutex_lock(&list);
    for (struct b2_schunk **at = &files; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            writers -= s->path && s->writable;
            break;
        }
    pthread_mutex_unlock(&list);
}

void
b2_access_closed(struct b2_schunk *s)
{
    writers -= s->path && s->writable;
    s->writable = false;
}

// Whoever holds the list has an owner that stays.
void
b2_access_end_owner(struct b2_schunk *s)
{
    pthread_mutex_lock(&list);
    pthread_rwlock_wrlock(&s->access->lock);
    if (s->access->owner == s)
        s->access->owner = NULL;
    pthread_rwlock_unlock(&s->access->lock);
    pthread_mutex_unlock(&list);
}

// The list is locked.
static void
commit_others(const struct b2_schunk *own, const char *path)
{
    for (struct b2_schunk *s = files; s; s = s->next) {
        if (s == own || !s->path || strcmp(s->path, path) != 0)
            continue;
        pthread_rwlock_rdlock(&s->access->lock);
        if (s->writable) {
            tess_error err = {0};
            (void)b2_code(tess_array_flush(s->a, &err), &err); // s meets the failure itself
        }
        pthread_rwlock_unlock(&s->access->lock);
    }
}

void
b2_access_commit(const char *path)
{
    char *const absolute = writers > 0 ? realpath(path, NULL) : NULL;

    if (!absolute)
        return;
    pthread_mutex_lock(&list);
    commit_others(NULL, absolute);
    pthread_mutex_unlock(&list);
    free(absolute);
}

int
b2_access_write(struct b2_schunk *s)
{
    const void *frame = NULL;
    size_t size = 0;
    tess_error err = {0};
    int rc = b2_code(tess_array_image(s->a, &frame, &size, &err), &err);

    if (rc < 0)
        return rc;
    rc = b2_program_io_write(s->of.storage->io, s->of.storage->urlpath, frame, size);
    s->access->unwritten = rc < 0;
    return rc;
}

void
b2_access_commit_program(const char *path)
{
    pthread_mutex_lock(&list);
    for (struct b2_schunk *s = files; s; s = s->next) {
        if (!s->by_program || strcmp(s->of.storage->urlpath, path) != 0)
            continue;
        pthread_rwlock_wrlock(&s->access->lock);
        (void)b2_access_write(s); // what is there is read, if anything; s meets the failure itself
        pthread_rwlock_unlock(&s->access->lock);
    }
    pthread_mutex_unlock(&list);
}

// -- from reading to writing, and back

static int
open_again(struct b2_schunk *s, tess_mode mode, tess_array **a)
{
    const bool in_place =
        !s->path && mode == TESS_MODE_UPDATE; // memory that is not the array's own
    struct b2_place place;
    tess_error err = {0};
    int rc = b2_access_place(s->access, &place, s->of.storage, s->path, mode);

    if (rc < 0)
        return rc;
    place.storage.offset = s->offset;
    if (in_place) {
        place.storage.image = s->frame;
        place.storage.image_size = (size_t)s->frame_size;
    }
    rc = b2_code_io(tess_array_open(&place.storage, a, &err), &err, BLOSC2_ERROR_FILE_OPEN);
    return rc;
}

// Commit, and leave the file to another writer. s is locked, with the list.
static int
give_up_writing(struct b2_schunk *s)
{
    tess_array *a = NULL;
    tess_error err = {0};
    int rc = b2_code_io(tess_array_flush(s->a, &err), &err, BLOSC2_ERROR_FILE_WRITE);

    if (rc == 0)
        rc = open_again(s, TESS_MODE_READ, &a);
    if (rc < 0)
        return rc;
    rc = b2_code_io(tess_array_close(s->a, &err), &err, BLOSC2_ERROR_FILE_WRITE);
    b2_schunk_take_handle(s, a);
    s->writable = false;
    writers--;
    return rc;
}

// The list is locked. A super-chunk with views keeps the file.
static void
stop_other_writers(const struct b2_schunk *own)
{
    for (struct b2_schunk *s = files; s; s = s->next) {
        if (s == own || !s->path || strcmp(s->path, own->path) != 0)
            continue;
        pthread_rwlock_wrlock(&s->access->lock);
        if (s->writable && s->access->users == 1)
            (void)give_up_writing(s); // if it fails, the file cannot be opened for writing
        pthread_rwlock_unlock(&s->access->lock);
    }
}

// s is locked, with the list if it is on a file.
static int
open_for_writing(struct b2_schunk *s)
{
    tess_array *a = NULL;
    bool changed = false;

    if (!s->path && s->of.storage->urlpath)
        return b2_fail(BLOSC2_ERROR_PLUGIN_IO, "functions of the program only read frames");
    if (s->read_only)
        return b2_fail(BLOSC2_ERROR_FILE_WRITE, "%s is mapped with mode r", s->path);
    const tess_status seen = tess_array_refresh(s->a, &changed, NULL);
    const int rc = open_again(s, TESS_MODE_UPDATE, &a);
    if (rc < 0)
        return rc;
    tess_array_close(s->a, NULL); // was open for reading: nothing can be lost
    b2_schunk_take_handle(s, a);
    s->writable = true;
    if (s->path)
        writers++;
    return changed || seen != TESS_OK || s->locking ? b2_schunk_reload(s) : BLOSC2_ERROR_SUCCESS;
}

// Whether the file is not what this super-chunk committed last. s is locked exclusively.
static bool
is_overtaken(const struct b2_schunk *s)
{
    return s->writable && !s->access->uncommitted && s->access->users == 1 &&
           tess_array_refresh(s->a, NULL, NULL) == TESS_ERR_STALE;
}

// Programs write files that are open for writing here, by functions of the system: then the
// super-chunk is what the file is now. If it cannot be opened, calls that change it fail.
static void
follow_overtaken(struct b2_schunk *s)
{
    tess_array *a = NULL;

    pthread_rwlock_wrlock(&s->access->lock);
    bool overtaken = is_overtaken(s);
    pthread_rwlock_unlock(&s->access->lock);
    if (!overtaken)
        return;
    pthread_mutex_lock(&list);
    pthread_rwlock_wrlock(&s->access->lock);
    overtaken = is_overtaken(s); // and not followed by another thread meanwhile
    if (overtaken && open_again(s, TESS_MODE_READ, &a) == 0) {
        tess_array_discard(s->a);
        b2_schunk_take_handle(s, a);
        s->writable = false;
        writers--;
        (void)b2_schunk_reload(s); // else `behind` says so
    }
    pthread_rwlock_unlock(&s->access->lock);
    pthread_mutex_unlock(&list);
}

// Whether the array, or the base of a view, has a handle of the parent. `lock` is held.
static bool
is_inherited(const struct b2_schunk *s)
{
    return s->access->owner && s->access->owner->inherited;
}

// Open the file of the array, or of the base of a view, for reading again. s is locked exclusively.
// Returns a code.
static int
end_inherited(struct b2_schunk *s)
{
    struct b2_schunk *const owner = s->access->owner;
    tess_array *a = NULL;

    if (!is_inherited(s))
        return BLOSC2_ERROR_SUCCESS;
    const int rc = open_again(owner, TESS_MODE_READ, &a);
    if (rc < 0)
        return rc;
    tess_array_discard(owner->a);
    b2_schunk_take_handle(owner, a);
    owner->inherited = false;
    return b2_schunk_reload(owner);
}

static int
leave_inherited(struct b2_schunk *s)
{
    pthread_rwlock_wrlock(&s->access->lock);
    const int rc = end_inherited(s);
    pthread_rwlock_unlock(&s->access->lock);
    return rc;
}

// Of a view: its base, which the view follows then.
static int
make_writable(struct b2_schunk *s)
{
    int rc = BLOSC2_ERROR_SUCCESS;

    pthread_mutex_lock(&list);
    pthread_rwlock_rdlock(&s->access->lock);
    struct b2_schunk *const owner = s->access->owner;
    pthread_rwlock_unlock(&s->access->lock);
    if (owner && owner->path)
        stop_other_writers(owner);
    pthread_rwlock_wrlock(&s->access->lock);
    if (!owner)
        rc = b2_fail(BLOSC2_ERROR_FILE_WRITE,
                     "the view was made of an array open for reading, which was freed");
    else if (!owner->writable)
        rc = open_for_writing(owner);
    pthread_rwlock_unlock(&s->access->lock);
    pthread_mutex_unlock(&list);
    return rc;
}

// Returns a code.
static int
follow_base(struct b2_schunk *view)
{
    pthread_rwlock_wrlock(&view->access->lock);
    const int rc = b2_view_renew(view);
    pthread_rwlock_unlock(&view->access->lock);
    return rc;
}

// -- what others commit

// s is no view.
static int
follow_file(struct b2_schunk *s)
{
    bool changed = false;
    int rc = 0;
    tess_error err = {0};

    pthread_rwlock_wrlock(&s->access->lock);
    if (s->inherited) {
        rc = end_inherited(s);
        changed = true;
    } else if (s->path && !s->writable) {
        b2_access_note_file(s->access, s->path);
        rc = b2_code(tess_array_refresh(s->a, &changed, &err), &err);
        s->access->handles += changed; // others may have given the array another shape
    }
    if (rc == 0 && (changed || s->behind))
        rc = b2_schunk_reload(s);
    pthread_rwlock_unlock(&s->access->lock);
    return rc < 0 ? rc : changed;
}

// A view follows with its base.
static int
follow_of_view(const struct b2_schunk *view)
{
    int rc = 0;

    pthread_mutex_lock(&list);
    pthread_rwlock_rdlock(&view->access->lock);
    struct b2_schunk *const owner = view->access->owner;
    pthread_rwlock_unlock(&view->access->lock);
    if (owner && owner->path) {
        commit_others(owner, owner->path);
        rc = follow_file(owner);
    }
    pthread_mutex_unlock(&list);
    return rc;
}

int
b2_schunk_follow(struct b2_schunk *s)
{
    if (s->of.view)
        return follow_of_view(s);
    if (!s->path && !s->behind)
        return 0;
    if (s->path)
        b2_access_commit(s->path);
    return follow_file(s);
}

bool
b2_schunk_try_again(struct b2_schunk *s, int64_t rc, int *tries)
{
    if (rc >= 0 || ++*tries >= TRIES)
        return false;
    const int followed = b2_schunk_follow(s);
    // Where the file was newer, another thread may have followed first.
    return followed > 0 || (followed == 0 && rc == BLOSC2_ERROR_FILE_READ);
}

// -- calls

// A super-chunk that is only read goes on reading a file that was removed, but not one that another
// file replaced.
static bool
is_replaced(const struct b2_schunk *s)
{
    return s->path && !s->writable && !s->of.view && b2_access_file_replaced(s->access, s->path);
}

int
b2_schunk_read_begin(struct b2_schunk *s)
{
    if (s->path && writers > s->writable) {
        pthread_mutex_lock(&list);
        commit_others(s, s->path);
        pthread_mutex_unlock(&list);
    }
    pthread_rwlock_rdlock(&s->access->lock);
    for (bool inherited; (inherited = is_inherited(s)) || is_replaced(s) || b2_view_is_behind(s);) {
        pthread_rwlock_unlock(&s->access->lock);
        const int rc = inherited    ? leave_inherited(s)
                       : s->of.view ? follow_base(s)
                                    : b2_schunk_follow(s);
        if (rc < 0)
            return rc;
        pthread_rwlock_rdlock(&s->access->lock);
        if (!s->of.view && !inherited)
            break;
    }
    return BLOSC2_ERROR_SUCCESS;
}

// Acquire the lock of a super-chunk whose array may be changed.
static int
begin_writable(struct b2_schunk *s, int (*acquire)(pthread_rwlock_t *lock))
{
    if (s->path && s->writable && !s->access->deferred)
        follow_overtaken(s);
    for (;;) {
        (void)acquire(&s->access->lock);
        const bool inherited = is_inherited(s), behind = b2_view_is_behind(s);
        if (s->writable && !behind && !inherited)
            return BLOSC2_ERROR_SUCCESS;
        pthread_rwlock_unlock(&s->access->lock);
        const int rc = inherited ? leave_inherited(s) : behind ? follow_base(s) : make_writable(s);
        if (rc < 0)
            return rc;
    }
}

int
b2_schunk_write_begin(struct b2_schunk *s)
{
    return begin_writable(s, pthread_rwlock_rdlock);
}

void
b2_schunk_alone_begin(struct b2_schunk *s)
{
    pthread_rwlock_wrlock(&s->access->lock);
    (void)end_inherited(s); // else the call meets the failure
}

// A program sets blosc2_schunk.chunksize before the first chunk. s is locked exclusively.
static int
take_chunksize(struct b2_schunk *s)
{
    tess_info info;
    tess_error err = {0};

    if (!s->plain || s->of.nchunks > 0 || s->of.chunksize <= 0)
        return BLOSC2_ERROR_SUCCESS;
    tess_array_info(s->a, &info);
    if (s->of.chunksize == info.chunksize)
        return BLOSC2_ERROR_SUCCESS;
    return b2_code(tess_schunk_set_chunksize(s->a, s->of.chunksize, &err), &err);
}

int
b2_schunk_change_begin(struct b2_schunk *s)
{
    int rc = begin_writable(s, pthread_rwlock_wrlock);

    if (rc == 0) {
        rc = take_chunksize(s);
        if (rc < 0)
            b2_schunk_end(s);
    }
    return rc;
}

int
b2_schunk_pair_begin(struct b2_schunk *reader, struct b2_schunk *writer)
{
    // Views have the lock of their base.
    struct b2_schunk *const first = reader->access < writer->access ? reader : writer;
    int rc;

    if (reader->access == writer->access) {
        rc = b2_schunk_change_begin(writer);
        if (rc < 0)
            return rc;
        rc = b2_view_renew(reader);
        if (rc < 0)
            b2_schunk_end(writer);
        return rc;
    }
    while ((rc = b2_schunk_change_begin(writer)) == 0) {
        b2_schunk_end(writer);
        rc = b2_schunk_read_begin(reader);
        if (rc < 0)
            return rc;
        b2_schunk_end(reader);
        if (first == writer)
            pthread_rwlock_wrlock(&writer->access->lock);
        pthread_rwlock_rdlock(&reader->access->lock);
        if (first == reader)
            pthread_rwlock_wrlock(&writer->access->lock);
        if (writer->writable && !b2_view_is_behind(writer) && !b2_view_is_behind(reader))
            return BLOSC2_ERROR_SUCCESS;
        b2_schunk_pair_end(reader, writer);
    }
    return rc;
}

void
b2_schunk_pair_end(struct b2_schunk *reader, struct b2_schunk *writer)
{
    b2_schunk_end(writer);
    if (reader->access != writer->access)
        b2_schunk_end(reader);
}

void
b2_schunk_end(struct b2_schunk *s)
{
    pthread_rwlock_unlock(&s->access->lock);
}

int
b2_schunk_stop_writing(struct b2_schunk *s)
{
    int rc = BLOSC2_ERROR_SUCCESS;

    pthread_mutex_lock(&list);
    pthread_rwlock_wrlock(&s->access->lock);
    if (s->writable && s->access->users > 1)
        rc = b2_fail(BLOSC2_ERROR_LOCK, "views hold %s", s->path);
    else if (s->writable)
        rc = give_up_writing(s);
    pthread_rwlock_unlock(&s->access->lock);
    pthread_mutex_unlock(&list);
    return rc;
}

// What the call changed is in the file when it returns, and counts in cbytes. A view commits its
// base.
static int
commit_call(struct b2_schunk *s)
{
    tess_error err = {0};

    if (!s->access->in_file || s->access->deferred || s->lock_depth > 0)
        return BLOSC2_ERROR_SUCCESS;
    const int rc = b2_code_io(tess_array_flush(s->a, &err), &err, BLOSC2_ERROR_FILE_WRITE);
    s->access->uncommitted = rc < 0;
    if (rc == 0)
        b2_schunk_count_bytes(s);
    return rc;
}

int
b2_schunk_end_counted(struct b2_schunk *s)
{
    const bool in_turns = s->locking && s->lock_depth == 0;
    const int rc = in_turns ? BLOSC2_ERROR_SUCCESS : commit_call(s);
    b2_schunk_end(s);
    return in_turns ? b2_schunk_stop_writing(s) : rc;
}

int
b2_schunk_end_change(struct b2_schunk *s)
{
    b2_schunk_count(s);
    return b2_schunk_end_counted(s);
}

int
b2_schunk_pair_end_change(struct b2_schunk *reader, struct b2_schunk *writer)
{
    if (reader->access != writer->access)
        b2_schunk_end(reader);
    return b2_schunk_end_change(writer);
}
