/*
 * error.h - filling the caller's tess_error.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <tessera/error.h>

#include <stddef.h>

// Leave a function by its one way out when a step fails; see `out:` in each of them.
#define TRY(expr)                     \
    do {                              \
        if ((st = (expr)) != TESS_OK) \
            goto out;                 \
    } while (0)

// Fill *err (may be NULL) and return status. `offset` counts from the start of the frame, or of the
// chunk where no frame is in sight; -1 where none applies.
tess_status err_set(tess_error *err, tess_status status, int64_t offset, const char *fmt, ...)
    TESS_PRINTF(4, 5);

// The same for a failed system call: errno's text is added after ": ".
tess_status err_sys(tess_error *err, int sys, const char *fmt, ...) TESS_PRINTF(3, 4);

// The same for opening what a name says: TESS_ERR_NOT_FOUND if there is no such thing (ENOENT).
tess_status err_open(tess_error *err, int sys, const char *fmt, ...) TESS_PRINTF(3, 4);

// Move the position of a failure found in a part that starts at `base`; returns status.
tess_status err_shift(tess_error *err, tess_status status, int64_t base);

// Say where, or what it means: puts "text: " in front of the message; sets and returns status.
tess_status err_prefix(tess_error *err, tess_status status, const char *fmt, ...) TESS_PRINTF(3, 4);

// Names for a message, "a, b and c", in at most `size` > 0 bytes with the end: the rest is cut off.
void err_join(char *dst, size_t size, const char *const *names, int n);

#endif
