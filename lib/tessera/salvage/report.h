/*
 * report.h - what is asked of a salvage, and what came of it.
 */
#ifndef SALVAGE_REPORT_H
#define SALVAGE_REPORT_H

#include <tessera/repair.h>

#include <stdbool.h>
#include <stdint.h>

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

#endif
