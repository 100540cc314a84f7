/*
 * folder.c - a directory whose files belong together.
 *
 * All names are looked up from the open directory, so it may be renamed meanwhile. Only files are
 * removed whose names are of the folder's kind; a folder that holds something else is not replaced.
 * File systems list names in any order: nothing here relies on one.
 */
#include "io/folder.h"

#include "base/error.h"
#include "io/file.h"
#include "io/lock.h"
#include "io/naming.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
    int fd;
    bool mapped;
    char *path;
    struct naming naming; // of a new one; for what folder_kind says
    struct io_lock lock;
};

bool
folder_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool
folder_is_at(const struct folder *f, const char *path)
{
    return io_descriptor_is_at(f->fd, path);
}

bool
folder_is_locked(const struct folder *f, int *error)
{
    *error = naming_lock_error(&f->naming, &f->lock);
    return io_lock_is_held(&f->lock) && *error == 0;
}

tess_status
folder_identify(const struct folder *f, struct io_identity *identity, tess_error *err)
{
    return io_descriptor_identify(f->fd, identity, err);
}

// Without slashes at the end, so that names can be made beside it. NULL: no memory.
static char *
trim(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return strndup(path, length);
}

bool
folder_is_replaced(const struct folder *f)
{
    return !folder_is_at(f, f->path);
}

bool
folder_contains(const struct folder *f, const char *path)
{
    char *const trimmed = trim(path);
    char *const parent = trimmed ? io_parent(trimmed) : NULL;
    const bool inside = parent && io_descriptor_is_at(f->fd, parent);
    free(parent);
    free(trimmed);
    return inside;
}

