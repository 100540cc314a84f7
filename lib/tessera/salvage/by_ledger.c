/*
 * by_ledger.c - a damaged frame by the ledger of one of its states.
 *
 * The ledger says what header, metalayers and chunks are, and how many chunks there are of which
 * kind. Chunks that are not where the index says are searched for in the file by their checksums.
 */
#include "salvage/private.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/header.h"
#include "frame/chunks/stored.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/format/ledger.h"
#include "frame/rebuild.h"
#include "frame/sparse/files.h"
#include "io/folder.h"
#include "io/io.h"
#include "meta/layers.h"
#include "task/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    KIND_SHIFT = 56,
    WORD = 8,
};

#define COUNT_MASK ((UINT64_C(1) << KIND_SHIFT) - 1)

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
    struct frame_parts *const parts = &hunt->j->parts;
    int64_t low = 0, high = hunt->nwanted;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (hunt->wanted[middle].checksum < checksum)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < hunt->nwanted && hunt->wanted[low].checksum == checksum;
    if (found && parts->list.entries[hunt->wanted[low].n] != INDEX_LOST)
        return true; // and so have all
    for (; low < hunt->nwanted && hunt->wanted[low].checksum == checksum; low++) {
        parts->list.entries[hunt->wanted[low].n] = entry;
        hunt->left--;
        hunt->j->s->nfound++;
    }
    if (found) // there is room for all
        checksums_set(&parts->checksums, entry, checksum);
    return found;
}

static tess_status
by_ledger_found_chunk(void *user, int64_t position, const struct chunk_header *h, bool *is_one,
                      tess_error *err)
{
    struct hunt *const hunt = user;
    struct search *const search = &hunt->j->search;
    uint64_t checksum;
    (void)err;
    if (hunt->left == 0 || !search_may_try(search, h->cbytes) ||
        checksum_of_stored(search->io, position, h->cbytes, &checksum, NULL) != TESS_OK)
        return TESS_OK;
    *is_one = place_found(hunt, checksum, position - hunt->j->h.header_len);
    if (*is_one)
        search->left += h->cbytes;
    return TESS_OK;
}

static tess_status
by_ledger_found_file(void *user, const char *name, tess_error *err)
{
    struct hunt *const hunt = user;
    struct chunk_header h;
    uint64_t checksum;
    int64_t number;
    if (hunt->left == 0 || !sparse_chunk_number(name, &number) ||
        !stored_entry_look(hunt->j->f, number, &h))
        return TESS_OK;
    if (stored_entry_checksum(hunt->j->f, number, h.cbytes, &checksum))
        (void)place_found(hunt, checksum, number);
    (void)err;
    return TESS_OK;
}

static tess_status
hunt_chunks(struct hunt *hunt, tess_error *err)
{
    struct salvage_job *const j = hunt->j;
    const bool sizes_differ = j->h.chunksize <= 0;
    if (hunt->left == 0)
        return TESS_OK;
    qsort(hunt->wanted, (size_t)hunt->nwanted, sizeof *hunt->wanted, by_checksum);
    if (j->folder)
        return folder_each(j->folder, by_ledger_found_file, hunt, err);
    const struct chunk_search what = {
        .from = j->h.header_len,
        .until = j->search.size,
        .typesize = j->h.typesize,
        .nbytes = sizes_differ ? -1 : j->h.chunksize,
        .nbytes_last =
            sizes_differ ? -1 : frame_header_chunk_nbytes(&j->h, j->parts.list.nchunks - 1),
        .found = by_ledger_found_chunk,
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
    uint64_t found = 0;
    *other = false;
    if (entry < 0 || !stored_entry_look(j->f, entry, &h) || !search_may_try(&j->search, h.cbytes) ||
        !stored_entry_checksum(j->f, entry, h.cbytes, &found))
        return false;
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
        j->parts.list.entries[n + i] = there ? entry : INDEX_LOST;
        if (there && entry >= 0)
            checksums_set(&j->parts.checksums, entry, checksum);
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
    struct frame_parts *const parts = &hunt->j->parts;
    for (int64_t i = 0; i < hunt->nwanted; i++) {
        const struct wanted *const w = &hunt->wanted[i];
        if (w->entry < 0 || parts->list.entries[w->n] != INDEX_LOST ||
            checksums_get(&parts->checksums, w->entry) != 0)
            continue;
        parts->list.entries[w->n] = w->entry;
        checksums_set(&parts->checksums, w->entry, w->checksum); // there is room for all
    }
}

// The kinds of chunks, from the ledger; old: what the index says, or nothing.
static tess_status
place_chunks(struct salvage_job *j, const struct ledger *ledger, const struct frame_index *old,
             tess_error *err)
{
    struct hunt hunt = {.j = j};
    int64_t n = 0, stored = 0;
    tess_status st = TESS_OK;

    hunt.wanted = mem_alloc(((size_t)ledger->nstored + 1) * sizeof *hunt.wanted);
    if (!hunt.wanted)
        TRY(err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks", ledger->nstored));
    TRY(checksums_reserve(&j->parts.checksums, ledger->nstored, err));
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
                TRY(index_set(&j->parts.list, k, entry, err));
            }
        }
        n += count;
    }
    hunt.left = hunt.nwanted;
    TRY(hunt_chunks(&hunt, err));
    keep_damaged(&hunt);
    j->s->index_damaged |= j->s->nfound > 0;
