/*
 * blosclz_decode.c - the BloscLZ format, and its decoder.
 *
 * A stream is a sequence of instructions; each starts with a control byte c. Of the first one only
 * the low five bits count, so that the stream starts with a literal run.
 *
 *     c < 32     the next c + 1 bytes are copied to the output
 *     c >= 32    copy `length` bytes from `distance` bytes before the end of the output; they may
 *                overlap what they make
 *
 *     length     (c >> 5) + 2; where c >> 5 is 7, bytes follow that are added to it, up to and
 *                including the first that is not 255
 *     distance   (c & 31) * 256 + next byte + 1; where both were as large as can be, two more
 *                bytes, big endian, are added to 8192
 *
 * The stream ends with its bytes. Decoders have always refused a near match as the last
 * instruction, and so does this one: then a stream is valid here if and only if it is elsewhere.
 *
 * Every instruction is checked before a byte of it is copied. Copies may write more than an
 * instruction makes, in whole vectors, as long as that stays inside dst: what comes after it is
 * not yet there.
 */
#include "codec/blosclz.h"

#include "base/bytes.h"

#include <stdbool.h>
#include <string.h>

// Bytes that a copy may write beyond its end; no less than the longest literal run.
#define WILD 32

// From here on a run of one byte is worth the call of memset().
#define LONG 256

#define NEAR_DISTANCE 8192 // the first far one

struct match {
    size_t distance;
    size_t length;
};

// How to fill a word with a period of 1 to 8 bytes, and by how many bytes the next word then
// starts.
static const struct fill {
    uint64_t mask;
    uint64_t repeat;
    size_t step;
} fills[9] = {
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
copy_period(uint8_t *dst, size_t distance, const uint8_t *stop)
{
    if (distance <= 8) {
        const struct fill *const f = &fills[distance];
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

// From dst up to stop; up to WILD - 1 bytes more are written.
static inline void
copy_wildly(uint8_t *dst, size_t distance, const uint8_t *stop)
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
        copy_period(dst, distance, stop);
    }
}

// There is room for `room` bytes, m.length or more.
static inline void
copy_match(uint8_t *dst, struct match m, size_t room)
{
    const uint8_t *const stop = dst + m.length;

    if (m.length >= LONG && m.distance == 1) {
        memset(dst, dst[-1], m.length);
        return;
    }
    if (room - m.length >= WILD) {
        copy_wildly(dst, m.distance, stop);
        return;
    }
    if (room >= WILD) {
        const size_t head = room - (WILD - 1);
        copy_wildly(dst, m.distance, dst + head);
        dst += head;
    }
    for (; dst < stop; dst++)
        *dst = *(dst - m.distance);
}

/*
 * The match whose control byte is c; its other bytes start at *src. Lengths above `room` are
 * refused on the way, so that they cannot overflow. Each byte but the last two of a far distance
 * must be followed by another one.
 */
static inline bool
read_match(struct match *m, unsigned c, const uint8_t **src, const uint8_t *end, size_t room)
{
    const uint8_t *p = *src;

    m->length = (c >> 5) + 2;
    if (c >= 7 << 5) {
        unsigned more;
        do {
            if (end - p < 2 || m->length > room)
                return false;
            more = *p++;
            m->length += more;
        } while (more == 255);
    }
    if (end - p < 2)
        return false;
    m->distance = (size_t)(c & 31) * 256 + *p++ + 1;
    if (m->distance == NEAR_DISTANCE) {
        if (end - p < 2)
            return false;
        m->distance += (size_t)p[0] * 256 + p[1];
        p += 2;
    }
    *src = p;
    return m->length <= room;
}

/*
 * The same where WILD bytes are at hand, so that nothing can be cut. Whether a length goes on is as
 * good as random, so that is no branch; false where it takes a second byte.
 */
static inline bool
read_short_match(struct match *m, unsigned c, const uint8_t **src)
{
    const uint8_t *p = *src;
    const bool is_long = c >= 7 << 5;
    const unsigned more = *p & (0u - is_long);

    if (more == 255)
        return false;
    p += is_long;
    m->length = (c >> 5) + 2 + more;
    m->distance = (size_t)(c & 31) * 256 + *p++ + 1;
    if (m->distance == NEAR_DISTANCE) {
        m->distance += (size_t)p[0] * 256 + p[1];
        p += 2;
    }
    *src = p;
    return true;
}

size_t
blosclz_decode(const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size)
{
    const uint8_t *const end = src + src_size;
    const uint8_t *const first = dst;
    const uint8_t *const stop = dst + dst_size;
    struct match m;

    if (src_size == 0)
        return 0;
    unsigned c = *src++ & 31;
    for (;;) {
        // Far from both ends, where any literal run can be read and written as if it were WILD
        // bytes, and another instruction follows.
        while (end - src > WILD && stop - dst >= WILD) {
            if (c < 32) {
                memcpy(dst, src, WILD);
                dst += c + 1;
                src += c + 1;
            } else {
                if (!read_short_match(&m, c, &src))
                    break;
                const size_t room = (size_t)(stop - dst);
                if (m.length > room || m.distance > (size_t)(dst - first))
                    return 0;
                if (m.distance >= 16 && m.length <= WILD) {
                    memcpy(dst, dst - m.distance, 16);
                    memcpy(dst + 16, dst + 16 - m.distance, 16);
                } else {
                    copy_match(dst, m, room);
                }
                dst += m.length;
            }
            c = *src++;
        }

        const size_t room = (size_t)(stop - dst);
        if (c < 32) {
            const size_t count = c + 1;
            if (count > (size_t)(end - src) || count > room)
                return 0;
            memcpy(dst, src, count);
            src += count;
            dst += count;
        } else {
            if (!read_match(&m, c, &src, end, room) || m.distance > (size_t)(dst - first))
                return 0;
            copy_match(dst, m, room);
            dst += m.length;
        }
        if (src == end)
            return dst == stop ? dst_size : 0;
        c = *src++;
    }
}
