/*
 * state.h - what an array of these tests holds: items, a metalayer, some attributes.
 *
 * Two axes, items of 4 bytes. What metalayers and attributes hold follows from numbers.
 */
#ifndef FAULT_STATE_H
#define FAULT_STATE_H

#include "support/reference.h"

#include <tessera.h>

#include <stdbool.h>

enum { STATE_VALUES = 4, STATE_NOTE_SIZE = 1100, STATE_VALUE_MAX = 1200 };

struct state {
    struct reference items;
    int note; // of the metalayer "note"; -1: there is none
    int values[STATE_VALUES]; // of the attributes; 0: there is none
};

void state_copy(struct state *s, const struct state *from);
void state_finish(struct state *s);
bool state_equal(const struct state *a, const struct state *b);

// All that an array holds; what does not follow from a number is -1. On success *s is to be
// finished.
tess_status state_read(const tess_array *a, struct state *s, tess_error *err);

// Bytes of the metalayer of a number.
void state_note(int number, void *dst);
// Give an array the n-th attribute; 0 removes it.
tess_status state_set_value(tess_array *a, int n, int number, tess_error *err);

#endif
