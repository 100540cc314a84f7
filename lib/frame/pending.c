/*
 * pending.c - a state of a frame on its way to the disk: header, index and trailer, encoded.
 *
 * Nothing here writes. Where the parts go is said by the containers (contiguous.c, sparse.c).
 */
#include "frame/pending.h"

#include "base/bytes.h"
#include "frame/ledger.h"
#include "frame/trailer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRAILER_LAYERS_MAX = INT32_MAX - 64,
    HAS_VLMETA_AT = 68,
    MARK_FALSE = 0xc2,
    MARK_TRUE = 0xc3,
};

void
pending_finish(struct pending *p)
{
    free(p->head);
    free(p->body);
    free(p->tail);
}

// The trailer with the metalayers, and a ledger behind them.
static tess_status
encode_tail(struct pending *p, const struct frame *f, const struct layers *vlmetas,
            const struct frame_index *list, const struct checksums *checksums, tess_error *err)
{
    struct layers all = {.count = vlmetas->count + 1};
    if (!f->keeps_ledger || vlmetas->count >= LAYERS_VL_WRITE_MAX)
        return trailer_write(vlmetas, &p->tail, &p->tail_size, err);
    all.items = malloc((size_t)all.count * sizeof *all.items);
    if (!all.items)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d metalayers", all.count);
    struct layer *const ledger = &all.items[vlmetas->count];
    if (vlmetas->count > 0)
        memcpy(all.items, vlmetas->items, (size_t)vlmetas->count * sizeof *all.items);
    tess_status st =
        ledger_make(list, checksums, (size_t)f->h.header_len, f->head != NULL, ledger, err);
    if (st == TESS_OK && layers_size(&all) <= TRAILER_LAYERS_MAX)
        p->ledger_size = ledger->size;
    else if (st == TESS_OK || st == TESS_ERR_LIMIT)
        all.count--; // too many chunks, or too much that is not ours: without it
    if (st == TESS_OK || st == TESS_ERR_LIMIT)
        st = trailer_write(&all, &p->tail, &p->tail_size, err);
    free(ledger->content);
    free(all.items);
    return st;
}

static tess_status
encode_body(struct pending *p, const struct frame *f, const struct layers *vlmetas,
            const struct frame_index *list, const struct checksums *checksums, tess_error *err)
{
    uint8_t *index = NULL;
    int32_t index_size = 0;

    tess_status st = encode_tail(p, f, vlmetas, list, checksums, err);
    if (st == TESS_OK && list->nchunks > 0)
        st = index_write(list, &index, &index_size, err);
    if (st != TESS_OK)
        goto out;
    p->body_size = index_size + (int64_t)p->tail_size;
    p->body = malloc((size_t)p->body_size);
    if (p->body && index)
        memcpy(p->body, index, (size_t)index_size);
    if (!p->body)
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for an index of %" PRId64 " bytes",
                     p->body_size);
out:
    free(index);
    return st;
}

tess_status
pending_encode_body(struct pending *p, const struct frame *f, tess_error *err)
{
    return encode_body(p, f, &f->vlmetas, &f->index, &f->checksums, err);
}

// Its own header and metalayers, not those in memory, which may have changed since.
tess_status
pending_encode_disk(struct pending *p, const struct frame *f, const struct frame_index *list,
                    const struct checksums *checksums, tess_error *err)
{
    struct layers vlmetas;
    p->h = f->h;
    tess_status st = trailer_parse(f->tail, f->tail_size, &vlmetas, err);
    if (st != TESS_OK)
        return st;
    struct layer *const ledger = layers_find(&vlmetas, LEDGER_NAME);
    if (ledger && f->keeps_ledger)
        layers_remove(&vlmetas, ledger);
    st = encode_body(p, f, &vlmetas, list, checksums, err);
    layers_finish(&vlmetas);
    if (st != TESS_OK)
        return st;
    p->head = malloc(f->head_size);
    if (!p->head)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a header of %zu bytes",
                       f->head_size);
    memcpy(p->head, f->head, f->head_size);
    if (p->ledger_size > 0)
        p->head[HAS_VLMETA_AT] = MARK_TRUE;
    return TESS_OK;
}

void
pending_seal(struct pending *p, const struct frame *f)
{
    const size_t index_size = (size_t)p->body_size - p->tail_size;
    if (p->ledger_size > 0)
        ledger_seal(p->tail + p->tail_size - TRAILER_FIXED_END - p->ledger_size, p->ledger_size,
                    f->number + 1, p->head, p->announced ? p->announced : f->head);
    trailer_seal(p->tail, p->tail_size, p->body, index_size);
    memcpy(p->body + index_size, p->tail, p->tail_size);
}

tess_status
pending_encode_header(struct pending *p, const struct frame *f, tess_error *err)
{
    p->h.has_vlmeta = f->vlmetas.count > 0 || p->ledger_size > 0;
    p->head = malloc((size_t)p->h.header_len);
    if (!p->head)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a header of %" PRId32 " bytes",
                       p->h.header_len);
    if (f->head) { // fields that mean nothing to us stay
        memcpy(p->head, f->head, FRAME_HEADER_SIZE);
        put_u64be(p->head + 16, (uint64_t)p->h.frame_len);
        put_u64be(p->head + 30, (uint64_t)p->h.nbytes);
        put_u64be(p->head + 39, (uint64_t)p->h.cbytes);
        put_u32be(p->head + 58, (uint32_t)p->h.chunksize);
        p->head[HAS_VLMETA_AT] = p->h.has_vlmeta ? MARK_TRUE : MARK_FALSE;
    } else {
        frame_header_write(&p->h, p->head);
    }
    layers_write(&f->metas, FRAME_HEADER_SIZE, LAYERS_HEADER, p->head + FRAME_HEADER_SIZE);
    pending_seal(p, f);
    return TESS_OK;
}

void
pending_adopt(struct pending *p, struct frame *f)
{
    f->h = p->h;
    free(f->head);
    free(f->tail);
    f->head = p->head;
    f->head_size = (size_t)p->h.header_len;
    f->tail = p->tail;
    f->tail_size = p->tail_size;
    p->head = p->tail = NULL;
    f->number++;
    f->sealed = true;
    f->header_changed = false;
    f->lens[f->next_len] = f->h.frame_len;
    f->next_len = (f->next_len + 1) % FRAME_LENS_KEPT;
}

bool
pending_is_recent(const struct frame *f, int64_t frame_len)
{
    for (int i = 0; i < FRAME_LENS_KEPT; i++)
        if (f->lens[i] == frame_len)
            return true;
    return false;
}

tess_status
pending_sync(struct frame *f, struct io *io, tess_durability level, tess_error *err)
{
    if (f->options.durability < level)
        return TESS_OK;
    const tess_status st = io_sync(io, err);
    f->unsure |= st != TESS_OK;
    return st;
}
