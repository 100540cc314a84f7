/*
 * leftovers.c - what programs that were killed left under temporary names.
 *
 * A program may have died after names were exchanged, with what it replaced under the temporary
 * name. On the disk the names may be as they were, so they are synced before anything is removed.
 *
 * Failures are passed over: the next writer tries again.
 */
#include "io/names/leftovers.h"

#include "base/log.h"
#include "base/memory.h"
#include "io/directory.h"
#include "io/lock.h"
#include "io/names/naming.h"
#include "io/open_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
