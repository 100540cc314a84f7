/*
 * removal.c - the removal of a file, or of a directory with the files that belong to it.
 *
 * Removing is replacing by nothing: the locks and checks are those of naming.c.
 */
#include "io/names/removal.h"

#include "base/memory.h"
#include "io/directory.h"
#include "io/file.h"
#include "io/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void
removal_end(struct removal *r)
{
    naming_finish(&r->naming, -1);
    mem_free(r->path);
    *r = (struct removal){0};
}

// The last part must be a name, which leads to what is removed alone.
static tess_status
check_name(const char *path, tess_error *err)
{
    const char *const slash = strrchr(path, '/');
    const char *const name = slash ? slash + 1 : path;
    if (name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
        return TESS_OK;
    if (path[0] == '\0')
        return err_set(err, TESS_ERR_NOT_FOUND, -1, "the path is empty");
    return err_set(err, TESS_ERR_ARG, -1,
                   "the path ends with \"%s\", not with the name of what is to be removed",
                   name[0] != '\0' ? name : "/");
}

tess_status
removal_begin(struct removal *r, const char *path, const struct folder_kind *folder,
              tess_error *err)
{
    const struct naming_kind *const kind = folder ? &directory_removal : &file_removal;
    *r = (struct removal){.path = io_trim(path)};
    if (!r->path)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    tess_error why;
    tess_status st = check_name(r->path, &why);
    if (st == TESS_OK)
        st = naming_begin(&r->naming, kind, folder, r->path, true, -1, &why);
    if (st == TESS_ERR_IO && why.sys == ENOENT) // nor its directory
        st = why.status = TESS_ERR_NOT_FOUND;
    if (st == TESS_OK && !folder && path[strlen(path) - 1] == '/')
        st = err_sys(&why, ENOTDIR, "looking at what is to be removed");
    if (st != TESS_OK && err)
        *err = why;
    return st;
}

int
removal_lock_error(const struct removal *r)
{
    static const struct io_lock none = {0};
    return naming_lock_error(&r->naming, &none);
}

// The descriptor that has the lock may be for writing only where the file cannot be read.
tess_status
removal_open_file(const struct removal *r, struct io **io, tess_error *err)
{
    const int fd =
        openat(r->naming.parent, r->naming.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return err_open(err, errno, "opening the file");
    return io_file_adopt(fd, false, false, io, err);
}

tess_status
removal_finish(struct removal *r, bool durable, tess_error *err)
{
    return naming_remove(&r->naming, durable, err);
}
