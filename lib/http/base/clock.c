/*
 * clock.c - the time that deadlines and pauses are counted in.
 */
#include "base/clock.h"

#include <time.h>

int64_t
http_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
