/*
 * contest.h - finds the layout in which a mix of accesses costs least, within a budget of time.
 *
 * In turns, each as long as the budget lets it:
 *
 *  1. what is known is measured: the automatic layout, the habit of others, what the array has;
 *  2. the model, which now knows the speed of the codec, proposes grids, and the best are measured;
 *  3. from the best one on, its neighbours are measured, until none is better;
 *  4. the best grids are measured with other codecs, levels and filters, then neighbours again;
 *  5. the best layouts, and the known ones, are measured in turns, several rounds; medians count.
 *
 * What the user has fixed stays as it is.
 */
#ifndef CLI_LAYOUT_CONTEST_H
#define CLI_LAYOUT_CONTEST_H

#include "cli/layout/codecs.h"
#include "cli/layout/trial.h"

#define ROLE_BEST (1u << 0)
#define ROLE_AUTOMATIC (1u << 1) // what the library chooses if nothing is said
#define ROLE_HABIT (1u << 2) // what others do (habit.h)
#define ROLE_STORED (1u << 3) // what the array has
#define ROLE_PROPOSED (1u << 4) // the best before all were measured
#define ROLE_FINAL (1u << 5) // measured in the last rounds

struct contest {
    struct setting setting;
    tess_params base; // the array, with what the user wants, and the default codec
    struct codecs_fixed fixed;
    double budget; // seconds
    bool exhaustive; // then measure all grids that divide axes by powers of two, however long it
                     // takes

    int count;
    struct trial *trials; // the cheapest first
    double seconds; // that it took
    bool cut_short; // before all had been looked at: by the budget, or for want of room
};

// Into c->trials. `stored` is the array's own layout, or NULL. End with contest_finish() in any
// case. No trial is worth less than one round; the first three are run whatever the budget.
tess_status contest_run(struct contest *c, const tess_params *stored, tess_error *err);

// The trial with that role, or NULL.
const struct trial *contest_find(const struct contest *c, unsigned role);

void contest_finish(struct contest *c);

#endif
