/*
 * stream.c - standard input as a stream.
 */
#include "cli/stream.h"

#include "cli/report.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static tess_status
stdin_read(struct stream *s, void *dst, size_t size, size_t *got, tess_error *err)
{
    uint8_t *const p = dst;

    (void)s;
    *got = 0;
    while (*got < size) {
        const ssize_t n = read(STDIN_FILENO, p + *got, size - *got);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return report_errno(err, "cannot read");
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return TESS_OK;
}

static void
stdin_close(struct stream *s)
{
    free(s);
}

tess_status
stream_stdin_open(struct stream **stream, tess_error *err)
{
    struct stream *const s = malloc(sizeof *s);

    if (!s)
        return report_nomem(err, sizeof *s);
    *s = (struct stream){.read = stdin_read, .close = stdin_close};
    *stream = s;
    return TESS_OK;
}

void
stream_close(struct stream *stream)
{
    if (stream)
        stream->close(stream);
}
