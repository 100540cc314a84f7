/*
 * lz4_loop_avx2.c - the loop over the sequences of an LZ4 block, with AVX2.
 */
#define LOOP lz4_loop_avx2
#include "codec/lz4/lz4_loop_vec.h"
