/*
 * leases.c - space that an owner leases to workers, and the chunks that they write there.
 */
#include "support/files.h"
#include "support/packet_arrays.h"

#include <tessera.h>

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// Every packet has a lease of its own; some leases have more room than that, some are never used,
// and some of their workers died. Commits come in between.
static void
placed(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, random_seed());
    for (size_t k = 0; k < COUNT(kinds) * 2; k++) {
        const bool files = k % 2 == 1;
        const char *const path = files_path("placed");
        tess_params p;
        size_t n;
        kind_params(&kinds[k / 2], &p);
        uint8_t *const items = random_items(&r, items_size(&p));
        tess_array *const serial = make_serial(&p, items);
        tess_array *const owner = make_owner(files ? 2 : 1, &p, path);
        tess_array *const sketch = open_sketch(owner, NULL);
        struct packet *const packets = encode_rows(sketch, &p, items, &n);
        shuffle(&r, packets, n);
        tess_adoption *const ad = begin_adoption(owner);
        for (size_t i = 0; i < n; i++) {
            const int64_t size = needs(&packets[i], files);
            tess_lease lease, dead, unused;
            ok(tess_adoption_lease(ad, size + 1 + (int64_t)random_below(&r, 50), &lease, err));
            ok(tess_adoption_lease(ad, size + 1, &dead, err));
            ok(tess_adoption_lease(ad, 1, &unused, err));
            if (i % 3 == 0)
                ok(tess_array_flush(owner, err));
            const struct packet lost = place_packet(&packets[i], path, &dead);
            tess_free(lost.bytes);
            lease.first++; // a part of it
            lease.size--;
            const struct packet there = place_packet(&packets[i], path, &lease);
            const tess_chunk_trust trust = i % 2 == 0 ? TESS_CHUNK_TRUSTED : TESS_CHUNK_UNTRUSTED;
            ok(tess_adoption_add(ad, there.bytes, there.size, trust, err));
            ok(tess_adoption_add(ad, there.bytes, there.size, trust, err));
            ok(tess_adoption_add(ad, packets[i].bytes, packets[i].size, trust, err));
            tess_free(there.bytes);
            ok(tess_adoption_return(ad, &dead, err));
            refused(TESS_ERR_ARG, tess_adoption_return(ad, &dead, err));
            lease.first--;
            lease.size++;
            if (i % 2 == 0)
                ok(tess_adoption_return(ad, &lease, err));
        }
        assert_int_equal(missing(ad, 0), -1);
        check_equal(owner, serial, &p);
        ok(tess_adoption_end(ad, true, err));
        close_all(owner, sketch, NULL);
        check_path_equal(path, 0, serial, &p);
        ok(tess_array_close(serial, err));
        free_packets(packets, n);
        free(items);
        files_remove(path);
    }
}

// An array behind other bytes: leases are told as positions in the file.
static void
behind_other_bytes(void **state)
{
    (void)state;
    enum { FRONT = 12345 };
    const char *const path = files_path("archive");
    struct random r;
    random_init(&r, random_seed());
    tess_params p;
    size_t n, size;
    kind_params(&kinds[2], &p);
    uint8_t *const items = random_items(&r, items_size(&p)), *const front = calloc(1, FRONT);
    assert_non_null(front);
    files_write(path, front, FRONT);
    tess_array *const serial = make_serial(&p, items);
    const tess_storage storage = storage_at(path, TESS_MODE_APPEND);
    tess_array *owner = NULL;
    ok(tess_array_uninit(&storage, &p, &owner, err));
    tess_array *const sketch = open_sketch(owner, NULL);
    struct packet *const packets = encode_rows(sketch, &p, items, &n);
    tess_adoption *const ad = begin_adoption(owner);
    for (size_t i = 0; i < n; i++) {
        tess_lease lease;
        ok(tess_adoption_lease(ad, needs(&packets[i], false) + 1, &lease, err));
        assert_true(lease.first > FRONT);
        const struct packet there = place_packet(&packets[i], path, &lease);
        add(ad, &there);
        tess_free(there.bytes);
    }
    ok(tess_adoption_end(ad, true, err));
    close_all(owner, sketch, NULL);
    check_path_equal(path, FRONT, serial, &p);
    uint8_t *const bytes = files_read(path, &size);
    assert_memory_equal(bytes, front, FRONT);
    free(bytes);
    free(front);
    free_packets(packets, n);
    free(items);
    ok(tess_array_close(serial, err));
}

