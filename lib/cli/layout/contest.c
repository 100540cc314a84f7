/*
 * contest.c - finds the layout in which a mix of accesses costs least, within a budget of time.
 */
#include "cli/layout/contest.h"

#include "cli/layout/grid.h"
#include "cli/layout/habit.h"
#include "cli/layout/proposals.h"
#include "cli/layout/uses.h"
#include "cli/report.h"
#include "cli/text/progress.h"
#include "geom/model.h"

#include <stdlib.h>
#include <string.h>

#define TRIALS_MOST 8192
#define FINALISTS 6
#define FINAL_ROUNDS 5

// Parts of the budget by whose end a turn is over; the last rounds have the rest.
#define UNTIL_PROPOSALS 0.30
#define UNTIL_NEIGHBOURS 0.50
#define UNTIL_CODECS 0.75
#define UNTIL_NEIGHBOURS_AGAIN 0.88

#define PEAKS 3 // layouts whose neighbours are tried
#define MUCH_WORSE 2 // times the predicted cost of the best: not worth a trial

// Of blocks and chunks when all are tried.
#define BLOCK_LEAST (INT64_C(16) << 10)
#define BLOCK_MOST (INT64_C(1) << 20)
#define CHUNK_LEAST (INT64_C(512) << 10)

struct run {
    struct contest *c;
    struct grid automatic; // has the shapes that are fixed
    struct progress progress;
    double begin, heard; // when it began, and until when the bar knows
    tess_error *err;
};

static double
elapsed(const struct run *r)
{
    return trial_now() - r->begin;
}

static bool
has_time(struct run *r, double part)
{
    return elapsed(r) < part * r->c->budget;
}

static void
tell(struct run *r)
{
    const double now = elapsed(r);

    progress_add(&r->progress, now - r->heard);
    r->heard = now;
}

// -- trials

static bool
is_same_squeeze(const tess_params *a, const tess_params *b)
{
    return a->codec == b->codec && a->codec_meta == b->codec_meta && a->clevel == b->clevel &&
           a->split == b->split && a->dictionary == b->dictionary &&
           memcmp(a->filters, b->filters, sizeof a->filters) == 0 &&
           memcmp(a->filters_meta, b->filters_meta, sizeof a->filters_meta) == 0;
}

static struct trial *
find_trial(const struct contest *c, const tess_params *params, const struct grid *g)
{
    for (int i = 0; i < c->count; i++)
        if (grid_equal(c->base.ndim, &c->trials[i].grid, g) &&
            is_same_squeeze(&c->trials[i].params, params))
            return &c->trials[i];
    return NULL;
}

// Whether items that went through it once are changed again when blocks are others.
static bool
is_lossy(const tess_params *p)
{
    return p->codec == TESS_CODEC_ZFP_ACCURACY || p->codec == TESS_CODEC_ZFP_PRECISION ||
           p->codec == TESS_CODEC_ZFP_RATE ||
           memchr(p->filters, TESS_FILTER_NDMEAN, sizeof p->filters);
}

// Whether it has what the user has fixed, and no loss that is not asked for. What is known need
// not, and is there to compare with.
static bool
is_wanted(const struct run *r, const tess_params *p, const struct grid *g)
{
    const struct codecs_fixed *const fixed = &r->c->fixed;
    const struct grid_space *const space = &r->c->setting.space;
    const tess_params *const base = &r->c->base;
    const size_t size = (size_t)space->ndim * sizeof g->chunk[0];

    return (!space->fixed_chunks || memcmp(g->chunk, r->automatic.chunk, size) == 0) &&
           (!space->fixed_blocks || memcmp(g->block, r->automatic.block, size) == 0) &&
           (!fixed->codec || (p->codec == base->codec && p->codec_meta == base->codec_meta)) &&
           (!fixed->level || p->clevel == base->clevel) &&
           (!fixed->filters ||
            (memcmp(p->filters, base->filters, sizeof p->filters) == 0 &&
             memcmp(p->filters_meta, base->filters_meta, sizeof p->filters_meta) == 0)) &&
           (!is_lossy(p) || is_lossy(base));
}

