/*
 * frame_ledger.c - tests of frame: checksums by entry against a list, and ledgers that were made,
 * read, damaged, and made up.
 */
#include "base/bytes.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/flat.h"
#include "chunk/header.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/format/ledger.h"
#include "frame/format/trailer.h"
#include "io/io.h"
#include "io/memory.h"
#include "meta/layers.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    ENTRIES = 300,
    STEPS = 20000,
    LISTS = 200,
    LIMIT = 1 << 20,
    FIXED_SIZE = 56,
    HASH_AT = 16,
};

static void
checksums_are_kept(void **state)
{
    struct checksums x = {0};
    uint64_t expected[ENTRIES] = {0};
    struct random r;
    int64_t count = 0;

    (void)state;
    random_init(&r, random_seed());
    assert_int_equal(checksums_get(&x, 5), 0);
    checksums_set(&x, 5, 0);
    for (int i = 0; i < STEPS; i++) {
        const int64_t n = (int64_t)random_below(&r, ENTRIES);
        const int64_t entry = n * 4096; // as positions are
        const uint64_t checksum = random_below(&r, 2) ? 0 : random_next(&r) | 1;
        assert_int_equal(checksums_reserve(&x, 1, NULL), TESS_OK);
        checksums_set(&x, entry, checksum);
        count += (checksum != 0) - (expected[n] != 0);
        expected[n] = checksum;
        assert_int_equal(x.count, count);
        const int64_t other = (int64_t)random_below(&r, ENTRIES);
        assert_true(checksums_get(&x, other * 4096) == expected[other]);
        assert_true(checksums_get(&x, other * 4096 + 1) == 0);
    }
    for (int64_t n = 0; n < ENTRIES; n++)
        assert_true(checksums_get(&x, n * 4096) == expected[n]);
    checksums_finish(&x);
}

// A checksum in pieces is that of the whole. The hash is XXH3, whose value for nothing is known.
static void
checksums_of_bytes(void **state)
{
    enum { SIZE = 700000 };
    struct random r;
    struct io *io;
    uint64_t checksum;
    uint8_t *const bytes = malloc(SIZE);

    (void)state;
    assert_non_null(bytes);
    assert_true(checksum_of("", 0) == UINT64_C(0x2d06800538d394c2));
    random_init(&r, random_seed());
    random_bytes(&r, bytes, SIZE);
    assert_int_equal(io_memory_view(bytes, SIZE, &io, NULL), TESS_OK);
    for (int i = 0; i < 20; i++) {
        const int64_t at = (int64_t)random_below(&r, 1000);
        const int64_t size = (int64_t)random_below(&r, SIZE - 1000);
        assert_int_equal(checksum_of_stored(io, at, size, &checksum, NULL), TESS_OK);
        assert_true(checksum == checksum_of(bytes + at, (size_t)size));
    }
    assert_int_equal(checksum_of_stored(io, SIZE - 10, 11, &checksum, NULL), TESS_ERR_IO);
    io_close(io);
    free(bytes);
}

// -- ledgers

struct made {
    struct frame_index list;
    struct checksums checksums;
    uint8_t *head, *previous;
    size_t head_size;
    bool has_previous;
    struct layers layers;
    uint8_t *block;
    size_t size;
};

static void
make_layers(struct layers *l, struct random *r)
{
    *l = (struct layers){0};
    for (uint64_t i = random_below(r, 4); i > 0; i--) {
        const char name[] = {'a', (char)('a' + i), 0};
        uint8_t content[60];
        random_bytes(r, content, sizeof content);
        assert_int_equal(layers_add(l, 16, name, content, 1 + random_below(r, 59), NULL), TESS_OK);
    }
}

