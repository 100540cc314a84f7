/*
 * file.c - a file of the cache: blocks of one version of one object.
 */
#include "cache/file.h"

#include "base/number.h"

#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
    HEADER = 4096, // bytes before the slots
    MAKINGS = 8, // names that are tried for a new file
    TOUCH_SECONDS = 1, // uses in a shorter time count as one
};

struct header {
    uint64_t magic, block; // MAGIC, HTTP_BLOCK
    struct http_cache_id id;
};

#define MAGIC UINT64_C(0x7465737363616368) // "tesscach"
#define NEW_SUFFIX ".new" // and digits

_Static_assert(sizeof(struct header) == 16 + 2 * HTTP_HASH + 8, "no padding in the file");

static int64_t
slot_at(int64_t index)
{
    return HEADER + index * (HTTP_BLOCK + (int64_t)sizeof(uint64_t));
}

static void
print_name(const uint8_t key[HTTP_HASH], char name[HTTP_CACHE_NAME])
{
    for (size_t i = 0; i < HTTP_HASH; i++)
        snprintf(name + 2 * i, 3, "%02x", key[i]);
}

bool
http_cache_file_named(const char *name)
{
    const size_t digits = strspn(name, "0123456789abcdef");
    const char *const rest = name + digits;

    if (digits != HTTP_CACHE_NAME - 1)
        return false;
    if (*rest == '\0')
        return true;
    const size_t suffix = strlen(NEW_SUFFIX);
    return strncmp(rest, NEW_SUFFIX, suffix) == 0 &&
           rest[suffix + strspn(rest + suffix, "0123456789abcdef")] == '\0';
}

static void
set_key(struct http_cache_file *file)
{
    const struct header h = {MAGIC, HTTP_BLOCK, file->id};
    uint8_t key[UMAC_KEY_SIZE];
    struct sha256_ctx sha;

    sha256_init(&sha);
    sha256_update(&sha, sizeof h, (const uint8_t *)&h);
    sha256_digest(&sha, sizeof key, key);
    umac64_set_key(&file->sum, key);
}

// The checksum of a block; never 0.
static uint64_t
sum_of(const struct http_cache_file *file, int64_t index, const uint8_t *bytes, size_t size)
{
    struct umac64_ctx sum = file->sum;
    uint64_t value;

    umac64_set_nonce(&sum, sizeof index, (const uint8_t *)&index);
    umac64_update(&sum, size, bytes);
    umac64_digest(&sum, sizeof value, (uint8_t *)&value);
    return value ? value : 1;
}

// Nothing that another user could have put there.
static bool
is_ours(int fd)
{
    struct stat s;
    return fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
           (s.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

bool
http_cache_file_open(int dir, const struct http_cache_id *id, bool any,
                     struct http_cache_file *file)
{
    char name[HTTP_CACHE_NAME];
    struct header h;

    print_name(id->key, name);
    const int fd = openat(dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    file->id = *id;
    if (is_ours(fd) && pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h && h.magic == MAGIC &&
        h.block == HTTP_BLOCK && memcmp(h.id.key, id->key, sizeof id->key) == 0 && h.id.size > 0 &&
        h.id.size <= HTTP_CACHE_OBJECT_MOST &&
        (any || (memcmp(h.id.etag, id->etag, sizeof id->etag) == 0 && h.id.size == id->size))) {
        file->id = h.id;
        file->fd = fd;
        set_key(file);
        return true;
    }
    (void)close(fd);
    return false;
}

// All of it, and without the signal SIGXFSZ.
static bool
write_all(int fd, const void *bytes, size_t size, int64_t offset)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        (limit.rlim_cur != RLIM_INFINITY && (uint64_t)offset + size > limit.rlim_cur))
        return false;
    return pwrite(fd, bytes, size, offset) == (ssize_t)size;
}

// A new file beside the others, with a name that nothing has.
static int
open_new(int dir, const char *name, char fresh[HTTP_CACHE_NAME + 40])
{
    for (int i = 0; i < MAKINGS; i++) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        snprintf(fresh, HTTP_CACHE_NAME + 40, "%s" NEW_SUFFIX "%lx%lx%lx", name, (long)getpid(),
                 (long)t.tv_nsec, (long)(uintptr_t)&t & 0xffffff); // the stack is the thread's own
        const int fd = openat(dir, fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd >= 0)
            return fd;
    }
    return -1;
}

bool
http_cache_file_make(int dir, const struct http_cache_id *id, struct http_cache_file *file)
{
    const struct header h = {MAGIC, HTTP_BLOCK, *id};
    char name[HTTP_CACHE_NAME], fresh[HTTP_CACHE_NAME + 40];

    if (http_cache_file_open(dir, id, false, file))
        return true;
    print_name(id->key, name);
    const int fd = open_new(dir, name, fresh);
    if (fd < 0)
        return false;
    // Readers find a file with its header, or none.
    if (!write_all(fd, &h, sizeof h, 0) || renameat(dir, fresh, dir, name) != 0) {
        (void)unlinkat(dir, fresh, 0);
        (void)close(fd);
        return false;
    }
    file->fd = fd;
    file->id = *id;
    set_key(file);
    return true;
}

void
http_cache_file_close(struct http_cache_file *file)
{
    if (file->fd >= 0)
        (void)close(file->fd);
    file->fd = -1;
}

size_t
http_cache_block_size(const struct http_cache_id *id, int64_t index)
{
    const int64_t left = id->size - index * HTTP_BLOCK;
    return (size_t)http_min(left, HTTP_BLOCK);
}

bool
http_cache_file_read(const struct http_cache_file *file, int64_t index, uint8_t *dst)
{
    const size_t size = http_cache_block_size(&file->id, index);
    uint64_t sum;
    const struct iovec parts[2] = {{.iov_base = &sum, .iov_len = sizeof sum},
                                   {.iov_base = dst, .iov_len = size}};

    return preadv(file->fd, parts, 2, slot_at(index)) == (ssize_t)(sizeof sum + size) && sum != 0 &&
           sum == sum_of(file, index, dst, size);
}

bool
http_cache_file_write(const struct http_cache_file *file, int64_t index, const uint8_t *src)
{
    const size_t size = http_cache_block_size(&file->id, index);
    const uint64_t sum = sum_of(file, index, src, size);
    uint8_t slot[sizeof sum + HTTP_BLOCK];

    memcpy(slot, &sum, sizeof sum);
    memcpy(slot + sizeof sum, src, size);
    return write_all(file->fd, slot, sizeof sum + size, slot_at(index));
}

void
http_cache_file_touch(const struct http_cache_file *file)
{
    struct stat s;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (fstat(file->fd, &s) == 0 &&
        (now.tv_sec - s.st_mtim.tv_sec >= TOUCH_SECONDS || now.tv_sec < s.st_mtim.tv_sec))
        (void)futimens(file->fd, NULL);
}
