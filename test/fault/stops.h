/*
 * stops.h - which stops of program and machine are tried for the operations of the log (disk.h).
 */
#ifndef FAULT_STOPS_H
#define FAULT_STOPS_H

#include "fault/world.h"
#include "support/random.h"

#include <stddef.h>

typedef void stop_fn(const struct world_stop *stop, void *user);

// The program: before each operation from `from` on and after the last one, and in each write that
// does not lie in one sector.
void stops_of_program(size_t from, stop_fn *fn, void *user);

// The machine: at the same moments, with many kinds of loss; more with TESS_TEST_LONG=1.
void stops_of_machine(size_t from, struct random *r, stop_fn *fn, void *user);

#endif