static void
make(struct made *m, struct random *r)
{
    static const int64_t counts[] = {0, 1, 2, 7, 40};
    const int64_t nchunks = counts[random_below(r, 5)];

    *m = (struct made){.head_size = 100 + random_below(r, 900), .has_previous = random_below(r, 2)};
    index_init_uniform(&m->list, nchunks, SPECIAL_UNINIT);
    for (int64_t n = 0; n < nchunks && random_below(r, 20) > 0; n++) {
        const int64_t entry =
            random_below(r, 3) == 0
                ? index_entry_of(random_below(r, 2) ? SPECIAL_ZEROS : SPECIAL_NANS)
                : 32 * n;
        assert_int_equal(index_set(&m->list, n, entry, NULL), TESS_OK);
        assert_int_equal(checksums_reserve(&m->checksums, 1, NULL), TESS_OK);
        if (entry >= 0 && random_below(r, 10) > 0)
            checksums_set(&m->checksums, entry, random_next(r) | 1);
    }
    m->head = malloc(m->head_size);
    m->previous = malloc(m->head_size);
    assert_true(m->head && m->previous);
    random_bytes(r, m->head, m->head_size);
    random_bytes(r, m->previous, m->head_size);
    memcpy(m->head + 2, FRAME_MAGIC, sizeof FRAME_MAGIC);
    memcpy(m->previous + 2, FRAME_MAGIC, sizeof FRAME_MAGIC);
    make_layers(&m->layers, r);
    const struct ledger_source source = {
        .list = &m->list,
        .checksums = &m->checksums,
        .vlmetas = &m->layers,
        .head_size = m->head_size,
        .previous = m->has_previous,
    };
    assert_int_equal(ledger_make(&source, &m->block, &m->size, NULL), TESS_OK);
}

static void
finish(struct made *m)
{
    index_finish(&m->list);
    checksums_finish(&m->checksums);
    free(m->head);
    free(m->previous);
    layers_finish(&m->layers);
    free(m->block);
}

static bool
holds_magic(const struct made *m)
{
    for (size_t i = 0; i + sizeof FRAME_MAGIC <= m->size; i++)
        if (memcmp(m->block + i, FRAME_MAGIC, sizeof FRAME_MAGIC) == 0)
            return true;
    return false;
}

// A copy of the block, parsed.
static tess_status
parse(const struct made *m, struct ledger *x)
{
    uint8_t *const copy = malloc(m->size);
    assert_non_null(copy);
    memcpy(copy, m->block, m->size);
    return ledger_take(copy, m->size, x, NULL);
}

static void
check_layers(const struct made *m, const struct ledger *x)
{
    assert_int_equal(x->nlayers, m->layers.count);
    for (int i = 0; i < m->layers.count; i++) {
        struct layer layer = m->layers.items[i];
        assert_int_equal(ledger_check_layer(x, &layer), LEDGER_SAME);
        layer.content[layer.size - 1] ^= 1;
        assert_int_equal(ledger_check_layer(x, &layer), LEDGER_DIFFERS);
        layer.content[layer.size - 1] ^= 1;
        layer.size--;
        assert_int_equal(ledger_check_layer(x, &layer), LEDGER_DIFFERS);
        layer.name[0] = 'b';
        assert_int_equal(ledger_check_layer(x, &layer), LEDGER_UNKNOWN);
    }
}

static void
check_read(const struct made *m, uint64_t number)
{
    struct checksums checksums = {0};
    struct ledger x;

    assert_int_equal(parse(m, &x), TESS_OK);
    assert_true(x.number == number);
    assert_int_equal(x.position, (int64_t)number % 1000);
    check_layers(m, &x);
    assert_int_equal(x.head_size, m->head_size);
    assert_memory_equal(x.head, m->head, m->head_size);
    assert_int_equal(x.previous != NULL, m->has_previous && m->head_size > LEDGER_SECTOR);
    if (x.previous)
        assert_memory_equal(x.previous, m->previous, m->head_size);
    assert_int_equal(ledger_load(&x, &m->list, &checksums, NULL), TESS_OK);
    assert_int_equal(checksums.count, m->checksums.count);
    for (int64_t n = 0; n < m->list.nchunks; n++) {
        const int64_t entry = index_get(&m->list, n);
        if (entry >= 0)
            assert_true(checksums_get(&checksums, entry) == checksums_get(&m->checksums, entry));
    }
    checksums_finish(&checksums);
    ledger_finish(&x);
}

