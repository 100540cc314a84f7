/*
 * trailer.c - the end of a frame: variable-length metalayers, length, fingerprint.
 *
 * A trailer is found from its end, where its length stands at a fixed distance.
 */
#include "frame/format/trailer.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "meta/layers.h"

#include <inttypes.h>
#include <string.h>
#define XXH_INLINE_ALL // one hash of few bytes: no library to link with
#include <xxhash.h>

enum {
    MARK_LENGTH = 0xce,
    MARK_FINGERPRINT = 0xd8,
    MARK_ARRAY = 0x94,
    MARK_ARRAY_2019 = 0x0d,
    MARK_BIN = 0xc6,
    VERSION = 1,
    LAYERS_AT = 2,
    FINGERPRINT_XXH3 = 3,
};

tess_status
trailer_length(const uint8_t *end, int64_t room, int64_t *length, tess_error *err)
{
    if (end[0] != MARK_LENGTH || end[5] != MARK_FINGERPRINT)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "the frame does not end with a trailer: markers 0x%02x 0x%02x", end[0],
                       end[5]);
    *length = get_u32be(end + 1);
    if (*length < LAYERS_AT + TRAILER_FIXED_END || *length > room)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "a trailer of %" PRId64 " bytes, %d to %" PRId64 " can be", *length,
                       LAYERS_AT + TRAILER_FIXED_END, room);
    return TESS_OK;
}

tess_status
trailer_parse(const uint8_t *src, size_t size, struct layers *vlmetas, tess_error *err)
{
    if (src[0] != MARK_ARRAY || src[1] != VERSION)
        return err_set(err, TESS_ERR_CORRUPT, 0, "a trailer that starts with 0x%02x 0x%02x", src[0],
                       src[1]);
    return layers_parse(src + LAYERS_AT, size - LAYERS_AT - TRAILER_FIXED_END, LAYERS_AT,
                        LAYERS_TRAILER, vlmetas, err);
}

tess_status
trailer_check_v1(const uint8_t *src, size_t size, tess_error *err)
{
    struct rd r = rd_init(src, size);
    const unsigned first = rd_u8(&r);
    (void)rd_u8(&r);
    const unsigned mark = rd_u8(&r);
    const uint32_t content = rd_u32be(&r);
    if (r.bad || (first != MARK_ARRAY && first != MARK_ARRAY_2019) || mark != MARK_BIN ||
        (size_t)content + TRAILER_FIXED_END != r.left)
        return err_set(err, TESS_ERR_CORRUPT, 0,
                       "an old trailer of %zu bytes with %" PRIu32 " bytes of metadata", size,
                       content);
    return TESS_OK;
}

tess_status
trailer_write(const struct layers *vlmetas, uint8_t **out, size_t *size, tess_error *err)
{
    const size_t layers = layers_size(vlmetas);
    *size = LAYERS_AT + layers + TRAILER_FIXED_END;
    if (*size > INT32_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1, "metalayers of %zu bytes, at most %d can be",
                       layers, INT32_MAX);
    uint8_t *const dst = mem_zeroed(1, *size);
    if (!dst)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a trailer of %zu bytes", *size);

    dst[0] = MARK_ARRAY;
    dst[1] = VERSION;
    layers_write(vlmetas, LAYERS_AT, LAYERS_TRAILER, dst + LAYERS_AT);
    uint8_t *const end = dst + *size - TRAILER_FIXED_END;
    end[0] = MARK_LENGTH;
    put_u32be(end + 1, (uint32_t)*size);
    end[5] = MARK_FINGERPRINT; // type 0, no fingerprint
    *out = dst;
    return TESS_OK;
}

static void
fingerprint(const uint8_t *trailer, size_t size, const uint8_t *index, size_t index_size,
            XXH128_canonical_t *out)
{
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, index, index_size);
    XXH3_128bits_update(&state, trailer, size - TRAILER_SEAL);
    XXH128_canonicalFromHash(out, XXH3_128bits_digest(&state));
}

void
trailer_seal(uint8_t *trailer, size_t size, const uint8_t *index, size_t index_size)
{
    XXH128_canonical_t hash;
    uint8_t *const end = trailer + size - TRAILER_SEAL;
    end[-1] = FINGERPRINT_XXH3;
    fingerprint(trailer, size, index, index_size, &hash);
    memcpy(end, hash.digest, TRAILER_SEAL);
}

tess_status
trailer_check_seal(const uint8_t *trailer, size_t size, const uint8_t *index, size_t index_size,
                   bool *sealed, tess_error *err)
{
    XXH128_canonical_t hash;
    const uint8_t *const end = trailer + size - TRAILER_SEAL;
    *sealed = end[-1] == FINGERPRINT_XXH3;
    if (!*sealed)
        return TESS_OK;
    fingerprint(trailer, size, index, index_size, &hash);
    if (memcmp(end, hash.digest, TRAILER_SEAL) != 0)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "index and trailer are not what their fingerprint says");
    return TESS_OK;
}

bool
trailer_has_fingerprint(const uint8_t *trailer, size_t size)
{
    return trailer[size - TRAILER_SEAL - 1] != 0;
}
