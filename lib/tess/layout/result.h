/*
 * result.h - what a search for layouts has found, for people and for programs.
 */
#ifndef TESS_LAYOUT_RESULT_H
#define TESS_LAYOUT_RESULT_H

#include <tessera/layout.h>

#include <stdio.h>

#define RESULT_NAME_SIZE 64

// A layout, and what it costs.
struct result_layout {
    tess_params params;
    tess_layout_result cost;
};

// What was searched for, and found.
struct result {
    tess_tuner_info info;
    tess_access accesses[TESS_MAX_ACCESSES]; // info.naccesses of them
    const tess_params *array; // type and shape
    const struct result_layout *layouts; // info.count of them, the fastest first
    const char *name; // of the array
    const char *command; // of tess, which makes the array in another layout
    const char *applied; // the array that was made in it, or NULL
};

// The fastest layout with that role, or NULL.
const struct result_layout *result_find(const struct result *r, unsigned role);

// A table of the best, and what their gain is.
tess_status result_print(const struct result *r, FILE *out, tess_error *err);

// All layouts: one JSON object; or CSV, a line of names and one for each layout.
void result_json(const struct result *r, FILE *out);
void result_csv(const struct result *r, FILE *out);

// "best", "automatic", "blosc2's habit", "as stored", with commas between them.
void result_role(const struct result_layout *t, char text[RESULT_NAME_SIZE]);

// The same for programs, one after the other from n = 0 on: "best", "automatic", "blosc2",
// "stored", "proposed"; NULL if there are no more.
const char *result_role_key(const struct result_layout *t, int n);

// "132x73x144"
void result_shape(int ndim, const int64_t *shape, char *text, size_t size);

// "zstd 5" or "zfp_rate:50 5", and "shuffle,bytedelta" as --filter takes it.
void result_codec(const tess_params *p, char text[RESULT_NAME_SIZE]);
void result_filters(const tess_params *p, char text[RESULT_NAME_SIZE]);

#endif
