/*
 * copy.c - a frame to a new place, its chunks as they are stored.
 *
 * The new frame has the state in memory of the old one, whether that is committed or not, and
 * nothing else: one commit, behind chunks that stand side by side in the order of the list. Of a
 * chunk the header is looked at, which says how many bytes it has; its blocks are not.
 *
 * Frames from before c-blosc2 2.0 have headers that we do not write. They are copied as they stand.
 */
#include "frame/copy.h"

#include "base/checked.h"
#include "base/memory.h"
#include "chunk/scratch.h"
#include "frame/chunks/ahead.h"
#include "frame/chunks/stored.h"
#include "frame/chunks/usage.h"
#include "frame/commit/commit.h"
#include "frame/container.h"
#include "frame/format/checksums.h"
#include "frame/format/index.h"
#include "frame/frame.h"
#include "frame/load.h"
#include "frame/private.h"
#include "frame/watched.h"
#include "io/io.h"
#include "meta/layers.h"
#include "task/watch.h"

#include <inttypes.h>
#include <string.h>

enum { PIECE = 1 << 20 };

static tess_status
copy_bytes(const struct frame *from, struct io *io, struct watch *watch, tess_error *err)
{
    tess_status st = TESS_OK;
    const int64_t end = from->h.frame_len;
    uint8_t *const piece = mem_alloc(PIECE);
    if (!piece)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d bytes", PIECE);
    watch_job(watch, end);
    for (int64_t at = 0; at < end && st == TESS_OK; at += PIECE) {
        const size_t size = (size_t)min_i64(end - at, PIECE);
        st = io_read(from->io, at, piece, size, err);
        if (st == TESS_OK)
            st = io_write(io, at, piece, size, err);
        watch_add(watch, (int64_t)size);
        if (st == TESS_OK)
            st = watch_look(watch, err);
    }
    mem_free(piece);
    return st;
}

// No index can refer to a chunk of less than 32 bytes at the end of all chunks; so it gets them.
static tess_status
put_copied_chunk(struct frame *to, const uint8_t *bytes, int32_t size, int64_t *entry,
                 tess_error *err)
{
    uint8_t longer[CHUNK_HEADER_SIZE] = {0};
    const bool is_short = size < CHUNK_HEADER_SIZE;
    tess_status st = checksums_reserve(&to->checksums, 1, err);
    if (st != TESS_OK)
        return st;
    if (is_short)
        memcpy(longer, bytes, (size_t)size);
    st = to->container->put(to, is_short ? longer : bytes, is_short ? CHUNK_HEADER_SIZE : size,
                            entry, err);
    if (st != TESS_OK)
        return st;
    usage_added(&to->usage, size);
    if (to->keeps_ledger)
        checksums_set(&to->checksums, *entry, checksum_of(bytes, (size_t)size));
    return TESS_OK;
}

enum proof { CONFIRMED, DECODED, UNTRIED };

// All blocks, where nothing says what the bytes are. What this build cannot decode may be right.
static tess_status
copy_try_chunk(const struct frame *from, int64_t n, struct chunk_scratch *s, enum proof *proof,
               tess_error *err)
{
    *proof = CONFIRMED;
    if (checksums_get(&from->checksums, index_get(&from->index, n)) != 0)
        return TESS_OK;
    const tess_status st = stored_chunk_decode(from, n, s, err);
    *proof = st == TESS_ERR_UNSUPPORTED ? UNTRIED : DECODED;
    return *proof == UNTRIED ? TESS_OK : st;
}

static tess_status
copy_stored_chunk(const struct frame *from, struct frame *to, int64_t n,
                  const struct checksums *checksums, struct chunk_scratch *s, int64_t *left,
                  int64_t *entry, tess_error *err)
{
    struct stored_chunk sc;
    const uint8_t *bytes;
    int32_t size;
    tess_status st = stored_chunk_load(&sc, from, n, checksums, s, &bytes, &size, err);
    if (st != TESS_OK)
        return st;
    *left -= size;
    if (*left < 0)
        st = err_set(err, TESS_ERR_CORRUPT, -1, "chunk %" PRId64 " overlaps others", n);
    else
        st = put_copied_chunk(to, bytes, size, entry, err);
    stored_chunk_close(&sc);
    return st;
}

// Places that share a chunk would get a copy each: a small file could ask for a huge one.
tess_status
frame_check_shared(const struct frame *f, tess_error *err)
{
    int64_t *sorted;
    size_t n;
    tess_status st = index_sorted(&f->index, &sorted, &n, err);
    if (st != TESS_OK)
        return st;
    for (size_t i = 1; i < n && st == TESS_OK; i++)
        if (sorted[i] == sorted[i - 1])
            st = err_set(err, TESS_ERR_CORRUPT, -1,
                         "one chunk, entry %" PRId64 " of the index, stands in two places",
                         sorted[i]);
    mem_free(sorted);
    return st;
}

// What a chunk that is lost, for the reason in `why`, leaves in its place.
static tess_status
replace_chunk(struct frame *to, int64_t n, struct frame_rescue *rescue, const tess_error *why,
              int64_t *entry, tess_error *err)
{
    enum chunk_special special = SPECIAL_ZEROS;
    const uint8_t *chunk = NULL;
    int32_t size = 0;
    tess_status st = rescue->replace(rescue->user, n, why, &special, &chunk, &size, err);
    if (st == TESS_OK && chunk)
        st = put_copied_chunk(to, chunk, size, entry, err);
    else
        *entry = index_entry_of(special);
    return st;
}

