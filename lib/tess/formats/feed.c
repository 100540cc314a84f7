/*
 * feed.c - standard input as a feed.
 */
#include "formats/feed.h"

#include "report.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static tess_status
stdin_read(struct feed *s, void *dst, size_t size, size_t *got, tess_error *err)
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
stdin_close(struct feed *s)
{
    free(s);
}

tess_status
feed_stdin_open(struct feed **feed, tess_error *err)
{
    struct feed *const s = malloc(sizeof *s);

    if (!s)
        return report_nomem(err, sizeof *s);
    *s = (struct feed){.read = stdin_read, .close = stdin_close};
    *feed = s;
    return TESS_OK;
}

void
feed_close(struct feed *feed)
{
    if (feed)
        feed->close(feed);
}
