/*
 * zip.c - from the end of a zip file to its list of members.
 *
 * The end record stands last, in front of a comment of at most 65,535 bytes. It leads to the
 * directory, which has a record for each member. Where a number does not fit, it is all ones, and
 * the zip64 end record, or the extra field of the member, has it.
 */
#include "store/zip.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/io.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    END_SIZE = 22,
    COMMENT_MAX = 0xffff,
    END64_SIZE = 56,
    LOCATOR64_SIZE = 20,
    RECORD_SIZE = 46, // of a member in the directory, without name, extra field and comment
    EXTRA_ZIP64 = 1,
    FLAG_ENCRYPTED = 1 | 1 << 6 | 1 << 13, // also strongly, or the directory
    METHOD_STORED = 0,
};

#define SIGN_LOCAL 0x04034b50u
#define SIGN_RECORD 0x02014b50u
#define SIGN_END 0x06054b50u
#define SIGN_END64 0x06064b50u
#define SIGN_LOCATOR64 0x07064b50u

// What the end record, or that of zip64, says of the directory.
struct zip_end {
    int64_t at; // of the first of these records, which the directory stands in front of
    uint64_t count, size, start;
    int64_t base; // bytes in front of the zip file, from which on positions count
    bool volumes; // it is one of several
};

void
zip_finish(struct zip *zip)
{
    mem_free(zip->directory);
    mem_free(zip->members);
    *zip = (struct zip){0};
}

// -- the end

// The end record in the last `size` bytes, whose comment reaches to the end; or else the last one
// behind which there are other bytes. NULL: none.
static const uint8_t *
find_end(const uint8_t *last, size_t size)
{
    const uint8_t *found = NULL;
    for (size_t behind = END_SIZE; behind <= size; behind++) {
        const uint8_t *const at = last + size - behind;
        if (get_u32le(at) != SIGN_END)
            continue;
        if (get_u16le(at + 20) == behind - END_SIZE)
            return at;
        if (!found && get_u16le(at + 20) < behind - END_SIZE)
            found = at;
    }
    return found;
}

// The zip64 end record stands in front of its locator; or where that says, if there are further
// bytes in it. *found: there is a locator; without one, all ones are the number itself.
static tess_status
read_end64(struct io *io, int64_t locator_at, struct zip_end *end, bool *found, tess_error *err)
{
    uint8_t locator[LOCATOR64_SIZE], record[END64_SIZE];
    int64_t at = locator_at - END64_SIZE;
    tess_status st = io_read(io, locator_at, locator, sizeof locator, err);
    *found = st == TESS_OK && get_u32le(locator) == SIGN_LOCATOR64;
    if (!*found)
        return st;
    st = io_read(io, at, record, sizeof record, err);
    if (st == TESS_OK && get_u32le(record) != SIGN_END64 && get_u64le(locator + 8) < (uint64_t)at) {
        at = (int64_t)get_u64le(locator + 8);
        st = io_read(io, at, record, sizeof record, err);
    }
    if (st == TESS_OK && get_u32le(record) != SIGN_END64)
        st = err_set(err, TESS_ERR_CORRUPT, locator_at,
                     "the end of a zip file refers to a zip64 record, which is not there");
    if (st != TESS_OK)
        return st;
    *end = (struct zip_end){
        .at = at,
        .count = get_u64le(record + 32),
        .size = get_u64le(record + 40),
        .start = get_u64le(record + 48),
        .volumes = get_u32le(locator + 4) != 0 || get_u32le(locator + 16) > 1 ||
                   get_u32le(record + 16) != 0 || get_u32le(record + 20) != 0 ||
                   get_u64le(record + 24) != get_u64le(record + 32),
    };
    return TESS_OK;
}

static tess_status
parse_end(struct io *io, const uint8_t *record, int64_t at, struct zip_end *end, tess_error *err)
{
    *end = (struct zip_end){
        .at = at,
        .count = get_u16le(record + 10),
        .size = get_u32le(record + 12),
        .start = get_u32le(record + 16),
        .volumes = get_u16le(record + 4) != get_u16le(record + 6) ||
                   get_u16le(record + 8) != get_u16le(record + 10),
    };
    const bool zip64 = end->count == UINT16_MAX || end->size == UINT32_MAX ||
                       end->start == UINT32_MAX || get_u16le(record + 4) == UINT16_MAX;
    bool found = false;
    const tess_status st = zip64 && at >= LOCATOR64_SIZE + END64_SIZE
                               ? read_end64(io, at - LOCATOR64_SIZE, end, &found, err)
                               : TESS_OK;
    if (st != TESS_OK || found)
        return st;
    end->volumes |= get_u16le(record + 4) != 0;
    return TESS_OK;
}

