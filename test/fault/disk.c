/*
 * disk.c - wrappers of system calls, which write down what they did.
 *
 * Names below the folder are kept as a tree of our own, so that a descriptor is known to stand for
 * a node. A name that came there by other calls is nobody's, and changes of it are not written
 * down; those who play the log back compare it with the folder.
 */
#include "fault/disk.h"

#include "support/random.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTORS = 1024, LISTINGS = 16, LISTED = 400 };

static struct {
    pthread_mutex_t lock;
    const char *folder; // NULL: nothing is written down
    int paused; // how often, without going on
    struct names names;
    int nnodes;
    int node_of[DESCRIPTORS]; // 0 is the top, so they count from 1; 0: nothing of ours
    struct disk_op *ops;
    size_t nops, capacity;

    enum disk_failure how;
    long countdown; // calls until the one that fails; -1: none does
    bool forever;
    bool full; // of DISK_SHORT_ENOSPC: the next write fails
    long failures;
    int no_locks; // errno of all locks; 0: they can be had

    bool plain;
    enum disk_order order;
    uint64_t order_seed;
} disk = {.lock = PTHREAD_MUTEX_INITIALIZER, .countdown = -1};

const char *const disk_failure_names[DISK_FAILURES] = {
    "none", "EIO", "ENOSPC", "short", "short, then ENOSPC", "EINTR",
};

// -- the log

static void
note(struct disk_op op, const void *bytes)
{
    if (disk.nops == disk.capacity) {
        disk.capacity = 2 * disk.capacity + 256;
        disk.ops = realloc(disk.ops, disk.capacity * sizeof *disk.ops);
    }
    if (bytes && op.size > 0) {
        op.bytes = malloc(op.size);
        if (op.bytes)
            memcpy(op.bytes, bytes, op.size);
    }
    if (!disk.ops || (bytes && op.size > 0 && !op.bytes))
        abort();
    disk.ops[disk.nops++] = op;
}

static void
note_names(enum disk_kind kind, int folder, const char *text, const char *to, int other)
{
    struct disk_op op = {.kind = kind, .node = folder, .other = other};
    snprintf(op.text, sizeof op.text, "%s", text);
    snprintf(op.to, sizeof op.to, "%s", to);
    note(op, NULL);
}

void
disk_begin(const char *folder)
{
    disk.folder = folder;
    disk.nnodes = 1;
    memset(disk.node_of, 0, sizeof disk.node_of);
}

void
disk_end(void)
{
    for (size_t i = 0; i < disk.nops; i++)
        free(disk.ops[i].bytes);
    free(disk.ops);
    disk.ops = NULL;
    disk.nops = disk.capacity = 0;
    names_finish(&disk.names);
    disk.folder = NULL;
    disk.paused = 0;
}

size_t
disk_length(void)
{
    return disk.nops;
}

const struct disk_op *
disk_op(size_t n)
{
    return &disk.ops[n];
}

int
disk_nodes(void)
{
    return disk.nnodes;
}

int
disk_node(const char *name)
{
    return names_find(&disk.names, 0, name);
}

void
disk_pause(void)
{
    disk.paused++;
}

void
disk_resume(void)
{
    disk.paused--;
}

// -- failures

void
disk_fail(enum disk_failure how, long n, bool forever)
{
    disk.how = how;
    disk.countdown = how == DISK_NONE ? -1 : n;
    disk.forever = forever && how != DISK_EINTR && how != DISK_SHORT;
    disk.full = false;
    disk.failures = 0;
}

void
disk_heal(void)
{
    disk.countdown = -1;
    disk.full = false;
}

void
disk_fail_locks(int error)
{
    disk.no_locks = error;
}

long
disk_failures(void)
{
    return disk.failures;
}

void
disk_be_plain(bool plain)
{
    disk.plain = plain;
}

void
disk_list(enum disk_order order, uint64_t seed)
{
    disk.order = order;
    disk.order_seed = seed;
}

// What a call is, for those that fail.
enum call { READ, WRITE, SIZE, SYNC, OPEN, NAME, NEW_NAME };

