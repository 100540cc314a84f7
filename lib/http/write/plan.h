/*
 * plan.h - how large the parts of an upload are, and how many are in memory. Pure.
 *
 * The size of an object is not known while it is written, S3 takes 10,000 parts of at most 5 GiB,
 * and its largest object has long been one of 5 TiB. So parts grow: the first thousand are as large
 * as the options say, each later thousand twice as large, up to 256 times. With 8 MiB that is
 * 7.8 GiB in parts of 8 MiB, 23 GiB up to parts of 16 MiB, ... and 5.8 TiB up to parts of 2 GiB.
 *
 * Parts of one size for the first thousand, the head among them, also suit servers that want all
 * parts of an upload to have one size.
 */
#ifndef HTTP_WRITE_PLAN_H
#define HTTP_WRITE_PLAN_H

#include <stdint.h>

enum {
    HTTP_PARTS_AT_ONCE = 4,
};

// Bytes of part `number`, 2 to S3_PARTS_MAX, if the first ones have `first`.
int64_t http_part_size(int64_t first, int number);

// Parts of that size that may be in memory, the one that is being filled included: 5, but fewer,
// at least 2, if that would be more than 320 MiB.
int http_parts_in_memory(int64_t size);

#endif
