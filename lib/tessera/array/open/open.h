/*
 * open.h - where an array lives (home.c), an array from the frame there (open.c), and new arrays
 * (create.c).
 *
 * A home owns what it points to until it is handed to array_create(), array_open() or the like,
 * whether these succeed or not. One thread; no lock.
 *
 * To open: the lock file, if there is one, is held shared while header, index and layers are read,
 * so that they are those of one state. The new array belongs to the calling thread until it is
 * returned.
 *
 * A refresh requires exclusive access to the array and to its views. The struct of the array, its
 * grid and its frame stay where they are in memory, as views point to them; what they hold is
 * exchanged. No mutex.
 *
 * To create: the new array belongs to the calling thread until it is returned, so that nothing is
 * locked here but what the frame locks on the disk. The frame is committed before it is published:
 * a path never leads to an array that is half made.
 */
#ifndef ARRAY_OPEN_OPEN_H
#define ARRAY_OPEN_OPEN_H

#include "array/array.h"
#include "base/error.h"
#include "frame/frame.h"
#include "io/storage.h"

#include <tessera/params.h>
#include <tessera/storage.h>

// -- home.c

struct io_path;
struct lock_file;

struct home {
    struct storage_opened at;
    struct lock_file *lock_file; // NULL: none
    struct io_path *path; // of what is written, or the name of what is read; NULL: none
};

/*
 * A store of arrays (tess_storage.store), as this module knows it: the first member of it. Files of
 * new arrays are written through io_front_staged(); made() is told of an array there; NULL: of a
 * copy, which is not open.
 */
struct home_maker {
    void (*made)(struct home_maker *maker, const tess_storage *storage, tess_array *a);
};

static inline struct home_maker *
home_maker_of(const tess_storage *storage)
{
    return (struct home_maker *)storage->store;
}

// An array of a store is written through io_front_staged(), and moved while it is open: its path is
// a name for messages.
tess_status home_stage(struct home *home, const char *path, tess_error *err);

// A new and empty home, or one that exists, for a storage that was checked. Waits for programs that
// write there, as the storage says.
tess_status home_create(const tess_storage *storage, tess_layout layout, struct home *home,
                        tess_error *err);
tess_status home_open(const tess_storage *storage, struct home *home, tess_error *err);

// For an array that was not made.
void home_close(const struct home *home);

// How its frame is handled; of an array, array_take_options() says more.
struct frame_options home_frame_options(const struct home *home, const tess_storage *storage);

// -- open.c

struct salvage;
struct watch;

// The home belongs to the array from here on, also after a failure.
tess_status array_open(const struct home *home, const tess_storage *storage, tess_array **a,
                       tess_error *err);

// The same of a damaged one: what is left of it, for array_repair().
tess_status array_salvage(const struct home *home, const tess_storage *storage,
                          struct salvage *salvage, struct watch *watch, tess_array **a,
                          tess_error *err);

// The newest state at its home, for a storage that was checked.
tess_status array_open_newest(const tess_storage *storage, tess_array **a, tess_error *err);

// An array that is no view becomes the newest state at its path; *changed: it was another one. Of
// a writer, and of memory: only whether another program changed or moved it (TESS_ERR_STALE).
tess_status array_refresh(tess_array *a, bool *changed, tess_error *err);

// a, open for reading, becomes what another one is, which ends. Its views stay what they
// are if that has all their items, in the same layout; else they may not be used any more.
void array_replace_state(tess_array *a, tess_array *newest);

// -- create.c

// What the items of a new array are.
struct array_content {
    bool plain; // no N-dimensional layer, and no chunk yet: nothing else counts
    enum chunk_special special; // SPECIAL_NONE: from src, or sources
    const struct copy_sources
        *sources; // array/copy/copy.h; the first one's attributes come with it
    bool inherits; // codec and filters are those of the first source, as far as they fit
    const uint8_t *item; // SPECIAL_VALUE
    const void *src; // C order
    // Or written here, into an open change of a new array of zeros; a failure ends the call.
    tess_status (*make)(void *user, tess_array *a, struct watch *watch, tess_error *err);
    void *user;
};
// The home belongs to the array from here on, also after a failure.
tess_status array_create(const struct home *home, const tess_storage *storage,
                         const tess_params *params, const struct array_content *content,
                         tess_array **a, tess_error *err);

#endif
