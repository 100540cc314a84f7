/*
 * plain.h - arrays in plain memory.
 */
#ifndef COMPAT_CATERVA_V05_PLAIN_H
#define COMPAT_CATERVA_V05_PLAIN_H

#include "caterva/array.h"

extern const struct cat_backend cat_in_memory;

#endif
