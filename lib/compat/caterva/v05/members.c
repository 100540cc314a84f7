/*
 * members.c - members of an array that only Caterva 0.5 has: what tells plain memory.
 */
#include "caterva/array.h"

void
cat_members_set(struct cat_array *a)
{
    a->of.storage = CATERVA_STORAGE_BLOSC;
    a->of.buf = NULL;
}
