/*
 * below.c - files below a directory get other names, with the directories that these need.
 */
#include "io/names/below.h"

#include "base/error.h"
#include "io/open_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BELOW_NAME_SIZE = 4096 + 256 };

// The name up to the slash at `at`, which is inside it.
static tess_status
front_of_name(const char *name, const char *at, char *front, tess_error *err)
{
    const size_t size = (size_t)(at - name);
    if (size >= BELOW_NAME_SIZE)
        return err_sys(err, ENAMETOOLONG, "%s", name);
    memcpy(front, name, size);
    front[size] = '\0';
    return TESS_OK;
}

// Directories in front of a name that are links lead elsewhere.
static tess_status
check_parents(int root, const char *name, tess_error *err)
{
    char front[BELOW_NAME_SIZE];
    for (const char *at = strchr(name, '/'); at; at = strchr(at + 1, '/')) {
        const tess_status st = front_of_name(name, at, front, err);
        if (st != TESS_OK)
            return st;
        if (below_is_link(root, front))
            return err_set(err, TESS_ERR_CORRUPT, -1, "%s is a symbolic link, not a directory",
                           front);
    }
    return TESS_OK;
}

bool
below_is_link(int root, const char *name)
{
    struct stat info;
    return fstatat(root, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

bool
below_is_directory(int root, const char *name)
{
    struct stat info;
    return fstatat(root, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

tess_status
below_find(int root, const char *name, bool *is_file, tess_error *err)
{
    struct stat info;
    *is_file = false;
    const tess_status st = check_parents(root, name, err);
    if (st != TESS_OK)
        return st;
    if (fstatat(root, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT || errno == ENOTDIR ? TESS_OK
                                                   : err_sys(err, errno, "looking at %s", name);
    *is_file = S_ISREG(info.st_mode);
    return TESS_OK;
}

// Whether a part of a name, up to a slash, is not longer than the file system takes.
static tess_status
check_part(int root, const char *part, tess_error *err)
{
    const long most = fpathconf(root, _PC_NAME_MAX);
    const size_t size = strcspn(part, "/");
    return most > 0 && size > (size_t)most ? err_sys(err, ENAMETOOLONG, "%.*s", (int)size, part)
                                           : TESS_OK;
}

tess_status
below_check_new(int root, const char *name, tess_error *err)
{
    char front[BELOW_NAME_SIZE];
    struct stat info;
    const char *part = name;
    tess_status st = TESS_OK;
    for (const char *at; st == TESS_OK && (at = strchr(part, '/')); part = at + 1) {
        st = check_part(root, part, err);
        if (st == TESS_OK)
            st = front_of_name(name, at, front, err);
        if (st == TESS_OK && fstatat(root, front, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            !S_ISDIR(info.st_mode))
            st = err_sys(err, ENOTDIR, "%s", front);
    }
    if (st == TESS_OK)
        st = check_part(root, part, err);
    if (st != TESS_OK)
        return st;
    if (fstatat(root, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? TESS_OK : err_sys(err, errno, "looking at %s", name);
    return S_ISREG(info.st_mode) ? TESS_OK
                                 : err_sys(err, EEXIST, "%s is a %s, and no file", name,
                                           S_ISDIR(info.st_mode) ? "directory" : "link or device");
}

static tess_status
make_directories(int root, const char *name, bool durable, tess_error *err)
{
    char front[BELOW_NAME_SIZE];
    bool made = false;
    for (const char *at = strchr(name, '/'); at; at = strchr(at + 1, '/')) {
        const tess_status st = front_of_name(name, at, front, err);
        if (st != TESS_OK)
            return st;
        const int result = mkdirat(root, front, 0777);
        if (result != 0 && errno != EEXIST)
            return err_sys(err, errno, "making the directory %s", front);
        made |= result == 0;
    }
    return made && durable ? below_sync_parents(root, name, "", err) : TESS_OK;
}

void
below_remove_directories(int root, const char *name)
{
    char front[BELOW_NAME_SIZE];
    const char *at = strrchr(name, '/');
    if (!at || front_of_name(name, at, front, NULL) != TESS_OK)
        return;
    while (unlinkat(root, front, AT_REMOVEDIR) == 0) {
        char *const slash = strrchr(front, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

tess_status
below_move(int root, const char *from, const char *to, bool durable, tess_error *err)
{
    tess_status st = check_parents(root, from, err);
    if (st == TESS_OK)
        st = check_parents(root, to, err);
    if (st == TESS_OK)
        st = make_directories(root, to, durable, err);
    if (st != TESS_OK)
        return st;
    if (renameat(root, from, root, to) != 0)
        return errno == ENOENT ? err_set(err, TESS_ERR_NOT_FOUND, -1, "there is no %s", from)
                               : err_sys(err, errno, "renaming %s to %s", from, to);
    return TESS_OK;
}

tess_status
below_remove(int root, const char *name, tess_error *err)
{
    const tess_status st = check_parents(root, name, err);
    if (st == TESS_OK && unlinkat(root, name, 0) != 0 && errno != ENOENT)
        return err_sys(err, errno, "removing %s", name);
    return st;
}

tess_status
below_clear(int root, const char *directory, tess_error *err)
{
    struct dirent *entry;
    const int fd =
        open_files_at(root, directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd < 0)
        return errno == ENOENT ? TESS_OK
                               : err_sys(err, errno, "opening the directory %s", directory);
    DIR *const list = fdopendir(fd);
    if (!list) {
        const int error = errno;
        close(fd);
        return err_sys(err, error, "reading the directory %s", directory);
    }
    while ((entry = readdir(list)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(fd, entry->d_name, 0);
    closedir(list);
    return TESS_OK;
}

tess_status
below_make_directory(int root, const char *name, tess_error *err)
{
    const tess_status st = check_parents(root, name, err);
    if (st == TESS_OK && mkdirat(root, name, 0777) != 0 && errno != EEXIST)
        return err_sys(err, errno, "making the directory %s", name);
    if (st == TESS_OK && below_is_link(root, name))
        return err_set(err, TESS_ERR_CORRUPT, -1, "%s is a symbolic link, not a directory", name);
    return st;
}

tess_status
below_sync(int root, const char *directory, tess_error *err)
{
    int result;
    const int fd = open_files_at(root, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0)
        return errno == ENOENT ? TESS_OK
                               : err_sys(err, errno, "opening the directory %s", directory);
    do
        result = fsync(fd);
    while (result != 0 && errno == EINTR);
    const int error = errno;
    close(fd);
    return result == 0 ? TESS_OK : err_sys(err, error, "bringing %s to the disk", directory);
}

tess_status
below_sync_parents(int root, const char *name, const char *done, tess_error *err)
{
    char front[BELOW_NAME_SIZE];
    const char *at = strchr(name, '/');
    size_t same = 0; // bytes that both begin with
    while (name[same] && name[same] == done[same])
        same++;
    tess_status st = done[0] ? TESS_OK : below_sync(root, ".", err);
    for (; at && st == TESS_OK; at = strchr(at + 1, '/')) {
        if ((size_t)(at - name) < same)
            continue;
        st = front_of_name(name, at, front, err);
        if (st == TESS_OK)
            st = below_sync(root, front, err);
    }
    return st;
}

tess_status
below_hide(int root, const char *name, size_t size, tess_error *err)
{
    static const char zeros[64];
    tess_status st = check_parents(root, name, err);
    if (st != TESS_OK)
        return st;
    const int fd = open_files_at(root, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0)
        return errno == ENOENT ? TESS_OK : err_sys(err, errno, "opening %s", name);
    ssize_t n;
    do
        n = pwrite(fd, zeros, size < sizeof zeros ? size : sizeof zeros, 0);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        st = err_sys(err, errno, "writing to %s", name);
    close(fd);
    return st;
}