// Placed chunks that are not where the packet says, or not what it says.
static void
places_refused(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, random_seed());
    for (int home = 1; home <= 2; home++) {
        const bool files = home == 2;
        const char *const path = files_path("refused"), *const copy = files_path("other");
        tess_params p;
        size_t n;
        kind_params(&kinds[0], &p);
        uint8_t *const items = malloc(items_size(&p));
        assert_non_null(items);
        random_bytes(&r, items, items_size(&p)); // all chunks are stored
        tess_array *const owner = make_owner(home, &p, path);
        tess_array *const other = make_owner(home, &p, copy);
        tess_array *const wrong = make_owner(3 - home, &p, files_path("wrong"));
        tess_array *const sketch = open_sketch(owner, NULL);
        struct packet *const packets = encode_rows(sketch, &p, items, &n);
        const int64_t size = needs(&packets[0], files);
        tess_adoption *const ad = begin_adoption(owner), *const theirs = begin_adoption(other);
        tess_adoption *const misled = begin_adoption(wrong);
        tess_lease lease, behind, next;
        ok(tess_adoption_lease(ad, size, &lease, err));
        refused(TESS_ERR_ARG, tess_adoption_lease(ad, 0, &next, err));
        refused(TESS_ERR_ARG, tess_adoption_lease(ad, -5, &next, err));
        refused(TESS_ERR_ARG, tess_adoption_lease(ad, INT64_MAX, &next, err));
        // Written, but to another place.
        struct packet there = place_packet(&packets[0], copy, &lease);
        refused(TESS_ERR_ARG, tess_adoption_add(theirs, there.bytes, there.size, TESS_CHUNK_TRUSTED,
                                                err)); // has no lease
        refused(TESS_ERR_ARG,
                tess_adoption_add(misled, there.bytes, there.size, TESS_CHUNK_TRUSTED, err));
        refused(TESS_ERR_NOT_FOUND,
                tess_adoption_add(ad, there.bytes, there.size, TESS_CHUNK_TRUSTED, err));
        tess_free(there.bytes);
        // Too little room; and beside the lease.
        tess_lease less = lease;
        less.size--;
        refused(TESS_ERR_ARG,
                tess_packet_place(packets[0].bytes, packets[0].size, path, &less,
                                  TESS_DURABILITY_NONE, &there.bytes, &there.size, err));
        behind = lease;
        behind.first++;
        there = place_packet(&packets[0], path, &behind);
        refused(TESS_ERR_ARG,
                tess_adoption_add(ad, there.bytes, there.size, TESS_CHUNK_TRUSTED, err));
        tess_free(there.bytes);
        // Other bytes at the right place.
        there = place_packet(&packets[0], path, &lease);
        const struct packet over = place_packet(&packets[1], path, &lease);
        refused(TESS_ERR_CORRUPT,
                tess_adoption_add(ad, there.bytes, there.size, TESS_CHUNK_UNTRUSTED, err));
        tess_free(there.bytes);
        // It can be done right still; then there is nothing left of the lease.
        assert_int_equal(missing(ad, 0), 0);
        there = place_packet(&packets[0], path, &lease);
        add(ad, &there);
        refused(TESS_ERR_ARG,
                tess_adoption_add(ad, over.bytes, over.size, TESS_CHUNK_TRUSTED, err));
        refused(TESS_ERR_ARG,
                tess_packet_place(there.bytes, there.size, path, &lease, TESS_DURABILITY_NONE,
                                  &(void *){NULL}, &(size_t){0}, err));
        tess_free(over.bytes);
        tess_free(there.bytes);
        if (!files) {
            const int64_t empty[2] = {0, 50};
            refused(TESS_ERR_UNSUPPORTED, tess_array_resize(owner, empty, err));
        }
        ok(tess_adoption_end(ad, true, err));
        ok(tess_adoption_end(theirs, true, err));
        ok(tess_adoption_end(misled, true, err));
        verify(path);
        ok(tess_array_close(wrong, err));
        close_all(owner, sketch, other);
        free_packets(packets, n);
        free(items);
        files_remove(path);
        files_remove(copy);
        files_remove(files_path("wrong"));
    }
    tess_params p;
    tess_lease lease;
    kind_params(&kinds[0], &p);
    tess_array *const owner = make_owner(0, &p, NULL);
    tess_adoption *const ad = begin_adoption(owner);
    refused(TESS_ERR_UNSUPPORTED, tess_adoption_lease(ad, 1, &lease, err));
    ok(tess_adoption_end(ad, false, err));
    ok(tess_array_close(owner, err));
}

