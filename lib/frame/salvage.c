/*
 * salvage.c - a damaged frame, as far as it can be known: which state it is, by its ledger.
 *
 * Not here: frames without one (mend.c).
 */
#include "frame/salvage.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "frame/salvage_job.h"
#include "frame/sparse.h"
#include "io/folder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    KIND_SHIFT = 56,
    WORD = 8,
    FRAME_LEN_AT = 16,
    CBYTES_AT = 39,
    MOST_TIMES = 4, // the bytes there are: chunks that are equal may be found once
};

#define COUNT_MASK ((UINT64_C(1) << KIND_SHIFT) - 1)

// The best of the ledgers that were found.
struct choice {
    const struct salvage_job *j;
    struct ledger_place place;
    int rank; // -1: there is none
};

// How well a ledger fits to what the header in the file says, whatever else that says.
static int
rank_of(const struct salvage_job *j, const struct ledger_place *p)
{
    if (p->frame_len == (int64_t)get_u64be(j->front + FRAME_LEN_AT))
        return 2;
    return p->cbytes == (int64_t)get_u64be(j->front + CBYTES_AT);
}

static void
consider(void *user, const struct ledger_place *p)
{
    struct choice *const c = user;
    const int rank = rank_of(c->j, p);
    const bool better = rank != c->rank                ? rank > c->rank
                        : p->number != c->place.number ? p->number > c->place.number
                                                       : p->position > c->place.position;
    if (!better)
        return;
    c->place = *p;
    c->rank = rank;
}

// A chunk of the ledger that is not where the index says, if that says anything.
struct wanted {
    uint64_t checksum;
    int64_t n;
    int64_t entry; // where the index says, if a chunk with another checksum is there; else -1
};

struct hunt {
    struct salvage_job *j;
    struct wanted *wanted;
    int64_t nwanted;
    int64_t left; // not found so far
};

static int
by_checksum(const void *a, const void *b)
{
    const struct wanted *const x = a, *const y = b;
    if (x->checksum != y->checksum)
        return x->checksum < y->checksum ? -1 : 1;
    return (x->n > y->n) - (x->n < y->n);
}

// All chunks with that checksum are at `entry`. False: none is wanted.
static bool
place_found(struct hunt *hunt, uint64_t checksum, int64_t entry)
{
    struct frame *const f = hunt->j->f;
    int64_t low = 0, high = hunt->nwanted;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (hunt->wanted[middle].checksum < checksum)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < hunt->nwanted && hunt->wanted[low].checksum == checksum;
    if (found && f->index.entries[hunt->wanted[low].n] != INDEX_LOST)
        return true; // and so have all
    for (; low < hunt->nwanted && hunt->wanted[low].checksum == checksum; low++) {
        f->index.entries[hunt->wanted[low].n] = entry;
        hunt->left--;
        hunt->j->s->nfound++;
    }
    if (found) // there is room for all
        checksums_set(&f->checksums, entry, checksum);
    return found;
}

static tess_status
found_chunk(void *user, int64_t position, const struct chunk_header *h, bool *is_one,
            tess_error *err)
{
    struct hunt *const hunt = user;
    struct search *const search = &hunt->j->search;
    uint64_t checksum;
    (void)err;
    if (hunt->left == 0 || !search_may_try(search, h->cbytes) ||
        checksum_of_stored(search->io, position, h->cbytes, &checksum, NULL) != TESS_OK)
        return TESS_OK;
    *is_one = place_found(hunt, checksum, position - hunt->j->f->h.header_len);
    if (*is_one)
        search->left += h->cbytes;
    return TESS_OK;
}

static tess_status
found_file(void *user, const char *name, tess_error *err)
{
    struct hunt *const hunt = user;
    struct chunk_header h;
    uint64_t checksum;
    struct io *io;
    int64_t number;
    if (hunt->left == 0 || !sparse_chunk_number(name, &number) ||
        !salvage_look(hunt->j, number, &h) ||
        sparse_open_chunk(hunt->j->f->folder, number, &io, NULL) != TESS_OK)
        return TESS_OK;
    if (checksum_of_stored(io, 0, h.cbytes, &checksum, NULL) == TESS_OK)
        (void)place_found(hunt, checksum, number);
    io_close(io);
    (void)err;
    return TESS_OK;
}

