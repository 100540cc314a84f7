/*
 * path.c - whether a path still leads to the file or directory that was opened by it.
 *
 * Device and inode are asked for once: while the file is open no other one has them.
 */
#include "io/path.h"

#include "base/error.h"
#include "io/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct io_path {
    int from; // the directory that the path starts in
    char *path;
    struct io_identity identity;
};

void
io_path_close(struct io_path *p)
{
    if (!p)
        return;
    if (p->from >= 0)
        close(p->from);
    free(p->path);
    free(p);
}

static tess_status
open_start(struct io_path *p, const char *path, tess_error *err)
{
    const size_t slashes = strspn(path, "/");
    p->from = open(slashes > 0 ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (p->from < 0)
        return err_sys(err, errno, "opening the directory in which the path starts");
    p->path = strdup(path + slashes);
    return p->path ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
}

tess_status
io_path_open(const char *path, const struct io_identity *identity, struct io_path **out,
             tess_error *err)
{
    struct io_path *const p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    p->from = -1;
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
io_path_check(const struct io_path *p, tess_error *err)
{
    struct stat there;
    if (fstatat(p->from, p->path, &there, 0) == 0) {
        if (there.st_dev == p->identity.device && there.st_ino == p->identity.inode)
            return TESS_OK;
        return err_set(err, TESS_ERR_STALE, -1,
                       "the path leads to something else than what is open: it was replaced");
    }
    if (errno == EACCES)
        return TESS_OK;
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
        return err_set(err, TESS_ERR_STALE, -1,
                       "the path leads to nothing: what is open was renamed or removed");
    return err_sys(err, errno, "asking what the path leads to");
}
