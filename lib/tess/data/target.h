/*
 * target.h - a new array, which appears when it is complete.
 */
#ifndef TESS_DATA_TARGET_H
#define TESS_DATA_TARGET_H

#include "data/output.h"
#include "options.h"
#include "text/work.h"

#include <tessera/array.h>
#include <tessera/store.h>

struct target {
    struct output file;
    tess_context context;
    tess_storage storage; // where the library is to make it
    bool remote; // a URL: there is no file
    tess_source source; // of it
    tess_store *store; // that it is made in: there is no file; NULL: none
    struct work work;
};

/*
 * Where an array is to be made, with --threads and --force: a file, a directory, or a path in a
 * store that is a directory, which is made if it is not there. It must not move until
 * target_close(), which comes also after a failure.
 */
tess_status target_open(struct target *t, const char *path, tess_layout layout,
                        const struct arguments *args, tess_error *err);

// The same for a URL, which gets all items with one call of the library, and is complete when that
// returns.
tess_status target_open_url(struct target *t, const char *url, tess_layout layout,
                            const struct arguments *args, tess_error *err);

// Of one call of the library, which makes all of it, there is a progress bar.
void target_follow(struct target *t);

// Closes `a` (NULL: it is closed already), and gives the array its name, if it is a file; in a
// store, it is committed.
tess_status target_publish(struct target *t, tess_array *a, tess_error *err);

// Removes what was not published.
void target_close(struct target *t);

#endif
