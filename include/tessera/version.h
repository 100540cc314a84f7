/**
 * @file version.h
 * The version of the library, and the macros that mark public functions.
 */
#ifndef TESSERA_VERSION_H
#define TESSERA_VERSION_H

/**
 * First number of the version of the headers. The manual's page abi.rst says what each of the three
 * numbers promises.
 */
#define TESS_VERSION_MAJOR 0
/** Second number of the version of the headers. */
#define TESS_VERSION_MINOR 2
/** Third number of the version of the headers. */
#define TESS_VERSION_PATCH 0
/** The version of the headers as a string, "major.minor.patch". */
#define TESS_VERSION "0.2.0"

/**
 * @def TESS_API
 * Marks what the library exports.
 *
 * @def TESS_NODISCARD
 * Compilers that support it warn if the result of such a function is ignored.
 *
 * @def TESS_PRINTF
 * Compilers that support it check the arguments of a function like printf(): fmt and args are the
 * positions of the format and of its first argument, counted from 1.
 */
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
 * The version of the running library. It may differ from TESS_VERSION, the version of the headers
 * that the program was compiled with.
 *
 * @return "major.minor.patch"; static.
 */
TESS_API const char *tess_version(void);

#ifdef __cplusplus
}
#endif

#endif
