/*
 * adopt.c - chunks of packets become chunks of the array of one owner.
 */
#include "array/packets/packets.h"

#include "array/array.h"
#include "array/chunks/chunks.h"
#include "array/packets/leases.h"
#include "array/update.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/chunks/stored.h"
#include "frame/commit/change.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/load.h"
#include "frame/query.h"
#include "frame/sparse/files.h"
#include "grid/grid.h"
#include "grid/write/install.h"
#include "grid/write/turns.h"
#include "grid/write/write_back.h"
#include "task/gate.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

enum { BITS = 64 };

struct tess_adoption {
    tess_array *a; // held
    struct packet_array array; // as it was when the adoption began
    int64_t nchunks;
    struct leases leases;
    pthread_mutex_t lock; // guards `adopted`
    uint64_t *adopted; // a bit per chunk
};

// What a chunk of a packet becomes.
struct adoptee {
    uint8_t special; // as it is stored in the list: SPECIAL_NONE or SPECIAL_VALUE have bytes
    bool known; // it was adopted before
};

// A packet on its way.
struct adding {
    tess_adoption *ad;
    struct packet p;
    bool trusted;
    int64_t *numbers; // of its chunks
    struct adoptee *chunks;
};

static bool
has_bytes(const struct adoptee *c)
{
    return c->special == SPECIAL_NONE || c->special == SPECIAL_VALUE;
}

// -- what the packet says, against the array

static tess_status
check_axis(const char *what, int axis, int64_t said, int64_t want, tess_error *err)
{
    if (said == want)
        return TESS_OK;
    return err_set(err, TESS_ERR_ARG, -1,
                   "a packet for an array of another %s: axis %d has %" PRId64
                   ", here it has %" PRId64,
                   what, axis, said, want);
}

static tess_status
check_array(const struct packet_array *said, const struct packet_array *want, tess_error *err)
{
    tess_status st = TESS_OK;
    if (said->typesize != want->typesize)
        return err_set(err, TESS_ERR_ARG, -1,
                       "a packet for items of %" PRId32 " bytes, here they have %" PRId32,
                       said->typesize, want->typesize);
    if (said->type_hash != want->type_hash || said->type_format != want->type_format)
        return err_set(err, TESS_ERR_ARG, -1, "a packet for items of another type");
    if (said->ndim != want->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "a packet for an array of %d dimensions, here are %d",
                       said->ndim, want->ndim);
    for (int i = 0; i < want->ndim && st == TESS_OK; i++) {
        st = check_axis("shape", i, said->shape[i], want->shape[i], err);
        if (st == TESS_OK)
            st = check_axis("chunkshape", i, said->chunkshape[i], want->chunkshape[i], err);
        if (st == TESS_OK)
            st = check_axis("blockshape", i, said->blockshape[i], want->blockshape[i], err);
    }
    return st;
}

// Whether chunks of the array can be in what the packet says: its file, or files of its directory.
static tess_status
check_kind(const struct packet *p, const tess_array *a, tess_error *err)
{
    const bool sparse = frame_is_sparse(a->grid->frame);
    if (p->kind != PACKET_BYTES && sparse != (p->kind == PACKET_FILES))
        return err_set(err, TESS_ERR_ARG, -1, "a packet of chunks in %s for an array in %s",
                       p->kind == PACKET_FILES ? "a directory" : "a file",
                       sparse ? "a directory" : "one file or memory");
    return TESS_OK;
}

static tess_status
check_numbers(const struct adding *t, tess_error *err)
{
    const int64_t last = t->numbers[t->p.nchunks - 1]; // they ascend
    if (last >= t->ad->nchunks)
        return err_set(err, TESS_ERR_ARG, packet_entry_at(&t->p, t->p.nchunks - 1),
                       "chunk %" PRId64 " in a packet for an array with %" PRId64 " chunks", last,
                       t->ad->nchunks);
    return TESS_OK;
}

