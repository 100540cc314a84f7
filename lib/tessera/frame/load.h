/*
 * load.h - reading the state of a frame that is on the disk: header, trailer, index, ledger.
 *
 * frame_load() and frame_need_checksums() require exclusive access; the others only read.
 */
#ifndef FRAME_LOAD_H
#define FRAME_LOAD_H

#include "base/error.h"

#include <stdbool.h>

struct checksums;
struct frame;
struct frame_index;
struct io_progress;
struct ledger;

// Read the state of a frame that is on the disk. TESS_ERR_STALE: it is another by now.
tess_status frame_load(struct frame *f, tess_error *err);

// Read the ledger of the state on the disk; *x is empty if it has none. TESS_ERR_CORRUPT:
// it is damaged.
tess_status frame_read_ledger(const struct frame *f, struct ledger *x, tess_error *err);
// The checksums of the stored chunks in memory; NULL: they were not loaded. A list that was not
// changed so far is the one on the disk, whose checksums can be loaded: for good, or to somewhere
// else. p: NULL, or what ends the read.
const struct checksums *frame_known_checksums(const struct frame *f);
tess_status frame_need_checksums(struct frame *f, tess_error *err);
tess_status frame_load_checksums(const struct frame *f, const struct frame_index *list,
                                 const struct io_progress *p, struct checksums *checksums,
                                 tess_error *err);

#endif
