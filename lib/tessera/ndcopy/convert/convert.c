/*
 * convert.c - boxes of items of one type to boxes of another: which steps, and pieces through them.
 *
 * Rows whose items follow each other on both sides go through the steps where they are; the first
 * step reads the one, the last writes the other. Short rows, and rows with gaps, are collected in a
 * piece of memory and put back from one: a step that is called for every row of a few items would
 * cost more than the items.
 */
#include "ndcopy/convert/convert.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/rows_ahead.h"
#include "ndcopy/convert/kernels.h"
#include "ndcopy/convert/times.h"
#include "ndcopy/ndcopy.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ITEM_SIZE_MOST = 16,
    SHORT_ROW = 32, // items
};

// Of each kind of item: its size, that of the words that turn, the numbers it consists of, and what
// takes it to and from these.
static const struct item_kind {
    int8_t size, word, parts;
    int8_t number; // what calculations take it for
    int8_t half; // of a float of 2 bytes: 1 and 2, of kernels; else 0
    step_fn *narrow; // from doubles
    step_fn *real, *truth, *join;
    step_fn *blank, *unblank, *put; // of the number; the last: of the item
} kinds[ITEM_COUNT] = {
    [NUMBER_B1] = {1, 1, 1, NUMBER_B1, .put = step_put_1},
    [NUMBER_I1] = {1, 1, 1, NUMBER_I1, .put = step_put_1},
    [NUMBER_I2] = {2, 2, 1, NUMBER_I2, .put = step_put_2},
    [NUMBER_I4] = {4, 4, 1, NUMBER_I4, .put = step_put_4},
    [NUMBER_I8] = {8, 8, 1, NUMBER_I8, .put = step_put_8},
    [NUMBER_U1] = {1, 1, 1, NUMBER_U1, .put = step_put_1},
    [NUMBER_U2] = {2, 2, 1, NUMBER_U2, .put = step_put_2},
    [NUMBER_U4] = {4, 4, 1, NUMBER_U4, .put = step_put_4},
    [NUMBER_U8] = {8, 8, 1, NUMBER_U8, .put = step_put_8},
    [NUMBER_F4] = {4, 4, 1, NUMBER_F4, .blank = step_blank_f4, .unblank = step_unblank_f4,
                   .put = step_put_4},
    [NUMBER_F8] = {8, 8, 1, NUMBER_F8, .blank = step_blank_f8, .unblank = step_unblank_f8,
                   .put = step_put_8},
    [ITEM_F2] = {2, 2, 1, NUMBER_F4, 1, step_narrow_f2, .put = step_put_2},
    [ITEM_BF16] = {2, 2, 1, NUMBER_F4, 2, step_narrow_bf16, .put = step_put_2},
    [ITEM_C8] = {8, 4, 2, NUMBER_F4, .real = step_real_f4, .truth = step_truth_f4,
                 .join = step_join_f4},
    [ITEM_C16] = {16, 8, 2, NUMBER_F8, .real = step_real_f8, .truth = step_truth_f8,
                  .join = step_join_f8},
    [ITEM_TIME] = {8, 8, 1, NUMBER_I8},
};

int64_t
convert_item_size(const struct item_type *type)
{
    return kinds[type->id].size;
}

static bool
is_float_type(int number)
{
    return number == NUMBER_F4 || number == NUMBER_F8;
}

// -- which steps

static struct step *
add_conversion_step(struct converter *c, step_fn *run, enum step_place place,
                    const tess_conversion *how)
{
    assert(c->count < STEPS_MOST);
    struct step *const s = &c->steps[c->count];
    *s = (struct step){.run = run,
                       .place = place,
                       .misfit = (enum misfit)how->misfit,
                       .parts = 1,
                       .scale = how->scale,
                       .offset = how->offset,
                       .missing = &c->missing,
                       .ratio = &c->ratio};
    if (place == STEP_MOVE)
        c->last = c->count;
    c->count++;
    return s;
}

static void
add_loop(struct converter *c, convert_fn *loop, const tess_conversion *how)
{
    add_conversion_step(c, step_kernel, STEP_MOVE, how)->kernel = loop;
}

