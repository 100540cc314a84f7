/**
 * @file version.h
 * The version of the library, and the macros that mark public functions.
 */
#ifndef TESSERA_VERSION_H
#define TESSERA_VERSION_H

#define TESS_VERSION_MAJOR 0
#define TESS_VERSION_MINOR 1
#define TESS_VERSION_PATCH 0
#define TESS_VERSION "0.1.0"

#if defined(_WIN32) && !defined(TESS_STATIC)
#ifdef TESS_BUILDING
#define TESS_API __declspec(dllexport)
#else
#define TESS_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TESS_API __attribute__((visibility("default")))
#else
#define TESS_API
#endif

#if defined(__GNUC__)
#define TESS_NODISCARD __attribute__((warn_unused_result))
#define TESS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TESS_NODISCARD
#define TESS_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The version of the library that runs, "major.minor.patch"; it may differ from
 * TESS_VERSION, the version of the headers a program was compiled with.
 */
TESS_API const char *tess_version(void);

#ifdef __cplusplus
}
#endif

#endif
