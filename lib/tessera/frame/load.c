/*
 * load.c - reading the state of a frame: header, trailer and index, and no chunk.
 *
 * What other implementations wrote has no fingerprint of ours; what Tessera wrote has one, and a
 * ledger, which says whether the header was torn and what the chunks hash to.
 *
 * Not here: what is needed before it can be changed (frame.c, containers).
 */
#include "frame/load.h"

#include "base/checked.h"
#include "base/memory.h"
#include "chunk/header.h"
#include "frame/commit/current.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/format/ledger.h"
#include "frame/format/trailer.h"
#include "frame/private.h"
#include "frame/sparse/files.h"
#include "io/io.h"
#include "io/names/path.h"
#include "meta/layers.h"

#include <inttypes.h>
#include <string.h>

// A piece of the frame in memory of its own.
static tess_status
load_piece(const struct frame *f, int64_t position, int64_t size, const struct io_progress *p,
           uint8_t **bytes, tess_error *err)
{
    if (size > f->options.limits.memory)
        return err_set(err, TESS_ERR_LIMIT, position,
                       "%" PRId64 " bytes in one piece, the limit is %" PRId64, size,
                       f->options.limits.memory);
    uint8_t *const piece = mem_alloc((size_t)size);
    if (!piece)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bytes", size);
    const tess_range range = {position, piece, (size_t)size};
    const tess_status st = p && size > 0 ? io_read_many(f->io, &range, 1, p, err)
                                         : io_read(f->io, position, piece, (size_t)size, err);
    if (st == TESS_OK)
        *bytes = piece;
    else
        mem_free(piece);
    return st;
}

// The fixed part, with the size of the file then.
struct front {
    int64_t room;
    size_t size;
    uint8_t bytes[FRAME_HEADER_SIZE];
};

static tess_status
load_read_front(const struct frame *f, struct front *front, tess_error *err)
{
    *front = (struct front){0};
    const tess_status st = io_size(f->io, &front->room, err);
    if (st != TESS_OK)
        return st;
    front->size = (size_t)min_i64(front->room, FRAME_HEADER_SIZE);
    return io_read(f->io, 0, front->bytes, front->size, err);
}

// What is wrong may be that a writer was at work between the size and the bytes.
static tess_status
blame_front(const struct frame *f, const struct front *front, tess_status st, tess_error *err)
{
    struct front now;
    if (f->io->in_memory || load_read_front(f, &now, NULL) != TESS_OK ||
        (now.room == front->room && memcmp(now.bytes, front->bytes, FRAME_HEADER_SIZE) == 0))
        return st;
    return err_set(err, TESS_ERR_STALE, 0, "the file is being changed by another program");
}

static tess_status
load_header(struct frame *f, tess_error *err)
{
    struct front front;
    tess_status st = load_read_front(f, &front, err);
    if (st != TESS_OK)
        return st;
    st = frame_header_parse(front.bytes, front.size, front.room, &f->h, err);
    if (st != TESS_OK)
        return blame_front(f, &front, st, err);
    if (f->h.sparse && !f->folder)
        return err_set(err, TESS_ERR_FORMAT, FRAME_HEADER_AT_TYPE,
                       "the index of a sparse frame; open its directory instead");
    if (!f->h.sparse && f->folder)
        return err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_TYPE,
                       FRAME_FOLDER_INDEX
                       " is a contiguous frame, in the directory of a sparse one");
    f->disk.head_size = (size_t)f->h.header_len;
    st = load_piece(f, 0, f->h.header_len, NULL, &f->disk.head, err);
    if (st == TESS_OK && memcmp(f->disk.head, front.bytes, (size_t)f->h.fixed_size) != 0)
        st = err_set(err, TESS_ERR_STALE, 0, "the file is being changed by another program");
    return st;
}