static void
add_kernel(struct converter *c, int from, int to, const tess_conversion *how)
{
    add_loop(c, convert_kernels()->pairs[from][to], how);
}

static void
add_turn(struct converter *c, const struct item_kind *kind, const tess_conversion *how)
{
    const struct convert_kernels *const k = convert_kernels();
    struct step *const s = add_conversion_step(c, step_turned, STEP_MOVE, how);
    s->turn = kind->word == 2 ? k->turn2 : kind->word == 4 ? k->turn4 : k->turn8;
    s->parts = (size_t)kind->parts;
}

// From a number to doubles that shorter floats are rounded from.
static void
add_doubles(struct converter *c, int from, const tess_conversion *how)
{
    if (from == NUMBER_I8 || from == NUMBER_U8)
        add_conversion_step(c, from == NUMBER_I8 ? step_odd_i8 : step_odd_u8, STEP_MOVE, how);
    else
        add_kernel(c, from, NUMBER_F8, how);
}

// From a number to the one that the target is made of.
static void
add_numbers(struct converter *c, int from, const struct item_type *to, const tess_conversion *how)
{
    const struct item_kind *const kind = &kinds[to->id];
    if (!kind->narrow) {
        if (from != kind->number || from == NUMBER_B1) // any byte but 0 becomes 1
            add_kernel(c, from, kind->number, how);
        return;
    }
    if (from == NUMBER_F4) {
        add_loop(c, convert_kernels()->narrow[kind->half - 1], how);
        return;
    }
    if (from != NUMBER_F8)
        add_doubles(c, from, how);
    add_conversion_step(c, kind->narrow, STEP_MOVE, how);
}

static void
add_complex(struct converter *c, const struct item_kind *from, const struct item_kind *to,
            const tess_conversion *how)
{
    add_kernel(c, from->number, to->number, how);
    c->steps[c->count - 1].parts = 2;
}

// Missing values are found in what is stored; NaN is put where floats are first.
static int
add_missing_steps(struct converter *c, int number, const struct item_kind *to,
                  const tess_conversion *how)
{
    const int as = is_float_type(number) ? number : NUMBER_F8;
    add_conversion_step(c, step_mark, STEP_LOOK, how)->mark = convert_kernels()->mark[number];
    if (as != number && to->number != NUMBER_F8)
        add_doubles(c, number, how);
    else
        add_kernel(c, number, as, how);
    add_conversion_step(c, kinds[as].blank, STEP_CHANGE, how);
    return as;
}

static int
add_scaling(struct converter *c, int number, const struct item_kind *to, bool writing,
            const tess_conversion *how)
{
    const bool whole = !is_float_type(to->number) && to->number != NUMBER_B1;
    if (writing) {
        if (number != NUMBER_F8)
            add_kernel(c, number, NUMBER_F8, how);
        add_conversion_step(c, step_unscaled, STEP_MOVE, how)->unscale =
            convert_kernels()->unscale[whole];
    } else {
        const bool single = to->number == NUMBER_F4 && !to->narrow;
        add_conversion_step(c, step_scaled, STEP_MOVE, how)->scaled =
            convert_kernels()->scaled[number][single ? 0 : 1];
        if (single)
            return NUMBER_F4;
    }
    if (whole && !writing)
        add_conversion_step(c, step_rounded, STEP_MOVE, how);
    return NUMBER_F8;
}

