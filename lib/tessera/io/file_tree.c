/*
 * file_tree.c - all files below a directory of the file system.
 *
 * Directories are opened from their parents, without following links: a walk stays below its
 * directory, and ends.
 */
#include "io/file_tree.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DEPTH_MAX = 64,
    NAME_SIZE = 4096 + 256,
};

struct file_tree {
    const char *index;
    file_tree_fn *fn;
    void *user;
    char name[NAME_SIZE]; // of what is looked at
};

static tess_status tree_walk_directory(struct file_tree *t, int fd, size_t length, int depth,
                                       tess_error *err);

static bool
has_index(int fd, const char *index)
{
    struct stat st;
    return fstatat(fd, index, &st, 0) == 0 && S_ISREG(st.st_mode);
}

static tess_status
tell_found(const struct file_tree *t, enum file_tree_kind kind, size_t length, int64_t size,
           tess_error *err)
{
    const struct file_tree_found found = {kind, t->name, length, size};
    return t->fn(t->user, &found, err);
}

static tess_status
enter_directory(struct file_tree *t, int parent, const char *last, size_t length, int depth,
                tess_error *err)
{
    const int fd = openat(parent, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && (errno == ENOENT || errno == ELOOP || errno == ENOTDIR))
        return TESS_OK; // it went away, or is another thing by now
    if (fd < 0)
        return errno == EACCES ? tell_found(t, FILE_TREE_CLOSED, length, 0, err)
                               : err_sys(err, errno, "opening the directory %s", t->name);
    const bool is_folder = has_index(fd, t->index);
    if (!is_folder && depth < DEPTH_MAX)
        return tree_walk_directory(t, fd, length, depth + 1, err);
    close(fd);
    return tell_found(t, is_folder ? FILE_TREE_FOLDER : FILE_TREE_BEYOND, length, 0, err);
}

// A name in a directory whose own name has `length` bytes.
static tess_status
look_at_name(struct file_tree *t, int fd, const char *last, size_t length, int depth,
             tess_error *err)
{
    struct stat st;
    size_t size = strlen(last);
    const bool fits = length + size < NAME_SIZE - 1; // with a slash behind it
    if (!fits)
        size = NAME_SIZE - 2 - length;
    memcpy(t->name + length, last, size);
    t->name[length += size] = '\0';
    if (!fits)
        return tell_found(t, FILE_TREE_BEYOND, length, 0, err);
    if (fstatat(fd, last, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? TESS_OK // it went away
                               : tell_found(t, FILE_TREE_CLOSED, length, 0, err);
    if (S_ISDIR(st.st_mode))
        return enter_directory(t, fd, last, length, depth, err);
    if (S_ISLNK(st.st_mode) && (fstatat(fd, last, &st, 0) != 0 || !S_ISREG(st.st_mode)))
        return tell_found(t, FILE_TREE_LINK, length, 0, err);
    const bool is_file = S_ISREG(st.st_mode);
    return tell_found(t, is_file ? FILE_TREE_FILE : FILE_TREE_OTHER, length,
                      is_file ? st.st_size : 0, err);
}

// fd belongs to this function.
static tess_status
tree_walk_directory(struct file_tree *t, int fd, size_t length, int depth, tess_error *err)
{
    DIR *const directory = fdopendir(fd);
    if (!directory) {
        const int error = errno;
        close(fd);
        return err_sys(err, error, "reading the directory %s", t->name);
    }
    if (length > 0)
        t->name[length++] = '/';
    tess_status st = TESS_OK;
    struct dirent *entry = NULL;
    while (st == TESS_OK && (errno = 0, entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            st = look_at_name(t, fd, entry->d_name, length, depth, err);
    if (st == TESS_OK && errno != 0)
        st = err_sys(err, errno, "reading the directory %.*s", (int)length, t->name);
    closedir(directory);
    return st;
}

tess_status
file_tree_walk(const char *path, const char *index, file_tree_fn *fn, void *user, tess_error *err)
{
    struct file_tree t = {.index = index, .fn = fn, .user = user};
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_open(err, errno, "%s", path);
    if (!has_index(fd, index))
        return tree_walk_directory(&t, fd, 0, 0, err);
    close(fd);
    return err_set(err, TESS_ERR_FORMAT, -1, "a directory with the file %s", index);
}
