/*
 * ledger_ref.c - the reference that says where the ledger is: see ledger_ref.h for the bytes.
 */
#include "frame/format/ledger_ref.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/flat.h"
#include "chunk/header.h"
#include "chunk/whole.h"
#include "frame/format/checksums.h"
#include "frame/format/trailer.h"
#include "meta/layers.h"

#include <string.h>

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
