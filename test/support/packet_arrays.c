/*
 * packet_arrays.c - arrays of many kinds, their chunks in packets, and adoptions.
 */
#include "support/packet_arrays.h"

#include "support/draw.h"
#include "support/exact.h"
#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct kind kinds[KINDS] = {
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

void
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

size_t
items_size(const tess_params *p)
{
    size_t size = (size_t)tess_dtype_parse(p->dtype).size;
    for (int i = 0; i < p->ndim; i++)
        size *= (size_t)p->shape[i];
    return size;
}

uint8_t *
random_items(struct random *r, size_t size)
{
    uint8_t *const items = exact_memory(size);
    draw_pieces(r, items, (int64_t)size, 1);
    return items;
}

tess_storage
storage_at(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    return storage;
}

tess_array *
make_serial(const tess_params *p, const uint8_t *items)
{
    const int64_t start[TESS_MAX_NDIM] = {0};
    const tess_storage memory = storage_at(NULL, TESS_MODE_NEW);
    tess_array *a = NULL;
    ok(tess_array_uninit(&memory, p, &a, err));
    ok(tess_array_write(a, start, p->shape, items, items_size(p), err));
    return a;
}

tess_array *
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

struct packet
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

struct packet *
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

void
free_packets(struct packet *packets, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tess_free(packets[i].bytes);
    free(packets);
}

void
add(tess_adoption *ad, const struct packet *packet)
{
    ok(tess_adoption_add(ad, packet->bytes, packet->size, TESS_CHUNK_UNTRUSTED, err));
}

tess_adoption *
begin_adoption(tess_array *a)
{
    tess_adoption *ad = NULL;
    ok(tess_adoption_begin(a, &ad, err));
    return ad;
}

int64_t
missing(tess_adoption *ad, int64_t from)
{
    int64_t n = -2;
    ok(tess_adoption_missing(ad, from, &n, err));
    return n;
}

void
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

void
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

void
shuffle(struct random *r, struct packet *packets, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t k = (size_t)random_below(r, i);
        const struct packet x = packets[i - 1];
        packets[i - 1] = packets[k];
        packets[k] = x;
    }
}

tess_array *
make_owner(int home, const tess_params *given, const char *path)
{
    tess_params p = *given;
    const tess_storage storage = storage_at(home == 0 ? NULL : path, TESS_MODE_NEW);
    p.layout = home == 2 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
    tess_array *owner = NULL;
    ok(tess_array_uninit(&storage, &p, &owner, err));
    return owner;
}

void
close_all(tess_array *owner, tess_array *sketch, tess_array *serial)
{
    ok(tess_array_close(owner, err));
    ok(tess_array_close(sketch, err));
    ok(tess_array_close(serial, err));
}

int64_t
needs(const struct packet *packet, bool files)
{
    tess_packet_info info;
    ok(tess_packet_info(packet->bytes, packet->size, &info, err));
    return files ? info.nstored : info.cbytes;
}

struct packet
place_packet(const struct packet *packet, const char *path, const tess_lease *part)
{
    struct packet placed;
    ok(tess_packet_place(packet->bytes, packet->size, path, part, TESS_DURABILITY_ORDERED,
                         &placed.bytes, &placed.size, err));
    return placed;
}

void
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
