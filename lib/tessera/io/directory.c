/*
 * directory.c - a folder that is a directory of the file system.
 *
 * All names are looked up from the open directory, so it may be renamed meanwhile. Only files are
 * removed whose names are of the folder's kind; a folder that holds something else is not replaced.
 * File systems list names in any order: nothing here relies on one.
 */
#include "io/directory.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/folder.h"
#include "io/lock.h"
#include "io/names/naming.h"
#include "io/names/path.h"
#include "io/open_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct directory {
    struct folder folder;
    struct open_file *open; // of a reader it may be closed between calls
    bool mapped;
    char *path;
    struct naming naming; // of a new one; for what folder_kind says
    struct io_lock lock;
};

static const struct directory *
directory_of(const struct folder *folder)
{
    return (const struct directory *)folder;
}

static tess_status
pin(const struct folder *folder, int *fd, tess_error *err)
{
    return open_file_pin(directory_of(folder)->open, fd, err);
}

static void
unpin(const struct folder *folder)
{
    open_file_unpin(directory_of(folder)->open);
}

static tess_status
directory_identify(const struct folder *folder, struct io_identity *identity, tess_error *err)
{
    int fd;
    tess_status st = pin(folder, &fd, err);
    if (st == TESS_OK) {
        st = io_identity_of(fd, identity, err);
        unpin(folder);
    }
    return st;
}

static bool
directory_is_replaced(const struct folder *folder)
{
    struct io_identity identity;
    return directory_identify(folder, &identity, NULL) != TESS_OK ||
           !io_identity_is_at(&identity, directory_of(folder)->path);
}

struct open_file *
directory_open_file(const struct folder *folder)
{
    return directory_of(folder)->open;
}

