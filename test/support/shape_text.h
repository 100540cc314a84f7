/*
 * shape_text.h - shapes in tables of tests, as "3x40x50".
 */
#ifndef SUPPORT_SHAPE_TEXT_H
#define SUPPORT_SHAPE_TEXT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

// False: not a shape of up to 16 dimensions. "" has none.
static inline bool
shape_text(const char *text, int *ndim, int64_t *shape)
{
    int length = 0;

    for (*ndim = 0; *text != '\0'; text += length + (text[length] == 'x')) {
        if (*ndim == 16 || sscanf(text, "%" SCNd64 "%n", &shape[*ndim], &length) != 1 ||
            (text[length] != 'x' && text[length] != '\0'))
            return false;
        ++*ndim;
    }
    return true;
}

#endif
