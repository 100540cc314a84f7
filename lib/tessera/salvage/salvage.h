/*
 * salvage.h - a frame that is damaged, as far as it can be known.
 *
 * What is believed, in this order: the newest ledger (ledger.h), which says what header, index and
 * chunks are, if it is proven to be of the last state; the frame as it opens; the index; the header
 * alone, with the chunks in the order of the file, if there are as many as it needs. The ledger of
 * an older state is taken only if that is asked for.
 *
 * Nothing is written: the io and the folder are only read.
 *
 * One thread does all of it, that of the call; there is no lock.
 */
#ifndef SALVAGE_SALVAGE_H
#define SALVAGE_SALVAGE_H

#include "base/error.h"

#include <tessera/repair.h>

#include <stdbool.h>
#include <stdint.h>

struct folder;
struct frame;
struct frame_options;
struct io;
struct watch;

// What is asked of a salvage, and what came of it.
struct salvage {
    bool keep_header; // the file's own, where it can be read, not the ledger's copy
    bool older; // take an older state if nothing is left of the newest
    bool by_order; // number chunks by their order in the file if the index is lost

    // What came of it.
    bool header_damaged; // it is not what the ledger says, or contradicts itself
    bool index_damaged;
    bool trailer_damaged;
    bool is_older;
    bool header_lost; // no header names the newest state: this is the newest that was found
    tess_repair_source header_source, list_source, trailer_source;
    bool in_order; // chunks were numbered by their order in the file
    bool checked; // chunks are compared with checksums
    bool list_confirmed; // which chunk is where, by a fingerprint or the ledger
    bool ledger_damaged; // there is one of this state, which cannot be used
    int nlayers_lost; // of both kinds; at least
    int nlayers_unconfirmed; // that nothing confirms
    int64_t nfound; // chunks that are not where the index says
    int64_t nunplaced; // intact chunks whose number is not known
    int64_t nplaceable; // those of them that by_order would place
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
