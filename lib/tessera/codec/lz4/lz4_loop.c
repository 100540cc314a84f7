/*
 * lz4_loop.c - the loop over the sequences of an LZ4 block in plain C, and which one for which
 * machine.
 */
#include "codec/lz4/lz4_loop.h"

#include "base/cpu.h"
#include "codec/match.h"

// Far from the ends a sequence of up to SHORT literals is read and written in one step, which
// touches so much of the input (token, one more byte of each length, literals, distance) and of the
// output.
#define SHORT 32
#define IN_STEP (1 + 1 + SHORT + 2 + 1)
#define OUT_STEP (SHORT + MATCH_WILD)

/*
 * Sequences, as long as both ends are far and lengths take one byte more at most; what is unusual
 * is left to others, damage too.
 *
 * Branches that can be foretold are better here than none, as the next sequence then starts before
 * this one is at hand: without them the same loop took 1.2 to 1.6 times as long (Zen 3).
 */
void
lz4_loop_c(struct lz4 *d)
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

lz4_loop_fn *
lz4_loop_for(unsigned cpu)
{
    lz4_loop_fn *loop = lz4_loop_c;
    (void)cpu;
#ifdef HAVE_X86_SSSE3
    if (cpu & CPU_SSSE3)
        loop = lz4_loop_ssse3;
#endif
#ifdef HAVE_X86_AVX2
    if (cpu & CPU_AVX2)
        loop = lz4_loop_avx2;
#endif
#ifdef HAVE_NEON
    if (cpu & CPU_NEON)
        loop = lz4_loop_neon;
#endif
    return loop;
}