// Measure a layout, unless that was done; its place in c->trials, or -1 when all are taken.
static tess_status
try_layout(struct run *r, const tess_params *params, const struct grid *g, unsigned role,
           int *place)
{
    struct contest *const c = r->c;
    struct trial *t = find_trial(c, params, g);
    tess_status st = TESS_OK;

    *place = -1;
    if (!t) {
        if (c->count == TRIALS_MOST)
            return TESS_OK;
        t = &c->trials[c->count];
        *t = (struct trial){.params = *params, .grid = *g};
        t->wanted = is_wanted(r, params, g);
        grid_put(g, &t->params);
        st = trial_run(t, &c->setting, r->err);
        if (st != TESS_OK)
            return st;
        c->count++;
        tell(r);
    }
    t->roles |= role;
    *place = (int)(t - c->trials);
    return TESS_OK;
}

// Of those that are wanted; the automatic layout is.
static struct trial *
cheapest(const struct contest *c)
{
    struct trial *best = NULL;

    for (int i = 0; i < c->count; i++)
        if (c->trials[i].wanted && (!best || c->trials[i].mix < best->mix))
            best = &c->trials[i];
    return best;
}

// -- 1. what is known

// Speeds of one byte, from a trial of the whole sample.
static void
learn(struct contest *c, const struct trial *t)
{
    struct model *const m = &c->setting.model;
    const double bytes = (double)c->setting.sample->size;

    m->decode = m->threads * times_median(&t->read) / bytes;
    m->encode = m->threads * times_median(&t->write) / bytes;
    m->ratio = t->ratio;
}

static tess_status
try_known(struct run *r, const tess_params *stored, struct grid *starts, int *nstarts)
{
    struct contest *const c = r->c;
    tess_params habit = c->base;
    tess_status st = TESS_OK;
    struct grid g;
    int place = 0;

    TRY(grid_automatic(&c->base, &starts[0], r->err));
    r->automatic = starts[0];
    TRY(try_layout(r, &c->base, &starts[0], ROLE_AUTOMATIC, &place));
    learn(c, &c->trials[place]);

    habit_choose(&c->setting.machine, &habit);
    g = grid_of(&habit);
    TRY(try_layout(r, &habit, &g, ROLE_HABIT, &place));
    *nstarts = 1;
    if (!c->setting.space.fixed_chunks && !c->setting.space.fixed_blocks)
        starts[(*nstarts)++] = g;
    if (stored) {
        g = grid_of(stored);
        st = try_layout(r, stored, &g, ROLE_STORED, &place);
        if (st == TESS_ERR_ARG || st == TESS_ERR_UNSUPPORTED)
            return TESS_OK; // it has a codec that this program cannot write, say
        TRY(st);
        if (!c->setting.space.fixed_chunks && !c->setting.space.fixed_blocks)
            starts[(*nstarts)++] = g;
    }
out:
    return st;
}

// -- 2. and 3. grids

static tess_status
try_proposals(struct run *r, const struct grid *starts, int nstarts)
{
    struct contest *const c = r->c;
    struct proposals *const p = malloc(sizeof *p);
    tess_status st = TESS_OK;
    int place = 0;

    if (!p)
        return report_nomem(r->err, sizeof *p);
    proposals_make(p, &c->setting.model, c->setting.mix, &c->setting.space, starts, nstarts);
    for (int i = 0; i < p->count && has_time(r, UNTIL_PROPOSALS); i++) {
        TRY(try_layout(r, &c->base, &p->items[i].grid, 0, &place));
        if (place >= 0)
            c->trials[place].predicted = p->items[i].predicted;
    }
out:
    free(p);
    return st;
}

// The first of the best layouts whose neighbours are not all known, or NULL.
static struct trial *
unexplored(const struct contest *c)
{
    struct trial *best[PEAKS];
    int count = 0;

    for (int i = 0; i < c->count; i++) {
        int at = count;

        if (!c->trials[i].wanted)
            continue;
        while (at > 0 && best[at - 1]->mix > c->trials[i].mix)
            at--;
        if (at == PEAKS)
            continue;
        count += count < PEAKS;
        memmove(&best[at + 1], &best[at], (size_t)(count - 1 - at) * sizeof best[0]);
        best[at] = &c->trials[i];
    }
    for (int i = 0; i < count; i++)
        if (!best[i]->explored)
            return best[i];
    return NULL;
}