static tess_status
parse_metas(struct frame *f, const uint8_t *head, tess_error *err)
{
    if (!f->h.has_layers)
        return TESS_OK;
    const size_t fixed = (size_t)f->h.fixed_size;
    return layers_parse(head + fixed, f->disk.head_size - fixed, fixed, LAYERS_HEADER, &f->metas,
                        err);
}

// Parse the bytes before the trailer into f->disk.ref, if they are a reference to the ledger.
static void
take_beside(struct frame *f, const uint8_t *bytes)
{
    if (!layers_find(&f->vlmetas, LEDGER_NAME))
        (void)ledger_ref_parse_beside(bytes, f->disk.tail + f->disk.tail_size - TRAILER_SEAL,
                                      &f->disk.ref);
}

static tess_status
load_trailer(struct frame *f, tess_error *err)
{
    uint8_t end[TRAILER_FIXED_END];
    int64_t length;

    if (!f->h.has_trailer)
        return TESS_OK;
    const int64_t end_at = f->h.frame_len - TRAILER_FIXED_END;
    tess_status st = io_read(f->io, end_at, end, sizeof end, err);
    if (st != TESS_OK)
        return st;
    st = trailer_length(end, f->h.frame_len - f->h.header_len, &length, err);
    if (st != TESS_OK)
        return st;

    // A reference to the ledger may precede the trailer: read both with one request.
    const int64_t position = f->h.frame_len - length;
    const bool has_more = f->h.nbytes > 0 && f->h.version >= 2 &&
                          position - f->h.header_len >= LEDGER_REF_BESIDE_SIZE;
    const size_t more = has_more ? LEDGER_REF_BESIDE_SIZE : 0;
    uint8_t in_front[LEDGER_REF_BESIDE_SIZE];
    st = load_piece(f, position - (int64_t)more, length + (int64_t)more, NULL, &f->disk.tail, err);
    if (st != TESS_OK)
        return st;
    f->disk.tail_size = (size_t)length;
    memcpy(in_front, f->disk.tail, more);
    memmove(f->disk.tail, f->disk.tail + more, f->disk.tail_size);
    st = f->h.version == 1 ? trailer_check_v1(f->disk.tail, f->disk.tail_size, err)
                           : trailer_parse(f->disk.tail, f->disk.tail_size, &f->vlmetas, err);
    if (st == TESS_OK && has_more)
        take_beside(f, in_front);
    return st == TESS_OK ? st : err_shift(err, st, position);
}

// Check the gap between index and trailer. In a state with chunks that Tessera committed, the gap
// holds a ledger with its reference, or is shorter than a reference.
static tess_status
check_gap(const struct frame *f, int64_t index_end, tess_error *err)
{
    const int64_t gap = f->h.frame_len - (int64_t)f->disk.tail_size - index_end;
    if (!f->disk.sealed || f->disk.ref.beside || layers_find(&f->vlmetas, LEDGER_NAME) ||
        gap < LEDGER_REF_BESIDE_SIZE)
        return TESS_OK;
    return err_set(
        err, TESS_ERR_CORRUPT, index_end + gap - LEDGER_REF_BESIDE_SIZE,
        "the %d bytes in front of the trailer are not the reference to the ledger, which "
        "%" PRId64 " bytes behind the index need",
        LEDGER_REF_BESIDE_SIZE, gap);
}

