/*
 * repair.h - a new array of what is left of a damaged one.
 */
#ifndef ARRAY_REPAIR_H
#define ARRAY_REPAIR_H

#include "array/array.h"
#include "array/home.h"
#include "salvage/salvage.h"

#include <tessera/repair.h>

// open.c: open what is left of an array, for array_repair() alone. The home
// belongs to the array from here on, also after a failure.
tess_status array_salvage(const struct home *home, const tess_storage *storage,
                          struct salvage *salvage, struct watch *watch, tess_array **a,
                          tess_error *err);

// Write it to a new home, which belongs to the copy from here on, also after a failure.
tess_status array_repair(const tess_array *a, const struct salvage *salvage,
                         const struct home *home, const struct frame_options *options,
                         const tess_repair_options *how, tess_repair_report *report,
                         struct watch *watch, struct frame **copy, tess_error *err);

#endif