// Neighbours of the best layouts, until those of the best few are all known.
static tess_status
try_neighbours(struct run *r, double until)
{
    struct contest *const c = r->c;
    const struct grid_space *const space = &c->setting.space;
    tess_status st = TESS_OK;

    for (struct trial *best; (best = unexplored(c)) != NULL;) {
        const struct trial here = *best;
        const double least = uses_predict(c->setting.mix, &c->setting.model, space->ndim,
                                          space->shape, space->typesize, &here.grid);
        struct grid_step step = {0};
        struct grid next;
        int place = 0;

        best->explored = true;
        while (grid_next(space, &here.grid, &step, &next)) {
            if (!has_time(r, until)) {
                c->cut_short = true;
                best->explored = false;
                return TESS_OK;
            }
            if (grid_is_valid(space, &next) &&
                uses_predict(c->setting.mix, &c->setting.model, space->ndim, space->shape,
                             space->typesize, &next) <= MUCH_WORSE * least)
                TRY(try_layout(r, &here.params, &next, 0, &place));
        }
    }
out:
    return st;
}

// -- 4. codecs

static tess_status
try_codecs(struct run *r)
{
    struct contest *const c = r->c;
    const struct trial best = *cheapest(c);
    tess_params params = best.params;
    tess_status st = TESS_OK;
    int place = 0;

    for (int n = 0; codecs_next(n, &c->fixed, &params); n++) {
        if (!has_time(r, UNTIL_CODECS)) {
            c->cut_short = true;
            break;
        }
        params.split = c->base.split;
        TRY(try_layout(r, &params, &best.grid, 0, &place));
    }
    learn(c, cheapest(c));
out:
    return st;
}

// -- all grids

// The next length that an axis of n items has with half as many parts; 0 after the last one.
static int64_t
next_length(int64_t n, int64_t length)
{
    int64_t parts = 1;

    while ((n - 1) / parts + 1 >= length && parts <= n / 2)
        parts *= 2;
    if ((n - 1) / parts + 1 >= length)
        parts = n;
    const int64_t next = (n - 1) / parts + 1;
    return length == 1 || next >= length ? 0 : next;
}

// Count through the lengths of each axis, from all of it to 1.
static bool
next_lengths(int ndim, const int64_t *whole, int64_t *lengths)
{
    for (int i = ndim - 1; i >= 0; i--) {
        lengths[i] = next_length(whole[i], lengths[i]);
        if (lengths[i] > 0)
            return true;
        lengths[i] = whole[i];
    }
    return false;
}

static tess_status
try_blocks(struct run *r, const tess_params *params, struct grid *g)
{
    struct contest *const c = r->c;
    const struct grid_space *const space = &c->setting.space;
    tess_status st = TESS_OK;
    int place = 0;

    if (!space->fixed_blocks)
        memcpy(g->block, g->chunk, sizeof g->block);
    do {
        const int64_t bytes = grid_items(space->ndim, g->block) * space->typesize;

        if (!space->fixed_blocks && (bytes < BLOCK_LEAST || bytes > BLOCK_MOST))
            continue;
        if (!grid_is_valid(space, g))
            continue;
        TRY(try_layout(r, params, g, 0, &place));
        if (place < 0) { // there is no room for more
            c->cut_short = true;
            return TESS_OK;
        }
    } while (!space->fixed_blocks && next_lengths(space->ndim, g->chunk, g->block));
out:
    return st;
}

static tess_status
try_everything(struct run *r)
{
    struct contest *const c = r->c;
    const struct grid_space *const space = &c->setting.space;
    const tess_params params = cheapest(c)->params;
    tess_status st = TESS_OK;
    struct grid g = c->trials[0].grid;

    if (!space->fixed_chunks)
        memcpy(g.chunk, space->shape, sizeof g.chunk);
    do {
        const int64_t items = grid_items(space->ndim, g.chunk);

        if (space->fixed_chunks || (items >= CHUNK_LEAST / space->typesize &&
                                    items <= space->chunk_most / space->typesize))
            TRY(try_blocks(r, &params, &g));
    } while (!c->cut_short && !space->fixed_chunks &&
             next_lengths(space->ndim, space->shape, g.chunk));
out:
    return st;
}

