/*
 * convert.c - items in memory of another type, against arrays of one axis that convert the same
 * items one after the other. What an item becomes, test/numpy/conversions.py says.
 *
 * Random arrays and views: case i is drawn from the seed plus i alone, so TESS_TEST_SEED with the
 * number that a failure prints and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more.
 */
#include "support/draw.h"
#include "support/exact.h"
#include "support/files.h"
#include "support/native.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES_SHORT = 600, CASES_LONG = 20000, ITEMS_MAX = 3000, ITEM_MAX = 16, GAP = 0x5a };

static uint64_t running; // the seed of the case

static const struct draw_type memory_types[] = {
    {"<f8", 8, 8, true},  {">f4", 4, 4, true},      {"|u1", 1, 1, false},    {">i2", 2, 2, true},
    {"<i8", 8, 8, true},  {"bfloat16", 2, 2, true}, {"<f2", 2, 2, true},     {">c16", 16, 8, true},
    {"|b1", 1, 1, false}, {"<M8[D]", 8, 8, true},   {">M8[ns]", 8, 8, true},
};
enum { MEMORY_TYPES = sizeof memory_types / sizeof *memory_types };

// -- the same items, one after the other

// What becomes of them; `into` is what a failed read or write leaves as it was.
static tess_status
convert_list(bool writing, const char *stored, const char *memory, size_t memory_size,
             const tess_conversion *how, int64_t n, const uint8_t *src, uint8_t *dst)
{
    const int64_t start = 0;
    tess_storage nowhere;
    tess_params p;
    tess_array *a;
    tess_error error;
    tess_status st;

    tess_storage_init(&nowhere);
    tess_params_init(&p);
    p.ndim = 1;
    p.shape[0] = n;
    p.dtype = stored;
    const size_t stored_size = (size_t)tess_dtype_parse(stored).size;
    if (!writing) {
        ok(tess_array_from(&nowhere, &p, src, (size_t)n * stored_size, &a, err));
        st = tess_array_read_as(a, &start, &n, memory, how, dst, (size_t)n * memory_size, NULL,
                                &error);
    } else {
        ok(tess_array_zeros(&nowhere, &p, &a, err));
        st = tess_array_write_as(a, &start, &n, memory, how, src, (size_t)n * memory_size, NULL,
                                 &error);
        ok(tess_array_read(a, &start, &n, dst, (size_t)n * stored_size, err));
    }
    ok(tess_array_close(a, err));
    return st;
}

// -- boxes and memory

struct box {
    int ndim;
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], count[TESS_MAX_NDIM];
    int64_t nitems;
};

static void
draw_part(struct random *r, const struct reference *ref, struct box *b)
{
    b->ndim = ref->ndim;
    b->nitems = 1;
    for (int i = 0; i < ref->ndim; i++) {
        const int64_t n = ref->shape[i];
        b->start[i] = one_in(r, 3) ? 0 : below(r, n + 1);
        b->stop[i] = one_in(r, 3) ? n : b->start[i] + below(r, n - b->start[i] + 1);
        b->count[i] = b->stop[i] - b->start[i];
        b->nitems *= b->count[i];
    }
}

struct memory {
    uint8_t *bytes;
    size_t size, offset; // of all; of the first item
    int64_t stride[TESS_MAX_NDIM];
    const int64_t *given; // NULL: C order
};