static tess_status
load_index(struct frame *f, tess_error *err)
{
    uint8_t head[CHUNK_HEADER_SIZE];
    uint8_t *bytes = NULL;
    struct chunk_header h;
    const int64_t nchunks = f->h.chunksize > 0 ? ceil_div(f->h.nbytes, f->h.chunksize) : -1;
    const int64_t position = f->h.header_len + (f->h.sparse ? 0 : f->h.cbytes);
    const int64_t entry_max = f->h.sparse ? UINT32_MAX : f->h.cbytes - CHUNK_HEADER_SIZE;
    const int64_t room = f->h.frame_len - (int64_t)f->disk.tail_size - position;

    if (f->h.nbytes == 0)
        return f->h.version >= 2 ? trailer_check_seal(f->disk.tail, f->disk.tail_size, NULL, 0,
                                                      &f->disk.sealed, err)
                                 : TESS_OK;
    if (nchunks > f->options.limits.nchunks)
        return err_set(err, TESS_ERR_LIMIT, FRAME_HEADER_AT_NBYTES,
                       "%" PRId64 " chunks, the limit is %" PRId64, nchunks,
                       f->options.limits.nchunks);
    if (room < CHUNK_HEADER_MIN)
        return err_set(err, TESS_ERR_CORRUPT, position,
                       "%" PRId64 " bytes between chunks and trailer, for an index", room);

    const size_t head_size = (size_t)min_i64(room, CHUNK_HEADER_SIZE);
    tess_status st = io_read(f->io, position, head, head_size, err);
    if (st != TESS_OK)
        return st;
    st = chunk_header_parse(head, head_size, room, 8, &h, err);
    if (st == TESS_OK)
        st = load_piece(f, position, h.cbytes, NULL, &bytes, err);
    if (st == TESS_OK && f->h.version >= 2)
        st = trailer_check_seal(f->disk.tail, f->disk.tail_size, bytes, (size_t)h.cbytes,
                                &f->disk.sealed, err);
    if (st == TESS_OK && !f->disk.sealed) {
        f->disk.index_hash = checksum_of(bytes, (size_t)h.cbytes);
        f->disk.index_size = h.cbytes;
    }
    if (st == TESS_OK)
        st = index_parse(&f->index, bytes, (size_t)h.cbytes, nchunks, entry_max,
                         f->options.limits.memory, err);
    mem_free(bytes);
    if (st == TESS_OK)
        st = check_gap(f, position + h.cbytes, err);
    if (st == TESS_OK && f->index.nchunks > f->options.limits.nchunks)
        st = err_set(err, TESS_ERR_LIMIT, position, "%" PRId64 " chunks, the limit is %" PRId64,
                     f->index.nchunks, f->options.limits.nchunks);
    if (st == TESS_OK)
        return st;
    err_shift(err, st, position);
    return err_prefix(err, st, "index");
}

// Take the header that the ledger keeps for the one that was torn. f->disk.head stays what is on
// the disk, until a writer replaces it.
static tess_status
load_mend_header(struct frame *f, const struct ledger *ledger, tess_error *err)
{
    const struct frame_header torn = f->h;
    int64_t size;
    if (!ledger_sees_torn(ledger, f->disk.head, f->disk.head_size))
        return TESS_OK;
    f->disk.torn = mem_alloc(f->disk.head_size);
    if (!f->disk.torn)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a header of %zu bytes",
                       f->disk.head_size);
    memcpy(f->disk.torn, ledger->head, f->disk.head_size);
    tess_status st = io_size(f->io, &size, err);
    if (st == TESS_OK)
        st = frame_header_parse(f->disk.torn, f->disk.head_size, size, &f->h, err);
    if (st == TESS_OK && (f->h.frame_len != torn.frame_len || f->h.header_len != torn.header_len ||
                          f->h.cbytes != torn.cbytes || f->h.nbytes != torn.nbytes))
        st = err_set(err, TESS_ERR_CORRUPT, 0, "a header whose copy leads to another state");
    layers_finish(&f->metas);
    return st == TESS_OK ? parse_metas(f, f->disk.torn, err) : st;
}

const struct checksums *
frame_known_checksums(const struct frame *f)
{
    return f->checksums_known ? &f->checksums : NULL;
}

// The ledger of a state that Tessera 0.1 wrote, out of the trailer.
static tess_status
read_ledger_v1(const struct frame *f, struct ledger *x, tess_error *err)
{
    struct layers vlmetas;
    tess_status st = trailer_parse(f->disk.tail, f->disk.tail_size, &vlmetas, err);
    if (st != TESS_OK)
        return st;
    const struct layer *const layer = layers_find(&vlmetas, LEDGER_NAME);
    if (layer)
        st = ledger_parse_v1(layer, f->options.limits.memory, x, err);
    layers_finish(&vlmetas);
    return st;
}

