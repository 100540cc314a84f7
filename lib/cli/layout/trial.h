/*
 * trial.h - one layout, measured on the sample.
 *
 * The sample becomes an array in memory in that layout. Reads and updates go to random places, the
 * same for every layout; no block is kept between reads, so each pays for itself. What is measured
 * is then scaled to the array, by what the model expects of the array and of the sample.
 */
#ifndef CLI_LAYOUT_TRIAL_H
#define CLI_LAYOUT_TRIAL_H

#include "cli/layout/grid.h"
#include "cli/layout/machine.h"
#include "cli/layout/sample.h"
#include "cli/layout/uses.h"

#define TRIAL_ROUNDS 9

// Seconds, of several rounds.
struct times {
    int count;
    double seconds[TRIAL_ROUNDS];
};

// What all trials have in common.
struct setting {
    const struct sample *sample;
    const struct uses *mix;
    struct grid_space space; // of the array
    struct machine machine;
    struct model model;
    uint8_t *buffer; // as large as the sample
};

struct trial {
    tess_params params; // of the array
    struct grid grid; // its shapes
    unsigned roles; // of a contest
    double predicted; // seconds of the mix, by the model; 0: not asked

    // Of the sample.
    double ratio; // bytes of the items per stored byte
    struct times write, read; // of all of it
    struct times accesses[ACCESS_MAX];

    // Of the array, by all rounds so far.
    struct model_cost costs[ACCESS_MAX];
    double mix; // seconds
    bool wanted; // has what the user has fixed, and no loss that was not asked for
    bool explored; // its neighbours are known
    bool on_front; // no other is both smaller and faster
};

// One round more. Fills all but params, grid, roles, predicted, wanted, explored and on_front.
tess_status trial_run(struct trial *t, const struct setting *setting, tess_error *err);

// What was measured so far no longer counts.
void trial_forget(struct trial *t);

double times_median(const struct times *t); // 0 if there are none

double trial_now(void); // seconds since some moment

#endif
