/*
 * progress.c - a progress bar on stderr.
 *
 * Shown only on a terminal, and only when the work has taken a while; gone when it is done.
 */
#include "text/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define DELAY 0.5 // seconds before it appears
#define INTERVAL 0.1 // and between two looks of it
#define WIDTH 40
#define LEFT_WIDTH 13 // columns of the remaining time: "99:59:59 left"

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
    if (p->wanted) {
        p->begun = now();
        p->next = p->begun + DELAY;
    }
}

// The remaining time, extrapolated: "1:05 left"; "" until enough is done for an estimate.
static void
format_left(char *text, size_t size, double passed, double part)
{
    const double left = part > 0 ? passed / part * (1 - part) : -1;

    text[0] = '\0';
    if (part < 0.01 || left < 0 || left > 99 * 3600)
        return;
    const int seconds = (int)(left + 0.5), minutes = seconds / 60;
    if (minutes >= 60)
        (void)snprintf(text, size, "%d:%02d:%02d left", minutes / 60, minutes % 60, seconds % 60);
    else
        (void)snprintf(text, size, "%d:%02d left", minutes, seconds % 60);
}

static void
progress_draw(struct progress *p, double done)
{
    const double time = p->wanted ? now() : 0;
    char left[40];

    if (!p->wanted || time < p->next)
        return;
    p->next = time + INTERVAL;
    p->shown = true;

    const double part = done < p->total ? done / p->total : 1;
    const int length = (int)(WIDTH * part);
    format_left(left, sizeof left, time - p->begun, part);
    fprintf(stderr, "\r[%.*s%.*s] %3d %% %-*s", length, "########################################",
            WIDTH - length, "                                        ", (int)(100 * part),
            LEFT_WIDTH, left);
    (void)fflush(stderr);
}

void
progress_add(struct progress *p, double done)
{
    p->done += done;
    p->ahead = 0;
    progress_draw(p, p->done);
}

void
progress_within(struct progress *p, double done)
{
    if (done > p->ahead)
        p->ahead = done;
    progress_draw(p, p->done + p->ahead);
}

void
progress_end(struct progress *p)
{
    if (p->shown)
        fprintf(stderr, "\r%*s\r", WIDTH + 9 + LEFT_WIDTH, "");
    p->shown = false;
}
