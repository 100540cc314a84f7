/*
 * array.h - an array: a grid of chunks with a type of items, names, and views of it.
 *
 * A view shares the grid of its base; its own are a geometry, a type and a map of indices.
 * Reading and writing boxes of either is in array/items/box.h.
 *
 * Threads, for all units of this module: what takes a const tess_array * reads, and any number of
 * threads may be in it at once, beside each other and beside writes. Writes of items and commits
 * take turns (update.h); whatever else takes a tess_array * requires exclusive access, which the
 * program grants: no lock enforces it. Which public calls these are, the manual says (threads.rst).
 * What readers share, and change, locks itself (grid/grid.h). `users` is atomic because a view is
 * made by a reader; `moved` and `discarded` change with exclusive access. Functions run on the
 * thread of the call.
 *
 * A view is an array that is another one, seen through slices and with its axes in another order.
 * Its indices become those of the base in array/items/box.c, by index_map_box() (geom), before
 * anything else happens: nothing of a view is stored, cached or encoded, and the modules below know
 * no views. A view of a view is one of the same base.
 *
 * A view holds its base: `users` of the base counts it, atomically. `moved` and `discarded` of the
 * base are read by view_check() without a lock, as they change with exclusive access to the base,
 * which includes its views. Any number of threads may read through a view, and through its base at
 * once.
 */
#ifndef ARRAY_ARRAY_H
#define ARRAY_ARRAY_H

#include "geom/index_map.h"
#include "geom/shape.h"
#include "grid/grid.h"
#include "meta/ndlayer.h"
#include "task/watch.h"

#include <tessera/array.h>
#include <tessera/attr.h>
#include <tessera/meta.h>
#include <tessera/select.h>

#include <stdatomic.h>

struct chunk_grid;
struct frame_options;
struct mask;
struct sums;
struct view;
struct watch;

struct tess_array {
    struct chunk_grid *grid; // the items; that of the base, if this is a view
    const struct geometry *g; // the grid's; of a view, its own
    int64_t offset; // of the frame in its file
    struct ndlayer nd; // dtype; shapes are in g
    const char *layer; // "b2nd", "caterva", or NULL
    uint8_t *fill; // the item that growth shows; NULL: zeros
    // Of this handle. A view has that of its base as it was; of threads, cache and executor, those
    // of the grid count (chunk_grid_width()).
    tess_context context;
    tess_executor executor; // of the context, if it names one; not of a view
    struct sums *sums; // checksums that readers asked for; NULL: of a view
    char *path; // that it was opened or created with; NULL: none, or a view
    bool mapped;
    bool as_plain; // a plain frame, whatever N-dimensional layer it has
    tess_source source; // that it was opened with, to be closed; zeros: none, or a view

    struct view *view; // NULL: no view
    atomic_int users; // the handle, and the views of the array
    int64_t moved; // how often its items were moved to other indices, or lost
    bool discarded; // its views may not be used any more
};

// array.c
tess_array *array_new(void); // held once; with a grid of zeros
void array_hold(tess_array *a);
void array_free(tess_array *a); // lets go, without a commit; NULL, half-built: fine

// Arrays of the process that are open, views not counted.
int64_t array_count(void);

// Whether this handle may change the array. TESS_ERR_ARG: it is for reading, or of a process that
// was forked; TESS_ERR_STALE: a view of what is not there any more.
tess_status array_check_writable(const tess_array *a, tess_error *err);

// Another budget for decoded blocks, which are written back and leave. Not of a view.
tess_status array_set_cache(tess_array *a, int64_t budget, tess_error *err);

// Find out what array_info() tells of the space in use, which needs the headers of chunks.
tess_status array_measure(const tess_array *a, tess_error *err);

// Watch a call that is about so many items (task/watch.h).
void array_watch(struct watch *w, const tess_array *a, int64_t nitems);

// What the frame is told of the storage. The grid keeps the plugins.
tess_status array_take_options(tess_array *a, const tess_storage *storage,
                               struct frame_options *options, tess_error *err);

// After reading, with the status of that; returns the status of the call. What was read counts only
// if the file is still in the state that led to it: the space of a state that is gone may have been
// written to. This may also be the cause of a failure: it is TESS_ERR_STALE then.
tess_status array_check_current(const tess_array *a, tess_status st, tess_error *err);

