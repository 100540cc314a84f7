/*
 * retry.c - what is tried again, and after which time.
 */
#include "answer/retry.h"

#include "base/number.h"

enum { WAIT_FIRST = 100, WAIT_MAX = 10000 }; // milliseconds

bool
http_retry_status(int status)
{
    return status == 408 || status == 425 || status == 429 ||
           (status >= 500 && status <= 599 && status != 501 && status != 505);
}

static uint64_t
random_next(uint64_t *state) // splitmix64
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

int64_t
http_retry_wait(int failures, uint64_t *random)
{
    int64_t most = WAIT_FIRST;
    for (int i = 1; i < failures && most < WAIT_MAX; i++)
        most *= 2;
    most = http_min(most, WAIT_MAX);
    return (int64_t)(random_next(random) % (uint64_t)(most + 1));
}
