/*
 * cases.c - random arrays and what is done to them, written down for judge.py.
 *
 *     cases FOLDER
 *
 * Files are made in the folder and stay there. Each array has a seed of its own: TESS_TEST_SEED
 * with that and TESS_TEST_CASES=1 repeats it. What goes into an array and what comes out of it is
 * told (tell.h); nothing is compared here.
 */
#include "numpy/subject.h"
#include "numpy/tell.h"
#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Besides draw_types: numbers of all kinds, and several fields.
static const struct draw_type more_types[] = {
    {"|b1", 1, 1, false}, {"|i1", 1, 1, false}, {"<u2", 2, 2, true},
    {">i4", 4, 4, true},  {"<i8", 8, 8, true},  {">u8", 8, 8, true},
    {"<f2", 2, 2, true},  {"<f4", 4, 4, true},  {">f8", 8, 8, true},
    {"<u8", 8, 8, true},  {"<f8", 8, 8, true},  {"[('a', '<i2'), ('b', '>f4')]", 6, 6, false},
};

enum { MORE_TYPES = sizeof more_types / sizeof *more_types };

// -- the array

static void
draw_storage(struct subject *s, tess_params *p)
{
    draw_context(s->random, &s->context);
    draw_memory(s->random, s->type.size, &s->context);
    tess_storage_init(&s->storage);
    s->storage.mode = TESS_MODE_NEW;
    s->storage.durability = TESS_DURABILITY_NONE;
    s->storage.context = &s->context;
    s->path[0] = '\0';
    if (subject_one_in(s, 3))
        return;
    subject_path(s, s->path, sizeof s->path);
    s->storage.path = s->path;
    if (subject_one_in(s, 2))
        p->layout = TESS_LAYOUT_SPARSE;
}

enum content { ZEROS, FULL, NANS, ITEMS };

static enum content
draw_content(struct subject *s)
{
    const char *const dtype = s->type.dtype;
    const int64_t k = subject_below(s, 6);

    if (k < 2)
        return k == 0 ? ZEROS : FULL;
    return k < 4 && dtype && (dtype[1] == 'f' || dtype[1] == 'c') ? NANS : ITEMS;
}

static void
tell_creation(const struct subject *s, const tess_params *p, enum content content)
{
    static const char *const names[] = {"zeros", "full", "nan", "from"};

    tell_begin(names[content]);
    tell_text("dtype", s->type.dtype ? s->type.dtype : "");
    tell_number("typesize", (int64_t)s->type.size);
    tell_list("shape", p->ndim, p->shape);
    tell_list("chunks", p->ndim, p->chunkshape);
    tell_list("blocks", p->ndim, p->blockshape);
    tell_number("codec", p->codec);
    tell_number("level", p->clevel);
    tell_text("path", s->path);
    tell_number("threads", s->context.threads);
    tell_number("cache", s->context.cache);
    tell_end();
}

static void
create_from(struct subject *s, const tess_params *p)
{
    const int64_t n = reference_nitems(p->ndim, p->shape);
    const size_t size = (size_t)n * s->type.size;
    uint8_t *const items = subject_memory(size);

    subject_items(s, items, n);
    tell_items(s->type.dtype, s->type.size, p->ndim, p->shape, items);
    ok(tess_array_from(&s->storage, p, items, size, &s->a, err));
    free(items);
}

static void
create_with(struct subject *s, tess_params *p)
{
    const enum content content = draw_content(s);
    uint8_t item[SUBJECT_ITEM_MAX] = {0}; // what growth shows, but for NaNs

    if (content == FULL || subject_one_in(s, 2))
        subject_items(s, item, 1);
    if (content == ZEROS || content == ITEMS) {
        p->fill = item;
        p->fill_size = s->type.size;
    }
    tell_creation(s, p, content);
    tell_items(s->type.dtype, s->type.size, 0, NULL, item);
    if (content == ZEROS)
        ok(tess_array_zeros(&s->storage, p, &s->a, err));
    else if (content == FULL)
        ok(tess_array_full(&s->storage, p, item, s->type.size, &s->a, err));
    else if (content == NANS)
        ok(tess_array_nan(&s->storage, p, &s->a, err));
    else
        create_from(s, p);
}

static void
create(struct subject *s)
{
    tess_params p;

    const int64_t k = subject_below(s, DRAW_TYPES + MORE_TYPES);
    s->type = k < DRAW_TYPES ? draw_types[k] : more_types[k - DRAW_TYPES];
    tess_params_init(&p);
    p.dtype = s->type.dtype;
    p.typesize = (int32_t)s->type.size;
    p.ndim = (int)subject_below(s, SUBJECT_MAX_NDIM + 1);
    draw_empty_shape(s->random, p.ndim, subject_one_in(s, 5) ? 3000 : 500, p.shape);
    draw_layout(s->random, p.shape, &p);
    draw_storage(s, &p);
    create_with(s, &p);
    subject_look(s, s->a);
}

