/*
 * identity.c - which file or directory something is.
 */
#include "io/names/identity.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/names/naming.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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
