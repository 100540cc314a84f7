/*
 * lz4_decode.c - the LZ4 block format, and a decoder that stops where it is told to.
 *
 * A block is a row of sequences, each some literals and a match; the last has no match.
 *
 *     token      number of literals in the high four bits, length of the match less 4 in the low
 *                ones; where one of them is 15, bytes follow that are added to it, up to and
 *                including the first that is not 255
 *     ...        those of the literals
 *     literals   copied to the output
 *     distance   2 bytes, little endian: the match starts so many bytes before the end of the
 *                output, or of the dictionary that stands in front of it, and may overlap what it
 *                makes. 0 makes zeros: the library takes it.
 *     ...        those of the match
 *
 * Every sequence is checked before a byte of it is copied.
 */
#include "codec/lz4_decode.h"

#include "codec/match.h"

// Far from the ends a sequence of up to SHORT literals is read and written in one step, which
// touches so much of the input (token, one more byte of each length, literals, distance) and of the
// output.
#define SHORT 32
#define IN_STEP (1 + 1 + SHORT + 2 + 1)
#define OUT_STEP (SHORT + MATCH_WILD)

struct lz4 {
    const uint8_t *src;
    const uint8_t *end;
    const uint8_t *first; // of the output
    uint8_t *dst;
    const uint8_t *wanted; // where to stop
    const uint8_t *stop; // end of the output
};

/*
 * Sequences, as long as both ends are far and lengths take one byte more at most; what is unusual
 * is left to decode_one(), damage too.
 *
 * Branches that can be foretold are better here than none, as the next sequence then starts before
 * this one is at hand: without them the same loop took 1.2 to 1.6 times as long (Zen 3).
 */
static void
decode_far(struct lz4 *d)
{
    const uint8_t *const src_far = d->end - (IN_STEP - 1);
    const uint8_t *const dst_far =
        d->wanted < d->stop - OUT_STEP ? d->wanted : d->stop - (OUT_STEP - 1);
    const uint8_t *const end = d->end;
    const uint8_t *const stop = d->stop;
    const uint8_t *const first = d->first;
    const uint8_t *src = d->src;
    uint8_t *dst = d->dst;

    while (src < src_far && dst < dst_far) {
        const uint8_t *p = src;
        const unsigned token = *p++;
        size_t n = token >> 4;
        if (n < 15) {
            memcpy(dst, p, 16);
        } else {
            n += *p++;
            memcpy(dst, p, SHORT);
            if (n > SHORT) {
                if (n == 15 + 255 || (size_t)(end - p) < n + 32 || (size_t)(stop - dst) < n + 32)
                    break;
                for (size_t i = SHORT; i < n; i += 32)
                    memcpy(dst + i, p + i, 32);
            }
        }
        p += n;

        uint8_t *const at = dst + n;
        struct match m = {.distance = get_u16le(p), .length = token & 15};
        p += 2;
        if (m.distance - 1 >= (size_t)(at - first)) // 0, too
            break;
        if (m.length < 15 && m.distance >= 8) {
            memcpy(at, at - m.distance, 8);
            memcpy(at + 8, at + 8 - m.distance, 8);
            memcpy(at + 16, at + 16 - m.distance, 2);
            dst = at + m.length + 4;
            src = p;
            continue;
        }
        if (m.length == 15)
            m.length += *p++;
        m.length += 4;
        if (m.length == 15 + 255 + 4 || m.length > (size_t)(stop - at))
            break;
        if (m.distance >= 16 && m.length <= MATCH_WILD) {
            memcpy(at, at - m.distance, 16);
            memcpy(at + 16, at + 16 - m.distance, 16);
        } else {
            match_copy(at, m, (size_t)(stop - at));
        }
        dst = at + m.length;
        src = p;
    }
    d->src = src;
    d->dst = dst;
}

// Add the bytes that go on with a length. Lengths above `room` are refused on the way, so that they
// cannot overflow.
static bool
read_more(struct lz4 *d, size_t *length, size_t room)
{
    unsigned more;

    do {
        if (d->src == d->end || *length > room)
            return false;
        more = *d->src++;
        *length += more;
    } while (more == 255);
    return true;
}

static size_t
at_most(size_t n, size_t limit)
{
    return n < limit ? n : limit;
}

static bool
copy_literals(struct lz4 *d, size_t n)
{
    if (n == 15 && !read_more(d, &n, (size_t)(d->stop - d->dst)))
        return false;
    n = at_most(n, (size_t)(d->wanted - d->dst));
    if (n > (size_t)(d->end - d->src))
        return false;
    memcpy(d->dst, d->src, n);
    d->src += n;
    d->dst += n;
    return true;
}

// A match that starts in the dictionary, `before` bytes before the output, and may end in the
// output.
static void
copy_from_dict(const struct lz4 *d, size_t length, const struct lz4_dict *dict, size_t before)
{
    const size_t head = at_most(length, before);

    memcpy(d->dst, dict->bytes + dict->size - before, head);
    for (size_t i = head; i < length; i++)
        d->dst[i] = d->first[i - head];
}

// One sequence, wherever it stands.
static bool
decode_one(struct lz4 *d, const struct lz4_dict *dict)
{
    if (d->src == d->end)
        return false;
    const unsigned token = *d->src++;
    if (!copy_literals(d, token >> 4))
        return false;
    if (d->dst == d->wanted)
        return true;

    const size_t room = (size_t)(d->stop - d->dst);
    const size_t made = (size_t)(d->dst - d->first);
    if (d->end - d->src < 2)
        return false;
    struct match m = {.distance = get_u16le(d->src), .length = token & 15};
    d->src += 2;
    if (m.length == 15 && !read_more(d, &m.length, room))
        return false;
    m.length += 4;
    if (m.length > room || m.distance > made + dict->size)
        return false;
    m.length = at_most(m.length, (size_t)(d->wanted - d->dst));
    if (m.distance == 0)
        memset(d->dst, 0, m.length);
    else if (m.distance <= made)
        match_copy(d->dst, m, room);
    else
        copy_from_dict(d, m.length, dict, m.distance - made);
    d->dst += m.length;
    return true;
}

bool
lz4_decode_part(const uint8_t *src, size_t src_size, const struct lz4_dict *dict, uint8_t *dst,
                size_t need, size_t dst_size)
{
    struct lz4 d = {
        .src = src,
        .end = src + src_size,
        .first = dst,
        .dst = dst,
        .wanted = dst + need,
        .stop = dst + dst_size,
    };

    while (d.dst < d.wanted) {
        if (d.end - d.src >= IN_STEP && d.stop - d.dst >= OUT_STEP)
            decode_far(&d);
        if (d.dst < d.wanted && !decode_one(&d, dict))
            return false;
    }
    return true;
}