// Real numbers, from how they are stored or in memory to a number in the machine's order.
static void
add_real(struct converter *c, int number, const struct item_type *to, const tess_conversion *how,
         bool writing)
{
    const struct item_kind *const kind = &kinds[to->id];
    const bool scaled = how->scale != 1 || how->offset != 0;
    const bool bounds = how->least.kind != 0 || how->most.kind != 0;
    const bool blanks = !writing && is_float_type(kind->number) && (how->nmissing > 0 || bounds);
    const bool fills = writing && is_float_type(number) && how->nmissing > 0;

    if (fills) {
        add_conversion_step(c, kinds[number].unblank, STEP_MOVE, how);
    } else if (blanks && !scaled) {
        number = add_missing_steps(c, number, kind, how);
    } else if (blanks) { // scaling makes floats
        add_conversion_step(c, step_mark, STEP_LOOK, how)->mark = convert_kernels()->mark[number];
        if (is_float_type(number)) {
            add_kernel(c, number, number, how);
            add_conversion_step(c, kinds[number].blank, STEP_CHANGE, how);
        }
    }
    const bool late = blanks && scaled && !is_float_type(number);
    if (scaled)
        number = add_scaling(c, number, kind, writing, how);
    if (scaled && fills)
        add_conversion_step(c, step_zero_f8, STEP_CHANGE, how);
    if (late)
        add_conversion_step(c, kinds[number].blank, STEP_CHANGE, how);
    add_numbers(c, number, to, how);
    if (fills)
        add_conversion_step(c, kind->put, STEP_CHANGE, how);
}

// -- missing values as items of the stored type

// The number as the type has it; false if it does not.
static bool
number_as(const tess_number *x, int number, enum misfit misfit, uint8_t *item)
{
    const struct convert_kernels *const k = convert_kernels();
    const int from = x->kind == TESS_KIND_INT    ? NUMBER_I8
                     : x->kind == TESS_KIND_UINT ? NUMBER_U8
                                                 : NUMBER_F8;
    uint8_t bytes[8], back[8];
    if (from == NUMBER_I8)
        memcpy(bytes, &x->i, sizeof bytes);
    else if (from == NUMBER_U8)
        memcpy(bytes, &x->u, sizeof bytes);
    else
        memcpy(bytes, &x->f, sizeof bytes);
    if (k->pairs[from][number](item, bytes, 1, misfit) < 1)
        return false;
    if (is_float_type(number))
        return true;
    k->pairs[number][from](back, item, 1, MISFIT_WRAP);
    double whole;
    memcpy(&whole, back, sizeof whole);
    return from == NUMBER_F8 ? whole == x->f : memcmp(back, bytes, sizeof back) == 0;
}

// As what items of a type are compared: truth values as the bytes 0 and 1.
static int
compared_as(const struct item_type *type)
{
    const int number = kinds[type->id].number;
    return number == NUMBER_B1 ? NUMBER_U1 : number;
}

// Of a float of 2 bytes, the float that it becomes; `stored` is what writing puts.
static bool
missing_as(const tess_number *x, const struct item_type *type, bool stored, uint8_t *item)
{
    const struct item_kind *const kind = &kinds[type->id];
    uint8_t wide[8], half[8];
    const int number = stored ? kind->number : compared_as(type);
    if (!kind->narrow)
        return number_as(x, number, is_float_type(number) ? MISFIT_WRAP : MISFIT_STOP, item);
    const struct step s = {.misfit = MISFIT_WRAP};
    if (!number_as(x, NUMBER_F8, MISFIT_WRAP, wide))
        return false;
    kind->narrow(&s, NULL, half, wide, 1);
    if (stored)
        memcpy(item, half, 2);
    else
        convert_kernels()->widen[kind->half - 1](item, half, 1, MISFIT_WRAP);
    return true;
}

// A bound of a type: a bound that is no number of it is rounded into the range, and away from where
// it leaves none.
static void
bound_as(const tess_number *x, const struct item_type *type, bool least, uint8_t *item)
{
    tess_number whole = *x;
    const int number = compared_as(type);
    if (missing_as(x, type, false, item))
        return;
    if (x->kind == TESS_KIND_FLOAT)
        whole.f = least ? ceil(x->f) : floor(x->f);
    (void)number_as(&whole, number, MISFIT_SATURATE, item);
}

static bool
bound_leaves_nothing(const tess_number *x, const struct item_type *type, bool least)
{
    const int number = compared_as(type);
    uint8_t item[8];
    tess_number whole = *x;
    if (is_float_type(number))
        return false;
    if (x->kind == TESS_KIND_FLOAT)
        whole.f = least ? ceil(x->f) : floor(x->f);
    const bool fits = number_as(&whole, number, MISFIT_STOP, item);
    const bool negative = x->kind == TESS_KIND_INT     ? x->i < 0
                          : x->kind == TESS_KIND_FLOAT ? x->f < 0
                                                       : false;
    return !fits && negative != least;
}

