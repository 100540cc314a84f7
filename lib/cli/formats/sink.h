/*
 * sink.h - what an array can be exported to, as files that are written box by box.
 */
#ifndef CLI_FORMATS_SINK_H
#define CLI_FORMATS_SINK_H

#include "cli/formats/attributes.h"
#include "cli/select.h"

#include <tessera/array.h>

// What is exported. All that it points to stays.
struct sink_plan {
    const tess_info *info; // of the array
    const struct selection *selection;
    const int64_t *grain; // of pick_grid()
    struct attributes *attributes; // of the array
    int level; // of compression, 0 to 9
};

// Each kind has this first in a struct of its own.
struct sink {
    // All boxes of the selection [start, stop), counted in selected items along each axis of the
    // array; src is theirs to change.
    tess_status (*write)(struct sink *s, const int64_t *start, const int64_t *stop, void *src,
                         size_t size, tess_error *err);
    // Closes the file, when all is in it.
    tess_status (*finish)(struct sink *s, tess_error *err);
    // Frees all; after a failure before finish(), too.
    void (*close)(struct sink *s);
};

// The axes that come out, of one box: dropped ones are gone.
int sink_axes(const struct selection *sel, const int64_t *in, int64_t *out);
// The name of an axis that comes out, from ATTRIBUTES_DIMENSIONS; NULL if there is none.
const char *sink_dimension(const struct sink_plan *plan, int axis);

void sink_close(struct sink *sink); // NULL is fine

// The kinds. `path` is a name that nothing has.
tess_status sink_npy_open(const char *path, const struct sink_plan *plan, struct sink **sink,
                          tess_error *err);
tess_status sink_raw_open(const char *path, const struct sink_plan *plan, struct sink **sink,
                          tess_error *err);
// Boxes come in the order of WALK_STREAM.
tess_status sink_stdout_open(const struct sink_plan *plan, struct sink **sink, tess_error *err);
tess_status sink_netcdf_open(const char *path, const char *variable, const struct sink_plan *plan,
                             struct sink **sink, tess_error *err);
tess_status sink_hdf5_open(const char *path, const char *dataset, const struct sink_plan *plan,
                           struct sink **sink, tess_error *err);

#endif