static bool
can_fail_so(enum call call)
{
    switch (disk.how) {
    case DISK_EIO:
        return true;
    case DISK_ENOSPC:
        return call == WRITE || call == SYNC || call == NEW_NAME;
    case DISK_SHORT:
        return call == READ || call == WRITE;
    case DISK_SHORT_ENOSPC:
        return call == WRITE;
    case DISK_EINTR:
        return call == READ || call == WRITE || call == SYNC;
    default:
        return false;
    }
}

// How a call is to fail that is of ours.
static enum disk_failure
fate(enum call call)
{
    if (disk.countdown < 0 || disk.paused > 0 || !can_fail_so(call))
        return DISK_NONE;
    if (disk.full) { // after a short write
        disk.full = disk.forever;
        disk.countdown = disk.forever ? 0 : -1;
        return DISK_ENOSPC;
    }
    if (disk.countdown > 0) {
        disk.countdown--;
        return DISK_NONE;
    }
    disk.failures++;
    disk.full = disk.how == DISK_SHORT_ENOSPC;
    if (!disk.forever && !disk.full)
        disk.countdown = -1;
    return disk.how;
}

// Whether a call fails that does all or nothing; errno says why.
static bool
fails(bool ours, enum call call)
{
    switch (ours ? fate(call) : DISK_NONE) {
    case DISK_EIO:
        errno = EIO;
        return true;
    case DISK_ENOSPC:
        errno = ENOSPC;
        return true;
    case DISK_EINTR:
        errno = EINTR;
        return true;
    default:
        return false;
    }
}

// -- names and descriptors

static int
node_of(int fd)
{
    return fd >= 0 && fd < DESCRIPTORS && disk.folder && disk.paused == 0 ? disk.node_of[fd] - 1
                                                                          : NAMES_NONE;
}

static void
set_node(int fd, int node)
{
    if (fd >= 0 && fd < DESCRIPTORS)
        disk.node_of[fd] = node + 1;
}

// A name in a folder of ours.
struct spot {
    int folder; // NAMES_NONE: not ours
    int node; // NAMES_NONE: nothing has it
    char text[NAMES_SIZE]; // "": the folder itself
};

static bool
descend(struct spot *spot, const char *path)
{
    while (*path) {
        const size_t length = strcspn(path, "/");
        if (length >= NAMES_SIZE || spot->node == NAMES_NONE)
            return false;
        memcpy(spot->text, path, length);
        spot->text[length] = '\0';
        path += length + (path[length] == '/');
        if (length == 0 || strcmp(spot->text, ".") == 0) {
            spot->text[0] = '\0';
            continue;
        }
        spot->folder = spot->node;
        spot->node = names_find(&disk.names, spot->folder, spot->text);
    }
    return true;
}

// Absolute paths are also looked up from a descriptor of the root.
int __real_fstat64(int fd, struct stat *info);

static bool
is_root(int fd)
{
    struct stat this, root;
    return fd >= 0 && __real_fstat64(fd, &this) == 0 && stat("/", &root) == 0 &&
           this.st_dev == root.st_dev && this.st_ino == root.st_ino;
}

static struct spot
find_spot(int at, const char *path)
{
    static const struct spot none = {.folder = NAMES_NONE, .node = NAMES_NONE};
    struct spot spot = {.node = node_of(at), .folder = node_of(at)};
    if (!disk.folder || disk.paused > 0)
        return none;
    const bool slash = path[0] == '/';
    if (slash || (spot.node == NAMES_NONE && is_root(at))) {
        const char *const folder = disk.folder + !slash;
        const size_t length = strlen(folder);
        if (strncmp(path, folder, length) != 0 || (path[length] && path[length] != '/'))
            return none;
        spot = (struct spot){.node = 0, .folder = 0};
        path += length;
    }
    return spot.folder != NAMES_NONE && descend(&spot, path) ? spot : none;
}

static void
set_name(const struct spot *spot, int node)
{
    names_set(&disk.names, spot->folder, spot->text, node);
}

// -- the calls; on this system the names of those that take an offset end in 64

#define WRAP(type, name, parameters) \
    type __real_##name parameters;   \
    type __wrap_##name parameters;   \
    type __wrap_##name parameters

