/*
 * beside_writes.c - the calls that change an array.
 */
#include "api/beside.h"

#include <string.h>

static int64_t
draw_items(struct thread *t, int64_t start[2], int64_t stop[2])
{
    const uint32_t number = (uint32_t)random_next(&t->random);
    uint64_t *item = t->items;
    draw_box(t, start, stop);
    for (int64_t i = start[0]; i < stop[0]; i++)
        for (int64_t j = start[1]; j < stop[1]; j++)
            *item++ = item_of(number, i, j);
    return item - t->items;
}

// -- ways to write

static tess_status
write_box(struct thread *t, tess_error *err)
{
    int64_t start[2], stop[2];
    const int64_t n = draw_items(t, start, stop);
    return tess_array_write(t->a, start, stop, t->items, 8 * (size_t)n, err);
}

static tess_status
write_item(struct thread *t, tess_error *err)
{
    const int64_t index[2] = {below(&t->random, t->rows), below(&t->random, t->s->columns)};
    const uint64_t item = item_of((uint32_t)random_next(&t->random), index[0], index[1]);
    return tess_array_set_item(t->a, index, &item, sizeof item, err);
}

static tess_status
write_zeros(struct thread *t, tess_error *err)
{
    int64_t start[2], stop[2];
    const uint64_t zero = 0;
    draw_box(t, start, stop);
    return tess_array_fill(t->a, start, stop, NULL, &zero, sizeof zero, err);
}

static tess_status
write_slice(struct thread *t, tess_error *err)
{
    int64_t start[2], stop[2];
    const int64_t step[2] = {2, 2};
    uint64_t *item = t->items;
    draw_box(t, start, stop);
    for (int64_t i = start[0]; i < stop[0]; i += 2)
        for (int64_t j = start[1]; j < stop[1]; j += 2)
            *item++ = item_of(1, i, j);
    return tess_array_set_slice(t->a, start, stop, step, t->items, 8 * (size_t)(item - t->items),
                                NULL, err);
}

static tess_status
write_as(struct thread *t, tess_error *err)
{
    int64_t start[2], stop[2];
    draw_box(t, start, stop);
    uint32_t *item = (uint32_t *)t->items;
    for (int64_t i = start[0]; i < stop[0]; i++)
        for (int64_t j = start[1]; j < stop[1]; j++)
            *item++ = (uint32_t)item_of(0, i, j);
    return tess_array_write_as(t->a, start, stop, NATIVE "u4", NULL, t->items, t->size, NULL, err);
}

static tess_status
write_points(struct thread *t, tess_error *err)
{
    int64_t coords[BESIDE_POINTS][2];
    draw_points(t, coords);
    for (int k = 0; k < BESIDE_POINTS; k++)
        t->items[k] = item_of(2, coords[k][0], coords[k][1]);
    return tess_array_set_points(t->a, BESIDE_POINTS, coords[0], t->items, 8 * BESIDE_POINTS, err);
}

// The upper half of items only.
static tess_status
add_points(struct thread *t, tess_error *err)
{
    const uint64_t one = UINT64_C(1) << 32;
    tess_add_options options;
    int64_t coords[BESIDE_POINTS][2];
    tess_add_options_init(&options);
    options.misfit = TESS_MISFIT_WRAP;
    draw_points(t, coords);
    return tess_array_add_points(t->a, BESIDE_POINTS, coords[0], &one, sizeof one, &options, err);
}

static tess_status
write_orthogonal(struct thread *t, tess_error *err)
{
    int64_t lists[2][BESIDE_BOXES];
    const int64_t *const indices[2] = {lists[0], lists[1]};
    const int64_t counts[2] = {BESIDE_BOXES, BESIDE_BOXES};
    draw_lists(t, lists);
    for (int k = 0; k < BESIDE_BOXES * BESIDE_BOXES; k++)
        t->items[k] = item_of(3, lists[0][k / BESIDE_BOXES], lists[1][k % BESIDE_BOXES]);
    return tess_array_set_orthogonal(t->a, counts, indices, t->items, t->size, err);
}

static tess_status
write_mask(struct thread *t, tess_error *err)
{
    uint8_t rows[BESIDE_ROWS];
    const tess_mask mask = {.ndim = 1, .bytes = rows, .bytes_size = sizeof rows};
    uint64_t *item = t->items;
    for (int64_t i = 0; i < t->rows; i++) {
        rows[i] = below(&t->random, 16) == 0;
        for (int64_t j = 0; rows[i] && j < t->s->columns; j++)
            *item++ = item_of(4, i, j);
    }
    return tess_array_set_mask(t->a, &mask, t->items, 8 * (size_t)(item - t->items), err);
}

