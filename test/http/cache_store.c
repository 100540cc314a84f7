/*
 * cache_store.c - the files of the cache, without a network: keys of URLs, blocks that are damaged,
 * files of others, a full disk, the bound.
 *
 * Linked with wrappers of pwrite() (--wrap), which fail when a test says so.
 */
#include "cache/evict.h"
#include "cache/store.h"
#include "http/folder.h"
#include "http/http.h"

#include "support/random.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 5 * HTTP_BLOCK + 1000, BLOCKS = 6 };

static struct random rnd;
static uint8_t object[SIZE];
static char folder[64];
static struct http_cache cache;
static struct http_cache_id id;

// -- a disk that is full

ssize_t __real_pwrite(int fd, const void *src, size_t size, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *src, size_t size, off_t offset);
ssize_t __wrap_pwrite64(int fd, const void *src, size_t size, off_t offset);

static enum disk { DISK_FINE, DISK_FULL, DISK_SHORT, DISK_BROKEN } disk;

ssize_t
__wrap_pwrite(int fd, const void *src, size_t size, off_t offset)
{
    if (disk == DISK_SHORT && size > 1)
        return __real_pwrite(fd, src, 1 + (size_t)random_below(&rnd, size - 1), offset);
    if (disk == DISK_FINE)
        return __real_pwrite(fd, src, size, offset);
    errno = disk == DISK_FULL ? ENOSPC : EIO;
    return -1;
}

ssize_t
__wrap_pwrite64(int fd, const void *src, size_t size, off_t offset)
{
    return __wrap_pwrite(fd, src, size, offset);
}

// -- what all need

static int
start(void **state)
{
    (void)state;
    random_init(&rnd, random_seed());
    random_bytes(&rnd, object, sizeof object);
    random_bytes(&rnd, id.key, sizeof id.key);
    random_bytes(&rnd, id.etag, sizeof id.etag);
    id.size = SIZE;
    folder_make(folder, sizeof folder);
    http_cache_init(&cache, folder, 0);
    return 0;
}

static int
stop(void **state)
{
    (void)state;
    http_cache_finish(&cache);
    folder_remove(folder);
    return 0;
}

static void
put(int64_t offset, size_t size)
{
    struct http_store s;
    http_store_init(&s, &cache, &id);
    http_store_write(&s, offset, object + offset, size);
    http_store_finish(&s);
}

// How many blocks are there; those that are must be right.
static int
count(const struct http_cache_id *which)
{
    uint8_t *const block = malloc(HTTP_BLOCK);
    struct http_store s;
    int n = 0;

    assert_non_null(block);
    http_store_init(&s, &cache, which);
    for (int64_t i = 0; i < BLOCKS; i++)
        if (http_store_read(&s, i, block)) {
            assert_memory_equal(block, object + i * HTTP_BLOCK, http_cache_block_size(which, i));
            n++;
        }
    http_store_finish(&s);
    free(block);
    return n;
}

static void
path_of(char *path, size_t size)
{
    struct folder_entry e;
    assert_int_equal(folder_list(folder, &e, 1), 1);
    snprintf(path, size, "%s/%s", folder, e.name);
}

// -- keys

static void
key_of(const char *url, const char *endpoint, uint8_t key[HTTP_HASH])
{
    struct http_target target;
    assert_int_equal(http_target_parse(url, &target, NULL), TESS_OK);
    assert_true(http_cache_key(&target, endpoint, key));
    http_target_finish(&target);
}

