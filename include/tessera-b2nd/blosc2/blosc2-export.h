/*
 * blosc2-export.h - which functions a library exports.
 *
 * BLOSC_EXPORT marks functions of the interface, BLOSC_NO_EXPORT those inside a library.
 * BLOSC_SHARED_LIBRARY is defined while a shared library is built.
 */
#ifndef BLOSC_BLOSC2_BLOSC2_EXPORT_H
#define BLOSC_BLOSC2_BLOSC2_EXPORT_H

#include "names.h"

#if !defined(BLOSC_SHARED_LIBRARY)
#define BLOSC_EXPORT
#elif defined(_MSC_VER)
#define BLOSC_EXPORT __declspec(dllexport)
#elif defined(_WIN32) || defined(__CYGWIN__)
#define BLOSC_EXPORT __attribute__((dllexport))
#else
#define BLOSC_EXPORT __attribute__((visibility("default")))
#endif

#if defined(BLOSC_TESTING)
#define BLOSC_NO_EXPORT BLOSC_EXPORT
#elif defined(__GNUC__) && !defined(__MINGW32__)
#define BLOSC_NO_EXPORT __attribute__((visibility("hidden")))
#else
#define BLOSC_NO_EXPORT
#endif

#endif
