/*
 * plugins.h - codecs and filters of the program that uses the library.
 */
#ifndef CHUNK_PLUGINS_H
#define CHUNK_PLUGINS_H

#include "codec/codec.h"
#include "filter/filter.h"

#include <tessera/plugin.h>

// Checked copies of what was given.
struct plugins {
    tess_user_codec *user_codecs; // described by the codecs
    struct codec *codecs;
    int ncodecs;
    tess_user_filter *user_filters; // described by the filters
    struct filter *filters;
    int nfilters;
};

// given may be NULL: none. TESS_ERR_ARG: a number that is not free, given twice, or without a
// function that reads. On failure *p is empty.
tess_status plugins_init(struct plugins *p, const tess_plugins *given, tess_error *err);
void plugins_finish(struct plugins *p); // zeroed: fine

// A codec of the program; NULL if it has none of this number. p may be NULL.
const struct codec *plugins_codec(const struct plugins *p, int id);

#endif
