/*
 * packet.c - a packet of a stranger, as it is, and with checksums that are right: what is said of
 * it, and an array that adopts it.
 *
 * What was adopted untrusted can be read. What was refused has changed nothing.
 */
#include "array/packets/format.h"
#include "frame/format/checksums.h"
#include "fuzz/fuzz.h"
#include "fuzz/owner.h"

enum { HEADER = 64, AXIS = 24, ENTRY = 64, SEAL = 8 };

// Make checksums fit what they are of, and headers in entries what is in the chunks.
static void
reseal_packet(uint8_t *bytes, size_t size)
{
    if (size < HEADER + SEAL)
        return;
    const uint64_t n = get_u64le(bytes + 24), ndim = get_u32le(bytes + 52);
    if (ndim > 16 || n > size / ENTRY || HEADER + ndim * AXIS + n * ENTRY + SEAL > size)
        return;
    uint8_t *e = bytes + HEADER + ndim * AXIS;
    for (uint64_t i = 0; i < n; i++, e += ENTRY) {
        const uint64_t offset = get_u64le(e + 8), stored = get_u32le(e + 16);
        if (get_u32le(e + 20) != 0 || offset > size || stored < 32 || stored > size - offset)
            continue;
        put_u64le(e + 24, checksum_of(bytes + offset, stored));
        memcpy(e + 32, bytes + offset, 32);
    }
    put_u64le(e, checksum_of(bytes, (size_t)(e - bytes)));
}

static void
read_all(const tess_array *a)
{
    const int64_t start[2] = {0}, stop[2] = {OWNER_ROWS, OWNER_COLUMNS};
    static int32_t items[OWNER_ROWS * OWNER_COLUMNS];
    tess_error err;
    must(tess_array_read(a, start, stop, items, sizeof items, &err) == TESS_OK, "%s", err.message);
}

static void
describe(const uint8_t *bytes, size_t size, tess_status *st)
{
    tess_packet_info info;
    *st = tess_packet_info(bytes, size, &info, NULL);
    if (*st != TESS_OK)
        return;
    tess_packet_chunk *const chunks =
        (tess_packet_chunk *)exact_memory((size_t)info.nchunks * sizeof *chunks);
    const tess_status listed = tess_packet_chunks(bytes, size, chunks, (size_t)info.nchunks, NULL);
    must(listed == TESS_OK || listed == TESS_ERR_CORRUPT || listed == TESS_ERR_UNSUPPORTED,
         "chunks of a packet are not listed");
    free(chunks);
}

static void
adopt(const uint8_t *bytes, size_t size, tess_chunk_trust trust)
{
    tess_array *const a = owner_open(TESS_CODEC_LZ4, TESS_FILTER_SHUFFLE);
    tess_adoption *ad;
    tess_info info;
    tess_error err;
    tess_status described;
    describe(bytes, size, &described);
    must(tess_adoption_begin(a, &ad, &err) == TESS_OK, "%s", err.message);
    const tess_status st = tess_adoption_add(ad, bytes, size, trust, &err);
    tess_array_info(a, &info);
    must(st != TESS_OK || described == TESS_OK, "a packet was adopted that is none");
    must(st == TESS_OK || info.nmissing == OWNER_CHUNKS, "a packet was refused and adopted");
    must(st == TESS_OK || err.status == st, "no error is told");
    if (st == TESS_OK)
        must(tess_adoption_add(ad, bytes, size, trust, &err) == TESS_OK, "%s", err.message);
    must(tess_adoption_end(ad, true, &err) == TESS_OK, "%s", err.message);
    if (st == TESS_OK && trust == TESS_CHUNK_UNTRUSTED)
        read_all(a);
    must(tess_array_close(a, &err) == TESS_OK, "%s", err.message);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *const bytes = exact_copy(data, size);
    adopt(bytes, size, TESS_CHUNK_TRUSTED);
    reseal_packet(bytes, size);
    adopt(bytes, size, TESS_CHUNK_TRUSTED);
    adopt(bytes, size, TESS_CHUNK_UNTRUSTED);
    free(bytes);
    return 0;
}
