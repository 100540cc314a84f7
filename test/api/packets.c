/*
 * packets.c - encoded chunks as packets: what workers make is what one program would have written.
 */
#include "support/files.h"
#include "support/packet_arrays.h"
#include "support/plugin_arrays.h"

#include <tessera.h>

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static tess_storage memory; // in main(): no path

// -- sketches and packets

// The stored chunks of a packet are those of the array, byte for byte.
static int64_t
compare_chunks(const struct packet *packet, const tess_array *serial)
{
    tess_packet_info info;
    ok(tess_packet_info(packet->bytes, packet->size, &info, err));
    assert_int_equal(info.kind, TESS_PACKET_BYTES);
    tess_packet_chunk *const chunks = calloc((size_t)info.nchunks + 1, sizeof *chunks);
    assert_non_null(chunks);
    ok(tess_packet_chunks(packet->bytes, packet->size, chunks, (size_t)info.nchunks, err));
    int64_t cbytes = 0, nstored = 0;
    for (int64_t i = 0; i < info.nchunks; i++) {
        tess_chunk_info want;
        void *bytes;
        size_t size;
        ok(tess_array_chunk(serial, chunks[i].number, &want, err));
        assert_int_equal(chunks[i].kind, want.kind);
        assert_int_equal(chunks[i].cbytes, want.cbytes);
        if (want.stored) {
            ok(tess_array_get_chunk(serial, chunks[i].number, &bytes, &size, err));
            assert_int_equal(size, chunks[i].cbytes);
            assert_memory_equal((const uint8_t *)packet->bytes + chunks[i].offset, bytes, size);
            tess_free(bytes);
        }
        cbytes += chunks[i].cbytes;
        nstored += want.stored;
    }
    assert_int_equal(info.cbytes, cbytes);
    assert_int_equal(info.nstored, nstored);
    free(chunks);
    return info.nchunks;
}

static void
same_chunks(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, random_seed());
    for (size_t k = 0; k < COUNT(kinds); k++) {
        tess_params p;
        size_t n;
        int64_t nchunks = 0;
        kind_params(&kinds[k], &p);
        uint8_t *const items = random_items(&r, items_size(&p));
        tess_array *const serial = make_serial(&p, items);
        tess_array *const sketch = open_sketch(serial, NULL);
        struct packet *const packets = encode_rows(sketch, &p, items, &n);
        for (size_t i = 0; i < n; i++)
            nchunks += compare_chunks(&packets[i], serial);
        tess_info info;
        tess_array_info(serial, &info);
        assert_int_equal(nchunks, info.nchunks);
        tess_array_info(sketch, &info);
        assert_int_equal(info.nmissing, info.nchunks); // it is as it was
        free_packets(packets, n);
        ok(tess_array_close(sketch, err));
        ok(tess_array_close(serial, err));
        free(items);
    }
}

// One item for all of a box, where the box is all of the array, too.
static void
one_item(void **state)
{
    (void)state;
    const int64_t start[2] = {0}, strides[2] = {0};
    static const double values[] = {0, 3.5, NAN};
    static const tess_chunk_kind want[] = {TESS_CHUNK_ZEROS, TESS_CHUNK_VALUE, TESS_CHUNK_NANS};
    tess_params p;
    kind_params(&kinds[0], &p);
    tess_array *owner = NULL;
    ok(tess_array_zeros(&memory, &p, &owner, err));
    tess_array *const sketch = open_sketch(owner, NULL);
    for (size_t i = 0; i < COUNT(values); i++) {
        tess_packet_chunk chunks[15];
        struct packet packet;
        ok(tess_packet_encode(sketch, start, p.shape, &values[i], sizeof values[i], strides,
                              &packet.bytes, &packet.size, err));
        ok(tess_packet_chunks(packet.bytes, packet.size, chunks, COUNT(chunks), err));
        for (size_t n = 0; n < COUNT(chunks); n++) {
            assert_int_equal(chunks[n].number, n);
            assert_int_equal(chunks[n].kind, want[i]);
        }
        tess_free(packet.bytes);
    }
    ok(tess_array_close(sketch, err));
    ok(tess_array_close(owner, err));
}