static tess_status
write_boxes(struct thread *t, tess_error *err)
{
    int64_t starts[BESIDE_BOXES][2], shape[2];
    uint64_t *item = t->items;
    draw_starts(t, starts, shape);
    for (int k = 0; k < BESIDE_BOXES; k++)
        for (int64_t i = 0; i < shape[0]; i++)
            for (int64_t j = 0; j < shape[1]; j++)
                *item++ = item_of(5, starts[k][0] + i, starts[k][1] + j);
    return tess_array_set_boxes(t->a, BESIDE_BOXES, starts[0], shape, t->items, t->size, err);
}

static tess_each_next
number_items(const tess_map_part *part, void *user)
{
    uint64_t *item = part->outputs[0];
    (void)user;
    for (int64_t i = part->start[0]; i < part->stop[0]; i++)
        for (int64_t j = part->start[1]; j < part->stop[1]; j++)
            *item++ = item_of(6, i, j);
    return TESS_EACH_NEXT;
}

static tess_status
write_map(struct thread *t, tess_error *err)
{
    const tess_array *const input = t->a;
    int64_t start[2], stop[2];
    draw_box(t, start, stop);
    return tess_map(&input, 1, &t->a, 1, start, stop, NULL, number_items, NULL, err);
}

// Replaces a stored chunk by an earlier version of it.
static tess_status
write_chunk(struct thread *t, tess_error *err)
{
    const int64_t n = draw_chunk(t);
    void *chunk;
    size_t size;
    tess_status st = tess_array_get_chunk(t->a, n, &chunk, &size, err);
    if (st == TESS_OK)
        st = tess_array_set_chunk(t->a, n, chunk, size, TESS_CHUNK_UNTRUSTED, err);
    tess_free(chunk);
    return st;
}

static tess_status
write_view(struct thread *t, tess_error *err)
{
    static const int64_t origin[2];
    int64_t start[2], stop[2];
    tess_array *view = NULL;
    const int64_t n = draw_items(t, start, stop);
    const int64_t shape[2] = {stop[0] - start[0], stop[1] - start[1]};
    tess_status st = tess_array_view_slice(t->a, start, stop, NULL, &view, err);
    if (st == TESS_OK)
        st = tess_array_write(view, origin, shape, t->items, 8 * (size_t)n, err);
    tess_array_discard(view);
    return st;
}

tess_status
beside_flush(struct thread *t, tess_error *err)
{
    return tess_array_flush(t->a, err);
}

tess_status
beside_set_attributes(struct thread *t, tess_error *err)
{
    static const char *const names[2] = {"row", "column"};
    char text[200];
    const size_t length = (size_t)below(&t->random, sizeof text);
    memset(text, 'x', length);
    text[length] = '\0';
    switch (below(&t->random, 5)) {
    case 0:
        return tess_attr_set_int(t->a, "number", 7, err);
    case 1:
        return tess_attr_set_string(t->a, "text", text, err);
    case 2:
        return tess_dims_set(t->a, names, err);
    case 3:
        return maybe(tess_attr_delete(t->a, "number", err));
    default:
        return maybe(tess_vlmeta_delete(t->a, "text", err));
    }
}

static tess_status
place(struct thread *t, void **packet, size_t *size, tess_lease *lease, tess_error *err)
{
    tess_packet_info info;
    void *placed;
    size_t placed_size;
    tess_status st = tess_packet_info(*packet, *size, &info, err);
    if (st != TESS_OK)
        return st;
    const bool files = t->s->kind->layout == TESS_LAYOUT_SPARSE;
    const int64_t needed = files ? info.nstored : info.cbytes;
    st = tess_adoption_lease(t->s->adoption, needed + 1, lease, err);
    if (st == TESS_OK)
        st = tess_packet_place(*packet, *size, t->s->path, lease, TESS_DURABILITY_NONE, &placed,
                               &placed_size, err);
    if (st != TESS_OK)
        return st;
    tess_free(*packet);
    *packet = placed;
    *size = placed_size;
    return st;
}