static void
reopen(struct subject *s)
{
    draw_context(s->random, &s->context);
    draw_memory(s->random, s->type.size, &s->context);
    tell_begin("reopen");
    tell_number("threads", s->context.threads);
    tell_number("cache", s->context.cache);
    tell_end();
    ok(tess_array_close(s->a, err));
    s->storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&s->storage, &s->a, err));
    subject_look(s, s->a);
}

// -- views

static void
view_slice(struct subject *s, tess_array **view)
{
    struct slice c;

    subject_slice(s, false, &c);
    tell_begin("view slice");
    subject_tell_slice(s->ndim, &c);
    tell_end();
    ok(tess_array_view_slice(s->target, c.start, c.stop, c.step, view, err));
}

static void
view_squeeze(struct subject *s, tess_array **view)
{
    int axis = -1;

    for (int i = 0; i < s->ndim; i++)
        if (s->shape[i] == 1 && subject_one_in(s, 2))
            axis = i;
    tell_begin("view squeeze");
    tell_number("axis", axis);
    tell_end();
    ok(tess_array_view_squeeze(s->target, axis, view, err));
}

static void
view_expand(struct subject *s, tess_array **view)
{
    const int axis = (int)subject_below(s, s->ndim + 1);

    tell_begin("view expand");
    tell_number("axis", axis);
    tell_end();
    ok(tess_array_view_expand(s->target, axis, view, err));
}

static void
view_permute(struct subject *s, tess_array **view)
{
    const bool reversed = subject_one_in(s, 3);
    int64_t told[TESS_MAX_NDIM] = {0};
    int axes[TESS_MAX_NDIM] = {0};

    for (int i = 0; i < s->ndim; i++) {
        const int64_t k = subject_below(s, i + 1);
        axes[i] = axes[k];
        axes[k] = i;
    }
    for (int i = 0; i < s->ndim; i++)
        told[i] = reversed ? s->ndim - 1 - i : axes[i];
    tell_begin("view permute");
    tell_list("axes", s->ndim, told);
    tell_end();
    ok(tess_array_view_permute(s->target, reversed ? NULL : axes, view, err));
}

// The target becomes a view of itself.
static void
look_through(struct subject *s)
{
    static void (*const all[])(struct subject *, tess_array **) = {view_slice, view_squeeze,
                                                                   view_expand, view_permute};
    tess_array *view = NULL;

    all[subject_below(s, 4)](s, &view);
    if (s->target != s->a)
        ok(tess_array_close(s->target, err));
    subject_look(s, view);
}

static void
look_at_all(struct subject *s)
{
    if (s->target != s->a)
        ok(tess_array_close(s->target, err));
    subject_look(s, s->a);
    tell_begin("whole");
    tell_end();
    tell_array(s->a);
}

// -- cases

static void
live(struct subject *s)
{
    create(s);
    for (int64_t rounds = 2 + subject_below(s, 3); rounds > 0; rounds--) {
        if (subject_one_in(s, 2))
            for (int64_t n = 1 + subject_below(s, 4); n > 0; n--)
                look_through(s);
        for (int64_t n = 2 + subject_below(s, 3); n > 0; n--) {
            const int64_t kind = subject_below(s, 10);
            (kind < 5 ? subject_read : kind < 8 ? subject_write : subject_copy)(s);
        }
        look_at_all(s);
        if (subject_one_in(s, 2)) {
            subject_reshape(s);
            look_at_all(s);
        }
        if (s->path[0] && subject_one_in(s, 3))
            reopen(s);
    }
    ok(tess_array_close(s->a, err));
    tell_begin("end");
    tell_text("path", s->path);
    tell_end();
}

int
main(int argc, char **argv)
{
    static struct subject s;
    struct random random;

    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    const uint64_t seed = random_seed();
    const int64_t n = random_cases(400, 10000);
    for (int64_t i = 0; i < n; i++) {
        memset(&s, 0, sizeof s);
        random_init(&random, seed + (uint64_t)i);
        s.random = &random;
        s.folder = argv[1];
        s.number = i;
        tell_begin("case");
        tell_number("seed", (int64_t)(seed + (uint64_t)i));
        tell_end();
        live(&s);
    }
    tell_finish();
    return 0;
}
