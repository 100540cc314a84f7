/*
 * access.h - what is done with an array, and how often: `plane:0*10,row,point*100,append:0`.
 */
#ifndef CLI_LAYOUT_ACCESS_H
#define CLI_LAYOUT_ACCESS_H

#include <tessera/params.h>

#include <stdint.h>

#define ACCESS_MAX 16 // in one mix
#define ACCESS_TEXT_SIZE 64

enum access_kind {
    ACCESS_READ, // a box, anywhere in the array
    ACCESS_UPDATE, // likewise, written
    ACCESS_APPEND, // the array grows by the box
    ACCESS_WRITE // the array is made from its items
};

struct access {
    enum access_kind kind;
    char text[ACCESS_TEXT_SIZE]; // as it was written, without the weight
    int axis; // that grows
    int64_t extent[TESS_MAX_NDIM]; // of the box; ACCESS_WHOLE: all of the axis
    double weight; // how often, > 0
};

#define ACCESS_WHOLE (-1)

struct access_mix {
    int count; // >= 1
    struct access items[ACCESS_MAX];
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
tess_status access_parse(const char *text, int ndim, const int64_t *shape, struct access_mix *mix,
                         tess_error *err);

// A mix for those who name none: all items, a plane across each axis, and some points.
void access_default(int ndim, struct access_mix *mix);

// The box in an array of that shape: the extent, whole axes and too long ones cut to it.
void access_extent(const struct access *a, int ndim, const int64_t *shape, int64_t *extent);

#endif
