/*
 * array_packets.c - tests of array/packets/format: what is put together is read back, and what does
 * not fit together is refused.
 */
#include "array/packets/packets.h"

#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    NCHUNKS = 4,
    ENTRIES_AT = 64 + 2 * 24,
    FRONT = ENTRIES_AT + NCHUNKS * 64 + 8,
    SMALL = 32,
    LARGE = 57,
    WHOLE = FRONT + SMALL + LARGE,
};

static const struct packet_array array = {
    .type_hash = 0x0123456789abcdef,
    .type_format = 3,
    .typesize = 4,
    .ndim = 2,
    .shape = {10, 0x1122334455667788},
    .chunkshape = {5, 1000},
    .blockshape = {5, 7},
};

// Chunks 2 and 9 are stored, 3 and INT64_MAX are not.
static void
make_entries(const struct packet *p, uint8_t header[2][CHUNK_HEADER_SIZE],
             struct packet_entry *entries)
{
    memset(header, 7, 2 * (size_t)CHUNK_HEADER_SIZE);
    put_i32le(header[0] + 12, SMALL);
    put_i32le(header[1] + 12, LARGE);
    const bool bytes = p->kind == PACKET_BYTES;
    entries[0] =
        (struct packet_entry){2, bytes ? FRONT : 1 << 20, SMALL, SPECIAL_NONE, 11, header[0]};
    entries[1] = (struct packet_entry){.number = 3, .special = SPECIAL_NANS};
    entries[2] =
        (struct packet_entry){9, bytes ? FRONT + SMALL : 0, LARGE, SPECIAL_NONE, 12, header[1]};
    entries[3] = (struct packet_entry){.number = INT64_MAX, .special = SPECIAL_UNINIT};
}

static uint8_t *
make_packet(enum packet_kind kind, struct packet *p)
{
    uint8_t header[2][CHUNK_HEADER_SIZE];
    struct packet_entry entries[NCHUNKS];
    uint8_t *bytes;
    *p = (struct packet){.kind = kind, .array = array, .nchunks = NCHUNKS, .cbytes = SMALL + LARGE};
    assert_int_equal(packet_start(p, &bytes, NULL), TESS_OK);
    make_entries(p, header, entries);
    for (int i = 0; i < NCHUNKS; i++)
        packet_put_entry(p, bytes, i, &entries[i]);
    if (kind == PACKET_BYTES)
        memset(bytes + p->front, 7, SMALL + LARGE);
    packet_seal(p, bytes);
    return bytes;
}

static void
there_and_back(void **state)
{
    (void)state;
    for (int kind = PACKET_BYTES; kind <= PACKET_FILES; kind++) {
        uint8_t header[2][CHUNK_HEADER_SIZE];
        struct packet_entry entries[NCHUNKS], e;
        struct packet made, read;
        uint8_t *const bytes = make_packet((enum packet_kind)kind, &made);
        assert_int_equal(made.size, kind == PACKET_BYTES ? WHOLE : FRONT);
        assert_int_equal(packet_parse(&read, bytes, made.size, NULL), TESS_OK);
        assert_int_equal(read.kind, kind);
        assert_int_equal(read.nchunks, NCHUNKS);
        assert_int_equal(read.cbytes, SMALL + LARGE);
        assert_int_equal(read.front, FRONT);
        assert_memory_equal(&read.array, &array, sizeof array);
        make_entries(&made, header, entries);
        for (int i = 0; i < NCHUNKS; i++) {
            packet_entry_get(&read, i, &e);
            assert_int_equal(e.number, entries[i].number);
            assert_int_equal(e.offset, entries[i].offset);
            assert_int_equal(e.size, entries[i].size);
            assert_int_equal(e.special, entries[i].special);
            assert_int_equal(e.checksum, entries[i].checksum);
            if (entries[i].header)
                assert_memory_equal(e.header, entries[i].header, CHUNK_HEADER_SIZE);
        }
        free(bytes);
    }
}

static void
without_chunks(void **state)
{
    (void)state;
    struct packet p = {.kind = PACKET_BYTES, .array = {.typesize = 8}}, read;
    uint8_t *bytes;
    assert_int_equal(packet_start(&p, &bytes, NULL), TESS_OK);
    packet_seal(&p, bytes);
    assert_int_equal(p.size, 64 + 8);
    assert_int_equal(packet_parse(&read, bytes, p.size, NULL), TESS_OK);
    assert_int_equal(read.nchunks, 0);
    free(bytes);
}

