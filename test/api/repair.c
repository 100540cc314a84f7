/*
 * repair.c - damaged files and directories, and what is made of them: every item outside of the
 * boxes that are reported lost is what it was, and those are the boxes of the damaged chunks.
 */
#include "support/files.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 37, COLUMNS = 21, NITEMS = ROWS * COLUMNS, NCHUNKS = 15, NOBODY = 255 };

// What is told to be lost.
struct losses {
    uint8_t items[NITEMS]; // 1: lost
    uint32_t chunks; // a bit for each
    int count;
    int64_t last;
    bool wrong; // items differ, where a damaged index had to be believed
};

static void
note_lost(const tess_lost *lost, void *user)
{
    struct losses *const l = user;
    assert_int_equal(lost->ndim, 2);
    assert_true(lost->chunk > l->last && lost->chunk < NCHUNKS);
    assert_true(lost->why[0] != '\0');
    for (int64_t i = lost->start[0]; i < lost->stop[0]; i++)
        for (int64_t k = lost->start[1]; k < lost->stop[1]; k++)
            l->items[i * COLUMNS + k] = 1;
    l->chunks |= UINT32_C(1) << lost->chunk;
    l->last = lost->chunk;
    l->count++;
}

// Those of files_path() do not stay.
static const char *
array_path(void)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s", files_path("array.b2nd"));
    return path;
}

static const char *
new_path(void)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s", files_path("new.b2nd"));
    return path;
}

static tess_storage
at(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    storage.durability = TESS_DURABILITY_NONE;
    return storage;
}

// What an array is like.
struct kind {
    const char *name;
    tess_layout layout;
    tess_codec codec;
    int32_t fill; // of lost boxes
    tess_checksums checksums;
    bool metalayers; // so long that the header has more than a sector
};

static const struct kind kinds[] = {
    {"stored, in a file", TESS_LAYOUT_CONTIGUOUS, TESS_CODEC_LZ4, 0, TESS_CHECKSUMS_WRITE, false},
    {"zstd, with a fill value", TESS_LAYOUT_CONTIGUOUS, TESS_CODEC_ZSTD, -7, TESS_CHECKSUMS_WRITE,
     false},
    {"BloscLZ, long header", TESS_LAYOUT_CONTIGUOUS, TESS_CODEC_BLOSCLZ, 0, TESS_CHECKSUMS_WRITE,
     true},
    {"stored, in a directory", TESS_LAYOUT_SPARSE, TESS_CODEC_LZ4, 0, TESS_CHECKSUMS_WRITE, false},
    {"zlib, in a directory", TESS_LAYOUT_SPARSE, TESS_CODEC_ZLIB, 5, TESS_CHECKSUMS_WRITE, false},
};

// Several commits, with overwrites that leave old chunks, and chunks that are not stored.
static void
make(const char *path, const struct kind *kind, struct random *random, struct reference *r)
{
    tess_storage storage = at(path, TESS_MODE_NEW);
    const bool noise = kind->codec == TESS_CODEC_LZ4;
    static int32_t items[NITEMS];
    char content[300] = {0};
    tess_params p;
    tess_array *a;

    storage.checksums = kind->checksums;
    tess_params_init(&p);
    p.dtype = "<i4";
    p.layout = kind->layout;
    p.codec = kind->codec;
    p.ndim = 2;
    p.shape[0] = ROWS;
    p.shape[1] = COLUMNS;
    p.chunkshape[0] = 8;
    p.chunkshape[1] = 8;
    p.blockshape[0] = 4;
    p.blockshape[1] = 8;
    p.fill = kind->fill != 0 ? &kind->fill : NULL;
    p.fill_size = kind->fill != 0 ? sizeof kind->fill : 0;
    tess_metalayer layer = {.name = "more", .content = content, .size = sizeof content};
    p.metalayers = kind->metalayers ? &layer : NULL;
    p.nmetalayers = kind->metalayers;
    reference_init(r, 2, p.shape, 4);
    ok(tess_array_zeros(&storage, &p, &a, err));
    for (int i = 0; i < 5; i++) {
        const int64_t start[] = {i % 2 ? 0 : 8, i % 2 ? 0 : 3};
        const int64_t stop[] = {ROWS - i * 5, COLUMNS - i};
        for (int k = 0; k < NITEMS; k++)
            items[k] = noise ? (int32_t)random_next(random)
                             : i * 1000 + k / 3 + (int32_t)random_below(random, 2);
        reference_set(r, start, stop, items);
        ok(tess_array_write(a, start, stop, items, sizeof items, err));
        if (i == 2)
            ok(tess_vlmeta_set(a, "unit", "m/s", 3, err));
        ok(tess_array_flush(a, err));
    }
    memset(items, 0, sizeof items); // some chunks are not stored any more
    const int64_t start[] = {16, 8}, stop[] = {32, 16};
    reference_set(r, start, stop, items);
    ok(tess_array_write(a, start, stop, items, sizeof items, err));
    ok(tess_array_close(a, err));
}

