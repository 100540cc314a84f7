/*
 * repair.c - a new array of what is left of a damaged one.
 *
 * What is left is opened as an array that is only read (array/open/open.c), and copied to the
 * target; lost chunks become the fill value there. Not here: finding what is left (module salvage),
 * the copy (frame/copy.c).
 */
#include "array/keep/keep.h"

#include "array/array.h"
#include "array/open/open.h"
#include "array/shape/shape.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/encoder.h"
#include "chunk/header.h"
#include "frame/commit/commit.h"
#include "frame/copy.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "grid/read/plain.h"
#include "io/folder.h"
#include "io/io.h"
#include "io/names/path.h"
#include "salvage/salvage.h"
#include "task/watch.h"

#include <inttypes.h>

struct loss {
    const tess_array *a;
    const tess_repair_options *how;
    tess_repair_report *report;
    enum chunk_special special; // what lost chunks become,
    uint8_t *chunk; // or this, unless it is NULL
    int32_t chunk_size;
};

// A chunk that holds the fill value once.
static tess_status
make_filling(struct loss *loss, tess_error *err)
{
    const tess_array *const a = loss->a;
    const struct chunk_spec spec = {
        .itemsize = a->g->typesize,
        .nbytes = a->g->chunksize,
        .blocksize = a->g->blocksize,
        .codec = TESS_CODEC_BLOSCLZ,
        .level = 5,
    };
    struct chunk_encoder e;
    loss->special = array_fill_special(a);
    if (!a->fill || loss->special != SPECIAL_ZEROS || a->g->nchunks == 0)
        return TESS_OK;
    const tess_status st = chunk_encoder_init(&e, &spec, err);
    if (st != TESS_OK)
        return st;
    loss->chunk = mem_alloc(CHUNK_HEADER_SIZE + (size_t)a->g->typesize);
    if (!loss->chunk)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a fill value");
    loss->chunk_size = chunk_encode_value(&e, a->fill, loss->chunk);
    return TESS_OK;
}

static void
repair_chunk_box(const tess_array *a, int64_t n, int64_t *start, int64_t *stop)
{
    const struct geometry *const g = a->g;
    if (a->grid->plain) {
        start[0] = plain_chunk_start(a->grid, n) / g->typesize;
        stop[0] = min_i64(plain_chunk_start(a->grid, n + 1) / g->typesize, g->shape[0]);
        return;
    }
    for (int i = g->ndim - 1; i >= 0; i--) {
        start[i] = n % g->grid[i] * g->chunkshape[i];
        stop[i] = min_i64(start[i] + g->chunkshape[i], g->shape[i]);
        n /= g->grid[i];
    }
}

static tess_status
repair_replace(void *user, int64_t n, const tess_error *why, enum chunk_special *special,
               const uint8_t **chunk, int32_t *size, tess_error *err)
{
    struct loss *const loss = user;
    const tess_array *const a = loss->a;
    int64_t start[NDIM_MAX], stop[NDIM_MAX];
    if (frame_header(a->grid->frame)->chunksize <= 0)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "chunk %" PRId64 " is lost, in a frame where sizes differ", n);
    *special = loss->special;
    *chunk = loss->chunk;
    *size = loss->chunk_size;
    loss->report->nlost++;
    LOG(TESS_LOG_WARNING, TESS_EVENT_CHUNK_LOST, frame_name(a->grid->frame),
        "chunk %" PRId64 " is lost: %s", n, why->message);
    repair_chunk_box(a, n, start, stop);
    loss->report->nitems_lost += box_nitems(a->g->ndim, &(struct box){start, stop, NULL});
    if (loss->how->lost)
        loss->how->lost(&(tess_lost){n, a->g->ndim, start, stop, why->message}, loss->how->user);
    return TESS_OK;
}

// Chunks that are not stored.
static int64_t
count_special(const struct frame *f)
{
    int64_t n = 0;
    for (int64_t i = 0; i < frame_nchunks(f); i++)
        n += frame_entry(f, i) < 0 && frame_entry(f, i) != INDEX_LOST;
    return n;
}

static void
fill_report(const tess_array *a, const struct salvage *s, tess_repair_report *report)
{
    *report = (tess_repair_report){
        .nchunks = frame_nchunks(a->grid->frame),
        .nspecial = count_special(a->grid->frame),
        .nfound = s->nfound,
        .nlayers_lost = s->nlayers_lost,
        .nlayers_unconfirmed = s->nlayers_unconfirmed,
        .nunplaced = s->nunplaced,
        .nplaceable = s->nplaceable,
        .header_source = s->header_source,
        .list_source = s->list_source,
        .trailer_source = s->trailer_source,
        .header_lost = s->header_lost,
        .checksums_damaged = s->ledger_damaged,
        .header_damaged = s->header_damaged,
        .index_damaged = s->index_damaged,
        .trailer_damaged = s->trailer_damaged,
        .checked = s->checked,
        .in_order = s->in_order,
        .older = s->is_older,
        .commit = s->number,
    };
}

