/*
 * codecs.h - the table of the library's codecs; codec.c makes a list of it.
 */
#ifndef CODEC_CODECS_H
#define CODEC_CODECS_H

#include "codec/codec.h"

// Those of libraries that a build may lack; HAVE_* is set by Meson.
#ifdef HAVE_ZFP
#define CODECS_OF_ZFP(X) X(zfp_accuracy) X(zfp_precision) X(zfp_rate) // in codec/zfp.c
#else
#define CODECS_OF_ZFP(X)
#endif

// One line each: X(NAME) stands for `const struct codec codec_NAME`, in codec/NAME.c or in the
// folder of that name.
// Where several have a format in common, the first decodes it.
#define CODECS(X) \
    X(blosclz)    \
    X(lz4)        \
    X(lz4hc)      \
    X(zlib)       \
    X(zstd)       \
    X(ndlz)       \
    CODECS_OF_ZFP(X)

#define CODEC_DECLARATION(name) extern const struct codec codec_##name;
CODECS(CODEC_DECLARATION)

#endif
