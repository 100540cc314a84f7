/*
 * evict.c - the bound of a directory of cached files.
 */
#include "cache/evict.h"

#include "cache/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct entry {
    struct timespec used;
    int64_t bytes;
    char name[128];
};

struct entries {
    struct entry *all;
    size_t n, capacity;
    int64_t bytes;
};

static bool
add(struct entries *e, const char *name, const struct stat *s)
{
    if (e->n == e->capacity) {
        const size_t more = e->capacity ? 2 * e->capacity : 64;
        struct entry *const all =
            more < SIZE_MAX / sizeof *all ? realloc(e->all, more * sizeof *all) : NULL;
        if (!all)
            return false;
        e->all = all;
        e->capacity = more;
    }
    struct entry *const new = &e->all[e->n++];
    new->used = s->st_mtim;
    new->bytes = (int64_t)s->st_blocks * 512;
    memcpy(new->name, name, strlen(name) + 1);
    e->bytes += new->bytes;
    return true;
}

static void
list(int dir, struct entries *e)
{
    const int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const d = fd >= 0 ? fdopendir(fd) : NULL;

    if (!d) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(d));) {
        struct stat s;
        if (strlen(entry->d_name) >= sizeof e->all->name || !http_cache_file_named(entry->d_name) ||
            fstatat(dir, entry->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode) ||
            s.st_uid != geteuid())
            continue;
        if (!add(e, entry->d_name, &s))
            break;
    }
    (void)closedir(d);
}

static int
by_use(const void *a, const void *b)
{
    const struct timespec x = ((const struct entry *)a)->used, y = ((const struct entry *)b)->used;
    if (x.tv_sec != y.tv_sec)
        return x.tv_sec < y.tv_sec ? -1 : 1;
    return (x.tv_nsec > y.tv_nsec) - (x.tv_nsec < y.tv_nsec);
}

void
http_cache_evict(int dir, int64_t high, int64_t low)
{
    struct entries e = {0};

    list(dir, &e);
    if (e.bytes > high && e.n > 0) {
        qsort(e.all, e.n, sizeof *e.all, by_use);
        // One that is gone already was removed by another program.
        for (size_t i = 0; i < e.n && e.bytes > low; i++)
            if (unlinkat(dir, e.all[i].name, 0) == 0 || errno == ENOENT)
                e.bytes -= e.all[i].bytes;
    }
    free(e.all);
}
