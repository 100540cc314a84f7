/*
 * pending.c - a state of a frame on its way to the disk: header, and index, ledger and trailer in
 * this order, encoded.
 *
 * Nothing here writes. Where the parts go is said by the containers (contiguous/commit.c,
 * sparse.c).
 */
#include "frame/commit/pending.h"

#include "base/memory.h"
#include "frame/format/checksums.h"
#include "frame/format/index.h"
#include "frame/format/ledger.h"
#include "frame/format/trailer.h"
#include "frame/private.h"
#include "io/io.h"
#include "meta/layers.h"

#include <inttypes.h>
#include <string.h>

enum { TRAILER_LAYERS_MAX = INT32_MAX - 64 };

void
pending_finish(struct pending *p)
{
    mem_free(p->head);
    mem_free(p->body);
    mem_free(p->tail);
}

// Encode the trailer with the metalayers, followed by the reference to the ledger if it fits.
static tess_status
encode_tail_with_ref(struct pending *p, const struct layers *vlmetas, tess_error *err)
{
    struct layers all = {.count = vlmetas->count + 1};
    all.items = mem_zeroed((size_t)all.count, sizeof *all.items);
    if (!all.items)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d metalayers", all.count);
    struct layer *const ref = &all.items[vlmetas->count];
    if (vlmetas->count > 0)
        memcpy(all.items, vlmetas->items, (size_t)vlmetas->count * sizeof *all.items);
    tess_status st = ledger_ref_make(ref, err);
    if (st == TESS_OK) {
        p->ref.beside = layers_size(&all) > TRAILER_LAYERS_MAX;
        all.count -= p->ref.beside;
        st = trailer_write(&all, &p->tail, &p->tail_size, err);
    }
    mem_free(ref->content);
    mem_free(all.items);
    return st;
}

static tess_status
encode_tail(struct pending *p, const struct layers *vlmetas, tess_error *err)
{
    p->ref.beside = vlmetas->count >= LAYERS_VL_WRITE_MAX;
    return p->has_ref && !p->ref.beside ? encode_tail_with_ref(p, vlmetas, err)
                                        : trailer_write(vlmetas, &p->tail, &p->tail_size, err);
}

// Offsets in the body. Its order with chunks: index, ledger, reference, trailer; without chunks:
// trailer, reference, ledger.
static int64_t
ledger_at(const struct pending *p)
{
    return p->index_size > 0 ? p->index_size : (int64_t)p->tail_size + ledger_ref_beside(&p->ref);
}

static int64_t
beside_at(const struct pending *p)
{
    return p->index_size > 0 ? p->index_size + p->ref.size : (int64_t)p->tail_size;
}

static int64_t
tail_at(const struct pending *p)
{
    return p->index_size > 0 ? p->index_size + ledger_ref_extent(&p->ref) : 0;
}

// Allocate the body, and copy index and ledger to it. Trailer and reference are copied to it when
// they are sealed.
static tess_status
pending_join(struct pending *p, const uint8_t *index, const uint8_t *ledger, tess_error *err)
{
    p->body_size = p->index_size + ledger_ref_extent(&p->ref) + (int64_t)p->tail_size;
    p->body = mem_alloc((size_t)p->body_size);
    if (!p->body)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an index of %" PRId64 " bytes",
                       p->body_size);
    if (index)
        memcpy(p->body, index, (size_t)p->index_size);
    if (ledger)
        memcpy(p->body + ledger_at(p), ledger, (size_t)p->ref.size);
    return TESS_OK;
}

static tess_status
encode_body(struct pending *p, const struct frame *f, const struct layers *vlmetas,
            const struct frame_index *list, const struct checksums *checksums, tess_error *err)
{
    const struct ledger_source source = {
        .list = list,
        .checksums = checksums,
        .vlmetas = vlmetas,
        .head_size = (size_t)f->h.header_len,
        .previous = f->disk.head != NULL,
    };
    // A frame in memory ends with its trailer.
    const bool no_room = list->nchunks == 0 && f->storage.in_memory;
    uint8_t *index = NULL, *ledger = NULL;
    int32_t index_size = 0;
    size_t ledger_size = 0;
    tess_status st = TESS_OK;

    p->has_ref = f->keeps_ledger;
    TRY(encode_tail(p, vlmetas, err));
    if (no_room && p->ref.beside)
        p->has_ref = false;
    p->ref.beside &= p->has_ref;
    if (p->has_ref && !no_room) {
        st = ledger_make(&source, &ledger, &ledger_size, err);
        if (st != TESS_OK && st != TESS_ERR_LIMIT) // too many chunks: without it
            goto out;
    }
    if (list->nchunks > 0)
        TRY(index_write(list, &index, &index_size, err));
    p->index_size = index_size;
    p->ref.size = (int64_t)ledger_size;
    st = pending_join(p, index, ledger, err);
out:
    mem_free(index);
    mem_free(ledger);
    return st;
}

tess_status
pending_encode_body(struct pending *p, const struct frame *f, tess_error *err)
{
    return encode_body(p, f, &f->vlmetas, &f->index, &f->checksums, err);
}

// Of a header that may be torn, the mark says that its first sector is ours.
static void
mark_header(struct pending *p, const struct frame *f)
{
    if (f->h.header_len > LEDGER_SECTOR && !f->folder && p->ref.size > 0)
        frame_header_mark(p->head);
}

