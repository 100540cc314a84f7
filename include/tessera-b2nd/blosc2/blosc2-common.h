/*
 * blosc2-common.h - macros about compilers and machines that programs of Blosc2 use.
 */
#ifndef BLOSC_BLOSC2_BLOSC2_COMMON_H
#define BLOSC_BLOSC2_BLOSC2_COMMON_H

#include "blosc2-export.h"

#include <stdint.h>
#include <string.h>

#ifdef __GNUC__
#define BLOSC_GCC_VERSION (__GNUC__ * 100 + __GNUC_MINOR__)
#define BLOSC_UNUSED_VAR __attribute__((unused))
#else
#define BLOSC_UNUSED_VAR
#endif

#define BLOSC_UNUSED_PARAM(x) ((void)(x))

#if defined(_MSC_VER)
#if !defined(__cplusplus)
#define inline __inline
#endif
/* Other compilers define it themselves. */
#if !defined(__SSE2__) && (defined(_M_X64) || (defined(_M_IX86) && _M_IX86_FP >= 2))
#define __SSE2__
#endif
#endif

/* Defined where unaligned access is slow or forbidden. */
#if !defined(BLOSC_STRICT_ALIGN) && !defined(__i386__) && !defined(__386) && !defined(__amd64) && \
    !defined(__i486__) && !defined(__i586__) && !defined(__i686__) && !defined(_M_IX86) &&        \
    !defined(_M_X64) && !defined(_X86_) && !defined(__I86__) && !defined(_ARCH_PPC) &&            \
    !defined(__PPC__) && !(defined(__ARM_FEATURE_UNALIGNED) && defined(__ARM64_ARCH_8__))
#define BLOSC_STRICT_ALIGN
#endif

#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#if defined(__AVX2__) || defined(__AVX512F__) || defined(__AVX512BW__)
#include <immintrin.h>
#endif

#endif
