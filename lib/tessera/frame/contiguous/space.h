/*
 * space.h - which bytes of a contiguous frame may be written to.
 *
 * A commit never touches a byte that the state on disk leads to. So space that a batch releases is
 * parked until the commit that no longer needs it, and, where that commit is not known to be on
 * the disk, until the next one is synced. Space taken and released within one batch is free at
 * once. The end follows what is free: the last chunk, or something parked, ends there.
 *
 * Positions count from the start of the frame. Nothing here reads or writes a file.
 *
 * Requires exclusive access to the frame; a job that writes has it in its finish, on whichever
 * thread that runs (grid/write/store.h). There is no lock.
 */
#ifndef FRAME_CONTIGUOUS_SPACE_H
#define FRAME_CONTIGUOUS_SPACE_H

#include "base/error.h"
#include "frame/contiguous/extents.h"

#include <stdbool.h>
#include <stdint.h>

// Extents in any order.
struct extent_list {
    struct extent *items;
    int64_t count;
    int64_t capacity;
};

struct space {
    int64_t end; // chunks, and what is parked, lie below
    struct extent now; // index and trailer of the state on disk
    struct extent before; // of the one before, while it may still be what is on the disk
    struct extents open; // free
    struct extent_list parked; // released in this batch
    struct extent_list unsynced; // released in the last one, whose header may not be on the disk
    int64_t unsynced_size; // of these, together
    struct extents fresh; // taken in this batch, from what was free
    struct extent_list tail; // taken in it behind the end; ascending; size 0: released since
    bool holds; // what is not needed any more waits, until space_let_go()
    struct extents bodies; // of what waits: index and trailer of states; the end may be before them
    int64_t
        known; // below, what is free is not known yet (free_space.c): it is added later, at once
    struct extent_list waiting; // of what waits: chunks
    struct extent_list settled; // of chunks that were let go: free with the next sync
    int64_t settled_size; // of these, together
    bool keeps; // nothing in front of a state's index is free again, ever; set after space_init()
};

void space_finish(struct space *s); // zeroed: fine

// Start from a state on disk: chunks end at `end`, index and trailer are `now`.
void space_init(struct space *s, int64_t end, struct extent now);

// An extent below the end becomes free.
void space_add(struct space *s, struct extent e);

// Forget what is free, or will be: from here on space is taken behind the end only.
void space_forget(struct space *s);

// Take `size` bytes. TESS_ERR_NOMEM; *start is set otherwise.
tess_status space_take(struct space *s, int64_t size, int64_t *start, tess_error *err);

// Whether taking them moves the end.
bool space_would_grow(const struct space *s, int64_t size);

// Take `size` bytes below the end. False: there are none in one piece, or no memory.
bool space_take_hole(struct space *s, int64_t size, int64_t *start);

// What is free from there on is not used in this batch, and free again after it.
void space_park_from(struct space *s, int64_t from);

// What was taken in this batch, and starts there, needs its first `size` bytes only, 1 at least. A
// lack of memory loses the rest.
void space_shrink(struct space *s, int64_t start, int64_t size);

// Release what was taken in this batch, and starts there. False: nothing was.
bool space_release_new(struct space *s, int64_t start);

// Whether that was taken in this batch, and starts there.
bool space_is_new(const struct space *s, int64_t start);

// Release an extent that a chunk no longer needs. A lack of memory loses the space, no data. Of an
// old chunk (free_space.c) the size is 0 until it is known.
void space_release(struct space *s, struct extent e);

// Where index and trailer of the next state can stand: the lowest position behind all chunks that
// meets nothing of the states on disk.
int64_t space_place(const struct space *s, int64_t size);

// A commit put index and trailer at `placed`. synced: its header is known to be on the disk.
void space_committed(struct space *s, struct extent placed, bool synced);

// All that was written before is on the disk now.
void space_synced(struct space *s);

/*
 * Space for others to write to (leases, commit/change.h). It stays taken, whatever is committed,
 * until parts of it are free again, that no state ever had; or until they are adopted, and then are
 * as what was taken in this batch. space_adopt(): there is room, for `n` of them with
 * space_reserve_adopted().
 */
void space_lease(struct space *s, int64_t size, int64_t *start);
void space_end_lease(struct space *s, struct extent e);
bool space_reserve_adopted(struct space *s, int64_t n);
void space_adopt(struct space *s, struct extent e);

/*
 * States that are held (held.h): from space_hold() on, what is given back waits. space_let_go()
 * ends that: but for what is needed, all that waits is free once all that was written before is on
 * the disk (space_synced()). needed: a chunk, by where it starts, or index and trailer of a state.
 * A lack of memory loses space, no data.
 */
void space_hold(struct space *s);
// The trailer of an empty state, which later empty ones are written over.
void space_hold_now(struct space *s);
void space_let_go(struct space *s, bool (*needed)(const void *user, struct extent e),
                  const void *user);
// What a state needs that is no more on the disk: its chunks, and index and trailer, which may be
// held already.
tess_status space_hold_chunk(struct space *s, struct extent e, tess_error *err);
tess_status space_hold_body(struct space *s, struct extent e, tess_error *err);
// Where all that waits ends, and the end.
int64_t space_held_end(const struct space *s);

#endif