static tess_status
load_read_ledger(const struct frame *f, const struct io_progress *p, struct ledger *x,
                 tess_error *err)
{
    const struct ledger_ref *const ref = &f->disk.ref;
    uint8_t *bytes;
    *x = (struct ledger){0};
    if (!f->disk.ledger_known)
        return TESS_OK;
    if (ref->size == 0)
        return ref->position < 0 ? read_ledger_v1(f, x, err) : TESS_OK;
    tess_status st = load_piece(f, ref->position, ref->size, p, &bytes, err);
    if (st == TESS_OK)
        st = ledger_take(bytes, (size_t)ref->size, x, err);
    if (st == TESS_OK && (x->hash != ref->hash || x->position != ref->position))
        st = err_set(err, TESS_ERR_CORRUPT, -1, "a ledger of commit %" PRIu64 ", not %" PRIu64,
                     x->number, ref->number);
    if (st == TESS_OK)
        return TESS_OK;
    ledger_finish(x);
    err_shift(err, st, ref->position);
    return err_prefix(err, st, "ledger");
}

tess_status
frame_read_ledger(const struct frame *f, struct ledger *x, tess_error *err)
{
    return load_read_ledger(f, NULL, x, err);
}

// A copy of a frame in memory ends with its trailer, behind which the ledger of an empty one
// stands.
static tess_status
forget_cut_ledger(struct frame *f, tess_error *err)
{
    int64_t size = 0;
    if (f->disk.ref.size == 0 || f->h.nbytes > 0)
        return TESS_OK;
    const tess_status st = io_size(f->io, &size, err);
    if (st == TESS_OK && size - f->h.frame_len < ledger_ref_extent(&f->disk.ref))
        f->disk.ref.size = 0;
    return st;
}

// Position where the ledger of this state belongs.
static int64_t
ledger_place(const struct frame *f)
{
    return f->h.nbytes > 0
               ? f->h.frame_len - (int64_t)f->disk.tail_size - ledger_ref_extent(&f->disk.ref)
               : f->h.frame_len + ledger_ref_beside(&f->disk.ref);
}

// Parse the reference behind the trailer of an empty frame. A copy of the frame may end with the
// trailer, and then has none.
static tess_status
load_beside_empty(struct frame *f, tess_error *err)
{
    uint8_t bytes[LEDGER_REF_BESIDE_SIZE];
    int64_t size;
    tess_status st = io_size(f->io, &size, err);
    if (st != TESS_OK || size - f->h.frame_len < LEDGER_REF_BESIDE_SIZE)
        return st;
    st = io_read(f->io, f->h.frame_len, bytes, sizeof bytes, err);
    if (st == TESS_OK)
        take_beside(f, bytes);
    return st;
}

static void
follow_ref(struct frame *f)
{
    f->disk.number = f->disk.ref.number;
    f->disk.ledger_known =
        f->disk.sealed && (f->disk.ref.size == 0 || f->disk.ref.position == ledger_place(f));
    f->disk.header_changed =
        f->disk.ledger_known &&
        f->disk.ref.head_hash != ledger_head_hash(f->disk.head, f->disk.head_size);
}

/*
 * What Tessera left in a state that is still its own. Of another one the number is all that counts.
 * A metalayer of this name that is no reference is one that a copy by another program has changed;
 * the next commit makes a new one.
 */