// Axes inside each other in any order, in any direction, with gaps or without.
static void
draw_strides(struct random *r, const struct box *b, size_t itemsize, struct memory *m)
{
    int64_t extent = (int64_t)itemsize, before = 0;
    int order[TESS_MAX_NDIM];
    const bool plain = one_in(r, 3);
    for (int i = 0; i < b->ndim; i++) {
        const int k = plain ? i : (int)below(r, i + 1);
        order[i] = order[k];
        order[k] = plain ? b->ndim - 1 - i : i;
    }
    for (int i = 0; i < b->ndim; i++) {
        const int axis = order[i];
        const int64_t stride = extent + (plain || one_in(r, 2) ? 0 : below(r, 20));
        const int64_t last = b->count[axis] > 0 ? (b->count[axis] - 1) * stride : 0;
        const bool down = !plain && one_in(r, 2);
        m->stride[axis] = down ? -stride : stride;
        before += down ? last : 0;
        extent = plain ? stride * b->count[axis] : extent + last;
    }
    m->given = plain ? NULL : m->stride;
    m->offset = (size_t)before;
    m->size = b->nitems > 0 ? (size_t)extent : 0;
    m->bytes = exact_memory(m->size);
    memset(m->bytes, GAP, m->size);
}

// Between memory with strides and a list in C order.
static void
move_items(const struct box *b, const struct memory *m, size_t itemsize, uint8_t *list, bool out)
{
    int64_t at[TESS_MAX_NDIM] = {0};
    for (int64_t n = 0; n < b->nitems; n++) {
        int64_t place = (int64_t)m->offset;
        for (int i = 0; i < b->ndim; i++)
            place += at[i] * m->stride[i];
        if (out)
            memcpy(m->bytes + place, list + (size_t)n * itemsize, itemsize);
        else
            memcpy(list + (size_t)n * itemsize, m->bytes + place, itemsize);
        for (int i = b->ndim - 1; i >= 0 && ++at[i] == b->count[i]; i--)
            at[i] = 0;
    }
}

// -- one call, and the same by hand

// The item of a list that a message is about: "item [2, 0] does not fit in <f4".
static int64_t
item_of(const struct box *b, const char *message)
{
    const char *at = strstr(message, "item [");
    int64_t n = 0;
    assert_non_null(at);
    at += strlen("item [");
    for (int i = 0; i < b->ndim; i++) {
        char *end;
        const int64_t index = strtoll(at, &end, 10);
        assert_in_range(index, b->start[i], b->stop[i] - 1);
        n = n * b->count[i] + index - b->start[i];
        at = end + (i + 1 < b->ndim ? 2 : 0);
    }
    assert_memory_equal(at, "] does not fit in ", 18);
    return n;
}

static void
expect_misfit(bool writing, const struct box *b, const char *stored, const char *memory,
              size_t memory_size, const tess_conversion *how, const uint8_t *list,
              const tess_error *error)
{
    uint8_t unused[ITEM_MAX];
    const size_t size = writing ? memory_size : (size_t)tess_dtype_parse(stored).size;
    const int64_t n = item_of(b, error->message);
    assert_int_equal(
        convert_list(writing, stored, memory, memory_size, how, 1, list + (size_t)n * size, unused),
        TESS_ERR_LIMIT);
    for (int64_t i = 0; writing && i < n; i++)
        assert_int_equal(convert_list(writing, stored, memory, memory_size, how, 1,
                                      list + (size_t)i * size, unused),
                         TESS_OK);
}

static void
read_one(struct random *r, const struct drawn *d, const char *stored, const struct draw_type *type,
         const tess_conversion *how)
{
    struct box b;
    struct memory m;
    tess_error error;

    draw_part(r, &d->ref, &b);
    draw_strides(r, &b, type->size, &m);
    uint8_t *const list = exact_memory((size_t)b.nitems * d->ref.typesize);
    uint8_t *const want = exact_memory((size_t)b.nitems * type->size);
    reference_get(&d->ref, b.start, b.stop, list);
    const tess_status wanted =
        convert_list(false, stored, type->dtype, type->size, how, b.nitems, list, want);
    const tess_status st =
        tess_array_read_as(d->a, b.start, b.stop, type->dtype, how, m.bytes + m.offset,
                           m.size - m.offset, m.given, &error);
    assert_int_equal(st, wanted);
    if (st == TESS_OK) {
        struct memory expected = m;
        expected.bytes = exact_memory(m.size);
        memset(expected.bytes, GAP, m.size);
        move_items(&b, &expected, type->size, want, true);
        assert_memory_equal(m.bytes, expected.bytes, m.size);
        free(expected.bytes);
    } else if (st == TESS_ERR_LIMIT) {
        expect_misfit(false, &b, stored, type->dtype, type->size, how, list, &error);
    }
    free(want);
    free(list);
    free(m.bytes);
}