static void
keys(void **state)
{
    static const struct {
        const char *a, *b;
        bool same;
        const char *a_endpoint, *b_endpoint;
    } cases[] = {
        {"http://h/a", "http://me:secret@h:80/a", true, 0, 0},
        {"http://h/a", "https://h/a", false, 0, 0},
        {"http://h/a", "http://h:81/a", false, 0, 0},
        {"http://h/a", "http://h/b", false, 0, 0},
        {"http://h/a?v=1", "http://h/a?v=2", false, 0, 0},
        {"http://h/a?X-Amz-Date=1&v=1&X-Amz-Signature=2", "http://h/a?v=1", true, 0, 0},
        {"http://h/a?x-amz-date=1&v=1&x-amz-signature=2", "http://h/a?v=2", false, 0, 0},
        {"http://h/a?X-Amz-Date=1", "http://h/a?X-Amz-Date=2", false, 0, 0},
        {"http://h/a?Expires=1&Signature=a&Key-Pair-Id=b", "http://h/a", true, 0, 0},
        {"http://h/a?Expires=1", "http://h/a?Expires=2", false, 0, 0},
        {"http://h/a?X-Goog-Signature=1&X-Goog-Date=a", "http://h/a", true, 0, 0},
        {"http://h/a?sv=1&se=2&sig=3&snapshot=4", "http://h/a?snapshot=4", true, 0, 0},
        {"http://h/a?sv=1", "http://h/a?sv=2", false, 0, 0},
        {"s3://b/k", "s3://b/k", true, 0, 0},
        {"s3://b/k", "s3://b/k", false, "http://h", 0},
        {"s3://b/k", "s3://b/k", true, "http://h", "http://x:y@h:80"},
        {"s3://b/k", "s3://bk/", false, 0, 0},
        {"s3://b/k", "http://b/k", false, 0, 0},
    };
    uint8_t a[HTTP_HASH], b[HTTP_HASH];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        key_of(cases[i].a, cases[i].a_endpoint, a);
        key_of(cases[i].b, cases[i].b_endpoint, b);
        if ((memcmp(a, b, HTTP_HASH) == 0) != cases[i].same)
            fail_msg("%s and %s", cases[i].a, cases[i].b);
    }
}

static void
versions(void **state)
{
    struct http_identity i = {.etag = "\"a\"", .size = 10, .modified = -1};
    struct http_cache_id v = {0};
    (void)state;
    assert_true(http_cache_version(&i, &v));
    i.weak = true;
    assert_false(http_cache_version(&i, &v));
    i.weak = false;
    i.size = -1;
    assert_false(http_cache_version(&i, &v));
    i.size = INT64_MAX;
    assert_false(http_cache_version(&i, &v));
    i.size = 10;
    i.etag[0] = '\0';
    assert_false(http_cache_version(&i, &v));
}

// -- blocks

static void
blocks(void **state)
{
    struct http_cache_id other = id;
    struct stat s;
    char path[400];
    (void)state;
    assert_int_equal(count(&id), 0);
    put(1, 2 * HTTP_BLOCK - 1); // one whole block
    assert_int_equal(count(&id), 1);
    put(0, SIZE);
    assert_int_equal(count(&id), BLOCKS);
    path_of(path, sizeof path);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    other.size--;
    assert_int_equal(count(&other), 0);
    other = id;
    other.etag[0] ^= 1;
    assert_int_equal(count(&other), 0);
    other = id;
    other.key[0] ^= 1;
    assert_int_equal(count(&other), 0);
}

// Another version takes the place of the file.
static void
other_version(void **state)
{
    struct http_cache_id other = id;
    struct http_store s;
    struct folder_entry e[3];
    (void)state;
    put(0, SIZE);
    other.etag[5] ^= 1;
    http_store_init(&s, &cache, &other);
    http_store_write(&s, 0, object, HTTP_BLOCK);
    http_store_finish(&s);
    assert_int_equal(count(&id), 0);
    assert_int_equal(count(&other), 1);
    assert_int_equal(folder_list(folder, e, 3), 1);
    assert_true(http_store_init_any(&s, &cache, &id));
    assert_memory_equal(&s.id, &other, sizeof other);
    http_store_finish(&s);
}