static const char *
index_of(const char *path, const struct kind *kind)
{
    static char name[4200];
    (void)snprintf(name, sizeof name, "%s%s", path,
                   kind->layout == TESS_LAYOUT_SPARSE ? "/chunks.b2frame" : "");
    return name;
}

// Repairs `path` to "new.b2nd"; what can be read there is the reference, outside of what is lost.
static tess_status
repair(const char *path, const struct reference *r, int32_t fill, struct losses *losses,
       tess_repair_report *report, tess_error *error)
{
    const tess_storage source = at(path, TESS_MODE_READ);
    const tess_storage target = at(new_path(), TESS_MODE_REPLACE);
    tess_storage reader = at(target.path, TESS_MODE_READ);
    tess_repair_options options;
    static int32_t items[NITEMS];
    tess_array *a;

    *losses = (struct losses){.last = -1};
    tess_repair_options_init(&options);
    options.lost = note_lost;
    options.user = losses;
    const tess_status st = tess_repair(&source, &target, &options, report, error);
    if (st != TESS_OK)
        return st;
    assert_int_equal(report->nlost, losses->count);
    assert_int_equal(report->nchunks, NCHUNKS);
    assert_false(report->older);
    reader.checksums = TESS_CHECKSUMS_VERIFY;
    ok(tess_array_open(&reader, &a, err));
    ok(tess_array_read(a, (const int64_t[]){0, 0}, r->shape, items, sizeof items, err));
    ok(tess_array_close(a, err));
    for (int i = 0; i < NITEMS; i++) {
        const int32_t want = losses->items[i] ? fill : ((const int32_t *)(const void *)r->data)[i];
        losses->wrong |= items[i] != want;
        if (items[i] != want && (report->checked || !report->index_damaged))
            fail_msg("item %d is %d, not %d%s", i, (int)items[i], (int)want,
                     losses->items[i] ? ", though it is lost" : "");
    }
    return TESS_OK;
}

static void
same_bytes(const char *path, const uint8_t *bytes, size_t size)
{
    size_t now_size;
    uint8_t *const now = files_read(path, &now_size);
    assert_int_equal(now_size, size);
    assert_memory_equal(now, bytes, size);
    free(now);
}

// Chunks that cannot be read with their checksums, in an array that can be opened; false: it
// cannot.
static bool
damaged_chunks(const char *path, uint32_t *chunks)
{
    tess_storage storage = at(path, TESS_MODE_READ);
    static int32_t items[NITEMS];
    tess_array *a;
    *chunks = 0;
    storage.checksums = TESS_CHECKSUMS_VERIFY;
    if (tess_array_open(&storage, &a, NULL) != TESS_OK)
        return false;
    for (int n = 0; n < NCHUNKS; n++) {
        const int64_t start[] = {n / 3 * 8, n % 3 * 8};
        const int64_t stop[] = {start[0] + 8 < ROWS ? start[0] + 8 : ROWS,
                                start[1] + 8 < COLUMNS ? start[1] + 8 : COLUMNS};
        if (tess_array_read(a, start, stop, items, sizeof items, NULL) != TESS_OK)
            *chunks |= UINT32_C(1) << n;
    }
    tess_array_discard(a);
    return true;
}

