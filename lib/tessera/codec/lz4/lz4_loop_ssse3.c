/*
 * lz4_loop_ssse3.c - the loop over the sequences of an LZ4 block, with SSSE3.
 */
#define LOOP lz4_loop_ssse3
#include "codec/lz4/lz4_loop_vec.h"
