/*
 * plugin_arrays.h - arrays that need the codecs and filters of plugin_kit.h: a plain one, and
 * random ones.
 */
#ifndef SUPPORT_PLUGIN_ARRAYS_H
#define SUPPORT_PLUGIN_ARRAYS_H

#include "support/draw.h"
#include "support/plugin_kit.h"

#include <stdbool.h>

extern const struct draw_limits plugin_limits; // of random arrays

// A path, or NULL for memory, with the plugins of a kit; NULL: none.
tess_storage place(const char *path, tess_mode mode, const struct kit *kit);

// 40 x 30 items of 4 bytes in 6 chunks of 2 blocks; filter and codec of the program.
void plain_params(tess_params *p);
// Items that differ, of few different bytes.
void plain_items(struct reference *r, const tess_params *p);

// A file or directory with that; tried, and closed.
void make(const char *path, const struct kit *kit, const tess_params *p, const struct reference *r);
tess_array *reopen(const char *path, tess_mode mode, const struct kit *kit);
// The array in memory (0), in a file (1), in a directory (2), which p says then; to be changed.
tess_array *open_home(int home, const struct kit *kit, tess_params *p, const struct reference *r);

tess_status read_all(const tess_array *a, struct reference *r, tess_error *err);
// The path holds that, for somebody who opens it now.
void check_path(const char *path, const struct kit *kit, const struct reference *want);

// A copy of the frame, as a program that opens an image has one; free() it.
uint8_t *take_image(tess_array *a, size_t *size);
// Where bytes stand in it; the test fails if they do not.
size_t find(const uint8_t *image, size_t size, const uint8_t *what, size_t what_size);

// A random array, drawn from a seed.
struct subject {
    struct random random;
    uint64_t seed;
    tess_params params;
    tess_storage storage;
    struct kit kit;
    tess_array *array;
    struct reference reference;
};

// Its parameters: codecs and filters of the program among the others.
void draw_subject(struct subject *s);
// free() them.
uint8_t *new_items(struct subject *s, size_t size);

// Set up and tear down: a folder of its own. What *state tells of a random array, if the test
// leaves it there, is printed.
int begin(void **state);
int end(void **state);

#endif