static tess_status
hunt_chunks(struct hunt *hunt, tess_error *err)
{
    struct salvage_job *const j = hunt->j;
    const struct frame *const f = j->f;
    const bool sizes_differ = f->h.chunksize <= 0;
    if (hunt->left == 0)
        return TESS_OK;
    qsort(hunt->wanted, (size_t)hunt->nwanted, sizeof *hunt->wanted, by_checksum);
    if (f->folder)
        return folder_each(f->folder, found_file, hunt, err);
    const struct chunk_search what = {
        .from = f->h.header_len,
        .until = j->search.size,
        .typesize = f->h.typesize,
        .nbytes = sizes_differ ? -1 : f->h.chunksize,
        .nbytes_last = sizes_differ ? -1 : frame_chunk_nbytes(f, f->index.nchunks - 1),
        .found = found_chunk,
        .user = hunt,
    };
    return search_chunks(&j->search, &what, err);
}

// Whether a chunk stands where an entry says; *other: one with another checksum does. All together
// they have no more bytes than the file.
static bool
is_there(struct salvage_job *j, int64_t entry, uint64_t checksum, bool *other)
{
    struct chunk_header h;
    struct place place;
    uint64_t found = 0;
    *other = false;
    if (entry < 0 || !salvage_look(j, entry, &h) || !search_may_try(&j->search, h.cbytes) ||
        j->f->container->locate(j->f, entry, &place, NULL) != TESS_OK)
        return false;
    if (checksum_of_stored(place.io, place.position, h.cbytes, &found, NULL) != TESS_OK)
        found = 0;
    if (place.owned)
        io_close(place.io);
    *other = found != 0 && found != checksum;
    return found == checksum;
}

static int64_t
entry_of(const struct frame_index *list, int64_t n)
{
    return list->nchunks > 0 ? index_get(list, n) : INDEX_LOST;
}

// One run of chunks that are stored: where the index says, or wanted.
static tess_status
place_run(struct hunt *hunt, const struct frame_index *old, const uint8_t *checksums, int64_t n,
          int64_t count, tess_error *err)
{
    struct salvage_job *const j = hunt->j;
    tess_status st = TESS_OK;
    for (int64_t i = 0; i < count && st == TESS_OK; i++) {
        const uint64_t checksum = get_u64le(checksums + i * WORD);
        const int64_t entry = entry_of(old, n + i);
        bool other = false;
        const bool there = checksum != 0 ? is_there(j, entry, checksum, &other)
                                         : entry >= 0 || entry == INDEX_LOST;
        j->f->index.entries[n + i] = there ? entry : INDEX_LOST;
        if (there && entry >= 0)
            checksums_set(&j->f->checksums, entry, checksum);
        else if (checksum != 0)
            hunt->wanted[hunt->nwanted++] = (struct wanted){checksum, n + i, other ? entry : -1};
        watch_add(j->search.watch, 1);
        st = watch_look(j->search.watch, err);
    }
    return st;
}

// What is nowhere stays where the index says, if there is a chunk that is not another place's: the
// copy compares it once more, and says what is wrong with it.
static void
keep_damaged(struct hunt *hunt)
{
    struct frame *const f = hunt->j->f;
    for (int64_t i = 0; i < hunt->nwanted; i++) {
        const struct wanted *const w = &hunt->wanted[i];
        if (w->entry < 0 || f->index.entries[w->n] != INDEX_LOST ||
            checksums_get(&f->checksums, w->entry) != 0)
            continue;
        f->index.entries[w->n] = w->entry;
        checksums_set(&f->checksums, w->entry, w->checksum); // there is room for all
    }
}

