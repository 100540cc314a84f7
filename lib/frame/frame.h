/*
 * frame.h - an ordered list of chunks with metalayers, in one file or buffer.
 *
 *     +--------+--------------------------------+-------+---------+
 *     | header | chunks and free space          | index | trailer |
 *     +--------+--------------------------------+-------+---------+
 *     0        header_len      header_len + cbytes        frame_len
 *
 * The header says where the index is and how long the frame is. Changes are made in memory (list
 * of chunks, metalayers) and in free space (the chunks); frame_commit() writes a new index and
 * trailer behind all chunks and then the header, with one small write: the state on disk is the
 * old one before that write and the new one after it.
 *
 * A *change* (frame_begin .. frame_keep or frame_undo) is what a caller does as one: undone, the
 * list is as it was.
 *
 * Reading is for any number of threads; what changes a frame needs it alone.
 */
#ifndef FRAME_FRAME_H
#define FRAME_FRAME_H

#include "chunk/decode.h"
#include "chunk/encode.h"
#include "frame/checksums.h"
#include "frame/header.h"
#include "frame/index.h"
#include "frame/ledger_ref.h"
#include "frame/numbers.h"
#include "frame/space.h"
#include "frame/unsynced.h"
#include "frame/usage.h"
#include "io/io.h"
#include "io/path.h"
#include "io/sidecar.h"
#include "meta/layers.h"
#include "task/watch.h"

#include <tessera/storage.h>

// What can be undone.
struct change {
    bool open;
    struct usage_saved usage; // before
    int64_t nchunks; // before
    bool uniform; // the list took no memory then
    int64_t entry; // and all of it was this
    bool resized;
    bool rearranged;
    struct frame_index replaced; // the list before, when it was rearranged
    struct change_put {
        int64_t n;
        int64_t before; // entries
        int64_t after;
    } * puts;
    int64_t nputs;
    int64_t capacity;
    int64_t *dropped; // positions of chunks that fell out of the list
    int64_t ndropped;
};

// Chunks that were there when a contiguous frame was opened, and that nobody has looked at: what
// lies between them is not known, nor whether they share bytes (free_space.c).
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

#define FRAME_FOLDER_INDEX "chunks.b2frame" // the file of a sparse frame that is no chunk

struct container;
struct ledger;
struct folder;
struct folder_kind;

// What the directory of a sparse frame may hold; others are not replaced.
extern const struct folder_kind frame_folder_kind;

// How a frame is handled, whatever it holds.
struct frame_options {
    tess_limits limits; // 0: default
    tess_durability durability;
    tess_checksums checksums;
    const struct plugins *plugins; // what its chunks may ask for; outlives the frame; NULL: nothing
    struct sidecar *sidecar; // belongs to the frame from here on; NULL: nothing to lock
    struct io_path *path; // that leads to it, likewise; NULL: none, or nobody asks
    const tess_context *context; // who waits for locks; outlives the frame; NULL: nobody asks
    bool never_reuse; // bytes and file numbers that a state on disk had
    int64_t wait; // for locks that are kept, in milliseconds; negative: as long as it takes
    uint64_t number; // of the commit that a new frame's first one follows; 0: none
};

struct frame {
    const struct container *container;
    struct folder *folder; // of a sparse frame; NULL otherwise
    struct numbers numbers; // of its chunk files
    struct unsynced unsynced; // of these
    struct io *io; // header, index and trailer; in a contiguous frame the chunks too
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
    struct checksums checksums; // of stored chunks
    bool checksums_known; // they were loaded, as far as there are any; before the first change
    struct usage usage; // of the list in memory