// Items that fit often: numbers as they are stored, as other types would have them.
static void
draw_items_of(struct random *r, const struct draw_type *type, uint8_t *list, int64_t n)
{
    uint8_t *const small = exact_memory((size_t)n);
    const bool time = strstr(type->dtype, "M8") != NULL;
    draw_items(r, small, n, 1);
    if (one_in(r, 3) || time) {
        draw_items(r, list, n, type->size);
    } else {
        assert_int_equal(convert_list(false, "|u1", type->dtype, type->size, NULL, n, small, list),
                         TESS_OK);
    }
    free(small);
}

static void
write_one(struct random *r, struct drawn *d, const char *stored, const struct draw_type *type,
          const tess_conversion *how)
{
    struct box b;
    struct memory m;
    tess_error error;

    draw_part(r, &d->ref, &b);
    draw_strides(r, &b, type->size, &m);
    uint8_t *const list = exact_memory((size_t)b.nitems * type->size);
    uint8_t *const want = exact_memory((size_t)b.nitems * d->ref.typesize);
    draw_items_of(r, type, list, b.nitems);
    move_items(&b, &m, type->size, list, true);
    if (b.nitems > 0 && one_in(r, 4)) { // the same item everywhere
        memset(m.stride, 0, sizeof m.stride);
        m.given = m.stride;
        move_items(&b, &m, type->size, list, false);
    }
    const tess_status wanted =
        convert_list(true, stored, type->dtype, type->size, how, b.nitems, list, want);
    const tess_status st =
        tess_array_write_as(d->a, b.start, b.stop, type->dtype, how, m.bytes + m.offset,
                            m.size - m.offset, m.given, &error);
    assert_int_equal(st, wanted);
    if (st == TESS_OK)
        reference_set(&d->ref, b.start, b.stop, want);
    else if (st == TESS_ERR_LIMIT)
        expect_misfit(true, &b, stored, type->dtype, type->size, how, list, &error);
    check_array(d->a, &d->ref);
    free(want);
    free(list);
    free(m.bytes);
}

static void
draw_conversion(struct random *r, const char *stored, tess_conversion *how)
{
    const bool number = strchr("iuf", stored[1]) != NULL;
    tess_conversion_init(how);
    how->misfit = (int)below(r, 3);
    if (!number || one_in(r, 2))
        return;
    if (one_in(r, 2))
        how->scale = 0.5;
    if (one_in(r, 2))
        how->missing[how->nmissing++] = (tess_number){.kind = TESS_KIND_INT, .i = 7};
}

static void
live(struct random *r)
{
    const struct draw_type *const type = &draw_types[below(r, DRAW_TYPES)];
    const int ndim = (int)below(r, 5);
    const bool writable = one_in(r, 2);
    int64_t shape[TESS_MAX_NDIM];
    struct drawn d;
    tess_info info;

    draw_empty_shape(r, ndim, ITEMS_MAX, shape);
    draw_array(r, "convert", type, ndim, shape, writable, &d);
    tess_array_info(d.a, &info);
    for (int64_t n = 3 + below(r, 5); n > 0; n--) {
        const struct draw_type *const memory = &memory_types[below(r, MEMORY_TYPES)];
        tess_conversion how;
        char stored[32];
        snprintf(stored, sizeof stored, "%s", info.dtype ? info.dtype : "");
        draw_conversion(r, stored, &how);
        if (strchr("iufcM", stored[0] ? stored[1] : '?') == NULL || stored[0] == '\0') {
            const int64_t none[TESS_MAX_NDIM] = {0};
            tess_error error;
            assert_int_equal(
                tess_array_read_as(d.a, none, none, memory->dtype, &how, NULL, 0, NULL, &error),
                TESS_ERR_UNSUPPORTED);
        } else if (d.writable && one_in(r, 2)) {
            write_one(r, &d, stored, memory, &how);
        } else {
            read_one(r, &d, stored, memory, &how);
        }
    }
    draw_finish(&d);
}

