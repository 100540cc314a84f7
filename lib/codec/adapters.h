/*
 * adapters.h - the codecs that are built in; codec.c gathers them.
 */
#ifndef CODEC_ADAPTERS_H
#define CODEC_ADAPTERS_H

#include "codec/codec.h"

extern const struct codec codec_blosclz; // blosclz.c
extern const struct codec codec_lz4; // lz4.c
extern const struct codec codec_lz4hc; // lz4.c
extern const struct codec codec_zlib; // zlib.c
extern const struct codec codec_zstd; // zstd.c
extern const struct codec codec_ndlz; // ndlz.c
#ifdef HAVE_ZFP // set by Meson
extern const struct codec codec_zfp_accuracy; // zfp.c
extern const struct codec codec_zfp_precision; // zfp.c
extern const struct codec codec_zfp_rate; // zfp.c
#endif

#endif
