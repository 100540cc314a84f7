/*
 * plugins.c - codecs and filters of the program: what they are told, what becomes of what they
 * say, and arrays that need them.
 *
 * They leave a mark in what they make, a hash of all they were told, and refuse to undo what has
 * another one. Random case i is drawn from the seed plus i alone: TESS_TEST_SEED with the number
 * that a failure prints and TESS_TEST_CASES=1 repeat it.
 */
#include "api/files.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CASES = 500,
    DAMAGED = 100, // arrays, each 50 times
    OPERATIONS_MAX = 8,
    ITEMS_MAX = 4000, // of an array
    BYTES_MAX = 100000, // of an array, and of a chunk
    CHUNKS_MAX = 300, // of an array
    MARK = 4, // bytes in front of what the codecs make
    THREADS = 8,
    READS = 150,
};

// RUNS and JP can be split; ITEMS wants items. ADD and MIRROR are exact, HALF is not.
enum { RUNS = 180, JP = 36, ITEMS = 255, ADD = 160, MIRROR = 255, HALF = 37 };
enum { NCODECS = 3, NFILTERS = 3 };

// What a plugin is given as `user`.
struct self {
    uint8_t id;
    const tess_params *params; // of the array, to compare with; NULL: anything goes
    _Atomic(const char *) wrong; // the first thing that the header does not promise
    atomic_int forth; // calls of compress or forward
    atomic_int back; // calls of decompress or backward
    atomic_int refused; // calls of decompress that found damage
    int forth_status; // to answer with
    int back_status;
    int forth_after; // calls that go well before forth_status
    enum { FAIR, TOO_MUCH, NOTHING } result; // what compress says it made
    tess_block told; // last; when going back only without params, so not to several threads
    uint8_t made[64]; // the first bytes of what compress made last
    size_t made_size;
};

struct kit {
    struct self codec[NCODECS];
    struct self filter[NFILTERS];
    tess_user_codec codecs[NCODECS];
    tess_user_filter filters[NFILTERS];
    tess_plugins plugins;
};

// -- the plugins

static void
accuse(struct self *self, const char *what)
{
    const char *none = NULL;
    atomic_compare_exchange_strong(&self->wrong, &none, what);
}

static uint32_t
hash(uint32_t h, const void *bytes, size_t size)
{
    const uint8_t *const p = bytes;
    for (size_t i = 0; i < size; i++)
        h = (h ^ p[i]) * 16777619;
    return h;
}

// Of all that must be the same on both ways.
static uint32_t
hash_told(const tess_block *block, size_t size)
{
    uint32_t h = hash(2166136261, &block->meta, sizeof block->meta);
    h = hash(h, &block->typesize, sizeof block->typesize);
    h = hash(h, &block->ndim, sizeof block->ndim);
    if (block->ndim > 0)
        h = hash(h, block->shape, (size_t)block->ndim * sizeof *block->shape);
    return hash(h, &size, sizeof size);
}

static int64_t
block_nitems(const tess_params *p)
{
    return reference_nitems(p->ndim, p->blockshape);
}

static void
check_told(struct self *self, const tess_block *block, bool forth)
{
    const tess_params *const p = self->params;

    if (!p)
        return;
    if (block->clevel != (forth ? p->clevel : 0))
        accuse(self, forth ? "clevel when compressing" : "clevel when decompressing");
    if (block->typesize != p->typesize)
        accuse(self, "typesize");
    if (block->ndim != p->ndim)
        accuse(self, "ndim");
    for (int i = 0; i < p->ndim && i < block->ndim; i++)
        if (block->shape[i] != p->blockshape[i])
            accuse(self, "shape");
}

static void
check_memory(struct self *self, const void *src, size_t size, const void *dst, size_t dst_size)
{
    const uintptr_t s = (uintptr_t)src, d = (uintptr_t)dst;

    if (!src || !dst || size < 1 || dst_size < 1)
        accuse(self, "no bytes");
    if (s < d + dst_size && d < s + size)
        accuse(self, "src and dst overlap");
}

// Whether the shape goes with the bytes, whatever a file says.
static bool
fits(const tess_block *block, size_t size, bool stream)
{
    int64_t whole = block->typesize;

    if (block->typesize < 1 || block->ndim < -1 || block->ndim > TESS_MAX_NDIM)
        return false;
    for (int i = 0; i < block->ndim; i++)
        whole *= block->shape[i];
    return block->ndim == -1 || (int64_t)size == whole || (stream && whole % (int64_t)size == 0);
}

static void
check_codec(struct self *self, const tess_block *block, bool forth, size_t plain)
{
    const tess_params *const p = self->params;

    check_told(self, block, forth);
    if (!fits(block, plain, self->id != ITEMS))
        accuse(self, "shape and size of a stream");
    if (!p)
        return;
    const int64_t nitems = block_nitems(p);
    const bool whole = (int64_t)plain == nitems * p->typesize;
    if (block->meta != p->codec_meta)
        accuse(self, "codec_meta");
    if (!whole && (p->split == TESS_SPLIT_NEVER || (int64_t)plain != nitems))
        accuse(self, "size of a stream");
    if (whole && p->split == TESS_SPLIT_ALWAYS && p->typesize > 1 && p->typesize < 256)
        accuse(self, "a stream that was to be split");
}

static void
check_filter(struct self *self, const tess_block *block, bool forth, size_t size)
{
    const tess_params *const p = self->params;
    bool meta = false;

    check_told(self, block, forth);
    if (!fits(block, size, false))
        accuse(self, "shape and size of a block");
    if (!p)
        return;
    for (int i = 0; i < TESS_MAX_FILTERS; i++)
        meta |= p->filters[i] == self->id && p->filters_meta[i] == block->meta;
    if (!meta)
        accuse(self, "filters_meta");
    if ((int64_t)size != block_nitems(p) * p->typesize)
        accuse(self, "size of a block");
}

// A mark, then pairs: length of a run, 1 to 255, and its byte.
static tess_status
compress(const tess_block *block, const void *src, size_t size, void *dst, size_t dst_size,
         size_t *made)
{
    struct self *const self = block->user;
    const uint8_t *const from = src;
    uint8_t *const to = dst;
    size_t used = MARK;

    check_memory(self, src, size, dst, dst_size);
    check_codec(self, block, true, size);
    self->told = *block;
    memset(dst, 0xee, dst_size); // all of it is ours
    if (atomic_fetch_add(&self->forth, 1) >= self->forth_after && self->forth_status != TESS_OK)
        return (tess_status)self->forth_status;
    *made = self->result == TOO_MUCH ? dst_size + 1 : 0;
    if (self->result != FAIR)
        return TESS_OK;
    for (size_t i = 0, n; i < size; i += n) {
        for (n = 1; n < 255 && i + n < size && from[i + n] == from[i]; n++)
            ;
        if (dst_size < used + 2)
            return TESS_OK;
        to[used++] = (uint8_t)n;
        to[used++] = from[i];
    }
    const uint32_t mark = hash(hash_told(block, size), to + MARK, used - MARK);
    memcpy(to, &mark, MARK);
    self->made_size = used < sizeof self->made ? used : sizeof self->made;
    memcpy(self->made, to, self->made_size);
    *made = used;
    return TESS_OK;
}

static tess_status
unpack(const tess_block *block, const uint8_t *from, size_t size, uint8_t *to, size_t dst_size)
{
    uint32_t mark;
    size_t at = 0;

    if (size < MARK)
        return TESS_ERR_CORRUPT;
    memcpy(&mark, from, MARK);
    if (mark != hash(hash_told(block, dst_size), from + MARK, size - MARK) || size % 2 != 0)
        return TESS_ERR_CORRUPT;
    for (size_t i = MARK; i < size; at += from[i], i += 2) {
        if (from[i] > dst_size - at)
            return TESS_ERR_CORRUPT;
        memset(to + at, from[i + 1], from[i]);
    }
    return at == dst_size ? TESS_OK : TESS_ERR_CORRUPT;
}