// Adds a packet that is refused for its chunk `index`.
static void
check_blamed(tess_adoption *ad, const struct packet *there, tess_chunk_trust trust,
             tess_status want, int index)
{
    enum { HEADER = 64, AXIS = 24, ENTRY = 64 }; // lib/tessera/array/packets/packets.h
    tess_packet_chunk chunks[4];
    char number[64], where[64];
    tess_error why;
    ok(tess_packet_chunks(there->bytes, there->size, chunks, COUNT(chunks), err));
    const tess_packet_chunk *const c = &chunks[index];
    (void)snprintf(number, sizeof number, "chunk %d of a packet, ", (int)c->number);
    (void)snprintf(where, sizeof where,
                   c->offset < 10 ? "in %08X.chunk: " : "at %d in the file: ", (int)c->offset);
    assert_int_equal(tess_adoption_add(ad, there->bytes, there->size, trust, &why), want);
    assert_int_equal(why.sys, 0);
    assert_int_equal(why.offset, HEADER + 2 * AXIS + index * ENTRY);
    assert_ptr_equal(strstr(why.message, number), why.message);
    assert_ptr_equal(strstr(why.message, where), why.message + strlen(number));
}

// An error tells which chunk of the packet it is about, and where that was placed.
static void
blamed(void **state)
{
    (void)state;
    enum { CHUNKS = 3, LAST = 2 }; // of a packet
    struct random r;
    random_init(&r, random_seed());
    tess_params p;
    kind_params(&kinds[0], &p);
    uint8_t *const items = malloc(items_size(&p));
    assert_non_null(items);
    random_bytes(&r, items, items_size(&p)); // all chunks are stored
    for (int home = 1; home <= 2; home++) {
        const bool files = home == 2;
        const char *const path = files_path("blamed");
        size_t n;
        tess_array *const owner = make_owner(home, &p, path);
        tess_array *const sketch = open_sketch(owner, NULL);
        struct packet *const packets = encode_rows(sketch, &p, items, &n);
        tess_adoption *const ad = begin_adoption(owner);
        tess_packet_chunk chunks[CHUNKS];
        tess_lease lease, few;
        // The last chunk is behind the lease.
        ok(tess_packet_chunks(packets[0].bytes, packets[0].size, chunks, CHUNKS, err));
        ok(tess_adoption_lease(ad, needs(&packets[0], files) - 1, &few, err));
        lease = (tess_lease){few.first, few.size + 1};
        struct packet there = place_packet(&packets[0], path, &lease);
        check_blamed(ad, &there, TESS_CHUNK_TRUSTED, TESS_ERR_ARG, LAST);
        tess_free(there.bytes);
        ok(tess_adoption_return(ad, &few, err));
        // A part of it is missing; then it has other bytes; then it was not written at all.
        ok(tess_adoption_lease(ad, needs(&packets[0], files), &lease, err));
        there = place_packet(&packets[0], path, &lease);
        ok(tess_packet_chunks(there.bytes, there.size, chunks, CHUNKS, err));
        char name[300];
        (void)snprintf(name, sizeof name, files ? "%s/%08X.chunk" : "%s", path,
                       (unsigned)chunks[LAST].offset);
        const off_t start = files ? 0 : (off_t)chunks[LAST].offset;
        assert_int_equal(truncate(name, start + (off_t)chunks[LAST].cbytes / 2), 0);
        check_blamed(ad, &there, TESS_CHUNK_TRUSTED, TESS_ERR_NOT_FOUND, LAST);
        assert_int_equal(truncate(name, start + (off_t)chunks[LAST].cbytes), 0); // zeros
        check_blamed(ad, &there, TESS_CHUNK_UNTRUSTED, TESS_ERR_CORRUPT, LAST);
        if (files)
            files_remove(name);
        else
            assert_int_equal(truncate(name, start), 0);
        check_blamed(ad, &there, TESS_CHUNK_TRUSTED, TESS_ERR_NOT_FOUND, LAST);
        tess_free(there.bytes);
        there = place_packet(&packets[0], path, &lease);
        add(ad, &there);
        tess_free(there.bytes);
        ok(tess_adoption_end(ad, true, err));
        close_all(owner, sketch, NULL);
        verify(path);
        free_packets(packets, n);
        files_remove(path);
    }
    free(items);
}

