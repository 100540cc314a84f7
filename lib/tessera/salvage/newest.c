/*
 * newest.c - finds the newest state among those whose ledger is in a file, and whether that is
 * proven.
 *
 * The header names the newest state by two lengths: cbytes, which gives the position of its index,
 * and frame_len, the end of its trailer. A state with both lengths is the newest. One length is not
 * enough: a commit never ends where one of the 32 commits before it ended, but its index may begin
 * where an older one began. So with one length, either the fingerprint must match, too, which it
 * cannot if a newer index has overwritten the older one; or the ledger must follow an intact index
 * that begins where the header says: the index there was written last, and so was what follows it.
 * cbytes of 0 proves nothing, since a header that was overwritten by zeros has it.
 *
 * Without a header, the state with the highest commit number is taken. A newer one can be missing
 * only if its index, ledger and trailer were damaged together with the header. If the damaged bytes
 * are enough for these, nothing is proven. A directory has one state only.
 */
#include "salvage/private.h"

#include "base/checked.h"
#include "chunk/header.h"
#include "frame/format/index.h"

struct newest_search {
    const struct salvage_job *j;
    struct newest *best;
};

static enum newest_claim
claim_for(const struct salvage_job *j, const struct ledger_place *p)
{
    const bool end = j->frame_len.known && p->frame_len == j->frame_len.value;
    const bool index = j->cbytes.known && p->cbytes == j->cbytes.value;
    if (end && index)
        return CLAIM_LENGTHS;
    if (end || index)
        return CLAIM_ONE_LENGTH;
    return j->has_own ? CLAIM_OTHER : CLAIM_NO_HEADER;
}

static void
consider(void *user, const struct ledger_place *p)
{
    const struct newest_search *const x = user;
    struct newest *const best = x->best;
    const enum newest_claim claim = claim_for(x->j, p);
    const bool better = claim != best->claim              ? claim > best->claim
                        : p->number != best->place.number ? p->number > best->place.number
                                                          : p->position > best->place.position;
    best->front = min_i64(best->front, p->position);
    if (!better)
        return;
    best->place = *p;
    best->claim = claim;
}

tess_status
newest_find(struct salvage_job *j, struct newest *x, tess_error *err)
{
    struct newest_search search = {j, x};
    *x = (struct newest){.claim = CLAIM_NONE, .front = INT64_MAX};
    return search_ledgers(&j->search, consider, &search, err);
}

bool
newest_may_be(const struct salvage_job *j, const struct newest *x)
{
    return x->claim >= CLAIM_NO_HEADER || (x->claim == CLAIM_OTHER && j->folder);
}

// A chunk of any state, or its index.
static tess_status
found_front(void *user, int64_t position, const struct chunk_header *h, bool *is_one,
            tess_error *err)
{
    int64_t *const front = user;
    (void)h;
    (void)err;
    *front = min_i64(*front, position);
    *is_one = true;
    return TESS_OK;
}

// Position of the first chunk in the index of the state, INT64_MAX if it has none; the chunk itself
// may be damaged.
static tess_status
first_chunk(const struct salvage_job *j, int64_t index_at, int64_t *first, tess_error *err)
{
    struct frame_index list;
    int64_t end;
    *first = INT64_MAX;
    const tess_status st = salvage_index(j, index_at, j->parts.list.nchunks, &list, &end, err);
    if (st != TESS_OK)
        return salvage_is_damage(st) ? TESS_OK : st;
    for (int64_t n = 0; n < list.nchunks; n++)
        if (index_get(&list, n) >= 0)
            *first = min_i64(*first, j->h.header_len + index_get(&list, n));
    index_finish(&list);
    return TESS_OK;
}

/*
 * Whether index, ledger and trailer as large as those of this state fit between the header and the
 * first structure behind it: a ledger, a chunk, or the position of a chunk of this state.
 */
static tess_status
may_hide_newer(const struct salvage_job *j, const struct newest *x, bool *hides, tess_error *err)
{
    const int64_t head = j->h.header_len;
    const int64_t index = head + x->place.cbytes;
    const int64_t room = x->place.frame_len - index; // of index, ledger and trailer
    struct search search = j->search;
    int64_t first;
    *hides = true;
    tess_status st = first_chunk(j, index, &first, err);
    int64_t front = min_i64(min_i64(x->front, index), first);
    const struct chunk_search what = {
        .from = head,
        .until = min_i64(front, head + room),
        .typesize = j->h.typesize,
        .nbytes = -1,
        .found = found_front,
        .user = &front,
    };
    if (st == TESS_OK && front - head >= room)
        st = search_chunks(&search, &what, err);
    *hides = front - head >= room;
    return st;
}

// Whether the ledger follows the index that the header leads to.
static tess_status
follows_index(const struct salvage_job *j, const struct ledger_place *p, bool *follows,
              tess_error *err)
{
    struct frame_index list;
    int64_t end;
    *follows = false;
    if (!j->cbytes.known || j->cbytes.value <= 0 || p->cbytes != j->cbytes.value)
        return TESS_OK;
    const tess_status st =
        salvage_index(j, j->h.header_len + p->cbytes, j->parts.list.nchunks, &list, &end, err);
    if (st != TESS_OK)
        return salvage_is_damage(st) ? TESS_OK : st;
    index_finish(&list);
    *follows = end == p->position;
    return TESS_OK;
}

tess_status
newest_prove(const struct salvage_job *j, const struct newest *x, bool *proven, tess_error *err)
{
    bool hides;
    *proven = x->claim == CLAIM_LENGTHS || j->folder || !j->s->header_damaged ||
              (x->claim == CLAIM_ONE_LENGTH && j->parts.sealed);
    if (*proven)
        return TESS_OK;
    if (x->claim == CLAIM_ONE_LENGTH)
        return follows_index(j, &x->place, proven, err);
    if (!j->parts.sealed)
        return TESS_OK;
    const tess_status st = may_hide_newer(j, x, &hides, err);
    *proven = st == TESS_OK && !hides;
    return st;
}
