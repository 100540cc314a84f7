/*
 * lz4.c - LZ4 blocks, and parts of them, by our decoder with each of its loops, against the
 * library.
 *
 * Input: size of the block, bytes needed and size of the dictionary (2 bytes each), dictionary,
 * block. What the library takes, our decoder must take, and make the same bytes of; of whole blocks
 * without a dictionary it must take no others.
 */
#include "base/cpu.h"
#include "codec/lz4/lz4_decode.h"
#include "fuzz/fuzz.h"

#include <lz4.h>

static void
check(unsigned cpu, const uint8_t *src, size_t src_size, const struct lz4_dict *dict, size_t need,
      const uint8_t *whole, size_t dst_size, bool taken)
{
    uint8_t *const dst = exact_memory(dst_size);

    memset(dst, 0xee, dst_size);
    const bool ours = lz4_decode_with(lz4_loop_for(cpu), src, src_size, dict, dst, need, dst_size);
    if (taken) {
        must(ours, "loop %x: %zu of %zu bytes are refused", cpu, need, dst_size);
        must(memcmp(dst, whole, need) == 0, "loop %x: %zu of %zu bytes are others", cpu, need,
             dst_size);
    } else if (need == dst_size && dict->size == 0) {
        must(!ours, "loop %x: %zu bytes are taken, which the library refuses", cpu, dst_size);
    }
    free(dst);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rd r = rd_init(data, size);
    const size_t dst_size = rd_u16be(&r) + (size_t)1;
    const size_t need = rd_u16be(&r) % dst_size + 1;
    const size_t dict_size = r.bad ? 0 : rd_u16be(&r) % (r.left + 1);
    const uint8_t *const dict_bytes = rd_take(&r, dict_size);
    if (r.bad)
        return 0;

    const size_t src_size = r.left;
    uint8_t *const dict = exact_copy(dict_bytes, dict_size);
    uint8_t *const src = exact_copy(r.at, src_size);
    uint8_t *const whole = exact_memory(dst_size);

    const int made =
        LZ4_decompress_safe_usingDict((const char *)src, (char *)whole, (int)src_size,
                                      (int)dst_size, (const char *)dict, (int)dict_size);
    const struct lz4_dict d = {dict, dict_size};
    static const unsigned masks[] = {0, CPU_SSSE3, CPU_AVX2, CPU_NEON};
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        if (masks[i] != 0 && !(cpu_mask() & masks[i]))
            continue;
        check(masks[i], src, src_size, &d, need, whole, dst_size, made == (int)dst_size);
        check(masks[i], src, src_size, &d, dst_size, whole, dst_size, made == (int)dst_size);
    }
    free(whole);
    free(src);
    free(dict);
    return 0;
}
