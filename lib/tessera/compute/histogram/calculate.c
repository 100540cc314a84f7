/*
 * calculate.c - bins found by calculating: those of equal width, and those between given edges, by
 * a table and a short bisection. The kernels for any machine, and which ones this machine gets.
 */
#include "compute/histogram/private.h"

#include "base/cpu.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>

#define HISTOGRAM_KERNELS histogram_kernels_c
#include "compute/histogram/loops.h"

enum {
    CELLS_PER_BIN = 16,
    CELLS_MIN = 1024, // a table of 4 KiB
    CELLS_MAX = 1 << 15,
};

const struct histogram_kernels *
histogram_kernels_for(unsigned cpu)
{
#ifdef HAVE_X86_AVX2
    if (cpu & CPU_AVX2)
        return &histogram_kernels_avx2;
#endif
    (void)cpu;
    return &histogram_kernels_c;
}

// -- bins of equal width

// Numbers next to each other at an edge: the least not less than it, and the one before.
struct border {
    double low, before; // as a kernel sees them
};

static double
value_of_key(const struct bins *b, uint64_t key)
{
    return b->is_signed ? (double)(int64_t)bins_key(b, key) : (double)key;
}

static struct border
border_of_bin(const struct bins *b, const tess_dtype *dtype, int64_t k)
{
    if (b->whole) {
        const uint64_t key = b->low_key[k];
        return (struct border){value_of_key(b, key),
                               key > 0 ? value_of_key(b, key - 1) : -(double)INFINITY};
    }
    const double x = b->low[k];
    if (dtype->kind != TESS_KIND_FLOAT)
        return (struct border){x, x - 1}; // after bins_round()
    if (dtype->size == 8)
        return (struct border){x, nextafter(x, -INFINITY)};
    const float near = (float)x, low = (double)near < x ? nextafterf(near, INFINITY) : near;
    return (struct border){(double)low, (double)nextafterf(low, -INFINITY)};
}

// Whether no number comes out below its bin; then also, what numbers of the bin before come to.
static bool
try_base(struct calculation *c, const struct bins *b, const tess_dtype *dtype)
{
    double doubt = -1;
    for (int64_t k = 0; k < b->n; k++) {
        const struct border x = border_of_bin(b, dtype, k);
        const double at = (x.low - c->base) * c->scale, before = (x.before - c->base) * c->scale;
        if (!(at >= (double)k) || !(before < (double)k + 0.25))
            return false;
        if (k > 0 && before >= (double)k) // what is before the first bin is outside
            doubt = fmax(doubt, before - (double)k);
    }
    c->doubt = doubt;
    return true;
}

// Rounding may move numbers at edges into the bin before: base is moved, by as little as helps.
static bool
find_base(struct calculation *c, const struct bins *b, const tess_dtype *dtype)
{
    for (double shift = 0; shift<0x1p-16; shift = shift> 0 ? shift * 4 : 0x1p-50) {
        c->base = b->lo - shift / b->scale;
        if (try_base(c, b, dtype))
            return true;
    }
    return false;
}

bool
equal_init(struct equal *e, const struct bins *b, const tess_dtype *dtype, bool turned)
{
    const struct histogram_kernels *const k = histogram_kernels_for(cpu_mask());
    *e = (struct equal){
        .doubles = k->calculate[CALCULATE_F8],
        .keys = k->calculate[CALCULATE_KEYS],
        .calculation = {.scale = b->scale,
                        .least = CALCULATE_LEAST,
                        .last = (double)b->n - 0x1p-20},
    };
    if (!b->equal || FLT_EVAL_METHOD != 0)
        return false;
    if (!turned && !b->whole)
        e->items = k->calculate[dtype->kind == TESS_KIND_INT    ? CALCULATE_I4
                                : dtype->kind == TESS_KIND_UINT ? CALCULATE_U4
                                : dtype->size == 4              ? CALCULATE_F4
                                                                : CALCULATE_F8];
    if (b->whole) {
        e->calculation.low_key = b->low_key[0];
        e->calculation.top_key = b->top_key;
        e->calculation.offset = calculation_offset(b->is_signed);
    } else {
        e->calculation.low = b->low[0];
        e->calculation.top = b->top;
    }
    return find_base(&e->calculation, b, dtype);
}

// -- bins between given edges

static double
edge_value(const struct bins *b, int64_t k)
{
    if (!b->whole)
        return b->low[k];
    return b->is_signed ? (double)(int64_t)bins_key(b, b->low_key[k]) : (double)b->low_key[k];
}