// Around a call that reads n arrays: their lock files are held shared, so that no other program
// changes the arrays meanwhile; then the state of each is compared (array_check_current()). Left
// out are arrays that are NULL, and those of the frame `written` (NULL: none), whose lock the
// caller holds. *locked: how many arrays are done with. array_unlock_shared() follows also after a
// failure, takes the status of the call, and returns the one to be returned.
tess_status array_lock_shared(const tess_array *const *arrays, int64_t n,
                              const struct frame *written, int64_t *locked, tess_error *err);
tess_status array_unlock_shared(const tess_array *const *arrays, const struct frame *written,
                                int64_t locked, tess_status st, tess_error *err);

// Around what looks at stored chunks: nothing waits in the cache, the file stays, and the list of
// chunks does. The array is no view. array_chunks_end() takes the status of the call, and returns
// the one to be returned.
tess_status array_chunks_begin(const tess_array *a, tess_error *err);
tess_status array_chunks_end(const tess_array *a, tess_status st, tess_error *err);

/*
 * A call that reads items of an array, `nitems` of them as progress is counted:
 *
 *     struct reading r;
 *     tess_status st = reading_begin(&r, a, nitems, err);
 *     if (st == TESS_OK)
 *         st = array_read(a, ..., &r.watch, err);
 *     return reading_end(&r, st, err);
 */
struct reading {
    struct watch watch;
    const tess_array *a;
    int64_t locked;
};

static inline tess_status
reading_begin(struct reading *r, const tess_array *a, int64_t nitems, tess_error *err)
{
    r->a = a;
    array_watch(&r->watch, a, nitems);
    return array_lock_shared(&a, 1, NULL, &r->locked, err);
}

static inline tess_status
reading_end(struct reading *r, tess_status st, tess_error *err)
{
    if (r->locked > 0)
        st = watch_end(&r->watch, st);
    return array_unlock_shared(&r->a, NULL, r->locked, st, err);
}

// -- metalayers.c: any number of threads beside each other; what sets or deletes waits for readers.
// What these functions show of one stays until it is set, or the array closed. No pointer is NULL.

tess_status array_meta_at(const tess_array *a, int index, tess_metalayer *layer, tess_error *err);
tess_status array_meta_get(const tess_array *a, const char *name, tess_metalayer *layer,
                           tess_error *err);
tess_status array_meta_set(tess_array *a, const char *name, const void *content,
                           size_t content_size, tess_error *err);
const char *array_vlmeta_name(const tess_array *a, int index); // NULL: there are fewer
// *content is the caller's to free.
tess_status array_vlmeta_get(const tess_array *a, const char *name, void **content,
                             size_t *content_size, tess_error *err);
tess_status array_vlmeta_set(tess_array *a, const char *name, const void *content,
                             size_t content_size, tess_error *err);
tess_status array_vlmeta_delete(tess_array *a, const char *name, tess_error *err);
// The content as a value; bytes that are none become TESS_VALUE_OPAQUE. *value is the caller's.
tess_status array_attr_get(const tess_array *a, const char *name, tess_value **value,
                           tess_error *err);

// -- views

struct view {
    tess_array *base; // held; no view itself
    bool read_only;
    int64_t moved; // the base's, when the view was made
    struct geometry g; // of the view
    struct index_map map;
};

// The array that has the items: the base of a view, else the array itself.
tess_array *view_base(tess_array *a);
const tess_array *view_base_const(const tess_array *a);

// The array whose chunks are those of `a` in number and order: the base of a view that has all of
// its items, without or with axes of length 1; else `a` itself.
const tess_array *view_of_chunks(const tess_array *a);

// Whether the base still is as the view knows it. Also for arrays that are no views.
tess_status view_check(const tess_array *a, tess_error *err);

// The map from an array's indices to those of its grid, after view_check().
tess_status view_map(const tess_array *a, struct index_map *map, tess_error *err);

/*
 * New views, to be ended with array_free(); arguments are checked. A slice is count[i] items from
 * first[i] on, step[i] apart (of any sign). `axes` are those that stay, or come, in order: numbers
 * of axes of `a`, or -1 for a new one.
 */
tess_status view_slice(tess_array *a, const int64_t *first, const int64_t *count,
                       const int64_t *step, tess_array **view, tess_error *err);
tess_status view_axes(tess_array *a, int ndim, const int *axes, tess_array **view, tess_error *err);
// All of an array, which this view, and views of it, cannot write to.
tess_status view_read_only(const tess_array *a, tess_array **view, tess_error *err);

#endif
