/*
 * picked_copy.h - what is picked, as an array in memory.
 */
#ifndef TESS_DATA_PICKED_PICKED_COPY_H
#define TESS_DATA_PICKED_PICKED_COPY_H

#include "data/picked/picked.h"

#include <tessera/array.h>
#include <tessera/context.h>

/*
 * Make an array in memory of what is selected, for calls of the library that take arrays: its axes
 * are those of the selection without the dropped ones. It is compressed, in chunks as those of
 * p->info. *out is open, or NULL after a failure.
 */
tess_status picked_copy(const struct picked *p, const struct slice_range *sel,
                        const tess_context *context, tess_array **out, tess_error *err);

#endif
