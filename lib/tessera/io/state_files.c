/*
 * state_files.c - states of a directory, each in a file that says what is of it.
 */
#include "io/state_files.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/names/path.h"
#include "io/open_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DIGITS = 20,

    FILE_NAME_SIZE = DIGITS + STATE_NAME_SIZE + 16,
};

static const char WRITER[] = "writer";
static const char DRAFT[] = "draft";
static const char *const endings[] = {
    [STATE_DONE] = "",
    [STATE_COMMITTED] = ".commit",
    [STATE_MOVED] = ".moved",
};

// -- names of files

static void
state_name(const struct state_file *file, char *name)
{
    snprintf(name, FILE_NAME_SIZE, "%020" PRIu64 "%s%s%s", file->number, endings[file->phase],
             file->name[0] ? "=" : "", file->name);
}

// False: no name of a state.
static bool
parse_name(const char *name, struct state_file *file)
{
    *file = (struct state_file){0};
    if (strspn(name, "0123456789") != DIGITS)
        return false;
    errno = 0;
    file->number = strtoull(name, NULL, 10);
    const char *const rest = name + DIGITS;
    if (errno != 0)
        return false;
    if (*rest == '=' && state_files_is_name(rest + 1)) {
        strcpy(file->name, rest + 1);
        return true;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strcmp(rest, endings[i]) == 0) {
            file->phase = (enum state_phase)i;
            return true;
        }
    return false;
}

bool
state_files_is_name(const char *name)
{
    static const char *const arrays[] = {".b2nd", ".b2f", ".b2b"};
    const size_t size = strlen(name);
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)name[i] <= ' ' || name[i] == '/' || name[i] == 0x7f)
            return false;
    // python-blosc2 would take such a file for an array.
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (size >= strlen(arrays[i]) && strcmp(name + size - strlen(arrays[i]), arrays[i]) == 0)
            return false;
    return size > 0 && size < STATE_NAME_SIZE;
}

// -- open and close

static int
open_state_folder(int parent, const char *name)
{
    const int link = strcmp(name, STATE_FOLDER) == 0 ? O_NOFOLLOW : 0;
    return open_files_at(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | link, 0);
}

static tess_status
sync_directory(int fd, const char *name, tess_error *err)
{
    int result;
    do
        result = fsync(fd);
    while (result != 0 && errno == EINTR);
    return result == 0 ? TESS_OK : err_sys(err, errno, "bringing %s to the disk", name);
}