static tess_status
decompress(const tess_block *block, const void *src, size_t size, void *dst, size_t dst_size)
{
    struct self *const self = block->user;

    check_memory(self, src, size, dst, dst_size);
    check_codec(self, block, false, dst_size);
    memset(dst, 0xee, dst_size);
    atomic_fetch_add(&self->back, 1);
    if (!self->params)
        self->told = *block;
    if (self->back_status != TESS_OK)
        return (tess_status)self->back_status;
    const tess_status st = unpack(block, src, size, dst, dst_size);
    if (st != TESS_OK)
        atomic_fetch_add(&self->refused, 1);
    return st;
}

static tess_status
enter_filter(const tess_block *block, bool forth, const void *src, void *dst, size_t size)
{
    struct self *const self = block->user;

    check_memory(self, src, size, dst, size);
    if ((uintptr_t)src % alignof(max_align_t) != 0 || (uintptr_t)dst % alignof(max_align_t) != 0)
        accuse(self, "alignment");
    check_filter(self, block, forth, size);
    if (forth || !self->params)
        self->told = *block;
    const int calls = atomic_fetch_add(forth ? &self->forth : &self->back, 1);
    if (!forth)
        return (tess_status)self->back_status;
    return calls >= self->forth_after ? (tess_status)self->forth_status : TESS_OK;
}

// Runs stay runs: codecs have something to do.
static void
add(const void *src, void *dst, size_t size, uint32_t what)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)dst)[i] = (uint8_t)(((const uint8_t *)src)[i] + what);
}

static tess_status
add_forward(const tess_block *block, const void *src, void *dst, size_t size)
{
    add(src, dst, size, hash_told(block, size));
    return enter_filter(block, true, src, dst, size);
}

static tess_status
add_backward(const tess_block *block, const void *src, void *dst, size_t size)
{
    add(src, dst, size, -hash_told(block, size));
    return enter_filter(block, false, src, dst, size);
}

static void
mirror(const uint8_t *src, uint8_t *dst, size_t size)
{
    for (size_t i = 0; i < size; i++)
        dst[i] = src[size - 1 - i];
}

static tess_status
mirror_forward(const tess_block *block, const void *src, void *dst, size_t size)
{
    mirror(src, dst, size);
    return enter_filter(block, true, src, dst, size);
}

static tess_status
mirror_backward(const tess_block *block, const void *src, void *dst, size_t size)
{
    mirror(src, dst, size);
    return enter_filter(block, false, src, dst, size);
}

// Loses the lowest bit of each byte.
static tess_status
half_forward(const tess_block *block, const void *src, void *dst, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)dst)[i] = ((const uint8_t *)src)[i] >> 1;
    return enter_filter(block, true, src, dst, size);
}

static tess_status
half_backward(const tess_block *block, const void *src, void *dst, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)dst)[i] = (uint8_t)(((const uint8_t *)src)[i] << 1);
    return enter_filter(block, false, src, dst, size);
}

static void
kit_init(struct kit *kit, const tess_params *params)
{
    static const tess_user_codec codecs[NCODECS] = {
        {RUNS, "runs", false, NULL, compress, decompress},
        {JP, "jp", false, NULL, compress, decompress},
        {ITEMS, "items", true, NULL, compress, decompress},
    };
    static const tess_user_filter filters[NFILTERS] = {
        {ADD, "add", false, NULL, add_forward, add_backward},
        {MIRROR, "mirror", false, NULL, mirror_forward, mirror_backward},
        {HALF, "half", true, NULL, half_forward, half_backward},
    };

    memset(kit, 0, sizeof *kit);
    memcpy(kit->codecs, codecs, sizeof codecs);
    memcpy(kit->filters, filters, sizeof filters);
    for (int i = 0; i < NCODECS; i++) {
        kit->codec[i].id = codecs[i].id;
        kit->codec[i].params = params;
        kit->codecs[i].user = &kit->codec[i];
    }
    for (int i = 0; i < NFILTERS; i++) {
        kit->filter[i].id = filters[i].id;
        kit->filter[i].params = params;
        kit->filters[i].user = &kit->filter[i];
    }
    kit->plugins = (tess_plugins){kit->codecs, NCODECS, kit->filters, NFILTERS};
}

static void
kit_check(const struct kit *kit)
{
    for (int i = 0; i < NCODECS; i++)
        if (kit->codec[i].wrong)
            fail_msg("codec %d: %s", kit->codec[i].id, kit->codec[i].wrong);
    for (int i = 0; i < NFILTERS; i++)
        if (kit->filter[i].wrong)
            fail_msg("filter %d: %s", kit->filter[i].id, kit->filter[i].wrong);
}

// -- arrays

static tess_storage
place(const char *path, tess_mode mode, const struct kit *kit)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    storage.durability = TESS_DURABILITY_NONE;
    storage.plugins = kit ? &kit->plugins : NULL;
    return storage;
}

static void
check_path(const char *path, const struct kit *kit, const struct reference *want)
{
    tess_storage storage = place(path, TESS_MODE_READ, kit);
    tess_array *a = NULL;

    for (int mapped = 0; mapped < 2; mapped++) {
        storage.mmap = mapped;
        ok(tess_array_open(&storage, &a, err));
        check_array(a, want);
        ok(tess_array_close(a, err));
    }
}

// 40 x 30 items of 4 bytes in 6 chunks of 2 blocks; filter and codec of the program.
static void
plain_params(tess_params *p)
{
    tess_params_init(p);
    p->dtype = "<u4";
    p->typesize = 4;
    p->ndim = 2;
    memcpy(p->shape, (int64_t[]){40, 30}, 2 * sizeof *p->shape);
    memcpy(p->chunkshape, (int64_t[]){20, 10}, 2 * sizeof *p->shape);
    memcpy(p->blockshape, (int64_t[]){10, 10}, 2 * sizeof *p->shape);
    p->codec = (tess_codec)RUNS;
    p->codec_meta = 77;
    p->filters[4] = ADD;
    p->filters_meta[4] = 99;
}

// Items that differ, of few different bytes.
static void
plain_items(struct reference *r, const tess_params *p)
{
    reference_init(r, p->ndim, p->shape, (size_t)p->typesize);
    for (size_t i = 0; i < reference_size(r); i++)
        r->data[i] = (uint8_t)(i % r->typesize < 2 ? i / 200 + 1 : 3);
}

static void
make(const char *path, const struct kit *kit, const tess_params *p, const struct reference *r)
{
    const tess_storage storage = place(path, TESS_MODE_REPLACE, kit);
    tess_array *a = NULL;
    ok(tess_array_from(&storage, p, r->data, reference_size(r), &a, err));
    check_array(a, r);
    ok(tess_array_close(a, err));
}

static tess_array *
reopen(const char *path, tess_mode mode, const struct kit *kit)
{
    const tess_storage storage = place(path, mode, kit);
    tess_array *a = NULL;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

static tess_status
read_all(const tess_array *a, struct reference *r, tess_error *err)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    return tess_array_read(a, origin, r->shape, r->data, reference_size(r), err);
}

// A copy, as a program that opens an image has one.
static uint8_t *
take_image(tess_array *a, size_t *size)
{
    const void *bytes = NULL;
    ok(tess_array_image(a, &bytes, size, err));
    uint8_t *const image = malloc(*size);
    assert_non_null(image);
    memcpy(image, bytes, *size);
    return image;
}

static size_t
find(const uint8_t *image, size_t size, const uint8_t *what, size_t what_size)
{
    for (size_t i = 0; i + what_size <= size; i++)
        if (memcmp(image + i, what, what_size) == 0)
            return i;
    fail_msg("the bytes looked for are not in the frame");
    return 0;
}

static int
begin(void **state)
{
    (void)state;
    files_begin();
    return 0;
}

static int
end(void **state)
{
    (void)state;
    files_end();
    return 0;
}

// -- random arrays

struct subject {
    struct random random;
    uint64_t seed;
    tess_params params;
    tess_storage storage;
    struct kit kit;
    tess_array *array;
    struct reference reference;
};

