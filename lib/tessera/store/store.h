/*
 * store.h - many arrays under one name: a directory or a zip file of frames.
 *
 * A store is constant once it is open, but for its counter of users: any number of threads may use
 * it at once, without a lock. Arrays of a zip file hold the store, and read through its io.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/error.h"
#include "io/io.h"
#include "store/listing.h"
#include "store/zip.h"

#include <tessera/array.h>
#include <tessera/storage.h>
#include <tessera/store.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct tess_store {
    atomic_int users; // the handle, and open members
    tess_storage storage; // that arrays are opened with; its path is the store's, or NULL
    tess_context context; // of it
    tess_executor executor; // of the context
    char *path; // owned; NULL: an image or a source
    tess_source source; // to be closed; zeros: none
    struct io *io; // the zip file; NULL: a directory
    struct io_stamp stamp; // of it, before its list was read
    struct zip zip;
    struct listing listing;
};

// Of a storage that is complete (api/take.h): the store has a copy of all but the lists of plugins.
// NULL: no memory.
tess_store *store_new(const tess_storage *storage);
void store_release(tess_store *s); // NULL: fine

// -- open.c

tess_status store_open(const tess_storage *storage, tess_store **store, tess_error *err);

// -- place.c

// Open what is at a place of the listing.
tess_status store_open_place(const tess_store *s, const struct place *at, tess_array **a,
                             tess_error *err);

// -- member.c

/*
 * A source (tessera/source.h) of a member of the zip file, which holds the store; and one of bytes
 * in memory, which it frees. Closed by whoever has them.
 */
tess_status member_source(const tess_store *s, int64_t index, tess_source *source, tess_error *err);
tess_status bytes_source(uint8_t *bytes, size_t size, tess_source *source, tess_error *err);

// -- embedded.c

// What the super-chunk embed.b2e holds. If that cannot be read, it is left out.
tess_status embedded_add(tess_store *s, tess_error *err);

#endif