static tess_status
check_end(struct zip_end *end, int64_t memory, tess_error *err)
{
    if (end->volumes)
        return err_set(err, TESS_ERR_UNSUPPORTED, end->at, "a zip file in several volumes");
    if (end->start > (uint64_t)end->at || end->size > (uint64_t)end->at - end->start)
        return err_set(err, TESS_ERR_CORRUPT, end->at,
                       "a list of %" PRIu64 " bytes at %" PRIu64
                       ", and its end record stands at %" PRId64,
                       end->size, end->start, end->at);
    end->base = end->at - (int64_t)(end->start + end->size);
    if (end->count > end->size / RECORD_SIZE)
        return err_set(err, TESS_ERR_CORRUPT, end->at,
                       "%" PRIu64 " members in a list of %" PRIu64 " bytes", end->count, end->size);
    if (end->size > (uint64_t)memory ||
        end->count * sizeof(struct zip_member) > (uint64_t)memory - end->size)
        return err_set(err, TESS_ERR_LIMIT, end->at,
                       "a list of %" PRIu64 " members in %" PRIu64
                       " bytes, the limit of memory is %" PRId64,
                       end->count, end->size, memory);
    return TESS_OK;
}

static tess_status
read_end(struct io *io, int64_t memory, struct zip_end *end, tess_error *err)
{
    int64_t size;
    tess_status st = io_size(io, &size, err);
    if (st != TESS_OK)
        return st;
    const size_t last_size = (size_t)min_i64(size, END_SIZE + COMMENT_MAX);
    uint8_t *const last = mem_alloc(last_size + 1);
    if (!last)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the end of a zip file");
    st = io_read(io, size - (int64_t)last_size, last, last_size, err);
    const uint8_t *const record = st == TESS_OK ? find_end(last, last_size) : NULL;
    if (record)
        st = parse_end(io, record, size - (int64_t)last_size + (record - last), end, err);
    else if (st == TESS_OK)
        st = err_set(err, TESS_ERR_FORMAT, -1, "no zip file: it has no list of members at its end");
    mem_free(last);
    return st == TESS_OK ? check_end(end, memory, err) : st;
}

// -- the directory

// A number of the zip64 field, where the record has all ones.
static bool
take_zip64(const uint8_t **field, const uint8_t *stop, uint64_t *value)
{
    if (*value != UINT32_MAX)
        return true;
    if (stop - *field < 8)
        return false;
    *value = get_u64le(*field);
    *field += 8;
    return true;
}

// Sizes and position from the extra field, where they are there.
static bool
parse_extra(const uint8_t *extra, size_t size, uint64_t *nbytes, uint64_t *stored, uint64_t *local)
{
    static const uint8_t none[1];
    const uint8_t *field = none, *stop = none;
    for (size_t at = 0; size - at >= 4;) {
        const size_t length = get_u16le(extra + at + 2);
        if (length > size - at - 4)
            break;
        if (get_u16le(extra + at) == EXTRA_ZIP64) {
            field = extra + at + 4;
            stop = field + length;
            break;
        }
        at += 4 + length;
    }
    return take_zip64(&field, stop, nbytes) && take_zip64(&field, stop, stored) &&
           take_zip64(&field, stop, local);
}

