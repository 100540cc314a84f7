/*
 * retry.h - what is tried again, and after which time. No clock of its own.
 */
#ifndef HTTP_ANSWER_RETRY_H
#define HTTP_ANSWER_RETRY_H

#include <stdbool.h>
#include <stdint.h>

// Is a later try with that status worth it: 408, 425, 429, 5xx save 501 and 505?
bool http_retry_status(int status);

// Milliseconds to wait after so many failures in a row (1, 2, ...): a random number below 100 ms,
// doubled with each failure, up to 10 s (full jitter: many clients do not return at once).
// *random is any number at first.
int64_t http_retry_wait(int failures, uint64_t *random);

#endif
