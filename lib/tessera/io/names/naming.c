/*
 * naming.c - how a new file or directory gets its name.
 *
 * Two races decide the order of steps. Between making and locking, a process that looks for
 * leftovers may take it for one: so it is looked for again once it is locked, and made anew if it
 * is gone.
 * And what is at the name may be another thing when that is taken than it was when it was looked
 * at: so it is exchanged, looked at again under the temporary name, and given back.
 */
#include "io/names/naming.h"

#include "base/memory.h"
#include "io/names/path.h"
#include "io/names/rename.h"
#include "io/open_files.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// -- names

static const char temporary_end[] = ".tmp";

// Bytes of a name that are kept in front of an ending.
static int
kept(const char *name, size_t ending)
{
    const size_t length = strlen(name), most = NAME_MAX - ending;
    return (int)(length < most ? length : most);
}

void
naming_temporary(const char *name, unsigned number, char *temporary)
{
    char ending[32];
    const int size = snprintf(ending, sizeof ending, ".tess-%u%s", number, temporary_end);
    (void)snprintf(temporary, NAMING_SIZE, "%.*s%s", kept(name, (size_t)size), name, ending);
}

static const char *
skip_digits(const char *text)
{
    while (isdigit((unsigned char)*text))
        text++;
    return text;
}

// Up to 0.1 it was NAME.PROCESS-N.tmp.
bool
naming_is_temporary(const char *name, const char *temporary)
{
    char again[NAMING_SIZE];
    const size_t length = strlen(name);
    const char *const dash = strrchr(temporary, '-');
    if (!dash || !isdigit((unsigned char)dash[1]) ||
        strcmp(skip_digits(dash + 1), temporary_end) != 0)
        return false;
    naming_temporary(name, (unsigned)strtoul(dash + 1, NULL, 10), again);
    if (strcmp(again, temporary) == 0)
        return true;
    return strncmp(temporary, name, length) == 0 && temporary[length] == '.' &&
           isdigit((unsigned char)temporary[length + 1]) &&
           skip_digits(temporary + length + 1) == dash;
}