static bool
attributes_are_right(const char *path)
{
    const tess_storage storage = at(path, TESS_MODE_READ);
    tess_array *a;
    void *value = NULL;
    size_t size;
    ok(tess_array_open(&storage, &a, err));
    const bool right =
        tess_vlmeta_get(a, "unit", &value, &size, NULL) == TESS_OK && memcmp(value, "m/s", 3) == 0;
    tess_free(value);
    tess_array_discard(a);
    return right;
}

// The parts of a frame, from its header.
static int64_t
big_endian(const uint8_t *p, int n)
{
    uint64_t v = 0;
    for (int i = 0; i < n; i++)
        v = v << 8 | p[i];
    return (int64_t)v;
}

// Each byte of header, index and trailer, and many of the chunks, one at a time.
static void
single_bytes(void **state)
{
    struct random random;
    (void)state;
    random_init(&random, random_seed());
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct kind *const kind = &kinds[i];
        const char *const path = array_path();
        struct reference r;
        struct losses losses;
        tess_repair_report report;
        size_t size;
        int nattributes = 0;
        make(path, kind, &random, &r);
        const char *const name = index_of(path, kind);
        uint8_t *const bytes = files_read(name, &size);
        const size_t head = (size_t)big_endian(bytes + 11, 4);
        const size_t index =
            head + (kind->layout == TESS_LAYOUT_SPARSE ? 0 : (size_t)big_endian(bytes + 39, 8));
        size_t chunk_bytes = 0;
        for (size_t b = 0; b < size; b += b >= head && b < index ? 5 : 1) {
            const uint8_t flip = (uint8_t)(1 + random_below(&random, 255));
            uint32_t damaged;
            bytes[b] ^= flip;
            files_write(name, bytes, size);
            if (b < head || b >= index || !damaged_chunks(path, &damaged))
                damaged = 0;
            chunk_bytes += damaged != 0;
            tess_error error = {0};
            const tess_status st = repair(path, &r, kind->fill, &losses, &report, &error);
            if (st != TESS_OK)
                fail_msg("%s, byte %zu of %zu: %s", kind->name, b, size, error.message);
            if (losses.chunks != damaged)
                fail_msg("%s, byte %zu of %zu: chunks %x are lost, %x are damaged", kind->name, b,
                         size, losses.chunks, damaged);
            if (b < index) {
                assert_int_equal(report.header_damaged, b < head);
                assert_false(report.index_damaged);
                assert_true(report.checked);
                assert_true(attributes_are_right(new_path()));
            } else if (b < (size_t)big_endian(bytes + 16, 8)) {
                assert_true(report.index_damaged || report.trailer_damaged ||
                            report.checksums_damaged);
                assert_false(report.in_order);
                nattributes += attributes_are_right(new_path());
            }
            same_bytes(name, bytes, size);
            bytes[b] ^= flip;
        }
        assert_true(kind->layout == TESS_LAYOUT_SPARSE || chunk_bytes > 100);
        assert_true(nattributes > 100);
        files_write(name, bytes, size);
        ok(repair(path, &r, kind->fill, &losses, &report, err));
        assert_int_equal(losses.count, 0);
        assert_false(report.header_damaged || report.index_damaged || report.trailer_damaged);
        assert_int_equal(report.nlayers_lost, 0);
        free(bytes);
        reference_finish(&r);
        files_remove(path);
        files_remove(new_path());
    }
}

// Which chunk each byte of a file belongs to, of those that count.
static uint8_t *
find_owners(const char *path, uint8_t *bytes, size_t from, size_t until)
{
    uint8_t *const owners = malloc(until);
    assert_non_null(owners);
    memset(owners, NOBODY, until);
    for (size_t b = from; b < until; b++) {
        uint32_t damaged;
        bytes[b] ^= 0x40;
        files_write(path, bytes, until);
        bytes[b] ^= 0x40;
        if (damaged_chunks(path, &damaged) && damaged != 0)
            for (owners[b] = 0; !(damaged >> owners[b] & 1);)
                owners[b]++;
    }
    return owners;
}