static void
missing_init(struct convert_missing *m, const struct item_type *type, const tess_conversion *how)
{
    const tess_number lowest = {.kind = TESS_KIND_FLOAT, .f = -INFINITY};
    const tess_number highest = {.kind = TESS_KIND_FLOAT, .f = INFINITY};
    const tess_number *const least = how->least.kind != 0 ? &how->least : &lowest;
    const tess_number *const most = how->most.kind != 0 ? &how->most : &highest;
    *m = (struct convert_missing){.bounded = how->least.kind != 0 || how->most.kind != 0};
    for (int i = 0; i < how->nmissing; i++)
        m->count += missing_as(&how->missing[i], type, false, m->values[m->count]);
    bound_as(least, type, true, m->least);
    bound_as(most, type, false, m->most);
    if (bound_leaves_nothing(least, type, true) || bound_leaves_nothing(most, type, false)) {
        bound_as(&highest, type, true, m->least);
        bound_as(&lowest, type, false, m->most);
    }
}

// -- the converter

// Nothing is calculated, and nothing missing.
static bool
is_plain(const tess_conversion *how)
{
    return how->scale == 1 && how->offset == 0 && how->nmissing == 0 && how->least.kind == 0 &&
           how->most.kind == 0;
}

static tess_status
check_types(const struct item_type *from, const struct item_type *to, const tess_conversion *how,
            tess_error *err)
{
    const bool times = from->id == ITEM_TIME || to->id == ITEM_TIME;
    const bool numbers = kinds[from->id].parts == 1 && kinds[to->id].parts == 1 && !times;
    if (times && from->id != to->id)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1, "times do not convert to other types");
    if (!numbers && !is_plain(how))
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "complex numbers and times are not scaled, and none are missing");
    return TESS_OK;
}

static tess_status
init_times(struct converter *c, const struct item_type *from, const struct item_type *to,
           const tess_conversion *how, tess_error *err)
{
    if (!time_ratio_init(&c->ratio, &from->unit, &to->unit))
        return err_set(err, TESS_ERR_UNSUPPORTED, -1, "these units of time do not convert");
    if (!time_ratio_is_one(&c->ratio))
        add_conversion_step(c, step_times, STEP_MOVE, how);
    return TESS_OK;
}

static tess_status
init_steps(struct converter *c, const struct item_type *from, const struct item_type *to,
           const tess_conversion *how, bool writing, tess_error *err)
{
    const struct item_kind *const f = &kinds[from->id], *const t = &kinds[to->id];
    if (from->id == ITEM_TIME)
        return init_times(c, from, to, how, err);
    if (f->parts == 2 && t->parts == 2) {
        add_complex(c, f, t, how);
        return TESS_OK;
    }
    if (f->parts == 2 && to->id == NUMBER_B1) {
        add_conversion_step(c, f->truth, STEP_MOVE, how);
        return TESS_OK;
    }
    if (f->parts == 2)
        add_conversion_step(c, f->real, STEP_MOVE, how);
    else if (f->half)
        add_loop(c, convert_kernels()->widen[f->half - 1], how);
    add_real(c, f->number, to, how, writing);
    if (t->parts == 2)
        add_conversion_step(c, t->join, STEP_MOVE, how);
    return TESS_OK;
}

// Whether all items fit without a question.
static bool
is_certain(const struct converter *c, const struct item_type *from, const struct item_type *to,
           const tess_conversion *how)
{
    const struct item_kind *const f = &kinds[from->id], *const t = &kinds[to->id];
    if (how->misfit != TESS_MISFIT_ERROR || c->count == 0 || to->id == NUMBER_B1)
        return true;
    if (from->id == ITEM_TIME)
        return int128_is_equal(c->ratio.multiply, int128_of(1)) && c->ratio.months_from == 0;
    if (how->scale != 1 || how->offset != 0)
        return t->number == NUMBER_F8;
    if (f->parts > t->parts)
        return false;
    if (is_float_type(t->number) && !t->narrow)
        return !is_float_type(f->number) || f->number <= t->number;
    if (is_float_type(f->number))
        return false;
    if (t->narrow)
        return to->id == ITEM_BF16 || f->size == 1;
    const bool to_signed = to->id >= NUMBER_I1 && to->id <= NUMBER_I8;
    const bool from_signed = from->id >= NUMBER_I1 && from->id <= NUMBER_I8;
    if (from->id == NUMBER_B1)
        return true;
    return from_signed == to_signed ? f->size <= t->size : to_signed && f->size < t->size;
}

