/*
 * lease_commits.c - leases, and commits that are made while there are some.
 */
#include "api/files.h"
#include "api/packet_arrays.h"
#include "support/reference.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

// The first lease commits, since c-blosc2 does not seal a state; the next ones do not. Workers
// write to the file, and what the owner knows of it stays good.
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
        assert_int_equal(sizes[0], size);
        assert_memory_equal(begun, bytes, size);
        assert_true(sizes[1] != size || memcmp(leased, bytes, size) != 0);
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(unsealed),
        IN_A_FOLDER(emptied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
