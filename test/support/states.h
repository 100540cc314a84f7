/*
 * states.h - arrays whose items tell one number, and processes that are told when to go on.
 */
#ifndef SUPPORT_STATES_H
#define SUPPORT_STATES_H

#include <tessera.h>

#include <stdint.h>
#include <sys/types.h>

enum { STATE_ITEMS = 64, STATE_CHUNK = 4 }; // in one dimension

// Both kinds, and the path of each in the folder of the test.
extern const tess_layout state_layouts[2];
const char *state_path(tess_layout layout);

tess_storage at(const char *path, tess_mode mode); // without durability
tess_params state_params(tess_layout layout);

// Item i is value + i.
tess_status state_create(const tess_storage *storage, tess_layout layout, int32_t value,
                         tess_array **a, tess_error *err);
tess_status state_write(tess_array *a, int32_t value, tess_error *err);
// The test fails if they are not of one value.
tess_status state_read(const tess_array *a, int32_t *value, tess_error *err);

// The same with paths; the test fails if a call does.
void state_make(const char *path, tess_layout layout, int32_t value);
tess_array *state_open(const char *path, tess_mode mode);
int32_t state_at(const char *path);

double seconds(void); // of a clock

// A process of its own. It is killed if it hangs; the test fails if it does not return 0.
struct channel {
    int to, from;
};
struct other {
    pid_t pid;
    struct channel channel;
};
struct other other_begin(int (*run)(const struct channel *c, const void *arg), const void *arg);
void other_end(const struct other *o);

// On either side: one byte there, which hear() waits for.
void say(const struct channel *c);
void hear(const struct channel *c);

#endif
