/*
 * arrays.h - what the arrays of make_arrays.c have in common, and the topics they belong to.
 */
#ifndef GOLDEN_ARRAYS_H
#define GOLDEN_ARRAYS_H

#include "support/reference.h"

#include <tessera.h>

#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct codec {
    const char *name;
    tess_codec id;
};

struct filters {
    const char *name;
    uint8_t ids[TESS_MAX_FILTERS];
    uint8_t metas[TESS_MAX_FILTERS];
};

struct grid {
    const char *name;
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
    int64_t chunks[TESS_MAX_NDIM];
    int64_t blocks[TESS_MAX_NDIM];
};

enum { NCODECS = 5, NFILTERS = 8, NGRIDS = 13, NTYPESIZES = 13 };

extern const struct codec arrays_codecs[NCODECS];
extern const struct filters arrays_filters[NFILTERS]; // none, shuffle, bitshuffle, then others
extern const struct grid arrays_grids[NGRIDS];
extern const struct grid *const arrays_edges; // two dimensions, chunks and blocks that are cut
extern const int32_t arrays_typesizes[NTYPESIZES];

// A new file or directory of that name in the folder of record.h.
tess_storage arrays_storage(const char *name);
tess_params arrays_params(const struct codec *codec, const struct filters *f,
                          const struct grid *grid, int32_t typesize, tess_layout layout);
// "sparse_" in front of the names of directories; "".
const char *arrays_prefix(tess_layout layout);

// Items that compress a little, with a run here and there.
void arrays_fill(struct reference *r, uint32_t seed);
// An array of them; of directories only two out of seven are made.
void arrays_make(const char *name, const tess_params *params, uint32_t seed);
// An array of these items, which is the caller's.
void arrays_from(const char *name, const tess_params *params, const struct reference *r,
                 tess_array **a);

// Both, the array and the reference.
void arrays_resize(tess_array *a, struct reference *r, const int64_t *shape);
void arrays_write(tess_array *a, struct reference *r, const int64_t *start, const int64_t *stop,
                  const void *src);
// Close the file or directory, and open it again to be changed.
void arrays_reopen(const char *name, tess_array **a);

// The topics.
void arrays_of_kinds(tess_layout layout); // codecs, filters, shapes, typesizes
void arrays_of_cells(tess_layout layout); // filters and codecs that look at the shape of blocks
void arrays_with_pasts(tess_layout layout); // of one value, or changed many times
void arrays_with_layers(tess_layout layout); // metalayers, attributes
void arrays_with_dictionaries(tess_layout layout);
void arrays_in_places(void); // copied to another place, made in memory, behind other data

#endif