static tess_status
check_packet_bytes(const struct adding *t, const struct packet_entry *e,
                   enum chunk_special *special, tess_error *err)
{
    const uint8_t *const bytes = t->p.bytes + e->offset;
    if (checksum_of(bytes, (size_t)e->size) != e->checksum)
        return err_set(err, TESS_ERR_CORRUPT, 0, "its bytes differ from their checksum");
    if (memcmp(bytes, e->header, CHUNK_HEADER_SIZE) != 0)
        return err_set(err, TESS_ERR_CORRUPT, 0, "its header is not that of its entry");
    return chunk_check_put(t->ad->a->grid, e->number, bytes, (size_t)e->size, t->trusted, special,
                           err);
}

// A chunk that is not stored.
static tess_status
check_special(const struct adding *t, const struct packet_entry *e, tess_error *err)
{
    const int32_t typesize = t->p.array.typesize;
    if (e->special == SPECIAL_NANS && typesize != 4 && typesize != 8)
        return err_set(err, TESS_ERR_ARG, -1,
                       "NaNs need items of 4 or 8 bytes, these have %" PRId32, typesize);
    return TESS_OK;
}

static tess_status
check_chunk(const struct adding *t, int64_t i, tess_error *err)
{
    struct packet_entry e;
    packet_entry_get(&t->p, i, &e);
    enum chunk_special special = e.special;
    tess_status st;
    if (special != SPECIAL_NONE)
        st = check_special(t, &e, err);
    else if (t->p.kind == PACKET_BYTES)
        st = check_packet_bytes(t, &e, &special, err);
    else
        st = chunk_check_header(t->ad->a->grid, e.number, e.header, e.size, &special, err);
    t->chunks[i] = (struct adoptee){.special = (uint8_t)special};
    if (st == TESS_OK)
        return TESS_OK;
    (void)err_shift(err, st,
                    t->p.kind == PACKET_BYTES ? e.offset
                                              : packet_entry_at(&t->p, i) + PACKET_ENTRY_HEADER);
    return err_prefix(err, st, "chunk %" PRId64 " of a packet", e.number);
}

static tess_status
check_chunks(const struct adding *t, tess_error *err)
{
    tess_status st = TESS_OK;
    for (int64_t i = 0; i < t->p.nchunks && st == TESS_OK; i++)
        st = check_chunk(t, i, err);
    return st;
}

// -- what was adopted before

static bool
is_adopted(const tess_adoption *ad, int64_t n)
{
    return ad->adopted[n / BITS] >> (n % BITS) & 1;
}

// The checksum of a stored chunk of the list, also where the file has none.
static tess_status
stored_checksum(const tess_array *a, int64_t n, uint64_t *checksum, tess_error *err)
{
    const struct checksums *const known = frame_known_checksums(a->grid->frame);
    struct chunk_loan loan;
    *checksum = known ? checksums_get(known, frame_entry(a->grid->frame, n)) : 0;
    if (*checksum != 0)
        return TESS_OK;
    const tess_status st = chunk_borrow(&loan, a, n, err);
    if (st != TESS_OK)
        return st;
    *checksum = checksum_of(loan.bytes, (size_t)loan.size);
    chunk_give_back(&loan, a);
    return TESS_OK;
}

static tess_status
is_same_chunk(const struct adding *t, int64_t i, bool *same, tess_error *err)
{
    const tess_array *const a = t->ad->a;
    const int64_t n = t->numbers[i], entry = frame_entry(a->grid->frame, n);
    const struct adoptee *const c = &t->chunks[i];
    struct packet_entry e;
    uint64_t checksum;
    packet_entry_get(&t->p, i, &e);
    *same = false;
    if (!has_bytes(c))
        *same = entry == index_entry_of((enum chunk_special)c->special);
    if (!has_bytes(c) || entry < 0)
        return TESS_OK;
    const tess_status st = stored_checksum(a, n, &checksum, err);
    *same = st == TESS_OK && checksum == e.checksum;
    return st;
}

