/*
 * open_files.c - the descriptors of the process that belong to the library, within one budget.
 *
 * `pins` of a closed file is CLOSED, or a little more while threads find that out: they add one,
 * see that the sum is below 0, and take it off again. It is closed by the exchange of 0 for CLOSED
 * with the mutex of the process held. Until then `fd` stays as it is, so that it is read before.
 *
 * Which one is closed: the oldest in the list that was not used since it was last looked at (CLOCK
 * with a second chance). A use only sets a flag.
 */
#include "io/open_files.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CLOSED = INT_MIN / 2,
    AT_ONCE = 16, // that are closed when the system has none left
    BUDGET_LEAST = 8,
    BUDGET_MOST = 1 << 16,
};

static struct {
    pthread_mutex_t mutex; // guards the rest
    int64_t budget; // 0: not known yet
    int64_t open, kept, again;
    struct open_file *oldest, *newest; // of those that can be closed
} all = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void
lock_all(void)
{
    (void)pthread_mutex_lock(&all.mutex);
}

static void
unlock_all(void)
{
    (void)pthread_mutex_unlock(&all.mutex);
}

static void
open_files_watch_forks(void)
{
    (void)pthread_atfork(lock_all, unlock_all, unlock_all);
}

static int64_t
default_budget(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= 2 * BUDGET_MOST)
        return BUDGET_MOST;
    return max_i64((int64_t)limit.rlim_cur / 2, BUDGET_LEAST);
}

static void
open_files_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, open_files_watch_forks);
    lock_all();
    if (all.budget == 0)
        all.budget = default_budget();
}

// -- the list; with the mutex held

static void
list_add(struct open_file *f)
{
    f->older = all.newest;
    f->newer = NULL;
    if (all.newest)
        all.newest->newer = f;
    else
        all.oldest = f;
    all.newest = f;
}

static void
list_remove(struct open_file *f)
{
    if (f->older)
        f->older->newer = f->newer;
    else
        all.oldest = f->newer;
    if (f->newer)
        f->newer->older = f->older;
    else
        all.newest = f->older;
    f->older = f->newer = NULL;
}

// Take the descriptor of a file that is not in use, which is closed from here on; -1: all are.
static int
take_idle(void)
{
    int64_t left = 2 * all.open; // each twice: the first time may take its mark off
    for (struct open_file *f; (f = all.oldest) && left > 0; left--) {
        const int fd = f->fd;
        int none = 0;
        list_remove(f);
        const bool used = atomic_exchange_explicit(&f->used, false, memory_order_relaxed);
        if (!used && atomic_compare_exchange_strong(&f->pins, &none, CLOSED)) {
            all.open--;
            return fd;
        }
        list_add(f);
    }
    return -1;
}

// Close what is not in use as long as more are open than the budget allows.
static void
keep_within_budget(void)
{
    int fd = 0;
    while (fd >= 0) {
        open_files_begin();
        fd = all.open > all.budget ? take_idle() : -1;
        unlock_all();
        if (fd >= 0)
            close(fd);
    }
}

// One more, or one less, is open.
static void
count_open(int64_t more)
{
    open_files_begin();
    all.open += more;
    unlock_all();
    if (more > 0)
        keep_within_budget();
}

static bool
close_some(void)
{
    int closed = 0;
    for (int fd = 0; fd >= 0 && closed < AT_ONCE; closed += fd >= 0) {
        open_files_begin();
        fd = take_idle();
        unlock_all();
        if (fd >= 0)
            close(fd);
    }
    return closed > 0;
}

int
open_files_at(int directory, const char *path, int flags, mode_t mode)
{
    int fd;
    do
        fd = openat(directory, path, flags, mode);
    while (fd < 0 && (errno == EMFILE || errno == ENFILE) && close_some());
    return fd;
}

// -- which file it is

static tess_status
identify(int fd, struct open_file_identity *identity, tess_error *err)
{
    struct stat info;
#ifdef STATX_BTIME
    struct statx more;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &more) == 0) {
        const bool born = more.stx_mask & STATX_BTIME;
        *identity = (struct open_file_identity){
            .device = (uint64_t)more.stx_dev_major << 32 | more.stx_dev_minor,
            .inode = more.stx_ino,
            .born = born ? more.stx_btime.tv_sec : 0,
            .born_ns = born ? more.stx_btime.tv_nsec : 0,
        };
        return TESS_OK;
    }
#endif
    if (fstat(fd, &info) != 0)
        return err_sys(err, errno, "asking which file it is");
    *identity = (struct open_file_identity){.device = info.st_dev, .inode = info.st_ino};
    return TESS_OK;
}

static bool
is_same_identity(const struct open_file_identity *a, const struct open_file_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->born == b->born &&
           a->born_ns == b->born_ns;
}

// NULL, errno: it cannot be told where a relative path starts, or there is no memory (ENOMEM).
static char *
absolute(const char *path)
{
    if (path[0] == '/')
        return mem_string(path);
    char from[PATH_MAX];
    if (!getcwd(from, sizeof from))
        return NULL;
    if (from[0] != '/') { // "(unreachable)": outside of the root directory
        errno = ENOENT;
        return NULL;
    }
    const size_t length = strlen(from);
    char *const whole = mem_alloc(length + strlen(path) + 2);
    if (!whole) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(whole, from, length);
    whole[length] = '/';
    strcpy(whole + length + 1, path);
    return whole;
}

// -- one file

