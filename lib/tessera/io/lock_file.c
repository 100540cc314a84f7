/*
 * lock_file.c - the lock file beside a frame by which c-blosc2 (3.2 and later) keeps programs
 * apart.
 *
 * It is looked up from the open directory that it stands in: programs change their directory, and
 * the child of a fork() needs a descriptor of its own. A file system without locks is as one
 * without the file.
 */
#include "io/lock_file.h"

#include "base/memory.h"
#include "io/directory.h"
#include "io/names/naming.h"
#include "io/names/path.h"
#include "io/open_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NUMBER_AT = 8 };

struct lock_file {
    struct open_file *directory; // that it stands in
    struct open_file own; // the same; not set: it is a folder's
    char *name;
    bool writable;
    bool make;
    bool required;
    pthread_mutex_t mutex; // guards the rest
    pid_t process; // whose descriptor it is
    struct open_file file; // not set: none so far
    int fd; // of it while it is pinned, as long as it is shared or taken; else -1
    bool looked; // for one
    int64_t nshared;
    bool taken;
    bool known; // the number was seen
    bool behind; // it was not what it should be
    uint64_t number;
    // The file was looked for and is not there, and nothing else is to be told: what shares it then
    // needs no mutex. It changes under the mutex.
    atomic_bool absent;
    atomic_int_fast64_t nunlocked; // that share it since it was absent
};

static struct lock_file *
lock_file_new(const char *path, bool writable, bool make)
{
    static const char suffix[] = ".b2lock";
    struct lock_file *const s = mem_zeroed(1, sizeof *s);
    const char *const slash = path ? strrchr(path, '/') : NULL;
    const char *const base = slash ? slash + 1 : path ? path : "";
    if (!s)
        return NULL;
    s->name = mem_alloc(strlen(base) + sizeof suffix);
    if (!s->name) {
        mem_free(s);
        return NULL;
    }
    (void)sprintf(s->name, "%s%s", base, suffix);
    (void)pthread_mutex_init(&s->mutex, NULL);
    open_file_init(&s->own);
    s->directory = &s->own;
    open_file_init(&s->file);
    s->fd = -1;
    s->writable = writable;
    s->make = make;
    s->process = getpid();
    atomic_init(&s->absent, false);
    atomic_init(&s->nunlocked, 0);
    return s;
}

static bool
has_lock_file(const struct lock_file *s)
{
    return open_file_is_set(&s->file);
}

void
lock_file_close(struct lock_file *s)
{
    if (!s)
        return;
    if (s->fd >= 0 && s->process == getpid() && (s->taken || s->nshared > 0))
        (void)flock(s->fd, LOCK_UN); // children that were forked have the descriptor, too
    open_file_close(&s->file);
    open_file_close(&s->own);
    (void)pthread_mutex_destroy(&s->mutex);
    mem_free(s->name);
    mem_free(s);
}

static tess_status
open_directory(struct lock_file *s, const char *path, const struct folder *folder, tess_error *err)
{
    const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    if (folder) {
        s->directory = directory_open_file(folder);
        return TESS_OK;
    }
    char *const parent = io_parent(path);
    if (!parent)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    const int fd = open_files_at(AT_FDCWD, parent, flags, 0);
    tess_status st =
        fd >= 0 ? TESS_OK : err_open(err, errno, "opening the directory of %s", s->name);
    if (st == TESS_OK) {
        open_file_borrow(&s->own, fd);
        st = open_file_share(&s->own, NULL, parent, flags, err);
    }
    mem_free(parent);
    return st;
}

// The lock file becomes that of a descriptor.
static tess_status
adopt_file(struct lock_file *s, int fd, int flags, tess_error *err)
{
    struct stat info;
    open_file_borrow(&s->file, fd);
    if (fstat(fd, &info) != 0)
        return err_sys(err, errno, "asking what the lock file %s is", s->name);
    if (!S_ISREG(info.st_mode))
        return err_set(err, TESS_ERR_IO, -1, "the lock file %s is not a regular file", s->name);
    return open_file_share(&s->file, s->directory, s->name, flags, err);
}

