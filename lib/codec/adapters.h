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

#endif