// The kinds of chunks, from the ledger; old: what the index says, or nothing.
static tess_status
place_chunks(struct salvage_job *j, const struct ledger *ledger, const struct frame_index *old,
             tess_error *err)
{
    struct hunt hunt = {.j = j};
    struct frame *const f = j->f;
    int64_t n = 0, stored = 0;
    tess_status st = TESS_OK;

    hunt.wanted = malloc(((size_t)ledger->nstored + 1) * sizeof *hunt.wanted);
    if (!hunt.wanted)
        TRY(err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks", ledger->nstored));
    TRY(checksums_reserve(&f->checksums, ledger->nstored, err));
    watch_job(j->search.watch, ledger->nstored);
    for (int64_t i = 0; i < ledger->nruns; i++) {
        const uint64_t run = get_u64le(ledger->runs + i * WORD);
        const int64_t count = (int64_t)(run & COUNT_MASK);
        const enum chunk_special kind = (enum chunk_special)(run >> KIND_SHIFT);
        if (kind == SPECIAL_NONE) {
            TRY(place_run(&hunt, old, ledger->checksums + stored * WORD, n, count, err));
            stored += count;
        } else {
            const int64_t entry = index_entry_of(kind);
            for (int64_t k = n; k < n + count; k++) {
                j->s->index_damaged |= entry_of(old, k) != entry;
                TRY(index_set(&f->index, k, entry, err));
            }
        }
        n += count;
    }
    hunt.left = hunt.nwanted;
    TRY(hunt_chunks(&hunt, err));
    keep_damaged(&hunt);
    j->s->index_damaged |= j->s->nfound > 0;
out:
    free(hunt.wanted);
    return st;
}

// How many chunks the ledger is about.
static tess_status
count_chunks(const struct salvage_job *j, const struct ledger *ledger, int64_t *nchunks,
             tess_error *err)
{
    const struct frame_header *const h = &j->f->h;
    int64_t n = 0, stored = 0;
    bool known = true;
    for (int64_t i = 0; i < ledger->nruns; i++) {
        const uint64_t run = get_u64le(ledger->runs + i * WORD);
        const int64_t count = (int64_t)(run & COUNT_MASK);
        if (count > j->f->options.limits.nchunks - n)
            return err_set(err, TESS_ERR_LIMIT, -1,
                           "%" PRId64 " chunks and more, the limit is %" PRId64, n + count,
                           j->f->options.limits.nchunks);
        const uint64_t kind = run >> KIND_SHIFT;
        known &= kind == SPECIAL_NONE || kind == SPECIAL_ZEROS || kind == SPECIAL_NANS ||
                 kind == SPECIAL_UNINIT;
        n += count;
        stored += kind == SPECIAL_NONE ? count : 0;
    }
    if (!known || stored != ledger->nstored ||
        (h->chunksize > 0 && n != ceil_div(h->nbytes, h->chunksize)))
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "a ledger of %" PRId64 " chunks for another frame", n);
    *nchunks = n;
    return TESS_OK;
}

static tess_status
take_list(struct salvage_job *j, const struct ledger *ledger, tess_error *err)
{
    struct frame *const f = j->f;
    const int64_t index_at = salvage_index_at(j);
    const int64_t frame_len = f->h.frame_len;
    struct frame_index old = {0};
    int64_t nchunks = 0, index_end = index_at;
    tess_status st = TESS_OK;

    TRY(count_chunks(j, ledger, &nchunks, err));
    if (nchunks > 0 && salvage_index(j, index_at, nchunks, &old, &index_end, NULL) != TESS_OK) {
        j->s->index_damaged = true;
        index_finish(&old);
    }
    TRY(salvage_trailer(j, frame_len, index_end, index_at, index_end, ledger, err));
    if (ledger->nstored > 0 && nchunks * WORD > f->options.limits.memory)
        TRY(err_set(err, TESS_ERR_LIMIT, -1, "a list of %" PRId64 " chunks", nchunks));
    // A search may find chunks that no state knows to be there.
    f->h.cbytes = max_i64(f->h.cbytes, j->search.size - f->h.header_len);
    index_init_uniform(&f->index, nchunks, ledger->nruns > 0 ? index_entry_of(SPECIAL_ZEROS) : 0);
    if (ledger->nruns == 1 && ledger->nstored == 0) // takes no memory
        f->index.uniform =
            index_entry_of((enum chunk_special)(get_u64le(ledger->runs) >> KIND_SHIFT));
    if (ledger->nstored > 0)
        TRY(index_reserve(&f->index, nchunks, err));
    if (f->sealed && f->index.entries == NULL)
        goto out; // nothing to be compared
    TRY(place_chunks(j, ledger, &old, err));
    if (!f->sealed && !j->s->index_damaged) // one of the two
        j->s->trailer_damaged = true;
out:
    index_finish(&old);
    return st;
}

