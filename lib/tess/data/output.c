/*
 * output.c - files and directories that appear whole or not at all.
 */
#include "data/output.h"

#include "data/path.h"
#include "io/names/rename.h"
#include "report.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// A name in the folder of `path` that nothing has.
static char *
choose_temporary(const char *path)
{
    const int folder = (int)path_folder_size(path);
    const size_t size = (size_t)folder + 64;
    char *name = malloc(size);
    struct stat st;

    for (int i = 0; name && i < 1000; i++) {
        (void)snprintf(name, size, "%.*s.tess-%ld-%d.tmp", folder, path, (long)getpid(), i);
        if (lstat(name, &st) != 0)
            return name;
    }
    free(name);
    errno = name ? EEXIST : ENOMEM;
    return NULL;
}

static tess_status
check_folder(const char *path, tess_error *err)
{
    const int size = (int)path_folder_size(path);
    char *const folder = strndup(path, (size_t)size);
    tess_status st = TESS_OK;

    if (!folder)
        return report_nomem(err, size);
    if (size > 0 && access(folder, F_OK) != 0)
        st = report_set(err, TESS_ERR_IO, "there is no directory %.200s to write it to", folder);
    else if (access(size > 0 ? folder : ".", W_OK | X_OK) != 0)
        st = report_errno(err, "its directory cannot be written");
    free(folder);
    return st;
}

// HDF5 locks the files that it has open, others for writing alone. Where that is not possible,
// still_same() is all there is.
static tess_status
hold(struct output *o, tess_error *err)
{
    o->held = open(o->path, O_RDONLY | O_CLOEXEC);
    if (o->held < 0)
        return report_errno(err, "cannot be read");
    o->changes = true;
    if (fstat(o->held, &o->was) != 0)
        return report_errno(err, "cannot be read");
    if (flock(o->held, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return report_set(err, TESS_ERR_IO, "another program has it open for writing");
    return TESS_OK;
}

static tess_status
check_replaceable(const struct output *o, const char *path, tess_error *err)
{
    return o->tree ? path_check_tree(path, err) : path_check_replaceable(path, err);
}

tess_status
output_open(struct output *o, const char *path, enum output_kind kind, bool force, tess_error *err)
{
    struct stat info;
    tess_status st = TESS_OK;

    *o = (struct output){.force = force, .tree = kind == OUTPUT_TREE};
    if (strcmp(path, "-") == 0)
        return report_set(err, TESS_ERR_ARG,
                          "not to standard output, only to a file or directory; tess export writes "
                          "items to a pipe");
    if (stat(path, &info) == 0) {
        o->mode = info.st_mode;
        o->path = realpath(path, NULL); // what a link points to is replaced, not the link
    } else {
        if (kind == OUTPUT_FILE && path[0] && path[strlen(path) - 1] == '/')
            return report_set(err, TESS_ERR_IO, "is the name of a directory, not of a file");
        o->path = strdup(path); // rename() lets that of a directory end in '/'
    }
    if (!o->path)
        return report_errno(err, "cannot be written");
    TRY(check_replaceable(o, o->path, err));
    if (kind == OUTPUT_CHANGED) {
        o->force = o->mode != 0;
        if (o->force && !S_ISREG(o->mode))
            return report_set(err, TESS_ERR_IO, "is a directory, not a file");
        if (o->force)
            TRY(hold(o, err));
    }
    if (o->mode != 0 && !o->force)
        return report_set(err, TESS_ERR_IO, "exists; --force replaces it");
    TRY(check_folder(o->path, err));
    o->temporary = choose_temporary(o->path);
    if (!o->temporary)
        return report_errno(err, "cannot be written");
    signals_remove(o->temporary);
out:
    return st;
}

// The mode of what it replaces, if that is of the same type.
static bool
keep_mode(const struct output *o)
{
    struct stat info;

    if (o->mode == 0)
        return true;
    if (lstat(o->temporary, &info) != 0)
        return false;
    return (info.st_mode & S_IFMT) != (o->mode & S_IFMT) ||
           chmod(o->temporary, o->mode & 07777) == 0;
}

// What is here is not ours to remove any more.
static void
forget(struct output *o)
{
    free(o->temporary);
    o->temporary = NULL;
    signals_remove(NULL);
}

// Where a directory is involved, rename() replaces next to nothing: both names change at once then,
// and the old thing has the temporary one. It is looked at again, since it may be another by now.
static tess_status
exchange_names(struct output *o, tess_error *err)
{
    if (!rename_exchange(AT_FDCWD, o->temporary, o->path))
        return report_errno(err,
                            rename_is_unknown(errno)
                                ? "the file system cannot exchange names, as replacing it needs"
                                : "cannot be given its name");
    const tess_status st = check_replaceable(o, o->temporary, err);
    if (st != TESS_OK && !rename_exchange(AT_FDCWD, o->temporary, o->path))
        forget(o);
    return st;
}

static tess_status
take_name(struct output *o, tess_error *err)
{
    if (o->force ? rename(o->temporary, o->path) == 0 : rename_new(AT_FDCWD, o->temporary, o->path))
        return TESS_OK;
    if (o->force && (errno == EISDIR || errno == ENOTDIR || errno == ENOTEMPTY || errno == EEXIST))
        return exchange_names(o, err);
    return report_errno(err, "cannot be given its name");
}

// Whether the file that was copied is still there, and as it was then.
static bool
still_same(const struct output *o)
{
    struct stat is;

    return stat(o->path, &is) == 0 && is.st_dev == o->was.st_dev && is.st_ino == o->was.st_ino &&
           is.st_size == o->was.st_size && is.st_mtim.tv_sec == o->was.st_mtim.tv_sec &&
           is.st_mtim.tv_nsec == o->was.st_mtim.tv_nsec;
}

// What was replaced stays if it is there at all: rename() has removed it, an exchange has not.
static tess_status
report_name_unsynced(const struct output *o, tess_error *err)
{
    static const char what[] = "is complete, but its name may be lost if the machine stops";
    struct stat info;
    const int error = errno;

    if (lstat(o->temporary, &info) != 0) {
        errno = error;
        return report_errno(err, what);
    }
    return report_set(err, TESS_ERR_IO, "%s: %s; what it replaces is now %s", what, strerror(error),
                      o->temporary);
}

tess_status
output_publish(struct output *o, tess_error *err)
{
    sigset_t all, before;

    if (!path_sync(o->temporary))
        return report_errno(err, "cannot be brought to the disk");
    if (!keep_mode(o))
        return report_errno(err, "cannot keep its mode");
    if (o->changes && !still_same(o))
        return report_set(err, TESS_ERR_STALE, "was changed by another program meanwhile");

    // While the old thing may have the temporary name, no signal removes it unseen.
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    tess_status st = take_name(o, err);
    if (st == TESS_OK) {
        if (!path_sync_name(o->path))
            st = report_name_unsynced(o, err);
        else if (!path_remove(o->temporary) && errno != ENOENT)
            st = report_errno(err, "is complete, but what it replaces cannot be removed");
        forget(o);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return st;
}

void
output_close(struct output *o)
{
    if (o->temporary)
        path_remove_family(o->temporary);
    if (o->changes)
        (void)close(o->held);
    forget(o);
    free(o->path);
    *o = (struct output){0};
}
