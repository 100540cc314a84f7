/*
 * salvage.h - a frame that is damaged, as far as it can be known.
 *
 * What is believed, best first: the frame as it opens; the ledger of its state (ledger.h), which
 * says what header, index and chunks are; the index; the header alone, with the chunks in the order
 * of the file, if there are as many as it needs. What an older state says is not taken for the
 * newest one's, unless it is asked for.
 *
 * Nothing is written: the io and the folder are only read.
 *
 * One thread does all of it, that of the call; there is no lock.
 */
#ifndef SALVAGE_SALVAGE_H
#define SALVAGE_SALVAGE_H

#include "base/error.h"
#include "salvage/report.h"

struct folder;
struct frame;
struct frame_options;
struct io;
struct watch;

/*
 * Make a frame to be read, and copied with a frame_rescue, of what is in an io, or in a folder (the
 * other is NULL): both belong to the frame from here on, also after a failure. Chunks that are
 * nowhere are INDEX_LOST in its list; of the others not all are known to be right.
 * TESS_ERR_FORMAT, TESS_ERR_CORRUPT: it is no frame, or too little is left of it.
 */
tess_status frame_salvage(struct io *io, struct folder *folder, const struct frame_options *options,
                          struct salvage *s, struct watch *watch, struct frame **frame,
                          tess_error *err);

#endif
