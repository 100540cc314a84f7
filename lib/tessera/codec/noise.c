/*
 * noise.c - telling bytes that no codec makes smaller.
 */
#include "codec/noise.h"

#include "base/bytes.h"

#include <string.h>

enum {
    PIECE = 4096, // in which all values have to be equally frequent
    SEEN_LOG = 12,
    SAMPLE_LOG = 6, // one triple of bytes in 64 is looked for in those seen
    REPEATS_LOG = 6, // one triple in 64 may come again, beyond what happens by chance
};

#define TRIPLE 0xffffffu
#define GOLDEN 0x9e3779b1u

/*
 * The sum of the squared frequencies is PIECE + PIECE (PIECE - 1) / 256 = 69616 in the mean for
 * noise, with a deviation of 361. Eight deviations above that, the entropy is 7.97 bits a byte.
 */
#define SQUARES_MAX (69616u + 8 * 361)

static bool
is_level(const uint8_t *piece)
{
    uint16_t even[256] = {0}, odd[256] = {0};
    uint32_t squares = 0;

    for (int i = 0; i < PIECE; i += 2) {
        even[piece[i]]++;
        odd[piece[i + 1]]++;
    }
    for (int i = 0; i < 256; i++) {
        const uint32_t n = (uint32_t)even[i] + odd[i];
        squares += n * n;
    }
    return squares <= SQUARES_MAX;
}

// Which triples are looked for depends on their bytes alone, so that of two equal stretches, at
// any distance, the same ones are.
static bool
comes_again(const uint8_t *src, size_t size)
{
    uint32_t seen[1 << SEEN_LOG];
    size_t asked = 0, repeats = 0;

    memset(seen, 0xff, sizeof seen); // no triple
    for (size_t i = 0; i + 4 <= size; i++) {
        const uint32_t triple = get_u32le(src + i) & TRIPLE;
        const uint32_t hash = triple * GOLDEN;
        if (hash >> (32 - SAMPLE_LOG) != 0)
            continue;
        uint32_t *const slot = &seen[hash >> (32 - SAMPLE_LOG - SEEN_LOG)];
        asked++;
        repeats += *slot == triple;
        *slot = triple;
    }
    const size_t nseen = asked < 1 << SEEN_LOG ? asked : 1 << SEEN_LOG;
    const size_t by_chance = asked * nseen >> (24 - SAMPLE_LOG);
    return repeats > by_chance + (asked >> REPEATS_LOG);
}

bool
bytes_are_noise(const uint8_t *src, size_t size)
{
    if (size < PIECE)
        return false;
    for (size_t at = 0; at + PIECE <= size; at += PIECE)
        if (!is_level(src + at))
            return false;
    return is_level(src + size - PIECE) && !comes_again(src, size);
}

bool
is_worth_encoding(const struct codec_call *call, const uint8_t *src, size_t size)
{
    if (size == 1)
        return false;
    return call->dict || !call->codec->slow_on_noise || !bytes_are_noise(src, size);
}
