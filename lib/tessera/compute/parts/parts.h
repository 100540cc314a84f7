/*
 * parts.h - the blocks or chunks of a box, decoded and given to functions: of a user inside the
 * library, or of the program, which looks at them or changes them.
 *
 * A block is given out in the scratch memory of the thread that decoded it, without a copy. A chunk
 * is put together in memory of its own first.
 *
 * Threads: `chunks`, `left`, `more` and `nitems` are changed by next of a job, by one thread at a
 * time, or between jobs. `stopped` is atomic, and touched by any worker. There is no lock, and none
 * is held while a function of a user runs, but that finish of a user excludes next and other calls
 * of finish (grid/read/fetch.h).
 */
#ifndef COMPUTE_PARTS_PARTS_H
#define COMPUTE_PARTS_PARTS_H

#include "array/array.h"
#include "compute/engine/engine.h"
#include "geom/walk.h"
#include "grid/read/fetch.h"

#include <tessera/iterate.h>

#include <stdatomic.h>

enum {
    PARTS_TALLY_SIZE = FETCH_TALLY_SIZE, // what a user may keep of the parts of one grain
};

/*
 * What works on them. `tally` is zeros before the first part of a grain; which parts a grain has
 * depends on the array and the box alone.
 */
struct parts_user {
    void *self;
    // Any thread, several at once.
    tess_status (*part)(void *self, void *tally, const tess_part *part, tess_error *err);
    // Items that are known to be equal, and nothing else of them, wherever they are. NULL: they
    // come as parts.
    void (*constant)(void *self, void *tally, const uint8_t *item, int64_t nitems);
    // May be NULL. One at a time, in the order of the grains.
    tess_status (*finish)(void *self, void *tally, tess_error *err);
    // May be NULL. Once for each grain, in the end.
    void (*drop)(void *self, void *tally);
    bool slow; // a part is worth a thread, whatever its size
    bool unaligned; // items may stand anywhere
    bool whole_blocks; // also items outside the box are needed, behind and before the part's
};

// The parts of a box of `a` that are still to be handed out.
struct parts {
    const struct parts_user *user;
    const tess_array *a;
    bool by_block;
    bool plain; // parts are those of a frame without a grid
    bool more;
    int64_t nitems; // of them all
    atomic_bool stopped; // no other is begun

    // By block.
    struct walk chunks; // stands on the next chunk
    int64_t left; // bytes of chunks that this run may still begin

    // By chunk.
    struct division boxes;
    struct engine_sink sink;
    struct engine engine;
};

// The box is inside the shape, and has items. The user stays until the end.
void parts_begin(struct parts *p, const struct parts_user *user, const tess_array *a,
                 tess_unit unit, const int64_t *start, const int64_t *stop);

// Give out whole chunks, until they had `most` bytes, or all if p->more is false afterwards. The
// watch is the same each time.
tess_status parts_run(struct parts *p, int64_t most, struct watch *watch, tess_error *err);

void parts_finish(struct parts *p);

/*
 * Parts for a function of the program, which is called without any lock, by any worker, several at
 * once. array_change() keeps what fn changed and stores it when a batch of chunks is done, on the
 * calling thread: a part is handed out once, and never while the frame changes.
 */

// The box is inside the shape, and has items; so below.
tess_status array_each(const tess_array *a, tess_unit unit, const int64_t *start,
                       const int64_t *stop, tess_each_fn *fn, void *user, struct watch *watch,
                       tess_error *err);

// As one change of the frame. Writes that wait in the cache are written back first.
tess_status array_change(tess_array *a, tess_unit unit, const int64_t *start, const int64_t *stop,
                         tess_change_fn *fn, void *user, struct watch *watch, tess_error *err);

#endif