// The frame of a sketch does not depend on the number of chunks.
static void
small_sketch(void **state)
{
    (void)state;
    const int32_t fill = 7;
    size_t sizes[2];
    for (int i = 0; i < 2; i++) {
        tess_params p;
        tess_params_init(&p);
        p.dtype = "<i4";
        p.ndim = 1;
        p.shape[0] = i == 0 ? 1000 : INT64_C(10000000000);
        p.chunkshape[0] = 100;
        p.blockshape[0] = 50;
        p.fill = &fill;
        p.fill_size = sizeof fill;
        tess_array *owner = NULL;
        ok(tess_array_uninit(&memory, &p, &owner, err));
        ok(tess_attr_set_string(owner, "history", "a long story", err));
        void *image;
        ok(tess_array_sketch(owner, &image, &sizes[i], err));
        tess_free(image);
        tess_array *const sketch = open_sketch(owner, NULL);
        tess_info info;
        tess_array_info(sketch, &info);
        assert_int_equal(info.nchunks, p.shape[0] / 100);
        assert_int_equal(*(const int32_t *)info.fill, fill);
        ok(tess_array_close(sketch, err));
        ok(tess_array_close(owner, err));
    }
    assert_in_range(sizes[0], 1, 1000);
    assert_in_range(sizes[1], 1, sizes[0] + 32);
}

static void
boxes_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t start[2], stop[2];
        size_t size;
    } boxes[] = {
        {"not at the start of a chunk", {1, 0}, {16, 20}, 1 << 20},
        {"not at the end of a chunk", {0, 0}, {16, 19}, 1 << 20},
        {"behind the array", {64, 0}, {80, 20}, 1 << 20},
        {"backwards", {16, 0}, {0, 20}, 1 << 20},
        {"too little memory", {0, 0}, {16, 20}, 16 * 20 * 8 - 1},
    };
    static uint8_t items[1 << 20];
    tess_params p;
    kind_params(&kinds[0], &p);
    tess_array *owner = NULL;
    ok(tess_array_zeros(&memory, &p, &owner, err));
    tess_array *const sketch = open_sketch(owner, NULL);
    struct packet packet;
    for (size_t i = 0; i < COUNT(boxes); i++) {
        refused(TESS_ERR_ARG,
                tess_packet_encode(sketch, boxes[i].start, boxes[i].stop, items, boxes[i].size,
                                   NULL, &packet.bytes, &packet.size, err));
        assert_null(packet.bytes);
        assert_int_equal(packet.size, 0);
    }
    // Arrays of zeros, and sketches that were written to, are no sketches.
    const int64_t start[2] = {0}, stop[2] = {16, 20};
    refused(TESS_ERR_ARG, tess_packet_encode(owner, start, stop, items, sizeof items, NULL,
                                             &packet.bytes, &packet.size, err));
    ok(tess_array_write(sketch, start, stop, items, sizeof items, err));
    ok(tess_array_flush(sketch, err));
    refused(TESS_ERR_ARG, tess_packet_encode(sketch, start, stop, items, sizeof items, NULL,
                                             &packet.bytes, &packet.size, err));
    ok(tess_array_close(sketch, err));
    ok(tess_array_close(owner, err));
}

// -- adopting

static void
any_order(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, random_seed());
    for (size_t k = 0; k < COUNT(kinds) * 3; k++) {
        const char *const path = files_path("order");
        const int home = (int)(k % 3);
        tess_params p;
        size_t n;
        kind_params(&kinds[k / 3], &p);
        uint8_t *const items = random_items(&r, items_size(&p));
        tess_array *const serial = make_serial(&p, items);
        tess_array *const owner = make_owner(home, &p, path);
        tess_array *const sketch = open_sketch(owner, NULL);
        struct packet *const packets = encode_rows(sketch, &p, items, &n);
        shuffle(&r, packets, n);
        tess_adoption *const ad = begin_adoption(owner);
        assert_int_equal(missing(ad, 0), 0);
        for (size_t i = 0; i < n; i++) {
            add(ad, &packets[i]);
            add(ad, &packets[random_below(&r, i + 1)]); // one that it has
        }
        assert_int_equal(missing(ad, 0), -1);
        check_equal(owner, serial, &p);
        ok(tess_adoption_end(ad, true, err));
        ok(tess_array_close(owner, err));
        if (home > 0) {
            const tess_storage storage = storage_at(path, TESS_MODE_READ);
            tess_array *again = NULL;
            ok(tess_array_open(&storage, &again, err));
            check_equal(again, serial, &p);
            ok(tess_array_close(again, err));
            verify(path);
            files_remove(path);
        }
        free_packets(packets, n);
        ok(tess_array_close(sketch, err));
        ok(tess_array_close(serial, err));
        free(items);
    }
}