// Bytes anywhere in the file change, or it is cut: blocks are right or not there (count()
// compares).
static void
damaged(void **state)
{
    const int64_t cases = random_cases(300, 10000);
    char path[400];
    (void)state;
    for (int64_t i = 0; i < cases; i++) {
        struct http_store s;
        struct stat st;
        uint8_t *const all = malloc(SIZE);
        put(0, SIZE);
        path_of(path, sizeof path);
        const int fd = open(path, O_RDWR);
        assert_true(fd >= 0 && fstat(fd, &st) == 0 && all);
        for (int k = 0; k < 1 + i % 3; k++) {
            const uint64_t within = i % 4 == 0 ? 120 : (uint64_t)st.st_size; // the header, often
            const off_t at = (off_t)random_below(&rnd, within);
            uint8_t byte;
            assert_int_equal(pread(fd, &byte, 1, at), 1);
            byte ^= (uint8_t)(1 << random_below(&rnd, 8));
            assert_int_equal(__real_pwrite(fd, &byte, 1, at), 1);
        }
        if (i % 7 == 0)
            assert_int_equal(ftruncate(fd, (off_t)random_below(&rnd, (uint64_t)st.st_size)), 0);
        close(fd);
        assert_true(count(&id) >= 0);
        if (http_store_init_any(&s, &cache, &id) &&
            memcmp(s.id.etag, id.etag, sizeof id.etag) == 0 && s.id.size == SIZE &&
            http_store_copy(&s, 0, SIZE, all))
            assert_memory_equal(all, object, SIZE);
        http_store_finish(&s);
        free(all);
        put(0, SIZE); // mends it
        assert_int_equal(count(&id), BLOCKS);
    }
}

