/*
 * tuners-registry.h - numbers of tuners that the Blosc project registered.
 *
 * Tessera calls no tuners (tessera/layout.h has its own).
 */
#ifndef BLOSC_BLOSC2_TUNERS_REGISTRY_H
#define BLOSC_BLOSC2_TUNERS_REGISTRY_H

#include "names.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BLOSC_BTUNE = 32,
};

/* Nothing to do. */
void register_tuners(void);

/* Names of the functions in a tuner that is a shared library. */
typedef struct {
    char *init;
    char *next_blocksize;
    char *next_cparams;
    char *update;
    char *free;
} tuner_info;

#ifdef __cplusplus
}
#endif

#endif
