/*
 * sink.h - what an array can be exported to, as files that are written box by box.
 */
#ifndef TESS_FORMATS_SINK_H
#define TESS_FORMATS_SINK_H

#include "data/picked/select.h"
#include "formats/attributes.h"
#include "formats/tree/tree.h"

#include <tessera/array.h>

// What is exported. All that it points to stays.
struct sink_plan {
    const tess_info *info; // of the array
    const struct slice_range *selection;
    const int64_t *grain; // of pick_grid()
    struct attributes *attributes; // of the array
    int level; // of compression, 0 to 9; -1: not given
    const char *part; // what the array is called in a file that can hold several
    const char *old; // the file of which a changed copy is wanted; NULL: a file of its own
    bool replace; // what `old` holds under that name

    // One of several arrays of a file that is being made; else NULL. There is no path then.
    struct sink_file *file;
    struct tree *tree; // all that goes into it
    const char *group; // the path of the group in which the array is
};

#define SINK_LEVEL 4 // if none is given

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
    // What the file does not say, or says otherwise than the array; "": nothing.
    char remark[200];
};

// Adds a sentence to the remark.
void sink_remark(struct sink *s, const char *format, ...) TESS_PRINTF(2, 3);

// The axes that come out, of one box: dropped ones are gone.
int sink_axes(const struct slice_range *sel, const int64_t *in, int64_t *out);
// The name of an axis that comes out, from ATTRIBUTES_DIMENSIONS; NULL if there is none.
const char *sink_dimension(const struct sink_plan *plan, int axis);
// Remarks on names of dimensions of which none can be used.
void sink_check_dimensions(struct sink *s, const struct sink_plan *plan);

void sink_close(struct sink *sink); // NULL is fine

/*
 * The kinds. `path` is a name that nothing has.
 *
 * netCDF and HDF5 hold several arrays: with plan->old, the file becomes a copy of that with one
 * more, or another in place of the one of that name. TESS_ERR_IO if that is not wanted, or not
 * possible.
 */
typedef tess_status sink_open_fn(const char *path, const struct sink_plan *plan, struct sink **sink,
                                 tess_error *err);
sink_open_fn sink_npy_open, sink_raw_open, sink_netcdf_open, sink_hdf5_open;

// A file that several arrays go to, each by a sink of its own.
struct sink_file {
    const struct sink_file_kind *kind;
};

struct sink_file_kind {
    // With the groups of a tree, their attributes and dimensions.
    tess_status (*create)(const char *path, struct tree *t, struct sink_file **file,
                          tess_error *err);
    sink_open_fn *open; // with plan->file
    tess_status (*ready)(struct sink_file *file, tess_error *err); // all are open: items follow
    // After the last item: what arrays say of each other. All is in the file then.
    tess_status (*finish)(struct sink_file *file, struct tree *t, tess_error *err);
    void (*close)(struct sink_file *file); // after those of the sinks; also after a failure
};

// NULL: this build lacks the format.
const struct sink_file_kind *sink_file_netcdf(void);
const struct sink_file_kind *sink_file_hdf5(void);

// Boxes come in the order of BOX_WALK_STREAM; there is no path.
sink_open_fn sink_stdout_open;

#endif
