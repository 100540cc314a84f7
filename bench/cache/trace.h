/*
 * trace.h - which blocks are asked for, one after the other.
 */
#ifndef CACHE_TRACE_H
#define CACHE_TRACE_H

#include <stdint.h>

enum trace_kind {
    TRACE_UNIFORM, // each block as likely as any other
    TRACE_ZIPF, // with exponent 0.99, the order of blocks drawn by lot
    TRACE_ROWS, // 8 blocks across, 8 rows of 8 planes through each
    TRACE_SCANS, // two readers of rows in turns, half of the working set apart
    TRACE_ZIPF_SCAN, // Zipf in turns with a scan of 8 times as many blocks as the budget holds
    TRACE_CYCLE, // one block after the other, again and again
    NTRACES
};

extern const char *const trace_names[NTRACES];

struct trace {
    int32_t *keys; // blocks
    int64_t n;
    int32_t nkeys; // all are below
};

// At least `n` accesses to `working` blocks, and as many that each has been asked for ten times
// before the second half begins. `budget`: blocks that the cache holds.
void trace_make(struct trace *t, enum trace_kind kind, int32_t working, int32_t budget, int64_t n,
                uint64_t seed);
void trace_finish(struct trace *t);

#endif