static void
seal(const struct made *m, uint64_t number)
{
    struct ledger x;
    const uint64_t hash =
        ledger_seal(m->block, m->size, number, (int64_t)number % 1000, m->head, m->previous);
    assert_int_equal(parse(m, &x), TESS_OK);
    assert_true(x.hash == hash);
    ledger_finish(&x);
}

static void
ledgers_are_read(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < LISTS; i++) {
        const uint64_t number = random_next(&r) >> 1;
        struct made m;
        make(&m, &r);
        seal(&m, number);
        assert_false(holds_magic(&m));
        check_read(&m, number);
        seal(&m, number + 1);
        check_read(&m, number + 1);
        finish(&m);
    }
}

// Any byte that is another one is noticed.
static void
damage_is_noticed(void **state)
{
    struct random r;
    struct ledger x;

    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 5; i++) {
        struct made m;
        make(&m, &r);
        seal(&m, 1);
        for (size_t at = 0; at < m.size; at++) {
            const uint8_t bit = (uint8_t)(1 << random_below(&r, 8));
            m.block[at] ^= bit;
            assert_int_equal(parse(&m, &x), TESS_ERR_CORRUPT);
            assert_null(x.content);
            m.block[at] ^= bit;
        }
        check_read(&m, 1);
        finish(&m);
    }
}

// Fields that somebody made up, with a hash that fits.
static void
lies_are_noticed(void **state)
{
    static const size_t fields[] = {4, 24, 28, 32, 36, 48};
    struct random r;
    int refused = 0, other = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 20 * LISTS; i++) {
        static const uint32_t extremes[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
        struct checksums checksums = {0};
        struct ledger x;
        struct made m;
        make(&m, &r);
        seal(&m, 1);
        const size_t runs_at =
            FIXED_SIZE + m.head_size * (m.has_previous && m.head_size > LEDGER_SECTOR ? 2 : 1) +
            40 * (size_t)m.layers.count;
        const size_t at = random_below(&r, 2) ? fields[random_below(&r, 6)] : runs_at;
        if (at + 8 <= m.size) {
            const uint32_t now = get_u32le(m.block + at);
            put_u32le(m.block + at, random_below(&r, 2) ? extremes[random_below(&r, 5)]
                                                        : now + (uint32_t)random_below(&r, 5) - 2);
        }
        put_u64le(m.block + HASH_AT, 0);
        put_u64le(m.block + HASH_AT, checksum_of(m.block, m.size));
        const tess_status st = parse(&m, &x);
        assert_true(st == TESS_OK || st == TESS_ERR_CORRUPT);
        refused += st != TESS_OK;
        if (st == TESS_OK)
            other += ledger_load(&x, &m.list, &checksums, NULL) != TESS_OK;
        ledger_finish(&x);
        checksums_finish(&checksums);
        finish(&m);
    }
    assert_true(refused > LISTS && other > LISTS);
}

// What Tessera 0.1 wrote: the block without position and metalayers, as the content of `_tess`.
static void
format_1_is_read(void **state)
{
    enum { FIXED_SIZE_V1 = 40, MARK_SIZE = 5 };
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < LISTS; i++) {
        struct layer layer;
        struct ledger x;
        struct made m;
        uint8_t *bytes;
        int32_t cbytes;
        make(&m, &r);
        seal(&m, 7);
        const size_t heads = m.head_size * (m.has_previous && m.head_size > LEDGER_SECTOR ? 2 : 1);
        const size_t rest_at = FIXED_SIZE + heads + 40 * (size_t)m.layers.count;
        const size_t size = FIXED_SIZE_V1 + heads + m.size - rest_at;
        assert_int_equal(
            chunk_of_room(MARK_SIZE + size, 1 << 16, &layer.content, &cbytes, &bytes, NULL),
            TESS_OK);
        layer.size = (uint32_t)cbytes;
        bytes[0] = 0xc6;
        put_u32be(bytes + 1, (uint32_t)size);
        uint8_t *const payload = bytes + MARK_SIZE;
        memcpy(payload, m.block, FIXED_SIZE_V1);
        memcpy(payload + FIXED_SIZE_V1, m.block + FIXED_SIZE, heads);
        memcpy(payload + FIXED_SIZE_V1 + heads, m.block + rest_at, m.size - rest_at);
        payload[0] = 1;
        put_u64le(payload + HASH_AT, 0);
        put_u64le(payload + HASH_AT, checksum_of(payload, size));
        assert_int_equal(ledger_parse_v1(&layer, LIMIT, &x, NULL), TESS_OK);
        assert_true(x.number == 7 && x.position == -1 && x.nlayers == -1);
        assert_memory_equal(x.head, m.head, m.head_size);
        struct checksums checksums = {0};
        assert_int_equal(ledger_load(&x, &m.list, &checksums, NULL), TESS_OK);
        assert_int_equal(checksums.count, m.checksums.count);
        assert_int_equal(ledger_check_layer(&x, &layer), LEDGER_UNKNOWN);
        checksums_finish(&checksums);
        ledger_finish(&x);
        payload[size - 1] ^= 1;
        assert_int_equal(ledger_parse_v1(&layer, LIMIT, &x, NULL), TESS_ERR_CORRUPT);
        free(layer.content);
        finish(&m);
    }
}

