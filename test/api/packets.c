/*
 * packets.c - encoded chunks as packets: what workers make is what one program would have written.
 */
#include "api/files.h"
#include "api/plugin_arrays.h"
#include "support/random.h"

#include <tessera.h>

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
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

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { ITEMS_MOST = 1 << 16 };

// -- arrays of many kinds

struct kind {
    const char *name;
    const char *dtype;
    int ndim;
    int64_t shape[3], chunkshape[3], blockshape[3];
    tess_codec codec;
    int clevel;
    uint8_t filter;
    bool dictionary;
};

static const struct kind kinds[] = {
    {"shuffle",
     "<f8",
     2,
     {70, 50},
     {16, 20},
     {8, 5},
     TESS_CODEC_LZ4,
     5,
     TESS_FILTER_SHUFFLE,
     false},
    {"delta", "<i4", 1, {9000}, {1000}, {250}, TESS_CODEC_ZSTD, 3, TESS_FILTER_DELTA, false},
    {"bitshuffle",
     "<i2",
     3,
     {9, 20, 30},
     {4, 8, 30},
     {2, 8, 10},
     TESS_CODEC_BLOSCLZ,
     9,
     TESS_FILTER_BITSHUFFLE,
     false},
    {"dictionary", "<i4", 1, {20000}, {5000}, {500}, TESS_CODEC_ZSTD, 7, TESS_FILTER_SHUFFLE, true},
    {"stored as it is",
     "|u1",
     2,
     {33, 77},
     {10, 10},
     {10, 10},
     TESS_CODEC_LZ4,
     0,
     TESS_FILTER_NONE,
     false},
    {"no axes", "<f4", 0, {0}, {0}, {0}, TESS_CODEC_ZLIB, 5, TESS_FILTER_SHUFFLE, false},
    {"large items", "|V300", 1, {40}, {7}, {3}, TESS_CODEC_LZ4, 5, TESS_FILTER_NONE, false},
};

static void
kind_params(const struct kind *k, tess_params *p)
{
    tess_params_init(p);
    p->dtype = k->dtype;
    p->ndim = k->ndim;
    memcpy(p->shape, k->shape, sizeof k->shape);
    memcpy(p->chunkshape, k->chunkshape, sizeof k->chunkshape);
    memcpy(p->blockshape, k->blockshape, sizeof k->blockshape);
    p->codec = k->codec;
    p->clevel = k->clevel;
    p->dictionary = k->dictionary;
    memset(p->filters, 0, sizeof p->filters);
    p->filters[TESS_MAX_FILTERS - 1] = k->filter;
}

static size_t
items_size(const tess_params *p)
{
    size_t size = (size_t)tess_dtype_parse(p->dtype).size;
    for (int i = 0; i < p->ndim; i++)
        size *= (size_t)p->shape[i];
    return size;
}

// Long runs of zeros, of one byte, of noise and of steps: chunks of all kinds come out of it.
static uint8_t *
random_items(struct random *r, size_t size)
{
    uint8_t *const items = calloc(1, size);
    assert_non_null(items);
    for (size_t at = 0; at < size;) {
        size_t n = 1 + (size_t)random_below(r, size / 4 + 1);
        n = n < size - at ? n : size - at;
        switch (random_below(r, 4)) {
        case 0:
            break;
        case 1:
            memset(items + at, 0x3f, n);
            break;
        case 2:
            random_bytes(r, items + at, n);
            break;
        default:
            for (size_t i = 0; i < n; i++)
                items[at + i] = (uint8_t)((at + i) / 16);
        }
        at += n;
    }
    return items;
}

static tess_storage
storage_at(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    return storage;
}

static tess_storage memory; // in main(): no path

// An array with the items, written by one call.
static tess_array *
make_serial(const tess_params *p, const uint8_t *items)
{
    const int64_t start[TESS_MAX_NDIM] = {0};
    tess_array *a = NULL;
    ok(tess_array_uninit(&memory, p, &a, err));
    ok(tess_array_write(a, start, p->shape, items, items_size(p), err));
    return a;
}

// -- workers

static tess_array *
open_sketch(const tess_array *owner, const tess_plugins *plugins)
{
    void *image;
    size_t size;
    tess_array *sketch = NULL;
    tess_storage storage = storage_at(NULL, TESS_MODE_UPDATE);
    ok(tess_array_sketch(owner, &image, &size, err));
    storage.image = image;
    storage.image_size = size;
    storage.plugins = plugins;
    ok(tess_array_open(&storage, &sketch, err));
    tess_free(image);
    return sketch;
}

// The items of a box of an array whose items stand in memory, without a copy.
static const uint8_t *
items_of_box(const tess_params *p, const uint8_t *items, const int64_t *start, int64_t *strides)
{
    int64_t stride = tess_dtype_parse(p->dtype).size;
    for (int i = p->ndim - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= p->shape[i];
        items += start[i] * strides[i];
    }
    return items;
}

struct packet {
    void *bytes;
    size_t size;
};

static struct packet
encode_box(tess_array *sketch, const tess_params *p, const uint8_t *items, const int64_t *start,
           const int64_t *stop)
{
    int64_t strides[TESS_MAX_NDIM];
    struct packet packet;
    const uint8_t *const from = items_of_box(p, items, start, strides);
    const size_t left = items_size(p) - (size_t)(from - items);
    ok(tess_packet_encode(sketch, start, stop, from, left, strides, &packet.bytes, &packet.size,
                          err));
    return packet;
}

