/*
 * rewrite.c - a chunk that is written anew: kept blocks are copied, changed ones encoded.
 *
 * Blocks are kept as they are stored if they mean the same in the new chunk: the same filters,
 * codec and splitting, the same dictionary, and, where blocks are compared with the first, the same
 * first one.
 *
 * Here is decided whether the chunk is stored as blocks, as plain bytes, or as one item
 * (rewrite_begin(), rewrite_end()).
 *
 * Not here: which thread encodes which block, and when (store.c).
 */
#include "grid/write/private.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "chunk/chunk.h"
#include "chunk/decode.h"
#include "chunk/encode/dictionary.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/encoder.h"
#include "chunk/header.h"
#include "chunk/scratch.h"
#include "codec/dict.h"
#include "frame/chunks/stored.h"
#include "frame/commit/change.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "grid/pool.h"
#include "grid/write/constant.h"
#include "grid/write/install.h"
#include "grid/write/turns.h"
#include "task/gate.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum {
    STREAMED_MIN = (1 << 24) + 1, // bytes of a chunk that is not put together in memory
    KEPT_PIECE = 1 << 20, // bytes copied at once, or one block
    STREAMED_PIECE = 1 << 17, // the same, copied twice
};

tess_status
buffer_reserve(struct buffer *b, int64_t size, tess_error *err)
{
    if (b->bytes && b->size >= size)
        return TESS_OK;
    mem_free(b->bytes);
    *b = (struct buffer){.bytes = mem_alloc((size_t)size), .size = size};
    if (!b->bytes) {
        b->size = 0;
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bytes of a chunk", size);
    }
    return TESS_OK;
}

static bool
is_touched(const struct rewrite *m, int32_t nblock, bool *replaced)
{
    return m->source->touched(m->source->from, &m->edit, nblock, replaced) == nblock;
}

// Whether streams of the old chunk mean the same in a new one.
static bool
same_encoding(const struct chunk_header *old, const struct chunk_encoder *e)
{
    const struct chunk_header *const h = &e->h;
    return old->header_size == CHUNK_HEADER_SIZE && old->version >= 4 &&
           old->codec_format == h->codec_format && old->codec_meta == h->codec_meta &&
           old->split == h->split && old->typesize == h->typesize &&
           (old->codec_format != CODEC_FORMAT_OTHER || old->udcodec == h->udcodec) &&
           memcmp(old->filters, h->filters, FILTER_SLOTS) == 0 &&
           memcmp(old->filters_meta, h->filters_meta, FILTER_SLOTS) == 0;
}

static tess_status
open_old(struct rewrite *m, tess_error *err)
{
    const struct chunk_encoder *const e = &m->grid->encoder;
    const struct frame_staged *const staged = m->source->staged;
    int64_t entry;
    bool replaced;
    gate_enter(m->grid->gate);
    const tess_status st =
        staged && frame_staged_entry(staged, m->edit.n, &entry)
            ? open_chunk_staged(m->grid, m->edit.n, entry, &m->old, err)
            : open_chunks_get(m->grid, m->edit.n, false, NULL, NULL, &m->old, err);
    gate_leave(m->grid->gate);
    if (st != TESS_OK)
        return st;
    m->keep = m->old->kind == OPEN_BLOCKS && same_encoding(&m->old->stored.chunk.h, e) &&
              !chunk_encoder_is_plain(e) && !(e->pipeline.referring && is_touched(m, 0, &replaced));
    return TESS_OK;
}

int64_t
rewrite_old_size(const struct rewrite *m, int32_t nblock)
{
    bool replaced;
    if (!m->old || m->old->kind == OPEN_SPECIAL || (is_touched(m, nblock, &replaced) && replaced))
        return 0;
    if (m->old->kind != OPEN_BLOCKS)
        return m->grid->g.blocksize;
    const struct span span = chunk_span(&m->old->stored.chunk, nblock);
    return span.stop - span.start;
}

// Stored bytes of the old chunk.
static tess_status
fetch_stored(const struct rewrite *m, int32_t offset, int32_t size, const uint8_t **bytes,
             struct chunk_scratch *s, tess_error *err)
{
    const struct stored_chunk *const sc = &m->old->stored;
    const tess_status st = sc->bytes.fetch(sc->bytes.from, offset, size, s, bytes, err);
    return st == TESS_OK ? st : stored_chunk_blame(sc, m->edit.n, st, err);
}

