/*
 * trial.h - one layout, measured on the sample.
 *
 * The sample becomes an array in memory in that layout. Reads and updates go to random places, the
 * same for every layout; reads keep no decoded blocks, so each pays for itself. What is measured is
 * then scaled to the array, by the ratio of what the model expects of the array and of the sample.
 *
 * A trial makes the public calls of the library, as a program would: that is what it measures. It
 * runs on the thread that measures; the calls may use other threads, which see nothing of it.
 */
#ifndef LAYOUT_TRIAL_H
#define LAYOUT_TRIAL_H

#include "layout/grids.h"
#include "layout/mix.h"
#include "layout/sample.h"
#include "task/watch.h"

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

#endif
