/*
 * progress.c - a progress bar on stderr.
 *
 * Shown only on a terminal, and only when the work has taken a while; gone when it is done.
 */
#include "cli/text/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define DELAY 0.5 // seconds before it appears
#define INTERVAL 0.1 // and between two looks of it
#define WIDTH 40

static double
now(void)
{
    struct timespec t = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void
progress_begin(struct progress *p, double total)
{
    *p = (struct progress){.wanted = total > 0 && isatty(STDERR_FILENO), .total = total};
    if (p->wanted)
        p->next = now() + DELAY;
}

void
progress_add(struct progress *p, double done)
{
    p->done += done;
    if (!p->wanted || now() < p->next)
        return;
    p->next = now() + INTERVAL;
    p->shown = true;

    const double part = p->done < p->total ? p->done / p->total : 1;
    const int length = (int)(WIDTH * part);
    fprintf(stderr, "\r[%.*s%.*s] %3d %%", length, "########################################",
            WIDTH - length, "                                        ", (int)(100 * part));
    (void)fflush(stderr);
}

void
progress_end(struct progress *p)
{
    if (p->shown)
        fprintf(stderr, "\r%*s\r", WIDTH + 8, "");
    p->shown = false;
}