// Several kinds of damage at once: header, index or trailer is gone, and chunks are damaged.
static void
many_bytes(void **state)
{
    const int64_t cases = random_cases(150, 5000);
    struct random random;
    (void)state;
    random_init(&random, random_seed());
    for (size_t k = 0; k < 3; k++) {
        const char *const path = array_path();
        struct reference r;
        size_t size;
        make(path, &kinds[k], &random, &r);
        uint8_t *const whole = files_read(path, &size);
        uint8_t *const bytes = malloc(size);
        const size_t head = (size_t)big_endian(whole + 11, 4);
        const size_t index = head + (size_t)big_endian(whole + 39, 8);
        const size_t frame_len = (size_t)big_endian(whole + 16, 8);
        assert_true(frame_len <= size);
        size = frame_len;
        const size_t index_size = (size_t)whole[index + 12] | (size_t)whole[index + 13] << 8;
        uint8_t *const owners = find_owners(path, whole, head, size);
        for (int64_t i = 0; i < cases; i++) {
            const int what = (int)random_below(&random, 5);
            struct losses losses;
            tess_repair_report report;
            uint32_t damaged = 0;
            memcpy(bytes, whole, size);
            if (what == 0)
                memset(bytes, 0, head);
            if (what == 1 || what == 2)
                random_bytes(&random, bytes + (what == 1 ? 0 : index),
                             what == 1 ? head : index_size);
            if (what == 3)
                memset(bytes + size - 23, 0, 23);
            for (int n = (int)random_below(&random, 4); n > 0; n--) { // runs of zeros or noise
                const size_t from = head + random_below(&random, index - head);
                const size_t most = index - from < 200 ? index - from : 200;
                const size_t count = 1 + random_below(&random, most);
                for (size_t b = from; b < from + count; b++)
                    bytes[b] = n % 2 ? 0 : (uint8_t)~whole[b];
            }
            for (size_t b = head; b < index; b++) // a run may undo another
                if (bytes[b] != whole[b] && owners[b] != NOBODY)
                    damaged |= UINT32_C(1) << owners[b];
            files_write(path, bytes, size);
            ok(repair(path, &r, kinds[k].fill, &losses, &report, err));
            if (losses.chunks & ~damaged)
                fail_msg("%s, %d: chunks %x are lost, %x are damaged", kinds[k].name, what,
                         losses.chunks, damaged);
            // One that is lost can be there once more, from before it was moved.
            assert_true(report.nfound > 0 || losses.chunks == damaged);
            same_bytes(path, bytes, size);
        }
        free(owners);
        free(bytes);
        free(whole);
        reference_finish(&r);
        files_remove(path);
    }
}

// A file that ends too early is repaired, or refused: nothing older is taken for the newest state.
static void
cut_files(void **state)
{
    struct random random;
    (void)state;
    random_init(&random, random_seed());
    for (size_t k = 0; k < 3; k++) {
        const char *const path = array_path();
        struct reference r;
        size_t size;
        int repaired = 0, refusals = 0;
        make(path, &kinds[k], &random, &r);
        uint8_t *const bytes = files_read(path, &size);
        for (size_t cut = 0; cut < size; cut += cut + 2000 < size ? 50 : 1) {
            struct losses losses;
            tess_repair_report report;
            tess_error error = {0};
            files_write(path, bytes, cut);
            const tess_status st = repair(path, &r, kinds[k].fill, &losses, &report, &error);
            if (st != TESS_OK && st != TESS_ERR_CORRUPT && st != TESS_ERR_FORMAT)
                fail_msg("%s cut to %zu of %zu: %s", kinds[k].name, cut, size, error.message);
            repaired += st == TESS_OK;
            refusals += st != TESS_OK;
            same_bytes(path, bytes, cut);
        }
        print_message("%s: %d repaired, %d refused\n", kinds[k].name, repaired, refusals);
        assert_true(repaired > 20 && refusals > 0);
        free(bytes);
        reference_finish(&r);
        files_remove(path);
    }
}

static const char *
chunk_path(const char *path, int64_t n)
{
    static char names[2][4200];
    static int next;
    next = !next;
    (void)snprintf(names[next], sizeof names[next], "%s/%08X.chunk", path, (unsigned)n);
    return names[next];
}

