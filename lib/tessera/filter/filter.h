/*
 * filter.h - what a filter is: one constant object each.
 *
 * A struct filter holds all that differs between filters; the pipeline asks the object and knows
 * no filter by its number. filters.h is the table of the library's, and
 * filter_of_user() makes one of a filter of the program.
 *
 * All filters keep the size of a block, and copy the bytes behind the last whole element, in both
 * directions. backward() gets blocks of damaged or hostile files: it must be able to undo any
 * bytes, and look at nothing but the block, what prepare() has accepted, and the reference.
 */
#ifndef FILTER_FILTER_H
#define FILTER_FILTER_H

#include "base/error.h"
#include "base/plugin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FILTER_SLOTS 6

// A number of the format that is only read, so that tess_filter does not have it.
enum { FILTER_BYTEDELTA_OLD = 34 };

struct filter;

// What a chunk says of its filters, and what it needs from around it.
struct filter_spec {
    uint8_t ids[FILTER_SLOTS]; // tess_filter
    uint8_t metas[FILTER_SLOTS];
    int32_t typesize; // of the chunk header, 1 to 255
    int32_t frame_typesize; // of the frame header; width of bytedelta with meta 0; 0 if unknown
    bool old_bitshuffle; // chunks of format version 2
    const struct block_grid *grid; // shape of the blocks; NULL outside arrays
    int32_t blocksize; // bytes of every block; 0 if they differ
    const struct filter *users; // filters of the program; they outlive the pipeline
    int nusers;
    int level; // for filters of the program, when compressing; else 0
    bool from_caller; // not from a file: what cannot be is TESS_ERR_ARG instead of CORRUPT
};

// A filter in a pipeline. prepare() may set the last two.
struct filter_step {
    const struct filter *filter;
    uint8_t meta;
    bool is_identity; // changes nothing: the step is left out
    int32_t width; // number of byte streams, or side of a cell; 0: the filter has neither
};

// What all steps of a pipeline are told of the blocks.
struct filter_blocks {
    int32_t typesize; // of the chunk header, 1 to 255
    bool old_bitshuffle; // chunks of format version 2
    struct block_grid grid; // if a step needs_grid
    tess_block user; // for filters of the program; user and meta are those of a step
};

// What surrounds the bytes of a call.
struct filter_call {
    const struct filter_blocks *blocks;
    const struct filter_step *step;
    const uint8_t *ref; // content of block 0, for other blocks; else NULL
};

// From src to dst, which do not overlap. Only filters of the program fail.
typedef tess_status filter_fn(const struct filter_call *call, uint8_t *restrict dst,
                              const uint8_t *restrict src, size_t size, tess_error *err);

struct filter {
    uint8_t id; // tess_filter
    const char *name; // "shuffle"
    const tess_user_filter *user; // the program's description; NULL: a filter of the library
    bool lossy; // backward() does not bring back what forward() was given
    bool keeps_items; // the result still is items, though changed or in another order
    bool makes_planes; // the result is step->width planes: byte j of all items together
    bool needs_grid; // works on blocks of a known shape only
    bool needs_reference; // blocks other than the first are compared with the content of block 0

    /*
     * May be NULL. Check the meta, for reading, and fill in the step: TESS_ERR_UNSUPPORTED if
     * what is around is not known, or too little of it; TESS_ERR_CORRUPT (spec->from_caller:
     * TESS_ERR_ARG) if meta and blocks contradict each other. spec->grid is there if needs_grid.
     */
    tess_status (*prepare)(const struct filter_spec *spec, int slot, struct filter_step *step,
                           tess_error *err);

    // May be NULL. What prepare() allows and writers must not do: TESS_ERR_ARG.
    tess_status (*check_encode)(const struct filter_blocks *blocks, const struct filter_step *step,
                                tess_error *err);

    filter_fn *forward; // NULL: the filter is only read

    // NULL: nothing to undo; then forward() leaves what it made before as it is.
    filter_fn *backward;
};

// The filter with this id; NULL if the library has none, as for TESS_FILTER_NONE.
const struct filter *filter_by_id(int id);

// Filter number n of the table; NULL: there are no more.
const struct filter *filter_at(int n);

// Names of the filters that keep items, "a, b and c", for messages. Cut off if they do not fit.
void filter_names_keeping_items(char *dst, size_t size);

// A filter of the program. Its description has to stay as long as the filter.
struct filter filter_of_user(const tess_user_filter *user);

// For filters whose last bytes, from `at` on, are no whole element.
static inline void
filter_copy_tail(uint8_t *restrict dst, const uint8_t *restrict src, size_t at, size_t size)
{
    memcpy(dst + at, src + at, size - at);
}

#endif