// The header of that state, or the file's own, if that is wanted and leads to the same.
static tess_status
take_header(struct salvage_job *j, const struct ledger *ledger, tess_error *err)
{
    struct frame *const f = j->f;
    const size_t size = ledger->head_size;
    uint8_t *const own = calloc(1, size);
    bool keeps = false;
    tess_status st = TESS_OK;

    f->head = malloc(size);
    if (!own || !f->head)
        TRY(err_set(err, TESS_ERR_NOMEM, -1, "no memory for a header of %zu bytes", size));
    memcpy(f->head, ledger->head, size);
    f->head_size = size;
    const bool there = io_read(j->search.io, 0, own, size, NULL) == TESS_OK;
    j->s->header_damaged = !there || memcmp(own, f->head, size) != 0;
    TRY(frame_header_parse(f->head, size, INT64_MAX, &f->h, err));
    if (j->s->keep_header && j->s->header_damaged && there && j->has_own &&
        j->own.frame_len == f->h.frame_len && j->own.header_len == f->h.header_len &&
        j->own.cbytes == f->h.cbytes && j->own.nbytes == f->h.nbytes) {
        memcpy(f->head, own, size);
        f->h = j->own;
        keeps = true;
    }
    if (f->h.sparse != (f->folder != NULL) || f->h.header_len != (int64_t)size ||
        f->h.fixed_size != FRAME_HEADER_SIZE)
        TRY(err_set(err, TESS_ERR_CORRUPT, -1, "the copy of a header of another frame"));
    TRY(layers_parse(f->head + FRAME_HEADER_SIZE, size - FRAME_HEADER_SIZE, FRAME_HEADER_SIZE,
                     LAYERS_HEADER, &f->metas, err));
    j->s->nlayers_unconfirmed = keeps ? f->metas.count : 0;
out:
    free(own);
    return st;
}

static void
forget(struct salvage_job *j)
{
    struct frame *const f = j->f;
    layers_finish(&f->metas);
    layers_finish(&f->vlmetas);
    index_finish(&f->index);
    checksums_finish(&f->checksums);
    free(f->head);
    free(f->torn);
    free(f->tail);
    f->head = f->torn = f->tail = NULL;
    f->head_size = f->tail_size = 0;
    f->h = (struct frame_header){0};
    f->sealed = f->ledger_known = f->header_changed = f->checksums_known = false;
    f->number = 0;
    *j->s = (struct salvage){.keep_header = j->s->keep_header, .older = j->s->older};
}

static tess_status
by_ledger(struct salvage_job *j, const struct ledger_place *place, tess_error *err)
{
    struct ledger ledger;
    tess_status st = search_load_ledger(&j->search, place, &ledger, err);
    if (st != TESS_OK)
        return st;
    st = take_header(j, &ledger, err);
    if (st == TESS_OK)
        st = take_list(j, &ledger, err);
    free(j->f->head); // not what stands in the file, perhaps
    j->f->head = NULL;
    j->f->number = j->s->number = ledger.number;
    j->s->checked = j->s->list_confirmed = true;
    ledger_finish(&ledger);
    return st;
}

// Another kind of damage may be behind it, which other ways can cope with.
static bool
is_damage(tess_status st)
{
    return st != TESS_OK && st != TESS_ERR_NOMEM && st != TESS_ERR_CANCELLED;
}

// Checksums of the chunks of a frame that opened. Without them chunks can be decoded, no more.
static tess_status
take_checksums(struct salvage_job *j, tess_error *err)
{
    struct frame *const f = j->f;
    const tess_status st = frame_need_checksums(f, err);
    j->s->ledger_damaged = is_damage(st);
    f->checksums_known = true;
    j->s->checked = f->checksums.count > 0;
    return j->s->ledger_damaged ? TESS_OK : st;
}

