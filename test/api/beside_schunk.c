/*
 * beside_schunk.c - the calls that read and change a super-chunk, whose chunks have equal items
 * each.
 */
#include "api/beside.h"

#include <stdatomic.h>

enum { MOST_CHUNKS = 20 };

static int64_t
nchunks(const struct thread *t)
{
    return t->rows / BESIDE_CHUNK;
}

static void
check_equal(struct thread *t, const uint64_t *items, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (items[i] != items[0])
            complain(t, "a chunk of two states", items[i], i, 0);
}

// -- ways to read

static tess_status
decode(struct thread *t, tess_error *err)
{
    const tess_status st =
        tess_schunk_decode(t->a, below(&t->random, nchunks(t)), t->items, t->size, err);
    if (st == TESS_OK)
        check_equal(t, t->items, BESIDE_CHUNK);
    return st;
}

static tess_status
read_some(struct thread *t, tess_error *err)
{
    const int64_t n = below(&t->random, nchunks(t)),
                  last = n + 1 + below(&t->random, nchunks(t) - n);
    const int64_t start = n * BESIDE_CHUNK, stop = last * BESIDE_CHUNK;
    const tess_status st = tess_array_read(t->a, &start, &stop, t->items, t->size, err);
    for (int64_t k = 0; k < last - n && st == TESS_OK; k++)
        check_equal(t, t->items + k * BESIDE_CHUNK, BESIDE_CHUNK);
    return st;
}

static tess_status
read_steps(struct thread *t, tess_error *err)
{
    const int64_t start = below(&t->random, nchunks(t)) * BESIDE_CHUNK, stop = start + BESIDE_CHUNK;
    const int64_t step = 7;
    const tess_status st =
        tess_array_get_slice(t->a, &start, &stop, &step, t->items, t->size, NULL, err);
    if (st == TESS_OK)
        check_equal(t, t->items, (BESIDE_CHUNK + step - 1) / step);
    return st;
}

static tess_status
read_points(struct thread *t, tess_error *err)
{
    int64_t coords[BESIDE_POINTS];
    const int64_t n = below(&t->random, nchunks(t));
    for (int k = 0; k < BESIDE_POINTS; k++)
        coords[k] = n * BESIDE_CHUNK + below(&t->random, BESIDE_CHUNK);
    const tess_status st =
        tess_array_get_points(t->a, BESIDE_POINTS, coords, t->items, t->size, err);
    if (st == TESS_OK)
        check_equal(t, t->items, BESIDE_POINTS);
    return st;
}

static tess_each_next
look(const tess_part *part, void *user)
{
    atomic_fetch_add((_Atomic int64_t *)user, part->stop[0] - part->start[0]);
    return TESS_EACH_NEXT;
}

static tess_status
read_each(struct thread *t, tess_error *err)
{
    _Atomic int64_t nitems = 0;
    const tess_status st = tess_array_each(t->a, TESS_CHUNKS, NULL, NULL, look, &nitems, err);
    expect(t, st != TESS_OK || nitems == t->rows, "parts that are not the whole");
    return st;
}

static tess_status
get_chunk(struct thread *t, tess_error *err)
{
    const int64_t n = below(&t->random, nchunks(t));
    tess_chunk_info info;
    void *chunk = NULL;
    size_t size = 0;
    tess_status st = tess_array_chunk(t->a, n, &info, err);
    if (st == TESS_OK)
        st = tess_array_get_chunk(t->a, n, &chunk, &size, err);
    if (st == TESS_OK)
        st = tess_chunk_decode(chunk, size, t->items, t->size, err);
    expect(t, st != TESS_OK || info.nbytes == 8 * BESIDE_CHUNK, "a chunk of another size");
    if (st == TESS_OK)
        check_equal(t, t->items, BESIDE_CHUNK);
    tess_free(chunk);
    return st;
}

static tess_status
copy(struct thread *t, tess_error *err)
{
    tess_array *const original = t->a;
    tess_storage memory;
    void *image = NULL;
    tess_storage_init(&memory);
    tess_status st = tess_array_to_image(t->a, &image, &memory.image_size, err);
    if (st != TESS_OK)
        return st;
    memory.image = image;
    st = tess_array_open(&memory, &t->a, err);
    if (st == TESS_OK)
        st = read_some(t, err);
    tess_array_discard(t->a);
    t->a = original;
    tess_free(image);
    return st;
}

static const struct way reads[] = {
    {"decode", decode, false},
    {"read", read_some, false},
    {"read with steps", read_steps, false},
    {"points", read_points, false},
    {"each", read_each, false},
    {"get a chunk", get_chunk, false},
    {"copy", copy, false},
    {"verify", beside_verify, false},
    {"attributes", beside_get_attributes, false},
};

const struct ways beside_schunk_reads = {reads, COUNT(reads)};

// -- ways to change it

static void
draw_equal(struct thread *t)
{
    const uint64_t item = random_next(&t->random);
    for (int i = 0; i < BESIDE_CHUNK; i++)
        t->items[i] = item;
}

static tess_status
update(struct thread *t, tess_error *err)
{
    draw_equal(t);
    return tess_schunk_update(t->a, below(&t->random, nchunks(t)), t->items, 8 * BESIDE_CHUNK, err);
}

static tess_status
insert(struct thread *t, tess_error *err)
{
    if (nchunks(t) == MOST_CHUNKS)
        return update(t, err);
    draw_equal(t);
    return tess_schunk_insert(t->a, below(&t->random, nchunks(t) + 1), t->items, 8 * BESIDE_CHUNK,
                              err);
}

static tess_status
take_away(struct thread *t, tess_error *err)
{
    return nchunks(t) > 2 ? tess_schunk_remove(t->a, below(&t->random, nchunks(t)), 1, err)
                          : insert(t, err);
}

static tess_status
turn_around(struct thread *t, tess_error *err)
{
    int64_t order[MOST_CHUNKS];
    for (int64_t i = 0; i < nchunks(t); i++)
        order[i] = nchunks(t) - 1 - i;
    return tess_schunk_reorder(t->a, order, nchunks(t), err);
}

static const struct way writes[] = {
    {"flush", beside_flush, false},
    {"flush", beside_flush, false},
    {"flush", beside_flush, false},
    {"flush", beside_flush, false},
    {"set attributes", beside_set_attributes, false},
    {"set attributes", beside_set_attributes, false},
    {"set the context", beside_set_context, true},
    {"update", update, true},
    {"insert", insert, true},
    {"remove", take_away, true},
    {"reorder", turn_around, true},
};

const struct ways beside_schunk_writes = {writes, COUNT(writes)};
