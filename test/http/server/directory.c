/*
 * directory.c - objects that are files of a directory.
 *
 * A tag is made of the size, the inode and the time of change. The kernel's own times may be the
 * same for some milliseconds, so put sets the time.
 */
#include "http/server/directory.h"

#include "http/server/printed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The path of a name; free() it. NULL: the name is none for a file below.
static char *
path_of(const char *directory, const char *name)
{
    for (const char *p = name;; p++) {
        const size_t size = strcspn(p, "/");
        if (size == 0 || (size == 1 && p[0] == '.') || (size == 2 && strncmp(p, "..", 2) == 0))
            return NULL;
        p += size;
        if (!*p)
            break;
    }
    struct server_text path = {0};
    server_text_print(&path, "%s/%s", directory, name);
    return path.data;
}

struct server_object *
server_directory_open(const char *directory, const char *name)
{
    char *const path = path_of(directory, name);
    struct stat st;

    if (!path)
        return NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a FIFO does not wait
    free(path);
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        if (fd >= 0)
            (void)close(fd);
        return NULL;
    }
    struct server_object *const object = server_memory(sizeof *object);
    *object = (struct server_object){
        .name = server_copy(name), .fd = fd, .size = st.st_size, .modified = st.st_mtime};
    (void)snprintf(object->tag, sizeof object->tag, "%jx-%jx-%jx.%lx", (uintmax_t)st.st_size,
                   (uintmax_t)st.st_ino, (uintmax_t)st.st_mtim.tv_sec,
                   (unsigned long)st.st_mtim.tv_nsec);
    return object;
}

static void
make_folders(char *path, size_t from)
{
    for (char *p = path + from; (p = strchr(p, '/')); p++) {
        *p = '\0';
        (void)mkdir(path, 0777); // where that fails, so does opening the file
        *p = '/';
    }
}

static bool
write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno != EINTR)
            return false;
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

int
server_directory_put(const char *directory, const char *name, const void *bytes, size_t size,
                     uint64_t version)
{
    char *const path = path_of(directory, name);
    struct timespec times[2];
    struct server_text temporary = {0};

    if (!path)
        return 400;
    make_folders(path, strlen(directory) + 1);
    server_text_print(&temporary, "%s.put-%ld-%" PRIu64, path, (long)getpid(), version);
    const int fd = open(temporary.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[1] = times[0];
    bool done = fd >= 0 && write_all(fd, bytes, size) && futimens(fd, times) == 0;
    done = (fd < 0 || close(fd) == 0) && done && rename(temporary.data, path) == 0;
    if (!done && fd >= 0)
        (void)unlink(temporary.data);
    server_text_finish(&temporary);
    free(path);
    return done ? 200 : 500;
}

bool
server_directory_delete(const char *directory, const char *name)
{
    char *const path = path_of(directory, name);
    const bool deleted = path && unlink(path) == 0;

    free(path);
    return deleted;
}

bool
server_directory_read(int fd, int64_t offset, size_t size, void *dst)
{
    uint8_t *p = dst;

    while (size > 0) {
        const ssize_t n = pread(fd, p, size, (off_t)offset);
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        if (n > 0) {
            p += n;
            size -= (size_t)n;
            offset += n;
        }
    }
    return true;
}
