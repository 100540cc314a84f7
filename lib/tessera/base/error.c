/*
 * error.c - filling the caller's tess_error, and the names of the status codes.
 *
 * The caller may pass NULL everywhere; then only the status travels.
 */
// strerror_r() is that of POSIX here; not every C library has the other one.
#undef _GNU_SOURCE
#define _POSIX_C_SOURCE 200809L

#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void
error_fill(tess_error *err, tess_status status, int sys, int64_t offset, const char *fmt,
           va_list args)
{
    err->status = status;
    err->sys = sys;
    err->offset = offset;
    vsnprintf(err->message, sizeof err->message, fmt, args);
}

tess_status
err_set(tess_error *err, tess_status status, int64_t offset, const char *fmt, ...)
{
    if (err) {
        va_list args;
        va_start(args, fmt);
        error_fill(err, status, 0, offset, fmt, args);
        va_end(args);
    }
    return status;
}

static void
add_reason(tess_error *err, int sys)
{
    char text[128];
    const size_t used = strlen(err->message);
    if (strerror_r(sys, text, sizeof text) != 0)
        snprintf(text, sizeof text, "error %d", sys);
    snprintf(err->message + used, sizeof err->message - used, ": %s", text);
}

tess_status
err_sys(tess_error *err, int sys, const char *fmt, ...)
{
    if (err) {
        va_list args;
        va_start(args, fmt);
        error_fill(err, TESS_ERR_IO, sys, -1, fmt, args);
        va_end(args);
        add_reason(err, sys);
    }
    return TESS_ERR_IO;
}

tess_status
err_open(tess_error *err, int sys, const char *fmt, ...)
{
    const tess_status status = sys == ENOENT ? TESS_ERR_NOT_FOUND : TESS_ERR_IO;
    if (err) {
        va_list args;
        va_start(args, fmt);
        error_fill(err, status, sys, -1, fmt, args);
        va_end(args);
        add_reason(err, sys);
    }
    return status;
}

tess_status
err_shift(tess_error *err, tess_status status, int64_t base)
{
    if (err && err->offset >= 0)
        err->offset += base;
    return status;
}

tess_status
err_prefix(tess_error *err, tess_status status, const char *fmt, ...)
{
    if (err) {
        char tail[TESS_ERROR_MESSAGE_SIZE];
        memcpy(tail, err->message, sizeof tail);

        va_list args;
        va_start(args, fmt);
        vsnprintf(err->message, sizeof err->message, fmt, args);
        va_end(args);

        const size_t used = strlen(err->message);
        snprintf(err->message + used, sizeof err->message - used, ": %s", tail);
        err->status = status;
    }
    return status;
}

void
err_join(char *dst, size_t size, const char *const *names, int n)
{
    size_t used = 0;

    dst[0] = '\0';
    for (int i = 0; i < n && used < size; i++) {
        const char *const before = i == 0 ? "" : i == n - 1 ? " and " : ", ";
        used += (size_t)snprintf(dst + used, size - used, "%s%s", before, names[i]);
    }
}
