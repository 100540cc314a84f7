/*
 * search.c - finds the layout in which a mix of accesses costs least, within a budget of time.
 */
#include "layout/private.h"

#include "base/error.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "filter/filter.h"
#include "geom/model.h"
#include "layout/blosc2_default.h"
#include "task/watch.h"

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
    struct search *s;
    double begin, told; // when it began, and until when the watch knows, in seconds
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
    return elapsed(r) < part * r->s->budget;
}

// The progress of a search is the time that it has taken.
static tess_status
tell_progress(struct run *r)
{
    const double now = elapsed(r);

    watch_add(r->s->setting.poll->watch, (int64_t)(now * 1e3) - (int64_t)(r->told * 1e3));
    r->told = now;
    return watch_look(r->s->setting.poll->watch, r->err);
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
find_trial(const struct search *s, const tess_params *params, const struct grid *g)
{
    for (int i = 0; i < s->count; i++)
        if (grids_equal(s->want->base.ndim, &s->trials[i].grid, g) &&
            is_same_squeeze(&s->trials[i].params, params))
            return &s->trials[i];
    return NULL;
}

static bool
is_lossy(const tess_params *p)
{
    const struct codec *const codec = codec_by_id((int)p->codec);
    bool lossy = codec && codec->lossy;

    for (int i = 0; i < TESS_MAX_FILTERS && !lossy; i++) {
        const struct filter *const filter = filter_by_id(p->filters[i]);
        lossy = filter && filter->lossy;
    }
    return lossy;
}

// Whether it has what is to be kept, and no loss that is not asked for. The known layouts need not:
// they are there to compare with.
static bool
is_grid_wanted(const struct run *r, const tess_params *p, const struct grid *g)
{
    const unsigned keep = r->s->want->options.keep;
    const struct grid_space *const space = &r->s->space;
    const tess_params *const base = &r->s->want->base;
    const size_t size = (size_t)space->ndim * sizeof g->chunk[0];

    return (!space->fixed_chunks || memcmp(g->chunk, r->s->want->automatic.chunk, size) == 0) &&
           (!space->fixed_blocks || memcmp(g->block, r->s->want->automatic.block, size) == 0) &&
           (!(keep & TESS_KEEP_CODEC) ||
            (p->codec == base->codec && p->codec_meta == base->codec_meta)) &&
           (!(keep & TESS_KEEP_LEVEL) || p->clevel == base->clevel) &&
           (!(keep & TESS_KEEP_FILTERS) ||
            (memcmp(p->filters, base->filters, sizeof p->filters) == 0 &&
             memcmp(p->filters_meta, base->filters_meta, sizeof p->filters_meta) == 0)) &&
           (!is_lossy(p) || is_lossy(base));
}

// Measure a layout, unless that was done; its place in s->trials, or -1 when all are taken.
static tess_status
try_layout(struct run *r, const tess_params *params, const struct grid *g, unsigned role,
           int *place)
{
    struct search *const s = r->s;
    struct trial *t = find_trial(s, params, g);
    tess_status st = TESS_OK;

    *place = -1;
    if (!t) {
        if (s->count == TRIALS_MOST)
            return TESS_OK;
        t = &s->trials[s->count];
        *t = (struct trial){.params = *params, .grid = *g};
        t->wanted = is_grid_wanted(r, params, g);
        grids_put(g, &t->params);
        st = trial_run(t, &s->setting, r->err);
        if (st != TESS_OK)
            return st;
        s->count++;
        st = tell_progress(r);
    }
    t->roles |= role;
    *place = (int)(t - s->trials);
    return st;
}

// Of those that are wanted; the automatic layout is.
static struct trial *
cheapest(const struct search *s)
{
    struct trial *best = NULL;

    for (int i = 0; i < s->count; i++)
        if (s->trials[i].wanted && (!best || s->trials[i].mix < best->mix))
            best = &s->trials[i];
    return best;
}

// -- 1. what is known

// Speeds of one byte, from a trial of the whole sample.
static void
learn_trial(struct search *s, const struct trial *t)
{
    struct model *const m = &s->setting.model;
    const double bytes = (double)s->setting.sample->size;

    m->decode = m->threads * times_median(&t->read) / bytes;
    m->encode = m->threads * times_median(&t->write) / bytes;
    m->ratio = t->ratio;
}

static tess_status
try_known(struct run *r, struct grid *starts, int *nstarts)
{
    struct search *const s = r->s;
    tess_params blosc2 = s->want->base, stored;
    tess_status st = TESS_OK;
    struct grid g;
    int place = 0;

    starts[0] = s->want->automatic;
    TRY(try_layout(r, &s->want->base, &starts[0], TESS_ROLE_AUTOMATIC, &place));
    learn_trial(s, &s->trials[place]);

    blosc2_default_choose(&s->want->machine, &blosc2);
    g = grids_of(&blosc2);
    TRY(try_layout(r, &blosc2, &g, TESS_ROLE_BLOSC2, &place));
    *nstarts = 1;
    if (!s->space.fixed_chunks && !s->space.fixed_blocks)
        starts[(*nstarts)++] = g;
    if (s->want->has_stored) {
        stored = s->want->base;
        tess_layout_apply(&stored, &s->want->stored);
        g = grids_of(&stored);
        st = try_layout(r, &stored, &g, TESS_ROLE_STORED, &place);
        if (st == TESS_ERR_ARG || st == TESS_ERR_UNSUPPORTED)
            return TESS_OK; // it has a codec that this program cannot write, say
        TRY(st);
        if (!s->space.fixed_chunks && !s->space.fixed_blocks)
            starts[(*nstarts)++] = g;
    }
out:
    return st;
}

// -- 2. and 3. grids

static tess_status
try_proposals(struct run *r, const struct grid *starts, int nstarts)
{
    struct search *const s = r->s;
    struct proposals *const p = mem_alloc(sizeof *p);
    tess_status st = TESS_OK;
    int place = 0;

    if (!p)
        return err_set(r->err, TESS_ERR_NOMEM, -1, "no memory for proposals");
    proposals_make(p, &s->setting.model, s->setting.mix, &s->space, starts, nstarts);
    for (int i = 0; i < p->count && has_time(r, UNTIL_PROPOSALS); i++) {
        TRY(try_layout(r, &s->want->base, &p->items[i].grid, 0, &place));
    }
out:
    mem_free(p);
    return st;
}

// The first of the best layouts whose neighbours are not all known, or NULL.
static struct trial *
unexplored(const struct search *s)
{
    struct trial *best[PEAKS];
    int count = 0;

    for (int i = 0; i < s->count; i++) {
        int at = count;

        if (!s->trials[i].wanted)
            continue;
        while (at > 0 && best[at - 1]->mix > s->trials[i].mix)
            at--;
        if (at == PEAKS)
            continue;
        count += count < PEAKS;
        memmove(&best[at + 1], &best[at], (size_t)(count - 1 - at) * sizeof best[0]);
        best[at] = &s->trials[i];
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
    struct search *const s = r->s;
    const struct grid_space *const space = &s->space;
    tess_status st = TESS_OK;

    for (struct trial *best; (best = unexplored(s)) != NULL;) {
        const struct trial here = *best;
        const double least = mix_predict(s->setting.mix, &s->setting.model, space, &here.grid);
        struct grid_step step = {0};
        struct grid next;
        int place = 0;

        best->explored = true;
        while (grids_next(space, &here.grid, &step, &next)) {
            if (!has_time(r, until)) {
                s->cut_short = true;
                best->explored = false;
                return TESS_OK;
            }
            if (grids_is_valid(space, &next) &&
                mix_predict(s->setting.mix, &s->setting.model, space, &next) <= MUCH_WORSE * least)
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
    struct search *const s = r->s;
    const struct trial best = *cheapest(s);
    tess_params params = best.params;
    tess_status st = TESS_OK;
    int place = 0;

    for (int n = 0; variants_next(n, s->want->options.keep, &params); n++) {
        if (!has_time(r, UNTIL_CODECS)) {
            s->cut_short = true;
            break;
        }
        params.split = s->want->base.split;
        TRY(try_layout(r, &params, &best.grid, 0, &place));
    }
    learn_trial(s, cheapest(s));
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
    struct search *const s = r->s;
    const struct grid_space *const space = &s->space;
    tess_status st = TESS_OK;
    int place = 0;

    if (!space->fixed_blocks)
        memcpy(g->block, g->chunk, sizeof g->block);
    do {
        const int64_t bytes = grids_items(space->ndim, g->block) * space->typesize;

        if (!space->fixed_blocks && (bytes < BLOCK_LEAST || bytes > BLOCK_MOST))
            continue;
        if (!grids_is_valid(space, g))
            continue;
        TRY(try_layout(r, params, g, 0, &place));
        if (place < 0) { // there is no room for more
            s->cut_short = true;
            return TESS_OK;
        }
    } while (!space->fixed_blocks && next_lengths(space->ndim, g->chunk, g->block));
out:
    return st;
}

static tess_status
try_everything(struct run *r)
{
    struct search *const s = r->s;
    const struct grid_space *const space = &s->space;
    const tess_params params = cheapest(s)->params;
    tess_status st = TESS_OK;
    struct grid g = s->trials[0].grid;

    if (!space->fixed_chunks)
        memcpy(g.chunk, space->shape, sizeof g.chunk);
    do {
        const int64_t items = grids_items(space->ndim, g.chunk);

        if (space->fixed_chunks || (items >= CHUNK_LEAST / space->typesize &&
                                    items <= space->chunk_most / space->typesize))
            TRY(try_blocks(r, &params, &g));
    } while (!s->cut_short && !space->fixed_chunks &&
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
sort_trials(struct search *s)
{
    qsort(s->trials, (size_t)s->count, sizeof s->trials[0], compare_trials);
}

// What was measured before was at another time, and alone: it does not count.
static tess_status
run_last_rounds(struct run *r)
{
    struct search *const s = r->s;
    tess_status st = TESS_OK;

    for (int i = 0; i < s->count; i++)
        if (s->trials[i].roles & TESS_ROLE_FINAL)
            trial_forget(&s->trials[i]);
    for (int round = 0; round < FINAL_ROUNDS && (round == 0 || has_time(r, 1)); round++)
        for (int i = 0; i < s->count; i++)
            if (s->trials[i].roles & TESS_ROLE_FINAL) {
                TRY(trial_run(&s->trials[i], &s->setting, r->err));
                TRY(tell_progress(r));
            }
out:
    return st;
}

// Whether one that was measured once seems to be better than all that were measured well.
static bool
is_doubtful(const struct search *s)
{
    return !(cheapest(s)->roles & TESS_ROLE_FINAL);
}

static tess_status
run_finals(struct run *r)
{
    struct search *const s = r->s;
    tess_status st = TESS_OK;

    do {
        sort_trials(s);
        for (int i = 0; i < s->count; i++)
            if (i < FINALISTS || s->trials[i].roles != 0)
                s->trials[i].roles |= TESS_ROLE_FINAL;
        TRY(run_last_rounds(r));
    } while (is_doubtful(s) && has_time(r, 1));
    sort_trials(s);
out:
    return st;
}

// What the result says of each layout: whether it is optimal, and which one is the best.
static void
mark_results(struct search *s)
{
    for (int i = 0; i < s->count; i++) {
        struct trial *const t = &s->trials[i];

        t->optimal = true;
        for (int k = 0; k < i; k++) // these are faster
            t->optimal = t->optimal && s->trials[k].ratio < t->ratio;
    }
    for (int i = 0; i < s->count; i++)
        if (s->trials[i].wanted && s->trials[i].roles & TESS_ROLE_FINAL) {
            s->trials[i].roles |= TESS_ROLE_BEST;
            return;
        }
}

static tess_status
run_turns(struct run *r)
{
    struct search *const s = r->s;
    tess_status st = TESS_OK;
    struct grid starts[3];
    int nstarts = 0;

    TRY(try_known(r, starts, &nstarts));
    TRY(try_proposals(r, starts, nstarts));
    TRY(try_neighbours(r, UNTIL_NEIGHBOURS));
    TRY(try_codecs(r));
    TRY(try_neighbours(r, UNTIL_NEIGHBOURS_AGAIN));
    if (s->want->options.exhaustive) {
        cheapest(s)->roles |= TESS_ROLE_PROPOSED;
        s->cut_short = false;
        TRY(try_everything(r));
        s->budget += elapsed(r); // for the last rounds
    }
    TRY(run_finals(r));
    mark_results(s);
out:
    return st;
}

tess_status
search_run(struct search *s, tess_error *err)
{
    struct run r = {.s = s, .begin = trial_now(), .err = err};

    s->trials = mem_alloc(TRIALS_MOST * sizeof *s->trials);
    if (!s->trials)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d layouts", TRIALS_MOST);
    watch_job(s->setting.poll->watch, (int64_t)(s->budget * 1e3) + 1);
    const tess_status st = run_turns(&r);
    s->seconds = elapsed(&r);
    return st;
}

void
search_finish(struct search *s)
{
    mem_free(s->trials);
    s->trials = NULL;
    s->count = 0;
}
