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
#include "codec/private.h"

#include "codec/match.h"

#include <stdbool.h>

// Bytes at both ends between which an instruction is read and written in one step; no less than the
// longest literal run.
#define WILD MATCH_WILD

#define NEAR_DISTANCE 8192 // the first far one

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

bool
blosclz_decode_part(const uint8_t *src, size_t src_size, uint8_t *dst, size_t need, size_t dst_size)
{
    const uint8_t *const end = src + src_size;
    const uint8_t *const first = dst;
    const uint8_t *const wanted = dst + need;
    const uint8_t *const stop = dst + dst_size;
    const bool whole = need == dst_size;
    // Far from both ends any literal run can be read and written as if it were WILD bytes, and
    // another instruction follows.
    const uint8_t *const src_far = src_size > WILD ? end - WILD : src;
    const uint8_t *const dst_room = dst_size >= WILD ? stop - (WILD - 1) : dst;
    const uint8_t *const dst_far = wanted < dst_room ? wanted : dst_room;
    struct match m;

    if (src_size == 0)
        return false;
    unsigned c = *src++ & 31;
    for (;;) {
        while (src < src_far && dst < dst_far) {
            if (c < 32) {
                memcpy(dst, src, WILD);
                dst += c + 1;
                src += c + 1;
            } else {
                if (!read_short_match(&m, c, &src))
                    break;
                const size_t room = (size_t)(stop - dst);
                if (m.length > room || m.distance > (size_t)(dst - first))
                    return false;
                if (m.distance >= 16 && m.length <= WILD) {
                    memcpy(dst, dst - m.distance, 16);
                    memcpy(dst + 16, dst + 16 - m.distance, 16);
                } else {
                    match_copy(dst, m, room);
                }
                dst += m.length;
            }
            c = *src++;
        }
        if (dst >= wanted && !whole)
            return true;

        const size_t room = (size_t)(stop - dst);
        if (c < 32) {
            const size_t count = c + 1;
            if (count > (size_t)(end - src) || count > room)
                return false;
            memcpy(dst, src, count);
            src += count;
            dst += count;
        } else {
            if (!read_match(&m, c, &src, end, room) || m.distance > (size_t)(dst - first))
                return false;
            if (m.length > (size_t)(wanted - dst))
                m.length = (size_t)(wanted - dst);
            match_copy(dst, m, room);
            dst += m.length;
        }
        if (src == end)
            return whole ? dst == stop : dst >= wanted;
        c = *src++;
    }
}

size_t
blosclz_decode(const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size)
{
    return blosclz_decode_part(src, src_size, dst, dst_size, dst_size) ? dst_size : 0;
}
