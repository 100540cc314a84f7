/*
 * pending.c - a state of a frame on its way to the disk: header, index and trailer, encoded.
 *
 * Nothing here writes. Where the parts go is said by the containers (contiguous.c, sparse.c).
 */
#include "frame/pending.h"

#include "base/bytes.h"
#include "frame/trailer.h"

#include <inttypes.h>
#include <stdlib.h>

void
pending_finish(struct pending *p)
{
    free(p->head);
    free(p->body);
    free(p->tail);
}

tess_status
pending_encode_body(struct pending *p, const struct frame *f, tess_error *err)
{
    uint8_t *index = NULL;
    int32_t index_size = 0;

    tess_status st = trailer_write(&f->vlmetas, &p->tail, &p->tail_size, err);
    if (st == TESS_OK && f->index.nchunks > 0)
        st = index_write(&f->index, &index, &index_size, err);
    if (st != TESS_OK)
        goto out;
    p->body_size = index_size + (int64_t)p->tail_size;
    p->body = malloc((size_t)p->body_size);
    if (!p->body) {
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for an index of %" PRId64 " bytes",
                     p->body_size);
        goto out;
    }
    trailer_seal(p->tail, p->tail_size, index, (size_t)index_size);
    if (index)
        memcpy(p->body, index, (size_t)index_size);
    memcpy(p->body + index_size, p->tail, p->tail_size);
out:
    free(index);
    return st;
}

// Its own header and trailer, not those in memory, which may have changed since.
tess_status
pending_encode_disk(struct pending *p, const struct frame *f, const struct frame_index *list,
                    tess_error *err)
{
    uint8_t *index = NULL;
    int32_t index_size = 0;

    p->h = f->h;
    tess_status st = list->nchunks > 0 ? index_write(list, &index, &index_size, err) : TESS_OK;
    if (st != TESS_OK)
        return st;
    p->body_size = index_size + (int64_t)f->tail_size;
    p->body = malloc((size_t)p->body_size);
    p->tail = malloc(f->tail_size);
    p->head = malloc(f->head_size);
    if (p->body && p->tail && p->head) {
        p->tail_size = f->tail_size;
        memcpy(p->head, f->head, f->head_size);
        memcpy(p->tail, f->tail, f->tail_size);
        trailer_seal(p->tail, p->tail_size, index, (size_t)index_size);
        if (index)
            memcpy(p->body, index, (size_t)index_size);
        memcpy(p->body + index_size, p->tail, p->tail_size);
    } else {
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for an index of %" PRId32 " bytes",
                     index_size);
    }
    free(index);
    return st;
}

tess_status
pending_encode_header(struct pending *p, const struct frame *f, tess_error *err)
{
    p->h.has_vlmeta = f->vlmetas.count > 0;
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
        p->head[68] = p->h.has_vlmeta ? 0xc3 : 0xc2;
    } else {
        frame_header_write(&p->h, p->head);
    }
    layers_write(&f->metas, FRAME_HEADER_SIZE, LAYERS_HEADER, p->head + FRAME_HEADER_SIZE);
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
pending_sync(const struct frame *f, struct io *io, tess_durability level, tess_error *err)
{
    return f->options.durability < level ? TESS_OK : io_sync(io, err);
}
