/*
 * codecs-registry.h - numbers of codecs that the Blosc project registered.
 *
 * Tessera has BLOSC_CODEC_NDLZ, and those of ZFP if it was built with libzfp. The others can be
 * registered by programs that have their functions (blosc2_register_codec()).
 */
#ifndef BLOSC_BLOSC2_CODECS_REGISTRY_H
#define BLOSC_BLOSC2_CODECS_REGISTRY_H

#include "names.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BLOSC_CODEC_NDLZ = 32, /* repeated cells of two-dimensional bytes */
    BLOSC_CODEC_ZFP_FIXED_ACCURACY = 33, /* compcode_meta: power of ten of the largest error */
    BLOSC_CODEC_ZFP_FIXED_PRECISION = 34, /* compcode_meta: bits of precision */
    BLOSC_CODEC_ZFP_FIXED_RATE = 35, /* compcode_meta: size in percent */
    BLOSC_CODEC_OPENHTJ2K = 36,
    BLOSC_CODEC_GROK = 37,
    BLOSC_CODEC_OPENZL = 38,
    BLOSC_CODEC_J2K = 39,
    BLOSC_CODEC_HTJ2K = 40,
};

/* Nothing to do: the codecs are always there. */
void register_codecs(void);

/* Names of the functions in a codec that is a shared library. */
typedef struct {
    char *encoder;
    char *decoder;
} codec_info;

#ifdef __cplusplus
}
#endif

#endif