// Adopts a chunk in a packet, once in a round; in a lease if the array has a path.
static tess_status
adopt(struct thread *t, tess_error *err)
{
    struct stage *const s = t->s;
    const int64_t across = (s->columns + s->chunk - 1) / s->chunk;
    if (!s->adoption)
        return write_box(t, err);
    pthread_mutex_lock(&s->next_lock);
    const int64_t n = s->next++;
    pthread_mutex_unlock(&s->next_lock);
    const int64_t start[2] = {n / across * s->chunk, n % across * s->chunk};
    int64_t stop[2] = {start[0] + s->chunk, start[1] + s->chunk};
    uint64_t *item = t->items;
    tess_lease lease = {0};
    void *packet;
    size_t size;
    if (start[0] >= t->rows)
        return write_box(t, err);
    stop[0] = stop[0] < t->rows ? stop[0] : t->rows;
    stop[1] = stop[1] < s->columns ? stop[1] : s->columns;
    for (int64_t i = start[0]; i < stop[0]; i++)
        for (int64_t j = start[1]; j < stop[1]; j++)
            *item++ = item_of(8, i, j);
    tess_status st =
        tess_packet_encode(s->sketch, start, stop, t->items, t->size, NULL, &packet, &size, err);
    if (st == TESS_OK && !s->kind->memory && below(&t->random, 3) > 0)
        st = place(t, &packet, &size, &lease, err);
    if (st == TESS_OK)
        st = tess_adoption_add(s->adoption, packet, size, TESS_CHUNK_UNTRUSTED, err);
    if (st == TESS_OK && lease.size > 0 && below(&t->random, 2))
        st = tess_adoption_return(s->adoption, &lease, err);
    tess_free(packet);
    return st;
}

// -- with exclusive access

static tess_status
resize(struct thread *t, tess_error *err)
{
    const int64_t shape[2] = {t->s->most_rows / 2 + below(&t->random, t->s->most_rows / 2 + 1),
                              t->s->columns};
    return t->s->sketch ? beside_flush(t, err) : tess_array_resize(t->a, shape, err);
}

static tess_status
append(struct thread *t, tess_error *err)
{
    const int64_t n = 1 + below(&t->random, 3);
    uint64_t *item = t->items;
    if (t->s->sketch || t->rows + n > t->s->most_rows)
        return resize(t, err);
    for (int64_t i = t->rows; i < t->rows + n; i++)
        for (int64_t j = 0; j < t->s->columns; j++)
            *item++ = item_of(9, i, j);
    return tess_array_append(t->a, 0, n, t->items, t->size, NULL, err);
}

tess_status
beside_set_context(struct thread *t, tess_error *err)
{
    static const int64_t caches[] = {0, 5000, 1 << 20};
    tess_context context;
    tess_array_get_context(t->a, &context);
    context.threads = 1 + (int)below(&t->random, 3);
    context.cache = caches[below(&t->random, COUNT(caches))];
    return tess_array_set_context(t->a, &context, err);
}

static tess_each_next
change_part(const tess_part *part, void *items, void *user)
{
    uint64_t item = item_of(10, part->start[0], part->start[1]);
    (void)user;
    memcpy(items, &item, sizeof item);
    return TESS_EACH_CHANGED;
}

static tess_status
change(struct thread *t, tess_error *err)
{
    int64_t start[2], stop[2];
    draw_box(t, start, stop);
    return tess_array_change(t->a, below(&t->random, 2) ? TESS_BLOCKS : TESS_CHUNKS, start, stop,
                             change_part, NULL, err);
}

static tess_status
image(struct thread *t, tess_error *err)
{
    const void *bytes;
    size_t size;
    return t->s->kind->memory ? tess_array_image(t->a, &bytes, &size, err)
                              : tess_array_refresh(t->a, NULL, err);
}

static const struct way writes[] = {
    {"write a box", write_box, false},
    {"write a box", write_box, false},
    {"set an item", write_item, false},
    {"write zeros", write_zeros, false},
    {"write a slice", write_slice, false},
    {"write as another type", write_as, false},
    {"write points", write_points, false},
    {"add to points", add_points, false},
    {"write orthogonally", write_orthogonal, false},
    {"write by a mask", write_mask, false},
    {"write boxes", write_boxes, false},
    {"write a map", write_map, false},
    {"write a chunk", write_chunk, false},
    {"write to a view", write_view, false},
    {"flush", beside_flush, false},
    {"flush", beside_flush, false},
    {"flush", beside_flush, false},
    {"flush", beside_flush, false},
    {"set attributes", beside_set_attributes, false},
    {"set attributes", beside_set_attributes, false},
    {"adopt", adopt, false},
    {"adopt", adopt, false},
    {"resize", resize, true},
    {"append", append, true},
    {"set the context", beside_set_context, true},
    {"change", change, true},
    {"image", image, true},
};

const struct ways beside_writes = {writes, COUNT(writes)};
