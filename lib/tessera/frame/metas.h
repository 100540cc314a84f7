/*
 * metas.h - the metalayers of a frame: those of its header, and the variable-length ones of its
 * trailer. The one that says where the ledger is (trailer.h) is not among them.
 *
 * Reading is for any number of threads; editing requires exclusive access. A change of the list
 * that is undone (frame/commit/change.h) does not undo what was edited.
 */
#ifndef FRAME_METAS_H
#define FRAME_METAS_H

struct frame;
struct layers;

const struct layers *frame_metas(const struct frame *f);
const struct layers *frame_vlmetas(const struct frame *f);

// To be edited. frame_mark_changed(): there is something to commit.
struct layers *frame_edit_metas(struct frame *f);
struct layers *frame_edit_vlmetas(struct frame *f);
void frame_mark_changed(struct frame *f);

#endif