static int64_t
below(struct subject *s, int64_t n)
{
    return (int64_t)random_below(&s->random, (uint64_t)n);
}

static bool
one_in(struct subject *s, int64_t n)
{
    return below(s, n) == 0;
}

static int64_t
divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

// Whether chunks, and their number for an array of that shape, stay within the budget.
static bool
small(const tess_params *p, const int64_t *shape)
{
    double chunk = p->typesize, nchunks = 1, nitems = 1;

    for (int i = 0; i < p->ndim; i++) {
        chunk *= (double)(divide_up(p->chunkshape[i], p->blockshape[i]) * p->blockshape[i]);
        nchunks *= (double)divide_up(shape[i], p->chunkshape[i]);
        nitems *= (double)shape[i];
    }
    return chunk <= BYTES_MAX && nchunks <= CHUNKS_MAX && nitems <= 2 * ITEMS_MAX &&
           nitems * p->typesize <= 2 * BYTES_MAX;
}

static void
draw_shapes(struct subject *s)
{
    tess_params *const p = &s->params;
    int64_t budget = ITEMS_MAX < BYTES_MAX / p->typesize ? ITEMS_MAX : BYTES_MAX / p->typesize;

    p->ndim = one_in(s, 3) ? (int)below(s, 9) : 1 + (int)below(s, 3);
    for (int i = 0; i < p->ndim; i++) {
        const int64_t most = i == p->ndim - 1 ? budget : p->ndim > 4 ? 4 : 4 + budget / 40;
        p->shape[i] = 1 + below(s, most < budget ? most : budget);
        budget /= p->shape[i];
    }
    do {
        for (int i = 0; i < p->ndim; i++) {
            p->chunkshape[i] = 1 + below(s, p->shape[i] + (one_in(s, 3) ? 5 : 1));
            p->blockshape[i] = 1 + below(s, p->chunkshape[i]);
        }
    } while (!small(p, p->shape));
    if (p->ndim > 0 && one_in(s, 12))
        p->shape[below(s, p->ndim)] = 0;
}

static void
draw_filters(struct subject *s)
{
    static const uint8_t exact[] = {
        0,
        0,
        0,
        ADD,
        ADD,
        MIRROR,
        TESS_FILTER_SHUFFLE,
        TESS_FILTER_BITSHUFFLE,
        TESS_FILTER_DELTA,
        TESS_FILTER_BYTEDELTA,
    };
    tess_params *const p = &s->params;

    for (int i = 0; i < TESS_MAX_FILTERS; i++) {
        p->filters[i] = exact[below(s, sizeof exact)];
        const bool ours = p->filters[i] == ADD || p->filters[i] == MIRROR;
        p->filters_meta[i] = ours ? (uint8_t)below(s, 256) : 0;
    }
}

static void
draw_params(struct subject *s)
{
    static const int codecs[] = {
        RUNS,
        RUNS,
        JP,
        ITEMS,
        TESS_CODEC_BLOSCLZ,
        TESS_CODEC_LZ4,
        TESS_CODEC_LZ4HC,
        TESS_CODEC_ZLIB,
        TESS_CODEC_ZSTD,
    };
    tess_params *const p = &s->params;

    tess_params_init(p);
    p->typesize = one_in(s, 2) ? 1 << below(s, 4) : 1 + (int32_t)below(s, 300);
    draw_shapes(s);
    draw_filters(s);
    p->codec = (tess_codec)codecs[below(s, sizeof codecs / sizeof *codecs)];
    p->clevel = 1 + (int)below(s, 9);
    p->split = (tess_split)(TESS_SPLIT_ALWAYS + below(s, 3));
    if (p->codec >= 32)
        p->codec_meta = (uint8_t)below(s, 256);
    if ((int)p->codec == ITEMS) {
        p->split = one_in(s, 2) ? TESS_SPLIT_NEVER : TESS_SPLIT_AUTO;
        memset(p->filters, 0, sizeof p->filters);
    }
}

// Noise, long runs, a ramp.
static uint8_t *
draw_items(struct subject *s, size_t size)
{
    const int64_t kind = below(s, 4);
    uint8_t *const bytes = malloc(size > 0 ? size : 1);
    uint8_t byte = (uint8_t)below(s, 256);

    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = kind == 0       ? (uint8_t)(i / 300 + i % s->reference.typesize)
                   : one_in(s, 40) ? (byte = (uint8_t)below(s, 256))
                                   : byte;
    if (kind == 1)
        random_bytes(&s->random, bytes, size);
    return bytes;
}

static void
do_write(struct subject *s)
{
    const struct reference *const r = &s->reference;
    int64_t start[TESS_MAX_NDIM] = {0}, stop[TESS_MAX_NDIM] = {0};

    for (int i = 0; i < r->ndim; i++) {
        start[i] = below(s, r->shape[i] + 1);
        stop[i] = start[i] + below(s, r->shape[i] - start[i] + 1);
        if (one_in(s, 3)) {
            start[i] = 0;
            stop[i] = r->shape[i];
        }
    }
    const size_t size = reference_box_size(r, start, stop);
    uint8_t *const items = draw_items(s, size);
    ok(tess_array_write(s->array, start, stop, items, size, err));
    reference_set(&s->reference, start, stop, items);
    free(items);
}

static void
do_resize(struct subject *s)
{
    const struct reference *const r = &s->reference;
    int64_t shape[TESS_MAX_NDIM] = {0};

    for (int i = 0; i < r->ndim; i++)
        shape[i] = one_in(s, 2) ? r->shape[i] : below(s, r->shape[i] + 1) + below(s, 6);
    if (!small(&s->params, shape))
        return;
    ok(tess_array_resize(s->array, shape, err));
    reference_resize(&s->reference, shape);
}

static void
do_append(struct subject *s)
{
    const struct reference *const r = &s->reference;
    const int64_t count = below(s, 9);
    int64_t shape[TESS_MAX_NDIM] = {0};
    size_t layer = r->typesize;

    if (r->ndim == 0)
        return;
    const int axis = (int)below(s, r->ndim);
    for (int i = 0; i < r->ndim; i++) {
        shape[i] = r->shape[i] + (i == axis ? count : 0);
        layer *= i == axis ? 1 : (size_t)r->shape[i];
    }
    if (layer == 0 || !small(&s->params, shape))
        return;
    uint8_t *const items = draw_items(s, layer * (size_t)count);
    ok(tess_array_append(s->array, axis, items, layer * (size_t)count, err));
    reference_append(&s->reference, axis, count, items);
    free(items);
}

static void
do_meta(struct subject *s)
{
    uint8_t *const content = draw_items(s, 500);
    void *got = NULL;
    size_t size = 0;

    ok(tess_vlmeta_set(s->array, "note", content, 500, err));
    ok(tess_vlmeta_get(s->array, "note", &got, &size, err));
    assert_int_equal(size, 500);
    assert_memory_equal(got, content, size);
    tess_free(got);
    free(content);
}

static void
do_flush(struct subject *s)
{
    ok(tess_array_flush(s->array, err));
    if (s->storage.path)
        check_path(s->storage.path, &s->kit, &s->reference);
}

static void
do_reopen(struct subject *s)
{
    tess_storage storage = place(s->storage.path, TESS_MODE_READ, &s->kit);
    uint8_t *image = NULL;

    if (!s->storage.path)
        storage.image = image = take_image(s->array, &storage.image_size);
    ok(tess_array_close(s->array, err));
    ok(tess_array_open(&storage, &s->array, err));
    check_array(s->array, &s->reference);
    ok(tess_array_close(s->array, err));
    if (s->storage.path)
        check_path(s->storage.path, &s->kit, &s->reference);
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&storage, &s->array, err));
    free(image);
}