struct worker {
    pthread_t thread;
    tess_array *sketch;
    tess_adoption *ad;
    const tess_params *p;
    const uint8_t *items;
    int64_t first; // row of chunks
};

enum { WORKERS = 4 };

static void *
work(void *arg)
{
    const struct worker *const w = arg;
    const int64_t c = w->p->chunkshape[0];
    for (int64_t row = w->first; row * c < w->p->shape[0]; row += WORKERS) {
        const int64_t start[3] = {row * c};
        const int64_t end = (row + 1) * c < w->p->shape[0] ? (row + 1) * c : w->p->shape[0];
        const int64_t stop[3] = {end, w->p->shape[1], w->p->shape[2]};
        const struct packet packet = encode_box(w->sketch, w->p, w->items, start, stop);
        add(w->ad, &packet);
        add(w->ad, &packet);
        tess_free(packet.bytes);
    }
    return NULL;
}

static void
threads(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, random_seed());
    for (int home = 0; home < 3; home++) {
        const char *const path = files_path("threads");
        struct worker workers[WORKERS];
        tess_params p;
        kind_params(&kinds[2], &p);
        p.shape[0] = 90;
        uint8_t *const items = random_items(&r, items_size(&p));
        tess_array *const serial = make_serial(&p, items);
        tess_array *const owner = make_owner(home, &p, path);
        tess_array *const sketch = open_sketch(owner, NULL);
        tess_adoption *const ad = begin_adoption(owner);
        for (int i = 0; i < WORKERS; i++) {
            workers[i] =
                (struct worker){.sketch = sketch, .ad = ad, .p = &p, .items = items, .first = i};
            assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
        }
        for (int i = 0; i < WORKERS; i++)
            assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_int_equal(missing(ad, 0), -1);
        ok(tess_array_close(owner, err)); // the adoption holds it
        ok(tess_adoption_end(ad, false, err));
        if (home > 0) {
            const tess_storage storage = storage_at(path, TESS_MODE_READ);
            tess_array *again = NULL;
            ok(tess_array_open(&storage, &again, err));
            check_equal(again, serial, &p);
            ok(tess_array_close(again, err));
            files_remove(path);
        }
        ok(tess_array_close(sketch, err));
        ok(tess_array_close(serial, err));
        free(items);
    }
}

// A chunk that was adopted stays, unless the program writes it.
static void
other_content(void **state)
{
    (void)state;
    const int64_t start[2] = {0}, stop[2] = {16, 20};
    double items[16 * 20];
    tess_params p;
    kind_params(&kinds[0], &p);
    for (int sums = 0; sums < 2; sums++) { // with checksums in the file, and without
        tess_storage storage = storage_at(NULL, TESS_MODE_NEW);
        storage.checksums = sums == 0 ? TESS_CHECKSUMS_WRITE : TESS_CHECKSUMS_NONE;
        tess_array *owner = NULL;
        ok(tess_array_uninit(&storage, &p, &owner, err));
        tess_array *const sketch = open_sketch(owner, NULL);
        tess_adoption *const ad = begin_adoption(owner);
        struct packet packets[3];
        for (int i = 0; i < 3; i++) {
            for (size_t k = 0; k < COUNT(items); k++)
                items[k] = i * (double)k;
            ok(tess_packet_encode(sketch, start, stop, items, sizeof items, NULL, &packets[i].bytes,
                                  &packets[i].size, err));
        }
        for (int first = 0; first < 3; first++) { // zeros are among them
            for (int second = 0; second < 3; second++) {
                tess_adoption *const own = begin_adoption(owner);
                add(own, &packets[first]);
                if (second == first)
                    add(own, &packets[second]);
                else
                    refused(TESS_ERR_ARG,
                            tess_adoption_add(own, packets[second].bytes, packets[second].size,
                                              TESS_CHUNK_TRUSTED, err));
                double got;
                const int64_t index[2] = {0, 1};
                ok(tess_array_get_item(owner, index, &got, sizeof got, err));
                assert_true(got == first);
                ok(tess_adoption_end(own, true, err));
            }
        }
        for (int i = 0; i < 3; i++)
            tess_free(packets[i].bytes);
        assert_int_equal(missing(ad, 0), 0); // what others adopt is theirs
        ok(tess_adoption_end(ad, false, err));
        ok(tess_array_close(sketch, err));
        ok(tess_array_close(owner, err));
    }
}