static void
references_are_read(void **state)
{
    const struct ledger_ref ref = {.size = 0xfedcba98,
                                   .position = INT64_C(0xfedcba987654),
                                   .number = UINT64_C(0x123456789abc),
                                   .hash = UINT64_C(0xfedcba9876543210),
                                   .head_hash = 0x89abcdef};
    struct ledger_ref found;
    struct layer layer;
    (void)state;
    assert_int_equal(ledger_ref_make(&layer, NULL), TESS_OK);
    assert_int_equal(layer.size, LEDGER_REF_CHUNK_SIZE);
    assert_false(ledger_ref_parse(&layer, &found));
    ledger_ref_write(layer.content, &ref);
    assert_true(ledger_ref_parse(&layer, &found));
    assert_true(found.size == ref.size && found.position == ref.position &&
                found.number == ref.number && found.hash == ref.hash &&
                found.head_hash == ref.head_hash);
    // Fewer bytes than any implementation compresses, as they are.
    struct chunk_header h;
    assert_int_equal(chunk_header_parse(layer.content, CHUNK_HEADER_SIZE, layer.size, 8, &h, NULL),
                     TESS_OK);
    assert_true(h.nbytes < 32 && h.cbytes == CHUNK_HEADER_SIZE + h.nbytes);
    layer.content[CHUNK_HEADER_SIZE + 2] = 3; // another format
    assert_false(ledger_ref_parse(&layer, &found));
    layer.size--;
    assert_false(ledger_ref_parse(&layer, &found));
    free(layer.content);
}

static void
torn_headers_are_seen(void **state)
{
    enum { SIZE = 1300 };
    uint8_t head[SIZE], previous[SIZE], found[SIZE];
    struct ledger x = {.head = head, .head_size = SIZE, .previous = previous};

    (void)state;
    memset(head, 1, SIZE);
    memset(previous, 2, SIZE);
    memset(previous + 512, 1, 512); // the same in both
    frame_header_mark(head);
    frame_header_mark(previous);
    for (int mask = 0; mask < 8; mask++) {
        for (size_t i = 0; i < SIZE; i++)
            found[i] = mask >> (i / 512) & 1 ? previous[i] : head[i];
        assert_int_equal(ledger_sees_torn(&x, found, SIZE), (mask & 5) != 0);
        found[FRAME_HEADER_SIZE - 1] = 0; // another program wrote all of it
        assert_false(ledger_sees_torn(&x, found, SIZE));
        frame_header_mark(found);
        found[700] = 9; // somebody else's
        assert_false(ledger_sees_torn(&x, found, SIZE));
    }
    assert_false(ledger_sees_torn(&x, previous, SIZE - 1));
    x.previous = NULL;
    assert_false(ledger_sees_torn(&x, previous, SIZE));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksums_are_kept),  cmocka_unit_test(checksums_of_bytes),
        cmocka_unit_test(ledgers_are_read),    cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(lies_are_noticed),    cmocka_unit_test(format_1_is_read),
        cmocka_unit_test(references_are_read), cmocka_unit_test(torn_headers_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