static int
opened(int fd, const struct spot *spot, int flags)
{
    if (fd < 0)
        return fd;
    int node = spot->node;
    if (spot->folder != NAMES_NONE && node == NAMES_NONE && (flags & O_CREAT)) {
        node = disk.nnodes++;
        set_name(spot, node);
        note_names(DISK_MAKE, spot->folder, spot->text, "", node);
    } else if (node != NAMES_NONE && (flags & O_TRUNC)) {
        note((struct disk_op){.kind = DISK_CUT, .node = node}, NULL);
    }
    set_node(fd, node);
    return fd;
}

static mode_t
mode_of(int flags, va_list arguments)
{
    return flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
}

WRAP(int, openat64, (int at, const char *path, int flags, ...))
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    pthread_mutex_lock(&disk.lock);
    const struct spot spot = find_spot(at, path);
    int fd = -1;
    if (!fails(spot.folder != NAMES_NONE, flags & O_CREAT ? NEW_NAME : OPEN))
        fd = opened(__real_openat64(at, path, flags, mode), &spot, flags);
    pthread_mutex_unlock(&disk.lock);
    return fd;
}

WRAP(int, open64, (const char *path, int flags, ...))
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return __wrap_openat64(AT_FDCWD, path, flags, mode);
}

WRAP(int, close, (int fd))
{
    pthread_mutex_lock(&disk.lock);
    set_node(fd, NAMES_NONE);
    const int result = __real_close(fd);
    pthread_mutex_unlock(&disk.lock);
    return result;
}

// How much of a read or write is done; -1: it fails. What lies in one sector is there or not.
static ssize_t
portion(bool ours, enum call call, size_t size, off_t offset)
{
    enum { SECTOR = 512 };
    const size_t half = size / 2 + size % 2, rest = ((size_t)offset + half) % SECTOR;
    const enum disk_failure how = ours ? fate(call) : DISK_NONE;
    switch (how) {
    case DISK_NONE:
        return (ssize_t)size;
    case DISK_SHORT:
        return (ssize_t)half;
    case DISK_SHORT_ENOSPC:
        if (rest < half)
            return (ssize_t)(half - rest);
        errno = ENOSPC;
        return -1;
    default:
        errno = how == DISK_EIO ? EIO : how == DISK_ENOSPC ? ENOSPC : EINTR;
        return -1;
    }
}

WRAP(ssize_t, pread64, (int fd, void *dst, size_t size, off_t offset))
{
    pthread_mutex_lock(&disk.lock);
    const ssize_t n = portion(node_of(fd) != NAMES_NONE, READ, size, offset);
    pthread_mutex_unlock(&disk.lock);
    return n < 0 ? n : __real_pread64(fd, dst, (size_t)n, offset);
}

WRAP(ssize_t, pwrite64, (int fd, const void *src, size_t size, off_t offset))
{
    pthread_mutex_lock(&disk.lock);
    const int node = node_of(fd);
    ssize_t n = portion(node != NAMES_NONE, WRITE, size, offset);
    if (n >= 0)
        n = __real_pwrite64(fd, src, (size_t)n, offset);
    if (n > 0 && node != NAMES_NONE)
        note(
            (struct disk_op){.kind = DISK_WRITE, .node = node, .offset = offset, .size = (size_t)n},
            src);
    pthread_mutex_unlock(&disk.lock);
    return n;
}

WRAP(int, fstat64, (int fd, struct stat *info))
{
    pthread_mutex_lock(&disk.lock);
    const bool failed = fails(node_of(fd) != NAMES_NONE, SIZE);
    pthread_mutex_unlock(&disk.lock);
    return failed ? -1 : __real_fstat64(fd, info);
}

WRAP(int, ftruncate64, (int fd, off_t size))
{
    pthread_mutex_lock(&disk.lock);
    const int node = node_of(fd);
    const int result = fails(node != NAMES_NONE, WRITE) ? -1 : __real_ftruncate64(fd, size);
    if (result == 0 && node != NAMES_NONE)
        note((struct disk_op){.kind = DISK_CUT, .node = node, .offset = size}, NULL);
    pthread_mutex_unlock(&disk.lock);
    return result;
}

static bool
has_other(int fd, int node)
{
    for (int i = 0; i < DESCRIPTORS; i++)
        if (i != fd && disk.node_of[i] == node + 1)
            return true;
    return false;
}