// Chunks that were adopted before must be the same, and are passed over. Their turn has begun.
static tess_status
look_known(const struct adding *t, tess_error *err)
{
    tess_status st = TESS_OK;
    pthread_mutex_lock(&t->ad->lock);
    for (int64_t i = 0; i < t->p.nchunks; i++)
        t->chunks[i].known = is_adopted(t->ad, t->numbers[i]);
    pthread_mutex_unlock(&t->ad->lock);
    gate_enter(t->ad->a->grid->gate);
    for (int64_t i = 0; i < t->p.nchunks && st == TESS_OK; i++) {
        bool same = true;
        if (t->chunks[i].known)
            st = is_same_chunk(t, i, &same, err);
        if (!same && st == TESS_OK)
            st = err_set(err, TESS_ERR_ARG, packet_entry_at(&t->p, i),
                         "chunk %" PRId64 " was adopted before, with other content", t->numbers[i]);
    }
    gate_leave(t->ad->a->grid->gate);
    return st;
}

static void
mark_adopted(const struct adding *t)
{
    pthread_mutex_lock(&t->ad->lock);
    for (int64_t i = 0; i < t->p.nchunks; i++)
        t->ad->adopted[t->numbers[i] / BITS] |= UINT64_C(1) << (t->numbers[i] % BITS);
    pthread_mutex_unlock(&t->ad->lock);
}

// -- into the list

static tess_status
stage(const struct adding *t, int64_t i, struct frame_staged *staged, tess_error *err)
{
    struct chunk_grid *const grid = t->ad->a->grid;
    const struct adoptee *const c = &t->chunks[i];
    struct packet_entry e;
    packet_entry_get(&t->p, i, &e);
    return has_bytes(c)
               ? stage_chunk(grid, staged, e.number, t->p.bytes + e.offset, e.size, err)
               : stage_special(grid, staged, e.number, (enum chunk_special)c->special, err);
}

static tess_status
store_bytes(const struct adding *t, tess_error *err)
{
    struct frame_staged staged = {0};
    tess_status st = TESS_OK;
    for (int64_t i = 0; i < t->p.nchunks && st == TESS_OK; i++)
        if (!t->chunks[i].known)
            st = stage(t, i, &staged, err);
    return grid_install(t->ad->a->grid, &staged, st, err);
}

// Chunks that were written to leases, as the frame knows them: those that were not adopted before.
static int64_t
list_lent(const struct adding *t, struct lent_chunk *list, int64_t *numbers)
{
    const tess_array *const a = t->ad->a;
    int64_t n = 0;
    for (int64_t i = 0; i < t->p.nchunks; i++) {
        const struct adoptee *const c = &t->chunks[i];
        struct packet_entry e;
        if (c->known)
            continue;
        packet_entry_get(&t->p, i, &e);
        numbers[n] = e.number;
        list[n] = (struct lent_chunk){.n = e.number, .special = (enum chunk_special)c->special};
        if (has_bytes(c))
            list[n] = (struct lent_chunk){
                .n = e.number,
                .at = e.offset - a->offset,
                .size = e.size,
                .special = SPECIAL_NONE,
                .checksum = e.checksum,
            };
        n++;
    }
    return n;
}

// What is wrong with a chunk that was written to a lease. Where that is, the message says; the
// offset is that of its entry, as of all that is wrong with a packet.
static tess_status
blame_lent(const struct adding *t, const struct lent_chunk *c, tess_status st, tess_error *err)
{
    const tess_array *const a = t->ad->a;
    char name[SPARSE_NAME_SIZE];
    int64_t i = 0;
    while (t->numbers[i] != c->n)
        i++;
    if (err)
        err->offset = packet_entry_at(&t->p, i);
    if (!frame_is_sparse(a->grid->frame))
        return err_prefix(err, st, "chunk %" PRId64 " of a packet, at %" PRId64 " in the file",
                          c->n, c->at + a->offset);
    sparse_chunk_name(c->at, name);
    return err_prefix(err, st, "chunk %" PRId64 " of a packet, in %s", c->n, name);
}

