/*
 * cells_shape.c - resizing, inserting, deleting, appending.
 *
 * By hand each of these is a new array into which boxes are moved.
 */
#include "hand.h"

#include <string.h>

static const int64_t zero[NDIM];

enum { LAYERS = 13 }; // along an axis, of the cells that do not align with chunks
enum { PLACE = 37 }; // and where

static size_t
layers_size(const struct turn *t, int axis, int64_t n)
{
    return t->job->size / (size_t)t->job->array.shape[axis] * (size_t)n;
}

// Resizing, and what is made of it: `n` layers come (or go, if negative) at `place` along an axis.
struct change {
    int axis;
    int64_t place, n;
};

static struct change
aligned(const struct turn *t, int64_t place, int64_t n)
{
    const int64_t chunk = t->job->array.chunk[0];
    return (struct change){0, place * chunk, n * chunk};
}

static void
new_shape(const struct turn *t, const struct change *c, int64_t *shape)
{
    memcpy(shape, t->job->array.shape, NDIM * sizeof *shape);
    shape[c->axis] += c->n;
}

static void
resize(struct turn *t, struct change c)
{
    int64_t shape[NDIM], start[NDIM] = {0};

    new_shape(t, &c, shape);
    start[c.axis] = c.place;
    t->side->resize(t->a, shape, start);
}

// What is before the place and what is behind it, to where they belong; src in between, if any.
static void
hand_change(struct turn *t, struct change c, const float *src)
{
    const int64_t *const old = t->job->array.shape;
    int64_t shape[NDIM], lo[NDIM] = {0}, hi[NDIM], shift[NDIM] = {0};

    new_shape(t, &c, shape);
    t->made = hand_new(t, shape);
    memcpy(hi, old, sizeof hi);
    hi[c.axis] = c.place;
    hand_move(t, t->a, zero, hi, t->made, zero);
    lo[c.axis] = c.place + (c.n < 0 ? -c.n : 0);
    shift[c.axis] = c.n;
    hand_move(t, t->a, lo, old, t->made, shift);
    lo[c.axis] = c.place;
    hi[c.axis] = c.place + c.n;
    if (src)
        hand_write(t->made, lo, hi, src);
}

static void
insert(struct turn *t, struct change c)
{
    t->side->insert(t->a, c.axis, c.place, t->job->other, layers_size(t, c.axis, c.n));
}

static struct change
at_end(const struct turn *t, int axis, int64_t n)
{
    return (struct change){axis, t->job->array.shape[axis] + (n < 0 ? n : 0), n};
}

static const struct change layers_in = {1, PLACE, LAYERS}, layers_out = {1, PLACE, -LAYERS};

static void
any_grow(struct turn *t)
{
    resize(t, at_end(t, 0, t->job->array.chunk[0]));
}

static void
hand_grow(struct turn *t)
{
    hand_change(t, at_end(t, 0, t->job->array.chunk[0]), NULL);
}

static void
any_grow_layers(struct turn *t)
{
    resize(t, at_end(t, 1, 2 * LAYERS));
}

static void
hand_grow_layers(struct turn *t)
{
    hand_change(t, at_end(t, 1, 2 * LAYERS), NULL);
}

static void
any_shrink(struct turn *t)
{
    resize(t, at_end(t, 0, -PLACE));
}

static void
hand_shrink(struct turn *t)
{
    hand_change(t, at_end(t, 0, -PLACE), NULL);
}

static void
any_grow_inside(struct turn *t)
{
    resize(t, aligned(t, 1, 1));
}

static void
hand_grow_inside(struct turn *t)
{
    hand_change(t, aligned(t, 1, 1), NULL);
}

static void
ours_grow_layers_inside(struct turn *t)
{
    resize(t, layers_in);
}

static void
hand_grow_layers_inside(struct turn *t)
{
    hand_change(t, layers_in, NULL);
}

static void
any_insert(struct turn *t)
{
    insert(t, aligned(t, 1, 1));
}

static void
hand_insert(struct turn *t)
{
    hand_change(t, aligned(t, 1, 1), t->job->other);
}

// One chunk of layers, in the middle of another one.
static struct change
split(const struct turn *t)
{
    return (struct change){0, t->job->array.chunk[0] + PLACE, t->job->array.chunk[0]};
}

