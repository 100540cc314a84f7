/*
 * salvage.c - a damaged frame, as far as it can be known: which of its parts are believed.
 *
 * Not here: the ways to them (by_ledger.c, by_header.c), which ledger is the newest (newest.c), the
 * list of chunks against the file (strays.c), what these share (parts.c, search.c).
 */
#include "salvage/salvage.h"

#include "base/checked.h"
#include "frame/copy.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/frame.h"
#include "frame/load.h"
#include "frame/query.h"
#include "frame/rebuild.h"
#include "io/io.h"
#include "salvage/private.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_TIMES = 4 }; // the bytes there are: chunks that are equal may be found once

static void
salvage_forget(struct salvage_job *j)
{
    frame_parts_finish(&j->parts);
    frame_rebuild_forget(j->f);
    j->h = (struct frame_header){0};
    *j->s = (struct salvage){
        .keep_header = j->s->keep_header,
        .older = j->s->older,
        .by_order = j->s->by_order,
    };
}

// Checksums of the chunks of a frame that opened. Without them chunks can be decoded, no more.
static tess_status
take_checksums(struct salvage_job *j, tess_error *err)
{
    struct frame_parts *const parts = &j->parts;
    const tess_status st = frame_load_checksums(j->f, &parts->list, NULL, &parts->checksums, err);
    if (st != TESS_OK)
        checksums_finish(&parts->checksums);
    j->s->ledger_damaged = salvage_is_damage(st);
    j->s->checked = parts->checksums.count > 0;
    return j->s->ledger_damaged ? TESS_OK : st;
}

static tess_status
as_it_opens(struct salvage_job *j, tess_error *err)
{
    struct frame_parts *const parts = &j->parts;
    tess_status st = frame_rebuild_load(j->f, &j->h, parts, err);
    if (st != TESS_OK)
        return st;
    if (!salvage_fits(j))
        return err_set(err, TESS_ERR_CORRUPT, 0, "header and metalayer contradict each other");
    // The index may be that of another state.
    if (parts->fingerprint && !parts->sealed && j->h.chunksize > 0)
        return err_set(err, TESS_ERR_CORRUPT, 0,
                       "index and trailer do not match their fingerprint");
    st = take_checksums(j, err);
    if (st != TESS_OK)
        return st;
    j->s->number = parts->number;
    j->s->header_damaged = parts->header_differs;
    j->s->header_source = j->s->list_source = j->s->trailer_source = TESS_REPAIR_IN_PLACE;
    if (!parts->metas_confirmed)
        j->s->nlayers_unconfirmed += parts->metas.count;
    if (!parts->sealed)
        j->s->nlayers_unconfirmed += parts->vlmetas.count;
    salvage_drop_damaged(j);
    return parts->sealed || j->h.version < 2 ? TESS_OK
                                             : salvage_check_list(j, salvage_index_at(j), err);
}

// The newest state, by its ledger. *found: it is proven to be the newest.
static tess_status
by_newest_ledger(struct salvage_job *j, const struct newest *newest, bool *found, tess_error *err)
{
    *found = false;
    if (!newest_may_be(j, newest))
        return TESS_OK;
    tess_status st = salvage_by_ledger(j, &newest->place, err);
    j->s->header_lost = newest->claim == CLAIM_NO_HEADER && j->s->header_damaged;
    if (st == TESS_OK)
        st = newest_prove(j, newest, found, err);
    if (!*found)
        salvage_forget(j);
    return salvage_is_damage(st) ? TESS_OK : st;
}

// The state that the header in the file leads to.
static tess_status
by_own_header(struct salvage_job *j, tess_error *err)
{
    const tess_status st = as_it_opens(j, err);
    if (!salvage_is_damage(st))
        return st;
    salvage_forget(j);
    return salvage_by_header(j, err);
}

// Whether all chunks of the newest state are lost, and an older state has stored chunks.
static bool
is_worse(const struct salvage_job *j, const struct newest *newest)
{
    return j->parts.list.nchunks > 0 && j->s->list_source == TESS_REPAIR_LOST &&
           newest->claim != CLAIM_NONE && newest->place.nstored > 0;
}

static tess_status
find_parts(struct salvage_job *j, tess_error *err)
{
    struct newest newest;
    bool found;
    tess_status st = newest_find(j, &newest, err);
    j->has_ledger = newest.claim != CLAIM_NONE;
    if (st == TESS_OK)
        st = by_newest_ledger(j, &newest, &found, err);
    if (st != TESS_OK || found)
        return st;
    st = by_own_header(j, err);
    if (st == TESS_OK && is_worse(j, &newest))
        st = err_set(err, TESS_ERR_CORRUPT, -1,
                     "the index is lost, and with it the numbers of the chunks; %" PRId64
                     " intact ones were found",
                     j->s->nunplaced);
    if (!salvage_is_damage(st) || newest.claim == CLAIM_NONE)
        return st;
    if (!j->s->older)
        return err_prefix(err, st,
                          newest.claim == CLAIM_NO_HEADER
                              ? "nothing proves that commit %" PRIu64
                                ", the newest that was found, is the last one; it can be recovered "
                                "as an older state"
                              : "only commit %" PRIu64 ", an older state, can be recovered",
                          newest.place.number);
    salvage_forget(j);
    st = salvage_by_ledger(j, &newest.place, err);
    j->s->is_older = true;
    return st;
}

static tess_status
salvage_begin(struct salvage_job *j, struct watch *watch, tess_error *err)
{
    struct io *const io = frame_rebuild_io(j->f);
    tess_status st = frame_stored_size(j->f, &j->nbytes, err);
    if (st == TESS_OK)
        st = search_init(&j->search, io, j->nbytes, watch, err);
    if (st != TESS_OK)
        return st;
    const size_t size = (size_t)min_i64(j->search.size, sizeof j->front);
    if (io_read(io, 0, j->front, size, NULL) != TESS_OK)
        memset(j->front, 0, size);
    j->cbytes = (struct claim){
        frame_header_has_field(j->front, FRAME_HEADER_AT_CBYTES) &&
            frame_header_get_cbytes(j->front) >= 0,
        frame_header_get_cbytes(j->front),
    };
    j->frame_len = (struct claim){
        frame_header_has_field(j->front, FRAME_HEADER_AT_FRAME_LEN) &&
            frame_header_get_frame_len(j->front) > FRAME_HEADER_SIZE,
        frame_header_get_frame_len(j->front),
    };
    j->has_own = frame_header_parse(j->front, sizeof j->front, INT64_MAX, &j->own, NULL) == TESS_OK;
    return TESS_OK;
}

tess_status
frame_salvage(struct io *io, struct folder *folder, const struct frame_options *options,
              struct salvage *s, struct watch *watch, struct frame **frame, tess_error *err)
{
    struct salvage_job j = {.folder = folder, .s = s};
    tess_status st = frame_rebuild_begin(io, folder, options, &j.f, err);
    if (st != TESS_OK)
        return st;
    j.limits = *frame_limits(j.f);
    st = salvage_begin(&j, watch, err);
    if (st == TESS_OK)
        st = find_parts(&j, err);
    s->list_confirmed |= j.parts.sealed && !s->in_order;
    frame_set_grid(j.f, NULL); // of the job
    if (st != TESS_OK) {
        frame_parts_finish(&j.parts);
        frame_close(j.f);
        return st;
    }
    if (!mul_i64(j.nbytes, MOST_TIMES, &s->most))
        s->most = INT64_MAX;
    frame_rebuild_end(j.f, &j.parts);
    *frame = j.f;
    return TESS_OK;
}