// Arrays that differ from the one of the packet.
static void
other_arrays(void **state)
{
    (void)state;
    static uint8_t items[9000 * 8];
    const int64_t start[1] = {0}, stop[1] = {2000};
    tess_params of;
    kind_params(&kinds[1], &of);
    random_bytes(&(struct random){1}, items, sizeof items);
    tess_array *maker = NULL;
    ok(tess_array_uninit(&memory, &of, &maker, err));
    tess_array *const sketch = open_sketch(maker, NULL);
    struct packet packet;
    ok(tess_packet_encode(sketch, start, stop, items, sizeof items, NULL, &packet.bytes,
                          &packet.size, err));
    for (int other = 0; other < 6; other++) {
        tess_params p = of;
        if (other == 0)
            p.dtype = "<f4"; // of the same size
        else if (other == 1)
            p.dtype = "<i8";
        else if (other == 2)
            p.shape[0]++;
        else if (other == 3)
            p.chunkshape[0] = 2000;
        else if (other == 4)
            p.blockshape[0] = 500;
        else
            p.shape[1] = p.chunkshape[1] = p.blockshape[1] = 1, p.ndim = 2;
        tess_array *owner = NULL;
        ok(tess_array_uninit(&memory, &p, &owner, err));
        tess_adoption *const ad = begin_adoption(owner);
        refused(TESS_ERR_ARG,
                tess_adoption_add(ad, packet.bytes, packet.size, TESS_CHUNK_TRUSTED, err));
        assert_int_equal(missing(ad, 0), 0);
        ok(tess_adoption_end(ad, true, err));
        tess_info info;
        tess_array_info(owner, &info);
        assert_int_equal(info.nmissing, info.nchunks);
        ok(tess_array_close(owner, err));
    }
    // The array itself, once it has another shape.
    const int64_t longer[1] = {9500};
    tess_adoption *const ad = begin_adoption(maker);
    ok(tess_array_resize(maker, longer, err));
    refused(TESS_ERR_ARG,
            tess_adoption_add(ad, packet.bytes, packet.size, TESS_CHUNK_TRUSTED, err));
    tess_array_discard(maker);
    refused(TESS_ERR_ARG,
            tess_adoption_add(ad, packet.bytes, packet.size, TESS_CHUNK_TRUSTED, err));
    refused(TESS_ERR_ARG, tess_adoption_missing(ad, -1, &(int64_t){0}, err));
    assert_int_equal(tess_adoption_end(ad, true, NULL), TESS_ERR_ARG);
    tess_free(packet.bytes);
    ok(tess_array_close(sketch, err));
}

static void
owners_refused(void **state)
{
    (void)state;
    tess_params p;
    kind_params(&kinds[1], &p);
    tess_array *owner = NULL, *view = NULL, *reader = NULL;
    tess_adoption *ad;
    ok(tess_array_uninit(&memory, &p, &owner, err));
    ok(tess_array_view_read_only(owner, &view, err));
    refused(TESS_ERR_ARG, tess_adoption_begin(view, &ad, err));
    assert_null(ad);
    ok(tess_array_close(view, err));
    const void *image;
    tess_storage storage = storage_at(NULL, TESS_MODE_READ);
    ok(tess_array_image(owner, &image, &storage.image_size, err));
    storage.image = image;
    ok(tess_array_open(&storage, &reader, err));
    refused(TESS_ERR_ARG, tess_adoption_begin(reader, &ad, err));
    refused(TESS_ERR_ARG, tess_adoption_begin(NULL, &ad, err));
    refused(TESS_ERR_ARG, tess_adoption_add(NULL, image, 1, TESS_CHUNK_TRUSTED, err));
    assert_int_equal(tess_adoption_end(NULL, true, NULL), TESS_OK);
    ok(tess_array_close(reader, err));
    ok(tess_array_close(owner, err));
}