static void
live(struct subject *s)
{
    static void (*const operations[])(struct subject *) = {
        do_write, do_write, do_write, do_append, do_resize, do_meta, do_flush, do_reopen,
    };
    const int64_t home = below(s, 3);

    draw_params(s);
    kit_init(&s->kit, &s->params);
    s->storage = place(NULL, TESS_MODE_REPLACE, &s->kit);
    if (home > 0)
        s->storage.path = files_path(home == 1 ? "a.b2nd" : "a.b2nd.d");
    if (home == 2)
        s->params.layout = TESS_LAYOUT_SPARSE;

    reference_init(&s->reference, s->params.ndim, s->params.shape, (size_t)s->params.typesize);
    const size_t size = reference_size(&s->reference);
    uint8_t *const items = draw_items(s, size);
    memcpy(s->reference.data, items, size);
    ok(tess_array_from(&s->storage, &s->params, items, size, &s->array, err));
    free(items);
    check_array(s->array, &s->reference);
    kit_check(&s->kit);
    for (int64_t n = below(s, OPERATIONS_MAX + 1); n > 0; n--) {
        operations[below(s, (int64_t)(sizeof operations / sizeof *operations))](s);
        check_array(s->array, &s->reference);
        kit_check(&s->kit);
    }
    do_reopen(s);
    check_array(s->array, &s->reference);
    kit_check(&s->kit);
    ok(tess_array_close(s->array, err));
    reference_finish(&s->reference);
}

static int
end_random(void **state)
{
    const struct subject *const s = *state;

    if (s)
        print_error(
            "TESS_TEST_SEED=%" PRIu64 " TESS_TEST_CASES=1 repeats: "
            "codec %d level %d, typesize %d, split %d, filters %d %d %d %d %d %d, ndim %d\n",
            s->seed, (int)s->params.codec, s->params.clevel, (int)s->params.typesize,
            (int)s->params.split, s->params.filters[0], s->params.filters[1], s->params.filters[2],
            s->params.filters[3], s->params.filters[4], s->params.filters[5], s->params.ndim);
    files_end();
    return 0;
}

static void
random_lives(void **state)
{
    static struct subject s;
    const char *const cases = getenv("TESS_TEST_CASES");
    const int64_t n = cases ? strtoll(cases, NULL, 10) : CASES;
    const uint64_t seed = random_seed();
    int compressed = 0, filtered = 0;

    print_message("%" PRId64 " cases from seed %" PRIu64 "\n", n, seed);
    for (int64_t i = 0; i < n; i++) {
        memset(&s, 0, sizeof s);
        s.seed = seed + (uint64_t)i;
        random_init(&s.random, s.seed);
        *state = &s;
        live(&s);
        for (int c = 0; c < NCODECS; c++)
            compressed += s.kit.codec[c].back > 0;
        for (int f = 0; f < NFILTERS; f++)
            filtered += s.kit.filter[f].back > 0;
    }
    *state = NULL;
    if (!cases) { // else nothing was tried
        assert_true(compressed > n / 4);
        assert_true(filtered > n / 2);
    }
}

// -- what they are told

// Without its metalayer, both the name and what looks like one, a frame is no array, and nobody
// knows the shape of its blocks.
static void
spoil_layer(uint8_t *image, size_t size)
{
    static const uint8_t name[] = {'b', '2', 'n', 'd'}, content[] = {0x97, 0, 2}; // 2 dimensions
    image[find(image, size, name, sizeof name)] = 'q';
    image[find(image, size, content, sizeof content)] = 0xc0;
}

static void
what_they_are_told(void **state)
{
    static const int32_t typesizes[] = {1, 4, 255, 256, 300};
    struct reference r;
    tess_params p;
    struct kit kit;
    tess_info info;

    (void)state;
    for (size_t i = 0; i < sizeof typesizes / sizeof *typesizes; i++) {
        const tess_storage storage = place(NULL, TESS_MODE_NEW, &kit);
        const tess_block *const codec = &kit.codec[0].told, *const filter = &kit.filter[0].told;
        tess_array *a = NULL;
        size_t size;

        plain_params(&p);
        p.dtype = NULL;
        p.typesize = typesizes[i];
        p.clevel = 3;
        plain_items(&r, &p);
        kit_init(&kit, NULL);
        ok(tess_array_from(&storage, &p, r.data, reference_size(&r), &a, err));
        assert_int_equal(codec->clevel, 3);
        assert_int_equal(filter->clevel, 3);
        for (int back = 0; back < 2; back++) {
            assert_int_equal(codec->meta, 77);
            assert_int_equal(filter->meta, 99);
            assert_int_equal(codec->typesize, typesizes[i]);
            assert_int_equal(codec->ndim, 2);
            assert_int_equal(codec->shape[0], 10);
            assert_int_equal(codec->shape[1], 10);
            assert_int_equal(filter->typesize, typesizes[i]);
            assert_int_equal(filter->ndim, 2);
            assert_int_equal(filter->shape[0], 10);
            assert_int_equal(filter->shape[1], 10);
            kit.codec[0].told = kit.filter[0].told = (tess_block){0};
            check_array(a, &r);
            assert_int_equal(codec->clevel, 0);
            assert_int_equal(filter->clevel, 0);
        }
        tess_storage plain = place(NULL, TESS_MODE_READ, &kit);
        uint8_t *const image = take_image(a, &size);
        ok(tess_array_close(a, err));
        plain.image = image;
        plain.image_size = size;
        spoil_layer(image, size);
        ok(tess_array_open(&plain, &a, err));
        tess_array_info(a, &info);
        assert_true(info.plain);
        assert_int_equal(info.nitems, 40 * 30);
        refused(
            TESS_ERR_CORRUPT, // the mark is that of another block
            tess_array_read(a, (int64_t[]){0}, (int64_t[]){1200}, r.data, reference_size(&r), err));
        assert_int_equal(kit.codec[0].told.ndim, -1);
        assert_int_equal(kit.codec[0].told.typesize, typesizes[i] > 255 ? 1 : typesizes[i]);
        assert_int_equal(kit.codec[0].told.meta, 77);
        ok(tess_array_close(a, err));
        free(image);
        kit_check(&kit);
        reference_finish(&r);
    }
}

// -- without them

static void
check_refusal(const char *path, const char *number, const struct reference *r)
{
    const tess_storage update = place(path, TESS_MODE_UPDATE, NULL);
    const int64_t origin[TESS_MAX_NDIM] = {0};
    struct reference got;
    tess_error error;
    tess_array *a = reopen(path, TESS_MODE_READ, NULL);

    reference_copy(&got, r);
    refused(TESS_ERR_UNSUPPORTED, read_all(a, &got, err));
    assert_int_equal(read_all(a, &got, &error), TESS_ERR_UNSUPPORTED);
    if (!strstr(error.message, number))
        fail_msg("no %s in: %s", number, error.message);
    ok(tess_array_close(a, err));

    a = NULL;
    tess_status st = tess_array_open(&update, &a, &error);
    if (st == TESS_OK) {
        st = tess_array_write(a, origin, r->shape, r->data, reference_size(r), &error);
        tess_array_discard(a);
    }
    assert_int_equal(st, TESS_ERR_UNSUPPORTED);
    if (!strstr(error.message, number))
        fail_msg("no %s in: %s", number, error.message);
    reference_finish(&got);
}

