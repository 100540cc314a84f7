/*
 * path.c - paths, and the files and directories that they lead to.
 */
#include "io/names/path.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/open_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// -- parts of a path

char *
io_trim(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return mem_string_n(path, length);
}

char *
io_parent(const char *path)
{
    const char *const slash = strrchr(path, '/');
    if (!slash)
        return mem_string(".");
    return mem_string_n(path, slash == path ? 1 : (size_t)(slash - path));
}

// -- which file it is

tess_status
io_identity_of(int fd, struct io_identity *identity, tess_error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return err_sys(err, errno, "asking which file it is");
    *identity = (struct io_identity){info.st_dev, info.st_ino, info.st_nlink == 0};
    return TESS_OK;
}

bool
io_identity_is_at(const struct io_identity *identity, const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && info.st_dev == identity->device &&
           info.st_ino == identity->inode;
}

bool
io_identity_contains(const struct io_identity *directory, const char *path)
{
    char *const trimmed = io_trim(path);
    char *const parent = trimmed ? io_parent(trimmed) : NULL;
    const bool inside = parent && io_identity_is_at(directory, parent);
    mem_free(parent);
    mem_free(trimmed);
    return inside;
}

// -- whether it still leads there

struct io_path {
    struct open_file from; // the directory that the path starts in; not set: a name only
    char *name; // the path as it was given
    const char *path; // from there
    struct io_identity identity;
};

void
io_path_close(struct io_path *p)
{
    if (!p)
        return;
    open_file_close(&p->from);
    mem_free(p->name);
    mem_free(p);
}

static tess_status
open_start(struct io_path *p, const char *path, tess_error *err)
{
    const size_t slashes = strspn(path, "/");
    const char *const start = slashes > 0 ? "/" : ".";
    const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    p->name = mem_string(path);
    if (!p->name)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    p->path = p->name + slashes;
    const int fd = open_files_at(AT_FDCWD, start, flags, 0);
    if (fd < 0)
        return err_sys(err, errno, "opening the directory in which the path starts");
    open_file_borrow(&p->from, fd);
    return open_file_share(&p->from, NULL, start, flags, err);
}

struct io_path *
io_path_of_name(const char *path)
{
    struct io_path *const p = mem_zeroed(1, sizeof *p);
    if (!p)
        return NULL;
    open_file_init(&p->from);
    p->name = mem_string(path);
    return p;
}

const char *
io_path_name(const struct io_path *p)
{
    return p ? p->name : NULL;
}

tess_status
io_path_open(const char *path, const struct io_identity *identity, struct io_path **out,
             tess_error *err)
{
    struct io_path *const p = mem_zeroed(1, sizeof *p);
    *out = NULL;
    if (!p)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    open_file_init(&p->from);
    p->identity = *identity;
    const tess_status st = open_start(p, path, err);
    if (st != TESS_OK) {
        io_path_close(p);
        return st;
    }
    *out = p;
    return TESS_OK;
}

tess_status
io_path_check(struct io_path *p, tess_error *err)
{
    struct stat there;
    int from;
    if (!open_file_is_set(&p->from))
        return TESS_OK;
    const tess_status st = open_file_pin(&p->from, &from, err);
    if (st != TESS_OK)
        return st;
    const int error = fstatat(from, p->path, &there, 0) == 0 ? 0 : errno;
    open_file_unpin(&p->from);
    if (error == 0) {
        if (there.st_dev == p->identity.device && there.st_ino == p->identity.inode)
            return TESS_OK;
        return err_set(err, TESS_ERR_STALE, -1,
                       "the path leads to something else than what is open: it was replaced");
    }
    if (error == EACCES)
        return TESS_OK;
    if (error == ENOENT || error == ENOTDIR || error == ELOOP)
        return err_set(err, TESS_ERR_STALE, -1,
                       "the path leads to nothing: what is open was renamed or removed");
    return err_sys(err, error, "asking what the path leads to");
}