static int64_t
file_size(const char *path)
{
    size_t size;
    free(files_read(path, &size));
    return (int64_t)size;
}

// An owner that is killed before it commits leaves the last commit; what was written meanwhile is
// free for those that come next.
static void
killed(void **state)
{
    (void)state;
    enum { ROUNDS = 6 };
    struct random r;
    random_init(&r, random_seed());
    for (int home = 1; home <= 2; home++) {
        const bool files = home == 2;
        const char *const path = files_path("killed");
        tess_params p;
        size_t n;
        int64_t sizes[ROUNDS];
        kind_params(&kinds[0], &p);
        uint8_t *const items = random_items(&r, items_size(&p));
        tess_array *const serial = make_serial(&p, items);
        tess_array *const blank = make_owner(home, &p, path);
        tess_array *const sketch = open_sketch(blank, NULL);
        struct packet *const packets = encode_rows(sketch, &p, items, &n);
        const tess_storage storage = storage_at(path, TESS_MODE_UPDATE);
        ok(tess_array_close(blank, err));
        for (int round = 0; round < ROUNDS; round++) {
            const pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0) {
                tess_array *owner = NULL;
                ok(tess_array_open(&storage, &owner, err));
                tess_adoption *const ad = begin_adoption(owner);
                for (size_t i = 0; i < n; i++) {
                    tess_lease lease;
                    ok(tess_adoption_lease(ad, needs(&packets[i], files) + 1, &lease, err));
                    const struct packet there = place_packet(&packets[i], path, &lease);
                    if (i % 2 == 0)
                        add(ad, &there);
                }
                raise(SIGKILL);
            }
            int status;
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
            verify(path);
            tess_array *owner = NULL;
            ok(tess_array_open(&storage, &owner, err));
            tess_info info;
            tess_array_info(owner, &info);
            assert_int_equal(info.nmissing, round == 0 ? info.nchunks : 0);
            tess_adoption *const ad = begin_adoption(owner);
            for (size_t i = 0; i < n; i++) {
                tess_lease lease;
                ok(tess_adoption_lease(ad, needs(&packets[i], files) + 1, &lease, err));
                const struct packet there = place_packet(&packets[i], path, &lease);
                add(ad, &there);
                tess_free(there.bytes);
            }
            ok(tess_adoption_end(ad, true, err));
            ok(tess_array_flush(owner, err));
            ok(tess_array_close(owner, err));
            check_path_equal(path, 0, serial, &p);
            sizes[round] = files ? 0 : file_size(path);
        }
        // States that may be current on the disk, and what is written: never more than three.
        for (int round = 3; round < ROUNDS; round++)
            assert_true(sizes[round] <= 3 * sizes[0] + 1000);
        ok(tess_array_close(sketch, err));
        ok(tess_array_close(serial, err));
        free_packets(packets, n);
        free(items);
        files_remove(path);
    }
}

