/*
 * lease_commits.c - leases, and commits that are made while there are some.
 */
#include "support/files.h"
#include "support/packet_arrays.h"
#include "support/reference.h"

#include <tessera.h>

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// -- files of other writers

static tess_array *
open_to_update(const char *path)
{
    const tess_storage storage = storage_at(path, TESS_MODE_UPDATE);
    tess_array *a = NULL;
    return tess_array_open(&storage, &a, NULL) == TESS_OK ? a : NULL;
}

// The first chunk of the array, as a packet; false: it has none, or is none of chunks.
static bool
encode_first(const tess_array *a, const struct reference *ref, struct packet *packet)
{
    const int64_t start[TESS_MAX_NDIM] = {0};
    int64_t stop[TESS_MAX_NDIM];
    tess_info info;
    void *image;
    size_t size;
    tess_array_info(a, &info);
    if (info.nchunks == 0 || tess_array_sketch(a, &image, &size, NULL) != TESS_OK)
        return false;
    tess_free(image);
    for (int i = 0; i < info.ndim; i++)
        stop[i] = info.chunkshape[i] < info.shape[i] ? info.chunkshape[i] : info.shape[i];
    const size_t nbytes = reference_box_size(ref, start, stop);
    uint8_t *const items = malloc(nbytes);
    assert_non_null(items);
    reference_get(ref, start, stop, items);
    tess_array *const sketch = open_sketch(a, NULL);
    ok(tess_packet_encode(sketch, start, stop, items, nbytes, NULL, &packet->bytes, &packet->size,
                          err));
    ok(tess_array_close(sketch, err));
    free(items);
    return true;
}

// An adoption begins with a commit, since c-blosc2 does not seal a state; leases do not change the
// file. Workers write to it, and what the owner knows of it stays good.
static void
lease_of_golden(tess_array *golden, const struct reference *ref, const char *name, void *user)
{
    enum { ROOM = 1 << 20 };
    const char *const path = files_path("golden");
    char from[4096];
    struct stat info;
    struct packet packet;
    tess_lease lease, other;
    size_t size, sizes[3];
    (void)golden;
    (void)snprintf(from, sizeof from, "%s/%s", getenv("TESS_GOLDEN"), name);
    if (stat(from, &info) != 0 || S_ISDIR(info.st_mode))
        return;
    uint8_t *const bytes = files_read(from, &size);
    files_write(path, bytes, size);
    tess_array *const a = open_to_update(path);
    if (a && encode_first(a, ref, &packet)) {
        tess_adoption *const ad = begin_adoption(a);
        uint8_t *const begun = files_read(path, &sizes[0]);
        ok(tess_adoption_lease(ad, ROOM, &lease, err));
        uint8_t *const leased = files_read(path, &sizes[1]);
        ok(tess_adoption_lease(ad, ROOM, &other, err));
        uint8_t *const again = files_read(path, &sizes[2]);
        assert_true(sizes[0] != size || memcmp(begun, bytes, size) != 0);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(begun, leased, sizes[1]);
        assert_int_equal(sizes[1], sizes[2]);
        assert_memory_equal(leased, again, sizes[1]);
        const struct packet there = place_packet(&packet, path, &lease);
        ok(tess_attr_set_int(a, "n", 1, err));
        ok(tess_array_flush(a, err));
        add(ad, &there);
        ok(tess_adoption_end(ad, true, err));
        check_array(a, ref);
        tess_free(there.bytes);
        tess_free(packet.bytes);
        free(begun);
        free(leased);
        free(again);
        ++*(int *)user;
    }
    ok(tess_array_close(a, err));
    if (a)
        check_file(path, ref);
    free(bytes);
}

static void
unsealed(void **state)
{
    (void)state;
    int count = 0;
    check_golden_files(lease_of_golden, &count);
    assert_true(count >= 10);
}

// -- arrays that lose their items

