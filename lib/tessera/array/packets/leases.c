/*
 * leases.c - the leases of one adoption, in a hash table with chains.
 */
#include "array/packets/leases.h"

#include "base/error.h"
#include "base/memory.h"
#include "frame/commit/change.h"
#include "frame/commit/current.h"
#include "frame/query.h"
#include "grid/write/install.h"
#include "task/gate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 16 };

struct lease_slot {
    struct extent whole; // size 0: the number is free
    uint64_t age; // smaller: older
    uint32_t next; // in the chain, or of the numbers that are free
};

void
lease_table_finish(struct lease_table *t)
{
    mem_free(t->slots);
    mem_free(t->heads);
    *t = (struct lease_table){0};
}

static uint32_t *
head_of(const struct lease_table *t, struct extent whole)
{
    uint64_t h = (uint64_t)whole.start * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)whole.size;
    h = (h ^ (h >> 32)) * UINT64_C(0xbf58476d1ce4e5b9);
    return &t->heads[(h >> 32) & (t->capacity - 1)];
}

static void
link_slot(struct lease_table *t, uint32_t number)
{
    uint32_t *const head = head_of(t, t->slots[number].whole);
    t->slots[number].next = *head;
    *head = number;
}

static bool
lease_table_grow(struct lease_table *t)
{
    const uint32_t capacity = t->capacity > 0 ? 2 * t->capacity : CAPACITY_MIN;
    if (capacity > UINT32_MAX / 2)
        return false;
    uint32_t *const heads = mem_zeroed(capacity, sizeof *heads);
    struct lease_slot *const slots =
        heads ? mem_resize(t->slots, ((size_t)capacity + 1) * sizeof *slots) : NULL;
    if (!slots) {
        mem_free(heads);
        return false;
    }
    mem_free(t->heads);
    t->heads = heads;
    t->slots = slots;
    t->capacity = capacity;
    for (uint32_t number = 1; number <= t->used; number++) // all are taken: none is spare
        link_slot(t, number);
    return true;
}

bool
lease_table_reserve(struct lease_table *t)
{
    return t->spare != 0 || t->used < t->capacity || lease_table_grow(t);
}

uint32_t
lease_table_add(struct lease_table *t, struct extent whole)
{
    uint32_t number = t->spare;
    if (number != 0)
        t->spare = t->slots[number].next;
    else
        number = ++t->used;
    t->slots[number] = (struct lease_slot){.whole = whole, .age = t->taken++};
    link_slot(t, number);
    return number;
}

uint32_t
lease_table_find(const struct lease_table *t, struct extent whole)
{
    uint32_t found = 0;
    if (t->capacity == 0)
        return 0;
    for (uint32_t n = *head_of(t, whole); n != 0; n = t->slots[n].next) {
        const struct lease_slot *const s = &t->slots[n];
        if (s->whole.start == whole.start && s->whole.size == whole.size &&
            (found == 0 || s->age < t->slots[found].age))
            found = n;
    }
    return found;
}

uint32_t
lease_table_next(const struct lease_table *t, uint32_t from)
{
    for (uint32_t n = from; n <= t->used; n++)
        if (t->slots[n].whole.size > 0)
            return n;
    return 0;
}

struct extent
lease_table_get(const struct lease_table *t, uint32_t number)
{
    return t->slots[number].whole;
}

void
lease_table_remove(struct lease_table *t, uint32_t number)
{
    struct lease_slot *const s = &t->slots[number];
    uint32_t *at = head_of(t, s->whole);
    while (*at != number)
        at = &t->slots[*at].next;
    *at = s->next;
    *s = (struct lease_slot){.next = t->spare};
    t->spare = number;
}

// -- the leases of one adoption

enum { BYTES_BITS = 62 }; // of a lease: positions behind it are numbers, too

void
leases_init(struct leases *x)
{
    *x = (struct leases){0};
    pthread_mutex_init(&x->lock, NULL);
}

// In the child of a fork() the leases are the parent's.
static void
end_lease(struct leases *x, const tess_array *a, uint32_t lease)
{
    struct frame *const f = a->grid->frame;
    const struct extent whole = lease_table_get(&x->wholes, lease);
    const bool inherited = frame_is_inherited(f);
    struct extent e;
    gate_close(a->grid->gate);
    for (int64_t from = whole.start;
         extents_next(&x->left, from, &e) && e.start - whole.start < whole.size;
         from = e.start + e.size) {
        if (extents_owner(&x->left, e.start) != lease)
            continue;
        (void)extents_remove(&x->left, e.start, &e);
        if (!inherited)
            frame_lease_free(f, (struct extent){e.start - a->offset, e.size});
    }
    if (!inherited)
        frame_lease_end(f);
    gate_open(a->grid->gate);
    lease_table_remove(&x->wholes, lease);
}

void
leases_end_all(struct leases *x, const tess_array *a)
{
    uint32_t lease = 0;
    while ((lease = lease_table_next(&x->wholes, lease + 1)) != 0)
        end_lease(x, a, lease);
}

void
leases_finish(struct leases *x)
{
    extents_finish(&x->left);
    lease_table_finish(&x->wholes);
    pthread_mutex_destroy(&x->lock);
}

static tess_status
check_lends(const tess_array *a, int64_t size, tess_error *err)
{
    const struct frame *const f = a->grid->frame;
    if (!a->path || frame_in_memory(f) || frame_is_once(f))
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "leases need an array in a file or directory; of this one, packets have to "
                       "contain the chunks");
    if (size < 1 || size >> BYTES_BITS != 0)
        return err_set(err, TESS_ERR_ARG, -1,
                       "the size of a lease is %" PRId64 ", 1 or more is expected", size);
    if (frame_nchunks(f) == 0)
        return err_set(err, TESS_ERR_ARG, -1, "the array has no chunks, so nothing can be leased");
    return TESS_OK;
}