// Of the files themselves nothing is brought to a disk: that takes long, and the log tells all. Nor
// is anything that those do who look.
//
// A sync that fails may lose what was written through other descriptors of the file. Linux reports
// that to them: their next sync fails. It is not simulated; so if there are other descriptors, a
// sync that fails loses nothing here.
static int
sync_with(int (*sync)(int fd), int fd)
{
    pthread_mutex_lock(&disk.lock);
    const int node = node_of(fd);
    const bool for_real = node == NAMES_NONE && disk.paused == 0;
    const int result = fails(node != NAMES_NONE, SYNC) ? -1 : for_real ? sync(fd) : 0;
    const bool lost = result != 0 && errno != EINTR && !has_other(fd, node);
    if (node != NAMES_NONE && (result == 0 || lost))
        note((struct disk_op){.kind = result == 0 ? DISK_SYNC : DISK_SYNC_FAILED, .node = node},
             NULL);
    pthread_mutex_unlock(&disk.lock);
    return result;
}

WRAP(int, fsync, (int fd))
{
    return sync_with(__real_fsync, fd);
}

WRAP(int, fdatasync, (int fd))
{
    return sync_with(__real_fdatasync, fd);
}

WRAP(int, syncfs, (int fd))
{
    return sync_with(__real_syncfs, fd);
}

WRAP(int, fstatat64, (int at, const char *path, struct stat *info, int flags))
{
    pthread_mutex_lock(&disk.lock);
    const struct spot spot = find_spot(at, path);
    const bool failed = fails(spot.folder != NAMES_NONE && spot.node != 0, SIZE);
    pthread_mutex_unlock(&disk.lock);
    return failed ? -1 : __real_fstatat64(at, path, info, flags);
}

WRAP(int, flock, (int fd, int how))
{
    if (disk.no_locks == 0)
        return __real_flock(fd, how);
    errno = disk.no_locks;
    return -1;
}

WRAP(int, mkdirat, (int at, const char *path, mode_t mode))
{
    pthread_mutex_lock(&disk.lock);
    const struct spot spot = find_spot(at, path);
    const bool ours = spot.folder != NAMES_NONE;
    const int result = fails(ours, NEW_NAME) ? -1 : __real_mkdirat(at, path, mode);
    if (result == 0 && ours) {
        const int node = disk.nnodes++;
        set_name(&spot, node);
        note_names(DISK_MAKE_FOLDER, spot.folder, spot.text, "", node);
    }
    pthread_mutex_unlock(&disk.lock);
    return result;
}

WRAP(int, mkdir, (const char *path, mode_t mode))
{
    return __wrap_mkdirat(AT_FDCWD, path, mode);
}

WRAP(int, linkat, (int from_at, const char *from, int to_at, const char *to, int flags))
{
    pthread_mutex_lock(&disk.lock);
    const struct spot a = find_spot(from_at, from), b = find_spot(to_at, to);
    const bool ours = b.folder != NAMES_NONE;
    const int result = fails(ours, NEW_NAME) ? -1 : __real_linkat(from_at, from, to_at, to, flags);
    if (result == 0 && ours) {
        set_name(&b, a.node);
        note_names(DISK_MAKE, b.folder, b.text, "", a.node);
    }
    pthread_mutex_unlock(&disk.lock);
    return result;
}

// -- listings: all names are read at once, and told in the order that is wanted

static struct listing {
    DIR *dir; // NULL: free
    size_t count, next;
    struct dirent names[LISTED];
} listings[LISTINGS];

static struct listing *
find_listing(const DIR *dir)
{
    for (int i = 0; i < LISTINGS; i++)
        if (listings[i].dir == dir)
            return &listings[i];
    return NULL;
}

static void
swap_names(struct listing *l, size_t i, size_t k)
{
    const struct dirent x = l->names[i];
    l->names[i] = l->names[k];
    l->names[k] = x;
}

static void
order_names(struct listing *l)
{
    struct random r;
    random_init(&r, disk.order_seed);
    for (size_t i = l->count; i > 1; i--)
        swap_names(l, i - 1, (size_t)random_below(&r, i));
    for (size_t i = 0; i < l->count && disk.order != DISK_SHUFFLED; i++)
        if (strcmp(l->names[i].d_name, "chunks.b2frame") == 0) {
            swap_names(l, i, disk.order == DISK_INDEX_LAST ? l->count - 1 : 0);
            return;
        }
}