static void
random_cases_agree(void **state)
{
    const uint64_t seed = random_seed();
    const int64_t cases = random_cases(CASES_SHORT, CASES_LONG);
    (void)state;
    for (int64_t i = 0; i < cases; i++) {
        struct random r;
        running = seed + (uint64_t)i;
        random_init(&r, running);
        live(&r);
    }
}

static int
end_random(void **state)
{
    fprintf(stderr, "the last case: TESS_TEST_SEED=%" PRIu64 " TESS_TEST_CASES=1\n", running);
    return files_teardown(state);
}

// -- attributes

static tess_array *
array_of(const char *dtype, int64_t n, const void *items, size_t size)
{
    tess_storage nowhere;
    tess_params p;
    tess_array *a;
    tess_storage_init(&nowhere);
    tess_params_init(&p);
    p.ndim = 1;
    p.shape[0] = n;
    p.dtype = dtype;
    ok(tess_array_from(&nowhere, &p, items, size, &a, err));
    return a;
}

static void
attributes(void **state)
{
    static const int16_t items[] = {0, 1, -999, 100, 5000, -1};
    const int64_t start = 0, stop = 6;
    const tess_value range[] = {{.type = TESS_VALUE_INT, .as = {.i64 = 0}},
                                {.type = TESS_VALUE_INT, .as = {.i64 = 1000}}};
    const tess_value list = {.type = TESS_VALUE_LIST, .as = {.list = {range, 2}}};
    tess_array *const a = array_of(NATIVE "i2", 6, items, sizeof items);
    tess_conversion how;
    double got[6];
    tess_error error;

    (void)state;
    ok(tess_conversion_from_attributes(a, &how, err));
    assert_true(how.scale == 1 && how.offset == 0 && how.nmissing == 0);
    ok(tess_attr_set_float(a, "scale_factor", 0.5, err));
    ok(tess_attr_set_int(a, "add_offset", 10, err));
    ok(tess_attr_set_int(a, "_FillValue", -999, err));
    ok(tess_attr_set_int(a, "missing_value", -999, err));
    ok(tess_attr_set_int(a, "valid_min", -50, err));
    ok(tess_attr_set(a, "valid_range", &list, err)); // goes before valid_min
    ok(tess_conversion_from_attributes(a, &how, err));
    assert_int_equal(how.struct_size, sizeof how);
    assert_int_equal(how.nmissing, 1);
    ok(tess_array_read_as(a, &start, &stop, TESS_DTYPE_OF(got[0]), &how, got, sizeof got, NULL,
                          err));
    assert_true(got[0] == 10 && got[1] == 10.5 && got[3] == 60);
    assert_true(got[2] != got[2] && got[4] != got[4] && got[5] != got[5]);
    got[1] = -3.5;
    ok(tess_array_write_as(a, &start, &stop, TESS_DTYPE_F64, &how, got, sizeof got, NULL, err));
    int16_t back[6];
    ok(tess_array_read(a, &start, &stop, back, sizeof back, err));
    const int16_t want[] = {0, -27, -999, 100, -999, -999};
    assert_memory_equal(back, want, sizeof want);

    // What is no number, or makes no sense, is as if it were not there.
    ok(tess_attr_set_string(a, "add_offset", "ten", err));
    ok(tess_attr_set_int(a, "scale_factor", 0, err));
    ok(tess_conversion_from_attributes(a, &how, err));
    assert_true(how.scale == 1 && how.offset == 0);

    tess_value many[TESS_MISSING_MAX];
    for (int i = 0; i < TESS_MISSING_MAX; i++)
        many[i] = (tess_value){.type = TESS_VALUE_INT, .as = {.i64 = i}};
    const tess_value missing = {.type = TESS_VALUE_LIST, .as = {.list = {many, TESS_MISSING_MAX}}};
    ok(tess_attr_set(a, "missing_value", &missing, err));
    assert_int_equal(tess_conversion_from_attributes(a, &how, &error), TESS_ERR_LIMIT);
    assert_string_equal(error.message, "attribute missing_value: more than 8 missing values");
    assert_true(how.nmissing == 0 && how.scale == 1);
    ok(tess_array_close(a, err));
}

