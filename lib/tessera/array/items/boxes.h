/*
 * boxes.h - many boxes of an array, which may be a view.
 *
 * Here boxes of a view become boxes of its base (geom/index_map.h), and what boxes show past the
 * edges of the array is made of what is inside (geom/index_map.h). Boxes stand in memory one after
 * the other, each in C order.
 *
 * Nothing is kept between calls, and there is no lock. A selection is made by the calling thread,
 * does not change afterwards, and is read by the workers of the job. Any number of threads at once.
 */
#ifndef ARRAY_ITEMS_BOXES_H
#define ARRAY_ITEMS_BOXES_H

#include "array/array.h"
#include "select/selection.h"

#include <tessera/boxes.h>

// Some boxes, each with items.
struct boxes {
    int64_t n;
    const int64_t *starts; // n * ndim
    const int64_t *shape;
    int64_t nitems; // of one box
    tess_edge edge; // TESS_EDGE_ERROR: all lie inside the array
    const uint8_t *fill; // the item for TESS_EDGE_FILL; NULL: the array's
};

tess_status array_get_boxes(const tess_array *a, const struct boxes *boxes, uint8_t *dst,
                            struct watch *watch, tess_error *err);

// The boxes, none of which leaves the array, to be written (select/gather.h): of an item that is
// in several boxes, the last value stays. Zeroed at first; ended also after a failure.
struct boxes_chosen {
    struct selection selection;
    struct box_list list; // of which the selection is
};
tess_status array_choose_boxes(const tess_array *a, const struct boxes *boxes,
                               struct boxes_chosen *chosen, tess_error *err);
void boxes_chosen_finish(struct boxes_chosen *chosen);

#endif
