/*
 * boxes_ahead.c - the stored bytes of boxes that a call will read one after the other, wanted
 * before.
 *
 * Locks: `lock` guards `visits`, `nvisits`, `kept` and the chunks in them. Everything else belongs
 * to the thread that reaches. Taken before the lock of expected chunks (grid/open_chunks.h).
 */
#include "grid/read/boxes_ahead.h"

#include "base/error.h"
#include "base/memory.h"
#include "frame/query.h"
#include "geom/index_map.h"
#include "geom/walk.h"
#include "grid/grid.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "grid/read/private.h"
#include "io/ahead.h"
#include "io/io.h"
#include "task/watch.h"

#include <pthread.h>
#include <stdatomic.h>

enum { VISITS = 4096 }; // chunks of boxes that are expected

struct boxes_ahead {
    struct expecting_call call;
    struct io_ahead *ahead;
    struct fetch fetch; // the chunks and blocks of all boxes
    struct upcoming upcoming;
    struct grain_maker maker; // a grain is what a box needs of a chunk
    const struct index_map *map; // of the view whose boxes they are; NULL: of none
    bool (*next_box)(void *arg, int64_t *start, int64_t *stop);
    void *arg;

    struct walk chunks; // of the box at hand; stands on the next one
    bool more; // there is a chunk
    int64_t box; // its number
    int64_t reached; // boxes before it are not read ahead any more
    bool all_made; // or it failed: the job that needs it says why
    struct room wanted, announced;
    atomic_bool over;

    pthread_mutex_t lock;
    struct visit *visits; // chunks that are expected, by boxes
    int nvisits;
    int64_t kept; // bytes that the files of these chunks keep
};

// A box that needs a chunk that is expected.
struct visit {
    int64_t box;
    struct own_chunk *chunk;
};
struct own_chunk {
    struct expected_chunk e; // first
    int boxes; // that need it
    int64_t kept; // open_chunk_kept()
};

// Positions (fetch.h): on a chunk, and on a block.
struct ahead_chunk {
    struct walk w;
    int64_t box;
};
struct ahead_block {
    struct walk w;
};

_Static_assert(sizeof(struct ahead_chunk) <= FETCH_POSITION_SIZE &&
                   sizeof(struct ahead_block) <= sizeof(struct ahead_chunk),
               "positions must fit");

// -- the chunks of all boxes

// Stand on the first chunk of the next box that has items.
static void
begin_next_box(struct boxes_ahead *x)
{
    static const int64_t no_memory[NDIM_MAX];
    const struct geometry *const g = &x->fetch.grid->g;
    int64_t start[NDIM_MAX], stop[NDIM_MAX];
    struct box box = {start, stop, NULL};
    struct index_box mapped;
    x->more = false;
    while (!x->more && x->next_box(x->arg, start, stop)) {
        x->box++;
        if (x->map)
            index_map_box(x->map, &box, no_memory, &mapped);
        x->more = walk_chunks(&x->chunks, g, x->map ? &mapped.box : &box);
    }
}

static enum fetch_next
ahead_next_chunk(void *self, void *chunk, int64_t *n, bool *all)
{
    struct boxes_ahead *const x = self;
    struct ahead_chunk *const c = chunk;
    while (x->more && x->box < x->reached)
        begin_next_box(x);
    if (!x->more)
        return FETCH_NOTHING;
    c->w = x->chunks;
    c->box = x->box;
    *n = x->chunks.index;
    *all = walk_covers(&x->chunks, x->fetch.grid->g.shape);
    if (!walk_next(&x->chunks))
        begin_next_box(x);
    return FETCH_CHUNK;
}

static void
ahead_begin_blocks(const void *self, const void *chunk, void *block)
{
    const struct geometry *const g = &((const struct boxes_ahead *)self)->fetch.grid->g;
    const struct walk *const w = &((const struct ahead_chunk *)chunk)->w;
    walk_blocks(&((struct ahead_block *)block)->w, g, w);
}

static bool
ahead_next_block(const void *self, void *block)
{
    (void)self;
    return walk_next(&((struct ahead_block *)block)->w);
}

static int32_t
ahead_number(const void *block)
{
    return (int32_t)((const struct ahead_block *)block)->w.index;
}

// -- chunks are expected

// Another box needs more of a chunk that is expected. If its want belongs to another queue of
// requests of the call, the job reads that.
static tess_status
want_more(struct boxes_ahead *x, const struct own_chunk *c, struct fetch_grain *g, tess_error *err)
{
    if (!c->e.want || !io_want_is_of(c->e.want, x->ahead))
        return TESS_OK;
    open_chunk_release(g->open); // opened again, it may have an io of its own
    g->open = c->e.open;
    open_chunk_hold(g->open);
    io_want_hold(c->e.want);
    g->want = c->e.want;
    return grain_want(g, &x->fetch, x->ahead, x->maker.front, err);
}