// -- attributes in another type

static tess_value
integer(int64_t n)
{
    return (tess_value){.type = TESS_VALUE_INT, .as = {.i64 = n}};
}

// An attribute of a new array that others became, or "-"; the sentence if that is refused.
static const char *
attribute_as(const char *from, const char *to, const char *name, const tess_value *value,
             const tess_conversion *write, const char *wanted, char *left)
{
    static const uint8_t zeros[16];
    static char text[400];
    tess_array *const a = array_of(from, 1, zeros, (size_t)tess_dtype_parse(from).size);
    tess_array *const b = array_of(to, 1, zeros, (size_t)tess_dtype_parse(to).size);
    const char *const memory = write ? from : NULL;
    tess_error error;
    char *json = NULL;

    ok(tess_attr_set(a, name, value, err));
    ok(tess_attr_set_string(a, "units", "K", err));
    if (tess_attrs_copy_as(a, memory, NULL, write, b, left, 100, &error) != TESS_OK) {
        snprintf(text, sizeof text, "%s", error.message);
    } else if (tess_attr_get_json(b, wanted, &json, &error) != TESS_OK) {
        snprintf(text, sizeof text, "-");
    } else {
        snprintf(text, sizeof text, "%s", json);
        tess_free(json);
    }
    ok(tess_array_close(b, err));
    ok(tess_array_close(a, err));
    return text;
}

