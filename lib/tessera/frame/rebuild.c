/*
 * rebuild.c - a frame that is put together of parts that were found one by one.
 *
 * Not here: how they are found (module salvage).
 */
#include "frame/rebuild.h"

#include "base/memory.h"
#include "frame/format/header.h"
#include "frame/format/trailer.h"
#include "frame/frame.h"
#include "frame/load.h"
#include "frame/private.h"
#include "frame/sparse/files.h"
#include "io/folder.h"

void
frame_parts_finish(struct frame_parts *p)
{
    layers_finish(&p->metas);
    layers_finish(&p->vlmetas);
    index_finish(&p->list);
    checksums_finish(&p->checksums);
    *p = (struct frame_parts){0};
}

tess_status
frame_rebuild_begin(struct io *io, struct folder *folder, const struct frame_options *options,
                    struct frame **frame, tess_error *err)
{
    struct frame *const f = frame_new(io, folder, options);
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a frame");
    f->options.checksums = TESS_CHECKSUMS_VERIFY; // they are to be loaded
    const tess_status st =
        folder ? folder_read(folder, FRAME_FOLDER_INDEX, true, &f->io, err) : TESS_OK;
    if (st != TESS_OK) {
        frame_close(f);
        return st;
    }
    *frame = f;
    return TESS_OK;
}

struct io *
frame_rebuild_io(const struct frame *f)
{
    return f->io;
}

// The parts of a state that was read, out of the frame.
static void
rebuild_hand_out(struct frame *f, struct frame_parts *parts)
{
    *parts = (struct frame_parts){
        .metas = f->metas,
        .vlmetas = f->vlmetas,
        .list = f->index,
        .number = f->disk.number,
        .sealed = f->disk.sealed,
        .fingerprint = f->disk.tail && trailer_has_fingerprint(f->disk.tail, f->disk.tail_size),
        .header_differs = f->disk.header_changed || f->disk.torn,
        .metas_confirmed = f->disk.ledger_known && !f->disk.header_changed,
    };
    f->metas = f->vlmetas = (struct layers){0};
    f->index = (struct frame_index){0};
}

tess_status
frame_rebuild_load(struct frame *f, struct frame_header *h, struct frame_parts *parts,
                   tess_error *err)
{
    const tess_checksums checksums = f->options.checksums;
    f->options.checksums = TESS_CHECKSUMS_WRITE; // compared later
    const tess_status st = frame_load(f, err);
    f->options.checksums = checksums;
    if (st != TESS_OK)
        return st;
    *h = f->h;
    rebuild_hand_out(f, parts);
    return TESS_OK;
}

void
frame_rebuild_header(struct frame *f, const struct frame_header *h)
{
    f->h = *h;
}

void
frame_rebuild_forget(struct frame *f)
{
    layers_finish(&f->metas);
    layers_finish(&f->vlmetas);
    index_finish(&f->index);
    checksums_finish(&f->checksums);
    mem_free(f->disk.head);
    mem_free(f->disk.torn);
    mem_free(f->disk.tail);
    f->disk.head = f->disk.torn = f->disk.tail = NULL;
    f->disk.head_size = f->disk.tail_size = 0;
    f->h = (struct frame_header){0};
    f->disk.sealed = f->disk.ledger_known = f->disk.header_changed = f->checksums_known = false;
    f->disk.number = 0;
}

void
frame_rebuild_end(struct frame *f, struct frame_parts *parts)
{
    f->metas = parts->metas;
    f->vlmetas = parts->vlmetas;
    f->index = parts->list;
    f->checksums = parts->checksums;
    f->checksums_known = true;
    f->disk.number = parts->number;
    f->disk.sealed = parts->sealed;
    *parts = (struct frame_parts){0};
}
