/*
 * source.h - what can be imported, as an array that is read box by box.
 */
#ifndef TESS_FORMATS_SOURCE_H
#define TESS_FORMATS_SOURCE_H

#include "data/box_walk.h"
#include "formats/attributes.h"
#include "formats/feed.h"

#include <tessera/params.h>

#include <stdbool.h>

// Each kind of input has this first in a struct of its own.
struct source {
    char *dtype; // NumPy's notation; freed by source_close()
    int32_t typesize;
    int ndim;
    int64_t shape[TESS_MAX_NDIM]; // prod(shape) * typesize is below 2^63
    bool fortran; // boxes are read best with the last axis slowest
    bool sequential; // each item can be read once, in the order of a feed: source_order()

    // The box [start, stop), which has items, into dst in C order.
    tess_status (*read)(struct source *s, const int64_t *start, const int64_t *stop, void *dst,
                        tess_error *err);
    // Whether the box may have an item that differs from `rest`. NULL: always.
    bool (*stores)(struct source *s, const int64_t *start, const int64_t *stop);
    // After the last box: TESS_ERR_CORRUPT or, if it was described wrongly, TESS_ERR_ARG if there
    // is more. NULL where that was looked at before.
    tess_status (*finish)(struct source *s, tess_error *err);
    // Fills attributes and fill; NULL where there are none.
    tess_status (*describe)(struct source *s, tess_error *err);
    // Frees what the kind has of its own.
    void (*close)(struct source *s);

    // Set by describe().
    struct attributes attributes;
    void *fill; // an item, or NULL
    void *rest; // with `stores`: the value of items that are not stored; NULL: zeros
};

/*
 * Open an input: `name.npy`, `file.npz:member`, `file.nc:variable` (netCDF), `file.h5:/dataset`
 * (HDF5), or `-` for .npy or raw items on standard input. Any other file is raw items in C order.
 * The part behind the colon may be omitted if the file has only one array. The format is recognised
 * by the first bytes, whatever the suffix. Raw input requires dtype and shape; for other formats
 * they are NULL. TESS_ERR_ARG if they do not match the input, or its format cannot be imported.
 */
tess_status source_open(const char *name, const char *dtype, const char *shape,
                        struct source **source, tess_error *err);
void source_close(struct source *source); // NULL is fine

// Whether `name` is an input of one of these formats, not an array or raw items. Recognised by the
// first bytes, the suffix, or a colon.
bool source_is_meant(const char *name);

struct tree;
// List the contents of a netCDF or HDF5 file.
tess_status source_list(const char *name, struct tree *t, tess_error *err);
// Open a variable of such a file. path: "a/b"; its names may have any characters.
tess_status source_open_variable(const char *name, const char *path, struct source **source,
                                 tess_error *err);
// Whether `name` is a netCDF or HDF5 file, without a variable behind a colon.
bool source_is_tree(const char *name);

// In which order the boxes of a walk are to be read.
enum box_walk_order source_order(const struct source *source);
// After the last box, all of which were read.
tess_status source_finish(struct source *source, tess_error *err);

// The kinds, for source_open().
tess_status source_netcdf_open(const char *path, const char *variable, struct source **source,
                               tess_error *err);
tess_status source_hdf5_open(const char *path, const char *dataset, struct source **source,
                             tess_error *err);
// Of the feed, which they close, also when they fail; without one of the file.
tess_status source_npy_open(const char *path, struct feed *feed, struct source **source,
                            tess_error *err);
tess_status source_raw_open(const char *path, struct feed *feed, const char *dtype, int ndim,
                            const int64_t *shape, struct source **source, tess_error *err);

// For the kinds: the typesize from the dtype; TESS_ERR_UNSUPPORTED if it is not understood.
tess_status source_set_typesize(struct source *s, tess_error *err);

// Bytes of all items; false if there are 2^63 or more.
bool source_nbytes(const struct source *source, int64_t *nbytes);

#endif
