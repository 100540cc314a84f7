/*
 * gate.h - a lock for many readers, or one thread alone, that costs readers little.
 *
 * A reader adds one to a counter that it shares with few other threads, and looks whether a thread
 * wants to be alone. So readers on different CPUs do not meet in a cache line, as they do in a
 * read-write lock of the system. A thread that wants to be alone keeps new readers out, waits for
 * those inside, and lets those that waited meanwhile in before the next one is alone: neither side
 * starves the other.
 *
 * A reader that stays long asks gate_is_wanted() where it can leave and enter again.
 *
 * A thread that is inside does not enter again, and does not close the gate: it would wait for
 * itself. Where a job that is inside calls a function of the program, which may read, too, the gate
 * is lent to the thread meanwhile: entering and leaving do nothing then. enter and leave, close and
 * open are called by the same thread. No gate, NULL: there is
 * nothing to wait for, as where nothing ever changes.
 */
#ifndef TASK_GATE_H
#define TASK_GATE_H

#include <stdbool.h>

struct gate;

struct gate *gate_new(void); // NULL: no memory
void gate_free(struct gate *g); // no thread is inside; NULL: fine

void gate_enter(struct gate *g);
bool gate_try_enter(struct gate *g); // false: it would have to wait; no cancellation point
void gate_leave(struct gate *g);

void gate_close(struct gate *g); // alone from here on
void gate_open(struct gate *g);

// A loan, in memory of the caller until it ends; the thread that called lend ends it.
struct gate_loan {
    const struct gate *gate;
    struct gate_loan *before;
};
void gate_lend(struct gate_loan *loan, const struct gate *g);
void gate_end_loan(const struct gate_loan *loan);

// Whether a thread waits to be alone, or is.
bool gate_is_wanted(const struct gate *g);

#endif