// The record at `at`, of `room` bytes at most; *taken of them are those of the record.
static tess_status
parse_record(uint8_t *at, size_t room, int64_t directory, struct zip_member *m, size_t *taken,
             tess_error *err)
{
    if (room < RECORD_SIZE || get_u32le(at) != SIGN_RECORD)
        return err_set(err, TESS_ERR_CORRUPT, 0, "no record of a member");
    const size_t name_size = get_u16le(at + 28), extra_size = get_u16le(at + 30);
    const size_t size = RECORD_SIZE + name_size + extra_size + get_u16le(at + 32);
    uint64_t stored = get_u32le(at + 20), nbytes = get_u32le(at + 24), local = get_u32le(at + 42);
    if (size > room)
        return err_set(err, TESS_ERR_CORRUPT, 0, "a record of %zu bytes, %zu before the end", size,
                       room);
    if (!parse_extra(at + RECORD_SIZE + name_size, extra_size, &nbytes, &stored, &local))
        return err_set(err, TESS_ERR_CORRUPT, 0, "a record without its zip64 field");
    const uint64_t front = ZIP_LOCAL_SIZE + name_size;
    if (local > (uint64_t)directory || stored > (uint64_t)directory - local ||
        front > (uint64_t)directory - local - stored)
        return err_set(err, TESS_ERR_CORRUPT, 0,
                       "a member of %" PRIu64 " bytes at %" PRIu64
                       ", the list of members stands at %" PRId64,
                       stored, local, directory);
    m->is_stored = (get_u16le(at + 8) & FLAG_ENCRYPTED) == 0 &&
                   get_u16le(at + 10) == METHOD_STORED && stored == nbytes;
    m->local = (int64_t)local;
    m->size = (int64_t)stored;
    m->extra_size = extra_size;
    // The name moves to the front of its record, to be followed by a NUL.
    memmove(at, at + RECORD_SIZE, name_size);
    at[name_size] = '\0';
    m->name = (const char *)at;
    m->name_size = name_size;
    *taken = size;
    return TESS_OK;
}

static int
by_local(const void *a, const void *b)
{
    const struct zip_member *const x = a, *const y = b;
    return (x->local > y->local) - (x->local < y->local);
}

static tess_status
check_disjoint(const struct zip *zip, tess_error *err)
{
    for (int64_t i = 1; i < zip->nmembers; i++) {
        const struct zip_member *const m = &zip->members[i - 1];
        const int64_t end = m->local + ZIP_LOCAL_SIZE + (int64_t)m->name_size + m->size;
        if (end > zip->members[i].local)
            return err_set(err, TESS_ERR_CORRUPT, zip->members[i].local,
                           "the members \"%.40s\" and \"%.40s\" overlap", m->name,
                           zip->members[i].name);
    }
    return TESS_OK;
}

tess_status
zip_read(struct io *io, int64_t memory, struct zip *zip, tess_error *err)
{
    struct zip_end end = {0};
    tess_status st = read_end(io, memory, &end, err);
    *zip = (struct zip){0};
    if (st != TESS_OK)
        return st;
    zip->directory_at = end.base + (int64_t)end.start;
    zip->directory = mem_alloc((size_t)end.size + 1);
    zip->members = mem_zeroed((size_t)end.count + 1, sizeof *zip->members);
    if (!zip->directory || !zip->members)
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of %" PRIu64 " members",
                     end.count);
    if (st == TESS_OK)
        st = io_read(io, zip->directory_at, zip->directory, (size_t)end.size, err);
    size_t at = 0, taken = 0;
    while (st == TESS_OK && (uint64_t)zip->nmembers < end.count) {
        struct zip_member *const m = &zip->members[zip->nmembers];
        m->record = zip->nmembers++;
        st = parse_record(zip->directory + at, (size_t)end.size - at, (int64_t)end.start, m, &taken,
                          err);
        if (st != TESS_OK)
            err_shift(err, st, zip->directory_at + (int64_t)at);
        m->local += end.base;
        at += taken;
    }
    if (st == TESS_OK && end.size - at >= 4 && get_u32le(zip->directory + at) == SIGN_RECORD)
        st = err_set(err, TESS_ERR_CORRUPT, zip->directory_at + (int64_t)at,
                     "a list of more than the %" PRIu64 " members that it is to have", end.count);
    if (st == TESS_OK) {
        qsort(zip->members, (size_t)zip->nmembers, sizeof *zip->members, by_local);
        st = check_disjoint(zip, err);
    }
    if (st != TESS_OK)
        zip_finish(zip);
    return st;
}

tess_status
zip_data_start(const struct zip_member *m, const uint8_t *local, int64_t end, int64_t *start,
               tess_error *err)
{
    const int64_t front = ZIP_LOCAL_SIZE + get_u16le(local + 26) + get_u16le(local + 28);
    if (get_u32le(local) != SIGN_LOCAL || get_u16le(local + 26) != m->name_size ||
        memcmp(local + ZIP_LOCAL_SIZE, m->name, m->name_size) != 0 || front > end - m->local ||
        m->size > end - m->local - front)
        return err_set(err, TESS_ERR_CORRUPT, m->local,
                       "the header of the member \"%.60s\" is not there, or contradicts the list",
                       m->name);
    *start = m->local + front;
    return TESS_OK;
}