int
folder_descriptor(const struct folder *f)
{
    return openat(f->fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static struct folder *
folder_new(const char *path)
{
    struct folder *const f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->fd = -1;
    f->path = trim(path);
    if (!f->path) {
        free(f);
        return NULL;
    }
    return f;
}

tess_status
folder_open(const char *path, bool writable, bool mapped, struct folder **folder, tess_error *err)
{
    struct folder *const f = folder_new(path);
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a directory");
    f->mapped = mapped;
    f->fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    tess_status st = f->fd >= 0 ? TESS_OK : err_sys(err, errno, "opening the directory");
    if (st == TESS_OK && writable)
        st = io_lock_acquire(&f->lock, f->fd, err);
    if (st == TESS_OK && writable && folder_is_replaced(f))
        st = err_set(err, TESS_ERR_STALE, -1, "was replaced while it was opened");
    if (st != TESS_OK) {
        folder_close(f);
        return st;
    }
    *folder = f;
    return TESS_OK;
}

// A list of the names in an open directory, or NULL.
static DIR *
list_names(int fd)
{
    const int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const dir = again >= 0 ? fdopendir(again) : NULL;
    if (!dir && again >= 0)
        close(again);
    return dir;
}

// NULL at the end (errno 0), and if the directory cannot be read.
static const char *
next_name(DIR *dir)
{
    const struct dirent *e;
    do {
        errno = 0;
        e = readdir(dir);
    } while (e && (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0));
    return e ? e->d_name : NULL;
}

// Whether a name is of the folder's kind; a failure is that to ask.
static tess_status
belongs(const struct folder_kind *kind, int fd, const char *name, bool *yes, tess_error *err)
{
    struct stat info;
    *yes = false;
    if (strcmp(name, kind->index) != 0 && !kind->is_part(name))
        return TESS_OK;
    if (fstatat(fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? TESS_OK : err_sys(err, errno, "looking at %s", name);
    *yes = S_ISREG(info.st_mode);
    return TESS_OK;
}

static tess_status
check_contents(const struct folder_kind *kind, int fd, tess_error *err)
{
    bool index = false, rest = false, foreign = false, ours;
    const char *name;
    tess_status st = TESS_OK;
    DIR *const dir = faccessat(fd, ".", W_OK | X_OK, 0) == 0 ? list_names(fd) : NULL;
    if (!dir)
        return err_sys(err, errno, "is a directory, whose files cannot be removed");
    while (st == TESS_OK && (name = next_name(dir))) {
        st = belongs(kind, fd, name, &ours, err);
        foreign |= !ours;
        index |= strcmp(name, kind->index) == 0;
        rest = true;
    }
    const int error = st == TESS_OK ? errno : 0;
    closedir(dir);
    if (st != TESS_OK)
        return st;
    if (error != 0)
        return err_sys(err, error, "is a directory, which cannot be read");
    if (foreign || (rest && !index))
        return err_set(err, TESS_ERR_IO, -1,
                       "is a directory that holds something else than %s and the files that go "
                       "with it; it is not replaced",
                       kind->index);
    return TESS_OK;
}

// What is at `path` must be ours to replace: nothing, a file, or a directory without anything that
// is not of that kind.
static tess_status
folder_check_replaceable(const struct naming *n, const char *name, tess_error *err)
{
    struct stat info;
    if (fstatat(n->parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? TESS_OK : err_sys(err, errno, "looking at what is replaced");
    if (S_ISREG(info.st_mode))
        return TESS_OK;
    if (!S_ISDIR(info.st_mode))
        return err_set(err, TESS_ERR_IO, -1, "is neither a file nor a directory");
    const int fd = openat(n->parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, errno, "is a directory, which cannot be opened");
    const tess_status st = check_contents(n->user, fd, err);
    close(fd);
    return st;
}

// It may be taken for a leftover, and removed, before it is opened.
static int
make_folder(int parent, const char *name)
{
    if (mkdirat(parent, name, 0777) != 0)
        return -1;
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        const int error = errno == ENOENT ? EEXIST : errno;
        (void)unlinkat(parent, name, AT_REMOVEDIR);
        errno = error;
    }
    return fd;
}

// What has the temporary name: the new directory, or what was replaced.
static void
remove_temporary(const struct naming *n, int fd)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const int own = fd < 0 ? openat(n->parent, n->temporary, flags) : -1;
    if (fd >= 0 || own >= 0)
        folder_remove_at(n->parent, n->temporary, fd >= 0 ? fd : own, n->user);
    else
        (void)unlinkat(n->parent, n->temporary, 0);
    if (own >= 0)
        close(own);
}

static const struct naming_kind folders = {
    .make = make_folder,
    .check = folder_check_replaceable,
    .remove = remove_temporary,
    .exchanges = true,
};

tess_status
folder_create(const char *path, bool replace, const struct folder_kind *kind,
              struct folder **folder, tess_error *err)
{
    struct folder *const f = folder_new(path);
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a directory");
    tess_status st = naming_begin(&f->naming, &folders, kind, f->path, replace, -1, err);
    if (st == TESS_OK)
        st = naming_make(&f->naming, &f->fd, &f->lock, err);
    if (st != TESS_OK) {
        folder_close(f);
        return st;
    }
    *folder = f;
    return TESS_OK;
}

tess_status
folder_read(const struct folder *f, const char *name, struct io **io, tess_error *err)
{
    const int fd = openat(f->fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return err_sys(err, errno, "opening %s", name);
    const tess_status st = io_file_adopt(fd, false, f->mapped, io, err);
    return st == TESS_OK ? st : err_prefix(err, st, "%s", name);
}

tess_status
folder_write(const struct folder *f, const char *name, struct io **io, tess_error *err)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    int fd = openat(f->fd, name, flags, 0666);
    if (fd < 0 && errno == EEXIST && unlinkat(f->fd, name, 0) == 0)
        fd = openat(f->fd, name, flags, 0666);
    if (fd < 0)
        return err_sys(err, errno, "creating %s", name);
    const tess_status st = io_file_adopt(fd, true, false, io, err);
    return st == TESS_OK ? st : err_prefix(err, st, "%s", name);
}

tess_status
folder_rename(const struct folder *f, const char *from, const char *to, tess_error *err)
{
    if (renameat(f->fd, from, f->fd, to) != 0)
        return err_sys(err, errno, "renaming %s to %s", from, to);
    return TESS_OK;
}

void
folder_remove(const struct folder *f, const char *name)
{
    (void)unlinkat(f->fd, name, 0);
}

tess_status
folder_each(const struct folder *f, tess_status (*fn)(void *arg, const char *name, tess_error *err),
            void *arg, tess_error *err)
{
    tess_status st = TESS_OK;
    DIR *const dir = list_names(f->fd);
    if (!dir)
        return err_sys(err, errno, "reading the directory");
    for (const char *name; st == TESS_OK && (name = next_name(dir));)
        st = fn(arg, name, err);
    if (st == TESS_OK && errno != 0)
        st = err_sys(err, errno, "reading the directory");
    closedir(dir);
    return st;
}

tess_status
folder_sync(const struct folder *f, tess_error *err)
{
    int result;
    do
        result = fsync(f->fd);
    while (result != 0 && errno == EINTR);
    if (result != 0)
        return err_sys(err, errno, "bringing the directory to the disk");
    return TESS_OK;
}

// All but the index. Whether some were.
static bool
remove_parts(const struct folder_kind *kind, int fd)
{
    bool removed = false, ours;
    DIR *const dir = list_names(fd);
    if (!dir)
        return false;
    for (const char *name; (name = next_name(dir));)
        removed |=
            belongs(kind, fd, name, &ours, NULL) == TESS_OK && ours && unlinkat(fd, name, 0) == 0;
    closedir(dir);
    return removed;
}

// The index goes first, and the others only without it: what dies in between, or fails, leaves
// nothing that opens and lacks files. Some file systems pass over names when others are removed
// meanwhile: once more then.
void
folder_remove_at(int parent, const char *name, int fd, const struct folder_kind *kind)
{
    bool leads, removed = true;
    if (unlinkat(fd, kind->index, 0) != 0 && errno != ENOENT)
        return;
    while (removed) {
        removed = remove_parts(kind, fd);
        if (naming_leads_to(parent, name, false, fd, &leads, NULL) == TESS_OK && leads &&
            unlinkat(parent, name, AT_REMOVEDIR) == 0)
            return;
    }
}

tess_status
folder_publish(struct folder *f, bool durable, tess_error *err)
{
    return naming_publish(&f->naming, f->fd, durable, err);
}

void
folder_close(struct folder *f)
{
    if (!f)
        return;
    naming_finish(&f->naming, f->fd);
    io_lock_release(&f->lock, f->fd);
    if (f->fd >= 0)
        close(f->fd);
    free(f->path);
    free(f);
}
