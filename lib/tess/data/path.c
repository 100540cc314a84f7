/*
 * path.c - what stands at a path: a file, or a directory with files in it.
 *
 * path_remove() and path_remove_family() run in signal handlers: all they call is safe there. That
 * is why directories are read with a bare system call, and not with readdir(), which allocates. Not
 * every C library has a function for it.
 */
#include "data/path.h"

#include "report.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Returns false to stop.
typedef bool visit_fn(int folder, const char *name, void *arg);

// An entry of a directory, as the kernel writes it.
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t length; // of all, up to the next one
    uint8_t type;
    char name[]; // up to a 0
};

// Calls `visit` with each name in an open directory; false if it stopped or a read failed.
static bool
for_each_name(int folder, visit_fn *visit, void *arg)
{
    char entries[4096];
    long size;

    if (lseek(folder, 0, SEEK_SET) != 0)
        return false;
    while ((size = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
        uint16_t length;

        for (long at = 0; at < size; at += length) {
            const char *const name = entries + at + offsetof(struct entry, name);

            memcpy(&length, entries + at + offsetof(struct entry, length), sizeof length);
            if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !visit(folder, name, arg))
                return false;
        }
    }
    return size == 0;
}

size_t
path_folder_size(const char *path)
{
    size_t size = strlen(path);

    while (size > 1 && path[size - 1] == '/')
        size--;
    while (size > 0 && path[size - 1] != '/')
        size--;
    return size;
}

struct contents {
    bool index; // the file that makes a directory an array
    bool rest; // its other files
    bool foreign;
};

static bool
is_chunk_name(const char *name)
{
    enum { DIGITS = 8 };
    int n = 0;

    while (n < DIGITS && isxdigit((unsigned char)name[n]))
        n++;
    return n == DIGITS && strcmp(name + DIGITS, ".chunk") == 0;
}

bool
path_is_sparse(const char *path)
{
    DIR *const dir = opendir(path);
    const struct dirent *entry;
    bool sparse = false;

    if (!dir)
        return false;
    while (!sparse && (entry = readdir(dir)))
        sparse = strcmp(entry->d_name, "chunks.b2frame") == 0 || is_chunk_name(entry->d_name);
    closedir(dir);
    return sparse;
}

static bool
note_name(int folder, const char *name, void *arg)
{
    struct contents *c = arg;
    struct stat st;

    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    if (!S_ISREG(st.st_mode))
        c->foreign = true;
    else if (strcmp(name, "chunks.b2frame") == 0)
        c->index = true;
    else if (is_chunk_name(name) || strcmp(name, "chunks.b2frame.tmp") == 0 ||
             strcmp(name, ".b2lock") == 0) // what a writer may have left, or c-blosc2's lock
        c->rest = true;
    else
        c->foreign = true;
    return true;
}

tess_status
path_check_replaceable(const char *path, tess_error *err)
{
    struct contents c = {0};
    struct stat st;

    if (lstat(path, &st) != 0 || S_ISREG(st.st_mode))
        return TESS_OK;
    if (!S_ISDIR(st.st_mode))
        return report_set(err, TESS_ERR_IO, "exists, and is neither a file nor a directory");

    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const bool known = folder >= 0 && faccessat(folder, ".", W_OK | X_OK, 0) == 0 &&
                       for_each_name(folder, note_name, &c);
    if (!known)
        (void)report_errno(err, "exists, and its files cannot be removed");
    if (folder >= 0)
        (void)close(folder);
    if (!known)
        return err->status;
    if (c.foreign || (c.rest && !c.index))
        return report_set(err, TESS_ERR_IO,
                          "exists, and is a directory that holds something else than an array");
    return TESS_OK;
}

#define TREE_DEPTH_MAX 70 // directories inside each other

struct tree_look {
    int depth;
    bool good;
};

static bool look_into(int parent, const char *name, int depth);

static bool
has_array_name(const char *name)
{
    const size_t size = strlen(name);
    return size > 5 && strcmp(name + size - 5, ".b2nd") == 0;
}

static bool
look_at_name(int folder, const char *name, void *arg)
{
    struct tree_look *const look = arg;
    struct stat st;

    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        look->good = false;
    else if (S_ISREG(st.st_mode))
        look->good = has_array_name(name) || strcmp(name, "group.json") == 0 ||
                     strcmp(name, "group.json.part") == 0; // of a writer that was killed
    else
        look->good = S_ISDIR(st.st_mode) && look_into(folder, name, look->depth + 1);
    return look->good;
}

// Whether a directory is a sparse array, or holds what a tree does.
static bool
look_into(int parent, const char *name, int depth)
{
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct tree_look look = {.depth = depth, .good = depth < TREE_DEPTH_MAX};
    struct contents c = {0};

    if (folder < 0)
        return false;
    if (look.good && has_array_name(name))
        look.good = for_each_name(folder, note_name, &c) && !c.foreign && c.index;
    else if (look.good)
        look.good = for_each_name(folder, look_at_name, &look) && look.good;
    (void)close(folder);
    return look.good;
}