static void
without_them(void **state)
{
    static const struct {
        int codec;
        uint8_t filter;
        const char *number;
        const char *name;
    } cases[] = {
        {RUNS, 0, "180", "runs"},
        {JP, 0, "36", "jp"},
        {TESS_CODEC_LZ4, ADD, "160", "lz4"},
        {TESS_CODEC_ZSTD, HALF, "37", "zstd"},
    };
    struct reference r;
    tess_params p;
    tess_info info;
    struct kit kit;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    for (size_t i = 0; i < reference_size(&r); i++)
        r.data[i] &= 0xfe; // HALF keeps that
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const char *const path = files_path((char[]){(char)('a' + i), '\0'});
        p.layout = i % 2 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
        p.codec = (tess_codec)cases[i / 2].codec;
        p.filters[4] = cases[i / 2].filter;
        const tess_storage alone = place(path, TESS_MODE_NEW, NULL);
        tess_array *a = NULL;
        tess_error error;
        refused(TESS_ERR_UNSUPPORTED, tess_array_zeros(&alone, &p, &a, err));
        assert_int_equal(tess_array_zeros(&alone, &p, &a, &error), TESS_ERR_UNSUPPORTED);
        if (!strstr(error.message, cases[i / 2].number))
            fail_msg("no %s in: %s", cases[i / 2].number, error.message);
        kit_init(&kit, NULL);
        make(path, &kit, &p, &r);

        a = reopen(path, TESS_MODE_READ, &kit);
        tess_array_info(a, &info);
        assert_int_equal(info.codec, cases[i / 2].codec);
        assert_string_equal(info.codec_name, cases[i / 2].name);
        ok(tess_array_close(a, err));
        a = reopen(path, TESS_MODE_READ, NULL);
        tess_array_info(a, &info);
        assert_int_equal(info.codec, cases[i / 2].codec);
        assert_int_equal(info.filters[4], cases[i / 2].filter);
        assert_non_null(info.codec_name);
        if (cases[i / 2].codec == RUNS)
            assert_string_equal(info.codec_name, "unknown");
        assert_int_equal(info.shape[0], 40);
        ok(tess_array_close(a, err));

        check_refusal(path, cases[i / 2].number, &r);
        check_path(path, &kit, &r);
        kit_check(&kit);
    }
    reference_finish(&r);
}

// Chunks without bytes need nobody.
static void
special_chunks(void **state)
{
    static const uint8_t item[] = {1, 2, 3, 4};
    const char *const path = files_path("a");
    struct reference r;
    tess_params p;
    struct kit kit;
    uint8_t got[20 * 10 * 4];

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, NULL);
    for (int kind = 0; kind < 3; kind++) {
        const tess_storage storage = place(path, TESS_MODE_REPLACE, &kit);
        tess_array *a = NULL;
        if (kind == 0)
            ok(tess_array_zeros(&storage, &p, &a, err));
        else if (kind == 1)
            ok(tess_array_full(&storage, &p, item, 4, &a, err));
        else
            ok(tess_array_nan(&storage, &p, &a, err));
        ok(tess_array_write(a, (int64_t[]){0, 0}, (int64_t[]){20, 10}, r.data, 800, err));
        ok(tess_array_close(a, err));

        a = reopen(path, TESS_MODE_READ, NULL);
        ok(tess_array_read(a, (int64_t[]){20, 10}, (int64_t[]){40, 20}, got, sizeof got, err));
        for (size_t i = 0; i < sizeof got; i += 4)
            if (kind == 0)
                assert_memory_equal(got + i, ((uint8_t[]){0, 0, 0, 0}), 4);
            else if (kind == 1)
                assert_memory_equal(got + i, item, 4);
            else
                assert_memory_equal(got + i, ((uint8_t[]){0, 0, 0xc0, 0x7f}), 4);
        refused(TESS_ERR_UNSUPPORTED,
                tess_array_read(a, (int64_t[]){0, 0}, (int64_t[]){20, 10}, got, sizeof got, err));
        ok(tess_array_close(a, err));
    }
    reference_finish(&r);
}

// -- numbers

// Creates an array with a list of plugins, and opens another one.
static void
try_list(const tess_plugins *plugins, bool fine, const char *why)
{
    tess_storage storage = place(NULL, TESS_MODE_NEW, NULL);
    tess_array *a = NULL, *b = NULL;
    tess_error error;
    tess_params p;
    size_t size;

    tess_params_init(&p);
    ok(tess_array_zeros(&storage, &p, &a, err));
    uint8_t *const image = take_image(a, &size);
    ok(tess_array_close(a, err));

    for (int open = 0; open < 3; open++) {
        storage.plugins = plugins;
        storage.mode = open == 2 ? TESS_MODE_UPDATE : TESS_MODE_READ;
        storage.image = image;
        storage.image_size = size;
        b = (tess_array *)&storage; // to be replaced
        const tess_status st = open ? tess_array_open(&storage, &b, &error)
                                    : tess_array_zeros(&storage, &p, &b, &error);
        if (st != (fine ? TESS_OK : TESS_ERR_ARG))
            fail_msg("%s: %s", why, st == TESS_OK ? "taken" : error.message);
        if (!fine) {
            check_error(&error, TESS_ERR_ARG, why);
            assert_null(b);
        }
        ok(tess_array_close(b, err));
    }
    free(image);
}

static void
try_codec(int id, bool fine)
{
    const tess_user_codec codec = {.id = (uint8_t)id, .name = "x", .decompress = decompress};
    const tess_plugins plugins = {.codecs = &codec, .ncodecs = 1};
    char why[30];
    snprintf(why, sizeof why, "codec %d", id);
    try_list(&plugins, fine, why);
}

static void
try_filter(int id, bool fine)
{
    const tess_user_filter filter = {.id = (uint8_t)id, .name = "x", .backward = add_backward};
    const tess_plugins plugins = {.filters = &filter, .nfilters = 1};
    char why[30];
    snprintf(why, sizeof why, "filter %d", id);
    try_list(&plugins, fine, why);
}

static bool
build_has(int codec)
{
    const tess_storage storage = place(NULL, TESS_MODE_NEW, NULL);
    tess_params p;
    tess_array *a = NULL;

    plain_params(&p);
    p.dtype = "<f4";
    p.codec = (tess_codec)codec;
    p.codec_meta = 10;
    memset(p.filters, 0, sizeof p.filters);
    const tess_status st = tess_array_zeros(&storage, &p, &a, NULL);
    assert_true(st == TESS_OK || st == TESS_ERR_UNSUPPORTED);
    ok(tess_array_close(a, err));
    return st == TESS_OK;
}

static void
numbers(void **state)
{
    (void)state;
    for (int id = 0; id < 256; id++) {
        const bool zfp = id >= TESS_CODEC_ZFP_ACCURACY && id <= TESS_CODEC_ZFP_RATE;
        try_codec(id, id >= TESS_PLUGIN_FIRST && id != TESS_CODEC_NDLZ && !(zfp && build_has(id)));
        try_filter(id, id > TESS_FILTER_INT_TRUNC);
    }
}

static void
lists(void **state)
{
    struct kit kit;

    (void)state;
    kit_init(&kit, NULL);
    try_list(&kit.plugins, true, "the kit");
    try_list(&(tess_plugins){0}, true, "nothing");
    try_list(&(tess_plugins){kit.codecs, 0, kit.filters, 0}, true, "lists of no length");
    try_list(&(tess_plugins){NULL, 1, NULL, 0}, false, "no codecs");
    try_list(&(tess_plugins){NULL, 0, NULL, 1}, false, "no filters");
    try_list(&(tess_plugins){kit.codecs, -1, NULL, 0}, false, "-1 codecs");
    try_list(&(tess_plugins){NULL, 0, kit.filters, -1}, false, "-1 filters");

    kit.codecs[2].id = RUNS;
    try_list(&kit.plugins, false, "a codec twice");
    kit_init(&kit, NULL);
    kit.filters[2].id = ADD;
    try_list(&kit.plugins, false, "a filter twice");
    kit_init(&kit, NULL);
    kit.codecs[0].id = MIRROR - 1;
    kit.filters[0].id = MIRROR - 1;
    try_list(&kit.plugins, true, "a codec and a filter of one number");
    kit_init(&kit, NULL);
    kit.codecs[1].name = NULL;
    try_list(&kit.plugins, false, "a codec without a name");
    kit_init(&kit, NULL);
    kit.filters[1].name = NULL;
    try_list(&kit.plugins, false, "a filter without a name");
    kit_init(&kit, NULL);
    kit.codecs[1].decompress = NULL;
    try_list(&kit.plugins, false, "a codec that cannot read");
    kit_init(&kit, NULL);
    kit.filters[1].backward = NULL;
    try_list(&kit.plugins, false, "a filter that cannot read");
}

// -- failures

static const int statuses[] = {1, 2, 3, 4, 5, 6, 7, 8, 77, -1};
enum { NSTATUSES = sizeof statuses / sizeof *statuses };

