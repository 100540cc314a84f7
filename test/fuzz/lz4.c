/*
 * lz4.c - parts of an LZ4 block by our decoder, against the whole of it by the library.
 *
 * Input: size of the block, bytes needed and size of the dictionary (2 bytes each), dictionary,
 * block. What the library takes, our decoder must take, and make the same bytes of.
 */
#include "codec/lz4_decode.h"
#include "fuzz/fuzz.h"

#include <lz4.h>

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
    uint8_t *const part = exact_memory(dst_size);
    memset(part, 0xee, dst_size);

    const int made =
        LZ4_decompress_safe_usingDict((const char *)src, (char *)whole, (int)src_size,
                                      (int)dst_size, (const char *)dict, (int)dict_size);
    const struct lz4_dict d = {dict, dict_size};
    const bool ours = lz4_decode_part(src, src_size, &d, part, need, dst_size);
    if (made == (int)dst_size) {
        must(ours, "%zu of %zu bytes are refused", need, dst_size);
        must(memcmp(part, whole, need) == 0, "%zu of %zu bytes are others", need, dst_size);
    }
    free(part);
    free(whole);
    free(src);
    free(dict);
    return 0;
}
