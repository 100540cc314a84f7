/*
 * search.h - finds the layout in which a mix of accesses costs least, within a budget of time.
 *
 * In turns, each as long as the budget allows:
 *
 *  1. what is known is measured: the automatic layout, that of python-blosc2, what the array has;
 *  2. the model, which now knows the speed of the codec, proposes grids, and the best are measured;
 *  3. from the best one on, its neighbours are measured, until none is better;
 *  4. the best grid is measured with other codecs, levels and filters, then neighbours again;
 *  5. the best layouts, and the known ones, are measured in turns, several rounds; medians count.
 *
 * What the caller wants to keep stays as it is. A search belongs to one thread.
 */
#ifndef LAYOUT_SEARCH_H
#define LAYOUT_SEARCH_H

#include "layout/grids.h"
#include "layout/request.h"
#include "layout/trial.h"

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
