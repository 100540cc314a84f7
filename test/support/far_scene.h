/*
 * far_scene.h - arrays of many kinds in sources, beside the same arrays in files.
 */
#ifndef SUPPORT_FAR_SCENE_H
#define SUPPORT_FAR_SCENE_H

#include "support/far_object.h"
#include "support/random.h"

#include <tessera.h>

#include <stdbool.h>
#include <stdint.h>

enum { FAR = 20000 }; // microseconds of latency

struct kind {
    const char *name;
    const char *dtype;
    int ndim;
    int64_t shape[3], chunkshape[3], blockshape[3];
    int codec, clevel;
    uint8_t filters[2];
    int noise; // bits of each item that are random
    tess_layout layout;
    bool holes; // some chunks are zeros, some one value
};

enum { FAR_KINDS = 8 };
extern const struct kind far_kinds[FAR_KINDS], far_short_chunks;
#define FIRST_CHUNK "00000000.chunk" // of a sparse array

int64_t far_nitems(const struct kind *k);
// The file of a kind; its path stays until the fourth call.
const char *far_make(const struct kind *k, uint64_t seed);
const char *far_make_with(const struct kind *k, uint64_t seed, tess_checksums checksums);

// An array of many chunks, in file order or any other, whose stored sizes differ much. Of each
// `every` only the first is stored. The path is as that of far_make().
struct written {
    const char *why;
    bool delta, shuffled;
    int n, every;
    tess_layout layout;
};
enum { WRITTEN_MOST = 400, WRITTEN_ITEMS = 40000, WRITTEN_BLOCK = 4000 };
const char *far_make_written(const struct written *w);

struct scene {
    const char *path;
    tess_context context;
    tess_checksums checksums;
    struct conduct conduct;
    struct object object;
    tess_array *here, *there; // in the source, in the file
};

void far_draw_scene(struct scene *s, struct random *r);
void far_load(struct scene *s, const char *path, bool directory);
tess_status far_open_here(struct scene *s, tess_error *err);
void far_open_there(struct scene *s);
// Loaded and opened with a conduct that makes counts of requests exact.
void far_open_to_count(struct scene *s, const char *path, bool directory, tess_checksums checksums);

void far_close_here(struct scene *s);
// Nothing is open any more; the array was open in the source.
void far_check_closed(const struct scene *s, bool was_open);

#endif
