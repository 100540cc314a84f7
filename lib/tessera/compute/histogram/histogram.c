/*
 * histogram.c - the items of a box, counted in bins.
 */
#include "compute/histogram/histogram.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "compute/histogram/private.h"
#include "compute/parts/parts.h"
#include "meta/dtype.h"
#include "ndcopy/ndcopy.h"

#include <stdatomic.h>
#include <string.h>

_Static_assert(sizeof(struct counter *) <= PARTS_TALLY_SIZE, "it must fit in a grain");

struct histogram {
    struct counting counting;
    _Atomic(struct counter *) counters; // all that were made; none leaves the list before the end
    _Atomic int64_t *equal; // slots, for items that are known to be equal
};

// One that no other grain has; NULL: no memory.
static struct counter *
take_counter(struct histogram *h)
{
    for (struct counter *k = atomic_load(&h->counters); k; k = k->next)
        if (!atomic_flag_test_and_set(&k->busy))
            return k;
    struct counter *const k = counter_new(&h->counting);
    if (!k)
        return NULL;
    (void)atomic_flag_test_and_set(&k->busy);
    k->next = atomic_load(&h->counters);
    while (!atomic_compare_exchange_weak(&h->counters, &k->next, k))
        continue;
    return k;
}

static void
count_equal_items(void *self, void *tally, const uint8_t *item, int64_t nitems)
{
    const struct histogram *const h = self;
    (void)tally;
    atomic_fetch_add(&h->equal[counting_slot(&h->counting, item)], nitems);
}

static tess_status
histogram_count_part(void *self, void *tally, const tess_part *part, tess_error *err)
{
    struct histogram *const h = self;
    struct counter **const own = tally; // of the grain; NULL: none yet
    const int64_t size = h->counting.dtype.size;
    const uint8_t *const items = part->items;
    int64_t shape[NDIM_MAX];
    struct ndrows r;

    if (!*own)
        *own = take_counter(h);
    if (!*own)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the counts of a thread");
    for (int i = 0; i < part->ndim; i++)
        shape[i] = part->stop[i] - part->start[i];
    for (bool more = ndrows_begin(&r, part->ndim, shape, size, part->strides, part->strides); more;
         more = ndrows_next(&r)) {
        const int64_t run = r.packed ? r.row_nitems : 1;
        for (int64_t i = 0; i < r.rows; i++)
            for (int64_t k = 0; k < r.row_nitems; k += run)
                counter_add(*own, &h->counting, items + r.src + i * r.row_src + k * r.item_src,
                            run);
    }
    return TESS_OK;
}

static void
give_counter(void *self, void *tally)
{
    struct counter *const *const own = tally;
    (void)self;
    if (*own)
        atomic_flag_clear(&(*own)->busy);
}

static tess_status
count_box(struct histogram *h, const tess_array *a, const int64_t *start, const int64_t *stop,
          struct watch *watch, tess_error *err)
{
    const struct parts_user user = {
        .self = h,
        .part = histogram_count_part,
        .constant = count_equal_items,
        .drop = give_counter,
        .unaligned = true,
    };
    struct parts parts;
    parts_begin(&parts, &user, a, TESS_BLOCKS, start, stop);
    const tess_status st = parts_run(&parts, INT64_MAX, watch, err);
    parts_finish(&parts);
    return st;
}

// Add up what all threads counted.
static tess_status
deliver_counts(const struct histogram *h, int64_t *counts, tess_outside *outside, tess_error *err)
{
    const int64_t n = h->counting.bins.n;
    int64_t *const slots = mem_zeroed((size_t)n + BINS_SLOTS, sizeof *slots);
    if (!slots)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for counts");
    for (int64_t i = 0; i < n + BINS_SLOTS; i++)
        slots[i] = atomic_load(&h->equal[i]);
    for (struct counter *k = atomic_load(&h->counters); k; k = k->next)
        counter_move(k, &h->counting, slots);
    memcpy(counts, slots + 1, (size_t)n * sizeof *counts);
    *outside = (tess_outside){.below = slots[0], .above = slots[n + 1], .nan = slots[n + 2]};
    mem_free(slots);
    return TESS_OK;
}

static void
free_counters(const struct histogram *h)
{
    struct counter *next;
    for (struct counter *k = atomic_load(&h->counters); k; k = next) {
        next = k->next;
        counter_free(k);
    }
}

tess_status
array_histogram(const tess_array *a, const int64_t *start, const int64_t *stop, int64_t nitems,
                const tess_bins *bins, int64_t *counts, tess_outside *outside, struct watch *watch,
                tess_error *err)
{
    struct histogram h = {0};
    const char *const name = a->nd.dtype;
    const tess_dtype dtype = dtype_parse(name);

    if (a->nd.dtype_format != 0 || dtype.size != a->g->typesize ||
        !counting_type(&h.counting, &dtype))
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "histograms are of numbers, items are of type %.100s",
                       name ? name : "unknown");
    const bool whole = dtype.size == 8 && dtype.kind != TESS_KIND_FLOAT;
    tess_status st = bins_init(&h.counting.bins, bins, whole, dtype.kind == TESS_KIND_INT, err);
    if (st != TESS_OK)
        return st;
    counting_begin(&h.counting);
    h.equal = mem_zeroed((size_t)bins->nbins + BINS_SLOTS, sizeof *h.equal);
    if (!h.equal)
        TRY(err_set(err, TESS_ERR_NOMEM, -1, "no memory for counts"));
    if (nitems > 0)
        TRY(count_box(&h, a, start, stop, watch, err));
    st = deliver_counts(&h, counts, outside, err);
out:
    free_counters(&h);
    mem_free(h.equal);
    counting_finish(&h.counting);
    bins_finish(&h.counting.bins);
    return st;
}