// A packet for each row of chunks along the first axis; of an array without axes, one.
static struct packet *
encode_rows(tess_array *sketch, const tess_params *p, const uint8_t *items, size_t *n)
{
    int64_t start[TESS_MAX_NDIM] = {0}, stop[TESS_MAX_NDIM];
    memcpy(stop, p->shape, sizeof stop);
    *n = p->ndim == 0 ? 1 : (size_t)((p->shape[0] + p->chunkshape[0] - 1) / p->chunkshape[0]);
    struct packet *const packets = calloc(*n, sizeof *packets);
    assert_non_null(packets);
    for (size_t i = 0; i < *n; i++) {
        if (p->ndim > 0) {
            start[0] = (int64_t)i * p->chunkshape[0];
            stop[0] = start[0] + p->chunkshape[0];
            stop[0] = stop[0] < p->shape[0] ? stop[0] : p->shape[0];
        }
        packets[i] = encode_box(sketch, p, items, start, stop);
    }
    return packets;
}

static void
free_packets(struct packet *packets, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tess_free(packets[i].bytes);
    free(packets);
}

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
add(tess_adoption *ad, const struct packet *packet)
{
    ok(tess_adoption_add(ad, packet->bytes, packet->size, TESS_CHUNK_UNTRUSTED, err));
}

static tess_adoption *
begin_adoption(tess_array *a)
{
    tess_adoption *ad = NULL;
    ok(tess_adoption_begin(a, &ad, err));
    return ad;
}

static int64_t
missing(tess_adoption *ad, int64_t from)
{
    int64_t n = -2;
    ok(tess_adoption_missing(ad, from, &n, err));
    return n;
}

// Two arrays are equal item by item, and chunk by chunk as they are stored.
static void
check_equal(const tess_array *a, const tess_array *serial, const tess_params *p)
{
    const int64_t start[TESS_MAX_NDIM] = {0};
    const size_t size = items_size(p);
    uint8_t *const got = malloc(size), *const want = malloc(size);
    assert_non_null(got);
    assert_non_null(want);
    ok(tess_array_read(a, start, p->shape, got, size, err));
    ok(tess_array_read(serial, start, p->shape, want, size, err));
    assert_memory_equal(got, want, size);
    free(got);
    free(want);
    tess_info info;
    tess_array_info(serial, &info);
    for (int64_t n = 0; n < info.nchunks; n++) {
        void *x, *y;
        size_t x_size, y_size;
        ok(tess_array_get_chunk(a, n, &x, &x_size, err));
        ok(tess_array_get_chunk(serial, n, &y, &y_size, err));
        assert_int_equal(x_size, y_size);
        assert_memory_equal(x, y, x_size);
        tess_free(x);
        tess_free(y);
    }
}

static void
verify(const char *path)
{
    tess_array *a = NULL;
    tess_verdict verdict;
    const tess_storage storage = storage_at(path, TESS_MODE_READ);
    ok(tess_array_open(&storage, &a, err));
    ok(tess_array_verify(a, NULL, NULL, &verdict, err));
    assert_true(verdict.fine);
    ok(tess_array_close(a, err));
}

static void
shuffle(struct random *r, struct packet *packets, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t k = (size_t)random_below(r, i);
        const struct packet x = packets[i - 1];
        packets[i - 1] = packets[k];
        packets[k] = x;
    }
}

// An array of each kind in memory (0), in a file (1), in a directory (2).
static tess_array *
make_owner(int home, const tess_params *given, const char *path)
{
    tess_params p = *given;
    const tess_storage storage = storage_at(home == 0 ? NULL : path, TESS_MODE_NEW);
    p.layout = home == 2 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
    tess_array *owner = NULL;
    ok(tess_array_uninit(&storage, &p, &owner, err));
    return owner;
}

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

// -- leases

static void
close_all(tess_array *owner, tess_array *sketch, tess_array *serial)
{
    ok(tess_array_close(owner, err));
    ok(tess_array_close(sketch, err));
    ok(tess_array_close(serial, err));
}

// What a worker needs for the chunks of a packet.
static int64_t
needs(const struct packet *packet, bool files)
{
    tess_packet_info info;
    ok(tess_packet_info(packet->bytes, packet->size, &info, err));
    return files ? info.nstored : info.cbytes;
}

static struct packet
place_packet(const struct packet *packet, const char *path, const tess_lease *part)
{
    struct packet placed;
    ok(tess_packet_place(packet->bytes, packet->size, path, part, TESS_DURABILITY_ORDERED,
                         &placed.bytes, &placed.size, err));
    return placed;
}

static void
check_path_equal(const char *path, int64_t offset, const tess_array *serial, const tess_params *p)
{
    tess_storage storage = storage_at(path, TESS_MODE_READ);
    tess_array *again = NULL;
    storage.offset = offset;
    ok(tess_array_open(&storage, &again, err));
    check_equal(again, serial, p);
    ok(tess_array_close(again, err));
    if (offset == 0)
        verify(path);
}

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

// Chunks that are not where the packet says, or not what it says.
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
        refused(TESS_ERR_IO,
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
    uint8_t *const items = random_items(&r, items_size(&p));
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
        cmocka_unit_test_setup_teardown(placed, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(behind_other_bytes, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(places_refused, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(killed, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(forked, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(nothing_leaks, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(leased_again, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(lock_file, files_setup, files_teardown),
    };
    tess_storage_init(&memory);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