tess_status
naming_parent(const char *path, int *parent, const char **name, tess_error *err)
{
    const char *const slash = strrchr(path, '/');
    char *const directory = io_parent(path);
    if (!directory)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    *name = slash ? slash + 1 : path;
    *parent = open_files_at(AT_FDCWD, directory, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    mem_free(directory);
    return *parent >= 0 ? TESS_OK : err_sys(err, errno, "opening the directory it is to be in");
}

tess_status
naming_leads_to(int parent, const char *name, bool follow, int fd, bool *leads, tess_error *err)
{
    struct stat here, there;
    *leads = false;
    if (fstat(fd, &here) != 0)
        return err_sys(err, errno, "asking which file it is");
    if (fstatat(parent, name, &there, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? TESS_OK : err_sys(err, errno, "looking for %s", name);
    *leads = here.st_dev == there.st_dev && here.st_ino == there.st_ino;
    return TESS_OK;
}

// A directory that may not be read cannot be opened to be synced: all of its file system is then. A
// file system that does not know syncs of directories keeps nothing back.
tess_status
naming_sync(int parent, int fd, tess_error *err)
{
    const int directory = open_files_at(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    int result;
    if (directory < 0 && errno != EACCES)
        return err_sys(err, errno, "opening the directory to bring the name to the disk");
    do
        result = directory >= 0 ? fsync(directory) : syncfs(fd);
    while (result != 0 && errno == EINTR);
    const int error = result == 0 || errno == EINVAL ? 0 : errno;
    if (directory >= 0)
        close(directory);
    return error == 0 ? TESS_OK : err_sys(err, error, "bringing the name to the disk");
}

// -- what is replaced

// What can be opened and has a lock; -1: it cannot, or has none. *error: why it is not known.
static int
open_replaced(int parent, const char *name, int *error)
{
    struct stat info;
    const int flags = O_CLOEXEC | O_NONBLOCK;
    *error = 0;
    if (fstatat(parent, name, &info, 0) != 0) {
        *error = errno == ENOENT || errno == ELOOP || errno == EACCES ? 0 : errno;
        return -1;
    }
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return -1;
    // Network file systems give an exclusive lock only on descriptors that may write.
    int fd = S_ISREG(info.st_mode) ? open_files_at(parent, name, O_RDWR | flags, 0) : -1;
    if (fd < 0)
        fd = open_files_at(parent, name, O_RDONLY | flags, 0);
    if (fd < 0 && errno != ENOENT && errno != EACCES && errno != EPERM)
        *error = errno;
    return fd;
}

static void
close_replaced(struct naming *n)
{
    if (n->replaced >= 0) {
        io_lock_release(&n->lock, n->replaced);
        close(n->replaced);
    }
    n->replaced = -1;
}

// Another process may replace it before it is locked: again then.
static tess_status
hold_replaced(struct naming *n, tess_error *err)
{
    for (;;) {
        bool leads;
        int error;
        tess_status st;
        if (n->replaced >= 0) {
            st = naming_leads_to(n->parent, n->name, true, n->replaced, &leads, err);
            if (st != TESS_OK || leads)
                return st;
            close_replaced(n);
        }
        n->replaced = open_replaced(n->parent, n->name, &error);
        if (n->replaced < 0)
            return error == 0 ? TESS_OK : err_sys(err, error, "opening what is to be replaced");
        st = io_lock_acquire(&n->lock, n->replaced, err);
        if (st != TESS_OK) {
            close_replaced(n);
            return st;
        }
    }
}

// -- making

tess_status
naming_begin(struct naming *n, const struct naming_kind *kind, const void *user, const char *path,
             bool replace, int held, tess_error *err)
{
    struct stat info;
    *n = (struct naming){
        .kind = kind,
        .user = user,
        .path = mem_string(path),
        .parent = -1,
        .replaced = -1,
        .replace = replace,
        .process = getpid(),
    };
    open_file_init(&n->directory); // before anything fails: naming_finish() closes it
    if (!n->path)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    tess_status st = naming_parent(n->path, &n->parent, &n->name, err);
    if (st != TESS_OK)
        return st;
    open_file_borrow(&n->directory, n->parent);
    st = open_file_keep(&n->directory, err);
    if (st != TESS_OK)
        return st;
    if (n->name[0] == '\0')
        return err_sys(err, EISDIR, "creating it");
    if (!replace) {
        const int error =
            fstatat(n->parent, n->name, &info, AT_SYMLINK_NOFOLLOW) == 0 ? EEXIST : errno;
        return error == ENOENT ? TESS_OK : err_sys(err, error, "creating it");
    }
    if (held >= 0) {
        n->replaced = fcntl(held, F_DUPFD_CLOEXEC, 0);
        if (n->replaced < 0)
            return err_sys(err, errno, "keeping the lock of the file");
    }
    // Locked first: a process that replaces a directory removes the files of the old one.
    st = hold_replaced(n, err);
    return st == TESS_OK ? n->kind->check(n, n->name, err) : st;
}

// Lock what was made just now. *ours: it still has its name, and no other process the lock.
static tess_status
lock_made(const struct naming *n, int fd, struct io_lock *lock, bool *ours, tess_error *err)
{
    tess_error why;
    tess_status st = io_lock_acquire(lock, fd, &why);
    *ours = false;
    if (st == TESS_ERR_IO && why.sys == EWOULDBLOCK) // it is taken for a leftover
        return TESS_OK;
    if (st == TESS_OK)
        st = naming_leads_to(n->parent, n->temporary, false, fd, ours, &why);
    if (st != TESS_OK && err)
        *err = why;
    return st;
}

tess_status
naming_make(struct naming *n, int *fd, struct io_lock *lock, tess_error *err)
{
    *fd = -1;
    n->temporary = mem_alloc(NAMING_SIZE);
    if (!n->temporary)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a name");
    for (unsigned i = 0;; i++) {
        bool ours;
        naming_temporary(n->name, i, n->temporary);
        *fd = n->kind->make(n->parent, n->temporary);
        if (*fd < 0 && errno == EEXIST)
            continue;
        if (*fd < 0) {
            const int error = errno;
            mem_free(n->temporary);
            n->temporary = NULL;
            return err_sys(err, error, "creating it under a temporary name");
        }
        const tess_status st = lock_made(n, *fd, lock, &ours, err);
        if (st != TESS_OK || ours)
            return st;
        io_lock_release(lock, *fd);
        close(*fd);
    }
}

int
naming_lock_error(const struct naming *n, const struct io_lock *lock)
{
    return lock->error != 0 ? lock->error : n->lock.error;
}

// -- publishing

enum taken { TAKEN_NEW, TAKEN_EXCHANGED, TAKEN_OVER };

// What was taken the name from gets it back. Where that fails, nothing is removed any more: neither
// is ours alone.
static tess_status
naming_give_back(struct naming *n, tess_status st, tess_error *err)
{
    if (rename_exchange(n->parent, n->temporary, n->name) ||
        rename_new(n->parent, n->temporary, n->name)) {
        n->doubtful = true;
        return st;
    }
    st = err_sys(err, errno, "giving back the name to what is called %.*s%s now",
                 (int)(n->name - n->path), n->path, n->temporary);
    mem_free(n->temporary);
    n->temporary = NULL;
    return st;
}

static tess_status
naming_take_over(struct naming *n, enum taken *taken, tess_error *err)
{
    const tess_status st = n->kind->check(n, n->name, err);
    if (st != TESS_OK)
        return st;
    *taken = TAKEN_OVER;
    if (renameat(n->parent, n->temporary, n->parent, n->name) == 0)
        return TESS_OK;
    if (n->kind->exchanges && (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR))
        return err_sys(err, errno, "the file system cannot exchange names, as replacing it needs");
    return err_sys(err, errno, "giving it its name");
}

// Something else may have taken the name since the start; it gets it back.
static tess_status
replace_name(struct naming *n, bool keep, enum taken *taken, tess_error *err)
{
    enum { TRIES = 100 };
    if (!keep && !n->kind->exchanges)
        return naming_take_over(n, taken, err);
    for (int i = 0;; i++) {
        if (rename_exchange(n->parent, n->temporary, n->name)) {
            const tess_status st = n->kind->check(n, n->temporary, err);
            *taken = TAKEN_EXCHANGED;
            return st == TESS_OK ? st : naming_give_back(n, st, err);
        }
        const bool unknown = rename_is_unknown(errno);
        *taken = TAKEN_NEW;
        if ((unknown || errno == ENOENT) && rename_new(n->parent, n->temporary, n->name))
            return TESS_OK;
        if (errno == EEXIST && unknown)
            return naming_take_over(n, taken, err);
        if (errno != EEXIST || i == TRIES) // which came just now
            return err_sys(err, errno, "giving it its name");
    }
}

static tess_status
naming_take_name(struct naming *n, bool keep, enum taken *taken, tess_error *err)
{
    if (n->replace)
        return replace_name(n, keep, taken, err);
    *taken = TAKEN_NEW;
    if (!rename_new(n->parent, n->temporary, n->name))
        return err_sys(err, errno, "giving it its name");
    return TESS_OK;
}

static void
naming_end(struct naming *n)
{
    mem_free(n->temporary);
    n->temporary = NULL;
    close_replaced(n);
}

// The name did not get to the disk. Where it cannot be given up, it is kept: what is called so is
// whole.
static tess_status
take_back(struct naming *n, enum taken taken, tess_status st, tess_error *err)
{
    if (taken == TAKEN_EXCHANGED)
        st = naming_give_back(n, st, err);
    else if (taken == TAKEN_NEW && rename_new(n->parent, n->name, n->temporary))
        n->doubtful = true;
    else
        naming_end(n);
    n->unsynced = !n->temporary;
    return st;
}

static tess_status
sync_again(struct naming *n, int fd, tess_error *err)
{
    const tess_status st = naming_sync(n->parent, fd, err);
    n->unsynced = st != TESS_OK;
    return st;
}

tess_status
naming_publish(struct naming *n, int fd, bool durable, tess_error *err)
{
    enum taken taken = TAKEN_NEW;
    if (!n->temporary)
        return n->unsynced ? sync_again(n, fd, err) : TESS_OK;
    if (n->process != getpid())
        return err_set(err, TESS_ERR_ARG, -1, "it was made by another process, which names it");
    tess_status st = n->replace ? hold_replaced(n, err) : TESS_OK;
    if (st == TESS_OK)
        st = naming_take_name(n, durable, &taken, err);
    if (st != TESS_OK)
        return st;
    if (durable)
        st = naming_sync(n->parent, fd, err);
    if (st != TESS_OK)
        return take_back(n, taken, st, err);
    if (taken == TAKEN_EXCHANGED)
        n->kind->remove(n, -1);
    naming_end(n);
    open_file_close(&n->directory); // names are not looked up any more
    return TESS_OK;
}

// -- removing

// What has the name gets a temporary one, and nothing of it is gone.
static tess_status
take_away(struct naming *n, tess_error *err)
{
    n->temporary = mem_alloc(NAMING_SIZE);
    if (!n->temporary)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a name");
    for (unsigned i = 0;; i++) {
        naming_temporary(n->name, i, n->temporary);
        if (rename_new(n->parent, n->name, n->temporary))
            return TESS_OK;
        if (errno == EEXIST)
            continue;
        const int error = errno;
        mem_free(n->temporary);
        n->temporary = NULL;
        return err_open(err, error, "giving it a temporary name");
    }
}

// What was taken away gets its name back, and nothing is removed any more.
static tess_status
bring_back(struct naming *n, tess_status st, tess_error *err)
{
    if (!rename_new(n->parent, n->temporary, n->name))
        st = err_sys(err, errno, "giving back the name to what is called %.*s%s now",
                     (int)(n->name - n->path), n->path, n->temporary);
    mem_free(n->temporary);
    n->temporary = NULL;
    return st;
}

// Something else may have taken the name since it was locked.
static tess_status
check_taken_away(const struct naming *n, tess_error *err)
{
    bool leads;
    const tess_status st =
        naming_leads_to(n->parent, n->temporary, false, n->replaced, &leads, err);
    if (st == TESS_OK && !leads)
        return err_set(err, TESS_ERR_STALE, -1, "was replaced while it was removed");
    return st == TESS_OK ? n->kind->check(n, n->temporary, err) : st;
}

tess_status
naming_remove(struct naming *n, bool durable, tess_error *err)
{
    bool left;
    if (n->replaced < 0)
        return err_open(err, ENOENT, "looking for what is to be removed");
    tess_status st = take_away(n, err);
    if (st != TESS_OK)
        return st;
    st = check_taken_away(n, err);
    if (st == TESS_OK && durable)
        st = naming_sync(n->parent, n->replaced, err);
    if (st != TESS_OK)
        return bring_back(n, st, err);
    n->kind->remove(n, -1);
    st = naming_leads_to(n->parent, n->temporary, false, n->replaced, &left, err);
    if (st == TESS_OK && left)
        st = err_set(err, TESS_ERR_IO, -1,
                     "some of it could not be removed: it is called %.*s%s now",
                     (int)(n->name - n->path), n->path, n->temporary);
    naming_end(n);
    return st;
}

void
naming_finish(struct naming *n, int fd)
{
    if (!n->kind)
        return;
    // On the disk, it may have the name of what it was to replace, which may be gone from there.
    const bool mine = n->temporary && n->process == getpid();
    if (mine && !(n->doubtful && naming_sync(n->parent, fd, NULL) != TESS_OK))
        n->kind->remove(n, fd);
    naming_end(n);
    mem_free(n->path);
    open_file_close(&n->directory);
    *n = (struct naming){0};
}