// A child of the owner that ends the adoption takes nothing from it.
static void
forked(void **state)
{
    (void)state;
    const char *const path = files_path("forked");
    struct random r;
    random_init(&r, random_seed());
    tess_params p;
    size_t n;
    kind_params(&kinds[0], &p);
    uint8_t *const items = random_items(&r, items_size(&p));
    tess_array *const serial = make_serial(&p, items);
    tess_array *const owner = make_owner(2, &p, path);
    tess_array *const sketch = open_sketch(owner, NULL);
    struct packet *const packets = encode_rows(sketch, &p, items, &n);
    tess_adoption *const ad = begin_adoption(owner);
    for (size_t i = 0; i < n; i++) {
        tess_lease lease;
        ok(tess_adoption_lease(ad, needs(&packets[i], true) + 1, &lease, err));
        const struct packet there = place_packet(&packets[i], path, &lease);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(tess_adoption_add(ad, there.bytes, there.size, TESS_CHUNK_TRUSTED, NULL) ==
                      TESS_OK ||
                  tess_adoption_end(ad, true, NULL) == TESS_OK);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        add(ad, &there);
        tess_free(there.bytes);
    }
    ok(tess_adoption_end(ad, true, err));
    close_all(owner, sketch, NULL);
    check_path_equal(path, 0, serial, &p);
    ok(tess_array_close(serial, err));
    free_packets(packets, n);
    free(items);
}

// Leases that come and go leave the file as long as it was.
static void
nothing_leaks(void **state)
{
    (void)state;
    enum { ROUNDS = 50, SIZE = 100000 };
    const char *const path = files_path("leak");
    tess_params p;
    kind_params(&kinds[0], &p);
    tess_array *const owner = make_owner(1, &p, path);
    tess_adoption *const ad = begin_adoption(owner);
    tess_lease before = {0};
    for (int round = 0; round < ROUNDS; round++) {
        tess_lease lease;
        ok(tess_adoption_lease(ad, SIZE, &lease, err));
        ok(tess_attr_set_int(owner, "round", round, err));
        ok(tess_array_flush(owner, err));
        if (round > 0)
            ok(tess_adoption_return(ad, &before, err));
        assert_true(lease.first < 5 * SIZE);
        before = lease;
    }
    ok(tess_adoption_end(ad, true, err));
    ok(tess_array_flush(owner, err));
    ok(tess_array_close(owner, err));
    assert_true(file_size(path) < 5 * SIZE);
    verify(path);
}

// Space that a lease has adopted and that is free again is leased anew: both leases stay what they
// are, whichever is returned first.
static void
leased_again(void **state)
{
    (void)state;
    const char *const path = files_path("again");
    struct random r;
    random_init(&r, random_seed());
    tess_params p;
    size_t n;
    kind_params(&kinds[0], &p);
    uint8_t *const items = malloc(items_size(&p));
    assert_non_null(items);
    random_bytes(&r, items, items_size(&p)); // all chunks are stored
    tess_array *const owner = make_owner(1, &p, path);
    tess_array *const sketch = open_sketch(owner, NULL);
    struct packet *const packets = encode_rows(sketch, &p, items, &n);
    tess_adoption *const ad = begin_adoption(owner), *const other = begin_adoption(owner);
    const int64_t first = needs(&packets[0], false), second = needs(&packets[1], false);
    tess_lease lease, inner, last;
    assert_true(n > 1 && first > 0);
    ok(tess_adoption_lease(ad, first + second, &lease, err));
    const tess_lease front = {lease.first, first}, back = {lease.first + first, second};
    const struct packet before = place_packet(&packets[0], path, &front);
    add(ad, &before);
    add(other, &packets[0]);
    ok(tess_array_flush(owner, err));
    ok(tess_adoption_lease(ad, 1, &inner, err));
    assert_in_range(inner.first, lease.first, lease.first + first - 1);
    const struct packet behind = place_packet(&packets[1], path, &back);
    add(ad, &behind);
    ok(tess_adoption_return(ad, &lease, err));
    ok(tess_adoption_lease(other, 1, &last, err));
    assert_int_not_equal(last.first, inner.first);
    ok(tess_adoption_return(ad, &inner, err));
    ok(tess_adoption_end(other, false, err));
    ok(tess_adoption_end(ad, true, err));
    close_all(owner, sketch, NULL);
    verify(path);
    tess_free(before.bytes);
    tess_free(behind.bytes);
    free_packets(packets, n);
    free(items);
}