static void
attributes_of_other_types(void **state)
{
    static const struct {
        const char *from, *to, *name;
        double f; // 0: i
        int64_t i;
        const char *want, *left;
    } cases[] = {
        {"<f4", ">i2", "_FillValue", -999, 0, "-999", ""},
        {"<f4", "<i2", "_FillValue", 1e20, 0, "-", "_FillValue 1e+20"},
        {"<f8", "<i2", "_FillValue", 0.5, 0,
         "attribute _FillValue: 0.5 does not fit in <i2: missing items would become 0, a number "
         "that valid items may have",
         ""},
        {"<f8", "<f4", "missing_value", 1e-3, 0, "0.0010000000474974513", ""},
        {"<f8", ">f2", "missing_value", -999.3, 0, "-999.5", ""},
        {"<f8", "<f2", "missing_value", 1e6, 0, "-", "missing_value 1000000"},
        {"|b1", "<f4", "_FillValue", 0, 1, "1.0", ""},
        {"<i4", "|b1", "_FillValue", 0, 7,
         "attribute _FillValue: 7 does not fit in |b1: missing items would become 1, a number "
         "that valid items may have",
         ""},
        {"|u1", "<i4", "_FillValue", 0, -999, "-", "_FillValue -999"}, // no item has it
        {"<i8", "<u8", "_FillValue", 0, INT64_MAX, "9223372036854775807", ""},
        {"<i8", "<f8", "_FillValue", 0, INT64_MIN, "-9.223372036854776e+18", ""},
        {"<M8[D]", ">M8[s]", "_FillValue", 0, 2, "172800", ""},
        {"<M8[D]", "<M8[s]", "valid_max", 0, INT64_MAX, "-", "valid_max 9223372036854775807"},
        {"<f4", "<c16", "_FillValue", -999, 0, "-999.0", ""},
        {"<f8", "<i2", "valid_min", 0.75, 0, "0", ""}, // what 0.75 becomes
        {"<i4", "<i2", "valid_max", 0, 70000, "-", "valid_max 70000"},
        {"<i4", "<u1", "flag_values", 0, -1, "-", "flag_values -1"},
        {"<i4", "<u1", "flag_masks", 0, 128, "128", ""},
        {"<i4", "<f4", "flag_masks", 0, 128, "-", "flag_masks 128"},
        {"|S4", "|S4", "_FillValue", 0, 7, "7", ""},
    };
    char left[100];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tess_value value =
            cases[i].f != 0 ? (tess_value){.type = TESS_VALUE_FLOAT, .as = {.f64 = cases[i].f}}
                            : integer(cases[i].i);
        const char *const got = attribute_as(cases[i].from, cases[i].to, cases[i].name, &value,
                                             NULL, cases[i].name, left);
        if (strcmp(got, cases[i].want) != 0 || strcmp(left, cases[i].left) != 0)
            fail_msg("%s to %s: %s is %s (%s), not %s (%s)", cases[i].from, cases[i].to,
                     cases[i].name, got, left, cases[i].want, cases[i].left);
    }

    tess_conversion how;
    tess_conversion_init(&how);
    how.misfit = TESS_MISFIT_WRAP;
    const tess_value beyond = integer(70000);
    assert_non_null(
        strstr(attribute_as("<i4", "<i2", "_FillValue", &beyond, &how, "_FillValue", left),
               "would become 4464"));
    how.scale = -0.5; // turns bounds around
    const tess_value ends[] = {integer(1), integer(4)};
    const tess_value range = {.type = TESS_VALUE_LIST, .as = {.list = {ends, 2}}};
    assert_string_equal(
        attribute_as("<f8", "<i2", "valid_range", &range, &how, "valid_range", left), "[-8, -2]");
    assert_string_equal(attribute_as("<f8", "<i2", "valid_min", ends, &how, "valid_max", left),
                        "-2");
    assert_string_equal(attribute_as("<f8", "<i2", "valid_min", ends, &how, "scale_factor", left),
                        "-0.5");
    how.nmissing = 1;
    how.missing[0] = (tess_number){.kind = TESS_KIND_INT, .i = -5};
    assert_string_equal(attribute_as("<f8", "<i2", "valid_min", ends, &how, "_FillValue", left),
                        "-5");
}

// -- what is missing, of every type into every type of floats

static const char *const number_types[] = {"|b1", "|i1", "<i2", ">i2", "<i4", ">i4", "<i8",
                                           ">i8", "|u1", "<u2", ">u2", "<u4", ">u4", "<u8",
                                           ">u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8"};
static const char *const float_types[] = {"<f2", ">f2", "bfloat16", "<f4", ">f4", "<f8", ">f8"};

// Items 0, 1, 1, 0 read as one type and shown as doubles; a truth value of 255 is true.
static void
read_as_floats(const char *stored, const char *memory, const tess_conversion *how, double *shown)
{
    static const uint8_t numbers[] = {0, 1, 1, 0};
    const bool truth = strcmp(stored, "|b1") == 0;
    uint8_t items[4 * 8], floats[4 * 8];
    const size_t size = (size_t)tess_dtype_parse(stored).size;
    const bool brain = strcmp(memory, "bfloat16") == 0;
    const size_t memory_size = brain ? 2 : (size_t)tess_dtype_parse(memory).size;

    assert_int_equal(convert_list(false, "|u1", stored, size, NULL, 4, numbers, items), TESS_OK);
    if (truth)
        items[2] = 255;
    assert_int_equal(convert_list(false, stored, memory, memory_size, how, 4, items, floats),
                     TESS_OK);
    if (!brain) {
        assert_int_equal(
            convert_list(false, memory, NATIVE "f8", 8, NULL, 4, floats, (uint8_t *)shown),
            TESS_OK);
        return;
    }
    for (int i = 0; i < 4; i++) { // the upper half of a float
        uint16_t half;
        memcpy(&half, floats + 2 * i, sizeof half);
        const uint32_t bits = (uint32_t)half << 16;
        float wide;
        memcpy(&wide, &bits, sizeof wide);
        shown[i] = (double)wide;
    }
}