static tess_status
take(struct leases *x, tess_array *a, int64_t size, struct extent *lease, tess_error *err)
{
    if (!lease_table_reserve(&x->wholes) || !extents_reserve(&x->left))
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a lease");
    gate_close(a->grid->gate);
    const tess_status st = frame_lease(a->grid->frame, size, lease, err);
    gate_open(a->grid->gate);
    if (st != TESS_OK)
        return st;
    lease->start += a->offset;
    extents_insert_of(&x->left, *lease, lease_table_add(&x->wholes, *lease));
    return TESS_OK;
}

tess_status
leases_take(struct leases *x, tess_array *a, int64_t size, struct extent *lease, tess_error *err)
{
    gate_enter(a->grid->gate);
    tess_status st = check_lends(a, size, err);
    gate_leave(a->grid->gate);
    if (st != TESS_OK)
        return st;
    pthread_mutex_lock(&x->lock);
    st = take(x, a, size, lease, err);
    pthread_mutex_unlock(&x->lock);
    return st;
}

tess_status
leases_return(struct leases *x, tess_array *a, struct extent lease, tess_error *err)
{
    tess_status st = TESS_OK;
    pthread_mutex_lock(&x->lock);
    const uint32_t found = lease_table_find(&x->wholes, lease);
    if (found != 0)
        end_lease(x, a, found);
    else
        st = err_set(err, TESS_ERR_ARG, -1,
                     "no lease of this adoption starts at %" PRId64 " and has the size %" PRId64,
                     lease.start, lease.size);
    pthread_mutex_unlock(&x->lock);
    return st;
}

static bool
is_ours(const struct leases *x, const tess_array *a, const struct lent_chunk *chunk)
{
    struct extent e;
    const int64_t size = frame_is_sparse(a->grid->frame) ? 1 : chunk->size;
    const int64_t start = chunk->at + a->offset;
    return extents_at(&x->left, start, &e) && size <= e.start + e.size - start &&
           frame_is_leased(a->grid->frame, chunk);
}

// The leases are locked.
static tess_status
check_ours(const struct leases *x, const tess_array *a, const struct lent_chunk *chunks, int64_t n,
           int64_t *which, tess_error *err)
{
    tess_status st = TESS_OK;
    gate_enter(a->grid->gate);
    for (int64_t i = 0; i < n && st == TESS_OK; i++) {
        if (chunks[i].special != SPECIAL_NONE || is_ours(x, a, &chunks[i]))
            continue;
        *which = i;
        st = err_set(err, TESS_ERR_ARG, -1,
                     "its %" PRId32
                     " bytes are outside the leases of this adoption, or where a chunk "
                     "was adopted",
                     chunks[i].size);
    }
    gate_leave(a->grid->gate);
    return st;
}

static int
by_position(const void *x, const void *y)
{
    const struct lent_chunk *const a = *(const struct lent_chunk *const *)x;
    const struct lent_chunk *const b = *(const struct lent_chunk *const *)y;
    return (a->at > b->at) - (a->at < b->at);
}

static tess_status
check_overlap(const struct lent_chunk **list, size_t n, bool sparse,
              const struct lent_chunk **which, tess_error *err)
{
    qsort(list, n, sizeof(struct lent_chunk *), by_position);
    for (size_t i = 1; i < n; i++) {
        if (list[i]->at - list[i - 1]->at >= (sparse ? 1 : list[i - 1]->size))
            continue;
        *which = list[i];
        return err_set(err, TESS_ERR_ARG, -1, "%s chunk %" PRId64,
                       sparse ? "its file is that of" : "it overlaps", list[i - 1]->n);
    }
    return TESS_OK;
}

tess_status
leases_check(struct leases *x, const tess_array *a, const struct lent_chunk *chunks, int64_t n,
             int64_t *which, tess_error *err)
{
    const struct lent_chunk *second = NULL;
    size_t count = 0;
    *which = -1;
    pthread_mutex_lock(&x->lock);
    tess_status st = check_ours(x, a, chunks, n, which, err);
    pthread_mutex_unlock(&x->lock);
    if (st != TESS_OK)
        return st;
    const struct lent_chunk **const list = mem_alloc((size_t)n * sizeof(struct lent_chunk *));
    if (!list)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of %" PRId64 " chunks", n);
    for (int64_t i = 0; i < n; i++)
        if (chunks[i].special == SPECIAL_NONE)
            list[count++] = &chunks[i];
    st = check_overlap(list, count, frame_is_sparse(a->grid->frame), &second, err);
    if (second)
        *which = second - chunks;
    mem_free(list);
    return st;
}

tess_status
leases_adopt(struct leases *x, const tess_array *a, const struct lent_chunk *chunks,
             const int64_t *numbers, int64_t n, int64_t *which, tess_error *err)
{
    const bool sparse = frame_is_sparse(a->grid->frame);
    *which = -1;
    pthread_mutex_lock(&x->lock);
    tess_status st = check_ours(x, a, chunks, n, which, err);
    if (st == TESS_OK && !extents_reserve_many(&x->left, n))
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " extents", n);
    if (st == TESS_OK)
        st = grid_adopt(a->grid, chunks, numbers, (size_t)n, err);
    for (int64_t i = 0; i < n && st == TESS_OK; i++)
        if (chunks[i].special == SPECIAL_NONE)
            extents_carve(&x->left,
                          (struct extent){chunks[i].at + a->offset, sparse ? 1 : chunks[i].size});
    pthread_mutex_unlock(&x->lock);
    return st;
}