tess_status
converter_init(struct converter *c, const struct item_type *from, const struct item_type *to,
               const tess_conversion *how, bool writing, tess_error *err)
{
    const struct item_kind *const f = &kinds[from->id], *const t = &kinds[to->id];
    const struct item_type *const stored = writing ? to : from;
    tess_status st = check_types(from, to, how, err);
    if (st != TESS_OK)
        return st;
    *c = (struct converter){.from_size = f->size, .to_size = t->size, .last = -1};
    if (kinds[stored->id].parts == 1 && stored->id != ITEM_TIME)
        missing_init(&c->missing, stored, how);
    if (writing && how->nmissing > 0 &&
        !missing_as(&how->missing[0], stored, true, c->missing.values[0]))
        return err_set(err, TESS_ERR_ARG, -1, "the array cannot store the missing value");
    const bool copied = from->id == to->id && from->id != ITEM_TIME && from->id != NUMBER_B1 &&
                        is_plain(how); // a NaN keeps its bits
    if (from->turned && !(copied && to->turned))
        add_turn(c, f, how);
    if (!copied)
        st = init_steps(c, from, to, how, writing, err);
    if (to->turned && !(copied && from->turned))
        add_turn(c, t, how);
    c->certain = is_certain(c, from, to, how);
    return st;
}

// -- pieces

union piece_bytes {
    uint8_t bytes[STEP_ITEMS * ITEM_SIZE_MOST];
    _Alignas(64) char line;
};

// The memory of a box that is converted.
struct convert_room {
    struct step_mask mask;
    union piece_bytes steps[2]; // what the steps leave to each other, in turn
    union piece_bytes from, to; // rows that are collected, and results that go to rows
};

// n items that follow each other, n <= STEP_ITEMS. Returns how many were done.
static size_t
convert_piece(const struct converter *c, struct convert_room *room, uint8_t *dst,
              const uint8_t *src, size_t n)
{
    const uint8_t *now = src;
    uint8_t *own = NULL; // now, if it may be changed
    int moves = 0;
    for (int i = 0; i < c->count; i++) {
        const struct step *const s = &c->steps[i];
        if (s->place == STEP_MOVE)
            own = i == c->last ? dst : room->steps[moves++ % 2].bytes;
        n = s->run(s, &room->mask, own, now, n);
        if (s->place == STEP_MOVE)
            now = own;
    }
    return n;
}

// A row without gaps.
static int64_t
convert_row(const struct converter *c, struct convert_room *room, uint8_t *dst, const uint8_t *src,
            int64_t n)
{
    int64_t done = 0;
    while (done < n) {
        const size_t most = (size_t)min_i64(n - done, STEP_ITEMS);
        const size_t now =
            convert_piece(c, room, dst + done * c->to_size, src + done * c->from_size, most);
        done += (int64_t)now;
        if (now < most)
            break;
    }
    return done;
}

// Whether rows and their items follow each other.
static bool
is_close(int64_t rows, const int64_t *stride, const int64_t *close)
{
    return stride[1] == close[1] && (rows == 1 || stride[0] == close[0]);
}

// `rows` rows of `n` items, with gaps or short: at most STEP_ITEMS in all.
static int64_t
convert_collected(const struct converter *c, struct convert_room *room, const struct ndrows *r,
                  uint8_t *dst, const uint8_t *src, int64_t rows, int64_t n)
{
    const int64_t extent[2] = {rows, n};
    const int64_t from_stride[2] = {r->row_src, r->item_src};
    const int64_t to_stride[2] = {r->row_dst, r->item_dst};
    const int64_t from_close[2] = {n * c->from_size, c->from_size};
    const int64_t to_close[2] = {n * c->to_size, c->to_size};
    const bool from_apart = !is_close(rows, from_stride, from_close);
    const bool to_apart = !is_close(rows, to_stride, to_close);
    uint8_t *const to = to_apart ? room->to.bytes : dst;
    if (from_apart)
        ndcopy(2, extent, c->from_size, room->from.bytes, from_close, src, from_stride);
    const int64_t done = (int64_t)convert_piece(c, room, to, from_apart ? room->from.bytes : src,
                                                (size_t)(rows * n));
    if (to_apart)
        ndcopy(2, extent, c->to_size, dst, to_stride, to, to_close);
    return done;
}

