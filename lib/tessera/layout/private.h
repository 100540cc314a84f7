/*
 * private.h - the steps of a layout search, and what they work with, each a unit of this module:
 *
 *     grids       shapes of chunks and blocks, and their neighbours
 *     accesses    what is done with an array, with weights, as the model counts it
 *     sample      a part of an array that stands for all of it, in memory
 *     request     what the caller asks for, checked and complete
 *     proposals   what is worth measuring: grids by the model, codecs, filters
 *     trial       one layout, measured on the sample
 *     search      which layouts are measured, and which are best
 *
 * tuner.c has the public functions of a search, which runs on one thread.
 */
#ifndef LAYOUT_PRIVATE_H
#define LAYOUT_PRIVATE_H

#include "base/sized.h"
#include "geom/model.h"
#include "layout/blosc2_default.h"
#include "task/watch.h"

#include <tessera/layout.h>
#include <tessera/params.h>

#include <stdbool.h>
#include <stdint.h>

// -- grids.c: the shapes of chunks and blocks that a search considers, and their neighbours.

// The array, and the bounds of its grids.
struct grid_space {
    int ndim;
    int64_t shape[TESS_MAX_NDIM]; // no axis is empty
    int32_t typesize;
    int64_t chunk_most; // bytes
    // Bytes; a block of one item is never too large, all of an array or of a fixed chunk never too
    // small.
    int64_t block_most, block_least;
    bool fixed_chunks, fixed_blocks; // as the caller gave them
};

// The product of the lengths; INT64_MAX if it is larger.
int64_t grids_items(int ndim, const int64_t *lengths);

bool grids_equal(int ndim, const struct grid *a, const struct grid *b);

// Whether the sizes are within bounds, blocks lie inside chunks, and there are not too many of
// either.
bool grids_is_valid(const struct grid_space *space, const struct grid *g);

/*
 * The neighbours: along one axis, or shorter along one and longer along another, chunks or blocks
 * or both have half or twice the length. Lengths are such that an axis is divided evenly.
 */
struct grid_step {
    int number;
};

// The next neighbour of g, from step.number 0 on; false when there are no more. It may be g itself,
// and it may not be valid.
bool grids_next(const struct grid_space *space, const struct grid *g, struct grid_step *step,
                struct grid *neighbour);

// The shapes of an array, from and to its description.
struct grid grids_of(const tess_params *params);
void grids_put(const struct grid *g, tess_params *params);

// The shapes that the library chooses for an array, where *params has none, and bytes of its items.
// Fails if no array can be made with *params.
tess_status grids_automatic(const tess_params *params, struct grid *g, int32_t *typesize,
                            tess_error *err);

// -- accesses.c: what is done with an array: accesses with weights, as the model counts them.

struct mix {
    int count;
    tess_access items[TESS_MAX_ACCESSES]; // as the caller gave them
    struct access accesses[TESS_MAX_ACCESSES]; // the same, boxes cut to the shape
};

// Checks the accesses of the caller; items NULL: the default mix.
tess_status mix_init(struct mix *mix, const tess_access *items, int count, int ndim,
                     const int64_t *shape, tess_error *err);

// Seconds of all accesses, each as often as its weight says.
double mix_predict(const struct mix *mix, const struct model *m, const struct grid_space *space,
                   const struct grid *g);

// -- sample.c: a part of an array that stands for all of it, in memory.
//
// An array that is not larger than the sample may be is taken as it is. Of a larger one the longest
// axes are shortened, and from a shortened axis pieces are taken at equal distances, so that the
// sample has something of everywhere. Without data there is a smooth field with noise in it.

struct sample {
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
    bool whole; // it is the array
    size_t size; // bytes
    uint8_t *items; // in C order
};

// `size` bytes are as many as it may have. End it with sample_close(), also after a failure.
tess_status sample_take(struct sample *s, const tess_params *array, int64_t size,
                        tess_tuner_read_fn *read, void *from, tess_error *err);

// The same without data: a smooth field with noise, between 0 and 1000.
tess_status sample_generate(struct sample *s, const tess_params *array, int64_t size,
                            tess_error *err);

void sample_close(struct sample *s); // also one of zeros

// -- numbers that look random, the same in each run: places of accesses, generated fields
//
// The finaliser of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014).

#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t
sample_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

// The next number of a sequence.
static inline uint64_t
sample_random(uint64_t *state)
{
    return sample_mix(*state += RANDOM_STEP);
}

// -- request.c: what the caller of a proposal or a search asks for, checked and complete.

#define TUNER_OPTIONS_LEAST SIZED_UP_TO(tess_tuner_options, stored)

struct request {
    tess_params base; // the array, with what is to be kept, and the codec to begin with
    tess_tuner_options options; // its pointers are not used; see below
    tess_context context; // its executor is the one below, or NULL
    tess_executor executor;
    tess_params stored; // the array's own layout
    bool has_stored;