static void
missing_of_all_types(void **state)
{
    static const tess_number one = {.kind = TESS_KIND_INT, .i = 1};
    static const tess_number half = {.kind = TESS_KIND_FLOAT, .f = 0.5};
    static const tess_number below = {.kind = TESS_KIND_INT, .i = -50};
    static const tess_number above = {.kind = TESS_KIND_UINT, .u = 50};
    static const struct {
        const char *what;
        tess_number missing, least, most;
        double scale;
        double want[2]; // of 0 and of 1; -1: NaN
    } cases[] = {
        {"1 is missing", one, {0}, {0}, 1, {0, -1}},
        {"1 is missing, scaled", one, {0}, {0}, 0.5, {0, -1}},
        {"50 is missing", above, {0}, {0}, 1, {0, 1}},
        {"from 1 on", {0}, one, {0}, 1, {-1, 1}},
        {"from 1/2 on, scaled", {0}, half, {0}, 0.5, {-1, 0.5}},
        {"up to 1/2", {0}, {0}, half, 1, {0, -1}},
        {"from -50 on", {0}, below, {0}, 1, {0, 1}},
        {"up to -50", {0}, {0}, below, 1, {-1, -1}},
        {"from 50 on", {0}, above, {0}, 1, {-1, -1}},
        {"up to 50", {0}, {0}, above, 1, {0, 1}},
    };

    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        tess_conversion how;
        tess_conversion_init(&how);
        how.scale = cases[n].scale;
        how.nmissing = cases[n].missing.kind != 0;
        how.missing[0] = cases[n].missing;
        how.least = cases[n].least;
        how.most = cases[n].most;
        for (size_t i = 0; i < sizeof number_types / sizeof *number_types; i++)
            for (size_t k = 0; k < sizeof float_types / sizeof *float_types; k++) {
                double got[4];
                read_as_floats(number_types[i], float_types[k], &how, got);
                for (int item = 0; item < 4; item++) {
                    const double want = cases[n].want[item == 1 || item == 2];
                    if (want < 0 ? got[item] == got[item] : got[item] != want)
                        fail_msg("%s: %s to %s: item %d is %g", cases[n].what, number_types[i],
                                 float_types[k], item, got[item]);
                }
            }
    }
}

// -- arguments

static void
refused_as(tess_status want, const char *sentence, tess_status got, const tess_error *error)
{
    assert_int_equal(got, want);
    if (!strstr(error->message, sentence))
        fail_msg("\"%s\" instead of \"%s\"", error->message, sentence);
}

