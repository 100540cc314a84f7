/*
 * lists.h - keys in a few lists, each in at most one of them.
 */
#ifndef CACHE_LISTS_H
#define CACHE_LISTS_H

#include <stdint.h>

enum { LISTS_MAX = 3, IN_NONE = -1 };

struct lists {
    int32_t nkeys;
    int32_t *before, *after; // of keys, then of the lists' ends
    int8_t *in; // list of a key, or IN_NONE
    uint8_t *count; // of a key: for the user
    int32_t length[LISTS_MAX];
};

void lists_init(struct lists *l, int32_t nkeys);
void lists_finish(struct lists *l);

void lists_push(struct lists *l, int list, int32_t key); // first; from where it was, if anywhere
void lists_remove(struct lists *l, int32_t key);
int32_t lists_last(const struct lists *l, int list); // which has one

#endif
