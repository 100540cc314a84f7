/*
 * error.h - failures of libtessera as the codes of c-blosc2.
 */
#ifndef COMPAT_BLOSC2_ERROR_H
#define COMPAT_BLOSC2_ERROR_H

#include <blosc2.h>
#include <tessera/error.h>

// The code for a status; its sentence is printed where the environment has BLOSC_TRACE. err may be
// NULL.
int b2_code(tess_status st, const tess_error *err);

// The same, but `io` for a failed operation on a file (not for locks, which are
// BLOSC2_ERROR_LOCK).
int b2_code_io(tess_status st, const tess_error *err, int io);

// Print a sentence where the environment has BLOSC_TRACE, and return code.
int b2_fail(int code, const char *fmt, ...) TESS_PRINTF(2, 3);

#endif