// Its own header and metalayers, not those in memory, which may have changed since.
tess_status
pending_encode_disk(struct pending *p, const struct frame *f, const struct frame_index *list,
                    const struct checksums *checksums, tess_error *err)
{
    struct layers vlmetas;
    p->h = f->h;
    tess_status st = trailer_parse(f->disk.tail, f->disk.tail_size, &vlmetas, err);
    if (st != TESS_OK)
        return st;
    struct layer *const ref = layers_find(&vlmetas, LEDGER_NAME);
    if (ref)
        layers_remove(&vlmetas, ref);
    st = encode_body(p, f, &vlmetas, list, checksums, err);
    layers_finish(&vlmetas);
    if (st != TESS_OK)
        return st;
    p->head = mem_alloc(f->disk.head_size);
    if (!p->head)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a header of %zu bytes",
                       f->disk.head_size);
    memcpy(p->head, f->disk.head, f->disk.head_size);
    if (p->has_ref && !p->ref.beside)
        frame_header_set_vlmeta(p->head, true);
    mark_header(p, f);
    return TESS_OK;
}

void
pending_set_frame_len(struct pending *p, int64_t start, int64_t gap)
{
    p->h.frame_len = start + tail_at(p) + (p->index_size > 0 ? gap : 0) + (int64_t)p->tail_size;
    p->ref.position = p->h.frame_len + ledger_at(p) - tail_at(p) - (int64_t)p->tail_size;
}

void
pending_seal(struct pending *p, const struct frame *f)
{
    uint8_t *const ledger = p->body + ledger_at(p);
    if (p->has_ref) {
        p->ref.number = f->disk.number + 1;
        p->ref.head_hash = ledger_head_hash(p->head, (size_t)p->h.header_len);
        p->ref.hash = checksum_of(p->head, (size_t)p->h.header_len);
        if (p->ref.size > 0)
            p->ref.hash = ledger_seal(ledger, (size_t)p->ref.size, p->ref.number, p->ref.position,
                                      p->head, p->announced ? p->announced : f->disk.head);
        if (!p->ref.beside)
            ledger_ref_write(p->tail + p->tail_size - TRAILER_FIXED_END - LEDGER_REF_CHUNK_SIZE,
                             &p->ref);
    }
    trailer_seal(p->tail, p->tail_size, p->body, (size_t)p->index_size);
    if (p->ref.beside)
        ledger_ref_write_beside(p->body + beside_at(p), p->tail + p->tail_size - TRAILER_SEAL,
                                &p->ref);
    memcpy(p->body + tail_at(p), p->tail, p->tail_size);
}

tess_status
pending_encode_header(struct pending *p, const struct frame *f, tess_error *err)
{
    p->h.has_vlmeta = f->vlmetas.count > 0 || (p->has_ref && !p->ref.beside);
    p->head = mem_alloc((size_t)p->h.header_len);
    if (!p->head)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a header of %" PRId32 " bytes",
                       p->h.header_len);
    if (f->disk.head) { // fields that mean nothing to us stay
        memcpy(p->head, f->disk.head, FRAME_HEADER_SIZE);
        frame_header_update(p->head, &p->h);
    } else {
        frame_header_write(&p->h, p->head);
    }
    layers_write(&f->metas, FRAME_HEADER_SIZE, LAYERS_HEADER, p->head + FRAME_HEADER_SIZE);
    mark_header(p, f);
    pending_seal(p, f);
    return TESS_OK;
}

void
pending_adopt(struct pending *p, struct frame *f)
{
    // A commit changes only these fields; threads may read the others at the same time.
    f->h.frame_len = p->h.frame_len;
    f->h.cbytes = p->h.cbytes;
    f->h.has_vlmeta = p->h.has_vlmeta;
    mem_free(f->disk.head);
    mem_free(f->disk.tail);
    f->disk.head = p->head;
    f->disk.head_size = (size_t)p->h.header_len;
    f->disk.tail = p->tail;
    f->disk.tail_size = p->tail_size;
    p->head = p->tail = NULL;
    f->disk.ref = p->has_ref ? p->ref : (struct ledger_ref){0};
    f->disk.ledger_known = true;
    f->disk.number++;
    f->disk.sealed = true;
    f->disk.header_changed = false;
    f->disk.lens[f->disk.next_len] = f->h.frame_len;
    f->disk.next_len = (f->disk.next_len + 1) % FRAME_LENS_KEPT;
}

bool
pending_is_recent(const struct frame *f, int64_t frame_len)
{
    for (int i = 0; i < FRAME_LENS_KEPT; i++)
        if (f->disk.lens[i] == frame_len)
            return true;
    return false;
}

tess_durability
pending_durability(const struct frame *f)
{
    return f->rights.exposed && !f->storage.in_memory ? f->options.durability
                                                      : TESS_DURABILITY_NONE;
}

tess_status
pending_sync(struct frame *f, struct io *io, tess_durability level, tess_error *err)
{
    if (pending_durability(f) < level)
        return TESS_OK;
    const tess_status st = io_sync(io, err);
    f->disk.unsure |= st != TESS_OK;
    f->disk.failures += st != TESS_OK;
    return st;
}