// An empty array is written over its first chunks: not while they may be leased, whether the state
// on the disk is empty or only the next one would be.
static void
emptied(void **state)
{
    (void)state;
    const int64_t empty[2] = {0, 50};
    for (int before = 0; before < 2; before++) {
        const char *const path = files_path("emptied");
        struct random r;
        random_init(&r, random_seed());
        tess_params p, first;
        tess_lease lease;
        size_t n;
        kind_params(&kinds[0], &p);
        first = p;
        first.shape[0] = before == 0 ? p.shape[0] : 0;
        uint8_t *const items = malloc(items_size(&p));
        assert_non_null(items);
        random_bytes(&r, items, items_size(&p));
        tess_array *const serial = make_serial(&p, items);
        tess_array *const owner = make_owner(1, &first, path);
        ok(tess_array_flush(owner, err));
        ok(tess_array_resize(owner, p.shape, err));
        tess_array *const sketch = open_sketch(owner, NULL);
        struct packet *const packets = encode_rows(sketch, &p, items, &n);
        tess_adoption *const ad = begin_adoption(owner);
        ok(tess_adoption_lease(ad, needs(&packets[0], false), &lease, err));
        refused(TESS_ERR_UNSUPPORTED, tess_array_resize(owner, empty, err));
        const struct packet there = place_packet(&packets[0], path, &lease);
        for (size_t i = 1; i < n; i++)
            add(ad, &packets[i]);
        ok(tess_array_flush(owner, err));
        add(ad, &there);
        ok(tess_adoption_end(ad, true, err));
        check_equal(owner, serial, &p);
        close_all(owner, sketch, NULL);
        check_path_equal(path, 0, serial, &p);
        tess_array *const again = open_to_update(path);
        assert_non_null(again);
        ok(tess_array_resize(again, empty, err)); // nothing is leased any more
        close_all(again, serial, NULL);
        tess_free(there.bytes);
        free_packets(packets, n);
        free(items);
        files_remove(path);
    }
}

// An adoption that cannot begin, since that commit fails, leaves nothing to commit: other programs
// can have the lock file, and closing the array does not change the file.
static void
begin_fails(tess_array *golden, const struct reference *ref, const char *name, void *user)
{
    const char *const path = files_path("golden");
    char from[4096];
    struct stat info;
    struct rlimit most, all;
    size_t size, left_size;
    tess_adoption *ad = NULL;
    tess_array *a = NULL, *other = NULL;
    tess_storage storage = storage_at(path, TESS_MODE_UPDATE);
    (void)golden;
    (void)snprintf(from, sizeof from, "%s/%s", getenv("TESS_GOLDEN"), name);
    if (stat(from, &info) != 0 || S_ISDIR(info.st_mode))
        return;
    uint8_t *const bytes = files_read(from, &size);
    files_write(path, bytes, size);
    storage.lock_file = true;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
    most = (struct rlimit){.rlim_cur = size, .rlim_max = all.rlim_max};
    if (tess_array_open(&storage, &a, NULL) == TESS_OK) {
        tess_error why;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &most), 0);
        const tess_status st = tess_adoption_begin(a, &ad, &why);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
        if (st == TESS_ERR_IO) {
            storage.mode = TESS_MODE_READ;
            ok(tess_array_open(&storage, &other, err)); // which asks for the lock
            check_array(other, ref);
            ok(tess_array_close(other, err));
            ++*(int *)user;
        }
        if (ad)
            ok(tess_adoption_end(ad, false, err));
        ok(tess_array_close(a, err));
        uint8_t *const left = files_read(path, &left_size);
        if (st == TESS_ERR_IO) {
            assert_int_equal(left_size, size);
            assert_memory_equal(left, bytes, size);
        }
        free(left);
    }
    files_remove(path);
    free(bytes);
}

static void
not_begun(void **state)
{
    int count = 0;
    void (*const before)(int) = signal(SIGXFSZ, SIG_IGN);
    (void)state;
    check_golden_files(begin_fails, &count);
    (void)signal(SIGXFSZ, before);
    assert_true(count >= 10);
}

// -- chunk files of a writer that died

static int64_t
count_chunk_files(const char *path)
{
    int64_t n = 0;
    DIR *const dir = opendir(path);
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));)
        n += strstr(e->d_name, ".chunk") != NULL;
    closedir(dir);
    return n;
}