static void
bad_arguments(void **state)
{
    static const int32_t items[] = {1, 2, 300, 4};
    const int64_t start = 0, stop = 4, far = 5, near = 1, turned = INT64_MIN;
    tess_array *const a = array_of(NATIVE "i4", 4, items, sizeof items);
    tess_array *const text = array_of("|S4", 4, items, sizeof items);
    tess_conversion how;
    tess_error e;
    double got[4];

    (void)state;
#define READ(array, to, type, how, size, strides) \
    tess_array_read_as(array, &start, to, type, how, got, size, strides, &e)
    refused_as(TESS_ERR_ARG, "no array", READ(NULL, &stop, "<f8", NULL, sizeof got, NULL), &e);
    refused_as(TESS_ERR_ARG, "no type", READ(a, &stop, NULL, NULL, sizeof got, NULL), &e);
    refused_as(TESS_ERR_ARG, "axis 0", READ(a, &far, "<f8", NULL, sizeof got, NULL), &e);
    refused_as(TESS_ERR_ARG, "no box", READ(a, NULL, "<f8", NULL, sizeof got, NULL), &e);
    refused_as(TESS_ERR_ARG, "31 bytes of memory, the items take 32",
               READ(a, &stop, "<f8", NULL, 31, NULL), &e);
    refused_as(TESS_ERR_ARG, "overlap", READ(a, &stop, "<f8", NULL, sizeof got, &near), &e);
    refused_as(TESS_ERR_ARG, "out of memory", READ(a, &stop, "<f8", NULL, sizeof got, &turned), &e);
    refused_as(TESS_ERR_UNSUPPORTED, "|S8 is no type of numbers or times",
               READ(a, &stop, "|S8", NULL, sizeof got, NULL), &e);
    refused_as(TESS_ERR_UNSUPPORTED, "of type \"|S4\"",
               READ(text, &stop, "<f8", NULL, sizeof got, NULL), &e);
    refused_as(TESS_ERR_UNSUPPORTED, "times do not convert",
               READ(a, &stop, "<M8[s]", NULL, sizeof got, NULL), &e);
    refused_as(TESS_ERR_LIMIT, "item [2] does not fit in |u1",
               READ(a, &stop, "|u1", NULL, sizeof got, NULL), &e);
    tess_conversion_init(&how);
    how.misfit = 3;
    refused_as(TESS_ERR_ARG, "misfit 3", READ(a, &stop, "<f8", &how, sizeof got, NULL), &e);
    tess_conversion_init(&how);
    how.scale = 0;
    refused_as(TESS_ERR_ARG, "a scale of 0", READ(a, &stop, "<f8", &how, sizeof got, NULL), &e);
    tess_conversion_init(&how);
    how.nmissing = 9;
    refused_as(TESS_ERR_ARG, "9 missing", READ(a, &stop, "<f8", &how, sizeof got, NULL), &e);
    how.nmissing = 1;
    refused_as(TESS_ERR_ARG, "kind 0", READ(a, &stop, "<f8", &how, sizeof got, NULL), &e);
    tess_conversion_init(&how);
    how.scale = 2;
    refused_as(TESS_ERR_UNSUPPORTED, "complex numbers and times are not scaled",
               READ(a, &stop, "<c16", &how, sizeof got, NULL), &e);
    how.struct_size = 3;
    refused_as(TESS_ERR_ARG, "conversion", READ(a, &stop, "<f8", &how, sizeof got, NULL), &e);
#undef READ
    refused_as(TESS_ERR_ARG, "no array", tess_attrs_copy_as(NULL, NULL, NULL, NULL, a, NULL, 0, &e),
               &e);
    refused_as(TESS_ERR_ARG, "omitted is NULL, but omitted_size is",
               tess_attrs_copy_as(a, NULL, NULL, NULL, a, NULL, 9, &e), &e);
    assert_true(tess_attr_holds_items("valid_range") && tess_attr_holds_items("flag_masks"));
    assert_false(tess_attr_holds_items("scale_factor") || tess_attr_holds_items(NULL));
    refused_as(TESS_ERR_ARG, "no place for a conversion",
               tess_conversion_from_attributes(a, NULL, &e), &e);
    ok(tess_array_close(text, err));
    ok(tess_array_close(a, err));
}

static void
read_only(void **state)
{
    static const int32_t items[] = {1, 2, 300, 4};
    const int64_t start = 0, stop = 4;
    tess_array *const a = array_of(NATIVE "i4", 4, items, sizeof items);
    tess_array *view;
    tess_error e;

    (void)state;
    ok(tess_array_view_read_only(a, &view, err));
    assert_int_equal(
        tess_array_write_as(view, &start, &stop, "|u1", NULL, items, sizeof items, NULL, &e),
        TESS_ERR_ARG);
    ok(tess_array_close(view, err));
    ok(tess_array_close(a, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_cases_agree, files_setup, end_random),
        cmocka_unit_test(attributes),
        cmocka_unit_test(attributes_of_other_types),
        cmocka_unit_test(missing_of_all_types),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(read_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