// Files of a directory are missing, cut, changed, or have another's name.
static void
chunk_files(void **state)
{
    const int64_t cases = random_cases(60, 3000);
    struct random random;
    (void)state;
    random_init(&random, random_seed());
    for (int64_t i = 0; i < cases; i++) {
        const struct kind *const kind = &kinds[3 + i % 2];
        const char *const path = array_path();
        struct reference r;
        struct losses losses;
        tess_repair_report report;
        uint32_t damaged, touched = 0;
        bool swapped = false;
        make(path, kind, &random, &r);
        for (int n = (int)random_below(&random, 4); n > 0; n--) {
            const int64_t number = (int64_t)random_below(&random, NCHUNKS);
            const char *const name = chunk_path(path, number);
            size_t size;
            if (!files_exist(name) || touched >> number & 1)
                continue;
            touched |= UINT32_C(1) << number;
            uint8_t *const bytes = files_read(name, &size);
            const uint64_t what = random_below(&random, 4);
            if (what == 0)
                files_remove(name);
            if (what == 1)
                files_write(name, bytes, random_below(&random, size));
            if (what == 2) {
                bytes[random_below(&random, size)] ^= 8;
                files_write(name, bytes, size);
            }
            if (what == 3 && n == 1) { // the names are wrong
                swapped = true;
                assert_int_equal(rename(name, chunk_path(path, 1000 + number)), 0);
            }
            free(bytes);
        }
        assert_true(damaged_chunks(path, &damaged));
        if (i % 3 == 0) { // and the index
            size_t size;
            uint8_t *const bytes = files_read(index_of(path, kind), &size);
            bytes[big_endian(bytes + 11, 4) + (int64_t)random_below(&random, 60)] ^= 16;
            files_write(index_of(path, kind), bytes, size);
            free(bytes);
        }
        ok(repair(path, &r, kind->fill, &losses, &report, err));
        assert_true((losses.chunks & ~damaged) == 0);
        assert_true(swapped || losses.chunks == damaged);
        assert_true(!swapped || report.nfound > 0);
        reference_finish(&r);
        files_remove(path);
        files_remove(new_path());
    }
}

// Without checksums the index is believed, as far as it leads to chunks.
static void
without_checksums(void **state)
{
    static const struct kind kind = {"without checksums", TESS_LAYOUT_CONTIGUOUS,
                                     TESS_CODEC_ZSTD,     0,
                                     TESS_CHECKSUMS_NONE, false};
    const char *const path = array_path();
    const tess_storage storage = at(path, TESS_MODE_READ);
    struct random random;
    struct reference r;
    (void)state;
    random_init(&random, random_seed());
    make(path, &kind, &random, &r);
    for (int compact = 0; compact < 2; compact++) {
        size_t size;
        uint8_t *const bytes = files_read(path, &size);
        const size_t index = (size_t)(big_endian(bytes + 11, 4) + big_endian(bytes + 39, 8));
        for (size_t b = 0; b < size; b += b == 86 ? index - 86 : 1) {
            struct losses losses;
            tess_repair_report report;
            tess_error error = {0};
            bytes[b] ^= 0x10;
            files_write(path, bytes, size);
            const tess_status st = repair(path, &r, 0, &losses, &report, &error);
            if (st != TESS_OK && st != TESS_ERR_CORRUPT && st != TESS_ERR_FORMAT)
                fail_msg("byte %zu of %zu: %s", b, size, error.message);
            assert_true(st != TESS_OK || !report.in_order);
            assert_true(b >= index || !losses.wrong);
            if (b < 87 && st != TESS_OK)
                fail_msg("byte %zu of the header: %s", b, error.message);
            bytes[b] ^= 0x10;
        }
        files_write(path, bytes, size);
        free(bytes);
        tess_storage again = storage;
        again.checksums = TESS_CHECKSUMS_NONE;
        ok(tess_compact(&again, NULL, NULL, err));
    }
    reference_finish(&r);
}