// Not there: fine. Readers need not write to it, and may not be allowed to; on a medium or in a
// directory that cannot be written there is no writer to be kept apart from.
static tess_status
lock_file_open_file(struct lock_file *s, tess_error *err)
{
    const int flags = (s->writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK;
    int directory;
    s->looked = false; // a failure may be tried again
    tess_status st = open_file_pin(s->directory, &directory, err);
    if (st != TESS_OK)
        return st;
    int fd = open_files_at(directory, s->name, flags | (s->make ? O_CREAT : 0), 0666);
    if (fd < 0 && s->make && !s->writable) // O_CREAT is refused also where the file is there
        fd = open_files_at(directory, s->name, flags, 0);
    const int error = fd < 0 ? errno : 0;
    open_file_unpin(s->directory);
    if (error != 0 && (error != ENOENT || (s->make && s->writable)))
        return err_sys(err, error, "opening the lock file %s", s->name);
    if (fd >= 0)
        st = adopt_file(s, fd, flags, err);
    if (st != TESS_OK)
        open_file_close(&s->file);
    s->looked = st == TESS_OK;
    return st;
}

tess_status
lock_file_open(const char *path, const struct folder *folder, bool writable, bool make,
               bool required, struct lock_file **out, tess_error *err)
{
    *out = NULL;
    struct lock_file *const s = lock_file_new(path, writable, make);
    if (!s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a lock file");
    s->required = required;
    tess_status st = open_directory(s, path, folder, err);
    if (st == TESS_OK && !writable)
        st = lock_file_open_file(s, err);
    if (st != TESS_OK || (!writable && !has_lock_file(s))) {
        lock_file_close(s);
        return st;
    }
    *out = s;
    return TESS_OK;
}

// The number is that of a change that was under way at the fork, which this process knows nothing
// more of.
static bool
was_taken_at_fork(const struct lock_file *s)
{
    return s->taken && s->process != getpid();
}

// In the child of a fork() the descriptor is the parent's, and so are its locks.
static tess_status
adopt_process(struct lock_file *s, tess_error *err)
{
    const pid_t process = getpid();
    if (s->process == process)
        return TESS_OK;
    s->behind |= was_taken_at_fork(s);
    s->process = process;
    s->nshared = 0;
    atomic_store(&s->nunlocked, 0);
    s->taken = false;
    s->fd = -1;
    if (!has_lock_file(s))
        return TESS_OK;
    open_file_close(&s->file);
    return lock_file_open_file(s, err);
}

// The descriptor stays open as long as there is a lock.
static tess_status
hold_file(struct lock_file *s, tess_error *err)
{
    return s->fd < 0 && has_lock_file(s) ? open_file_pin(&s->file, &s->fd, err) : TESS_OK;
}

static void
let_go_file(struct lock_file *s)
{
    if (s->fd < 0 || s->taken || s->nshared > 0)
        return;
    s->fd = -1;
    open_file_unpin(&s->file);
}

// A file that ends before it has the number 0.
static tess_status
lock_file_read_number(const struct lock_file *s, uint64_t *number, tess_error *err)
{
    uint8_t bytes[sizeof *number];
    size_t size = 0;
    ssize_t n = 1;
    *number = 0;
    while (size < sizeof bytes && n != 0) {
        n = pread(s->fd, bytes + size, sizeof bytes - size, (off_t)(NUMBER_AT + size));
        if (n < 0 && errno != EINTR)
            return err_sys(err, errno, "reading the lock file %s", s->name);
        size += n > 0 ? (size_t)n : 0;
    }
    if (size == sizeof bytes)
        memcpy(number, bytes, sizeof bytes);
    return TESS_OK;
}

// Under a lock. Once behind, always behind.
static tess_status
lock_file_look(struct lock_file *s, tess_error *err)
{
    uint64_t number;
    const tess_status st = lock_file_read_number(s, &number, err);
    if (st != TESS_OK)
        return st;
    s->behind |= s->known && number != s->number;
    s->known = true;
    s->number = number;
    return TESS_OK;
}

// Nothing is locked so far, or what is shared becomes exclusive.
static tess_status
lock(struct lock_file *s, int how, tess_error *err)
{
    int result;
    do
        result = flock(s->fd, how | LOCK_NB);
    while (result != 0 && errno == EINTR);
    if (result != 0 && errno == EWOULDBLOCK)
        return err_sys(err, errno, "another program has the lock %s", s->name);
    if (result != 0 && s->required)
        return err_sys(err, errno, "locking the lock file %s", s->name);
    if (result != 0)
        return TESS_OK; // a file system without locks
    const tess_status st = lock_file_look(s, err);
    if (st != TESS_OK)
        (void)flock(s->fd, LOCK_UN);
    return st;
}

static tess_status
share_lock_file(struct lock_file *s, tess_error *err)
{
    tess_status st = adopt_process(s, err);
    if (st == TESS_OK && !s->looked)
        st = lock_file_open_file(s, err);
    if (st == TESS_OK)
        st = hold_file(s, err);
    if (st == TESS_OK && s->fd >= 0 && !s->taken && s->nshared == 0)
        st = lock(s, LOCK_SH, err);
    s->nshared += st == TESS_OK;
    let_go_file(s);
    return st;
}

static void
note_absent(struct lock_file *s)
{
    atomic_store(&s->absent, s->looked && !has_lock_file(s) && !s->taken && !s->behind);
}

bool
lock_file_skip(struct lock_file *s)
{
    if (!atomic_load_explicit(&s->absent, memory_order_acquire))
        return false;
    atomic_fetch_add(&s->nunlocked, 1);
    return true;
}

tess_status
lock_file_share(struct lock_file *s, tess_error *err)
{
    (void)pthread_mutex_lock(&s->mutex);
    const tess_status st = share_lock_file(s, err);
    note_absent(s);
    (void)pthread_mutex_unlock(&s->mutex);
    return st;
}

// Those without a lock go first, whichever thread ends: so a lock is kept until the last one has.
void
lock_file_unshare(struct lock_file *s)
{
    int_fast64_t n = atomic_load(&s->nunlocked);
    while (n > 0)
        if (atomic_compare_exchange_weak(&s->nunlocked, &n, n - 1))
            return;
    (void)pthread_mutex_lock(&s->mutex);
    if (s->nshared > 0 && --s->nshared == 0 && s->fd >= 0 && !s->taken)
        (void)flock(s->fd, LOCK_UN);
    let_go_file(s);
    (void)pthread_mutex_unlock(&s->mutex);
}

static tess_status
write_number(const struct lock_file *s, uint64_t number, tess_error *err)
{
    uint8_t bytes[sizeof number];
    size_t size = 0;
    memcpy(bytes, &number, sizeof bytes);
    while (size < sizeof bytes) {
        const ssize_t n =
            pwrite(s->fd, bytes + size, sizeof bytes - size, (off_t)(NUMBER_AT + size));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return err_sys(err, n < 0 ? errno : ENOSPC, "writing to the lock file %s", s->name);
        size += (size_t)n;
    }
    return TESS_OK;
}

// What stands there after a failure is ours as well: only the holder of the lock writes it.
static tess_status
increase(struct lock_file *s, tess_error *err)
{
    uint64_t number = s->number + 1;
    const tess_status st = write_number(s, number, err);
    if (st == TESS_OK || lock_file_read_number(s, &number, NULL) == TESS_OK)
        s->number = number;
    return st;
}

// The system gives up a shared lock on the way to the exclusive one, also if it does not get that.
// Other threads of this process may be reading under it: unless it comes back, and the number is
// the same then, they have read what another program may have changed.
static void
share_again(struct lock_file *s)
{
    if (s->fd >= 0 && s->nshared > 0 && lock(s, LOCK_SH, NULL) != TESS_OK)
        s->behind = true;
}

static tess_status
take_lock_file(struct lock_file *s, tess_error *err)
{
    tess_status st = adopt_process(s, err);
    if (st != TESS_OK || s->taken)
        return st;
    if (!has_lock_file(s))
        st = lock_file_open_file(s, err);
    if (st == TESS_OK && has_lock_file(s)) // those that began without it keep it from here on, too
        s->nshared += atomic_exchange(&s->nunlocked, 0);
    if (st == TESS_OK)
        st = hold_file(s, err);
    if (st == TESS_OK && s->fd >= 0)
        st = lock(s, LOCK_EX, err);
    if (st != TESS_OK)
        return st;
    if (s->fd >= 0)
        st = increase(s, err);
    s->taken = st == TESS_OK;
    if (st != TESS_OK && s->fd >= 0)
        (void)flock(s->fd, LOCK_UN);
    return st;
}

tess_status
lock_file_take(struct lock_file *s, tess_error *err)
{
    (void)pthread_mutex_lock(&s->mutex);
    const tess_status st = take_lock_file(s, err);
    if (st != TESS_OK)
        share_again(s);
    note_absent(s);
    let_go_file(s);
    (void)pthread_mutex_unlock(&s->mutex);
    return st;
}

static bool
has(const struct lock_file *s)
{
    return s->taken && s->process == getpid();
}

void
lock_file_release(struct lock_file *s)
{
    (void)pthread_mutex_lock(&s->mutex);
    if (has(s) && s->fd >= 0)
        (void)flock(s->fd, s->nshared > 0 ? LOCK_SH : LOCK_UN);
    if (has(s))
        s->taken = false;
    note_absent(s);
    let_go_file(s);
    (void)pthread_mutex_unlock(&s->mutex);
}

bool
lock_file_is_taken(struct lock_file *s)
{
    (void)pthread_mutex_lock(&s->mutex);
    const bool taken = has(s);
    (void)pthread_mutex_unlock(&s->mutex);
    return taken;
}

void
lock_file_remove(struct lock_file *s)
{
    (void)pthread_mutex_lock(&s->mutex);
    int directory;
    if (has(s) && s->fd >= 0 && open_file_pin(s->directory, &directory, NULL) == TESS_OK) {
        (void)unlinkat(directory, s->name, 0);
        open_file_unpin(s->directory);
    }
    (void)pthread_mutex_unlock(&s->mutex);
}

tess_status
lock_file_check(struct lock_file *s, bool *behind, tess_error *err)
{
    tess_status st = TESS_OK;
    *behind = false;
    if (atomic_load_explicit(&s->absent, memory_order_acquire))
        return TESS_OK;
    (void)pthread_mutex_lock(&s->mutex);
    const bool locked = s->process == getpid() && (s->taken || s->nshared > 0);
    uint64_t number = s->number;
    if (!s->behind && !locked && has_lock_file(s) && s->known)
        st = hold_file(s, err);
    if (st == TESS_OK && !s->behind && !locked && s->fd >= 0 && s->known)
        st = lock_file_read_number(s, &number, err);
    let_go_file(s);
    *behind = s->behind || was_taken_at_fork(s) || number != s->number;
    (void)pthread_mutex_unlock(&s->mutex);
    return st;
}

void
lock_file_forget(struct lock_file *s)
{
    (void)pthread_mutex_lock(&s->mutex);
    s->known = s->behind = false;
    (void)pthread_mutex_unlock(&s->mutex);
}