// A list of the names in an open directory, or NULL.
static DIR *
list_names(int fd)
{
    const int again = open_files_at(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
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

// What a directory holds of a kind.
struct contents {
    bool index;
    bool rest;
    char foreign[NAMING_SIZE]; // the name of something else; empty: there is nothing
};

static tess_status
directory_contents(const struct folder_kind *kind, int fd, struct contents *c, tess_error *err)
{
    bool ours;
    const char *name;
    tess_status st = TESS_OK;
    *c = (struct contents){0};
    DIR *const dir = faccessat(fd, ".", W_OK | X_OK, 0) == 0 ? list_names(fd) : NULL;
    if (!dir)
        return err_sys(err, errno, "is a directory, whose files cannot be removed");
    while (st == TESS_OK && (name = next_name(dir))) {
        st = belongs(kind, fd, name, &ours, err);
        if (!ours)
            (void)snprintf(c->foreign, sizeof c->foreign, "%s", name);
        c->index |= strcmp(name, kind->index) == 0;
        c->rest = true;
    }
    const int error = st == TESS_OK ? errno : 0;
    closedir(dir);
    return error == 0 ? st : err_sys(err, error, "is a directory, which cannot be read");
}

static tess_status
check_contents(const struct folder_kind *kind, int fd, tess_error *err)
{
    struct contents c;
    const tess_status st = directory_contents(kind, fd, &c, err);
    if (st == TESS_OK && (c.foreign[0] != '\0' || (c.rest && !c.index)))
        return err_set(err, TESS_ERR_IO, -1,
                       "is a directory that holds something else than %s and the files that go "
                       "with it; it is not replaced",
                       kind->index);
    return st;
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
        return err_set(err, TESS_ERR_IO, -1,
                       S_ISLNK(info.st_mode) ? "is a symbolic link, which no directory replaces"
                                             : "is neither a file nor a directory");
    const int fd =
        open_files_at(n->parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
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
    const int fd = open_files_at(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
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
    const int own = fd < 0 ? open_files_at(n->parent, n->temporary, flags, 0) : -1;
    if (fd >= 0 || own >= 0)
        directory_remove_at(n->parent, n->temporary, fd >= 0 ? fd : own, n->user);
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

// A link is not removed, nor what it leads to.
static tess_status
check_removable_folder(const struct naming *n, const char *name, tess_error *err)
{
    const struct folder_kind *const kind = n->user;
    struct stat info;
    struct contents c;
    if (fstatat(n->parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return err_open(err, errno, "looking at what is to be removed");
    if (!S_ISDIR(info.st_mode))
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       S_ISLNK(info.st_mode)
                           ? "is a symbolic link; neither it nor what it leads to is removed"
                           : "is no directory any more");
    const int fd = openat(n->parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, errno, "is a directory, which cannot be opened");
    tess_status st = directory_contents(kind, fd, &c, err);
    close(fd);
    if (st == TESS_OK && !c.index)
        st = err_set(err, TESS_ERR_FORMAT, -1, "a directory without an array: there is no %s in it",
                     kind->index);
    if (st == TESS_OK && c.foreign[0] != '\0')
        st =
            err_set(err, TESS_ERR_UNSUPPORTED, -1,
                    "a directory that holds %.100s, which is no part of an array; nothing of it is "
                    "removed",
                    c.foreign);
    return st;
}

const struct naming_kind directory_removal = {
    .make = make_folder,
    .check = check_removable_folder,
    .remove = remove_temporary,
    .exchanges = true,
};

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
directory_remove_at(int parent, const char *name, int fd, const struct folder_kind *kind)
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

static tess_status
directory_read(const struct folder *folder, const char *name, const struct folder_use *use,
               struct io **io, tess_error *err)
{
    const struct directory *const d = directory_of(folder);
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
    int fd;
    tess_status st = pin(folder, &fd, err);
    if (st != TESS_OK)
        return st;
    const int file = open_files_at(fd, name, flags, 0);
    const int error = errno;
    unpin(folder);
    if (file < 0)
        return err_sys(err, error, "opening %s", name);
    struct io *opened = NULL;
    st = io_file_adopt(file, false, d->mapped, &opened, err);
    if (st == TESS_OK && use->stays)
        st = io_file_share(opened, d->open, name, flags, err);
    if (st != TESS_OK) {
        io_close(opened);
        return err_prefix(err, st, "%s", name);
    }
    *io = opened;
    return TESS_OK;
}

static int
make_part(int directory, const char *name)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    const int file = open_files_at(directory, name, flags, 0666);
    if (file < 0 && errno == EEXIST && unlinkat(directory, name, 0) == 0)
        return open_files_at(directory, name, flags, 0666);
    return file;
}

static tess_status
directory_write(const struct folder *folder, const char *name, struct io **io, tess_error *err)
{
    int fd;
    tess_status st = pin(folder, &fd, err);
    if (st != TESS_OK)
        return st;
    const int file = make_part(fd, name);
    const int error = errno;
    unpin(folder);
    if (file < 0)
        return err_sys(err, error, "creating %s", name);
    st = io_file_adopt(file, true, false, io, err);
    return st == TESS_OK ? st : err_prefix(err, st, "%s", name);
}

static tess_status
directory_rename(const struct folder *folder, const char *from, const char *to, tess_error *err)
{
    int fd;
    tess_status st = pin(folder, &fd, err);
    if (st != TESS_OK)
        return st;
    if (renameat(fd, from, fd, to) != 0)
        st = err_sys(err, errno, "renaming %s to %s", from, to);
    unpin(folder);
    return st;
}

static void
directory_remove(const struct folder *folder, const char *name)
{
    int fd;
    if (pin(folder, &fd, NULL) != TESS_OK)
        return;
    (void)unlinkat(fd, name, 0);
    unpin(folder);
}

static tess_status
directory_each(const struct folder *folder,
               tess_status (*fn)(void *arg, const char *name, tess_error *err), void *arg,
               tess_error *err)
{
    int fd;
    tess_status st = pin(folder, &fd, err);
    if (st != TESS_OK)
        return st;
    DIR *const dir = list_names(fd);
    const int error = errno;
    unpin(folder);
    if (!dir)
        return err_sys(err, error, "reading the directory");
    for (const char *name; st == TESS_OK && (name = next_name(dir));)
        st = fn(arg, name, err);
    if (st == TESS_OK && errno != 0)
        st = err_sys(err, errno, "reading the directory");
    closedir(dir);
    return st;
}

static tess_status
directory_sync(const struct folder *folder, tess_error *err)
{
    int fd, result;
    tess_status st = pin(folder, &fd, err);
    if (st != TESS_OK)
        return st;
    do
        result = fsync(fd);
    while (result != 0 && errno == EINTR);
    if (result != 0)
        st = err_sys(err, errno, "bringing the directory to the disk");
    unpin(folder);
    return st;
}

static tess_status
directory_publish(struct folder *folder, bool durable, tess_error *err)
{
    struct directory *const d = (struct directory *)folder;
    return naming_publish(&d->naming, d->open->fd, durable, err);
}

static void
directory_close(struct folder *folder)
{
    struct directory *const d = (struct directory *)folder;
    naming_finish(&d->naming, d->open->fd);
    io_lock_release(&d->lock, d->open->fd);
    open_file_close(d->open);
    mem_free(d->open);
    mem_free(d->path);
    mem_free(d);
}

static const struct folder_ops directory_ops = {
    .read = directory_read,
    .write = directory_write,
    .rename = directory_rename,
    .remove = directory_remove,
    .each = directory_each,
    .sync = directory_sync,
    .publish = directory_publish,
    .identify = directory_identify,
    .is_replaced = directory_is_replaced,
    .close = directory_close,
};

static struct directory *
directory_new(const char *path)
{
    struct directory *const d = mem_zeroed(1, sizeof *d);
    struct open_file *const open = mem_zeroed(1, sizeof *open);
    char *const trimmed = io_trim(path);
    if (!d || !open || !trimmed) {
        mem_free(trimmed);
        mem_free(open);
        mem_free(d);
        return NULL;
    }
    d->folder.ops = &directory_ops;
    d->open = open;
    open_file_init(open);
    d->path = trimmed;
    return d;
}

// To be called once its locks were asked for.
static void
directory_set_locked(struct directory *d)
{
    d->folder.lock_error = naming_lock_error(&d->naming, &d->lock);
    d->folder.locked = io_lock_is_held(&d->lock) && d->folder.lock_error == 0;
}

// What was opened for writing: no other writer has it, and it is what the path leads to.
static tess_status
claim_directory(struct directory *d, tess_error *err)
{
    tess_status st = open_file_keep(d->open, err);
    if (st == TESS_OK)
        st = io_lock_acquire(&d->lock, d->open->fd, err);
    if (st == TESS_OK && directory_is_replaced(&d->folder))
        st = err_set(err, TESS_ERR_STALE, -1, "was replaced while it was opened");
    return st;
}

tess_status
directory_open(const char *path, bool writable, bool mapped, struct folder **folder,
               tess_error *err)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    struct directory *const d = directory_new(path);
    if (!d)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a directory");
    d->mapped = mapped;
    const int fd = open_files_at(AT_FDCWD, d->path, flags, 0);
    tess_status st = fd >= 0 ? TESS_OK : err_open(err, errno, "opening the directory");
    if (st == TESS_OK) {
        open_file_borrow(d->open, fd);
        st = writable ? claim_directory(d, err)
                      : open_file_share(d->open, NULL, d->path, flags, err);
    }
    if (st != TESS_OK) {
        directory_close(&d->folder);
        return st;
    }
    directory_set_locked(d);
    *folder = &d->folder;
    return TESS_OK;
}

tess_status
directory_create(const char *path, bool replace, const struct folder_kind *kind,
                 struct folder **folder, tess_error *err)
{
    struct directory *const d = directory_new(path);
    int fd = -1;
    if (!d)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a directory");
    tess_status st = naming_begin(&d->naming, &folders, kind, d->path, replace, -1, err);
    if (st == TESS_OK)
        st = naming_make(&d->naming, &fd, &d->lock, err);
    if (fd >= 0) // also where it was made, but could not be locked
        open_file_borrow(d->open, fd);
    if (st == TESS_OK)
        st = open_file_keep(d->open, err);
    if (st != TESS_OK) {
        directory_close(&d->folder);
        return st;
    }
    directory_set_locked(d);
    *folder = &d->folder;
    return TESS_OK;
}

// -- as a kind of storage

static bool
is_directory(const tess_storage *storage)
{
    struct stat info;
    return storage->path && stat(storage->path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool
directory_has_path(const tess_storage *storage)
{
    return storage->path;
}

static tess_status
directory_open_stored(const tess_storage *storage, bool writable, struct io **io,
                      struct folder **folder, tess_error *err)
{
    (void)io;
    return directory_open(storage->path, writable, storage->mmap, folder, err);
}

static tess_status
directory_create_stored(const tess_storage *storage, const struct folder_kind *parts,
                        struct io **io, struct folder **folder, tess_error *err)
{
    (void)io;
    return directory_create(storage->path, storage->mode == TESS_MODE_REPLACE, parts, folder, err);
}

const struct storage_kind storage_directory = {
    .name = "directory",
    .layout = TESS_LAYOUT_SPARSE,
    .in_files = true,
    .holds = is_directory,
    .takes = directory_has_path,
    .open = directory_open_stored,
    .create = directory_create_stored,
};
