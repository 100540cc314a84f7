/*
 * trial.h - a random array from a seed, and the story of what is done to it.
 *
 * A failure tells the story, and the seed that repeats it: case i is drawn from the seed plus i
 * alone.
 */
#ifndef SUPPORT_TRIAL_H
#define SUPPORT_TRIAL_H

#include "support/draw.h"

struct trial {
    struct random random;
    uint64_t seed;
    tess_params params;
    uint8_t fill[DRAW_ITEM_MAX]; // of the params, if they have one
    tess_storage storage; // path NULL: memory
    tess_context context; // drawn anew whenever the array is opened
    tess_array *a;
    struct reference reference;
    char story[6000]; // for people
    size_t story_length;
};

// Runs `live` with as many seeds as TESS_TEST_CASES says.
void trial_cases(int64_t few, int64_t many, void (*live)(struct trial *t));
// Called after a test, as files_teardown() is.
int trial_teardown(void **state);

TESS_PRINTF(2, 3) void trial_tell(struct trial *t, const char *format, ...);
void trial_tell_list(struct trial *t, const char *what, int n, const int64_t *list);

// Parameters of an array of any kind, and where it is: memory, or files_path().
void trial_draw(struct trial *t, const struct draw_limits *l);
// The array, open for writing, and its reference.
void trial_create(struct trial *t);
// Through a file, or the image of one in memory; what is there is compared.
void trial_reopen(struct trial *t);
void trial_finish(struct trial *t);

#endif
