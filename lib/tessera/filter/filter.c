/*
 * filter.c - which filters the library has, by id.
 *
 * Not here: what they do (one file each), those of the program (user.c).
 */
#include "filter/filter.h"

#include "filter/filters.h"

#define FILTER_ENTRY(name) &filter_##name,

static const struct filter *const filters[] = {FILTERS(FILTER_ENTRY)};

enum { NFILTERS = sizeof filters / sizeof *filters };

const struct filter *
filter_by_id(int id)
{
    for (int i = 0; i < NFILTERS; i++)
        if (filters[i]->id == id)
            return filters[i];
    return NULL;
}

const struct filter *
filter_at(int n)
{
    return n >= 0 && n < NFILTERS ? filters[n] : NULL;
}

void
filter_names_keeping_items(char *dst, size_t size)
{
    const char *names[NFILTERS];
    int n = 0;

    for (int i = 0; i < NFILTERS; i++)
        if (filters[i]->keeps_items)
            names[n++] = filters[i]->name;
    err_join(dst, size, names, n);
}