// A writer leases numbers, of which workers use some, writes chunks, and is killed.
static void
die_at_work(const char *path, const struct packet *packets, size_t n, const uint8_t *items,
            size_t size)
{
    const int64_t start[2] = {0, 0};
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tess_info info;
        tess_lease lease;
        tess_array *const a = open_to_update(path);
        tess_array_info(a, &info);
        tess_adoption *const ad = begin_adoption(a);
        for (size_t i = 0; i < n; i++) {
            ok(tess_adoption_lease(ad, needs(&packets[i], true) + 1, &lease, err));
            const struct packet there = place_packet(&packets[i], path, &lease);
            if (i % 2 == 0)
                add(ad, &there);
        }
        ok(tess_array_write(a, start, info.shape, items, size, err));
        raise(SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

// The next writer removes them when it stores its first chunk; readers of the last state have all
// they need. One that never reuses space, or stores nothing, leaves them. In a large directory they
// are found by the numbers that are taken next.
static void
orphans(void **state)
{
    (void)state;
    enum { LARGE = 1100 }; // rows of chunks of one item
    struct random r;
    random_init(&r, random_seed());
    for (int large = 0; large < 2; large++) {
        const char *const path = files_path("orphans");
        const int64_t origin[2] = {0};
        const int64_t one[2] = {1, 1};
        tess_params p;
        tess_info info;
        size_t n;
        kind_params(&kinds[0], &p);
        if (large)
            p.shape[0] = LARGE,
            p.shape[1] = p.chunkshape[0] = p.chunkshape[1] = p.blockshape[0] = p.blockshape[1] = 1;
        const size_t size = items_size(&p);
        uint8_t *const items = malloc(size);
        assert_non_null(items);
        for (size_t i = 0; i < size; i++)
            items[i] = (uint8_t)(1 + random_below(&r, 255));
        tess_array *const serial = make_serial(&p, items);
        tess_array *a = make_owner(2, &p, path), *reader = NULL;
        ok(tess_array_write(a, origin, p.shape, items, size, err));
        tess_array *const sketch = open_sketch(a, NULL);
        struct packet *const packets = encode_rows(sketch, &p, items, &n);
        close_all(a, sketch, NULL);
        const tess_storage storage = storage_at(path, TESS_MODE_READ);
        ok(tess_array_open(&storage, &reader, err));
        tess_array_info(reader, &info);
        assert_int_equal(count_chunk_files(path), info.nchunks);
        die_at_work(path, packets, n, items, size);
        assert_true(count_chunk_files(path) > info.nchunks);

        tess_storage keeps = storage_at(path, TESS_MODE_UPDATE);
        keeps.never_reuse = true;
        for (int i = 0; i < 2; i++) {
            ok(i == 0 ? tess_array_open(&keeps, &a, err)
                      : ((a = open_to_update(path)) ? TESS_OK : TESS_ERR_IO));
            if (i == 0)
                ok(tess_array_write(a, origin, one, items, 8, err));
            else
                ok(tess_attr_set_int(a, "n", 1, err));
            ok(tess_array_close(a, err));
            assert_true(count_chunk_files(path) > info.nchunks);
        }
        ok(tess_array_close(reader, err));
        ok(tess_array_open(&storage, &reader, err));
        a = open_to_update(path);
        tess_array_info(a, &info);
        for (int64_t i = 0; i < 2; i++) { // as it is, so that readers see no other state
            void *chunk;
            size_t chunk_size;
            ok(tess_array_get_chunk(a, i, &chunk, &chunk_size, err));
            ok(tess_array_set_chunk(a, i, chunk, chunk_size, TESS_CHUNK_TRUSTED, err));
            tess_free(chunk);
        }
        assert_int_equal(count_chunk_files(path), info.nchunks + 2);
        check_equal(reader, serial, &p);
        ok(tess_array_close(a, err));
        assert_int_equal(count_chunk_files(path), info.nchunks);
        ok(tess_array_close(reader, err));
        check_path_equal(path, 0, serial, &p);
        ok(tess_array_close(serial, err));
        free_packets(packets, n);
        free(items);
        files_remove(path);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(unsealed),
        IN_A_FOLDER(not_begun),
        IN_A_FOLDER(emptied),
        IN_A_FOLDER(orphans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