tess_status
path_check_tree(const char *path, tess_error *err)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return TESS_OK;
    if (S_ISDIR(st.st_mode) && look_into(AT_FDCWD, path, 0))
        return TESS_OK;
    return report_set(err, TESS_ERR_IO,
                      "exists, and is no directory that holds arrays and nothing else");
}

int64_t
path_size(const char *path)
{
    const struct dirent *entry;
    int64_t size = 0;
    struct stat st;

    if (stat(path, &st) != 0)
        return -1;
    if (!S_ISDIR(st.st_mode))
        return st.st_size;
    DIR *const dir = opendir(path);
    if (!dir)
        return -1;
    while ((entry = readdir(dir)))
        if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode))
            size += st.st_size;
    (void)closedir(dir);
    return size;
}

// By the kernel where it can: some file systems then share the bytes instead of copying them.
static bool
copy_bytes(int from, int to)
{
    enum { SIZE = 1 << 20 };
    uint8_t *buffer = NULL;
    ssize_t size;

    while ((size = copy_file_range(from, NULL, to, NULL, (size_t)1 << 30, 0)) > 0) {
    }
    if (size < 0 && (errno == ENOSYS || errno == EINVAL || errno == EXDEV || errno == EOPNOTSUPP)) {
        buffer = malloc(SIZE);
        while (buffer && (size = read(from, buffer, SIZE)) > 0)
            for (ssize_t done = 0, n; done < size; done += n) {
                n = write(to, buffer + done, (size_t)(size - done));
                if (n < 0) {
                    free(buffer);
                    return false;
                }
            }
        free(buffer);
    }
    return size == 0;
}

tess_status
path_copy(const char *from, const char *to, tess_error *err)
{
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    const int out = in >= 0 ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    const bool copied = out >= 0 && copy_bytes(in, out);
    tess_status st = copied ? TESS_OK : report_errno(err, "cannot be copied to be changed");

    if (out >= 0 && close(out) != 0 && copied)
        st = report_errno(err, "cannot be copied to be changed");
    if (in >= 0)
        (void)close(in);
    return st;
}

// A directory goes with its whole file system, which is one wait instead of one per file: with many
// chunks those take longer than the import.
bool
path_sync(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return false;
    const bool synced =
        fstat(fd, &st) == 0 && (S_ISDIR(st.st_mode) ? syncfs(fd) == 0 : fsync(fd) == 0);
    (void)close(fd);
    return synced;
}

// A file system that does not know syncs of directories keeps nothing back.
static bool
sync_directory(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL;
}

bool
path_sync_name(const char *path)
{
    const size_t size = path_folder_size(path);
    char *const folder = size > 0 ? strndup(path, size) : strdup(".");
    if (!folder)
        return false;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool readable = fd >= 0 || errno != EACCES;
    free(folder);
    if (!readable)
        fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool synced = readable ? sync_directory(fd) : syncfs(fd) == 0;
    const int error = errno;
    (void)close(fd);
    errno = error;
    return synced;
}

static bool remove_at(int parent, const char *name);

static bool
remove_name(int folder, const char *name, void *arg)
{
    bool *removed = arg;

    if (unlinkat(folder, name, 0) == 0 || remove_at(folder, name))
        *removed = true;
    return true;
}

// Some file systems pass over names when others are removed meanwhile: once more then.
static bool
remove_at(int parent, const char *name)
{
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool removed = false, gone = false;

    if (folder < 0)
        return unlinkat(parent, name, 0) == 0;
    do {
        removed = false;
        (void)for_each_name(folder, remove_name, &removed);
        gone = unlinkat(parent, name, AT_REMOVEDIR) == 0;
    } while (!gone && removed);
    (void)close(folder);
    return gone;
}

// A slash at the end would have a link followed.
bool
path_remove(const char *path)
{
    char name[PATH_MAX];
    size_t size = strlen(path);

    while (size > 1 && path[size - 1] == '/')
        size--;
    if (size >= sizeof name) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(name, path, size);
    name[size] = '\0';
    return remove_at(AT_FDCWD, name);
}

static bool
remove_beginning(int folder, const char *name, void *arg)
{
    const char *const beginning = arg;

    if (strncmp(name, beginning, strlen(beginning)) == 0)
        (void)remove_at(folder, name);
    return true;
}

void
path_remove_family(const char *path)
{
    const size_t size = path_folder_size(path);
    char folder[PATH_MAX] = ".", name[NAME_MAX + 1];

    if (size >= sizeof folder || strlen(path + size) >= sizeof name)
        return; // no system call takes such a path
    if (size > 0) {
        memcpy(folder, path, size);
        folder[size] = '\0';
    }
    memcpy(name, path + size, strlen(path + size) + 1);
    (void)path_remove(path);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)for_each_name(fd, remove_beginning, name);
        (void)close(fd);
    }
}
