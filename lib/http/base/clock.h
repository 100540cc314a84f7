/*
 * clock.h - the time that deadlines and pauses are counted in.
 */
#ifndef HTTP_BASE_CLOCK_H
#define HTTP_BASE_CLOCK_H

#include <stdint.h>

int64_t http_now_ms(void); // CLOCK_MONOTONIC

#endif
