/*
 * source.c - an io on a source of the program.
 *
 * If the source has `ends`, a far object is opened with one round trip: its first and last bytes,
 * which contain most of what opening an array reads, come together with its size.
 *
 * Statuses, sizes and messages that a source returns are checked.
 */
#include "io/source.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/io.h"

#include <tessera/context.h>

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum {
    FAR_LATENCY = 1000, // microseconds of a request that is far
    REQUESTS_FAR = 16,
    GAP_NEAR = 4 << 10,
    GAP_FAR = 64 << 10,
    PIECE_NEAR = 1 << 20,
    PIECE_FAR = 8 << 20,
};

// The ends of an object, in one allocation.
struct ends {
    uint8_t *bytes; // the first bytes, then the last; NULL: none
    size_t first; // number of first bytes
    size_t last; // number of last bytes
};

struct source_io {
    struct io io;
    tess_source source;
    tess_source_state state;
    struct ends ends;
    bool owned; // the source is closed with the io
};

static struct source_io *
source_of(struct io *io)
{
    return (struct source_io *)io;
}

// -- what functions of a source return

tess_status
source_status(tess_status st, const char *name, tess_error *err)
{
    if (st == TESS_OK)
        return st;
    const bool known = st > TESS_OK && st <= TESS_ERR_TYPE;
    const tess_status status = known ? st : TESS_ERR_IO;
    if (!known)
        return err_set(err, status, -1, "%s of the source returned %d, which is no status", name,
                       (int)st);
    if (!err)
        return status;
    err->message[TESS_ERROR_MESSAGE_SIZE - 1] = '\0';
    if (err->message[0] == '\0')
        return err_set(err, status, -1, "%s of the source failed, without a message", name);
    err->status = status;
    err->offset = -1;
    return status;
}

// -- what is kept

// Kept bytes of a range, or NULL.
static const uint8_t *
kept_bytes(const struct source_io *s, int64_t offset, size_t size)
{
    const struct ends *const e = &s->ends;
    if (!e->bytes || offset < 0 || offset > s->state.size ||
        size > (uint64_t)(s->state.size - offset))
        return NULL;
    if ((uint64_t)offset + size <= e->first)
        return e->bytes + offset;
    const int64_t last_at = s->state.size - (int64_t)e->last;
    return offset >= last_at ? e->bytes + e->first + (offset - last_at) : NULL;
}

static void
ends_drop(struct ends *e)
{
    mem_free(e->bytes);
    *e = (struct ends){0};
}

// -- reading

static tess_status
check_range(const struct source_io *s, const tess_range *range, tess_error *err)
{
    if (range->offset >= 0 && range->offset <= s->state.size &&
        range->dst_size <= (uint64_t)(s->state.size - range->offset))
        return TESS_OK;
    return err_set(err, TESS_ERR_IO, -1,
                   "%zu bytes wanted at %" PRId64 ", the source has %" PRId64 " bytes",
                   range->dst_size, range->offset, s->state.size);
}

static tess_status
source_read_ranges(const struct source_io *s, const tess_range *ranges, size_t n,
                   const struct io_progress *p, tess_error *err)
{
    const struct tess_reading reading = {.progress = p, .nranges = n};
    tess_error why = {.sys = 0};
    const tess_status st =
        source_status(s->source.read(s->source.user, ranges, n, &reading, &why), "read", &why);
    if (st != TESS_OK && err)
        *err = why;
    return st;
}

// From the source, even if the bytes are kept.
static tess_status
source_read_again(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    const struct source_io *const s = source_of(io);
    const tess_range range = {offset, dst, size};
    const tess_status st = check_range(s, &range, err);
    return st == TESS_OK && size > 0 ? source_read_ranges(s, &range, 1, NULL, err) : st;
}

static tess_status
source_read(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    const uint8_t *const kept = kept_bytes(source_of(io), offset, size);
    if (!kept)
        return source_read_again(io, offset, dst, size, err);
    memcpy(dst, kept, size);
    return TESS_OK;
}

static tess_status
source_read_joined(void *arg, const tess_range *ranges, size_t n, const struct io_progress *p,
                   tess_error *err)
{
    return source_read_ranges(arg, ranges, n, p, err);
}

static tess_status
source_read_many(struct io *io, const tess_range *ranges, size_t n, const struct io_progress *p,
                 tess_error *err)
{
    struct source_io *const s = source_of(io);
    tess_status st = TESS_OK;
    bool all_kept = true;
    for (size_t i = 0; i < n && st == TESS_OK; i++) {
        st = check_range(s, &ranges[i], err);
        all_kept &= kept_bytes(s, ranges[i].offset, ranges[i].dst_size) != NULL;
    }
    if (st != TESS_OK || n == 0)
        return st;
    if (!all_kept)
        return joined_read(&io->manner, ranges, n, p, source_read_joined, s, err);
    for (size_t i = 0; i < n && st == TESS_OK; i++)
        st = io_arrive(p, i,
                       source_read(io, ranges[i].offset, ranges[i].dst, ranges[i].dst_size, err));
    return st;
}

// Until `opened`.
static const uint8_t *
source_view(struct io *io, int64_t offset, size_t size)
{
    return kept_bytes(source_of(io), offset, size);
}

static tess_status
source_size(struct io *io, int64_t *size, tess_error *err)
{
    (void)err;
    *size = source_of(io)->state.size;
    return TESS_OK;
}