static tess_status
expect_new(struct boxes_ahead *x, struct fetch_grain *g, bool bytes, struct own_chunk **out,
           tess_error *err)
{
    tess_status st = TESS_OK;
    struct own_chunk *const c = mem_zeroed(1, sizeof *c);
    if (!c)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
    if (bytes)
        st = grain_want(g, &x->fetch, x->ahead, x->maker.front, err);
    if (st != TESS_OK) {
        mem_free(c);
        return st;
    }
    c->e.owner = x;
    c->e.watch = x->fetch.watch;
    c->kept = open_chunk_kept(g->open);
    x->kept += c->kept;
    c->e.open = g->open; // what the grain holds goes over
    c->e.want = g->want;
    g->open = NULL;
    g->want = NULL;
    expected_chunks_add(x->fetch.grid->expected, &c->e);
    *out = c;
    return TESS_OK;
}

// A box needs a chunk. bytes: those of its blocks are wanted, too.
static tess_status
expect(struct boxes_ahead *x, struct fetch_grain *g, int64_t box, bool bytes, tess_error *err)
{
    tess_status st = TESS_OK;
    if (g->open->kind == OPEN_SPECIAL)
        return TESS_OK;
    pthread_mutex_lock(&x->lock);
    struct expected_chunk *const e = expected_chunks_of(x->fetch.grid->expected, x, g->open->n);
    struct own_chunk *c = (struct own_chunk *)e;
    if (!c)
        st = expect_new(x, g, bytes, &c, err);
    else if (bytes)
        st = want_more(x, c, g, err);
    if (st == TESS_OK) {
        c->boxes++;
        x->visits[x->nvisits++] = (struct visit){box, c};
    }
    pthread_mutex_unlock(&x->lock);
    return st;
}

// A chunk that no box needs any more, of those of box k. NULL: there is none.
static struct own_chunk *
take_unneeded(struct boxes_ahead *x, int64_t k)
{
    struct own_chunk *unneeded = NULL;
    pthread_mutex_lock(&x->lock);
    for (int i = x->nvisits; i > 0 && !unneeded; i--) {
        struct own_chunk *const c = x->visits[i - 1].chunk;
        if (x->visits[i - 1].box != k)
            continue;
        x->visits[i - 1] = x->visits[--x->nvisits];
        if (--c->boxes == 0)
            unneeded = c;
    }
    if (unneeded) {
        x->kept -= unneeded->kept;
        expected_chunks_remove(x->fetch.grid->expected, &unneeded->e);
    }
    pthread_mutex_unlock(&x->lock);
    return unneeded;
}

static void
forget_box(struct boxes_ahead *x, int64_t k)
{
    for (struct own_chunk *c; (c = take_unneeded(x, k));) {
        io_want_release(c->e.want); // its io is that of the chunk
        open_chunk_release(c->e.open);
        mem_free(c);
    }
}

// -- going ahead

// Other threads leave boxes meanwhile.
static int
count_visits(struct boxes_ahead *x)
{
    pthread_mutex_lock(&x->lock);
    const int n = x->nvisits;
    pthread_mutex_unlock(&x->lock);
    return n;
}

// Bytes in memory, and on their way there.
static int64_t
boxes_size_ahead(struct boxes_ahead *x)
{
    pthread_mutex_lock(&x->lock);
    const int64_t kept = x->kept;
    pthread_mutex_unlock(&x->lock);
    return kept + io_ahead_size(x->ahead);
}

// Whether a chunk is announced. No more than can be expected: jobs read the rest of a long box.
static bool
boxes_announce(struct boxes_ahead *x)
{
    const int visits = count_visits(x);
    struct upcoming *const u = &x->upcoming;
    struct opening *opening;
    bool announced = true, any = false;
    tess_status st = TESS_OK;
    while (announced && st == TESS_OK && visits + u->count < VISITS &&
           (u->count == 0 || room_is_left(&x->announced, u->count, boxes_size_ahead(x)))) {
        st = upcoming_announce(u, &announced, &opening, NULL);
        any |= announced;
    }
    if (any)
        io_ahead_go(x->ahead);
    if (st != TESS_OK || (!announced && u->count == 0))
        x->all_made = true;
    return !x->all_made && u->count > 0;
}

static bool
boxes_may_make(struct boxes_ahead *x)
{
    const struct upcoming *const u = &x->upcoming;
    if (x->all_made || !boxes_announce(x))
        return false;
    const int64_t box = ((const struct ahead_chunk *)upcoming_peek(u))->box;
    const int64_t size = boxes_size_ahead(x);
    if (box < x->reached)
        return true;
    if (box == x->reached)
        return count_visits(x) < VISITS;
    return room_is_left(&x->wanted, count_visits(x), size) && upcoming_is_ready(u);
}

// Whether the bytes of a chunk of a box are wanted. Half of the budget is left to the job that
// reads the box at hand, which may be long.
static bool
wants_bytes(struct boxes_ahead *x, int64_t box)
{
    const int64_t budget = x->wanted.budget;
    return count_visits(x) == 0 || boxes_size_ahead(x) < (box == x->reached ? budget / 2 : budget);
}