static void
ours_insert_split(struct turn *t)
{
    insert(t, split(t));
}

static void
hand_insert_split(struct turn *t)
{
    hand_change(t, split(t), t->job->other);
}

static void
ours_insert_layers(struct turn *t)
{
    insert(t, layers_in);
}

static void
hand_insert_layers(struct turn *t)
{
    hand_change(t, layers_in, t->job->other);
}

static void
any_remove(struct turn *t)
{
    t->side->remove(t->a, 0, 0, t->job->array.chunk[0]);
}

static void
hand_remove(struct turn *t)
{
    hand_change(t, aligned(t, 0, -1), NULL);
}

static void
ours_remove_layers(struct turn *t)
{
    t->side->remove(t->a, layers_out.axis, layers_out.place, -layers_out.n);
}

static void
hand_remove_layers(struct turn *t)
{
    hand_change(t, layers_out, NULL);
}

static void
any_append(struct turn *t)
{
    const int64_t n = t->job->array.chunk[0];
    t->side->append(t->a, 0, t->job->other, layers_size(t, 0, n));
}

static void
hand_append(struct turn *t)
{
    hand_change(t, at_end(t, 0, t->job->array.chunk[0]), t->job->other);
}

static void
any_append_layers(struct turn *t)
{
    t->side->append(t->a, 1, t->job->other, layers_size(t, 1, 2 * LAYERS));
}

static void
hand_append_layers(struct turn *t)
{
    hand_change(t, at_end(t, 1, 2 * LAYERS), t->job->other);
}

static void
any_append_each(struct turn *t)
{
    const size_t size = layers_size(t, 0, 1);

    for (size_t i = 0; i < 2 * LAYERS; i++)
        t->side->append(t->a, 0, t->job->other + i * (size / sizeof(float)), size);
}

static void
hand_append_each(struct turn *t)
{
    hand_change(t, at_end(t, 0, 2 * LAYERS), t->job->other);
}

static void
any_append_array(struct turn *t)
{
    t->side->append_array(t->a, 0, t->base);
}

static void
any_append_array_layers(struct turn *t)
{
    t->side->append_array(t->a, 1, t->base);
}

static void
hand_append_array(struct turn *t)
{
    hand_twice(t, 0);
}

static void
hand_append_array_layers(struct turn *t)
{
    hand_twice(t, 1);
}

#define MOVE "move all chunks into a new array"

const struct cell cells_shape[] = {
    {"grow axis 0 by a chunk", CHANGES, any_grow, NULL, hand_grow, MOVE},
    {"grow axis 1 by 26", CHANGES, any_grow_layers, NULL, hand_grow_layers, MOVE},
    {"shrink axis 0 by 37", CHANGES, any_shrink, NULL, hand_shrink, MOVE},
    {"grow axis 0 inside by a chunk", CHANGES, any_grow_inside, NULL, hand_grow_inside, MOVE},
    {"grow axis 1 at 37 by 13", CHANGES, NULL, ours_grow_layers_inside, hand_grow_layers_inside,
     MOVE},
    {"insert a chunk between chunks", CHANGES, any_insert, NULL, hand_insert, MOVE},
    {"insert a chunk inside one", CHANGES, NULL, ours_insert_split, hand_insert_split, MOVE},
    {"insert 13 layers at 37", CHANGES, NULL, ours_insert_layers, hand_insert_layers, MOVE},
    {"delete a chunk", CHANGES, any_remove, NULL, hand_remove, MOVE},
    {"delete 13 layers at 37", CHANGES, NULL, ours_remove_layers, hand_remove_layers, MOVE},
    {"append a chunk", CHANGES, any_append, NULL, hand_append, MOVE},
    {"append 26 layers to axis 1", CHANGES, any_append_layers, NULL, hand_append_layers, MOVE},
    {"append a layer, 26 times", CHANGES, any_append_each, NULL, hand_append_each,
     MOVE ", once for all 26"},
    {"append array, aligned", CHANGES, any_append_array, NULL, hand_append_array, MOVE},
    {"append array, not aligned", CHANGES, any_append_array_layers, NULL, hand_append_array_layers,
     MOVE},
    {0},
};
