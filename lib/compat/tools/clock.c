/*
 * clock.c - time that only goes forward.
 */
#include <blosc2.h>

#include <time.h>

void
blosc_set_timestamp(blosc_timestamp_t *timestamp)
{
    if (timestamp)
        clock_gettime(CLOCK_MONOTONIC, timestamp);
}

double
blosc_elapsed_nsecs(blosc_timestamp_t start_time, blosc_timestamp_t end_time)
{
    return 1e9 * (double)(end_time.tv_sec - start_time.tv_sec) +
           (double)(end_time.tv_nsec - start_time.tv_nsec);
}

double
blosc_elapsed_secs(blosc_timestamp_t start_time, blosc_timestamp_t end_time)
{
    return 1e-9 * blosc_elapsed_nsecs(start_time, end_time);
}
