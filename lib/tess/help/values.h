/*
 * values.h - what an option takes.
 */
#ifndef TESS_HELP_VALUES_H
#define TESS_HELP_VALUES_H

#include "options.h"

#include <tessera/error.h>

// The n-th of the names that an option takes, without what may follow them behind a ':'. NULL
// behind the last one, and for options that take anything else.
const char *values_at(int option, size_t n);

// TESS_ERR_ARG: `word`, in the value of an option, is none of these; which are, and which was
// meant.
tess_status values_refuse(int option, const char *value, const char *word, tess_error *err);

// Whether its value is the path of a file.
bool values_are_files(int option);

#endif
