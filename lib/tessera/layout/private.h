/*
 * private.h - the steps of a layout search, each a unit of this module:
 *
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
#include "layout/accesses.h"
#include "layout/blosc2_default.h"
#include "layout/grids.h"
#include "layout/sample.h"
#include "task/watch.h"

#include <tessera/layout.h>

#include <stdbool.h>

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
