/*
 * members.c - members of an array that only the last state of Caterva has: strides.
 */
#include "caterva/array.h"

#include <string.h>

// A stride of the array of b2nd.h for each axis that the program sees.
static void
take_strides(const struct cat_array *a, const int64_t *from, int64_t *to)
{
    int at = 0;

    memset(to, 0, CATERVA_MAX_DIM * sizeof *to);
    for (int i = 0; i < a->nd->ndim; i++)
        if (!a->squeezed[i])
            to[at++] = from[i];
}

void
cat_members_set(struct cat_array *a)
{
    const b2nd_array_t *const nd = a->nd;

    take_strides(a, nd->item_array_strides, a->of.item_array_strides);
    take_strides(a, nd->item_chunk_strides, a->of.item_chunk_strides);
    take_strides(a, nd->item_extchunk_strides, a->of.item_extchunk_strides);
    take_strides(a, nd->item_block_strides, a->of.item_block_strides);
    take_strides(a, nd->block_chunk_strides, a->of.block_chunk_strides);
    take_strides(a, nd->chunk_array_strides, a->of.chunk_array_strides);
}
