/*
 * ledger.h - what Tessera keeps about a state of a frame, in a metalayer of the trailer:
 * the number of the commit, a copy of the header, and a checksum per stored chunk.
 *
 * Other implementations ignore the metalayer and carry it along, so it speaks of the state it is in
 * only if the trailer's fingerprint is ours and right (trailer.h). Its content is a msgpack bin 32
 * with the following in it, little-endian:
 *
 *      0  u8   format, 1
 *      1  u8   zeros, three
 *      4  u32  bytes of the header
 *      8  u64  number of the commit; the first one is 1
 *     16  u64  XXH3-64 of all this, with zeros in these eight bytes
 *     24  u32  bytes of the previous header: 0, or as the header
 *     28  u32  number of runs
 *     32  u64  number of stored chunks
 *     40       copy of the header, but for the first letter of its magic, which is 0: it must not
 *              look like another frame
 *              the same of the one before, kept where a header may be torn between two sectors
 *              runs of chunks of one kind, in the order of the list: u64, the kind in the upper
 *              byte (0: stored; else enum chunk_special), how many in the others
 *              checksums of the stored chunks, in the order of the list: u64 (checksums.h)
 *
 * It stands in a chunk that is not compressed, so that the header, which is made last, can be put
 * into it.
 */
#ifndef FRAME_LEDGER_H
#define FRAME_LEDGER_H

#include "frame/checksums.h"
#include "frame/index.h"
#include "meta/layers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEDGER_NAME "_tess"
#define LEDGER_SECTOR 512 // a header that is not longer is written whole, or not at all

// A ledger that was read. What it points to lies in `content`.
struct ledger {
    uint8_t *content; // owned; NULL: there is none
    uint64_t number;
    const uint8_t *head;
    size_t head_size;
    const uint8_t *previous; // of the same size; NULL: not kept
    const uint8_t *runs;
    int64_t nruns;
    const uint8_t *checksums;
    int64_t nstored;
};

void ledger_finish(struct ledger *x); // zeroed: fine

// Read the content of the metalayer, a chunk. TESS_ERR_CORRUPT: it is not one of ours, or damaged.
// At most `limit` bytes are allocated. On failure *x is empty.
tess_status ledger_parse(const struct layer *layer, int64_t limit, struct ledger *x,
                         tess_error *err);

/*
 * Ledgers that stand somewhere. What is found in all of them is LEDGER_MARK, at LEDGER_MARK_AT: the
 * front of the header's copy. ledger_size(): from the first LEDGER_MARK_AT bytes, how many there
 * are; 0: it is none. ledger_take(): those bytes, which belong to the ledger from here on, also
 * after a failure.
 */
#define LEDGER_MARK_AT 40
#define LEDGER_MARK \
    "\x9e\xa8\0"    \
    "2frame" // with its NUL
int64_t ledger_size(const uint8_t *front);
tess_status ledger_take(uint8_t *bytes, size_t size, struct ledger *x, tess_error *err);

// The checksums of the chunks that a list of chunks stores. TESS_ERR_CORRUPT: it is the ledger of
// another list.
tess_status ledger_load(const struct ledger *x, const struct frame_index *list,
                        struct checksums *checksums, tess_error *err);

// Make the metalayer for a list of chunks, all but what ledger_seal() puts into it. head_size: of
// the header; previous: whether there is one before it. The content is allocated for the caller.
// TESS_ERR_LIMIT: it is too large for a metalayer.
tess_status ledger_make(const struct frame_index *list, const struct checksums *checksums,
                        size_t head_size, bool previous, struct layer *layer, tess_error *err);

// Complete the content of a metalayer that was made, wherever it is by now. previous: as it was
// said before, else not looked at.
void ledger_seal(uint8_t *content, size_t size, uint64_t number, const uint8_t *head,
                 const uint8_t *previous);

/*
 * A header is written to a file in sectors, and the last time perhaps not all of them. True if
 * what is there is a mixture of the ledger's header and the one before: the ledger's is right then.
 */
bool ledger_sees_torn(const struct ledger *x, const uint8_t *head, size_t head_size);

#endif
