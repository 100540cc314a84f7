/*
 * report.h - exit statuses, and the sentences that go with them.
 *
 * Whatever can fail in the command returns a tess_status and fills the caller's tess_error, as
 * the library does. Only the commands print, with report_print().
 */
#ifndef TESS_REPORT_H
#define TESS_REPORT_H

#include <tessera/error.h>

enum exit_status {
    EXIT_STATUS_FINE = 0,
    EXIT_STATUS_NO = 1, // the answer to a question is no
    EXIT_STATUS_USAGE = 2,
    EXIT_STATUS_FAILED = 3
};

// Leaves a function through its label `out`, with the status in `st`.
#define TRY(expr)                     \
    do {                              \
        if ((st = (expr)) != TESS_OK) \
            goto out;                 \
    } while (0)

// Fills *err and returns the status.
tess_status report_set(tess_error *err, tess_status status, const char *format, ...)
    TESS_PRINTF(3, 4);

// "<what>: <errno in words>"; TESS_ERR_NOMEM when errno says so, TESS_ERR_IO otherwise.
tess_status report_errno(tess_error *err, const char *what);

tess_status report_nomem(tess_error *err, int64_t bytes);

// Prints "tess: <about>: <message>" on stderr and returns the exit status that fits.
int report_print(const char *about, const tess_error *err);

#endif
