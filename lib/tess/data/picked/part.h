/*
 * part.h - a part of an array, as an array.
 */
#ifndef TESS_DATA_PICKED_PART_H
#define TESS_DATA_PICKED_PART_H

#include "data/picked/select.h"

#include <tessera/array.h>

/*
 * The array *a becomes a view of what is selected, or of what an expression (NULL: all of it, and
 * no view) selects: axes given as integers are gone. The view goes on without the array, which is
 * closed; nothing of it may wait to be committed. *reshaped: it has axes that are not those of the
 * array, but for their length; may be NULL.
 */
tess_status part_view(tess_array **a, const struct slice_range *sel, bool *reshaped,
                      tess_error *err);
tess_status part_view_expr(tess_array **a, const char *expr, bool *reshaped, tess_error *err);

// In the place of the array comes a view of it, which goes on without it.
void part_look_through(tess_array **a, tess_array *view);

#endif
