/*
 * manifest.h - a commit of a store: its files, and the state of each.
 *
 * msgpack, a map:
 *
 *     format  1
 *     number  of the commit
 *     time    milliseconds since 1970, UTC
 *     files   list of [name, front, tail, before, since], by name
 *     moves   list of [from, to, number]
 *
 * and behind it the 64-bit XXH3 of these bytes, little-endian.
 *
 * A file is a frame. Its *front* is the bytes of it that lead to its state: the header, or all of
 * an empty frame. The *tail* is the last bytes of that state, which tell it from those of other
 * files. Until the file has its front, it has *before*, or a mixture; empty: there is none.
 * *since*: the commit that last changed it.
 *
 * A *move* gives a file another name. Those of the commit itself follow it, moves from .tessera/new
 * last; older ones tell readers of older commits where a file is.
 *
 * A manifest belongs to one thread while it is made; constant from then on.
 */
#ifndef STORE_MANIFEST_H
#define STORE_MANIFEST_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MANIFEST_TAIL = 16 };

struct manifest_file {
    char *name; // from the root of the store on
    uint8_t *front;
    size_t front_size;
    uint8_t tail[MANIFEST_TAIL];
    uint8_t *before; // NULL: there is none
    size_t before_size;
    uint64_t since;
};

struct manifest_move {
    char *from, *to;
    uint64_t number;
};

struct manifest {
    uint64_t number; // 0: there is no commit
    int64_t time;
    struct manifest_file *files; // ascending names
    size_t nfiles;
    struct manifest_move *moves;
    size_t nmoves;
};

// Parse what a stranger may have written; all of it is the manifest's own. TESS_ERR_CORRUPT,
// TESS_ERR_UNSUPPORTED (a later format), TESS_ERR_LIMIT, TESS_ERR_NOMEM; *m is empty then.
tess_status manifest_parse(struct manifest *m, const uint8_t *bytes, size_t size, int64_t memory,
                           tess_error *err);
void manifest_finish(struct manifest *m); // zeroed: fine

// *bytes: for the caller to free.
tess_status manifest_write(const struct manifest *m, uint8_t **bytes, size_t *size,
                           tess_error *err);

// NULL: there is none of that name.
struct manifest_file *manifest_find(const struct manifest *m, const char *name);

// Copies; the list of files has room, and stays in order. What they replace is freed.
tess_status manifest_set_front(struct manifest_file *file, const uint8_t *front, size_t front_size,
                               const uint8_t *tail, tess_error *err);
tess_status manifest_set_before(struct manifest_file *file, const uint8_t *before,
                                size_t before_size, tess_error *err);
// All but the name, which leaves the other file without a state.
void manifest_take_state(struct manifest_file *file, struct manifest_file *from);
tess_status manifest_add_file(struct manifest *m, const char *name, struct manifest_file **file,
                              tess_error *err);
void manifest_remove_file(struct manifest *m, struct manifest_file *file);
tess_status manifest_add_move(struct manifest *m, const char *from, const char *to, uint64_t number,
                              tess_error *err);
tess_status manifest_copy(struct manifest *to, const struct manifest *from, tess_error *err);

// Whether a name is of those that files have between two others, or before they have one.
bool store_is_new_name(const char *name);

// Whether moves follow the commit.
bool manifest_has_moves(const struct manifest *m);

/*
 * Where a file of an older commit is by now, as a later one says: the name that it got in the first
 * commit after *number that moved it; that becomes *number. NULL: none did.
 */
const char *manifest_moved(const struct manifest *m, const char *name, uint64_t *number);

// What an older commit has of a file that has a name now.
const struct manifest_file *manifest_find_then(const struct manifest *now,
                                               const struct manifest *older, const char *name);

#endif