// A file that another user could have put there is none.
static void
not_ours(void **state)
{
    char path[400], aside[440];
    (void)state;
    put(0, SIZE);
    path_of(path, sizeof path);
    snprintf(aside, sizeof aside, "%s-aside", path);
    assert_int_equal(chmod(path, 0620), 0);
    assert_int_equal(count(&id), 0);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(count(&id), BLOCKS);
    assert_int_equal(rename(path, aside), 0);
    assert_int_equal(symlink(aside, path), 0);
    assert_int_equal(count(&id), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(count(&id), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    put(0, SIZE);
    assert_int_equal(count(&id), 0);
    assert_int_equal(rmdir(path), 0);
}

static void
full(void **state)
{
    (void)state;
    for (enum disk way = DISK_FULL; way <= DISK_BROKEN; way++) {
        for (int before = 0; before < 2; before++) {
            if (before)
                put(0, HTTP_BLOCK);
            disk = way;
            put(0, SIZE);
            disk = DISK_FINE;
            // A short write over a block that is there writes the same bytes.
            assert_int_equal(count(&id), before);
            folder_empty(folder);
        }
        put(0, SIZE);
        assert_int_equal(count(&id), BLOCKS);
        folder_empty(folder);
    }
}

// No signal SIGXFSZ.
static void
limited(void **state)
{
    int status;
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {3 * HTTP_BLOCK, 3 * HTTP_BLOCK};
        (void)signal(SIGXFSZ, SIG_DFL);
        if (setrlimit(RLIMIT_FSIZE, &limit) == 0) {
            put(4 * HTTP_BLOCK, HTTP_BLOCK); // begins behind the limit: the signal of others
            put(0, SIZE);
        }
        _exit(count(&id) == 2 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

// No directory, or none that can be used: nothing is stored, nothing fails.
static void
no_directory(void **state)
{
    const char *const wrong[] = {NULL, "", "/dev/null", "/nowhere/at/all"};
    struct http_cache usual = cache;
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        http_cache_init(&cache, wrong[i], 0);
        put(0, SIZE);
        assert_int_equal(count(&id), 0);
        http_cache_finish(&cache);
    }
    if (geteuid() != 0) { // who may write anywhere
        assert_int_equal(chmod(folder, 0500), 0);
        http_cache_init(&cache, folder, 0);
        put(0, SIZE);
        assert_int_equal(count(&id), 0);
        http_cache_finish(&cache);
        assert_int_equal(chmod(folder, 0700), 0);
    }
    char made[100];
    struct stat s;
    snprintf(made, sizeof made, "%s/made", folder);
    http_cache_init(&cache, made, 0);
    assert_int_equal(stat(made, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    put(0, SIZE);
    assert_int_equal(count(&id), BLOCKS);
    folder_remove(made);
    put(0, SIZE); // the directory is gone
    assert_int_equal(count(&id), 0);
    http_cache_finish(&cache);
    cache = usual;
}

// -- the bound

static int64_t
disk_bytes(void)
{
    struct folder_entry e[400];
    int64_t bytes = 0;
    const int n = folder_list(folder, e, 400);
    for (int i = 0; i < n; i++)
        bytes += e[i].bytes;
    return bytes;
}

// A file is used, after it was not for long.
static void
use_again(const struct http_cache_id *which)
{
    const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    char path[400];
    struct http_store s;
    int used = snprintf(path, sizeof path, "%s/", folder);

    for (size_t i = 0; i < HTTP_HASH; i++)
        used += snprintf(path + used, sizeof path - (size_t)used, "%02x", which->key[i]);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    http_store_init(&s, &cache, which);
    assert_true(s.file.fd >= 0);
    http_store_finish(&s);
}

static void
bound(void **state)
{
    enum { OBJECTS = 60, BOUND = 10 * SIZE };
    const struct http_cache_id before = id;
    struct http_cache_id first = id, used = id;
    struct http_cache usual = cache;
    char foreign[200];
    (void)state;
    snprintf(foreign, sizeof foreign, "%s/foreign", folder);
    const int fd = open(foreign, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0 && __real_pwrite(fd, object, SIZE, 0) == SIZE && close(fd) == 0);
    http_cache_init(&cache, folder, BOUND);
    first.key[0] = 0;
    for (int i = 0; i < OBJECTS; i++) {
        id.key[0] = (uint8_t)i;
        put(0, SIZE);
        assert_int_equal(count(&id), BLOCKS);
        assert_true(disk_bytes() <= BOUND + SIZE + 4096); // the foreign one is not ours
        if (i % 4 == 0)
            use_again(&first);
    }
    assert_int_equal(count(&first), BLOCKS); // used, so it stayed
    used.key[0] = 1;
    assert_int_equal(count(&used), 0);
    used.key[0] = OBJECTS - 1;
    assert_int_equal(count(&used), BLOCKS);
    assert_int_equal(access(foreign, F_OK), 0);
    assert_true(disk_bytes() > BOUND / 2);
    http_cache_finish(&cache);
    cache = usual;
    id = before;
}

// One that is larger than the bound makes room by itself.
static void
larger(void **state)
{
    struct http_cache usual = cache;
    (void)state;
    http_cache_init(&cache, folder, 3 * HTTP_BLOCK);
    for (int i = 0; i < 20; i++) {
        put(0, SIZE);
        assert_true(disk_bytes() <= 3 * HTTP_BLOCK + 8192);
        assert_true(count(&id) > 0);
    }
    http_cache_finish(&cache);
    cache = usual;
}

// What a program that was killed left goes like the rest.
static void
left_over(void **state)
{
    char path[400], fresh[440];
    (void)state;
    put(0, SIZE);
    path_of(path, sizeof path);
    snprintf(fresh, sizeof fresh, "%s.new12ab", path);
    assert_int_equal(rename(path, fresh), 0);
    assert_int_equal(count(&id), 0);
    http_cache_evict(cache.dir, SIZE / 2, SIZE / 4);
    assert_int_equal(disk_bytes(), 0);
}

int
main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        EACH(keys),         EACH(versions), EACH(blocks), EACH(other_version),
        EACH(damaged),      EACH(not_ours), EACH(full),   EACH(limited),
        EACH(no_directory), EACH(bound),    EACH(larger), EACH(left_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