// A chunk in a lease, checked as one from an unknown source.
static tess_status
try_lent(const struct adding *t, const struct lent_chunk *c, tess_error *err)
{
    const struct chunk_grid *const grid = t->ad->a->grid;
    const bool sparse = frame_is_sparse(grid->frame);
    const int64_t entry = sparse ? c->at : c->at - frame_header(grid->frame)->header_len;
    enum chunk_special special;
    if (c->size > frame_limits(grid->frame)->memory)
        return err_set(err, TESS_ERR_LIMIT, -1, "%" PRId32 " stored bytes", c->size);
    uint8_t *const bytes = mem_alloc((size_t)c->size);
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId32 " bytes", c->size);
    gate_enter(grid->gate);
    tess_status st = stored_entry_read(grid->frame, entry, bytes, c->size, err);
    gate_leave(grid->gate);
    if (st == TESS_OK && checksum_of(bytes, (size_t)c->size) != c->checksum)
        st = err_set(err, TESS_ERR_CORRUPT, 0, "its bytes differ from their checksum");
    if (st == TESS_OK)
        st = chunk_check_put(grid, c->n, bytes, (size_t)c->size, false, &special, err);
    mem_free(bytes);
    return st;
}

static tess_status
try_all_lent(const struct adding *t, const struct lent_chunk *list, int64_t n, tess_error *err)
{
    tess_status st = TESS_OK;
    for (int64_t i = 0; i < n && st == TESS_OK; i++) {
        if (list[i].special == SPECIAL_NONE)
            st = try_lent(t, &list[i], err);
        if (st != TESS_OK)
            (void)blame_lent(t, &list[i], st, err);
    }
    return st;
}

static tess_status
adopt_lent(const struct adding *t, const struct lent_chunk *list, const int64_t *numbers, int64_t n,
           tess_error *err)
{
    const tess_array *const a = t->ad->a;
    int64_t which = -1;
    tess_status st = leases_check(&t->ad->leases, a, list, n, &which, err);
    if (st == TESS_OK) {
        gate_enter(a->grid->gate);
        st = frame_find_lent(a->grid->frame, list, n, &which, err);
        gate_leave(a->grid->gate);
    }
    if (st != TESS_OK)
        return which < 0 ? st : blame_lent(t, &list[which], st, err);
    st = t->trusted ? TESS_OK : try_all_lent(t, list, n, err);
    if (st != TESS_OK)
        return st;
    st = leases_adopt(&t->ad->leases, a, list, numbers, n, &which, err);
    return st == TESS_OK || which < 0 ? st : blame_lent(t, &list[which], st, err);
}

static tess_status
store_lent(const struct adding *t, tess_error *err)
{
    const size_t n = (size_t)t->p.nchunks;
    struct lent_chunk *const list = mem_alloc(n * sizeof *list);
    int64_t *const numbers = mem_alloc(n * sizeof *numbers);
    tess_status st = TESS_OK;
    const int64_t count = list && numbers ? list_lent(t, list, numbers) : 0;
    if (count > 0)
        st = adopt_lent(t, list, numbers, count, err);
    else if (!list || !numbers)
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of %zu chunks", n);
    mem_free(list);
    mem_free(numbers);
    return st;
}

// All that is to be done while no other call changes the chunks.
static tess_status
adopt(const struct adding *t, tess_error *err)
{
    struct chunk_grid *const grid = t->ad->a->grid;
    struct turn turn;
    turn_of_list(&turn, t->numbers, (size_t)t->p.nchunks);
    turns_begin(grid->turns, &grid->g, &turn);
    tess_status st = write_back_turn(grid, &turn, err);
    if (st == TESS_OK)
        st = look_known(t, err);
    if (st == TESS_OK)
        st = t->p.kind == PACKET_BYTES ? store_bytes(t, err) : store_lent(t, err);
    if (st == TESS_OK)
        mark_adopted(t);
    turns_end(grid->turns, &turn);
    return st;
}

static tess_status
list_packet_chunks(struct adding *t, tess_error *err)
{
    const size_t n = (size_t)t->p.nchunks;
    t->numbers = mem_alloc(n * sizeof *t->numbers);
    t->chunks = mem_alloc(n * sizeof *t->chunks);
    if (!t->numbers || !t->chunks)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of %zu chunks", n);
    for (size_t i = 0; i < n; i++) {
        struct packet_entry e;
        packet_entry_get(&t->p, (int64_t)i, &e);
        t->numbers[i] = e.number;
    }
    return TESS_OK;
}

// -- the adoption

static tess_status
check_unchanged(const tess_adoption *ad, tess_error *err)
{
    struct packet_array now;
    packet_array_of(&now, ad->a->g, &ad->a->nd);
    if (memcmp(&now, &ad->array, sizeof now) != 0)
        return err_set(err, TESS_ERR_ARG, -1,
                       "the array was given another shape since the adoption began");
    return TESS_OK;
}