struct dirent *__real_readdir64(DIR *dir);

static struct listing *
begin_listing(DIR *dir)
{
    struct listing *const l = find_listing(NULL);
    if (!l)
        abort();
    *l = (struct listing){.dir = dir};
    for (const struct dirent *e; (e = __real_readdir64(dir));) {
        if (l->count == LISTED)
            abort();
        l->names[l->count++] = *e;
    }
    order_names(l);
    return l;
}

WRAP(struct dirent *, readdir64, (DIR * dir))
{
    struct dirent *e = NULL;
    pthread_mutex_lock(&disk.lock);
    struct listing *l = find_listing(dir);
    const bool ours = node_of(dirfd(dir)) != NAMES_NONE;
    if (!fails(ours, OPEN)) {
        if (!l && ours && disk.order != DISK_ANY_ORDER)
            l = begin_listing(dir);
        if (!l)
            e = __real_readdir64(dir);
        else if (l->next < l->count)
            e = &l->names[l->next++];
    }
    pthread_mutex_unlock(&disk.lock);
    return e;
}

WRAP(int, closedir, (DIR * dir))
{
    pthread_mutex_lock(&disk.lock);
    struct listing *const l = find_listing(dir);
    if (l)
        l->dir = NULL;
    set_node(dirfd(dir), NAMES_NONE);
    const int result = __real_closedir(dir);
    pthread_mutex_unlock(&disk.lock);
    return result;
}

// What a successful removal leaves.
static int
removed(int result, const struct spot *spot)
{
    if (result == 0 && spot->node != NAMES_NONE) {
        set_name(spot, NAMES_NONE);
        note_names(DISK_REMOVE, spot->folder, spot->text, "", spot->node);
    }
    return result;
}

WRAP(int, unlinkat, (int at, const char *path, int flags))
{
    pthread_mutex_lock(&disk.lock);
    const struct spot spot = find_spot(at, path);
    const bool failed = fails(spot.folder != NAMES_NONE, NAME);
    const int result = removed(failed ? -1 : __real_unlinkat(at, path, flags), &spot);
    pthread_mutex_unlock(&disk.lock);
    return result;
}

WRAP(int, unlink, (const char *path))
{
    return __wrap_unlinkat(AT_FDCWD, path, 0);
}

WRAP(int, rmdir, (const char *path))
{
    return __wrap_unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

static void
renamed(const struct spot *from, const struct spot *to, bool exchange)
{
    set_name(from, exchange ? to->node : NAMES_NONE);
    set_name(to, from->node);
    struct disk_op op = {.kind = exchange ? DISK_EXCHANGE : DISK_RENAME,
                         .node = from->folder,
                         .other = from->node,
                         .target = to->folder};
    snprintf(op.text, sizeof op.text, "%s", from->text);
    snprintf(op.to, sizeof op.to, "%s", to->text);
    note(op, NULL);
}

WRAP(int, renameat2, (int from_at, const char *from, int to_at, const char *to, unsigned flags))
{
    pthread_mutex_lock(&disk.lock);
    const struct spot a = find_spot(from_at, from), b = find_spot(to_at, to);
    const bool ours = a.folder != NAMES_NONE;
    const bool unknown = ours && disk.plain && flags != 0;
    int result = -1;
    if (unknown)
        errno = EINVAL;
    else if (!fails(ours, NEW_NAME))
        result = __real_renameat2(from_at, from, to_at, to, flags);
    if (result == 0 && ours) {
        if (b.folder == NAMES_NONE || ((flags & RENAME_EXCHANGE) && a.folder != b.folder))
            abort();
        renamed(&a, &b, flags & RENAME_EXCHANGE);
    }
    pthread_mutex_unlock(&disk.lock);
    return result;
}

WRAP(int, renameat, (int from_at, const char *from, int to_at, const char *to))
{
    return __wrap_renameat2(from_at, from, to_at, to, 0);
}

WRAP(int, rename, (const char *from, const char *to))
{
    return __wrap_renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}