static void
boxes_make_one(struct boxes_ahead *x)
{
    struct upcoming *const u = &x->upcoming;
    struct fetch_grain g;
    bool more = true;
    if (((const struct ahead_chunk *)upcoming_peek(u))->box < x->reached) {
        upcoming_skip(u);
        return;
    }
    grain_init(&g);
    tess_status st = grain_make(&x->maker, &g, &more, NULL);
    if (st == TESS_OK && more) {
        const int64_t box = ((const struct ahead_chunk *)(const void *)x->maker.chunk)->box;
        st = expect(x, &g, box, wants_bytes(x, box), NULL);
        grain_drop(&x->maker, &g);
    }
    x->all_made = st != TESS_OK || !more;
}

tess_status
boxes_ahead_reach(struct boxes_ahead *x, int64_t k, tess_error *err)
{
    if (!x)
        return TESS_OK;
    x->reached = k;
    while (boxes_may_make(x))
        boxes_make_one(x);
    io_ahead_go(x->ahead);
    return watch_is_cancelled(x->fetch.watch) ? watch_look(x->fetch.watch, err) : TESS_OK;
}

void
boxes_ahead_leave(struct boxes_ahead *x, int64_t k)
{
    if (x)
        forget_box(x, k);
}

// -- begin and end

static bool
boxes_ahead_is_over(void *arg)
{
    struct boxes_ahead *const x = arg;
    return watch_poll(x->fetch.watch) || atomic_load(&x->over);
}

static tess_status
prepare(struct boxes_ahead *x, tess_error *err)
{
    const struct io_progress *const progress = io_ahead_progress(x->ahead);
    tess_status st = upcoming_init(&x->upcoming, &x->fetch, 1, x->ahead, progress, err);
    grain_maker_init(&x->maker, &x->fetch, &x->upcoming, progress);
    x->visits = mem_alloc(VISITS * sizeof *x->visits);
    if (st == TESS_OK && !x->visits)
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
    if (st != TESS_OK)
        return st;
    x->maker.run = INT32_MAX;
    x->announced = (struct room){x->upcoming.most, x->fetch.grid->context->ahead, false};
    x->wanted = (struct room){VISITS, x->fetch.grid->context->ahead, false};
    x->box = -1;
    begin_next_box(x);
    return TESS_OK;
}

static tess_status
boxes_begin(struct boxes_ahead *x, const struct chunk_grid *grid, struct watch *watch,
            tess_error *err)
{
    static const struct fetch_reader reader = {
        .position_size = sizeof(struct ahead_chunk),
        .next_chunk = ahead_next_chunk,
        .begin_blocks = ahead_begin_blocks,
        .next_block = ahead_next_block,
        .number = ahead_number,
    };
    x->fetch =
        (struct fetch){.grid = grid, .reader = &reader, .self = x, .watch = watch, .outside = true};
    atomic_init(&x->over, false);
    pthread_mutex_init(&x->lock, NULL);
    struct io_ahead *const within = expected_chunks_ahead(grid->expected, watch);
    x->ahead = within ? io_ahead_new_within(within, boxes_ahead_is_over, x)
                      : io_ahead_new(frame_manner(grid->frame)->requests, boxes_ahead_is_over, x);
    if (!x->ahead)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
    x->call = (struct expecting_call){.watch = watch, .ahead = x->ahead};
    expected_chunks_begin(grid->expected, &x->call);
    x->all_made = grid->plain;
    return grid->plain ? TESS_OK : prepare(x, err);
}

tess_status
boxes_ahead_new(struct boxes_ahead **out, const struct chunk_grid *grid,
                const struct index_map *map,
                bool (*next_box)(void *arg, int64_t *start, int64_t *stop), void *arg,
                struct watch *watch, tess_error *err)
{
    *out = NULL;
    if (!frame_manner(grid->frame)->far)
        return TESS_OK;
    struct boxes_ahead *const x = mem_zeroed(1, sizeof *x);
    if (!x)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
    x->map = map;
    x->next_box = next_box;
    x->arg = arg;
    const tess_status st = boxes_begin(x, grid, watch, err);
    if (st == TESS_OK) {
        *out = x;
    } else {
        boxes_ahead_stop(x);
        boxes_ahead_free(x);
    }
    return st;
}

void
boxes_ahead_stop(struct boxes_ahead *x)
{
    if (!x)
        return;
    atomic_store(&x->over, true);
    if (x->call.ahead)
        expected_chunks_end(x->fetch.grid->expected, &x->call);
    x->call.ahead = NULL;
    while (x->nvisits > 0)
        forget_box(x, x->visits[0].box);
    io_ahead_stop(x->ahead);
    grain_maker_leave_chunk(&x->maker);
    upcoming_finish(&x->upcoming);
}

void
boxes_ahead_free(struct boxes_ahead *x)
{
    if (!x)
        return;
    io_ahead_free(x->ahead);
    mem_free(x->visits);
    pthread_mutex_destroy(&x->lock);
    mem_free(x);
}
