/*
 * folder.c - a directory whose files belong together.
 *
 * All names are looked up from the open directory, so it may be renamed meanwhile. Only files are
 * removed, never folders inside; a folder that holds something else stays, emptied of our files.
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
    const char *keeper; // what such a thing must hold, if it is a directory
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

// Without slashes at the end, so that names can be made beside it.
static struct folder *
folder_new(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    struct folder *const f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->fd = -1;
    f->path = strndup(path, length);
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
    if (st != TESS_OK) {
        folder_close(f);
        return st;
    }
    *folder = f;
    return TESS_OK;
}

// What is at `path` must be ours to replace: a file, or a directory with the keeper in it.
static tess_status
check_replaceable(const char *path, const char *keeper, tess_error *err)
{
    struct stat info;
    if (lstat(path, &info) != 0 || S_ISREG(info.st_mode))
        return TESS_OK;
    if (!S_ISDIR(info.st_mode))
        return err_set(err, TESS_ERR_IO, -1, "is neither a file nor a directory");
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool kept = fd >= 0 && fstatat(fd, keeper, &info, 0) == 0;
    if (fd >= 0)
        close(fd);
    if (!kept)
        return err_set(err, TESS_ERR_IO, -1, "is a directory without %s in it; it is not replaced",
                       keeper);
    return TESS_OK;
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
folder_create(const char *path, bool replace, const char *keeper, struct folder **folder,
              tess_error *err)
{
    tess_status st;
    struct folder *const f = folder_new(path);
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a directory");
    f->keeper = keeper;
    if (replace) {
        st = check_replaceable(f->path, keeper, err);
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
folder_sync(const struct folder *f, tess_error *err)
{
    if (fsync(f->fd) != 0)
        return err_sys(err, errno, "bringing the directory to the disk");
    return TESS_OK;
}

// Remove a file, or a directory and the files in it.
static void
remove_all(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *const dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        if (fd >= 0)
            close(fd);
        (void)unlink(path);
        return;
    }
    for (const struct dirent *e; (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            (void)unlinkat(dirfd(dir), e->d_name, 0);
    closedir(dir);
    (void)rmdir(path);
}

// Both names change at once; what had the name before has the temporary one then. Something else
// may have taken the name since the start; it gets it back. Not every file system can exchange
// names; there, a name that nothing has can still be taken.
static tess_status
take_name(struct folder *f, tess_error *err)
{
    if (!f->temporary)
        return TESS_OK;
    if (renameat2(AT_FDCWD, f->temporary, AT_FDCWD, f->path, RENAME_EXCHANGE) == 0) {
        const tess_status st = check_replaceable(f->temporary, f->keeper, err);
        if (st != TESS_OK) {
            (void)renameat2(AT_FDCWD, f->temporary, AT_FDCWD, f->path, RENAME_EXCHANGE);
            return st;
        }
        remove_all(f->temporary);
        return TESS_OK;
    }
    if ((errno != ENOENT && errno != EINVAL) || rename(f->temporary, f->path) != 0)
        return err_sys(err, errno, "giving the directory its name");
    return TESS_OK;
}

tess_status
folder_publish(struct folder *f, tess_error *err)
{
    if (!f->unpublished)
        return TESS_OK;
    char *const parent = io_parent(f->path);
    if (!parent)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    const tess_status st = take_name(f, err);
    if (st == TESS_OK) {
        f->unpublished = false;
        io_sync_directory(parent);
    }
    free(parent);
    return st;
}

void
folder_close(struct folder *f)
{
    if (!f)
        return;
    if (f->fd >= 0)
        close(f->fd);
    if (f->unpublished)
        remove_all(f->temporary ? f->temporary : f->path);
    free(f->temporary);
    free(f->path);
    free(f);
}
