/*
 * filters.h - the table of the library's filters; filter.c makes a list of it.
 */
#ifndef FILTER_FILTERS_H
#define FILTER_FILTERS_H

#include "filter/filter.h"

// One line each: X(NAME) stands for `const struct filter filter_NAME`.
#define FILTERS(X) \
    X(shuffle)     \
    X(bitshuffle)  \
    X(delta)       \
    X(trunc_prec)  \
    X(bytedelta)   \
    X(int_trunc)   \
    X(ndcell)      \
    X(ndmean)      \
    X(bytedelta_old)

#define FILTER_DECLARATION(name) extern const struct filter filter_##name;
FILTERS(FILTER_DECLARATION)

#endif
