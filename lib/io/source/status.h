/*
 * status.h - what functions of a source return, checked.
 */
#ifndef IO_SOURCE_STATUS_H
#define IO_SOURCE_STATUS_H

#include "base/error.h"

// The status that a function returned, or TESS_ERR_IO for what is none; err has a sentence, also if
// the function left it as it was: zeros. name: of the function.
tess_status source_status(tess_status st, const char *name, tess_error *err);

#endif