void
open_file_init(struct open_file *f)
{
    *f = (struct open_file){.fd = -1, .kept = true};
    atomic_init(&f->pins, 0);
    atomic_init(&f->used, false);
    (void)pthread_mutex_init(&f->opening, NULL);
}

bool
open_file_is_set(const struct open_file *f)
{
    return f->fd >= 0 || f->path;
}

void
open_file_borrow(struct open_file *f, int fd)
{
    f->fd = fd;
    count_open(1);
}

tess_status
open_file_keep(struct open_file *f, tess_error *err)
{
    open_files_begin();
    const int64_t budget = all.budget;
    f->counted_kept = all.kept < budget;
    all.kept += f->counted_kept;
    unlock_all();
    if (f->counted_kept)
        return TESS_OK;
    return err_set(err, TESS_ERR_LIMIT, -1,
                   "arrays that are open for writing have all %" PRId64 " descriptors of the "
                   "budget for open files (tess_budgets.files)",
                   budget);
}

tess_status
open_file_share(struct open_file *f, struct open_file *parent, const char *path, int flags,
                tess_error *err)
{
    const tess_status st = identify(f->fd, &f->identity, err);
    if (st != TESS_OK)
        return st;
    f->path = parent ? mem_string(path) : absolute(path);
    if (!f->path && (parent || errno == ENOMEM))
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    if (!f->path) // it cannot be opened again: it stays open
        return TESS_OK;
    f->parent = parent;
    f->flags = flags;
    f->kept = false;
    open_files_begin();
    list_add(f);
    unlock_all();
    return TESS_OK;
}

void
open_file_close(struct open_file *f)
{
    open_files_begin();
    const bool open = f->fd >= 0 && atomic_load(&f->pins) >= 0;
    if (open && !f->kept)
        list_remove(f);
    all.open -= open;
    all.kept -= f->counted_kept;
    unlock_all();
    if (open)
        close(f->fd);
    mem_free(f->path);
    (void)pthread_mutex_destroy(&f->opening);
    open_file_init(f);
}

// errno of an open(): of what has moved, or is no more.
static bool
is_missing_error(int error)
{
    return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

// What is at the path of a file that was closed.
static tess_status
open_file_look_up(const struct open_file *f, int *fd, tess_error *err)
{
    int directory = AT_FDCWD;
    const tess_status st = f->parent ? open_file_pin(f->parent, &directory, err) : TESS_OK;
    if (st != TESS_OK)
        return st;
    *fd = open_files_at(directory, f->path, f->flags, 0);
    const int error = *fd < 0 ? errno : 0;
    if (f->parent)
        open_file_unpin(f->parent);
    if (is_missing_error(error))
        return err_set(err, TESS_ERR_STALE, -1,
                       "the file was closed as too many are open, and is not found at its path: it "
                       "was renamed or removed");
    if (error != 0)
        return err_sys(err, error, "opening a file again that was closed as too many are open");
    return TESS_OK;
}

static tess_status
open_again(const struct open_file *f, int *fd, tess_error *err)
{
    struct open_file_identity now = {0};
    int opened;
    tess_status st = open_file_look_up(f, &opened, err);
    if (st != TESS_OK)
        return st;
    st = identify(opened, &now, err);
    if (st == TESS_OK && !is_same_identity(&now, &f->identity))
        st = err_set(err, TESS_ERR_STALE, -1,
                     "the file was closed as too many are open, and its path leads to another one: "
                     "it was replaced");
    if (st != TESS_OK) {
        close(opened);
        return st;
    }
    *fd = opened;
    return TESS_OK;
}

// A file that was closed, unless another thread has opened it by now.
static tess_status
reopen(struct open_file *f, tess_error *err)
{
    tess_status st = TESS_OK;
    int fd = -1;
    (void)pthread_mutex_lock(&f->opening);
    if (atomic_load(&f->pins) < 0) {
        count_open(1);
        st = open_again(f, &fd, err);
        if (st != TESS_OK)
            count_open(-1);
        if (st == TESS_OK) {
            f->fd = fd;
            atomic_store_explicit(&f->used, true, memory_order_relaxed);
            open_files_begin();
            list_add(f);
            all.again++;
            atomic_fetch_sub(&f->pins, CLOSED);
            unlock_all();
        }
    }
    (void)pthread_mutex_unlock(&f->opening);
    return st;
}

tess_status
open_file_pin(struct open_file *f, int *fd, tess_error *err)
{
    tess_status st = TESS_OK;
    while (st == TESS_OK && atomic_fetch_add_explicit(&f->pins, 1, memory_order_acquire) < 0) {
        (void)atomic_fetch_sub(&f->pins, 1);
        st = reopen(f, err);
    }
    if (st != TESS_OK)
        return st;
    if (!atomic_load_explicit(&f->used, memory_order_relaxed))
        atomic_store_explicit(&f->used, true, memory_order_relaxed);
    *fd = f->fd;
    return TESS_OK;
}

void
open_file_unpin(struct open_file *f)
{
    atomic_fetch_sub_explicit(&f->pins, 1, memory_order_release);
}

// -- the process

void
open_files_set_budget(int64_t budget)
{
    const int64_t wanted = budget > 0 ? budget : default_budget();
    open_files_begin();
    all.budget = wanted;
    unlock_all();
    keep_within_budget();
}

void
open_files_report(struct open_files_report *report)
{
    open_files_begin();
    *report = (struct open_files_report){all.budget, all.open, all.kept, all.again};
    unlock_all();
}
