/*
 * error.h - filling the caller's tess_error, for this library, which sees nothing of the inside of
 * libtessera.
 */
#ifndef HTTP_BASE_ERROR_H
#define HTTP_BASE_ERROR_H

#include <tessera/error.h>

// Fill *err (may be NULL) and return status. The message is the sentence of printf().
tess_status http_fail(tess_error *err, tess_status status, const char *fmt, ...) TESS_PRINTF(3, 4);

// The same for a failed system call: TESS_ERR_IO, and errno's text after ": ".
tess_status http_fail_sys(tess_error *err, int sys, const char *fmt, ...) TESS_PRINTF(3, 4);

// TESS_ERR_NOMEM, always with the same sentence.
tess_status http_fail_memory(tess_error *err);

#endif
