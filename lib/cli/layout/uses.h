/*
 * uses.h - what is done with an array, and how often: `plane:0*10,row,point*100,append:0`.
 */
#ifndef CLI_LAYOUT_USES_H
#define CLI_LAYOUT_USES_H

#include "geom/access.h"
#include "geom/model.h"

#include <tessera/params.h>

#include <stdint.h>

#define ACCESS_MAX 16 // in one mix
#define ACCESS_TEXT_SIZE 64

struct use {
    struct access access;
    char text[ACCESS_TEXT_SIZE]; // as it was written, without the weight
    double weight; // how often, > 0
};

struct uses {
    int count; // >= 1
    struct use items[ACCESS_MAX];
};

/*
 * Accesses with commas between them, each with `*WEIGHT` behind it or once:
 *
 *     full            all items are read
 *     plane:K[:N]     one index (N of them) of axis K and all of the others
 *     line:K          all of axis K, and one index of the others
 *     row             the same along the last axis
 *     point           one item
 *     box:SHAPE       a box of that shape
 *     update:SHAPE    such a box is written
 *     append:K[:N]    axis K grows by one index (N of them)
 *     write           all items are written
 *
 * K may be negative, from the end. Boxes are cut to the shape. TESS_ERR_ARG says what is wrong.
 */
tess_status uses_parse(const char *text, int ndim, const int64_t *shape, struct uses *uses,
                       tess_error *err);

// The mix if none is given: all items, a plane across each axis, and some points.
void uses_default(int ndim, struct uses *uses);

// Seconds of all, each as often as it says.
double uses_predict(const struct uses *uses, const struct model *m, int ndim, const int64_t *shape,
                    int32_t typesize, const struct grid *g);

#endif
