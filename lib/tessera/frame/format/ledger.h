/*
 * ledger.h - what Tessera records about a state of a frame: the number of the commit, a copy of the
 * header, and checksums of the stored chunks and of the variable-length metalayers.
 *
 * The ledger is a block of bytes between index and trailer, where all implementations accept unused
 * bytes; in a frame without chunks it follows the trailer, at frame_len. A reference says where it
 * is: the metalayer `_tess` of the trailer, or bytes beside the ledger (trailer.h).
 * Little-endian:
 *
 *      0  u8   format, 2
 *      1  u8   zeros, three
 *      4  u32  bytes of the header
 *      8  u64  number of the commit; the first one is 1
 *     16  u64  XXH3-64 of all this, with zeros in these eight bytes
 *     24  u32  bytes of the previous header: 0, or as the header
 *     28  u32  number of runs
 *     32  u64  number of stored chunks
 *     40  u64  position of this block in the frame
 *     48  u32  number of metalayers
 *     52  u32  zero
 *     56       copy of the header, but for the first letter of its magic, which is 0: it must not
 *              look like another frame
 *              the same of the header before it, kept where a header may be torn between sectors
 *              metalayers: 32 bytes name, padded with zeros; u64 XXH3-64 of the stored content
 *              runs of chunks of one kind, in the order of the list: u64, the kind in the upper
 *              byte (0: stored; else enum chunk_special), how many in the others
 *              checksums of the stored chunks, in the order of the list: u64 (checksums.h)
 *
 * Format 1, of Tessera 0.1, is read: it has no position and no metalayers (the header's copy stands
 * at 40), and is the content of `_tess` itself, a msgpack bin 32. Other programs pass metalayers
 * through the pipeline of the array when they copy it; a lossy pipeline changes such a content.
 */
#ifndef FRAME_FORMAT_LEDGER_H
#define FRAME_FORMAT_LEDGER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct checksums;
struct frame_index;
struct layer;
struct layers;

#define LEDGER_SECTOR 512 // a header that is not longer is written whole, or not at all

// A ledger that was read. What it points to lies in `content`.
struct ledger {
    uint8_t *content; // owned; NULL: there is none
    uint64_t number;
    uint64_t hash;
    int64_t position; // of the block in the frame; -1: format 1
    const uint8_t *head;
    size_t head_size;
    const uint8_t *previous; // of the same size; NULL: not kept
    const uint8_t *layers; // records of LEDGER_LAYER_SIZE bytes
    int nlayers; // -1: format 1, which has none
    const uint8_t *runs;
    int64_t nruns;
    const uint8_t *checksums;
    int64_t nstored;
};

void ledger_finish(struct ledger *x); // zeroed: fine

// Read a block in memory, which belongs to the ledger from here on, also after a failure.
// TESS_ERR_CORRUPT: it is none, or damaged; *x is empty then.
tess_status ledger_take(uint8_t *bytes, size_t size, struct ledger *x, tess_error *err);

// The same of a metalayer with a ledger of format 1 as its content. At most `limit` bytes are
// allocated.
tess_status ledger_parse_v1(const struct layer *layer, int64_t limit, struct ledger *x,
                            tess_error *err);

/*
 * Ledgers that stand somewhere. Each contains LEDGER_MARK, the front of the header's copy, at one
 * of the two places below, by its format. ledger_size(): from the first LEDGER_FRONT bytes, how
 * many bytes there are; 0: it is none whose mark is at that place.
 */
#define LEDGER_FRONT 56
#define LEDGER_MARK_AT 56
#define LEDGER_MARK_AT_V1 40
#define LEDGER_MARK \
    "\x9e\xa8\0"    \
    "2frame" // with its NUL
int64_t ledger_size(const uint8_t *front, int mark_at);
// Where the block says that it stands; format 2 only.
int64_t ledger_position(const uint8_t *front);

// The checksums of the chunks that a list of chunks stores. TESS_ERR_CORRUPT: it is the ledger of
// another list.
tess_status ledger_load(const struct ledger *x, const struct frame_index *list,
                        struct checksums *checksums, tess_error *err);

enum ledger_verdict {
    LEDGER_SAME, // as it was committed
    LEDGER_DIFFERS, // there was one of this name, with another content
    LEDGER_UNKNOWN, // nothing is recorded of this name
};
// Compare a variable-length metalayer, as it is stored, with what was committed.
enum ledger_verdict ledger_check_layer(const struct ledger *x, const struct layer *layer);

// Make the block for a list of chunks and the metalayers, all but what ledger_seal() puts into it;
// allocated for the caller. head_size: of the header; previous: whether there is one before it.
// TESS_ERR_LIMIT: it would be too large.
struct ledger_source {
    const struct frame_index *list;
    const struct checksums *checksums;
    const struct layers *vlmetas;
    size_t head_size;
    bool previous;
};
tess_status ledger_make(const struct ledger_source *from, uint8_t **block, size_t *size,
                        tess_error *err);

// Complete a block that was made. previous: as it was said before, else not looked at. Returns its
// hash.
uint64_t ledger_seal(uint8_t *block, size_t size, uint64_t number, int64_t position,
                     const uint8_t *head, const uint8_t *previous);

/*
 * A header of several sectors is written to a file sector by sector, and the last time perhaps not
 * all of them. True if what is there is a mixture of the ledger's header and the one before: the
 * ledger's is right then.
 *
 * Another program that changes the header alone could leave the same bytes. It writes the whole
 * header, and with it 0 in a reserved byte, where our headers of several sectors have a mark
 * (frame_header_mark()): without it its header is complete, and right. Ledgers of
 * format 1 belong to headers without the mark: the other program's header is believed then.
 */
bool ledger_sees_torn(const struct ledger *x, const uint8_t *head, size_t head_size);

#endif
