/*
 * trailer.c - the end of a frame: metalayers, length, fingerprint, reference to the ledger.
 *
 * A trailer is found from its end, where its length stands at a fixed distance.
 *
 * Not here: the ledger itself (ledger.c), the metalayers (meta/layers.c).
 */
#include "frame/format/trailer.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "chunk/content.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/flat.h"
#include "chunk/header.h"
#include "frame/format/checksums.h"
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

// -- the reference to the ledger

enum {
    MARK_BIN8 = 0xc4,
    MARK_SIZE = 2, // the marker, and the byte behind it
    PAYLOAD_SIZE = 29,
    SIZE = MARK_SIZE + PAYLOAD_SIZE,
    SIZE_UNCOMPRESSED = 32, // of a chunk that any implementation compresses: BLOSC_MIN_BUFFERSIZE
    FORMAT = 2,
    LIMIT = 4096, // of memory, to look at what may be a reference
    BYTES48 = 6,
    HASH_AT = 1,
    HEAD_HASH_AT = 9,
    WHITENED_AT = 13,
    SIZE_AT = 13,
    POSITION_AT = 17,
    NUMBER_AT = 23,

    BESIDE_HASH_AT = 8,
    BESIDE_PAYLOAD_AT = 16,
};

static const uint8_t beside_magic[] = {'t', 'e', 's', 's', '_', 'r', 'e', 'f'};

_Static_assert(SIZE < SIZE_UNCOMPRESSED, "the reference must never be compressed");
_Static_assert(CHUNK_HEADER_SIZE + SIZE == LEDGER_REF_CHUNK_SIZE, "the size in the header");

uint32_t
ledger_head_hash(const uint8_t *head, size_t size)
{
    return (uint32_t)checksum_of(head, size);
}

static uint64_t
get_u48le(const uint8_t *p)
{
    uint64_t x = 0;
    for (int i = BYTES48 - 1; i >= 0; i--)
        x = x << 8 | p[i];
    return x;
}

static void
put_u48le(uint8_t *p, uint64_t x)
{
    for (int i = 0; i < BYTES48; i++)
        p[i] = (uint8_t)(x >> 8 * i);
}

// SplitMix64 (Steele, Lea, Flood 2014): a word that looks random, out of any other.
static uint64_t
mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

// Once hides the fields, twice shows them.
static void
whiten(uint8_t *payload)
{
    const uint64_t seed = get_u64le(payload + HASH_AT) ^ get_u32le(payload + HEAD_HASH_AT);
    for (int i = 0; i < 2; i++) {
        uint8_t *const word = payload + WHITENED_AT + 8 * i;
        put_u64le(word, get_u64le(word) ^ mix(seed + (uint64_t)i));
    }
}

// Parse the fields. Unmasks the bytes at `p` in place.
static void
get_payload(uint8_t *p, struct ledger_ref *ref)
{
    whiten(p);
    *ref = (struct ledger_ref){
        .size = get_u32le(p + SIZE_AT),
        .position = (int64_t)get_u48le(p + POSITION_AT),
        .number = get_u48le(p + NUMBER_AT),
        .hash = get_u64le(p + HASH_AT),
        .head_hash = get_u32le(p + HEAD_HASH_AT),
    };
}

static void
put_payload(uint8_t *p, const struct ledger_ref *ref)
{
    p[0] = FORMAT;
    put_u64le(p + HASH_AT, ref->hash);
    put_u32le(p + HEAD_HASH_AT, ref->head_hash);
    put_u32le(p + SIZE_AT, (uint32_t)ref->size);
    put_u48le(p + POSITION_AT, (uint64_t)ref->position);
    put_u48le(p + NUMBER_AT, ref->number);
    whiten(p);
}

bool
ledger_ref_parse(const struct layer *layer, struct ledger_ref *ref)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (chunk_content(layer->content, layer->size, LIMIT, &bytes, &size, NULL) != TESS_OK)
        return false;
    const bool is_ref = size == SIZE && bytes[0] == MARK_BIN8 && bytes[1] == PAYLOAD_SIZE &&
                        bytes[MARK_SIZE] == FORMAT;
    if (is_ref)
        get_payload(bytes + MARK_SIZE, ref);
    mem_free(bytes);
    return is_ref;
}

tess_status
ledger_ref_make(struct layer *layer, tess_error *err)
{
    int32_t cbytes;
    uint8_t *bytes;
    const tess_status st = chunk_of_room(SIZE, SIZE, &layer->content, &cbytes, &bytes, err);
    if (st != TESS_OK)
        return st;
    strcpy(layer->name, LEDGER_NAME);
    layer->size = (uint32_t)cbytes;
    memset(bytes, 0, SIZE);
    return TESS_OK;
}

void
ledger_ref_write(uint8_t *content, const struct ledger_ref *ref)
{
    uint8_t *const bytes = content + CHUNK_HEADER_SIZE;
    bytes[0] = MARK_BIN8;
    bytes[1] = PAYLOAD_SIZE;
    put_payload(bytes + MARK_SIZE, ref);
}

static uint64_t
beside_hash(const uint8_t *src, const uint8_t *seal)
{
    uint8_t bytes[LEDGER_REF_BESIDE_SIZE + TRAILER_SEAL];
    memcpy(bytes, src, LEDGER_REF_BESIDE_SIZE);
    memcpy(bytes + LEDGER_REF_BESIDE_SIZE, seal, TRAILER_SEAL);
    put_u64le(bytes + BESIDE_HASH_AT, 0);
    return checksum_of(bytes, sizeof bytes);
}

void
ledger_ref_write_beside(uint8_t *dst, const uint8_t *seal, const struct ledger_ref *ref)
{
    memset(dst, 0, LEDGER_REF_BESIDE_SIZE);
    memcpy(dst, beside_magic, sizeof beside_magic);
    put_payload(dst + BESIDE_PAYLOAD_AT, ref);
    put_u64le(dst + BESIDE_HASH_AT, beside_hash(dst, seal));
}

bool
ledger_ref_parse_beside(const uint8_t *src, const uint8_t *seal, struct ledger_ref *ref)
{
    uint8_t payload[PAYLOAD_SIZE];
    if (memcmp(src, beside_magic, sizeof beside_magic) != 0 || src[BESIDE_PAYLOAD_AT] != FORMAT ||
        get_u64le(src + BESIDE_HASH_AT) != beside_hash(src, seal))
        return false;
    memcpy(payload, src + BESIDE_PAYLOAD_AT, sizeof payload);
    get_payload(payload, ref);
    ref->beside = true;
    return true;
}
