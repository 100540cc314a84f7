/*
 * reseal.h - frames whose fingerprint and ledger fit again after they were changed, so that what
 * stands behind these checks is reached.
 */
#ifndef FUZZ_RESEAL_H
#define FUZZ_RESEAL_H

#include <stddef.h>
#include <stdint.h>

// Of the frame at the start of the image, if it has a trailer and an index where they should be.
void reseal(uint8_t *image, size_t size);

#endif
