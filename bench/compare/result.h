/*
 * result.h - what a cell comes to: a line of CSV, and its share of the summary.
 */
#ifndef COMPARE_RESULT_H
#define COMPARE_RESULT_H

#include <stdint.h>

// Tessera first: ratios are other / Tessera. DEFAULTS is Tessera as it comes, which keeps decoded
// blocks between calls; TESSERA does so in the cells of rows alone. B2ND is Tessera as it comes,
// through the interface of c-blosc2.
enum { TESSERA, DEFAULTS, B2ND, BLOSC2, HDF5, NPLAYERS };

struct result {
    char array[16], codec[12], filter[12], storage[8], group[16], work[32], remark[32];
    int threads;
    int64_t requests, bytes;
    int repeats;
    int64_t stored[NPLAYERS]; // compressed bytes of the array; 0: unknown
    double seconds[NPLAYERS]; // medians; 0: not there
    double limit; // seconds; 0: not there
};

void result_header(void);
void result_print(const struct result *r);

// Whether a line of CSV is a result.
int result_parse(const char *line, struct result *r);

// Geometric means per group and codec, then each cell below 0.97 of the peer, and each that keeping
// blocks makes slower than 0.95 of what it is without, and each in which the interface of c-blosc2
// is slower than 0.95 of Tessera as it comes; to stderr.
void results_summary(const struct result *results, int n);

#endif
