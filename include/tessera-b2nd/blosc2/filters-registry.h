/*
 * filters-registry.h - numbers of filters that the Blosc project registered.
 */
#ifndef BLOSC_BLOSC2_FILTERS_REGISTRY_H
#define BLOSC_BLOSC2_FILTERS_REGISTRY_H

#include "names.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BLOSC_FILTER_NDCELL = 32, /* groups items by cell; meta: side of a cell */
    BLOSC_FILTER_NDMEAN = 33, /* lossy: each item becomes the mean of its cell */
    BLOSC_FILTER_BYTEDELTA_BUGGY = 34, /* read only */
    BLOSC_FILTER_BYTEDELTA = 35, /* differences within byte streams; meta: their number */
    BLOSC_FILTER_INT_TRUNC = 36, /* lossy, integers; meta: bits kept (> 0) or cut (< 0) */
};

/* Nothing to do: the filters are always there. */
void register_filters(void);

/* Names of the functions in a filter that is a shared library. */
typedef struct {
    char *forward;
    char *backward;
} filter_info;

#ifdef __cplusplus
}
#endif

#endif
