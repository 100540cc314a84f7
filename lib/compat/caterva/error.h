/*
 * error.h - failures as the codes of Caterva.
 */
#ifndef COMPAT_CATERVA_ERROR_H
#define COMPAT_CATERVA_ERROR_H

#include <tessera/version.h>

// The code of Caterva for a result of b2nd.h or blosc2.h; CATERVA_SUCCEED if that is no failure.
int cat_code(int rc);

// The same, but each failure is CATERVA_ERR_BLOSC_FAILED.
int cat_blosc_code(int rc);

// Print a sentence where the environment has CATERVA_TRACE, and return code.
int cat_fail(int code, const char *fmt, ...) TESS_PRINTF(2, 3);

#endif
