/*
 * error.c - filling the caller's tess_error.
 */
// strerror_r() is that of POSIX here; not every C library has the other one.
#undef _GNU_SOURCE
#define _POSIX_C_SOURCE 200809L

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void
error_fill(tess_error *err, tess_status status, int sys, const char *fmt, va_list args)
{
    err->status = status;
    err->sys = sys;
    err->offset = -1;
    vsnprintf(err->message, sizeof err->message, fmt, args);
}

tess_status
http_fail(tess_error *err, tess_status status, const char *fmt, ...)
{
    if (err) {
        va_list args;
        va_start(args, fmt);
        error_fill(err, status, 0, fmt, args);
        va_end(args);
    }
    return status;
}

tess_status
http_fail_sys(tess_error *err, int sys, const char *fmt, ...)
{
    if (err) {
        char text[128];
        va_list args;
        va_start(args, fmt);
        error_fill(err, TESS_ERR_IO, sys, fmt, args);
        va_end(args);
        const size_t used = strlen(err->message);
        if (strerror_r(sys, text, sizeof text) != 0)
            snprintf(text, sizeof text, "error %d", sys);
        snprintf(err->message + used, sizeof err->message - used, ": %s", text);
    }
    return TESS_ERR_IO;
}

tess_status
http_fail_memory(tess_error *err)
{
    return http_fail(err, TESS_ERR_NOMEM, "no memory for a request");
}