static tess_status
take_ref(struct frame *f, tess_error *err)
{
    struct layer *const layer = layers_find(&f->vlmetas, LEDGER_NAME);
    struct ledger old = {0};
    tess_status st = TESS_OK;

    f->keeps_ledger = f->options.checksums != TESS_CHECKSUMS_NONE;
    if (!layer && f->disk.sealed && f->h.nbytes == 0)
        st = load_beside_empty(f, err);
    if (st != TESS_OK || (!layer && !f->disk.ref.beside))
        return st;
    if (f->disk.ref.beside || ledger_ref_parse(layer, &f->disk.ref)) {
        follow_ref(f);
        st = forget_cut_ledger(f, err);
    } else {
        st = ledger_parse_v1(layer, f->options.limits.memory, &old, err);
        if (st == TESS_OK) {
            f->disk.ref = (struct ledger_ref){.position = -1, .number = old.number};
            f->disk.number = old.number;
            f->disk.ledger_known = f->disk.sealed;
            f->disk.header_changed =
                f->disk.sealed && (old.head_size != f->disk.head_size ||
                                   memcmp(old.head, f->disk.head, f->disk.head_size) != 0);
        } else if (st == TESS_ERR_CORRUPT || st == TESS_ERR_UNSUPPORTED) {
            st = TESS_OK;
        }
        ledger_finish(&old);
    }
    if (layer)
        layers_remove(&f->vlmetas, layer);
    return st;
}

static tess_status
load_ledger(struct frame *f, tess_error *err)
{
    struct ledger ledger;
    tess_status st = take_ref(f, err);
    // Where the header is replaced by a rename, fits one sector, or was written by another program,
    // it is not torn.
    if (st == TESS_OK && f->disk.header_changed && !f->folder &&
        f->disk.head_size > LEDGER_SECTOR && frame_header_is_marked(f->disk.head)) {
        st = frame_read_ledger(f, &ledger, err);
        if (st == TESS_OK && ledger.content)
            st = load_mend_header(f, &ledger, err);
        f->disk.header_changed = !f->disk.torn;
        ledger_finish(&ledger);
    }
    if (st == TESS_OK && f->options.checksums == TESS_CHECKSUMS_VERIFY)
        st = frame_need_checksums(f, err);
    return st;
}

tess_status
frame_load_checksums(const struct frame *f, const struct frame_index *list,
                     const struct io_progress *p, struct checksums *checksums, tess_error *err)
{
    struct ledger ledger;
    tess_status st = load_read_ledger(f, p, &ledger, err);
    if (st == TESS_OK && ledger.content)
        st = ledger_load(&ledger, list, checksums, err);
    ledger_finish(&ledger);
    return st;
}

tess_status
frame_need_checksums(struct frame *f, tess_error *err)
{
    if (f->checksums_known)
        return TESS_OK;
    const tess_status st = frame_load_checksums(f, &f->index, NULL, &f->checksums, err);
    if (st == TESS_OK)
        f->checksums_known = true;
    else
        checksums_finish(&f->checksums);
    return st;
}

static tess_status
load_state(struct frame *f, tess_error *err)
{
    tess_status st = load_header(f, err);
    if (st == TESS_OK)
        st = parse_metas(f, f->disk.head, err);
    if (st == TESS_OK)
        st = load_trailer(f, err);
    if (st == TESS_OK)
        st = load_index(f, err);
    if (st == TESS_OK)
        st = load_ledger(f, err);
    if (st == TESS_OK && f->storage.manner.far && !f->folder && !f->rights.writable)
        order_learn(&f->order, &f->index);
    return st;
}

// Header, trailer and index were read one after the other. They are of one state, and what is wrong
// with them is, if that state is still the newest; or if a source sees to it that all that is read
// is of one object.
tess_status
frame_load(struct frame *f, tess_error *err)
{
    tess_error why;
    tess_status st = io_stamp(f->io, &f->disk.stamp, err);
    if (st != TESS_OK)
        return st;
    f->disk.stamped = true;
    st = load_state(f, err);
    if (!f->disk.head || f->io->guarded)
        return st;
    const tess_status now = frame_check_unchanged(f, &why);
    if (st != TESS_OK && now != TESS_ERR_STALE)
        return st;
    if (now != TESS_OK && err)
        *err = why;
    return now;
}
