/*
 * array_leases.c - tests of array/packets/leases with packets that no worker makes: placed chunks
 * of one packet that share bytes, or a file.
 */
#include "base/bytes.h"
#include "frame/format/checksums.h"
#include "support/files.h"
#include "support/packet_arrays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ENTRIES = 64 + 2 * 24, ENTRY = 64, SEAL = 8 }; // lib/tessera/array/packets/packets.h

// Chunk i of a placed packet is somewhere else now.
static void
set_offset(const struct packet *there, int64_t i, int64_t offset)
{
    uint8_t *const bytes = there->bytes;
    const size_t sealed = there->size - SEAL;
    put_u64le(bytes + ENTRIES + i * ENTRY + 8, (uint64_t)offset);
    put_u64le(bytes + sealed, checksum_of(bytes, sealed));
}

static void
overlapping(void **state)
{
    enum { CHUNKS = 3 };
    (void)state;
    struct random r;
    random_init(&r, random_seed());
    tess_params p;
    kind_params(&kinds[0], &p);
    uint8_t *const items = malloc(items_size(&p));
    assert_non_null(items);
    random_bytes(&r, items, items_size(&p)); // all chunks are stored
    for (int home = 1; home <= 2; home++) {
        const bool files = home == 2;
        const char *const path = files_path("overlap");
        tess_packet_chunk chunks[CHUNKS];
        tess_lease lease;
        size_t n;
        tess_array *const owner = make_owner(home, &p, path);
        tess_array *const sketch = open_sketch(owner, NULL);
        struct packet *const packets = encode_rows(sketch, &p, items, &n);
        tess_adoption *const ad = begin_adoption(owner);
        ok(tess_adoption_lease(ad, needs(&packets[0], files), &lease, err));
        const struct packet there = place_packet(&packets[0], path, &lease);
        ok(tess_packet_chunks(there.bytes, there.size, chunks, CHUNKS, err));
        // Chunk 0 takes the last byte in front of chunk 2, of chunk 1; or its file.
        const int64_t last = files ? chunks[1].offset : chunks[2].offset - 1;
        tess_error why;
        set_offset(&there, 0, files ? last : last + 1 - chunks[0].cbytes);
        assert_int_equal(tess_adoption_add(ad, there.bytes, there.size, TESS_CHUNK_TRUSTED, &why),
                         TESS_ERR_ARG);
        assert_non_null(strstr(why.message, files ? "its file is that of chunk" : "it overlaps"));
        assert_true(why.offset == ENTRIES || why.offset == ENTRIES + ENTRY);
        assert_int_equal(missing(ad, 0), 0);
        // Where the worker wrote it, it is fine.
        set_offset(&there, 0, chunks[0].offset);
        add(ad, &there);
        assert_int_equal(missing(ad, 0), CHUNKS);
        ok(tess_adoption_end(ad, true, err));
        close_all(owner, sketch, NULL);
        verify(path);
        tess_free(there.bytes);
        free_packets(packets, n);
        files_remove(path);
    }
    free(items);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(overlapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