static tess_status
open_block(const struct rewrite *m, int32_t nblock, uint8_t *dst, struct chunk_scratch *s,
           tess_error *err)
{
    gate_enter(m->grid->gate);
    const tess_status st = open_chunk_block(m->grid, m->old, nblock, dst, s, err);
    gate_leave(m->grid->gate);
    return st;
}

// Blocks as they are stored; what a chunk holds in another way, as items.
tess_status
rewrite_fetch(const struct rewrite *m, int32_t nblock, uint8_t *dst, struct chunk_scratch *s,
              tess_error *err)
{
    const uint8_t *bytes;
    if (m->old->kind != OPEN_BLOCKS)
        return open_block(m, nblock, dst, s, err);
    const struct span span = chunk_span(&m->old->stored.chunk, nblock);
    const int32_t size = span.stop - span.start;
    gate_enter(m->grid->gate);
    const tess_status st = fetch_stored(m, span.start, size, &bytes, s, err);
    if (st == TESS_OK)
        memcpy(dst, bytes, (size_t)size);
    gate_leave(m->grid->gate);
    return st;
}

static tess_status
old_items(const struct rewrite *m, int32_t nblock, const uint8_t *fetched, uint8_t **items,
          struct chunk_scratch *s, tess_error *err)
{
    static const struct block_need all = {0};
    const size_t size = (size_t)m->grid->g.blocksize;
    const struct stored_chunk *const sc = &m->old->stored;
    struct decoded block = {.bytes = fetched};
    uint8_t *const dst = *items ? *items : s->buffer[0];

    if (!fetched || m->old->kind == OPEN_SPECIAL) {
        *items = dst;
        return open_block(m, nblock, dst, s, err);
    }
    if (m->old->kind == OPEN_BLOCKS) {
        const tess_status st =
            block_decode(&sc->chunk, nblock, fetched, m->old->ref, &all, s, &block, err);
        if (st != TESS_OK)
            return stored_chunk_blame(sc, m->edit.n, st, err);
        if (!*items) { // they may stay where they came out
            *items = s->buffer[block.bytes == s->buffer[1] ? 1 : 0];
            return TESS_OK;
        }
    }
    memcpy(dst, block.bytes, size);
    *items = dst;
    return TESS_OK;
}

tess_status
rewrite_items(const struct rewrite *m, int32_t nblock, const uint8_t *fetched, uint8_t **items,
              struct chunk_scratch *s, tess_error *err)
{
    bool replaced = false;
    const bool touched = is_touched(m, nblock, &replaced);
    const bool partly = !touched || !replaced;
    tess_status st = TESS_OK;

    if (partly && m->old)
        st = old_items(m, nblock, fetched, items, s, err);
    else if (!*items)
        *items = s->buffer[0];
    if (partly && !m->old)
        memset(*items, 0, (size_t)m->grid->g.blocksize);
    if (touched && st == TESS_OK)
        st = m->source->fill(m->source->from, &m->edit, nblock, *items, err);
    return st;
}

// For calls that need a block before its turn.
static tess_status
items_now(void *from, int32_t nblock, uint8_t *dst, tess_error *err)
{
    const struct rewrite *const m = from;
    return rewrite_items(m, nblock, NULL, &dst, m->s, err);
}

// The content of block 0, which other blocks are compared with.
static tess_status
rewrite_load_reference(struct rewrite *m, tess_error *err)
{
    const int32_t blocksize = m->grid->g.blocksize;
    if (!chunk_encoder_needs_reference(&m->grid->encoder))
        return TESS_OK;
    m->ref = mem_alloc((size_t)blocksize);
    if (!m->ref)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %" PRId32 " bytes",
                       blocksize);
    m->encoding.ref = m->ref;
    return items_now(m, 0, m->ref, err);
}

static tess_status
rewrite_train(struct rewrite *m, tess_error *err)
{
    const struct block_source source = {.from = m, .items = items_now};
    struct chunk_scratch *const s = pool_take(m->grid->pool);
    tess_status st = s ? scratch_reserve(s, m->grid->g.blocksize, err)
                       : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    if (st == TESS_OK)
        st = dictionary_train(&m->dict, &m->encoding, &source, s, err);
    pool_give(m->grid->pool, s);
    return st;
}