static tess_status
meant(int status)
{
    return status > 0 && status <= TESS_ERR_STALE ? (tess_status)status : TESS_ERR_CORRUPT;
}

// In memory, in a file, in a directory.
static tess_array *
open_home(int home, const struct kit *kit, tess_params *p, const struct reference *r)
{
    static const char *const names[] = {NULL, "file", "folder"};
    const char *const path = home > 0 ? files_path(names[home]) : NULL;
    const tess_storage storage = place(path, TESS_MODE_REPLACE, kit);
    tess_array *a = NULL;

    p->layout = home == 2 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
    if (home > 0) {
        make(path, kit, p, r);
        return reopen(path, TESS_MODE_UPDATE, kit);
    }
    ok(tess_array_from(&storage, p, r->data, reference_size(r), &a, err));
    return a;
}

// All the ways to change an array, none of which can do it now.
static void
check_no_change(tess_array *a, struct self *self, tess_status want, const struct reference *r)
{
    const size_t size = reference_size(r);
    struct reference other;

    reference_copy(&other, r);
    for (size_t i = 0; i < size; i++)
        other.data[i] ^= (uint8_t)(i / 100);
    for (int after = 0; after < 12; after += 5) {
        self->forth_after = after;
        self->forth = 0;
        refused(want, tess_array_write(a, (int64_t[]){0, 0}, r->shape, other.data, size, err));
        check_array(a, r);
    }
    self->forth_after = 0;
    refused(want,
            tess_array_write(a, (int64_t[]){1, 2}, (int64_t[]){27, 18}, other.data, size, err));
    check_array(a, r);
    refused(want, tess_array_append(a, 0, other.data, size, err));
    check_array(a, r);
    refused(want, tess_array_append(a, 1, other.data, size, err));
    check_array(a, r);
    reference_finish(&other);
}

static void
writing_fails(void **state)
{
    struct reference r;
    tess_params p;
    struct kit kit;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    for (int home = 0; home < 3; home++) {
        tess_array *a = open_home(home, &kit, &p, &r);
        for (int i = 0; i < 2 * NSTATUSES; i++) {
            struct self *const self = i % 2 ? &kit.codec[0] : &kit.filter[0];
            self->forth_status = statuses[i / 2];
            check_no_change(a, self, meant(statuses[i / 2]), &r);
            self->forth_status = 0;
        }
        kit.codec[0].result = TOO_MUCH;
        check_no_change(a, &kit.codec[0], TESS_ERR_ARG, &r);
        kit.codec[0].result = FAIR;

        const int64_t shape[] = {33, 47}; // after all that it can be changed
        ok(tess_array_resize(a, shape, err));
        ok(tess_array_resize(a, r.shape, err));
        ok(tess_array_write(a, (int64_t[]){0, 0}, r.shape, r.data, reference_size(&r), err));
        check_array(a, &r);
        ok(tess_array_close(a, err));
    }
    kit_check(&kit);
    reference_finish(&r);
}

// A shrunk edge that cuts a block leaves items that must go: the block is written anew.
static void
resizing_fails(void **state)
{
    const int64_t less[] = {35, 25};
    struct reference r, cut;
    tess_params p;
    struct kit kit;
    tess_array *a;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    for (int i = 0; i < 2 * NSTATUSES; i++) {
        struct self *const self = i % 2 ? &kit.codec[0] : &kit.filter[0];
        a = open_home(0, &kit, &p, &r);
        reference_copy(&cut, &r);
        reference_resize(&cut, less);

        self->forth_status = statuses[i / 2];
        tess_status st = tess_array_resize(a, less, NULL);
        if (st != TESS_OK) {
            assert_int_equal(st, meant(statuses[i / 2]));
            check_array(a, &r);
            self->forth_status = 0;
            ok(tess_array_resize(a, less, err));
        }
        check_array(a, &cut);
        self->forth_status = statuses[i / 2];
        st = tess_array_resize(a, r.shape, NULL);
        if (st != TESS_OK) {
            assert_int_equal(st, meant(statuses[i / 2]));
            check_array(a, &cut);
            self->forth_status = 0;
            ok(tess_array_resize(a, r.shape, err));
        }
        self->forth_status = 0;
        reference_resize(&cut, r.shape);
        check_array(a, &cut);
        ok(tess_array_close(a, err));
        reference_finish(&cut);
    }
    reference_finish(&r);
}

static void
creating_fails(void **state)
{
    struct reference r;
    tess_params p;
    struct kit kit;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    for (int i = 0; i < 4 * NSTATUSES; i++) {
        const tess_storage storage = place(files_path("a"), TESS_MODE_NEW, &kit);
        struct self *const self = i % 2 ? &kit.codec[0] : &kit.filter[0];
        tess_array *a;
        p.layout = i / 2 % 2 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
        self->forth_status = statuses[i / 4];
        self->forth_after = i % 3;
        refused(meant(statuses[i / 4]),
                tess_array_from(&storage, &p, r.data, reference_size(&r), &a, err));
        assert_null(a);
        assert_int_equal(files_count(), 0);
        self->forth_status = 0;
    }
    reference_finish(&r);
}

static void
reading_fails(void **state)
{
    struct reference r, got;
    tess_params p;
    struct kit kit;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    reference_copy(&got, &r);
    for (int home = 0; home < 3; home++) {
        tess_array *a = open_home(home, &kit, &p, &r);
        for (int i = 0; i < 2 * NSTATUSES; i++) {
            struct self *const self = i % 2 ? &kit.codec[0] : &kit.filter[0];
            const tess_status want = meant(statuses[i / 2]);
            tess_error error;

            self->back_status = statuses[i / 2];
            refused(want, read_all(a, &got, err));
            assert_int_equal(read_all(a, &got, &error), want);
            assert_int_equal(error.sys, 0);
            if (error.offset < 0)
                fail_msg("offset %lld: %s", (long long)error.offset, error.message);
            refused(want,
                    tess_array_read(a, (int64_t[]){3, 3}, (int64_t[]){4, 4}, got.data, 4, err));
            refused(want, tess_array_write(a, (int64_t[]){3, 3}, (int64_t[]){4, 4}, got.data, 4,
                                           err)); // the rest of the block must be kept
            self->back_status = 0;
            check_array(a, &r);
        }
        ok(tess_array_close(a, err));
    }
    reference_finish(&got);
    kit_check(&kit);
    reference_finish(&r);
}

static void
nothing_gained(void **state)
{
    struct reference r;
    tess_params p;
    struct kit kit;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    kit.codec[0].result = NOTHING;
    for (int home = 0; home < 3; home++) {
        tess_array *const a = open_home(home, &kit, &p, &r);
        assert_true(kit.codec[0].forth > 0);
        check_array(a, &r);
        assert_int_equal(kit.codec[0].back, 0);
        ok(tess_array_write(a, (int64_t[]){1, 2}, (int64_t[]){1, 2}, NULL, 0, err));
        ok(tess_array_close(a, err));
    }
    kit_check(&kit);
    reference_finish(&r);
}

static void
only_readers(void **state)
{
    struct reference r;
    tess_params p;
    struct kit kit;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    for (int what = 0; what < 2; what++) {
        const char *const path = files_path("a");
        const tess_storage storage = place(NULL, TESS_MODE_NEW, &kit);
        const tess_storage update = place(path, TESS_MODE_UPDATE, &kit);
        tess_array *a = NULL;

        kit_init(&kit, &p);
        make(path, &kit, &p, &r);
        if (what == 0)
            kit.codecs[0].compress = NULL;
        else
            kit.filters[0].forward = NULL;
        refused(TESS_ERR_ARG, tess_array_zeros(&storage, &p, &a, err));
        refused(TESS_ERR_ARG, tess_array_uninit(&storage, &p, &a, err));
        refused(TESS_ERR_ARG, tess_array_from(&storage, &p, r.data, reference_size(&r), &a, err));
        check_path(path, &kit, &r);

        tess_error error;
        tess_status st = tess_array_open(&update, &a, &error);
        if (st == TESS_OK) {
            st =
                tess_array_write(a, (int64_t[]){0, 0}, r.shape, r.data, reference_size(&r), &error);
            ok(tess_array_close(a, err));
        }
        assert_int_equal(st, TESS_ERR_UNSUPPORTED);
        check_error(&error, st, "a write");
        check_path(path, &kit, &r);
    }
    reference_finish(&r);
}

