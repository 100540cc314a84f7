/*
 * home.h - where an array lives, as the caller says it.
 */
#ifndef API_HOME_H
#define API_HOME_H

#include "array/array.h"
#include "array/home.h"

tess_status context_check(const tess_context *context, tess_error *err);

// What any call asks of a storage; before the calls below.
tess_status home_check(const tess_storage *storage, tess_error *err);

// A new and empty home, or one that exists. home_close() ends it.
tess_status home_create(const tess_storage *storage, tess_layout layout, struct home *home,
                        tess_error *err);
tess_status home_open(const tess_storage *storage, struct home *home, tess_error *err);

#endif