    struct space space;
    int64_t waiting_least; // bytes that wait for a sync, and are worth one
    struct old_chunks old;
    struct change change;
    int64_t generation; // of the list in memory: counts all that happens to it
    bool dirty; // differs from what is on disk
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

// Open the frame in an io, which belongs to the frame from here on, also after a failure.
// TESS_ERR_STALE: another program committed meanwhile, what was read is no state; try again.
tess_status frame_open(struct io *io, bool writable, const struct frame_options *options,
                       struct frame **frame, tess_error *err);

/*
 * Make a frame of `nchunks` chunks that all have index entry `entry`, in an empty io. Nothing is
 * written before the first commit; frame_publish() gives a file its name then. h gives the
 * parameters (all but lengths); metas are taken over (emptied) on success. The io belongs to the
 * frame from here on, also after a failure.
 */
tess_status frame_create(struct io *io, const struct frame_header *h, struct layers *metas,
                         int64_t nchunks, int64_t entry, const struct frame_options *options,
                         struct frame **frame, tess_error *err);

// Whether the file still is in the state that this frame was opened in, or committed last; else
// what was read just now may be of no state. TESS_ERR_STALE.
tess_status frame_check_current(const struct frame *f, tess_error *err);
// The same, looking at all of header and trailer: other implementations change metalayers alone.
tess_status frame_check_unchanged(const struct frame *f, tess_error *err);

/*
 * What is left of that when only the time of the file is looked at. Another program that writes a
 * trailer leaves it without our fingerprint. It may then replace a chunk by one of the same size
 * and leave header, index and trailer as they are, which shows in the time of the file only; in a
 * directory, also of a state of ours.
 */
tess_status frame_check_stamp(const struct frame *f, tess_error *err);
// This handle wrote to the file.
void frame_stamp_again(struct frame *f);

// Whether the path still leads to the frame, if it ever did: what is committed is found there only
// then. TESS_ERR_STALE.
tess_status frame_check_path(const struct frame *f, tess_error *err);

// frame_open() and frame_create() for a sparse frame, with a directory instead of an io.
tess_status frame_open_folder(struct folder *folder, bool writable,
                              const struct frame_options *options, struct frame **frame,
                              tess_error *err);
tess_status frame_create_folder(struct folder *folder, const struct frame_header *h,
                                struct layers *metas, int64_t nchunks, int64_t entry,
                                const struct frame_options *options, struct frame **frame,
                                tess_error *err);

// For a frame that is damaged: what becomes of chunks that cannot be read.
struct frame_rescue {
    void *user;
    // Chunk n is lost. Instead of it: *chunk, *size bytes that stay until the next call; or, if
    // that stays NULL, *special.
    tess_status (*replace)(void *user, int64_t n, const tess_error *why,
                           enum chunk_special *special, const uint8_t **chunk, int32_t *size,
                           tess_error *err);
    int64_t most; // bytes that stored chunks may have together
    int64_t nuntried; // counts those copied without a checksum, which this build cannot decode
    int64_t nunconfirmed; // and those that it can
};

/*
 * copy.c: make a frame with the state in memory of another, in an empty io or folder (the other is
 * NULL), and commit it. The copy is there to be published and closed, no more: its metalayers are
 * not kept, and one of a frame from before c-blosc2 2.0 has its bytes only. io and folder belong to
 * the copy from here on, also after a failure. rescue: NULL, a chunk that cannot be read is a
 * failure.
 */
tess_status frame_copy(const struct frame *from, struct io *io, struct folder *folder,
                       const struct frame_options *options, struct frame_rescue *rescue,
                       struct frame **copy, struct watch *watch, tess_error *err);

// TESS_ERR_CORRUPT if two places of the list have one stored chunk.
tess_status frame_check_shared(const struct frame *f, tess_error *err);

// compact.c: remove what the directory holds and no state needs, and store chunks anew whose files
// are longer. The frame is open for writing, and has no changes.
tess_status frame_compact_folder(struct frame *f, struct watch *watch, tess_error *err);
// Bytes of all files of the frame.
tess_status frame_stored_size(const struct frame *f, int64_t *size, tess_error *err);

void frame_close(struct frame *f); // without a commit; NULL: fine

// Uncompressed bytes of chunk n in a frame with a chunksize.
int32_t frame_chunk_nbytes(const struct frame *f, int64_t n);

// A chunk of a frame, ready to have its blocks decoded.
struct stored_chunk {
    struct chunk chunk;
    const struct frame *frame;
    struct io *io; // NULL for a special entry
    bool owns_io;
    int64_t position; // in the io
    bool loaded; // the scratch it was opened with has all of it
    uint8_t *whole; // all of it, in memory; NULL: blocks are read as they are asked for
    struct chunk_bytes bytes; // .from is this struct: it must not move
};

/*
 * Find chunk n and read what is needed once per chunk. Checked here: the chunk lies inside the
 * section, and has the size of its place (for frames with a chunksize).
 */
tess_status stored_chunk_open(struct stored_chunk *sc, const struct frame *f, int64_t n,
                              struct chunk_scratch *s, tess_error *err);
void stored_chunk_close(struct stored_chunk *sc); // zeroed: fine

// Right after it was opened, with the same scratch: if all of it was read for its checksum, it
// stays, so that blocks are not read again. For who wants all of them: it may be large.
void stored_chunk_keep(struct stored_chunk *sc, struct chunk_scratch *s);

// Instead of opening it: all bytes of a chunk with an entry >= 0, as it is stored, compared with
// its checksum if that is among those given. They stay until it is closed, or the scratch is used
// again.
tess_status stored_chunk_load(struct stored_chunk *sc, const struct frame *f, int64_t n,
                              const struct checksums *checksums, struct chunk_scratch *s,
                              const uint8_t **bytes, int32_t *size, tess_error *err);

// Instead of opening it: decode all of a chunk with an entry >= 0, and forget it.
tess_status stored_chunk_decode(const struct frame *f, int64_t n, struct chunk_scratch *s,
                                tess_error *err);

// Errors of a chunk's parts count from its start; make them count from the frame's, and say which
// chunk it was.
tess_status stored_chunk_blame(const struct stored_chunk *sc, int64_t n, tess_status st,
                               tess_error *err);

// Compare all bytes of the stored chunk n with its checksum; *known: it has one. Whatever the frame
// was told to do when chunks are read. Of its header only the size is looked at: what the rest says
// is for stored_chunk_open().
tess_status frame_check_chunk(const struct frame *f, int64_t n, const struct checksums *checksums,
                              struct chunk_scratch *s, bool *known, tess_error *err);

// load.c: read the ledger of the state on the disk; *x is empty if it has none. TESS_ERR_CORRUPT:
// it is damaged.
tess_status frame_read_ledger(const struct frame *f, struct ledger *x, tess_error *err);
// Whether f->checksums are those of the list in memory. A list that was not changed so far is the
// one on the disk, whose checksums can be loaded: for good, or to somewhere else.
bool frame_has_checksums(const struct frame *f);
tess_status frame_need_checksums(struct frame *f, tess_error *err);
tess_status frame_load_checksums(const struct frame *f, const struct frame_index *list,
                                 struct checksums *checksums, tess_error *err);

/*
 * owner.c: whether the frame is one in a file that another process opened for writing, which forked
 * this one. The first needs no system call and does not see processes that were made otherwise; it
 * is for whoever asks often. Checks are TESS_ERR_ARG.
 */
tess_status frame_check_forked(const struct frame *f, tess_error *err);
tess_status frame_check_owner(const struct frame *f, tess_error *err);
bool frame_is_inherited(const struct frame *f);
void frame_set_owner(struct frame *f);
// Whether this process keeps other writers from it.
bool frame_is_locked(const struct frame *f);

// change.c: changes of the list.
void frame_begin(struct frame *f);
void frame_keep(struct frame *f);
void frame_undo(struct frame *f);
// Store a chunk at place n.
tess_status frame_put(struct frame *f, int64_t n, const uint8_t *chunk, int32_t size,
                      tess_error *err);

// The same for a chunk that is too large to be in memory: begun with room for all that it may
// become, then written in pieces, in any order. Nothing else is put meanwhile.
struct frame_put {
    int64_t n;
    int64_t room;
    int64_t entry;
    struct io *io; // NULL: not begun, ended, or abandoned
    int64_t position; // of the chunk's first byte in the io
};
tess_status frame_put_begin(struct frame *f, int64_t n, int64_t room, struct frame_put *p,
                            tess_error *err);
tess_status frame_put_piece(const struct frame_put *p, int64_t offset, const uint8_t *bytes,
                            int64_t size, tess_error *err);
// All `size` bytes are there, 1 at least.
tess_status frame_put_end(struct frame *f, struct frame_put *p, int32_t size, tess_error *err);
void frame_put_abandon(struct frame *f, struct frame_put *p); // also after a failure; zeroed: fine

// Place n becomes a special chunk that is not stored.
tess_status frame_put_special(struct frame *f, int64_t n, enum chunk_special special,
                              tess_error *err);
// The list gets longer at its end (new places have that entry, which is special), or shorter.
tess_status frame_set_length(struct frame *f, int64_t nchunks, int64_t entry, tess_error *err);
// The list becomes `next` (taken over, emptied, on success). Place n of the old list is in the new
// one where kept[n] is set, and gone elsewhere.
tess_status frame_rearrange(struct frame *f, struct frame_index *next, const bool *kept,
                            tess_error *err);

/*
 * lock.c: the lock that other implementations know (io/sidecar.h), where there is one. Around what
 * reads a frame that others may find; any number of threads. From the first byte that is written
 * until the commit, or until it is known that there will be none. Both compare: TESS_ERR_STALE.
 * Having it already is fine, and so is releasing what one has not.
 */
tess_status frame_lock_share(const struct frame_options *options, tess_error *err);
void frame_lock_unshare(const struct frame_options *options);
tess_status frame_lock_take(const struct frame *f, tess_error *err);
// To give a new frame its name: nobody reads what is replaced, whoever changed that before.
tess_status frame_lock_take_name(const struct frame *f, tess_error *err);
void frame_lock_release(const struct frame *f);
// A failure to change a frame may be that others changed it meanwhile: TESS_ERR_STALE then.
tess_status frame_lock_blame(const struct frame *f, tess_status st, tess_error *err);

// commit.c: to the disk. TESS_ERR_STALE: others changed the frame, or its path leads elsewhere.
tess_status frame_commit(struct frame *f, tess_error *err);
// Commit if enough was written since the last time, or overwritten.
tess_status frame_commit_if_large(struct frame *f, tess_error *err);
// Stored bytes that are enough to be overwritten, about.
int64_t frame_batch(const struct frame *f);
// A new file gets its name, once what was committed is on the disk. Before, and if it fails, nobody
// finds the frame, and may publish it later; afterwards, nothing happens.
tess_status frame_publish(struct frame *f, tess_error *err);

#endif