tess_status
adoption_check(const tess_adoption *ad, tess_error *err)
{
    if (ad->a->discarded)
        return err_set(err, TESS_ERR_ARG, -1, "the array of the adoption was discarded");
    return TESS_OK;
}

tess_status
adoption_add(tess_adoption *ad, const void *packet, size_t size, bool trusted, tess_error *err)
{
    struct adding t = {.ad = ad, .trusted = trusted};
    tess_status st = packet_parse(&t.p, packet, size, err);
    if (st != TESS_OK)
        return st;
    TRY(check_unchanged(ad, err));
    TRY(check_array(&t.p.array, &ad->array, err));
    TRY(check_kind(&t.p, ad->a, err));
    if (t.p.nchunks == 0)
        goto out;
    TRY(list_packet_chunks(&t, err));
    TRY(check_numbers(&t, err));
    TRY(check_chunks(&t, err));
    st = adopt(&t, err);
out:
    mem_free(t.numbers);
    mem_free(t.chunks);
    return st;
}

int64_t
adoption_missing(tess_adoption *ad, int64_t from)
{
    int64_t n = from;
    pthread_mutex_lock(&ad->lock);
    while (n < ad->nchunks && is_adopted(ad, n))
        n += n % BITS == 0 && ad->adopted[n / BITS] == UINT64_MAX ? BITS : 1;
    pthread_mutex_unlock(&ad->lock);
    return n < ad->nchunks ? n : -1;
}

static void
adoption_free(tess_adoption *ad)
{
    leases_finish(&ad->leases);
    pthread_mutex_destroy(&ad->lock);
    array_free(ad->a);
    mem_free(ad->adopted);
    mem_free(ad);
}

/*
 * Workers find the array at its path only once it is there. And a file that they write to looks as
 * if other programs had changed it, unless its state is sealed, which each commit does.
 */
static tess_status
make_ready(tess_array *a, tess_error *err)
{
    const struct frame *const f = a->grid->frame;
    gate_enter(a->grid->gate);
    const bool published = frame_is_published(f);
    const bool in_file = a->path && !frame_is_sparse(f) && !frame_is_once(f);
    const bool sealed = !in_file || frame_is_sealed(f);
    gate_leave(a->grid->gate);
    if (!published)
        return array_commit(a, err);
    return sealed ? TESS_OK : array_commit_sealed(a, err);
}

tess_status
adoption_begin(tess_array *a, tess_adoption **adoption, tess_error *err)
{
    const int64_t nchunks = a->g->nchunks;
    const tess_status st = make_ready(a, err);
    if (st != TESS_OK)
        return st;
    tess_adoption *const ad = mem_zeroed(1, sizeof *ad);
    uint64_t *const adopted =
        mem_zeroed((size_t)max_i64(ceil_div(nchunks, BITS), 1), sizeof *adopted);
    if (!ad || !adopted) {
        mem_free(adopted);
        mem_free(ad);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory to remember %" PRId64 " chunks",
                       nchunks);
    }
    ad->adopted = adopted;
    ad->nchunks = nchunks;
    packet_array_of(&ad->array, a->g, &a->nd);
    leases_init(&ad->leases);
    pthread_mutex_init(&ad->lock, NULL);
    array_hold(a);
    ad->a = a;
    *adoption = ad;
    return TESS_OK;
}

tess_status
adoption_lease(tess_adoption *ad, int64_t size, struct extent *lease, tess_error *err)
{
    return leases_take(&ad->leases, ad->a, size, lease, err);
}

tess_status
adoption_return(tess_adoption *ad, struct extent lease, tess_error *err)
{
    return leases_return(&ad->leases, ad->a, lease, err);
}

tess_status
adoption_end(tess_adoption *ad, bool commit, tess_error *err)
{
    tess_status st = commit ? adoption_check(ad, err) : TESS_OK;
    leases_end_all(&ad->leases, ad->a); // so that the commit knows what is free
    if (commit && st == TESS_OK)
        st = array_commit(ad->a, err);
    adoption_free(ad);
    return st;
}