out:
    mem_free(hunt.wanted);
    return st;
}

// How many chunks the ledger is about.
static tess_status
count_chunks(const struct salvage_job *j, const struct ledger *ledger, int64_t *nchunks,
             tess_error *err)
{
    const struct frame_header *const h = &j->h;
    int64_t n = 0, stored = 0;
    bool known = true;
    for (int64_t i = 0; i < ledger->nruns; i++) {
        const uint64_t run = get_u64le(ledger->runs + i * WORD);
        const int64_t count = (int64_t)(run & COUNT_MASK);
        if (count > j->limits.nchunks - n)
            return err_set(err, TESS_ERR_LIMIT, -1,
                           "%" PRId64 " chunks and more, the limit is %" PRId64, n + count,
                           j->limits.nchunks);
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
by_ledger_take_list(struct salvage_job *j, const struct ledger *ledger, int64_t block_size,
                    tess_error *err)
{
    const int64_t index_at = salvage_index_at(j);
    struct frame_index old = {0};
    int64_t nchunks = 0, index_end = index_at;
    tess_status st = TESS_OK;

    TRY(count_chunks(j, ledger, &nchunks, err));
    if (nchunks > 0 && salvage_index(j, index_at, nchunks, &old, &index_end, NULL) != TESS_OK) {
        j->s->index_damaged = true;
        index_finish(&old);
    }
    // The block stands between the two, unless it is of format 1, or there is no index.
    const int64_t trailer =
        ledger->position >= 0 && nchunks > 0 ? ledger->position + block_size : index_end;
    TRY(salvage_trailer(j, j->h.frame_len, trailer, index_at, index_end, ledger, err));
    if (ledger->nstored > 0 && nchunks * WORD > j->limits.memory)
        TRY(err_set(err, TESS_ERR_LIMIT, -1, "a list of %" PRId64 " chunks", nchunks));
    // A search may find chunks that no state knows to be there.
    j->h.cbytes = max_i64(j->h.cbytes, j->search.size - j->h.header_len);
    frame_rebuild_header(j->f, &j->h);
    const bool alike = ledger->nruns == 1 && ledger->nstored == 0; // takes no memory
    index_init_uniform(&j->parts.list, nchunks,
                       alike ? (enum chunk_special)(get_u64le(ledger->runs) >> KIND_SHIFT)
                             : SPECIAL_ZEROS);
    if (ledger->nstored > 0)
        TRY(index_reserve(&j->parts.list, nchunks, err));
    if (j->parts.sealed && j->parts.list.entries == NULL)
        goto out; // nothing to be compared
    TRY(place_chunks(j, ledger, &old, err));
    if (!j->parts.sealed && !j->s->index_damaged) // one of the two
        j->s->trailer_damaged = true;
out:
    index_finish(&old);
    return st;
}

// The header of that state, or the file's own, if that is wanted and leads to the same.
static tess_status
take_header(struct salvage_job *j, const struct ledger *ledger, tess_error *err)
{
    const size_t size = ledger->head_size;
    uint8_t *const own = mem_zeroed(1, size), *const head = mem_alloc(size);
    bool keeps = false;
    tess_status st = TESS_OK;

    if (!own || !head)
        TRY(err_set(err, TESS_ERR_NOMEM, -1, "no memory for a header of %zu bytes", size));
    memcpy(head, ledger->head, size);
    const bool there = io_read(j->search.io, 0, own, size, NULL) == TESS_OK;
    j->s->header_damaged = !there || memcmp(own, head, size) != 0;
    TRY(frame_header_parse(head, size, INT64_MAX, &j->h, err));
    if (j->s->keep_header && j->s->header_damaged && there && j->has_own &&
        j->own.frame_len == j->h.frame_len && j->own.header_len == j->h.header_len &&
        j->own.cbytes == j->h.cbytes && j->own.nbytes == j->h.nbytes) {
        memcpy(head, own, size);
        j->h = j->own;
        keeps = true;
    }
    if (j->h.sparse != (j->folder != NULL) || j->h.header_len != (int64_t)size ||
        j->h.fixed_size != FRAME_HEADER_SIZE)
        TRY(err_set(err, TESS_ERR_CORRUPT, -1, "the copy of a header of another frame"));
    TRY(layers_parse(head + FRAME_HEADER_SIZE, size - FRAME_HEADER_SIZE, FRAME_HEADER_SIZE,
                     LAYERS_HEADER, &j->parts.metas, err));
    j->s->nlayers_unconfirmed = keeps ? j->parts.metas.count : 0;
    j->s->header_source =
        keeps || !j->s->header_damaged ? TESS_REPAIR_IN_PLACE : TESS_REPAIR_LEDGER;
out:
    mem_free(own);
    mem_free(head);
    return st;
}

tess_status
salvage_by_ledger(struct salvage_job *j, const struct ledger_place *place, tess_error *err)
{
    struct ledger ledger;
    tess_status st = search_load_ledger(&j->search, place, &ledger, err);
    if (st != TESS_OK)
        return st;
    st = take_header(j, &ledger, err);
    if (st == TESS_OK)
        st = by_ledger_take_list(j, &ledger, place->size, err);
    j->parts.number = j->s->number = ledger.number;
    j->s->list_source = j->s->index_damaged ? TESS_REPAIR_LEDGER : TESS_REPAIR_IN_PLACE;
    j->s->checked = j->s->list_confirmed = true;
    ledger_finish(&ledger);
    return st;
}
