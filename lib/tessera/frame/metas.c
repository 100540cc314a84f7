/*
 * metas.c - the metalayers of a frame.
 */
#include "frame/metas.h"

#include "frame/private.h"

const struct layers *
frame_metas(const struct frame *f)
{
    return &f->metas;
}

const struct layers *
frame_vlmetas(const struct frame *f)
{
    return &f->vlmetas;
}

struct layers *
frame_edit_metas(struct frame *f)
{
    return &f->metas;
}

struct layers *
frame_edit_vlmetas(struct frame *f)
{
    return &f->vlmetas;
}

void
frame_mark_changed(struct frame *f)
{
    f->dirty = true;
}
