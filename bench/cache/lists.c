/*
 * lists.c - keys in a few lists, each in at most one of them: rings through an end of its own.
 */
#include "lists.h"

#include "../support.h"

#include <stdlib.h>
#include <string.h>

void
lists_init(struct lists *l, int32_t nkeys)
{
    const size_t n = (size_t)nkeys + LISTS_MAX;

    *l = (struct lists){.nkeys = nkeys,
                        .before = bench_alloc(n * sizeof(int32_t)),
                        .after = bench_alloc(n * sizeof(int32_t)),
                        .in = bench_alloc((size_t)nkeys),
                        .count = bench_alloc((size_t)nkeys)};
    memset(l->in, IN_NONE, (size_t)nkeys);
    memset(l->count, 0, (size_t)nkeys);
    for (int32_t end = nkeys; end < nkeys + LISTS_MAX; end++)
        l->before[end] = l->after[end] = end;
}

void
lists_finish(struct lists *l)
{
    free(l->before);
    free(l->after);
    free(l->in);
    free(l->count);
}

void
lists_remove(struct lists *l, int32_t key)
{
    if (l->in[key] == IN_NONE)
        return;
    l->after[l->before[key]] = l->after[key];
    l->before[l->after[key]] = l->before[key];
    l->length[l->in[key]]--;
    l->in[key] = IN_NONE;
}

void
lists_push(struct lists *l, int list, int32_t key)
{
    const int32_t end = l->nkeys + list;

    lists_remove(l, key);
    l->before[key] = end;
    l->after[key] = l->after[end];
    l->before[l->after[end]] = key;
    l->after[end] = key;
    l->in[key] = (int8_t)list;
    l->length[list]++;
}

int32_t
lists_last(const struct lists *l, int list)
{
    return l->before[l->nkeys + list];
}
