/*
 * mapped.c - files that are mapped into memory, as callbacks.
 *
 * The struct of the program is the stream: it is opened once, and opening it again for the same
 * path returns it. The mapping may be larger than the file, so that writing seldom has to map anew.
 */
#include "io/mapped.h"

#include "blosc2/error.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// How a mode opens and maps.
static const struct mode {
    const char *name, *open;
    int access, flags;
    bool grows; // initial_mapping_size counts
} modes[] = {
    {"r", "rb", PROT_READ, MAP_SHARED, false},
    {"r+", "rb+", PROT_READ | PROT_WRITE, MAP_SHARED, true},
    {"w+", "wb+", PROT_READ | PROT_WRITE, MAP_SHARED, true},
    {"c", "rb", PROT_READ | PROT_WRITE, MAP_PRIVATE, true},
};

static const struct mode *
mode_of(const char *name)
{
    for (size_t i = 0; name && i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].name, name) == 0)
            return &modes[i];
    return NULL;
}

static void
forget(blosc2_stdio_mmap *m)
{
    if (m->addr)
        munmap(m->addr, m->mapping_size);
    if (m->file)
        fclose(m->file);
    free(m->urlpath);
    m->addr = m->urlpath = NULL;
    m->file = NULL;
    m->fd = -1;
}

static bool
map(blosc2_stdio_mmap *m, size_t size)
{
    void *const addr = mmap(NULL, size, (int)m->access_flags, (int)m->map_flags, m->fd, 0);
    if (addr == MAP_FAILED)
        return false;
    m->addr = addr;
    m->mapping_size = size;
    return true;
}

static size_t
mapping_size(const blosc2_stdio_mmap *m, const struct mode *mode, size_t file_size)
{
    const size_t least = mode->grows ? m->initial_mapping_size : 0;
    const size_t size = least < file_size ? file_size : least;
    return size > 0 ? size : 1;
}

static void
say_opened(const char *urlpath, const struct mode *mode, size_t size)
{
    BLOSC_INFO("Opened memory-mapped file %s in mode %s with an mapping size of %zu bytes.",
               urlpath, mode->name, size);
}

void
b2_mapped_say_opened(const blosc2_stdio_mmap *m, const char *urlpath)
{
    const struct mode *const mode = m ? mode_of(m->mode) : NULL;
    struct stat st;
    if (!mode || stat(urlpath, &st) != 0)
        return;
    const size_t file_size = mode->open[0] == 'w' ? 0 : (size_t)st.st_size; // it began empty
    say_opened(urlpath, mode, mapping_size(m, mode, file_size));
}

static bool
open_mapped(blosc2_stdio_mmap *m, const char *urlpath, const struct mode *mode)
{
    struct stat st;
    m->access_flags = mode->access;
    m->map_flags = mode->flags;
    m->is_memory_only = mode->flags == MAP_PRIVATE;
    m->urlpath = strdup(urlpath);
    m->file = m->urlpath ? fopen(urlpath, mode->open) : NULL;
    if (!m->file)
        return false;
    m->fd = fileno(m->file);
    if (fstat(m->fd, &st) != 0)
        return false;
    m->file_size = (size_t)st.st_size;
    return map(m, mapping_size(m, mode, m->file_size));
}

void *
blosc2_stdio_mmap_open(const char *urlpath, const char *mode, void *params)
{
    blosc2_stdio_mmap *const m = params;
    (void)mode; // that of the struct counts
    if (!urlpath || !m)
        return NULL;
    if (m->addr) {
        if (m->urlpath && strcmp(m->urlpath, urlpath) == 0)
            return m;
        b2_fail(BLOSC2_ERROR_FILE_OPEN, "%s: the struct maps %s", urlpath,
                m->urlpath ? m->urlpath : "nothing");
        return NULL;
    }
    const struct mode *const known = mode_of(m->mode);
    if (known && open_mapped(m, urlpath, known)) {
        say_opened(urlpath, known, m->mapping_size);
        return m;
    }
    b2_fail(BLOSC2_ERROR_FILE_OPEN, "%s: mode %s: %s", urlpath, m->mode ? m->mode : "NULL",
            known ? strerror(errno) : "r, r+, w+ and c can be");
    forget(m);
    return NULL;
}

int
blosc2_stdio_mmap_close(void *stream)
{
    return stream ? 0 : BLOSC2_ERROR_FAILURE; // stays open until it is destroyed
}

int64_t
blosc2_stdio_mmap_size(void *stream)
{
    return stream ? (int64_t)((const blosc2_stdio_mmap *)stream)->file_size : BLOSC2_ERROR_FAILURE;
}

// Make the mapping and, unless changes stay in memory, the file hold `size` bytes.
static bool
grow(blosc2_stdio_mmap *m, size_t size)
{
    if (!m->is_memory_only && ftruncate(m->fd, (off_t)size) != 0)
        return false;
    if (size > m->mapping_size) {
        if (m->is_memory_only) // what was changed would be lost
            return false;
        const size_t twice = m->mapping_size > SIZE_MAX / 2 ? size : 2 * m->mapping_size;
        char *const before = m->addr;
        const size_t before_size = m->mapping_size;
        if (!map(m, twice < size ? size : twice))
            return false;
        munmap(before, before_size);
    }
    m->file_size = size;
    return true;
}

// Where the items are, or NULL; *end is the byte behind them.
static bool
range_of(const blosc2_stdio_mmap *m, int64_t size, int64_t nitems, int64_t position, size_t *end)
{
    if (!m || !m->addr || size <= 0 || nitems <= 0 || position < 0 || nitems > INT64_MAX / size ||
        size * nitems > INT64_MAX - position)
        return false;
    *end = (size_t)(position + size * nitems);
    return true;
}

int64_t
blosc2_stdio_mmap_write(const void *ptr, int64_t size, int64_t nitems, int64_t position,
                        void *stream)
{
    blosc2_stdio_mmap *const m = stream;
    size_t end;
    if (!ptr || !range_of(m, size, nitems, position, &end) || !(m->access_flags & PROT_WRITE))
        return 0;
    if (end > m->file_size && !grow(m, end))
        return 0;
    memcpy(m->addr + position, ptr, (size_t)(size * nitems));
    return nitems;
}

int64_t
blosc2_stdio_mmap_read(void **ptr, int64_t size, int64_t nitems, int64_t position, void *stream)
{
    const blosc2_stdio_mmap *const m = stream;
    size_t end;
    if (!ptr)
        return 0;
    *ptr = NULL;
    if (!range_of(m, size, nitems, position, &end) || end > m->file_size)
        return 0;
    *ptr = m->addr + position;
    return nitems;
}

int
blosc2_stdio_mmap_truncate(void *stream, int64_t size)
{
    blosc2_stdio_mmap *const m = stream;
    if (!m || !m->addr || size < 0 || !(m->access_flags & PROT_WRITE) || !grow(m, (size_t)size))
        return BLOSC2_ERROR_FAILURE;
    return 0;
}

int
blosc2_stdio_mmap_destroy(void *params)
{
    blosc2_stdio_mmap *const m = params;
    if (!m)
        return BLOSC2_ERROR_FAILURE;
    const bool was_mapped = m->addr != NULL;
    const bool needs_free = m->needs_free;
    forget(m);
    if (needs_free)
        free(m);
    return was_mapped ? 0 : BLOSC2_ERROR_FAILURE;
}
