/*
 * report.c - sentences for people, on stderr.
 *
 * A message may quote bytes of a file: control bytes do not reach the terminal.
 */
#include "report.h"

#include "text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

tess_status
report_set(tess_error *err, tess_status status, const char *format, ...)
{
    *err = (tess_error){.status = status, .offset = -1};
    va_list args;
    va_start(args, format);
    (void)vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return status;
}

tess_status
report_errno(tess_error *err, const char *what)
{
    const int sys = errno;
    const tess_status status = sys == ENOMEM ? TESS_ERR_NOMEM : TESS_ERR_IO;

    (void)report_set(err, status, "%s: %s", what, strerror(sys));
    err->sys = sys;
    return status;
}

tess_status
report_nomem(tess_error *err, int64_t bytes)
{
    return report_set(err, TESS_ERR_NOMEM, "no memory for %" PRId64 " bytes", bytes);
}

int
report_print(const char *about, const tess_error *err)
{
    fputs("tess: ", stderr);
    text_write(stderr, about);
    fputs(": ", stderr);
    text_write(stderr, err->message[0] ? err->message : tess_status_name(err->status));
    fputc('\n', stderr);
    return err->status == TESS_ERR_ARG ? EXIT_STATUS_USAGE : EXIT_STATUS_FAILED;
}