// Bytes of chunks are compared by who has the array.
static void
every_bit(void **state)
{
    (void)state;
    struct packet made, read;
    uint8_t *const bytes = make_packet(PACKET_BYTES, &made);
    for (size_t bit = 0; bit < (size_t)FRONT * 8; bit++) {
        tess_error err = {.status = TESS_OK};
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_not_equal(packet_parse(&read, bytes, made.size, &err), TESS_OK);
        assert_true(strlen(err.message) > 0);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_int_equal(packet_parse(&read, bytes, made.size, NULL), TESS_OK);
    free(bytes);
}

static void
every_size(void **state)
{
    (void)state;
    struct packet made, read;
    uint8_t *const bytes = make_packet(PACKET_BYTES, &made);
    for (size_t size = 0; size < made.size; size++) {
        uint8_t *const cut = malloc(size > 0 ? size : 1); // exactly, for the address sanitizer
        assert_non_null(cut);
        memcpy(cut, bytes, size);
        assert_int_not_equal(packet_parse(&read, cut, size, NULL), TESS_OK);
        free(cut);
    }
    uint8_t *const longer = calloc(1, made.size + 1);
    assert_non_null(longer);
    memcpy(longer, bytes, made.size);
    assert_int_equal(packet_parse(&read, longer, made.size + 1, NULL), TESS_ERR_CORRUPT);
    free(longer);
    free(bytes);
}

enum { E0 = ENTRIES_AT, E1 = E0 + 64, E2 = E1 + 64 };

// Fields that contradict others, under a checksum that is right.
static const struct {
    const char *name;
    enum packet_kind kind;
    size_t at;
    int size; // of the field
    int64_t value;
    tess_status st;
} wrong[] = {
    {"another start", PACKET_BYTES, 0, 4, 0, TESS_ERR_FORMAT},
    {"version 2", PACKET_BYTES, 8, 4, 2, TESS_ERR_UNSUPPORTED},
    {"kind 3", PACKET_BYTES, 12, 4, 3, TESS_ERR_UNSUPPORTED},
    {"kind extents, with bytes", PACKET_BYTES, 12, 4, 1, TESS_ERR_CORRUPT},
    {"a byte too many", PACKET_BYTES, 16, 8, WHOLE + 1, TESS_ERR_CORRUPT},
    {"no chunks", PACKET_BYTES, 24, 8, 0, TESS_ERR_CORRUPT},
    {"-1 chunks", PACKET_BYTES, 24, 8, -1, TESS_ERR_CORRUPT},
    {"2^58 chunks: 2^64 bytes", PACKET_BYTES, 24, 8, INT64_C(1) << 58, TESS_ERR_CORRUPT},
    {"stored bytes below zero", PACKET_BYTES, 32, 8, -1, TESS_ERR_CORRUPT},
    {"more stored bytes than chunks have", PACKET_EXTENTS, 32, 8, 1000, TESS_ERR_CORRUPT},
    {"fewer stored bytes than chunks have", PACKET_EXTENTS, 32, 8, SMALL, TESS_ERR_CORRUPT},
    {"items of no bytes", PACKET_BYTES, 48, 4, 0, TESS_ERR_CORRUPT},
    {"17 axes", PACKET_BYTES, 52, 4, 17, TESS_ERR_CORRUPT},
    {"-1 axes", PACKET_BYTES, 52, 4, -1, TESS_ERR_CORRUPT},
    {"bytes in reserve", PACKET_BYTES, 60, 4, 1, TESS_ERR_CORRUPT},
    {"a chunk below zero", PACKET_BYTES, E0, 8, -1, TESS_ERR_CORRUPT},
    {"a chunk twice", PACKET_BYTES, E1, 8, 2, TESS_ERR_CORRUPT},
    {"chunks that descend", PACKET_BYTES, E2, 8, 1, TESS_ERR_CORRUPT},
    {"a gap between chunks", PACKET_BYTES, E2 + 8, 8, FRONT + SMALL + 1, TESS_ERR_CORRUPT},
    {"an extent below zero", PACKET_EXTENTS, E0 + 8, 8, -1, TESS_ERR_CORRUPT},
    {"an extent at the end of numbers", PACKET_EXTENTS, E0 + 8, 8, INT64_MAX, TESS_ERR_CORRUPT},
    {"a file that has no name", PACKET_FILES, E0 + 8, 8, INT64_C(1) << 31, TESS_ERR_CORRUPT},
    {"another size than its header says", PACKET_BYTES, E0 + 16, 4, SMALL + 1, TESS_ERR_CORRUPT},
    {"a repeated value that is not stored", PACKET_BYTES, E1 + 20, 4, 3, TESS_ERR_CORRUPT},
    {"special kind 5", PACKET_BYTES, E1 + 20, 4, 5, TESS_ERR_CORRUPT},
    {"zeros with stored bytes", PACKET_BYTES, E0 + 20, 4, 1, TESS_ERR_CORRUPT},
    {"NaNs with an offset", PACKET_BYTES, E1 + 8, 8, FRONT, TESS_ERR_CORRUPT},
    {"NaNs with a checksum", PACKET_BYTES, E1 + 24, 8, 1, TESS_ERR_CORRUPT},
    {"NaNs with a header", PACKET_BYTES, E1 + 60, 4, 1, TESS_ERR_CORRUPT},
    {"no checksum", PACKET_BYTES, E0 + 24, 8, 0, TESS_ERR_CORRUPT},
    {"not stored, and not special", PACKET_BYTES, E1 + 20, 4, 0, TESS_ERR_CORRUPT},
};

static void
contradictions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct packet made, read;
        tess_error err = {.status = TESS_OK};
        uint8_t *const bytes = make_packet(wrong[i].kind, &made);
        if (wrong[i].size == 4)
            put_i32le(bytes + wrong[i].at, (int32_t)wrong[i].value);
        else
            put_u64le(bytes + wrong[i].at, (uint64_t)wrong[i].value);
        packet_seal(&made, bytes);
        const tess_status st = packet_parse(&read, bytes, made.size, &err);
        if (st != wrong[i].st || err.status != st)
            fail_msg("%s: status %d, %s", wrong[i].name, st, err.message);
        free(bytes);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back), cmocka_unit_test(without_chunks),
        cmocka_unit_test(every_bit),      cmocka_unit_test(every_size),
        cmocka_unit_test(contradictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
