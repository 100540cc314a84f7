/*
 * salvage.h - a damaged frame, as far as it can be known.
 *
 * What is believed, best first: the frame as it opens; the ledger of its state (ledger.h), which
 * says what header, index and chunks are; the index; the header alone, with the chunks in the order
 * of the file, if there are as many as it needs. What an older state says is not taken for the
 * newest one's, unless it is asked for.
 *
 * Nothing is written: the io and the folder are only read.
 */
#ifndef FRAME_SALVAGE_H
#define FRAME_SALVAGE_H

#include "frame/frame.h"

struct salvage {
    bool keep_header; // the file's own, where it can be read, not the ledger's copy
    bool older; // an older state is welcome, if there is nothing of the newest

    // What came of it.
    bool header_damaged; // it is not what the ledger says, or contradicts itself
    bool index_damaged;
    bool trailer_damaged;
    bool is_older;
    bool in_order; // places of chunks were taken from their order in the file
    bool checked; // chunks are compared with checksums
    bool list_confirmed; // which chunk is where, by a fingerprint or the ledger
    bool ledger_damaged; // there is one of this state, which cannot be used
    int nlayers_lost; // of both kinds; at least
    int nlayers_unconfirmed; // that nothing confirms
    int64_t nfound; // chunks that are not where the index says
    uint64_t number; // of the commit; 0: not known
    int64_t most; // bytes of stored chunks that such a file can hold
};

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
