/*
 * listing.h - the entries of a store: groups, and what is in them, from the names of files.
 *
 * A listing is filled by one thread, name by name, completed with listing_complete(), and constant
 * from then on. No lock.
 *
 * Names come from strangers: a name that is unsafe, or that nothing is known by, is left out, with
 * the reason.
 */
#ifndef STORE_LISTING_H
#define STORE_LISTING_H

#include "base/error.h"

#include <tessera/store.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The last part of the path of what holds a group's attributes, which is no entry.
#define LISTING_ATTRIBUTES "__vlmeta__"

// How names of files end, by what an entry is; of a group NULL. What has a lower number counts, of
// two files of one path.
enum { LISTING_ENDINGS = TESS_ENTRY_LINK + 1 };
extern const char *const listing_endings[LISTING_ENDINGS];

// Where the frame of an entry is.
enum place_kind {
    PLACE_NONE,
    PLACE_FILE, // below the directory of the store
    PLACE_MEMBER, // of a zip file
    PLACE_EMBEDDED, // in the super-chunk embed.b2e
};

struct place {
    enum place_kind kind;
    char *file; // of PLACE_FILE: from the directory on; owned by the listing
    int64_t index; // of PLACE_MEMBER: in the list of members
    int64_t offset; // of PLACE_EMBEDDED: first byte of the frame
    int64_t size; // stored bytes
    int64_t rank; // of two of one path, the one with the higher rank counts
};

struct node {
    char *path; // owned
    tess_entry_kind kind;
    struct place at; // PLACE_NONE: a group
    struct place attributes; // PLACE_NONE: there are none
    int64_t next; // the node behind all that are below this one
};

struct left_out {
    char *name; // owned
    const char *reason;
};

struct listing {
    struct node *nodes; // in the order of a walk; the first one is the root
    int64_t nnodes, capacity;
    struct left_out *left;
    int64_t nleft, left_capacity;
    bool has_embedded; // something of the super-chunk is, or was, listed
    struct place embedded; // the super-chunk with further arrays; PLACE_NONE: there is none
    int64_t room; // bytes that may still be allocated
};

void listing_init(struct listing *l, int64_t memory);
void listing_finish(struct listing *l); // zeroed: fine

// Why a name cannot be one in the store, in a few words; NULL: it can.
const char *listing_name_fault(const char *name, size_t size);

// A file, or a member, by its name from the root of the store on, with its ending.
tess_status listing_add_file(struct listing *l, const char *name, size_t name_size,
                             const struct place *at, tess_error *err);
// What is kept in the embedded super-chunk, by its path.
tess_status listing_add_embedded(struct listing *l, const char *path, size_t path_size,
                                 const struct place *at, tess_error *err);
tess_status listing_leave_out(struct listing *l, const char *name, size_t name_size,
                              const char *reason, tess_error *err);

// Nothing is added any more: make the groups, and the order.
tess_status listing_complete(struct listing *l, tess_error *err);

// The node of a path, with or without slashes at its ends; -1: there is none.
int64_t listing_find(const struct listing *l, const char *path);

#endif
