/*
 * folder.c - a directory whose files belong together.
 *
 * All names are looked up from the open directory, so it may be renamed meanwhile. Only files are
 * removed whose names are of the folder's kind; a folder that holds something else is not replaced.
 */
#include "io/folder.h"

#include "io/file.h"

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
    bool unpublished;
    char *path;
    char *temporary; // the name until publish, when it replaces something
    const struct folder_kind *kind; // of a new one
    int replaced; // what a new one will replace, locked; -1: nothing
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
    f->fd = f->replaced = -1;
    f->path = trim(path);
    if (!f->path) {
        free(f);
        return NULL;
    }
    return f;
}

static tess_status
open_directory(struct folder *f, const char *path, tess_error *err)
{
    f->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return f->fd >= 0 ? TESS_OK : err_sys(err, errno, "opening the directory");
}

tess_status
folder_open(const char *path, bool writable, bool mapped, struct folder **folder, tess_error *err)
{
    struct folder *const f = folder_new(path);
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a directory");
    f->mapped = mapped;
    tess_status st = open_directory(f, f->path, err);
    if (st == TESS_OK && writable)
        st = io_file_lock(f->fd, err);
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

static bool
belongs(const struct folder_kind *kind, int fd, const char *name)
{
    struct stat info;
    return fstatat(fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
           (strcmp(name, kind->index) == 0 || kind->is_part(name));
}

static tess_status
check_contents(const struct folder_kind *kind, int fd, tess_error *err)
{
    bool index = false, rest = false, foreign = false;
    const char *name;
    DIR *const dir = faccessat(fd, ".", W_OK | X_OK, 0) == 0 ? list_names(fd) : NULL;
    if (!dir)
        return err_sys(err, errno, "is a directory, whose files cannot be removed");
    while ((name = next_name(dir))) {
        foreign |= !belongs(kind, fd, name);
        index |= strcmp(name, kind->index) == 0;
        rest = true;
    }
    const int error = errno;
    closedir(dir);
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
check_replaceable(const char *path, const struct folder_kind *kind, tess_error *err)
{
    struct stat info;
    if (lstat(path, &info) != 0 || S_ISREG(info.st_mode))
        return TESS_OK;
    if (!S_ISDIR(info.st_mode))
        return err_set(err, TESS_ERR_IO, -1, "is neither a file nor a directory");
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, errno, "is a directory, which cannot be opened");
    const tess_status st = check_contents(kind, fd, err);
    close(fd);
    return st;
}

static tess_status
make_beside(struct folder *f, tess_error *err)
{
    enum { NAME_SIZE = 48 };
    const size_t size = strlen(f->path) + NAME_SIZE;
    f->temporary = malloc(size);
    if (!f->temporary)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    for (unsigned i = 0;; i++) {
        snprintf(f->temporary, size, "%s.%ld-%u.tmp", f->path, (long)getpid(), i);
        if (mkdir(f->temporary, 0777) == 0)
            break;
        if (errno != EEXIST)
            return err_sys(err, errno, "creating a directory beside it");
    }
    f->unpublished = true;
    return open_directory(f, f->temporary, err);
}

tess_status
folder_create(const char *path, bool replace, const struct folder_kind *kind,
              struct folder **folder, tess_error *err)
{
    tess_status st;
    struct folder *const f = folder_new(path);
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a directory");
    f->kind = kind;
    if (replace) {
        st = check_replaceable(f->path, kind, err);
        if (st == TESS_OK)
            st = io_hold_replaced(f->path, &f->replaced, err);
        if (st == TESS_OK)
            st = make_beside(f, err);
    } else if (mkdir(f->path, 0777) != 0) {
        st = err_sys(err, errno, "creating the directory");
    } else {
        f->unpublished = true;
        st = open_directory(f, f->path, err);
    }
    if (st == TESS_OK)
        st = io_file_lock(f->fd, err);
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

static bool
remove_files(const struct folder_kind *kind, int fd)
{
    bool removed = false;
    DIR *const dir = list_names(fd);
    if (!dir)
        return false;
    for (const char *name; (name = next_name(dir));)
        removed |= belongs(kind, fd, name) && unlinkat(fd, name, 0) == 0;
    closedir(dir);
    return removed;
}

// An open directory goes with its files, if it is still at `path`; with something else in it, or
// another name, it stays, without them. Some file systems pass over names when others are removed
// meanwhile: once more then.
static void
remove_folder(const struct folder_kind *kind, int fd, const char *path)
{
    bool removed;
    do {
        removed = remove_files(kind, fd);
    } while ((!io_descriptor_is_at(fd, path) || rmdir(path) != 0) && removed);
}

static void
remove_replaced(const struct folder *f)
{
    const int fd = open(f->temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        (void)unlink(f->temporary);
        return;
    }
    if (check_contents(f->kind, fd, NULL) == TESS_OK) {
        (void)unlinkat(fd, f->kind->index, 0); // first: who reads there misses it before the rest
        remove_folder(f->kind, fd, f->temporary);
    }
    close(fd);
}

static bool
rename_with(const char *from, const char *to, unsigned flags)
{
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, flags) == 0;
}

// What was taken the name from gets it back. Where that fails, nothing is removed any more: neither
// is ours alone.
static tess_status
give_back(struct folder *f, tess_status st, tess_error *err)
{
    if (rename_with(f->temporary, f->path, RENAME_EXCHANGE) ||
        rename_with(f->temporary, f->path, RENAME_NOREPLACE))
        return st;
    f->unpublished = false;
    return err_sys(err, errno, "giving back the name to what is called %s now", f->temporary);
}

// Both names change at once; what had the name before has the temporary one then. Something else
// may have taken the name since the start; it gets it back. Not every file system can exchange
// names; there, a name that nothing has can still be taken.
static tess_status
take_name(struct folder *f, bool *replaced, tess_error *err)
{
    *replaced = f->temporary && rename_with(f->temporary, f->path, RENAME_EXCHANGE);
    if (*replaced) {
        const tess_status st = check_replaceable(f->temporary, f->kind, err);
        return st == TESS_OK ? st : give_back(f, st, err);
    }
    if (f->temporary &&
        ((errno != ENOENT && errno != EINVAL) || rename(f->temporary, f->path) != 0))
        return err_sys(err, errno, "giving the directory its name");
    return TESS_OK;
}

static void
close_replaced(struct folder *f)
{
    if (f->replaced >= 0)
        close(f->replaced);
    f->replaced = -1;
}

tess_status
folder_publish(struct folder *f, bool durable, tess_error *err)
{
    bool replaced;
    if (!f->unpublished)
        return TESS_OK;
    char *const parent = io_parent(f->path);
    if (!parent)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    tess_status st = f->temporary ? io_hold_replaced(f->path, &f->replaced, err) : TESS_OK;
    if (st == TESS_OK)
        st = take_name(f, &replaced, err);
    if (st == TESS_OK) {
        f->unpublished = false;
        if (durable)
            io_sync_directory(parent); // before what it replaces is gone
        if (replaced)
            remove_replaced(f);
        close_replaced(f);
    }
    free(parent);
    return st;
}

// Nobody else knows a folder that was not published; what took its name meanwhile stays.
static void
withdraw(const struct folder *f)
{
    const char *const path = f->temporary ? f->temporary : f->path;
    if (f->fd >= 0)
        remove_folder(f->kind, f->fd, path);
    else
        (void)rmdir(path);
}

void
folder_close(struct folder *f)
{
    if (!f)
        return;
    if (f->unpublished)
        withdraw(f);
    close_replaced(f);
    if (f->fd >= 0)
        close(f->fd);
    free(f->temporary);
    free(f->path);
    free(f);
}
