/*
 * source.h - what can be imported, as an array that is read box by box.
 */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "cli/attributes.h"

#include <tessera/params.h>

#include <stdbool.h>

// Each kind of input has this first in a struct of its own.
struct source {
    char *dtype; // NumPy's notation; freed by source_close()
    int32_t typesize;
    int ndim;
    int64_t shape[TESS_MAX_NDIM]; // prod(shape) * typesize is below 2^63
    bool fortran; // boxes are read best with the last axis slowest

    // The box [start, stop), which has items, into dst in C order.
    tess_status (*read)(struct source *s, const int64_t *start, const int64_t *stop, void *dst,
                        tess_error *err);
    // Fills attributes and fill; NULL where there are none.
    tess_status (*describe)(struct source *s, tess_error *err);
    // Frees what the kind has of its own.
    void (*close)(struct source *s);

    // Of describe().
    struct attributes attributes;
    void *fill; // an item, or NULL
};

/*
 * Open an input: `name.npy`, `file.nc:variable` (netCDF), or any other file as raw items in C
 * order. dtype and shape are for raw input, which needs both; NULL otherwise. TESS_ERR_ARG if
 * they do not suit the input.
 */
tess_status source_open(const char *name, const char *dtype, const char *shape,
                        struct source **source, tess_error *err);
void source_close(struct source *source); // NULL is fine

// The kinds, for source_open().
tess_status source_npy_open(const char *path, struct source **source, tess_error *err);
tess_status source_raw_open(const char *path, const char *dtype, int ndim, const int64_t *shape,
                            struct source **source, tess_error *err);
tess_status source_netcdf_open(const char *path, const char *variable, struct source **source,
                               tess_error *err);

// Bytes of all items; false if there are 2^63 or more.
bool source_nbytes(const struct source *source, int64_t *nbytes);

#endif
