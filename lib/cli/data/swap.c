/*
 * swap.c - items in the other byte order.
 */
#include "cli/data/swap.h"

int32_t
swap_word_size(const tess_dtype *type)
{
    return type->kind == TESS_KIND_UNICODE   ? 4
           : type->kind == TESS_KIND_COMPLEX ? type->size / 2
                                             : type->size;
}

void
swap_words(uint8_t *bytes, int64_t size, int32_t word)
{
    for (uint8_t *p = bytes; p < bytes + size; p += word)
        for (int32_t i = 0, k = word - 1; i < k; i++, k--) {
            const uint8_t byte = p[i];

            p[i] = p[k];
            p[k] = byte;
        }
}