// Shapes up to the largest that there can be, in a file whose header is damaged: chunks that stick
// out may be too much to be counted.
static void
shapes_beyond_the_file(void **state)
{
    static const struct kind kind = {"shape", TESS_LAYOUT_CONTIGUOUS, TESS_CODEC_ZSTD,
                                     0,       TESS_CHECKSUMS_NONE,    false};
    static const uint8_t layer[] = {0xa4, 'b', '2', 'n', 'd'};
    enum { FRAME_LEN_AT = 16, SHARES = 4096 };
    const char *const path = array_path();
    struct random random;
    struct reference r;
    size_t size, place = 0;
    (void)state;
    random_init(&random, random_seed());
    make(path, &kind, &random, &r);
    uint8_t *const bytes = files_read(path, &size);
    while (place + sizeof layer < size && memcmp(bytes + place, layer, sizeof layer) != 0)
        place++;
    while (place < size && bytes[place] != 0x97) // where the layer begins: version, ndim, shape
        place++;
    while (place < size && bytes[place] != 0xd3)
        place++;
    assert_true(place + 9 < size);
    bytes[FRAME_LEN_AT] ^= 0x10;
    for (int64_t share = 1; share <= SHARES; share++) {
        const tess_storage target = at(new_path(), TESS_MODE_NEW);
        tess_storage source;
        tess_error error = {0};
        tess_repair_report report;
        const int64_t length = INT64_MAX / share;
        for (int i = 0; i < 8; i++)
            bytes[place + 1 + (size_t)i] = (uint8_t)(length >> (56 - 8 * i));
        tess_storage_init(&source);
        source.image = bytes;
        source.image_size = size;
        const tess_status st = tess_repair(&source, &target, NULL, &report, &error);
        if (st != TESS_ERR_CORRUPT && st != TESS_ERR_LIMIT)
            fail_msg("%lld items: %s, %s", (long long)length, tess_status_name(st), error.message);
    }
    free(bytes);
    reference_finish(&r);
}