// -- what does not go together

static void
try_params(const tess_params *p, const struct kit *kit, bool fine, const char *why)
{
    const tess_storage storage = place(NULL, TESS_MODE_NEW, kit);
    tess_error error;
    tess_array *a = NULL;
    const tess_status st = tess_array_zeros(&storage, p, &a, &error);

    if (st != (fine ? TESS_OK : TESS_ERR_ARG))
        fail_msg("%s: %s", why, st == TESS_OK ? "taken" : error.message);
    if (!fine)
        check_error(&error, TESS_ERR_ARG, why);
    ok(tess_array_close(a, err));
}

static void
contradictions(void **state)
{
    static const struct {
        const char *why;
        int codec;
        uint8_t filters[TESS_MAX_FILTERS];
        tess_split split;
        bool fine;
    } cases[] = {
        {"items, no filter", ITEMS, {0}, TESS_SPLIT_AUTO, true},
        {"items, never split", ITEMS, {0}, TESS_SPLIT_NEVER, true},
        {"items, always split", ITEMS, {0}, TESS_SPLIT_ALWAYS, false},
        {"items, shuffle", ITEMS, {0, 0, 0, 0, 0, 1}, TESS_SPLIT_AUTO, false},
        {"items, bitshuffle", ITEMS, {2}, TESS_SPLIT_NEVER, false},
        {"items, bytedelta", ITEMS, {0, 35}, TESS_SPLIT_NEVER, false},
        {"items, int_trunc", ITEMS, {0, 36}, TESS_SPLIT_NEVER, true},
        {"items, trunc_prec", ITEMS, {4}, TESS_SPLIT_NEVER, true},
        {"items, add", ITEMS, {ADD}, TESS_SPLIT_NEVER, false},
        {"runs, always split", RUNS, {1}, TESS_SPLIT_ALWAYS, true},
        {"half, delta", RUNS, {HALF, 3}, TESS_SPLIT_AUTO, false},
        {"half, others, delta", TESS_CODEC_LZ4, {0, HALF, 1, ADD, 3, 1}, TESS_SPLIT_AUTO, false},
        {"delta, half", RUNS, {3, HALF}, TESS_SPLIT_AUTO, true},
        {"half, shuffle", TESS_CODEC_ZSTD, {HALF, 1}, TESS_SPLIT_AUTO, true},
        {"half", RUNS, {0, 0, 0, HALF}, TESS_SPLIT_AUTO, true},
        {"add, delta", RUNS, {ADD, 3}, TESS_SPLIT_AUTO, true},
    };
    tess_params p;
    struct kit kit;

    (void)state;
    kit_init(&kit, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plain_params(&p);
        p.codec = (tess_codec)cases[i].codec;
        p.split = cases[i].split;
        memcpy(p.filters, cases[i].filters, sizeof p.filters);
        for (int f = 0; f < TESS_MAX_FILTERS; f++)
            p.filters_meta[f] =
                p.filters[f] == TESS_FILTER_TRUNC_PREC || p.filters[f] == TESS_FILTER_INT_TRUNC ? 5
                                                                                                : 0;
        try_params(&p, &kit, cases[i].fine, cases[i].why);
    }
}

static void
lossy_filters(void **state)
{
    static const uint8_t pipelines[][TESS_MAX_FILTERS] = {
        {HALF}, {0, 0, 0, 0, 0, HALF}, {HALF, 1, ADD}, {3, HALF}, {3, MIRROR, HALF, 2}, {1, HALF},
    };
    struct reference r, want, got;
    tess_params p;
    struct kit kit;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    reference_copy(&want, &r);
    reference_copy(&got, &r);
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++) {
        const tess_storage storage = place(NULL, TESS_MODE_NEW, &kit);
        tess_array *a = NULL;
        memcpy(p.filters, pipelines[i], sizeof p.filters);
        memset(p.filters_meta, 0, sizeof p.filters_meta);
        ok(tess_array_from(&storage, &p, r.data, reference_size(&r), &a, err));
        for (size_t k = 0; k < reference_size(&r); k++)
            want.data[k] = r.data[k] & 0xfe;
        ok(read_all(a, &got, err));
        for (size_t k = 0; k < reference_size(&r); k++)
            got.data[k] &= 0xfe; // chunks that are not smaller are stored before the filters
        assert_memory_equal(got.data, want.data, reference_size(&r));
        ok(tess_array_close(a, err));
    }
    kit_check(&kit);
    reference_finish(&got);
    reference_finish(&want);
    reference_finish(&r);
}

// -- many threads

struct reader {
    pthread_t thread;
    struct random random;
    const tess_array *a;
    const struct reference *reference;
    tess_error error;
    int wrong; // reads that brought other data
};

static void *
read_boxes(void *argument)
{
    struct reader *const r = argument;
    const struct reference *const ref = r->reference;
    const size_t size = reference_size(ref);
    uint8_t *const got = malloc(size), *const want = malloc(size);

    for (int i = 0; i < READS && got && want && r->error.status == TESS_OK; i++) {
        int64_t start[REFERENCE_MAX_NDIM] = {0}, stop[REFERENCE_MAX_NDIM] = {0};
        for (int axis = 0; axis < ref->ndim; axis++) {
            const uint64_t n = (uint64_t)ref->shape[axis];
            start[axis] = (int64_t)random_below(&r->random, n);
            stop[axis] =
                start[axis] + 1 + (int64_t)random_below(&r->random, n - (uint64_t)start[axis]);
        }
        reference_get(ref, start, stop, want);
        if (tess_array_read(r->a, start, stop, got, size, &r->error) == TESS_OK)
            r->wrong += memcmp(got, want, reference_box_size(ref, start, stop)) != 0;
    }
    free(want);
    free(got);
    return NULL;
}