// Very many leases, each for one chunk, used and returned in any order; half of them just end. A
// step that looks at all of them would take minutes.
static void
many(void **state)
{
    (void)state;
    enum { LEASES = 20000, LENGTH = 16 };
    const char *const path = files_path("many");
    struct random r;
    random_init(&r, random_seed());
    const int64_t count = random_cases(LEASES, 10 * LEASES);
    struct entry {
        struct packet packet;
        tess_lease lease;
    } *const entries = calloc((size_t)count, sizeof *entries);
    int32_t *const items = malloc((size_t)count * LENGTH * sizeof *items);
    assert_non_null(entries);
    assert_non_null(items);
    random_bytes(&r, items, (size_t)count * LENGTH * sizeof *items);
    tess_params p;
    tess_params_init(&p);
    p.dtype = "<i4";
    p.ndim = 1;
    p.shape[0] = count * LENGTH;
    p.chunkshape[0] = p.blockshape[0] = LENGTH;
    tess_array *const owner = make_owner(1, &p, path);
    tess_array *const sketch = open_sketch(owner, NULL);
    tess_adoption *const ad = begin_adoption(owner);
    for (int64_t i = 0; i < count; i++) {
        struct entry *const e = &entries[i];
        const int64_t start[1] = {i * LENGTH}, stop[1] = {(i + 1) * LENGTH};
        const struct packet bytes = encode_box(sketch, &p, (const uint8_t *)items, start, stop);
        const int64_t size = needs(&bytes, false) + (int64_t)random_below(&r, 3);
        ok(tess_adoption_lease(ad, size, &e->lease, err));
        ok(tess_packet_place(bytes.bytes, bytes.size, path, &e->lease, TESS_DURABILITY_NONE,
                             &e->packet.bytes, &e->packet.size, err));
        tess_free(bytes.bytes);
    }
    for (int64_t i = count; i > 1; i--) {
        const int64_t k = (int64_t)random_below(&r, (uint64_t)i);
        const struct entry e = entries[k];
        entries[k] = entries[i - 1];
        entries[i - 1] = e;
    }
    for (int64_t i = 0; i < count; i++) {
        if (i >= count / 2)
            ok(tess_adoption_return(ad, &entries[i - count / 2].lease, err));
        ok(tess_adoption_add(ad, entries[i].packet.bytes, entries[i].packet.size,
                             TESS_CHUNK_TRUSTED, err));
        tess_free(entries[i].packet.bytes);
    }
    ok(tess_adoption_end(ad, true, err));
    int32_t *const got = malloc((size_t)count * LENGTH * sizeof *got);
    assert_non_null(got);
    const int64_t start[1] = {0};
    ok(tess_array_read(owner, start, p.shape, got, items_size(&p), err));
    assert_memory_equal(got, items, items_size(&p));
    close_all(owner, sketch, NULL);
    free(got);
    free(items);
    free(entries);
}

// Whether this process could lock the lock file now.
static bool
can_lock(const char *path)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    const bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    return locked;
}

// Programs that use the lock file keep off as long as there are leases, whatever is committed.
static void
lock_file(void **state)
{
    (void)state;
    tess_params p;
    tess_lease lease, other;
    kind_params(&kinds[0], &p);
    tess_storage storage = storage_at(files_path("locked"), TESS_MODE_NEW);
    storage.lock_file = true;
    tess_array *owner = NULL;
    ok(tess_array_uninit(&storage, &p, &owner, err));
    const char *const file = files_path("locked.b2lock");
    tess_adoption *const ad = begin_adoption(owner);
    assert_true(can_lock(file));
    ok(tess_adoption_lease(ad, 1000, &lease, err));
    ok(tess_adoption_lease(ad, 1000, &other, err));
    assert_false(can_lock(file));
    ok(tess_attr_set_int(owner, "n", 1, err));
    ok(tess_array_lock(owner, err));
    ok(tess_array_flush(owner, err)); // ends what tess_array_lock() began
    assert_false(can_lock(file));
    ok(tess_adoption_return(ad, &lease, err));
    assert_false(can_lock(file));
    ok(tess_adoption_return(ad, &other, err));
    assert_true(can_lock(file));
    ok(tess_adoption_lease(ad, 1000, &lease, err));
    ok(tess_adoption_end(ad, true, err));
    assert_true(can_lock(file));
    ok(tess_array_close(owner, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(placed, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(behind_other_bytes, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(places_refused, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(blamed, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(killed, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(forked, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(nothing_leaks, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(leased_again, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(many, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(lock_file, files_setup, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