// The cells lie between the first and the last lower edge that are finite.
static bool
choose_bin_cells(struct calculation *c, const struct bins *b, int64_t ncells)
{
    int64_t first = 0, last = b->nlow - 1;
    while (first < last && !isfinite(edge_value(b, first)))
        first++;
    while (last > first && !isfinite(edge_value(b, last)))
        last--;
    if (first >= last)
        return false;
    c->base = edge_value(b, first);
    c->scale = (double)(ncells - 1) / (edge_value(b, last) - c->base);
    c->least = CALCULATE_LEAST;
    c->last = (double)ncells - 0.5;
    c->doubt = -1; // whatever the cell: what is compared decides
    if (b->whole) {
        c->low_key = b->low_key[0];
        c->top_key = b->top_key;
        c->offset = calculation_offset(b->is_signed);
    } else {
        c->low = b->low[0];
        c->top = b->top;
    }
    return isfinite(c->scale) && c->scale > 0;
}

static int32_t
cell_of_edge(const struct lookup *l, const struct bins *b, int64_t k)
{
    int32_t cell;
    if (b->whole)
        (void)l->keys(&l->calculation, &b->low_key[k], 1, &cell);
    else
        (void)l->doubles(&l->calculation, &b->low[k], 1, &cell);
    return cell;
}

static bool
is_repeated(const struct bins *b, int64_t k)
{
    return b->whole ? b->low_key[k] == b->low_key[k - 1] : b->low[k] == b->low[k - 1];
}

static void
fill_cells(struct lookup *l, const struct bins *b, int64_t ncells)
{
    int32_t cell = 0, most = 0;
    int64_t k = 0;
    l->single = true;
    while (cell < ncells) {
        const int64_t first = k;
        l->before[cell] = (int32_t)k - 1;
        for (; k < b->nlow && cell_of_edge(l, b, k) == cell; k++)
            l->single = l->single && (k == first || is_repeated(b, k));
        most = k - first > most ? (int32_t)(k - first) : most;
        cell++;
    }
    l->before[ncells] = (int32_t)b->nlow - 1;
    l->room = 1;
    while (l->room <= most)
        l->room *= 2;
}

bool
lookup_init(struct lookup *l, const struct bins *b)
{
    const struct histogram_kernels *const k = histogram_kernels_for(cpu_mask());
    int64_t ncells = CELLS_PER_BIN * b->n;
    ncells = ncells < CELLS_MIN ? CELLS_MIN : ncells > CELLS_MAX ? CELLS_MAX : ncells;
    *l = (struct lookup){.doubles = k->calculate[CALCULATE_F8],
                         .keys = k->calculate[CALCULATE_KEYS]};
    if (FLT_EVAL_METHOD != 0 || (b->whole && !b->any_top) ||
        !choose_bin_cells(&l->calculation, b, ncells))
        return false;
    l->before = mem_alloc((size_t)(ncells + 1) * sizeof *l->before);
    if (!l->before)
        return false;
    fill_cells(l, b, ncells);
    return true;
}

void
lookup_finish(struct lookup *l)
{
    mem_free(l->before);
    l->before = NULL;
}

// In the half of the edges that are left: without a jump.
#define STEP(n) at += (n) & -(int32_t)(edges[at + (n)] <= x[i])

#define EACH_ITEM(steps)              \
    for (int64_t i = 0; i < n; i++) { \
        int32_t at = before[bin[i]];  \
        steps;                        \
        bin[i] = at;                  \
    }

// As many steps for all items, so that jumps do not depend on them. Only the greatest number of all
// is not less than what the list is padded with, and may come out behind the last bin.
#define LOOKUP(name, type, kernel, low, top)                                         \
    int name(const struct lookup *l, const struct bins *b, const type *x, int64_t n, \
             int32_t *restrict bin)                                                  \
    {                                                                                \
        const int look = l->kernel(&l->calculation, x, n, bin);                      \
        const int32_t *const before = l->before, half = l->room / 2;                 \
        const int32_t last = (int32_t)b->nlow - 1;                                   \
        const type *const edges = b->low;                                            \
        if (l->single)                                                               \
            for (int64_t i = 0; i < n; i++)                                          \
                bin[i] = before[bin[i] + (edges[before[bin[i]] + 1] <= x[i])];       \
        else if (half == 1)                                                          \
            EACH_ITEM(STEP(1))                                                       \
        else if (half == 2)                                                          \
            EACH_ITEM(STEP(2); STEP(1))                                              \
        else if (half == 4)                                                          \
            EACH_ITEM(STEP(4); STEP(2); STEP(1))                                     \
        else                                                                         \
            EACH_ITEM(for (int32_t k = half; k > 0; k /= 2) STEP(k))                 \
        for (int64_t i = 0; i < n && edges[b->nlow] <= b->top; i++)                  \
            bin[i] = bin[i] < last ? bin[i] : last;                                  \
        return look;                                                                 \
    }
LOOKUP(lookup_bins, double, doubles, low, top)
LOOKUP(lookup_bins_of_keys, uint64_t, keys, low_key, top_key)