// Whether the new array holds all that the old one did, for certain.
static bool
is_complete(const tess_repair_report *r, bool list_confirmed)
{
    return list_confirmed && r->nlost == 0 && r->nlayers_lost == 0 && r->nuntried == 0 &&
           r->nunconfirmed == 0 && r->nlayers_unconfirmed == 0 && !r->in_order && !r->older &&
           !r->header_lost;
}

// Write it to a new home, which belongs to the copy from here on, also after a failure.
static tess_status
copy_rescued(const tess_array *a, const struct salvage *salvage, const struct home *home,
             const struct frame_options *options, const tess_repair_options *how,
             tess_repair_report *report, struct watch *watch, struct frame **copy, tess_error *err)
{
    struct loss loss = {.a = a, .how = how, .report = report};
    struct frame_rescue rescue = {.user = &loss, .replace = repair_replace, .most = salvage->most};
    fill_report(a, salvage, report);
    tess_status st = make_filling(&loss, err);
    if (st == TESS_OK)
        st = frame_copy(a->grid->frame, home->at.io, home->at.folder, options, &rescue, copy, watch,
                        err);
    else
        home_close(home);
    report->nstored = report->nchunks - report->nlost - report->nspecial;
    report->nuntried = rescue.nuntried;
    report->nunconfirmed = salvage->list_confirmed
                               ? rescue.nunconfirmed
                               : frame_nchunks(a->grid->frame) - report->nlost - rescue.nuntried;
    report->complete = is_complete(report, salvage->list_confirmed);
    mem_free(loss.chunk);
    return st;
}

// The new array may not take the place of what it is made of.
static tess_status
check_target(const struct home *home, const char *path, tess_error *err)
{
    const struct folder *const folder = home->at.folder;
    struct io_identity own;
    const tess_status st =
        folder ? folder_identify(folder, &own, err) : io_identify(home->at.io, &own, err);
    if (st != TESS_OK)
        return st;
    if (io_identity_is_at(&own, path) || (folder && io_identity_contains(&own, path)))
        return err_set(err, TESS_ERR_ARG, -1, "that is where the damaged array is");
    return TESS_OK;
}

static tess_status
open_source(const tess_storage *source, const tess_storage *target, struct home *home,
            tess_error *err)
{
    tess_storage reader = *source;
    reader.mode = TESS_MODE_READ;
    tess_status st = home_open(&reader, home, err);
    if (st != TESS_OK)
        return st;
    st = check_target(home, target->path, err);
    if (st != TESS_OK)
        home_close(home);
    return st;
}

static tess_status
write_target(const tess_array *a, const struct salvage *salvage, const tess_storage *target,
             const tess_repair_options *options, tess_repair_report *report, struct watch *watch,
             tess_error *err)
{
    struct frame *copy;
    struct home home;
    tess_status st = home_create(
        target, frame_is_sparse(a->grid->frame) ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS,
        &home, err);
    if (st != TESS_OK)
        return st;
    const struct frame_options how = home_frame_options(&home, target);
    st = copy_rescued(a, salvage, &home, &how, options, report, watch, &copy, err);
    if (st != TESS_OK)
        return st;
    st = frame_publish(copy, err);
    frame_close(copy);
    if (st == TESS_OK && target->store)
        home_maker_of(target)->made(home_maker_of(target), target, NULL);
    return st;
}

tess_status
array_repair(const tess_storage *source, const tess_storage *target,
             const tess_repair_options *options, tess_repair_report *report, struct watch *watch,
             tess_error *err)
{
    struct salvage salvage = {
        .keep_header = options->keep_header,
        .older = options->older,
        .by_order = options->in_order,
    };
    const struct watch_range all = watch_divide(watch);
    tess_array *a = NULL;
    struct home home;
    tess_status st = open_source(source, target, &home, err);
    if (st != TESS_OK)
        return st;
    watch_part(watch, &all, 1, 2);
    st = array_salvage(&home, source, &salvage, watch, &a, err);
    watch_part(watch, &all, 2, 2);
    if (st == TESS_OK)
        st = write_target(a, &salvage, target, options, report, watch, err);
    array_free(a);
    return st;
}