static tess_status
lock_writer(struct state_files *s, tess_error *err)
{
    tess_status st = TESS_OK;
    if (mkdirat(s->root, STATE_FOLDER, 0777) == 0)
        st = sync_directory(s->root, "the directory", err);
    else if (errno != EEXIST)
        st = err_sys(err, errno, "making the directory %s", STATE_FOLDER);
    if (st != TESS_OK)
        return st;
    s->folder = open_state_folder(s->root, STATE_FOLDER);
    if (s->folder < 0)
        return err_sys(err, errno, "opening the directory %s", STATE_FOLDER);
    s->writer = open_files_at(s->folder, WRITER, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (s->writer < 0)
        return err_sys(err, errno, "opening %s/%s", STATE_FOLDER, WRITER);
    return io_lock_acquire(&s->lock, s->writer, err);
}

static tess_status
make_root(const char *path, tess_error *err)
{
    char *const parent = io_parent(path);
    if (!parent)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    if (mkdir(path, 0777) != 0) {
        mem_free(parent);
        return err_sys(err, errno, "making the directory");
    }
    const int fd = open_state_folder(AT_FDCWD, parent);
    const tess_status st = fd >= 0 ? sync_directory(fd, parent, err)
                                   : err_sys(err, errno, "opening the directory %s", parent);
    if (fd >= 0)
        close(fd);
    mem_free(parent);
    return st;
}

tess_status
state_files_open(struct state_files *s, const char *path, bool writable, bool make, tess_error *err)
{
    *s = (struct state_files){.root = -1, .folder = -1, .writer = -1};
    if (make) {
        const tess_status st = make_root(path, err);
        if (st != TESS_OK)
            return st;
    }
    s->root = open_state_folder(AT_FDCWD, path);
    if (s->root < 0)
        return err_open(err, errno, "opening the directory");
    if (!writable) {
        s->folder = open_state_folder(s->root, STATE_FOLDER);
        if (s->folder >= 0 || errno == ENOENT || errno == ENOTDIR)
            return TESS_OK;
    }
    const tess_status st = writable ? lock_writer(s, err)
                                    : err_sys(err, errno, "opening the directory %s", STATE_FOLDER);
    if (st != TESS_OK)
        state_files_close(s);
    return st;
}

static void
close_if(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void
state_files_close(struct state_files *s)
{
    io_lock_release(&s->lock, s->writer);
    close_if(&s->writer);
    close_if(&s->folder);
    close_if(&s->root);
}

// -- the list

static int
by_state_number(const void *a, const void *b)
{
    const struct state_file *const x = a, *const y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static tess_status
add_state(struct state_file **list, size_t *n, size_t *room, const struct state_file *file,
          tess_error *err)
{
    if (*n == *room) {
        const size_t more = *room > 0 ? 2 * *room : 4;
        struct state_file *const longer = mem_resize(*list, more * sizeof *longer);
        if (!longer)
            return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu states", more);
        *list = longer;
        *room = more;
    }
    (*list)[(*n)++] = *file;
    return TESS_OK;
}

tess_status
state_files_list(const struct state_files *s, struct state_file **list, size_t *n, tess_error *err)
{
    size_t room = 0;
    struct dirent *entry;
    struct state_file file;
    tess_status st = TESS_OK;
    *list = NULL;
    *n = 0;
    if (s->folder < 0)
        return TESS_OK;
    const int fd = open_state_folder(s->folder, ".");
    DIR *const directory = fd >= 0 ? fdopendir(fd) : NULL;
    if (!directory) {
        st = err_sys(err, errno, "reading the directory %s", STATE_FOLDER);
        if (fd >= 0)
            close(fd);
        return st;
    }
    while (st == TESS_OK && (errno = 0, entry = readdir(directory)))
        if (parse_name(entry->d_name, &file))
            st = add_state(list, n, &room, &file, err);
    if (st == TESS_OK && errno != 0)
        st = err_sys(err, errno, "reading the directory %s", STATE_FOLDER);
    closedir(directory);
    if (st != TESS_OK) {
        mem_free(*list);
        *list = NULL;
        *n = 0;
    } else if (*n > 1) {
        qsort(*list, *n, sizeof **list, by_state_number);
    }
    return st;
}

// -- one state

static tess_status
read_all(int fd, const char *name, int64_t memory, uint8_t **bytes, size_t *size, tess_error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return err_sys(err, errno, "asking for the size of %s", name);
    if (!S_ISREG(info.st_mode))
        return err_set(err, TESS_ERR_CORRUPT, -1, "%s is no file", name);
    if (info.st_nlink == 0)
        return err_set(err, TESS_ERR_NOT_FOUND, -1, "%s was removed", name);
    if (info.st_size > memory)
        return err_set(err, TESS_ERR_LIMIT, -1, "%s has %" PRId64 " bytes, the limit is %" PRId64,
                       name, (int64_t)info.st_size, memory);
    uint8_t *const own = mem_alloc((size_t)info.st_size + 1);
    if (!own)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bytes",
                       (int64_t)info.st_size);
    size_t done = 0;
    while (done < (size_t)info.st_size) {
        const ssize_t n = pread(fd, own + done, (size_t)info.st_size - done, (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            mem_free(own);
            return err_sys(err, n < 0 ? errno : EIO, "reading %s", name);
        }
        done += (size_t)n;
    }
    *bytes = own;
    *size = done;
    return TESS_OK;
}

// A file system without locks: there is one reader less that a writer knows of.
static int
lock_shared(int fd)
{
    int result;
    do
        result = flock(fd, LOCK_SH);
    while (result != 0 && errno == EINTR);
    return result;
}

tess_status
state_files_read(const struct state_files *s, const struct state_file *file, int64_t memory,
                 int *fd, uint8_t **bytes, size_t *size, tess_error *err)
{
    char name[FILE_NAME_SIZE];
    state_name(file, name);
    *bytes = NULL;
    *size = 0;
    *fd = open_files_at(s->folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (*fd < 0 && errno == ENOENT)
        return err_set(err, TESS_ERR_NOT_FOUND, -1, "%s was removed", name);
    if (*fd < 0)
        return err_sys(err, errno, "opening %s/%s", STATE_FOLDER, name);
    (void)lock_shared(*fd);
    const tess_status st = read_all(*fd, name, memory, bytes, size, err);
    if (st != TESS_OK)
        close_if(fd);
    return st;
}

void
state_files_unlock(int fd)
{
    close_if(&fd);
}

static tess_status
write_draft(int fd, const uint8_t *bytes, size_t size, bool durable, tess_error *err)
{
    int result;
    for (size_t done = 0; done < size;) {
        const ssize_t n = pwrite(fd, bytes + done, size - done, (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return err_sys(err, n < 0 ? errno : ENOSPC, "writing the state of the store");
        done += (size_t)n;
    }
    if (!durable)
        return TESS_OK;
    do
        result = fsync(fd);
    while (result != 0 && errno == EINTR);
    return result == 0 ? TESS_OK
                       : err_sys(err, errno, "bringing the state of the store to the disk");
}

tess_status
state_files_sync(const struct state_files *s, tess_error *err)
{
    return sync_directory(s->folder, STATE_FOLDER, err);
}

tess_status
state_files_commit(const struct state_files *s, uint64_t number, const uint8_t *bytes, size_t size,
                   bool durable, tess_error *err)
{
    const struct state_file file = {.number = number, .phase = STATE_COMMITTED};
    char name[FILE_NAME_SIZE];
    state_name(&file, name);
    (void)unlinkat(s->folder, DRAFT, 0);
    const int fd = open_files_at(s->folder, DRAFT, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_sys(err, errno, "making %s/%s", STATE_FOLDER, DRAFT);
    tess_status st = write_draft(fd, bytes, size, durable, err);
    close(fd);
    if (st == TESS_OK && renameat(s->folder, DRAFT, s->folder, name) != 0)
        st = err_sys(err, errno, "renaming %s/%s", STATE_FOLDER, DRAFT);
    if (st != TESS_OK)
        (void)unlinkat(s->folder, DRAFT, 0);
    return st;
}

tess_status
state_files_rename(const struct state_files *s, struct state_file *file,
                   const struct state_file *to, tess_error *err)
{
    char from_name[FILE_NAME_SIZE], to_name[FILE_NAME_SIZE];
    state_name(file, from_name);
    state_name(to, to_name);
    if (renameat(s->folder, from_name, s->folder, to_name) != 0)
        return err_sys(err, errno, "renaming %s/%s to %s", STATE_FOLDER, from_name, to_name);
    *file = *to;
    return TESS_OK;
}

bool
state_files_drop(const struct state_files *s, const struct state_file *file)
{
    char name[FILE_NAME_SIZE];
    int result;
    state_name(file, name);
    const int fd = open_files_at(s->folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0)
        return errno == ENOENT;
    do
        result = flock(fd, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    // Without locks nobody can say that it is read, as nobody can of an array.
    const bool no_locks = result != 0 && (errno == ENOLCK || errno == EOPNOTSUPP ||
                                          errno == EINVAL || errno == ENOSYS);
    const bool gone = (result == 0 || no_locks) && unlinkat(s->folder, name, 0) == 0;
    close(fd);
    return gone;
}