// A fill value that cannot be read is lost; what is made can be opened without it.
static void
damaged_fill_value(void **state)
{
    static const struct kind kind = {"fill value", TESS_LAYOUT_CONTIGUOUS, TESS_CODEC_ZSTD,
                                     -1,           TESS_CHECKSUMS_NONE,    false};
    static const uint8_t content[] = {0xc4, 4, 0xff, 0xff, 0xff, 0xff};
    const char *const path = array_path();
    struct random random;
    struct reference r;
    struct losses losses;
    tess_repair_report report;
    tess_error error = {0};
    size_t size, at = 0;
    (void)state;
    random_init(&random, random_seed());
    make(path, &kind, &random, &r);
    uint8_t *const bytes = files_read(path, &size);
    while (at + sizeof content < size && memcmp(bytes + at, content, sizeof content) != 0)
        at++;
    bytes[at + 1] = 3;
    files_write(path, bytes, size);
    free(bytes);
    if (repair(path, &r, 0, &losses, &report, &error) != TESS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(report.nlost, 0);
    assert_int_equal(report.nlayers_lost, 1);
    reference_finish(&r);
}

// Of an older state nothing is made, unless it is asked for.
static void
older_states(void **state)
{
    const char *const path = array_path();
    const tess_storage source = at(path, TESS_MODE_READ);
    const tess_storage target = at(new_path(), TESS_MODE_NEW);
    tess_storage writer = at(path, TESS_MODE_NEW);
    tess_repair_options options;
    tess_repair_report report;
    tess_params p;
    tess_array *a;
    int32_t items[64];
    size_t size;

    (void)state;
    tess_params_init(&p);
    p.dtype = "<i4";
    p.ndim = 1;
    p.shape[0] = 64;
    p.chunkshape[0] = 16;
    p.blockshape[0] = 16;
    ok(tess_array_zeros(&writer, &p, &a, err));
    for (int32_t i = 1; i <= 3; i++) { // enough for the second to have stayed
        for (int32_t k = 0; k < 64; k++)
            items[k] = 1000 * i + k * k;
        ok(tess_array_write(a, (const int64_t[]){0}, (const int64_t[]){64}, items, sizeof items,
                            err));
        ok(tess_array_flush(a, err));
    }
    ok(tess_array_close(a, err));
    uint8_t *const bytes = files_read(path, &size);
    const int64_t index = big_endian(bytes + 11, 4) + big_endian(bytes + 39, 8);
    memset(bytes + index, 0, (size_t)(big_endian(bytes + 16, 8) - index));
    files_write(path, bytes, size);
    free(bytes);
    refused(TESS_ERR_CORRUPT, tess_repair(&source, &target, NULL, &report, err));
    assert_false(files_exist(target.path));
    tess_repair_options_init(&options);
    options.older = true;
    ok(tess_repair(&source, &target, &options, &report, err));
    assert_true(report.older);
    tess_storage reader = at(target.path, TESS_MODE_READ);
    ok(tess_array_open(&reader, &a, err));
    ok(tess_array_read(a, (const int64_t[]){0}, (const int64_t[]){64}, items, sizeof items, err));
    const int32_t commit = (items[1] - 1) / 1000;
    assert_in_range(commit, 1, 2);
    for (int32_t k = 0; k < 64; k++)
        assert_int_equal(items[k], 1000 * commit + k * k);
    ok(tess_array_close(a, err));
}

// Files of other writers with a damaged index or trailer.
static void
damage_golden(tess_array *a, const struct reference *ref, const char *name, void *user)
{
    const char *const path = array_path();
    int *const counts = user;
    char golden[4096];
    tess_info info;
    size_t size;
    tess_array_info(a, &info);
    (void)snprintf(golden, sizeof golden, "%s/%s", getenv("TESS_GOLDEN"), name);
    if (!info.contiguous || info.plain || info.offset != 0 || info.nitems == 0 ||
        info.frame_version < 2)
        return;
    uint8_t *const bytes = files_read(golden, &size);
    const size_t index = (size_t)(big_endian(bytes + 11, 4) + big_endian(bytes + 39, 8));
    uint8_t *const items = malloc(reference_size(ref));
    assert_non_null(items);
    for (size_t b = index; b < size; b += 1 + (size - index) / 60) {
        const tess_storage source = at(path, TESS_MODE_READ);
        const tess_storage target = at(new_path(), TESS_MODE_REPLACE);
        const tess_storage reader = at(target.path, TESS_MODE_READ);
        tess_repair_report report;
        tess_error error = {0};
        tess_array *now;
        bytes[b] ^= 0x10;
        files_write(path, bytes, size);
        bytes[b] ^= 0x10;
        const tess_status st = tess_repair(&source, &target, NULL, &report, &error);
        counts[0]++;
        if (st != TESS_OK && st != TESS_ERR_CORRUPT)
            fail_msg("%s, byte %zu of %zu: %s", name, b, size, error.message);
        if (st != TESS_OK || report.nlost > 0 || report.in_order)
            continue;
        counts[1]++;
        if (tess_array_open(&reader, &now, &error) != TESS_OK)
            fail_msg("%s, byte %zu of %zu: %s", name, b, size, error.message);
        ok(tess_array_read(now, (const int64_t[16]){0}, ref->shape, items, reference_size(ref),
                           err));
        if (memcmp(items, ref->data, reference_size(ref)) != 0)
            fail_msg("%s, byte %zu of %zu: other items", name, b, size);
        ok(tess_array_close(now, err));
    }
    free(items);
    free(bytes);
}

static void
other_writers(void **state)
{
    int counts[2] = {0};
    (void)state;
    check_golden_files(damage_golden, counts);
    print_message("%d of %d damaged files are whole again\n", counts[1], counts[0]);
    assert_true(counts[1] > counts[0] / 2);
}

// Nothing but headers of chunks, and of ledgers, that claim the rest of the file.
static void
hostile_files(void **state)
{
    const char *const path = array_path();
    const tess_storage source = at(path, TESS_MODE_READ);
    const tess_storage target = at(new_path(), TESS_MODE_REPLACE);
    const size_t more = 30 << 20;
    struct random random;
    struct reference r;
    struct timespec before, after;
    size_t size;
    (void)state;
    random_init(&random, random_seed());
    make(path, &kinds[1], &random, &r);
    uint8_t *const small = files_read(path, &size);
    uint8_t *const bytes = calloc(1, size + more);
    assert_non_null(bytes);
    const size_t head = (size_t)big_endian(small + 11, 4);
    for (int i = 0; i < 3; i++) {
        memcpy(bytes, small, size);
        for (size_t b = size; b + 64 < size + more; b += 32) {
            const uint32_t rest = (uint32_t)(size + more - b);
            memcpy(bytes + b, small + head, 32); // the front of a chunk
            if (i != 2)
                memcpy(bytes + b + 12, &rest, sizeof rest);
        }
        memset(bytes + head + (size_t)big_endian(bytes + 39, 8), 0xff, 100); // the index
        if (i == 1)
            memset(bytes + size - 300, 0, 300); // no ledger
        files_write(path, bytes, size + more);
        (void)clock_gettime(CLOCK_MONOTONIC, &before);
        const tess_status st = tess_repair(&source, &target, NULL, NULL, NULL);
        assert_true(st == TESS_OK || st == TESS_ERR_CORRUPT);
        (void)clock_gettime(CLOCK_MONOTONIC, &after);
        print_message("%zu bytes of fake chunks: %.2f s\n", more,
                      (double)(after.tv_sec - before.tv_sec) +
                          1e-9 * (double)(after.tv_nsec - before.tv_nsec));
        assert_true(after.tv_sec - before.tv_sec < 60);
    }
    free(bytes);
    free(small);
    reference_finish(&r);
}

static void
refusals(void **state)
{
    struct random random;
    (void)state;
    random_init(&random, random_seed());
    for (size_t k = 0; k < 4; k += 3) {
        const char *const path = array_path();
        tess_storage source = at(path, TESS_MODE_READ);
        tess_storage target = at(path, TESS_MODE_REPLACE);
        tess_repair_options options = {0};
        struct reference r;
        make(path, &kinds[k], &random, &r);
        refused(TESS_ERR_ARG, tess_repair(&source, &target, NULL, NULL, err));
        target.path = files_path("array.b2nd/new.b2nd");
        if (kinds[k].layout == TESS_LAYOUT_SPARSE)
            refused(TESS_ERR_ARG, tess_repair(&source, &target, NULL, NULL, err));
        target.path = NULL;
        refused(TESS_ERR_ARG, tess_repair(&source, &target, NULL, NULL, err));
        refused(TESS_ERR_ARG, tess_repair(&source, NULL, NULL, NULL, err));
        refused(TESS_ERR_ARG, tess_repair(NULL, &source, NULL, NULL, err));
        target.path = new_path();
        refused(TESS_ERR_ARG, tess_repair(&source, &target, &options, NULL, err));
        target.mode = TESS_MODE_UPDATE;
        refused(TESS_ERR_ARG, tess_repair(&source, &target, NULL, NULL, err));
        target.mode = TESS_MODE_NEW;
        files_write(target.path, "mine", 4);
        refused(TESS_ERR_IO, tess_repair(&source, &target, NULL, NULL, err));
        same_bytes(target.path, (const uint8_t *)"mine", 4);
        files_remove(target.path);
        source.path = files_path("nothing.b2nd");
        refused(TESS_ERR_NOT_FOUND, tess_repair(&source, &target, NULL, NULL, err));
        files_write(source.path, "This is no array.", 17);
        refused(TESS_ERR_FORMAT, tess_repair(&source, &target, NULL, NULL, err));
        files_remove(source.path);
        assert_int_equal(files_count(), 1);
        check_file(path, &r);
        reference_finish(&r);
        files_remove(path);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(refusals),
        IN_A_FOLDER(chunk_files),
        IN_A_FOLDER(single_bytes),
        IN_A_FOLDER(many_bytes),
        IN_A_FOLDER(cut_files),
        IN_A_FOLDER(without_checksums),
        IN_A_FOLDER(shapes_beyond_the_file),
        IN_A_FOLDER(damaged_fill_value),
        IN_A_FOLDER(older_states),
        IN_A_FOLDER(other_writers),
        IN_A_FOLDER(hostile_files),
    };
    if (access("/dev/shm", W_OK) == 0) // thousands of files
        setenv("TMPDIR", "/dev/shm", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