// That of the blocks that are kept, or a new one.
static tess_status
rewrite_choose_dictionary(struct rewrite *m, tess_error *err)
{
    const struct chunk_encoder *const e = &m->grid->encoder;
    tess_status st = TESS_OK;

    if (m->keep) {
        const struct codec_dict *const dict = &m->old->stored.chunk.dict;
        if (dict->size > 0)
            st = codec_dict_init(&m->dict, e->codec, e->level, dict->bytes, dict->size, err);
    } else if (e->dictionary) {
        st = rewrite_train(m, err);
    }
    m->encoding.dict = &m->dict;
    return st;
}

// Whether to collect the items on their way to the encoder: in all likelihood they are stored
// plainly. Filters of the program want blocks that are aligned for all types.
static bool
likely_plain(const struct rewrite *m, bool expect_plain)
{
    if (m->keep || m->grid->g.blocksize % (int32_t) _Alignof(max_align_t) != 0)
        return false;
    return m->old ? m->old->kind == OPEN_MEMCPYED : expect_plain;
}

static tess_status
rewrite_begin_blocks(struct rewrite *m, bool expect_plain, tess_error *err)
{
    const struct chunk_encoder *const e = &m->grid->encoder;
    const bool only_plain = chunk_encoder_is_plain(e);
    const int64_t bound = only_plain ? chunk_bound(e) : assembly_bound(e);

    m->encoding.e = e;
    m->streamed = e->h.nbytes >= STREAMED_MIN;
    tess_status st = buffer_reserve(&m->bytes, m->streamed ? assembly_front(e) : bound, err);
    if (st == TESS_OK && !only_plain)
        st = rewrite_load_reference(m, err);
    if (st == TESS_OK && !only_plain)
        st = rewrite_choose_dictionary(m, err);
    if (st != TESS_OK)
        return st;
    assembly_begin(&m->out, e, &m->dict, m->bytes.bytes, m->streamed ? 0 : bound);
    m->front = m->out.at;
    if (m->streamed)
        return TESS_OK;
    if (only_plain) {
        m->items = m->bytes.bytes + CHUNK_HEADER_SIZE;
    } else if (likely_plain(m, expect_plain)) {
        st = buffer_reserve(&m->plain, chunk_bound(e), err);
        m->items = st == TESS_OK ? m->plain.bytes + CHUNK_HEADER_SIZE : NULL;
    }
    return st;
}

static bool
rewrite_is_lossy(const struct rewrite *m)
{
    const struct chunk_encoder *const e = &m->grid->encoder;
    return e->pipeline.lossy || (e->codec && e->codec->lossy);
}

// The item that all new items are; NULL: they differ.
static const uint8_t *
new_item(const struct rewrite *m)
{
    return m->source->constant ? m->source->constant(m->source->from, &m->edit) : NULL;
}

// An old chunk that is one item again and again: it stays if all new items are that one, too.
static tess_status
keep_constant(struct rewrite *m, tess_error *err)
{
    const struct chunk *const old = &m->old->stored.chunk;
    const int32_t typesize = m->grid->g.typesize;

    if (m->source->padding) {
        m->constant = m->unchanged = true;
        return TESS_OK;
    }
    const uint8_t *const item = new_item(m);
    const tess_status st = item ? buffer_reserve(&m->bytes, typesize, err) : TESS_OK;
    if (st != TESS_OK || !item || !constant_chunk(old, typesize, m->bytes.bytes) ||
        memcmp(m->bytes.bytes, item, (size_t)typesize) != 0)
        return st;
    m->constant = true;
    m->unchanged = old->h.special != SPECIAL_UNINIT; // of that, others may show anything
    m->item = item;
    return TESS_OK;
}

tess_status
rewrite_begin(struct rewrite *m, bool expect_plain, tess_error *err)
{
    tess_status st = TESS_OK;

    if (m->edit.whole) {
        const uint8_t *const item = new_item(m);
        m->item = item && constant_is_chunk(m->grid, item, m->edit.n) ? item : NULL;
        m->constant = m->item && constant_pays(m->item, &m->grid->g);
    } else {
        st = open_old(m, err);
        if (st == TESS_OK && m->old->kind == OPEN_SPECIAL)
            st = keep_constant(m, err);
    }
    if (st == TESS_OK && !m->constant)
        st = rewrite_begin_blocks(m, expect_plain, err);
    if (st == TESS_OK && !m->constant && m->source->padding && !m->keep && rewrite_is_lossy(m))
        m->out.full = true; // to be stored plainly
    return st;
}

// Nothing else looks at the frame from here on.
static struct frame *
begin_storing(const struct rewrite *m)
{
    gate_close(m->grid->gate);
    return m->grid->frame;
}

