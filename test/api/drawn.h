/*
 * drawn.h - random arrays, and random access to them through any view, against the slow reference.
 *
 * An array, or a view of it, is mirrored by a table: for each of its items, where in the array
 * behind it that item is. What is read must be what the reference has there; what is written is
 * written there.
 */
#ifndef API_DRAWN_H
#define API_DRAWN_H

#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRAWN_MAX_NDIM 6

struct drawn {
    struct random random;
    uint64_t seed;
    tess_params params;
    tess_storage storage; // path NULL: memory
    tess_context context;
    tess_array *a;
    struct reference reference;
    char story[6000]; // what was done, for people
    size_t story_length;
};

// An array and where its items are: reference.typesize is 8, an item is a position in code.
struct seen {
    tess_array *a;
    struct reference places;
};

struct drawn_slice {
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], step[TESS_MAX_NDIM];
    int64_t count[TESS_MAX_NDIM]; // items along each axis
};

// An array of any kind, anywhere, open for writing. Its file is in files_path().
void drawn_create(struct drawn *d, uint64_t seed);
// Through a file, or the image of one in memory; the context is another one then.
void drawn_reopen(struct drawn *d);
// Longer and shorter at its ends, in a random way; *cut: items are gone. False: not at all.
bool drawn_resize(struct drawn *d, bool shrinking, bool *cut);
void drawn_finish(struct drawn *d);

int64_t drawn_below(struct drawn *d, int64_t n);
bool drawn_one_in(struct drawn *d, int64_t n);
TESS_PRINTF(2, 3) void drawn_tell(struct drawn *d, const char *format, ...);
void drawn_tell_list(struct drawn *d, const char *what, int n, const int64_t *list);

// Runs `live` with arrays from as many seeds as TESS_TEST_CASES says. A failure leaves the story to
// drawn_end(), which is called after a test as files_end() is.
void drawn_cases(int64_t few, int64_t many, void (*live)(struct drawn *d));
int drawn_end(void **state);

// A slice of an array of this shape, empty at times, with steps of any size.
void drawn_slice(struct drawn *d, int ndim, const int64_t *shape, struct drawn_slice *slice);

// The array as it is, seen by itself.
void seen_whole(const struct drawn *d, struct seen *v);
void seen_finish(struct seen *v); // the table, not the array
// All items are right.
void seen_check(struct drawn *d, const struct seen *v);

// One read or write: a box, a slice, one value, points or indices per axis. The test fails if it
// fails or what is read is not what the reference has.
void seen_read(struct drawn *d, const struct seen *v);
void seen_write(struct drawn *d, const struct seen *v);
// The same for get_slice, and for set_slice and fill.
void seen_get_slice(struct drawn *d, const struct seen *v);
void seen_set_slice(struct drawn *d, const struct seen *v);
void seen_fill(struct drawn *d, const struct seen *v);

#endif
