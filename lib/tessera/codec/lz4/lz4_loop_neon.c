/*
 * lz4_loop_neon.c - the loop over the sequences of an LZ4 block, with NEON of AArch64.
 */
#define LOOP lz4_loop_neon
#include "codec/lz4/lz4_loop_vec.h"