// next: where the first row of the tile after this one goes, or NULL.
static int64_t
convert_tile(const struct converter *c, struct convert_room *room, const struct ndrows *r,
             uint8_t *dst, const uint8_t *src, const uint8_t *next)
{
    const bool close = r->item_dst == c->to_size && r->item_src == c->from_size;
    const bool direct = close && (r->row_nitems >= SHORT_ROW || r->rows == 1);
    const int64_t together = direct ? 1 : max_i64(STEP_ITEMS / r->row_nitems, 1);
    struct rows_ahead early = rows_ahead_begin(
        dst, (size_t)r->rows, (size_t)(r->row_nitems * c->to_size), (ptrdiff_t)r->row_dst, next);
    int64_t done = 0;
    for (int64_t i = 0; i < r->rows; i += together) {
        const int64_t rows = min_i64(together, r->rows - i);
        uint8_t *const to = dst + i * r->row_dst;
        const uint8_t *const from = src + i * r->row_src;
        if (direct) {
            rows_ahead_at(&early, (size_t)i);
            done += convert_row(c, room, to, from, r->row_nitems);
        } else {
            for (int64_t k = 0, n; k < r->row_nitems; k += n) {
                n = min_i64(STEP_ITEMS, r->row_nitems - k);
                const int64_t now = convert_collected(c, room, r, to + k * r->item_dst,
                                                      from + k * r->item_src, rows, n);
                done += now;
                if (now < rows * n)
                    return done;
            }
        }
        if (done < (i + rows) * r->row_nitems)
            break;
    }
    return done;
}

int64_t
convert_box(const struct converter *c, int ndim, const int64_t *extent, uint8_t *restrict dst,
            const int64_t *dst_stride, const uint8_t *restrict src, const int64_t *src_stride)
{
    struct convert_room room; // needs no zeros
    struct ndrows r;
    int64_t done = 0;
    bool more = true;
    assert(c->count > 0);
    if (!ndrows_begin(&r, ndim, extent, 0, dst_stride, src_stride))
        return 0;
    if (r.row_nitems == 1) { // its distance means nothing
        r.item_dst = c->to_size;
        r.item_src = c->from_size;
    }
    while (more) {
        uint8_t *const to = dst + r.dst;
        const uint8_t *const from = src + r.src;
        more = ndrows_next(&r);
        const int64_t now = convert_tile(c, &room, &r, to, from, more ? dst + r.dst : NULL);
        done += now;
        if (now < r.rows * r.row_nitems)
            break;
    }
    return done;
}

int64_t
convert_try(const struct converter *c, int ndim, const int64_t *extent, const uint8_t *src,
            const int64_t *src_stride)
{
    struct convert_room room; // needs no zeros
    struct ndrows r;
    int64_t done = 0;
    if (!ndrows_begin(&r, ndim, extent, 0, src_stride, src_stride))
        return 0;
    do {
        for (int64_t i = 0; i < r.rows; i++)
            for (int64_t k = 0, n; k < r.row_nitems; k += n) {
                n = min_i64(STEP_ITEMS, r.row_nitems - k);
                const uint8_t *const from = src + r.src + i * r.row_src + k * r.item_src;
                ndcopy(1, &n, c->from_size, room.from.bytes, &c->from_size, from, &r.item_src);
                const size_t now =
                    convert_piece(c, &room, room.to.bytes, room.from.bytes, (size_t)n);
                done += (int64_t)now;
                if ((int64_t)now < n)
                    return done;
            }
    } while (ndrows_next(&r));
    return done;
}