// -- 5. the last rounds

static int
compare_trials(const void *a, const void *b)
{
    const double x = ((const struct trial *)a)->mix, y = ((const struct trial *)b)->mix;
    return (x > y) - (x < y);
}

static void
sort(struct contest *c)
{
    qsort(c->trials, (size_t)c->count, sizeof c->trials[0], compare_trials);
}

// What was measured before was at another time, and alone: it does not count.
static tess_status
run_last_rounds(struct run *r)
{
    struct contest *const c = r->c;
    tess_status st = TESS_OK;

    for (int i = 0; i < c->count; i++)
        if (c->trials[i].roles & ROLE_FINAL)
            trial_forget(&c->trials[i]);
    for (int round = 0; round < FINAL_ROUNDS && (round == 0 || has_time(r, 1)); round++)
        for (int i = 0; i < c->count; i++)
            if (c->trials[i].roles & ROLE_FINAL) {
                TRY(trial_run(&c->trials[i], &c->setting, r->err));
                tell(r);
            }
out:
    return st;
}

// Whether one that was measured once seems to be better than all that were measured well.
static bool
is_doubtful(const struct contest *c)
{
    return !(cheapest(c)->roles & ROLE_FINAL);
}

static tess_status
run_finals(struct run *r)
{
    struct contest *const c = r->c;
    tess_status st = TESS_OK;

    do {
        sort(c);
        for (int i = 0; i < c->count; i++)
            if (i < FINALISTS || c->trials[i].roles != 0)
                c->trials[i].roles |= ROLE_FINAL;
        TRY(run_last_rounds(r));
    } while (is_doubtful(c) && has_time(r, 1));
    sort(c);
out:
    return st;
}

static void
mark(struct contest *c)
{
    for (int i = 0; i < c->count; i++) {
        struct trial *const t = &c->trials[i];

        t->on_front = true;
        for (int k = 0; k < i; k++) // these are faster
            t->on_front = t->on_front && c->trials[k].ratio < t->ratio;
    }
    for (int i = 0; i < c->count; i++)
        if (c->trials[i].wanted && c->trials[i].roles & ROLE_FINAL) {
            c->trials[i].roles |= ROLE_BEST;
            return;
        }
}

static tess_status
run_turns(struct run *r, const tess_params *stored)
{
    struct contest *const c = r->c;
    tess_status st = TESS_OK;
    struct grid starts[3];
    int nstarts = 0;

    TRY(try_known(r, stored, starts, &nstarts));
    TRY(try_proposals(r, starts, nstarts));
    TRY(try_neighbours(r, UNTIL_NEIGHBOURS));
    TRY(try_codecs(r));
    TRY(try_neighbours(r, UNTIL_NEIGHBOURS_AGAIN));
    if (c->exhaustive) {
        cheapest(c)->roles |= ROLE_PROPOSED;
        c->cut_short = false;
        TRY(try_everything(r));
        c->budget += elapsed(r); // for the last rounds
    }
    TRY(run_finals(r));
    mark(c);
out:
    return st;
}

tess_status
contest_run(struct contest *c, const tess_params *stored, tess_error *err)
{
    struct run r = {.c = c, .begin = trial_now(), .err = err};

    c->trials = malloc(TRIALS_MOST * sizeof *c->trials);
    if (!c->trials)
        return report_nomem(err, TRIALS_MOST * sizeof *c->trials);
    progress_begin(&r.progress, c->budget);
    const tess_status st = run_turns(&r, stored);
    progress_end(&r.progress);
    c->seconds = elapsed(&r);
    return st;
}

const struct trial *
contest_find(const struct contest *c, unsigned role)
{
    for (int i = 0; i < c->count; i++)
        if (c->trials[i].roles & role)
            return &c->trials[i];
    return NULL;
}

void
contest_finish(struct contest *c)
{
    free(c->trials);
    c->trials = NULL;
}