// stored: the chunk is another one from here on.
static tess_status
end_storing(const struct rewrite *m, bool stored, tess_status st)
{
    if (stored && st == TESS_OK && !m->source->staged && !m->source->from_cache)
        cache_forget_chunk(m->grid->cache, m->edit.n, m->grid->g.nblocks);
    gate_open(m->grid->gate);
    return st;
}

// Store a part of a streamed chunk.
static tess_status
stream(struct rewrite *m, int64_t offset, const uint8_t *bytes, int64_t size, tess_error *err)
{
    const int64_t room = (int64_t)m->grid->encoder.h.nbytes + CHUNK_HEADER_SIZE;
    struct frame *const f = begin_storing(m);
    tess_status st = TESS_OK;
    if (!m->put.io)
        st = frame_put_begin(f, m->source->staged, m->edit.n, room, &m->put, err);
    if (st == TESS_OK)
        st = frame_put_piece(&m->put, offset, bytes, size, err);
    return end_storing(m, false, st);
}

static tess_status
end_stream(struct rewrite *m, int32_t cbytes, tess_error *err)
{
    struct frame *const f = begin_storing(m);
    return end_storing(m, true, frame_put_end(f, &m->put, cbytes, err));
}

static void
abandon_stream(struct rewrite *m)
{
    if (!m->put.io)
        return;
    frame_put_abandon(begin_storing(m), &m->put);
    (void)end_storing(m, false, TESS_OK);
}

// The whole chunk.
static tess_status
store_chunk_bytes(struct rewrite *m, const uint8_t *bytes, int32_t cbytes, tess_error *err)
{
    if (m->source->staged)
        return stage_chunk(m->grid, m->source->staged, m->edit.n, bytes, cbytes, err);
    struct frame *const f = begin_storing(m);
    return end_storing(m, true, frame_put(f, NULL, m->edit.n, bytes, cbytes, err));
}

tess_status
rewrite_add(struct rewrite *m, const uint8_t *bytes, int32_t size, tess_error *err)
{
    const int64_t at = m->out.at;
    assembly_add(&m->out, bytes, size);
    return m->streamed && !m->out.full ? stream(m, at, bytes, size, err) : TESS_OK;
}

// Blocks as they are stored, in `size` bytes from `offset` on of the old chunk.
static tess_status
fetch_kept(struct rewrite *m, const int32_t *starts, int32_t n, int32_t size,
           struct chunk_scratch *s, tess_error *err)
{
    const uint8_t *bytes;
    tess_status st = fetch_stored(m, starts[0], size, &bytes, s, err);
    if (st != TESS_OK)
        return st;
    assembly_add_run(&m->out, starts, n, size, bytes);
    if (!m->streamed || m->out.full)
        return TESS_OK;
    st = buffer_reserve(&m->plain, max_i64(size, STREAMED_PIECE), err);
    if (st == TESS_OK) // the frame's own bytes would move while they are streamed
        memcpy(m->plain.bytes, bytes, (size_t)size);
    return st;
}

static tess_status
add_kept(struct rewrite *m, const int32_t *starts, int32_t n, int32_t size, struct chunk_scratch *s,
         tess_error *err)
{
    const int64_t at = m->out.at;
    gate_enter(m->grid->gate);
    const tess_status st = fetch_kept(m, starts, n, size, s, err);
    gate_leave(m->grid->gate);
    if (st != TESS_OK || !m->streamed || m->out.full)
        return st;
    return stream(m, at, m->plain.bytes, size, err);
}

// How many of the blocks from `first` on, up to `stop`, stand one behind the other, in `most`
// bytes; *size: in how many.
static int32_t
rewrite_run_length(const struct chunk *c, int32_t first, int32_t stop, int32_t most, int32_t *size)
{
    struct span run = chunk_span(c, first);
    int32_t n = 1;
    for (; first + n < stop; n++) {
        const struct span next = chunk_span(c, first + n);
        if (next.start != run.stop || next.stop - run.start > most)
            break;
        run.stop = next.stop;
    }
    *size = run.stop - run.start;
    return n;
}