    struct mix mix;
    struct grid automatic; // the library's choice, with the shapes that are kept
    struct grid_space space; // without what depends on a sample
    struct machine machine;
};

// Bytes of decoded blocks that an array of the request may keep.
int64_t request_cache(const struct request *r);

// options NULL: the defaults. What params refers to must live as long as the request.
tess_status request_init(struct request *r, const tess_params *params,
                         const tess_tuner_options *options, tess_error *err);

// The most threads that work on a call with the context of the request; at least 1.
int request_threads(const struct request *r);

// -- proposals.c: the grids that are worth measuring.
//
// From some grids to start with, each step goes to the neighbour that the model finds cheapest,
// until there is none cheaper. Starting points are those the caller knows (the automatic layout,
// that of python-blosc2, what the array has) and for each access one whose blocks have the form of
// its box. Grids met on the way that are nearly as cheap are kept, too, since the model is
// rough.

#define PROPOSALS_MAX 64

struct proposal {
    struct grid grid;
    double predicted; // seconds of the mix
};

struct proposals {
    int count;
    struct proposal items[PROPOSALS_MAX]; // the cheapest first
};

// The model has a decoding speed already; at least one grid to start with, the first of which has
// the shapes that are fixed.
void proposals_make(struct proposals *p, const struct model *model, const struct mix *mix,
                    const struct grid_space *space, const struct grid *starts, int nstarts);

// -- proposals.c: the codecs, levels and filters that are tried, all without loss.

// Number n of those that are worth trying, as codec, level and filters of *params, except for those
// that TESS_KEEP_ bits keep as they are; false if there are no more.
bool variants_next(int n, unsigned keep, tess_params *params);

// -- trial.c: one layout, measured on the sample.
//
// The sample becomes an array in memory in that layout. Reads and updates go to random places, the
// same for every layout; reads keep no decoded blocks, so each pays for itself. What is measured is
// then scaled to the array, by the ratio of what the model expects of the array and of the sample.
//
// A trial makes the public calls of the library, as a program would: that is what it measures. It
// runs on the thread that measures; the calls may use other threads, which see nothing of it.

#define TRIAL_ROUNDS 9

// Seconds, of several rounds.
struct times {
    int count;
    double seconds[TRIAL_ROUNDS];
};

// What all trials of a search have in common.
struct setting {
    const struct sample *sample;
    const struct mix *mix;
    int64_t shape[TESS_MAX_NDIM]; // of the array
    int32_t typesize;
    struct model model; // its threads are those of the calls
    const tess_executor *executor; // of the calls
    uint8_t *buffer; // as large as the sample
    struct poll *poll; // of the call that measures; NULL: it is not watched
};

// Whether the program cancels, which is asked during a trial, too.
struct poll {
    struct watch *watch;
    bool cancelled; // a measured call that is at its end does not return it
};

struct trial {
    tess_params params; // of the array
    struct grid grid; // its shapes
    unsigned roles; // TESS_ROLE_ bits

    // Of the sample.
    double ratio; // bytes of the items per stored byte
    struct times write, read; // of all of it
    struct times accesses[TESS_MAX_ACCESSES];

    // Of the array, by all rounds so far.
    struct model_cost costs[TESS_MAX_ACCESSES];
    double mix; // seconds
    bool wanted; // has what is to be kept, and no loss that was not asked for
    bool explored; // its neighbours are known
    bool optimal; // no other is both smaller and faster
};

// One round more. Changes only what was measured: ratio, write, read, accesses, costs, mix.
tess_status trial_run(struct trial *t, const struct setting *setting, tess_error *err);

// What was measured so far no longer counts.
void trial_forget(struct trial *t);

double times_median(const struct times *t); // 0 if there are none

double trial_now(void); // seconds since some moment

// -- search.c: finds the layout in which a mix of accesses costs least, within a budget of time.
//
// In turns, each as long as the budget allows:
//
//  1. what is known is measured: the automatic layout, that of python-blosc2, what the array has;
//  2. the model, which now knows the speed of the codec, proposes grids, and the best are measured;
//  3. from the best one on, its neighbours are measured, until none is better;
//  4. the best grid is measured with other codecs, levels and filters, then neighbours again;
//  5. the best layouts, and the known ones, are measured in turns, several rounds; medians count.
//
// What the caller wants to keep stays as it is. A search belongs to one thread.

struct search {
    const struct request *want;
    struct setting setting;
    struct grid_space space; // that of the request, bounded by the sample
    double budget; // seconds

    int count;
    struct trial *trials; // the cheapest first
    double seconds; // that it took
    bool cut_short; // before all had been looked at: by the budget, or for want of room
};

// Into s->trials. End with search_finish() in any case. The known layouts are measured whatever the
// budget.
tess_status search_run(struct search *s, tess_error *err);

void search_finish(struct search *s);

#endif
