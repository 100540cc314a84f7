/*
 * private.h - what the units of grid/read share: how a job (fetch.h) is made, and read ahead.
 *
 *     planned       grains that are made ahead, so that the stored bytes of many are read together
 *       grains      the parts of a job that a thread works on, and the stored bytes of each
 *         upcoming  the chunks of a job in order, announced before their turn
 *           openings  chunks that workers open early
 *
 * A job of one thread that is not planned has grains only. boxes_ahead.h makes grains, too, of the
 * chunks that the jobs of a call will need.
 *
 * Threads: everything is called by one thread at a time, from `next` of a task, but what says
 * otherwise.
 */
#ifndef GRID_READ_PRIVATE_H
#define GRID_READ_PRIVATE_H

#include "frame/chunks/ahead.h"
#include "grid/open_chunk.h"
#include "grid/read/fetch.h"
#include "task/gate.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct io_ahead;
struct io_progress;
struct io_want;
struct opening;

/*
 * Openings. A chunk that is compared with its checksum is read as a whole when it is opened. In a
 * job, `next` opens the chunks one after the other, and no other thread can make grains meanwhile.
 * So, of near frames, `next` announces chunks early, and each opening is a grain of its own. If no
 * worker has begun to open a chunk when `next` needs it, `next` opens it itself. `next` may wait
 * for a worker; workers never wait for `next`.
 *
 * Locks: `lock` guards the state of all openings; it is free while a chunk is opened. By member: it
 * guards `users` and `state` of each opening. `open`, `status` and `error` are written without it
 * by the thread that set BEGUN, before it sets DONE, and read by `next` after that. `first`, `last`
 * and `count` are touched by `next` alone, and by openings_finish() when no grain is left: they
 * need no lock. Workers call opening_work() and opening_release(), everything else is called from
 * `next`.
 */
struct openings {
    const struct chunk_grid *grid;
    const struct io_progress *progress; // what may end the openings; NULL: nothing
    int most; // chunks at a time; 0: opening chunks does not take long, or there are no workers
    int count; // that were announced, and not taken
    struct opening *first, *last; // in the order they were announced
    struct waitlock lock; // for the state of all openings
};

// For a job of so many threads.
void openings_init(struct openings *x, const struct chunk_grid *grid, int threads);
void openings_finish(struct openings *x); // the job is over

// From next. Announce a chunk, at most `most` at a time; all: as for open_chunks_get(). The opening
// is a grain's, which lets go of it in the end.
tess_status openings_announce(struct openings *x, int64_t n, bool all, struct opening **o,
                              tess_error *err);
// The chunk that was announced first, held once; or the failure of its opening.
tess_status openings_take(struct openings *x, struct open_chunk **v, tess_error *err);

// Open it, unless another thread does already.
void opening_work(struct opening *o);
void opening_release(struct opening *o); // by any thread

/*
 * Upcoming chunks.
 *
 * - In a planned job, what opening them needs is read early (frame/chunks/ahead.h).
 * - Else chunks that are compared with their checksums are opened early by workers (openings).
 *
 * upcoming_finish() is called when no grain is left. No locks but those of these two.
 */

// Bounds of reading ahead: a number of things, and their bytes. Refill once a quarter is free, and
// then to the bound: ranges that are added one by one could not be coalesced.
struct room {
    int64_t most, budget; // in number, in bytes
    bool filling;
};

// Whether there is room for one more beside n of so many bytes.
static inline bool
room_is_left(struct room *r, int64_t n, int64_t size)
{
    if (n <= r->most - r->most / 4 && size <= r->budget - r->budget / 4)
        r->filling = true;
    if (n >= r->most || size >= r->budget)
        r->filling = false;
    return r->filling;
}

struct upcoming {
    const struct fetch *f;
    const struct io_progress *progress; // what may end reads; NULL: nothing
    struct chunks_ahead ahead; // .most 0: the job is not planned
    struct openings openings; // .most 0: no chunk is opened early by a worker
    int most, count; // chunks that can be announced, and are; 0: each is opened in its turn
    unsigned char *positions; // a ring of `most` positions of the reader, on the same chunks; NULL:
    int first; //                it stands on them again
    bool more; // chunks to be announced
    enum fetch_next after; // what next_chunk() returned, and is not handed out yet: FETCH_OTHER
    _Alignas(max_align_t) unsigned char other[FETCH_POSITION_SIZE];
};

// ahead: NULL, or what reads for the job. progress: NULL, or what may end its other reads.
tess_status upcoming_init(struct upcoming *u, const struct fetch *f, int threads,
                          struct io_ahead *ahead, const struct io_progress *progress,
                          tess_error *err);
void upcoming_finish(struct upcoming *u); // zeroed: fine

// Announce one chunk, if there is room. *opening: for a grain to open it; NULL: nothing to do.
// False: none was announced.
tess_status upcoming_announce(struct upcoming *u, bool *announced, struct opening **opening,
                              tess_error *err);

// The reader's position on the chunk that was announced first; NULL: none is, or it was not kept.
const void *upcoming_peek(const struct upcoming *u);

// Pass over the chunk that was announced first.
void upcoming_skip(struct upcoming *u);

// Whether upcoming_next() would not wait.
bool upcoming_is_ready(const struct upcoming *u);

// Stand on the next chunk, and open it: *open is held, and so is *front (NULL: none), what is
// wanted of it already.
tess_status upcoming_next(struct upcoming *u, void *chunk, enum fetch_next *next,
                          struct open_chunk **open, struct io_want **front, tess_error *err);