// Every byte of a packet: what is changed is refused, and leaves the array as it was.
static void
damaged(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, random_seed());
    tess_params p;
    kind_params(&kinds[0], &p);
    uint8_t *const items = random_items(&r, items_size(&p));
    tess_array *owner = NULL;
    ok(tess_array_uninit(&memory, &p, &owner, err));
    tess_array *const sketch = open_sketch(owner, NULL);
    const int64_t start[2] = {0}, stop[2] = {16, 40};
    const struct packet packet = encode_box(sketch, &p, items, start, stop);
    uint8_t *const bytes = packet.bytes;
    tess_adoption *const ad = begin_adoption(owner);
    for (size_t i = 0; i < packet.size; i++) {
        tess_error err = {.status = TESS_OK};
        const uint8_t flip = (uint8_t)(1u << random_below(&r, 8));
        bytes[i] ^= flip;
        assert_int_not_equal(tess_adoption_add(ad, bytes, packet.size, TESS_CHUNK_TRUSTED, &err),
                             TESS_OK);
        assert_true(strlen(err.message) > 0);
        assert_in_range(err.offset, 0, packet.size - 1);
        bytes[i] ^= flip;
    }
    for (size_t size = 0; size < packet.size; size += 1 + size / 50)
        assert_int_not_equal(tess_adoption_add(ad, bytes, size, TESS_CHUNK_TRUSTED, NULL), TESS_OK);
    assert_int_equal(missing(ad, 0), 0);
    add(ad, &packet);
    assert_int_equal(missing(ad, 0), 2);
    assert_int_equal(missing(ad, 2), 2);
    assert_int_equal(missing(ad, 1000), -1);
    ok(tess_adoption_end(ad, true, err));
    tess_free(packet.bytes);
    free(items);
    ok(tess_array_close(sketch, err));
    ok(tess_array_close(owner, err));
}

// A codec and a filter of the program, which one owner has and another has not.
static void
plugins(void **state)
{
    (void)state;
    const int64_t start[2] = {0};
    struct kit kit;
    struct reference r;
    struct packet packet;
    tess_params p;
    plain_params(&p);
    kit_init(&kit, &p);
    plain_items(&r, &p);
    const tess_storage storage = place(NULL, TESS_MODE_NEW, &kit);
    tess_array *owner = NULL, *stranger = NULL;
    ok(tess_array_uninit(&storage, &p, &owner, err));
    tess_array *const sketch = open_sketch(owner, &kit.plugins);
    ok(tess_packet_encode(sketch, start, p.shape, r.data, items_size(&p), NULL, &packet.bytes,
                          &packet.size, err));

    tess_params without = p;
    without.codec = TESS_CODEC_LZ4;
    memset(without.filters, 0, sizeof without.filters);
    ok(tess_array_uninit(&memory, &without, &stranger, err));
    tess_adoption *ad = begin_adoption(stranger);
    for (int trust = TESS_CHUNK_UNTRUSTED; trust <= TESS_CHUNK_TRUSTED; trust++)
        refused(TESS_ERR_UNSUPPORTED,
                tess_adoption_add(ad, packet.bytes, packet.size, (tess_chunk_trust)trust, err));
    ok(tess_adoption_end(ad, true, err));
    ok(tess_array_close(stranger, err));

    ad = begin_adoption(owner);
    add(ad, &packet);
    ok(tess_adoption_end(ad, true, err));
    check_array(owner, &r);
    kit_check(&kit);
    tess_free(packet.bytes);
    ok(tess_array_close(sketch, err));
    ok(tess_array_close(owner, err));
    reference_finish(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_chunks),
        cmocka_unit_test(one_item),
        cmocka_unit_test(small_sketch),
        cmocka_unit_test(boxes_refused),
        cmocka_unit_test_setup_teardown(any_order, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(threads, files_setup, files_teardown),
        cmocka_unit_test(other_content),
        cmocka_unit_test(other_arrays),
        cmocka_unit_test(owners_refused),
        cmocka_unit_test(damaged),
        cmocka_unit_test(plugins),
    };
    tess_storage_init(&memory);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
