/*
 * removal.c - the removal of a file or directory, and of what killed programs left half-made.
 *
 * Removing is replacing by nothing: the locks and checks are those of naming.c.
 *
 * A program may have died after names were exchanged, with what it replaced under the temporary
 * name. On the disk the names may be as they were, so they are synced before leftovers are removed.
 * Failures of that are passed over: the next writer tries again.
 */
#include "io/names/removal.h"

#include "base/log.h"
#include "base/memory.h"
#include "io/directory.h"
#include "io/file.h"
#include "io/lock.h"
#include "io/names/naming.h"
#include "io/names/path.h"
#include "io/open_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
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
check_removed_name(const char *path, tess_error *err)
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
    tess_status st = check_removed_name(r->path, &why);
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

// -- leftovers

enum { FIRST = 4 }; // numbers that programs take, if no more than that many work at once

struct sweep {
    const struct folder_kind *kind;
    int parent;
    const char *name;
    char *path; // owns the name
    bool synced;
};

static bool
leftovers_begin(struct sweep *s, const char *path, const struct folder_kind *kind)
{
    *s = (struct sweep){.kind = kind, .parent = -1, .path = io_trim(path)};
    return s->path && naming_parent(s->path, &s->parent, &s->name, NULL) == TESS_OK &&
           s->name[0] != '\0';
}

static void
leftovers_end(struct sweep *s)
{
    if (s->parent >= 0)
        close(s->parent);
    mem_free(s->path);
}

// Network file systems give an exclusive lock only on descriptors that may write.
static int
open_leftover(int parent, const char *name, bool *directory)
{
    struct stat info;
    const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    if (fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    *directory = S_ISDIR(info.st_mode);
    if (*directory)
        return open_files_at(parent, name, O_RDONLY | O_DIRECTORY | flags, 0);
    if (!S_ISREG(info.st_mode))
        return -1;
    const int fd = open_files_at(parent, name, O_RDWR | flags, 0);
    return fd >= 0 ? fd : open_files_at(parent, name, O_RDONLY | flags, 0);
}

// A process that makes a file of that name checks, once it has the lock, that the file still has
// it.
static void
remove_leftover(struct sweep *s, const char *name)
{
    bool directory, leads;
    struct io_lock lock = {0};
    const int fd = open_leftover(s->parent, name, &directory);
    if (fd < 0)
        return;
    if (io_lock_acquire(&lock, fd, NULL) == TESS_OK && io_lock_is_held(&lock) &&
        naming_leads_to(s->parent, name, false, fd, &leads, NULL) == TESS_OK && leads) {
        s->synced = s->synced || naming_sync(s->parent, fd, NULL) == TESS_OK;
        if (s->synced)
            LOG(TESS_LOG_INFO, TESS_EVENT_LEFTOVER, s->path,
                "%s is removed, which a program left beside it when it was killed", name);
        if (s->synced && directory)
            directory_remove_at(s->parent, name, fd, s->kind);
        else if (s->synced)
            (void)unlinkat(s->parent, name, 0);
    }
    io_lock_release(&lock, fd);
    close(fd);
}

void
leftovers_remove(const char *path, const struct folder_kind *kind)
{
    struct sweep s;
    char name[NAMING_SIZE];
    const bool begun = leftovers_begin(&s, path, kind);
    for (unsigned i = 0; begun && i < FIRST; i++) {
        naming_temporary(s.name, i, name);
        remove_leftover(&s, name);
    }
    leftovers_end(&s);
}

void
leftovers_remove_all(const char *path, const struct folder_kind *kind)
{
    struct sweep s;
    const bool begun = leftovers_begin(&s, path, kind);
    const int fd = begun ? open_files_at(s.parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) : -1;
    DIR *const dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir && fd >= 0)
        close(fd);
    for (const struct dirent *e; dir && (e = readdir(dir));)
        if (naming_is_temporary(s.name, e->d_name))
            remove_leftover(&s, e->d_name);
    if (dir)
        closedir(dir);
    leftovers_end(&s);
}