tess_status
rewrite_keep(struct rewrite *m, int32_t nblock, struct chunk_scratch *s, tess_error *err)
{
    const int32_t most = scratch_piece(s, m->streamed ? STREAMED_PIECE : KEPT_PIECE);
    while (m->out.nblocks < nblock && !m->out.full) {
        const int32_t first = m->out.nblocks;
        const struct chunk *const c = &m->old->stored.chunk;
        int32_t size;
        const int32_t n = rewrite_run_length(c, first, nblock, most, &size);
        const tess_status st = add_kept(m, c->starts + first, n, size, s, err);
        if (st != TESS_OK)
            return st;
    }
    return TESS_OK;
}

static tess_status
rewrite_put_value(struct rewrite *m, tess_error *err)
{
    struct constant c;
    tess_status st = constant_init(&c, m->grid, m->item, err);
    if (st == TESS_OK) {
        begin_storing(m);
        st = end_storing(m, true, constant_put(m->grid, m->source->staged, m->edit.n, &c, err));
    }
    constant_finish(&c);
    return st;
}

// The chunk's plain bytes: collected already, or once more.
static tess_status
rewrite_put_plain(struct rewrite *m, tess_error *err)
{
    const struct geometry *const g = &m->grid->g;
    uint8_t *const bytes = m->items ? m->items - CHUNK_HEADER_SIZE : m->bytes.bytes;
    const int32_t cbytes = chunk_begin_plain(&m->grid->encoder, bytes);

    for (int32_t i = 0; !m->items && i < g->nblocks; i++) {
        const tess_status st =
            items_now(m, i, bytes + CHUNK_HEADER_SIZE + (int64_t)i * g->blocksize, err);
        if (st != TESS_OK)
            return st;
    }
    return store_chunk_bytes(m, bytes, cbytes, err);
}

// The same, block by block.
static tess_status
stream_plain(struct rewrite *m, tess_error *err)
{
    const struct geometry *const g = &m->grid->g;
    const int32_t cbytes = chunk_begin_plain(&m->grid->encoder, m->bytes.bytes);
    tess_status st = buffer_reserve(&m->plain, g->blocksize, err);

    if (st == TESS_OK)
        st = stream(m, 0, m->bytes.bytes, CHUNK_HEADER_SIZE, err);
    for (int32_t i = 0; i < g->nblocks && st == TESS_OK; i++) {
        st = items_now(m, i, m->plain.bytes, err);
        if (st == TESS_OK)
            st = stream(m, CHUNK_HEADER_SIZE + (int64_t)i * g->blocksize, m->plain.bytes,
                        g->blocksize, err);
    }
    return st == TESS_OK ? end_stream(m, cbytes, err) : st;
}

// A chunk of blocks, smaller than its plain bytes.
static tess_status
put_blocks(struct rewrite *m, tess_error *err)
{
    enum chunk_special special;
    const int32_t cbytes = assembly_end(&m->out, &special);
    if (special == SPECIAL_ZEROS) {
        abandon_stream(m);
        struct frame *const f = begin_storing(m);
        return end_storing(m, true,
                           frame_put_special(f, m->source->staged, m->edit.n, special, err));
    }
    if (!m->streamed)
        return store_chunk_bytes(m, m->bytes.bytes, cbytes, err);
    const tess_status st = stream(m, 0, m->bytes.bytes, m->front, err);
    return st == TESS_OK ? end_stream(m, cbytes, err) : st;
}

tess_status
rewrite_end(struct rewrite *m, bool *plain, tess_error *err)
{
    const int64_t value_size = (int64_t)m->grid->g.typesize + CHUNK_HEADER_SIZE;

    if (m->constant)
        return m->unchanged ? TESS_OK : rewrite_put_value(m, err);
    const tess_status st = rewrite_keep(m, (int32_t)m->grid->g.nblocks, m->s, err);
    if (st != TESS_OK)
        return st;
    *plain = m->out.full;
    if (m->item && (m->out.full || (!m->out.zeros && m->out.at > value_size))) {
        abandon_stream(m);
        return rewrite_put_value(m, err);
    }
    if (m->out.full)
        return m->streamed ? stream_plain(m, err) : rewrite_put_plain(m, err);
    return put_blocks(m, err);
}

void
rewrite_reset(struct rewrite *m)
{
    if (m->grid)
        abandon_stream(m);
    open_chunk_release(m->old);
    codec_dict_finish(&m->dict);
    mem_free(m->ref);
    *m = (struct rewrite){.bytes = m->bytes, .plain = m->plain};
}

void
rewrite_free(struct rewrite *m)
{
    if (!m)
        return;
    rewrite_reset(m);
    mem_free(m->bytes.bytes);
    mem_free(m->plain.bytes);
    mem_free(m);
}