static tess_status
source_identify(struct io *io, struct io_identity *identity, tess_error *err)
{
    (void)io, (void)err;
    *identity = (struct io_identity){0};
    return TESS_OK;
}

// Drop the ends, unless one of them is all of the object.
static void
source_opened(struct io *io)
{
    struct source_io *const s = source_of(io);
    if ((uint64_t)s->state.size > (uint64_t)s->ends.first &&
        (uint64_t)s->state.size > (uint64_t)s->ends.last)
        ends_drop(&s->ends);
}

static void
source_close(struct io *io)
{
    struct source_io *const s = source_of(io);
    if (s->owned && s->source.close)
        s->source.close(s->source.user);
    ends_drop(&s->ends);
    mem_free(s);
}

static const struct io_ops source_ops = {
    .read = source_read,
    .read_many = source_read_many,
    .read_again = source_read_again,
    .view = source_view,
    .size = source_size,
    .identify = source_identify,
    .opened = source_opened,
    .close = source_close,
};

// -- opening

static struct io_manner
manner_of(const tess_source *source)
{
    const bool far = source->latency >= FAR_LATENCY;
    const int requests = source->requests > 0 ? source->requests : far ? REQUESTS_FAR : 1;
    // So many requests under way have the size of the default of tess_context.ahead: what arrives
    // first is decoded while the others arrive.
    const int64_t share = min_i64(TESS_AHEAD_DEFAULT / requests, PIECE_FAR);
    return (struct io_manner){
        .gap = far ? GAP_FAR : GAP_NEAR,
        .piece = far ? max_i64(share, PIECE_NEAR) : PIECE_NEAR,
        .requests = requests,
        .far = far,
    };
}

static tess_status
check_state(const tess_source_state *state, tess_error *err)
{
    if (state->size >= 0)
        return TESS_OK;
    return err_set(err, TESS_ERR_IO, -1, "the source says that it has %" PRId64 " bytes",
                   state->size);
}

static tess_status
ends_reserve(struct ends *e, size_t first, size_t last, tess_error *err)
{
    e->bytes = mem_alloc(first + last);
    e->first = first;
    e->last = last;
    return e->bytes ? TESS_OK
                    : err_set(err, TESS_ERR_NOMEM, -1, "no memory for the ends of an object");
}

// Return unused memory, if it is more than half.
static void
ends_shrink(struct ends *e, size_t reserved)
{
    const size_t size = e->first + e->last;
    uint8_t *const bytes = size > 0 && size < reserved / 2 ? mem_resize(e->bytes, size) : NULL;
    if (bytes)
        e->bytes = bytes;
}

// State and ends with one call.
static tess_status
ask_ends(struct source_io *s, size_t first, size_t last, tess_error *err)
{
    struct ends *const e = &s->ends;
    tess_status st = ends_reserve(e, first, last, err);
    if (st != TESS_OK)
        return st;
    st = source_status(
        s->source.ends(s->source.user, &s->state, e->bytes, first, e->bytes + first, last, err),
        "ends", err);
    if (st == TESS_OK)
        st = check_state(&s->state, err);
    if (st != TESS_OK)
        return st;
    // The last bytes stand behind the room for the first ones: move them behind the first ones.
    e->first = (size_t)min_i64((int64_t)first, s->state.size);
    e->last = (size_t)min_i64((int64_t)last, s->state.size);
    memmove(e->bytes + e->first, e->bytes + first, e->last);
    ends_shrink(e, first + last);
    return TESS_OK;
}

// State first, then the ends, in one piece if they meet.
static tess_status
ask_state(struct source_io *s, size_t first, size_t last, const struct io_progress *p,
          tess_error *err)
{
    struct ends *const e = &s->ends;
    tess_status st = source_status(s->source.state(s->source.user, &s->state, err), "state", err);
    if (st == TESS_OK)
        st = check_state(&s->state, err);
    if (st != TESS_OK || !s->io.manner.far || s->state.size == 0)
        return st;
    const int64_t size = s->state.size;
    const bool meet = size <= (int64_t)(first + last);
    st = meet ? ends_reserve(e, (size_t)size, 0, err) : ends_reserve(e, first, last, err);
    const tess_range ranges[] = {
        {0, e->bytes, e->first},
        {size - (int64_t)e->last, e->bytes ? e->bytes + e->first : NULL, e->last},
    };
    return st == TESS_OK ? source_read_ranges(s, ranges, e->last > 0 ? 2 : 1, p, err) : st;
}

tess_status
io_source_open(const tess_source *source, size_t first, size_t last, bool owned,
               const struct io_progress *p, struct io **io, tess_error *err)
{
    tess_error why = {.sys = 0};
    struct source_io *const s = mem_zeroed(1, sizeof *s);
    if (!s) {
        if (owned && source->close)
            source->close(source->user);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a source");
    }
    s->owned = owned;
    s->io.ops = &source_ops;
    s->io.manner = manner_of(source);
    s->source = *source;
    const bool at_once = source->ends && (s->io.manner.far || !source->state);
    const tess_status st =
        at_once ? ask_ends(s, first, last, &why) : ask_state(s, first, last, p, &why);
    if (st != TESS_OK) {
        if (err)
            *err = why;
        source_close(&s->io);
        return st;
    }
    s->io.guarded = s->state.guarded;
    *io = &s->io;
    return TESS_OK;
}