static void
many_threads(void **state)
{
    const uint64_t seed = random_seed();
    struct reader readers[THREADS];
    struct reference r;
    tess_params p;
    struct kit kit;

    (void)state;
    plain_params(&p);
    p.filters[3] = TESS_FILTER_DELTA;
    plain_items(&r, &p);
    kit_init(&kit, &p);
    for (int home = 0; home < 3; home++) {
        tess_array *const a = open_home(home, &kit, &p, &r);
        memset(readers, 0, sizeof readers);
        for (int i = 0; i < THREADS; i++) {
            random_init(&readers[i].random, seed + (uint64_t)i);
            readers[i].a = a;
            readers[i].reference = &r;
            assert_int_equal(pthread_create(&readers[i].thread, NULL, read_boxes, &readers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
        for (int i = 0; i < THREADS; i++) {
            if (readers[i].error.status != TESS_OK)
                fail_msg("thread %d: %s", i, readers[i].error.message);
            assert_int_equal(readers[i].wrong, 0);
        }
        ok(tess_array_close(a, err));
    }
    assert_true(kit.codec[0].back >= THREADS * READS);
    kit_check(&kit);
    reference_finish(&r);
}

// -- the list is copied

static void
lists_are_copied(void **state)
{
    const char *const path = files_path("a");
    struct reference r;
    tess_params p;
    struct kit kit, given;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    make(path, &kit, &p, &r);
    for (int open = 0; open < 2; open++) {
        const tess_storage storage =
            place(open ? path : NULL, open ? TESS_MODE_UPDATE : TESS_MODE_NEW, &given);
        tess_array *a = NULL;
        tess_info info;

        memcpy(given.codecs, kit.codecs, sizeof kit.codecs);
        memcpy(given.filters, kit.filters, sizeof kit.filters);
        given.plugins = (tess_plugins){given.codecs, NCODECS, given.filters, NFILTERS};
        if (open)
            ok(tess_array_open(&storage, &a, err));
        else
            ok(tess_array_zeros(&storage, &p, &a, err));
        memset(&given, 0xff, sizeof given);
        ok(tess_array_write(a, (int64_t[]){0, 0}, r.shape, r.data, reference_size(&r), err));
        check_array(a, &r);
        tess_array_info(a, &info);
        assert_string_equal(info.codec_name, "runs");
        ok(tess_array_close(a, err));
    }
    kit_check(&kit);
    reference_finish(&r);
}

// -- damage

static uint8_t *
image_of(const struct kit *kit, const tess_params *p, const struct reference *r, size_t *size)
{
    const tess_storage storage = place(NULL, TESS_MODE_NEW, kit);
    tess_array *a = NULL;
    ok(tess_array_from(&storage, p, r->data, reference_size(r), &a, err));
    uint8_t *const image = take_image(a, size);
    ok(tess_array_close(a, err));
    return image;
}

static void
damage_is_found(void **state)
{
    struct reference r, got;
    tess_params p;
    struct kit kit;
    size_t size;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    reference_copy(&got, &r);
    uint8_t *const image = image_of(&kit, &p, &r, &size);
    const struct self *const self = &kit.codec[0];
    const size_t at = find(image, size, self->made, self->made_size);

    for (size_t i = at; i < at + self->made_size; i++) {
        tess_storage storage = place(NULL, TESS_MODE_READ, &kit);
        tess_array *a = NULL;
        tess_error error;
        storage.image = image;
        storage.image_size = size;
        image[i] ^= 0x10;
        ok(tess_array_open(&storage, &a, err));
        assert_int_equal(read_all(a, &got, &error), TESS_ERR_CORRUPT);
        check_error(&error, TESS_ERR_CORRUPT, "a read");
        if (error.offset < (int64_t)at - 8 || error.offset > (int64_t)i)
            fail_msg("offset %lld, %zu is damaged: %s", (long long)error.offset, i, error.message);
        ok(tess_array_close(a, err));
        image[i] ^= 0x10;
    }
    assert_int_equal(self->refused, self->made_size);
    kit_check(&kit);
    free(image);
    reference_finish(&got);
    reference_finish(&r);
}

// Any byte of a frame: the plugins get memory of the sizes they are told, and what they say counts.
static void
damage_everywhere(int codec, int which)
{
    struct reference r, got;
    tess_params p;
    struct kit kit;
    size_t size;
    int found = 0;

    plain_params(&p);
    p.codec = (tess_codec)codec;
    memset(p.filters, 0, sizeof p.filters);
    p.filters[0] = codec == ITEMS ? 0 : ADD;
    plain_items(&r, &p);
    kit_init(&kit, NULL);
    reference_copy(&got, &r);
    uint8_t *const image = image_of(&kit, &p, &r, &size);

    for (size_t i = 0; i < 4 * size; i++) {
        static const uint8_t flips[] = {0x01, 0x80, 0xff, 0x10};
        tess_storage storage = place(NULL, TESS_MODE_READ, &kit);
        tess_array *a = NULL;
        tess_error error;
        storage.image = image;
        storage.image_size = size;
        storage.limits.memory = 1 << 20;
        image[i / 4] ^= flips[i % 4];
        const int before = kit.codec[which].refused;
        tess_status st = tess_array_open(&storage, &a, &error);
        tess_info info;
        if (st == TESS_OK) {
            tess_array_info(a, &info);
            if (info.ndim == 2 && info.typesize == 4 && info.shape[0] == 40 && info.shape[1] == 30)
                st = read_all(a, &got, &error);
            if (kit.codec[which].refused > before) {
                assert_int_equal(st, TESS_ERR_CORRUPT);
                assert_true(error.offset >= 0);
                found++;
            }
        }
        if (st != TESS_OK)
            check_error(&error, st, "damage");
        ok(tess_array_close(a, err));
        image[i / 4] ^= flips[i % 4];
    }
    assert_true(found > 100);
    kit_check(&kit);
    free(image);
    reference_finish(&got);
    reference_finish(&r);
}

static void
damage_anywhere(void **state)
{
    (void)state;
    damage_everywhere(RUNS, 0);
    damage_everywhere(ITEMS, 2);
}

// A box in the corner is read, written and cut, if the damaged frame opens at all.
static void
use(const tess_storage *storage)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    int64_t stop[TESS_MAX_NDIM] = {0};
    size_t size;
    tess_array *a = NULL;
    tess_error error;
    tess_info info;

    tess_status st = tess_array_open(storage, &a, &error);
    if (st == TESS_OK) {
        tess_array_info(a, &info);
        size = (size_t)info.typesize;
        for (int i = 0; i < info.ndim; i++) {
            const int64_t most = size > BYTES_MAX ? 1 : size > 2000 ? 2 : 40;
            stop[i] = info.shape[i] < most ? info.shape[i] : most;
            size *= (size_t)stop[i];
        }
        uint8_t *const items = calloc(size > 0 ? size : 1, 1);
        assert_non_null(items);
        st = tess_array_read(a, origin, stop, items, size, &error);
        if (st == TESS_OK && info.writable)
            st = tess_array_write(a, origin, stop, items, size, &error);
        if (st == TESS_OK && info.writable)
            st = tess_array_resize(a, stop, &error);
        free(items);
    }
    if (st != TESS_OK)
        check_error(&error, st, "damage");
    tess_array_discard(a);
}

static void
damage_of_random_arrays(void **state)
{
    static struct subject s;
    const uint64_t seed = random_seed();

    for (uint64_t i = 0; i < DAMAGED; i++) {
        memset(&s, 0, sizeof s);
        s.seed = seed + i;
        random_init(&s.random, s.seed);
        *state = &s;
        draw_params(&s);
        kit_init(&s.kit, NULL);
        reference_init(&s.reference, s.params.ndim, s.params.shape, (size_t)s.params.typesize);
        free(s.reference.data);
        s.reference.data = draw_items(&s, reference_size(&s.reference));

        tess_storage storage = place(NULL, TESS_MODE_READ, &s.kit);
        uint8_t *const image = image_of(&s.kit, &s.params, &s.reference, &storage.image_size);
        uint8_t *const damaged = malloc(storage.image_size);
        assert_non_null(damaged);
        storage.image = damaged;
        storage.limits.memory = 1 << 22;
        for (int k = 0; k < 50; k++) {
            const int64_t size = (int64_t)storage.image_size;
            memcpy(damaged, image, storage.image_size);
            for (int64_t n = 1 + below(&s, 3); n > 0; n--)
                damaged[below(&s, one_in(&s, 2) && size > 500 ? 500 : size)] ^=
                    (uint8_t)(one_in(&s, 2) ? 1 << below(&s, 8) : below(&s, 256));
            storage.mode = k % 2 ? TESS_MODE_UPDATE : TESS_MODE_READ;
            use(&storage);
            kit_check(&s.kit);
        }
        free(damaged);
        free(image);
        reference_finish(&s.reference);
    }
    *state = NULL;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_lives, begin, end_random),
        cmocka_unit_test(what_they_are_told),
        cmocka_unit_test_setup_teardown(without_them, begin, end),
        cmocka_unit_test_setup_teardown(special_chunks, begin, end),
        cmocka_unit_test(numbers),
        cmocka_unit_test(lists),
        cmocka_unit_test_setup_teardown(writing_fails, begin, end),
        cmocka_unit_test(resizing_fails),
        cmocka_unit_test_setup_teardown(creating_fails, begin, end),
        cmocka_unit_test_setup_teardown(reading_fails, begin, end),
        cmocka_unit_test_setup_teardown(nothing_gained, begin, end),
        cmocka_unit_test_setup_teardown(only_readers, begin, end),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(lossy_filters),
        cmocka_unit_test_setup_teardown(many_threads, begin, end),
        cmocka_unit_test_setup_teardown(lists_are_copied, begin, end),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(damage_anywhere),
        cmocka_unit_test_setup_teardown(damage_of_random_arrays, begin, end_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
