/*
 * match.h - matches of the LZ77 kind: finding their length, for encoders, and copying them, for
 * decoders.
 *
 * Copies may write more than a match is long, in whole vectors, as long as that stays inside the
 * output: what comes after it is not yet there.
 */
#ifndef CODEC_MATCH_H
#define CODEC_MATCH_H

#include "base/bytes.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Bytes that a copy may write beyond its end.
#define MATCH_WILD 32

// From here on a run of one byte is worth the call of memset().
#define MATCH_LONG 256

struct match {
    size_t distance;
    size_t length; // 0: none
};

// How many bytes from a on, below end, are those from b on; b is before a.
static inline size_t
match_length(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
    const uint8_t *const start = a;

    while (end - a >= 8) {
        const uint64_t differ = get_u64le(a) ^ get_u64le(b);
        if (differ)
            return (size_t)(a - start) + (size_t)__builtin_ctzll(differ) / 8;
        a += 8;
        b += 8;
    }
    while (a < end && *a == *b) {
        a++;
        b++;
    }
    return (size_t)(a - start);
}

// How to fill a word with a period of 1 to 8 bytes, and by how many bytes the next word then
// starts.
static const struct match_fill {
    uint64_t mask;
    uint64_t repeat;
    size_t step;
} match_fills[9] = {
    {0, 0, 0},
    {0xff, 0x0101010101010101, 8},
    {0xffff, 0x0001000100010001, 8},
    {0xffffff, 0x0001000001000001, 6},
    {0xffffffff, 0x0000000100000001, 8},
    {0xffffffffff, 0x0000010000000001, 5},
    {0xffffffffffff, 0x0001000000000001, 6},
    {0xffffffffffffff, 0x0100000000000001, 7},
    {0xffffffffffffffff, 1, 8},
};

// Distances below 16. The period stays in registers: loading what was just stored, at another
// alignment, would stall.
static inline void
match_copy_period(uint8_t *dst, size_t distance, const uint8_t *stop)
{
    if (distance <= 8) {
        const struct match_fill *const f = &match_fills[distance];
        const uint64_t v = (get_u64le(dst - distance) & f->mask) * f->repeat;
        do {
            put_u64le(dst, v);
            put_u64le(dst + f->step, v);
            put_u64le(dst + 2 * f->step, v);
            put_u64le(dst + 3 * f->step, v);
            dst += 4 * f->step;
        } while (dst < stop);
    } else {
        const uint64_t lo = get_u64le(dst - distance);
        const uint64_t hi = get_u64le(dst - distance + 8);
        do { // what hi holds beyond the period is overwritten by the next round
            put_u64le(dst, lo);
            put_u64le(dst + 8, hi);
            dst += distance;
        } while (dst < stop);
    }
}

// From dst up to stop; up to MATCH_WILD - 1 bytes more are written.
static inline void
match_copy_wildly(uint8_t *dst, size_t distance, const uint8_t *stop)
{
    if (distance >= 32) {
        do {
            memcpy(dst, dst - distance, 32);
            dst += 32;
        } while (dst < stop);
    } else if (distance >= 16) {
        do {
            memcpy(dst, dst - distance, 16);
            memcpy(dst + 16, dst + 16 - distance, 16);
            dst += 32;
        } while (dst < stop);
    } else {
        match_copy_period(dst, distance, stop);
    }
}

// There is room for `room` bytes, m.length or more.
static inline void
match_copy(uint8_t *dst, struct match m, size_t room)
{
    const uint8_t *const stop = dst + m.length;

    if (m.length >= MATCH_LONG && m.distance == 1) {
        memset(dst, dst[-1], m.length);
        return;
    }
    if (room - m.length >= MATCH_WILD) {
        match_copy_wildly(dst, m.distance, stop);
        return;
    }
    if (room >= MATCH_WILD) {
        const size_t head = room - (MATCH_WILD - 1);
        match_copy_wildly(dst, m.distance, dst + head);
        dst += head;
    }
    for (; dst < stop; dst++)
        *dst = *(dst - m.distance);
}

#endif
