/*
 * private.h - the struct of a frame, for the units of this module and their tests alone.
 *
 * Invariants. The list in memory is `index`; `h.nbytes`, `h.chunksize`, `h.vlblocks` and
 * `h.version` belong to it, all else of `h`, and `head` and `tail`, to the state on the disk, until
 * a commit takes a new one over (pending_adopt()). An open change leads back to the list before it.
 * What `space`, `numbers` and `unsynced` call free is needed by neither the list nor a state that
 * may be current on the disk.
 *
 * Threads. There is no lock: any number of threads may read one frame; what changes it requires
 * exclusive access, which the module array acquires. `usage` is atomic, since readers update it.
 * query.h lists the members that may be read during changes and commits. Others may be replaced:
 * `io` by a commit of a directory, `head` and `tail` by each commit, the memory of `index` and
 * metalayers by changes.
 */
#ifndef FRAME_PRIVATE_H
#define FRAME_PRIVATE_H

#include "frame/chunks/usage.h"
#include "frame/contiguous/space.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/format/trailer.h"
#include "frame/frame.h"
#include "frame/sparse/files.h"
#include "frame/sparse/numbers.h"
#include "io/io.h"
#include "meta/layers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct block_grid;
struct container;
struct folder;

// A place of the list that gets another chunk.
struct change_put {
    int64_t n;
    int64_t before; // entries; before: not known of what is staged
    int64_t after;
    int64_t size; // stored bytes of it
};

// A change of the list that can be undone (frame/commit/change.c).
struct change {
    bool open;
    struct usage_saved usage; // before
    int64_t nchunks; // before
    int64_t nbytes; // of the header, before
    int32_t chunksize;
    int version;
    bool vlblocks;
    bool uniform; // the list took no memory then
    enum chunk_special special; // with `uniform`: the kind of all its chunks
    bool resized;
    bool rearranged;
    struct frame_index replaced; // the list before, when it was rearranged
    struct change_put *puts;
    int64_t nputs;
    int64_t capacity;
    int64_t *dropped; // positions of chunks that fell out of the list
    int64_t ndropped;
};

// Chunks that were there when a contiguous frame was opened and were not examined since: what lies
// between them is not known, nor whether they share bytes (free_space.c).
struct old_chunks {
    int64_t end; // they are below; 0: all is known
    bool judged; // `few`, `average` and, of before, `replaced` are known
    bool few; // so that all are looked at
    int64_t average; // bytes of one
    int64_t unused; // estimate of the bytes that none of them needs; -1: none yet
    bool tail_known; // the last ones were looked at, and are not old any more
    bool replaced; // some were, now or before: there may be free space anywhere
    bool forgotten; // some are needed on the disk that are not in the list any more
};

enum { FRAME_LENS_KEPT = 32 };

struct frame {
    const struct container *container;
    struct folder *folder; // of a sparse frame; NULL otherwise
    struct numbers numbers; // of its chunk files
    bool searched; // for those that no state needs
    struct unsynced unsynced; // of these
    struct io *io; // header, index and trailer; in a contiguous frame the chunks too
    // Constant copies of members of `io`, which threads may read during commits.
    struct io_manner manner; // of a directory: that of the file it was opened with
    bool in_memory; // false for a directory
    bool once;
    bool gathers; // the io takes chunks through io_gather_put()
    struct frame_options options;
    bool writable;
    bool published; // others can find it
    pid_t owner; // the process that opened or made it
    unsigned owner_number; // of that (task/process.h)

    struct frame_header h;
    const struct block_grid *grid; // of the array, set by its owner; NULL: none
    struct layers metas;
    struct layers vlmetas;
    struct frame_index index;
    struct order order; // of stored chunks, in a far frame that is only read
    struct checksums checksums; // of stored chunks
    bool checksums_known; // they were loaded, as far as there are any; before the first change
    struct usage usage; // of the list in memory

    struct space space;
    int64_t waiting_least; // bytes that wait for a sync, and are worth one
    struct old_chunks old;
    struct change change;
    int nstaging; // calls that have staged chunks, and leases
    int nleases;
    struct extents leased; // what is left of them
    // The file may end before space.end: there are leases, or were since the last commit; or chunks
    // are written in pieces (frame_put_begin()).
    bool lends;
    int nputs;
    unsigned failures; // of syncs and headers: how often what was stored may have been lost
    int64_t generation; // of the list in memory: counts all that happens to it
    bool dirty; // differs from what is on disk
    bool held; // the lock file stays locked until the caller commits, or frame_lock_let_go()
    bool relied; // a change found all as it should be, in the state that is known
    bool committed; // anything, since it was opened
    int64_t written; // bytes of chunks since the last commit
    int64_t written_ever; // before that, since it was opened
    int64_t parked; // bytes of chunks that only the state on disk needs, about
    bool unsure; // what is current on the disk: a sync failed, or this handle has made none yet
    bool keeps_ledger; // commits have one
    bool ledger_known; // the state on the disk has one, to which `ref` leads
    struct ledger_ref ref; // .position < 0: of format 1, in the trailer
    uint64_t number; // of the newest commit that is known of
    bool sealed; // it is the one on the disk
    bool stamped; // `stamp` is that of the io when it was read, or written by this handle
    struct io_stamp stamp;
    uint64_t index_hash; // of the index chunk, where a state is not sealed
    int64_t index_size;
    bool left_behind; // the io shows another state by now
    bool header_changed; // but for the header, which another program changed since
    uint8_t *head; // header and trailer as they are on disk, to notice other writers
    uint8_t *attempted; // one whose write failed, perhaps half-way, over `head`; else NULL
    uint8_t *torn; // what the header should be, where what is on disk is a mixture; else NULL
    uint8_t *tail;
    size_t head_size;
    size_t tail_size;
    int64_t lens[FRAME_LENS_KEPT]; // frame_len of recent commits
    int next_len;
};

#endif