/*
 * Grains. A grain is a run of blocks of one chunk: many enough grains for the threads, and each
 * large enough to be worth handing out (blocks_run_length()). It is a whole chunk where nothing is
 * decoded block by block: one item again and again, or items in order. Blocks of another layout are
 * put together by one cursor, so all that a chunk has of them are one grain, and each stored block
 * is decoded once. In a job of several threads, opening a chunk ahead of its turn is a grain, too,
 * and so is reading.
 *
 * Where blocks wait in the cache to be written back, some of them may be those of a chunk that is
 * one item, so then all chunks are read block by block.
 *
 * Threads: a grain is dropped by any.
 */

typedef unsigned char fetch_position[FETCH_POSITION_SIZE];

enum grain_kind {
    GRAIN_OPENING, // of a chunk
    GRAIN_READING, // of stored bytes
    GRAIN_BLOCKS,
    GRAIN_EQUAL,
    GRAIN_IN_ORDER,
    GRAIN_OTHER,
};

struct fetch_grain {
    enum grain_kind kind;
    int32_t nblocks; // GRAIN_BLOCKS
    struct opening *opening; // GRAIN_OPENING
    struct open_chunk *open; // held; NULL: none
    struct io_want *want; // stored bytes of it, held; NULL: none
    int64_t kept; // open_chunk_kept(), of the first grain of a chunk; 0: of the others
    _Alignas(max_align_t) unsigned char tally[FETCH_TALLY_SIZE];
    _Alignas(max_align_t) fetch_position at; // of the first block, or of the chunk
};

struct grain_maker {
    const struct fetch *f;
    int32_t run; // blocks of a grain
    struct upcoming *upcoming; // NULL: each chunk is opened when its turn comes
    const struct io_progress *progress; // what may end reads then; NULL: nothing
    struct gate *gate; // NULL: not entered
    bool begun; // a chunk, since the gate was entered
    bool more_blocks;
    _Alignas(max_align_t) fetch_position chunk; // the chunk whose blocks are handed out
    _Alignas(max_align_t) fetch_position block; // the next of them
    struct open_chunk *open; // the chunk, held; NULL: none
    struct io_want *front; // what was read ahead of it, held; NULL: nothing
};

// upcoming: NULL, or prepared for the same job. progress: NULL, or what may end reads without it.
void grain_maker_init(struct grain_maker *m, const struct fetch *f, struct upcoming *upcoming,
                      const struct io_progress *progress);
void grain_maker_leave_chunk(struct grain_maker *m); // hold nothing of the chunk that was made last

// No chunk, nothing to be dropped.
void grain_init(struct fetch_grain *g);
void grain_drop(const struct grain_maker *m, struct fetch_grain *g);

// A grain of the next blocks, or of the next chunk. *more false: there is none.
tess_status grain_make(struct grain_maker *m, struct fetch_grain *g, bool *more, tess_error *err);

// Whether to let other calls change something: nothing is open, and something is left to read.
bool grain_maker_has_to_pause(const struct grain_maker *m);

// Want the ranges of the grain's blocks in g->want, which is made if it is NULL; blocks in the
// cache are left out. If the chunk is not stored in blocks of the grid, its whole range is added.
// front: what is already wanted of the chunk; NULL: nothing.
tess_status grain_want(struct fetch_grain *g, const struct fetch *f, struct io_ahead *ahead,
                       struct io_want *front, tess_error *err);

/*
 * Planned jobs. What a job will read is known from the block tables of its chunks. So before a
 * grain is handed out, those behind it are made, too, and what they need is wanted (io/ahead.h), as
 * far as a budget allows. The ranges of neighbouring blocks and chunks become one request.
 *
 * A frame that is far away is read by threads of the job. One that is near is read by the workers:
 * reading is a grain, as opening a chunk is; that pays for jobs that read much.
 *
 * Threads: planned_read() and planned_fail() are called by any number.
 */

struct planned {
    struct grain_maker *maker;
    struct io_ahead *ahead; // NULL: the job is not planned
    bool far; // threads of the job read; else grains do
    struct fetch_grain *made; // a ring
    int first, count; // of it
    int64_t kept; // bytes that the files of their chunks keep
    bool all_made;
    bool asked; // something was wanted since it was seen that nothing waits to be read
    struct room grains, chunks; // that are made, and announced
    tess_status later; // what making failed with, once the grains before it are handed out
    tess_error why;
    int threads; // that work
    atomic_int reading; // grains that read
    atomic_bool failed; // nothing more is needed
};

bool planned_pays(const struct fetch *f);

// Decide whether a job is planned, whose maker will have an upcoming then. To be finished also
// after a failure.
tess_status planned_init(struct planned *p, struct grain_maker *maker, const struct fetch *f,
                         int threads, tess_error *err);
// No grain is at work. Before upcoming_finish().
void planned_finish(struct planned *p);
// After upcoming_finish().
void planned_free(struct planned *p);

// The next grain. *more false: there is none; or another call wants to change something.
tess_status planned_next(struct planned *p, struct fetch_grain *g, bool *more, tess_error *err);
bool planned_is_empty(const struct planned *p); // no grain is made that was not handed out

void planned_read(struct planned *p); // GRAIN_READING
void planned_fail(struct planned *p); // a grain failed: what still waits may end

#endif
