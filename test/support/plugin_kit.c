/*
 * plugin_kit.c - codecs that look for runs, and filters that add, mirror and halve.
 */
#include "support/plugin_kit.h"

#include "support/reference.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Bytes in front of what the codecs make.
enum { MARK = 4 };

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

// Several threads are told at once; one of them is the last.
static void
note_told(struct self *self, const tess_block *block)
{
    pthread_mutex_lock(&self->lock);
    self->told = *block;
    pthread_mutex_unlock(&self->lock);
}

static void
note_made(struct self *self, const uint8_t *bytes, size_t size)
{
    pthread_mutex_lock(&self->lock);
    self->made_size = size < sizeof self->made ? size : sizeof self->made;
    memcpy(self->made, bytes, self->made_size);
    pthread_mutex_unlock(&self->lock);
}

// A mark, then pairs: length of a run, 1 to 255, and its byte.
static tess_status
compress(const tess_block *block, const void *src, size_t size, void *dst, size_t dst_size,
         size_t *made)
{
    struct self *const self = block->user;
    const uint8_t *const from = src;
    uint8_t *const to = dst;
    const uint8_t kept = self->id == ROUGH ? 0xfe : 0xff;
    size_t used = MARK;

    check_memory(self, src, size, dst, dst_size);
    check_codec(self, block, true, size);
    note_told(self, block);
    memset(dst, 0xee, dst_size); // all of it is ours
    if (atomic_fetch_add(&self->forth, 1) >= self->forth_after && self->forth_status != TESS_OK)
        return (tess_status)self->forth_status;
    *made = self->result == TOO_MUCH ? dst_size + 1 : 0;
    if (self->result != FAIR)
        return TESS_OK;
    for (size_t i = 0, n; i < size; i += n) {
        for (n = 1; n < 255 && i + n < size && (from[i + n] & kept) == (from[i] & kept); n++)
            ;
        if (dst_size < used + 2)
            return TESS_OK;
        to[used++] = (uint8_t)n;
        to[used++] = from[i] & kept;
    }
    const uint32_t mark = hash(hash_told(block, size), to + MARK, used - MARK);
    memcpy(to, &mark, MARK);
    note_made(self, to, used);
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
        note_told(self, block);
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
        note_told(self, block);
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

void
kit_init(struct kit *kit, const tess_params *params)
{
    static const tess_user_codec codecs[NCODECS] = {
        {sizeof(tess_user_codec), RUNS, "runs", false, false, NULL, compress, decompress},
        {sizeof(tess_user_codec), JP, "jp", false, false, NULL, compress, decompress},
        {sizeof(tess_user_codec), ITEMS, "items", true, false, NULL, compress, decompress},
        {sizeof(tess_user_codec), ROUGH, "rough", false, true, NULL, compress, decompress},
    };
    static const tess_user_filter filters[NFILTERS] = {
        {sizeof(tess_user_filter), ADD, "add", false, NULL, add_forward, add_backward},
        {sizeof(tess_user_filter), MIRROR, "mirror", false, NULL, mirror_forward, mirror_backward},
        {sizeof(tess_user_filter), HALF, "half", true, NULL, half_forward, half_backward},
    };

    memset(kit, 0, sizeof *kit);
    memcpy(kit->codecs, codecs, sizeof codecs);
    memcpy(kit->filters, filters, sizeof filters);
    for (int i = 0; i < NCODECS; i++) {
        kit->codec[i].id = codecs[i].id;
        kit->codec[i].params = params;
        pthread_mutex_init(&kit->codec[i].lock, NULL);
        kit->codecs[i].user = &kit->codec[i];
    }
    for (int i = 0; i < NFILTERS; i++) {
        kit->filter[i].id = filters[i].id;
        kit->filter[i].params = params;
        pthread_mutex_init(&kit->filter[i].lock, NULL);
        kit->filters[i].user = &kit->filter[i];
    }
    kit->plugins = (tess_plugins){kit->codecs, NCODECS, kit->filters, NFILTERS};
}

void
kit_check(const struct kit *kit)
{
    for (int i = 0; i < NCODECS; i++)
        if (kit->codec[i].wrong)
            fail_msg("codec %d: %s", kit->codec[i].id, kit->codec[i].wrong);
    for (int i = 0; i < NFILTERS; i++)
        if (kit->filter[i].wrong)
            fail_msg("filter %d: %s", kit->filter[i].id, kit->filter[i].wrong);
}
