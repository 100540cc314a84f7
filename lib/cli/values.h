/*
 * values.h - what an option takes.
 */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include "cli/options.h"

// The n-th of the names that an option takes, without what may follow them behind a ':'. NULL
// behind the last one, and for options that take anything else.
const char *values_at(int option, size_t n);

// Whether its value is the path of a file.
bool values_are_files(int option);

#endif
