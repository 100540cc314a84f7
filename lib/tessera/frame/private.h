/*
 * private.h - the struct of a frame, for the units of this module and their tests alone.
 *
 * Invariants. The list in memory is `index`; `h.nbytes`, `h.chunksize`, `h.vlblocks` and
 * `h.version` belong to it. All else of `h`, and `disk`, belong to the state on the disk, until a
 * commit replaces it (pending_adopt()). An open change leads back to the list before it. What
 * `space` and `directory` call free is needed by neither the list nor a state that may be current
 * on the disk.
 *
 * Threads. A frame has no lock. Its user grants access: shared, to any number of threads, or
 * exclusive, to one. The module grid does so by its gate (task/gate.h), which is entered or closed;
 * where a public call requires exclusive access to the array, the program has granted it. Functions
 * of a `const struct frame *` need shared access, those of a `struct frame *` exclusive access,
 * but:
 *
 *   - members that are fixed (query.h lists their getters; here `options`, `storage`, `folder`,
 *     `container`) are read at any time, without access, also during commits;
 *   - `usage` is atomic: frame_count_chunks() and frame_live_bytes() update it with shared access;
 *   - frame_put_piece() and frame_put_whole() write without access, beside readers and other
 *     writers, bytes that no list leads to yet. `staging` says that there are such;
 *   - `io` is replaced by a commit of a directory; `disk` by each commit. Both, and the memory of
 *     `index` and metalayers, are only looked at with access;
 *   - the lock file has a mutex of its own (io/lock_file.h): it is shared and unshared by any
 *     thread at any time, but taken and released with exclusive access.
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

// How its storage is. Fixed: copies of members of `io`, which a commit may replace.
struct frame_storage {
    struct io_manner manner; // of a directory: that of the index file it was opened with
    bool in_memory; // a buffer: no other program or process sees it; false for a directory
    bool once; // written from start to end (struct io): earlier bytes cannot be read or replaced
    bool gathers; // a file that is written: io is an io_gather, which coalesces small chunks
};

// Who may write to it.
struct frame_rights {
    bool writable; // opened for writing, or made
    bool published; // others can find it: the path leads to it. A new frame is not, until it is
    bool exposed; // a try to publish it has begun: its path may lead to it after a crash
    bool held; // frame_lock_hold(): commits do not release the lock file, frame_lock_let_go() does
    pid_t process; // that opened or made it
    unsigned process_number; // of that (task/process.h)
};

// What happened to the frame in memory since the last commit, and before.
struct frame_batch {
    bool dirty; // the state in memory is not that on the disk: there is something to commit
    bool relied; // a change changed nothing, so the state that is known must still be the newest
    int64_t written; // bytes of chunks since the last commit
    int64_t parked; // bytes of chunks that only the state on disk needs, about
    bool committed; // anything, since the frame was opened
    int64_t written_before; // bytes of chunks in the commits since the frame was opened
};

// Space that is taken, though no list leads there.
struct frame_staging {
    int ncalls; // that have staged chunks; and leases
    int nleases;
    struct extents leased; // what is left of the leases
    int nputs; // chunks that are being written in pieces (frame_put_begin())
    // There are leases, or were since the last commit: so the file may end before space.end, as it
    // may where nputs > 0.
    bool lends;
};

enum { FRAME_LENS_KEPT = 32 };

// The state on the disk, as this handle read it, or wrote it last: what others change is noticed by
// it (current.c).
struct frame_disk {
    uint8_t *head; // the header, byte by byte; NULL: there is no state yet
    uint8_t *tail; // the trailer
    size_t head_size;
    size_t tail_size;
    uint8_t *attempted; // a header whose write failed, perhaps half-way, over `head`; else NULL
    uint8_t *torn; // what the header should be, where what is on disk is a mixture; else NULL
    bool header_changed; // the ledger is of another header: another program changed it since

    bool sealed; // index and trailer have a right fingerprint of ours: Tessera committed it
    uint64_t number; // of the newest commit that is known of; of this state, if it is sealed
    bool ledger_known; // this state has one, to which `ref` leads; only where it is sealed
    struct ledger_ref ref; // .position < 0: of format 1, in the trailer
    uint64_t index_hash; // of the index chunk, where a state is not sealed
    int64_t index_size;
    bool stamped; // `stamp` is that of the io when it was read, or written by this handle
    struct io_stamp stamp;

    bool left_behind; // it is known to be gone: frame_set_left_behind()
    // What is current may be another state: a sync failed, or this handle has made none yet.
    bool unsure;
    unsigned failures; // of syncs and headers: how often what was stored may have been lost
    int64_t lens[FRAME_LENS_KEPT]; // frame_len of recent commits
    int next_len;
};

// Of a sparse frame: its chunk files.
struct frame_directory {
    struct numbers numbers;
    struct unsynced unsynced;
    bool searched; // for orphans, which is done once
};

struct frame {
    // Fixed, but for `io`, and what frame_attach() and frame_set_grid() set.
    const struct container *container;
    struct folder *folder; // of a sparse frame; NULL otherwise
    struct io *io; // header, index and trailer; in a contiguous frame the chunks too
    struct frame_storage storage;
    struct frame_options options;
    const struct block_grid *grid; // of the array, set by its owner; NULL: none
    struct frame_rights rights;

    // The state in memory.
    struct frame_header h;
    struct layers metas;
    struct layers vlmetas;
    struct frame_index index;
    int64_t generation; // of the list: counts all that happens to it
    struct order order; // of stored chunks, in a far frame that is only read
    struct usage usage; // of the list
    struct checksums checksums; // of stored chunks
    bool checksums_known; // they were loaded, as far as there are any; before the first change
    bool keeps_ledger; // commits have one: checksums of new chunks are noted

    // From one state to the next.
    struct change change;
    struct frame_staging staging;
    struct frame_batch batch;
    struct frame_disk disk;

    // Where chunks can go: of a contiguous frame, `space`; of a sparse one, `directory`.
    struct space space;
    int64_t waiting_least; // bytes that wait for a sync, and are worth one
    struct old_chunks old;
    struct frame_directory directory;
};

#endif