// Whatever is wrong with the chunk, but for a lack of memory, is what there is to be rescued from.
static tess_status
rescue_chunk(const struct frame *from, struct frame *to, int64_t n, struct chunk_scratch *s,
             struct frame_rescue *rescue, int64_t *left, int64_t *entry, tess_error *err)
{
    tess_error why;
    struct stored_chunk sc;
    const uint8_t *bytes;
    int32_t size;
    enum proof proof = CONFIRMED;
    tess_status st = *entry == INDEX_LOST ? err_set(&why, TESS_ERR_CORRUPT, -1, "it was not found")
                     : *left == 0
                         ? err_set(&why, TESS_ERR_CORRUPT, -1, "it shares its bytes with others")
                         : copy_try_chunk(from, n, s, &proof, &why);
    if (st == TESS_OK)
        st = stored_chunk_load(&sc, from, n, &from->checksums, s, &bytes, &size, &why);
    if (st == TESS_ERR_NOMEM) {
        if (err)
            *err = why;
        return st;
    }
    if (st != TESS_OK)
        return replace_chunk(to, n, rescue, &why, entry, err);
    rescue->nuntried += proof == UNTRIED;
    rescue->nunconfirmed += proof == DECODED;
    *left -= min_i64(*left, size);
    st = put_copied_chunk(to, bytes, size, entry, err);
    stored_chunk_close(&sc);
    return st;
}

// What all chunks together can have at most, if they do not overlap.
static tess_status
stored_most(const struct frame *f, int64_t *most, tess_error *err)
{
    *most = INT64_MAX;
    return f->folder ? TESS_OK : io_size(f->io, most, err);
}

static tess_status
copy_chunks(const struct frame *from, struct frame *to, const struct checksums *checksums,
            struct frame_rescue *rescue, struct watch *watch, tess_error *err)
{
    const tess_context *const context = from->options.context;
    struct watched watched;
    struct chunk_scratch s = {.limit = from->options.limits.memory};
    struct list_ahead ahead;
    struct chunk_ahead early = {.want = NULL};
    int64_t left = rescue ? rescue->most : 0;
    watched_init(&watched, watch);
    s.progress = watched_progress(&watched);
    watch_job(watch, from->index.nchunks);
    tess_status st = list_ahead_begin(&ahead, from, context ? context->ahead : 0, NULL, watch, err);
    if (st == TESS_OK && !rescue)
        st = frame_check_shared(from, err);
    if (st == TESS_OK && !rescue)
        st = stored_most(from, &left, err);
    for (int64_t n = 0; from->index.entries && n < from->index.nchunks && st == TESS_OK; n++) {
        int64_t entry = from->index.entries[n];
        st = list_ahead_take(&ahead, n, &early, err);
        if (st != TESS_OK)
            break;
        s.want = early.want;
        s.place = chunk_ahead_place(&early);
        if (rescue && (entry >= 0 || entry == INDEX_LOST))
            st = rescue_chunk(from, to, n, &s, rescue, &left, &entry, err);
        else if (entry >= 0)
            st = copy_stored_chunk(from, to, n, checksums, &s, &left, &entry, err);
        chunk_ahead_release(&early);
        if (st == TESS_OK)
            st = index_set(&to->index, n, entry, err);
        watch_add(watch, 1);
        if (st == TESS_OK)
            st = watch_look(watch, err);
    }
    list_ahead_end(&ahead);
    scratch_finish(&s);
    return st;
}

static tess_status
copy_state(const struct frame *from, struct frame *to, struct frame_rescue *rescue,
           struct watch *watch, tess_error *err)
{
    const bool uniform = !from->index.entries, known = rescue || frame_known_checksums(from);
    struct checksums loaded = {0};
    struct watched watched;
    watched_init(&watched, watch);
    frame_start(to, &from->h, &from->metas, from->index.nchunks,
                uniform ? from->index.uniform : SPECIAL_ZEROS);
    to->h.version = from->h.version;
    to->h.nbytes = from->h.nbytes; // chunks may differ in size
    to->vlmetas = from->vlmetas;
    tess_status st =
        known ? TESS_OK
              : frame_load_checksums(from, &from->index, watched_progress(&watched), &loaded, err);
    if (st == TESS_OK)
        st = copy_chunks(from, to, known ? &from->checksums : &loaded, rescue, watch, err);
    if (st == TESS_OK)
        st = frame_commit(to, err);
    checksums_finish(&loaded);
    to->metas = to->vlmetas = (struct layers){0}; // the other's
    return st;
}

tess_status
frame_copy(const struct frame *from, struct io *io, struct folder *folder,
           const struct frame_options *options, struct frame_rescue *rescue, struct frame **copy,
           struct watch *watch, tess_error *err)
{
    tess_status st;
    struct frame *const to = frame_new(io, folder, options);
    if (!to)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a frame");
    if (from->h.version >= 2)
        st = copy_state(from, to, rescue, watch, err);
    else if (folder || rescue)
        st = err_set(err, TESS_ERR_UNSUPPORTED, 0,
                     "a frame from before c-blosc2 2.0 can only be copied as it is, to a file");
    else
        st = copy_bytes(from, io, watch, err);
    if (st != TESS_OK) {
        frame_close(to);
        return st;
    }
    *copy = to;
    return TESS_OK;
}

tess_status
frame_sketch(const struct frame *from, struct io *io, const struct frame_options *options,
             struct frame **sketch, tess_error *err)
{
    struct frame *const to = frame_new(io, NULL, options);
    if (!to)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a frame");
    frame_start(to, &from->h, &from->metas, from->index.nchunks, SPECIAL_UNINIT);
    const tess_status st = frame_commit(to, err);
    to->metas = (struct layers){0}; // the other's
    if (st != TESS_OK) {
        frame_close(to);
        return st;
    }
    *sketch = to;
    return TESS_OK;
}