static tess_status
as_it_opens(struct salvage_job *j, tess_error *err)
{
    struct frame *const f = j->f;
    const tess_checksums checksums = f->options.checksums;
    f->options.checksums = TESS_CHECKSUMS_WRITE; // compared later
    tess_status st = frame_load(f, err);
    f->options.checksums = checksums;
    if (st != TESS_OK)
        return st;
    if (!salvage_fits(f))
        return err_set(err, TESS_ERR_CORRUPT, 0, "header and metalayer contradict each other");
    st = take_checksums(j, err);
    if (st != TESS_OK)
        return st;
    j->s->number = f->number;
    j->s->header_damaged = f->header_changed || f->torn;
    if (!f->ledger_known || f->header_changed)
        j->s->nlayers_unconfirmed += f->metas.count;
    if (!f->sealed)
        j->s->nlayers_unconfirmed += f->vlmetas.count;
    salvage_drop_damaged(j);
    return f->sealed || f->h.version < 2 ? TESS_OK : salvage_check_list(j, err);
}

static tess_status
salvage(struct salvage_job *j, tess_error *err)
{
    struct choice choice = {.j = j, .rank = -1};
    tess_status st = search_ledgers(&j->search, consider, &choice, err);
    if (st != TESS_OK)
        return st;
    j->has_ledger = choice.rank >= 0;
    // A directory has one state only. Of a file the header says which is the newest.
    if (choice.rank > 0 || (choice.rank == 0 && (j->f->folder || !j->has_own))) {
        st = by_ledger(j, &choice.place, err);
        if (!is_damage(st))
            return st;
        forget(j);
    }
    st = as_it_opens(j, err);
    if (!is_damage(st))
        return st;
    forget(j);
    st = salvage_by_header(j, err);
    if (!is_damage(st) || choice.rank < 0)
        return st;
    if (!j->s->older)
        return err_prefix(err, st, "nothing but commit %" PRIu64 ", an older state, can be made",
                          choice.place.number);
    forget(j);
    st = by_ledger(j, &choice.place, err);
    j->s->is_older = true;
    return st;
}

static tess_status
open_index_file(struct frame *f, tess_error *err)
{
    return f->folder ? folder_read(f->folder, FRAME_FOLDER_INDEX, &f->io, err) : TESS_OK;
}

static tess_status
begin(struct salvage_job *j, struct watch *watch, tess_error *err)
{
    struct frame *const f = j->f;
    tess_status st = open_index_file(f, err);
    if (st == TESS_OK)
        st = frame_stored_size(f, &j->nbytes, err);
    if (st == TESS_OK)
        st = search_init(&j->search, f->io, j->nbytes, watch, err);
    if (st != TESS_OK)
        return st;
    const size_t size = (size_t)min_i64(j->search.size, sizeof j->front);
    if (io_read(f->io, 0, j->front, size, NULL) != TESS_OK)
        memset(j->front, 0, size);
    j->has_own = frame_header_parse(j->front, sizeof j->front, INT64_MAX, &j->own, NULL) == TESS_OK;
    f->options.checksums = TESS_CHECKSUMS_VERIFY; // they are to be loaded
    return TESS_OK;
}

tess_status
frame_salvage(struct io *io, struct folder *folder, const struct frame_options *options,
              struct salvage *s, struct watch *watch, struct frame **frame, tess_error *err)
{
    struct salvage_job j = {.s = s, .f = frame_new(io, folder, options)};
    if (!j.f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a frame");
    tess_status st = begin(&j, watch, err);
    if (st == TESS_OK)
        st = salvage(&j, err);
    s->list_confirmed |= j.f->sealed && !s->in_order;
    j.f->grid = NULL; // of the job
    if (st != TESS_OK) {
        frame_close(j.f);
        return st;
    }
    if (!mul_i64(j.nbytes, MOST_TIMES, &s->most))
        s->most = INT64_MAX;
    *frame = j.f;
    return TESS_OK;
}
