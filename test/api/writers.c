/*
 * writers.c - threads write to one handle, in all ways there are, others read beside them.
 *
 * Every write brings one number of its own to all items that it covers. So what an array, or a
 * read, shows tells in which order the writes of a round came, as far as it matters: an item shows
 * the last write that covers it, and a write that began after another one had returned came later.
 * Calls that meet in a chunk take turns, so there is one order of all writes that explains all
 * items; and a read sees each chunk before or after a write, so for each chunk of it there is such
 * an order of some of the writes: of all that had returned when it began, and none that began after
 * its end.
 *
 * The reference is that graph of "came before", which must have no circle.
 *
 * And what other programs see: each commit, also one that the library makes on its own, has all of
 * a call or nothing.
 */
#include "support/files.h"
#include "support/native.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    THREADS = 8,
    WRITES = 2, // of a thread in a round
    READS = 2,
    SIDE = 40, // items along both axes
    CHUNK = 10,
    CELLS = SIDE * SIDE,
    ALL = THREADS * WRITES,
    ALL_READS = THREADS * READS,
};

// A write of a round, or a read.
struct call {
    int64_t began, ended; // the clock of the round
    bool covers[CELLS]; // items
    uint32_t seen[CELLS]; // by a read
    bool done;
    int way;
};

struct round {
    tess_array *a;
    _Atomic int64_t clock;
    uint32_t first; // number of write 0; each thread has the next ones
    uint32_t before[CELLS]; // what the array held
    struct call writes[ALL];
    struct call reads[ALL_READS];
};

struct writer {
    pthread_t thread;
    struct random random;
    struct round *round;
    int number;
    tess_status status;
    tess_error error;
};

static int64_t
tick(struct round *r)
{
    return atomic_fetch_add(&r->clock, 1);
}

static void
draw_range(struct random *r, int64_t *start, int64_t *stop)
{
    const int64_t most = random_below(r, 3) ? 12 : SIDE;
    *start = (int64_t)random_below(r, SIDE);
    *stop = *start + 1 + (int64_t)random_below(r, (uint64_t)(SIDE - *start));
    if (*stop - *start > most)
        *stop = *start + most;
}

static void
cover_box(struct call *c, const int64_t *start, const int64_t *stop, int64_t step)
{
    for (int64_t i = start[0]; i < stop[0]; i += step)
        for (int64_t j = start[1]; j < stop[1]; j += step)
            c->covers[i * SIDE + j] = true;
}

// -- ways to write a number

typedef tess_status way_to_write(struct random *r, tess_array *a, uint32_t number, struct call *c,
                                 tess_error *err);

static uint32_t *
repeat(uint32_t number, size_t n)
{
    uint32_t *const items = malloc(n * sizeof *items);
    for (size_t i = 0; items && i < n; i++)
        items[i] = number;
    return items;
}

static tess_status
write_box(struct random *r, tess_array *a, uint32_t number, struct call *c, tess_error *err)
{
    int64_t start[2], stop[2];
    draw_range(r, &start[0], &stop[0]);
    draw_range(r, &start[1], &stop[1]);
    cover_box(c, start, stop, 1);
    const size_t n = (size_t)((stop[0] - start[0]) * (stop[1] - start[1]));
    uint32_t *const items = repeat(number, n);
    const tess_status st = tess_array_write(a, start, stop, items, 4 * n, err);
    free(items);
    return st;
}

static tess_status
write_fill(struct random *r, tess_array *a, uint32_t number, struct call *c, tess_error *err)
{
    int64_t start[2], stop[2];
    draw_range(r, &start[0], &stop[0]);
    draw_range(r, &start[1], &stop[1]);
    cover_box(c, start, stop, 1);
    return tess_array_fill(a, start, stop, NULL, &number, 4, err);
}

static tess_status
write_steps(struct random *r, tess_array *a, uint32_t number, struct call *c, tess_error *err)
{
    static const int64_t same[2];
    int64_t start[2], stop[2];
    const int64_t step[2] = {3, 3};
    draw_range(r, &start[0], &stop[0]);
    draw_range(r, &start[1], &stop[1]);
    cover_box(c, start, stop, 3);
    return tess_array_set_slice(a, start, stop, step, &number, 4, same, err);
}

static tess_status
write_points(struct random *r, tess_array *a, uint32_t number, struct call *c, tess_error *err)
{
    enum { POINTS = 20 };
    int64_t coords[2 * POINTS];
    uint32_t items[POINTS];
    for (int k = 0; k < POINTS; k++) {
        const int64_t i = (int64_t)random_below(r, SIDE), j = (int64_t)random_below(r, SIDE);
        coords[2 * k] = i;
        coords[2 * k + 1] = j;
        items[k] = number;
        c->covers[i * SIDE + j] = true;
    }
    return tess_array_set_points(a, POINTS, coords, items, sizeof items, err);
}

static tess_status
write_orthogonal(struct random *r, tess_array *a, uint32_t number, struct call *c, tess_error *err)
{
    enum { MOST = 6 };
    int64_t lists[2][MOST];
    const int64_t *const indices[2] = {lists[0], lists[1]};
    int64_t counts[2];
    for (int axis = 0; axis < 2; axis++) {
        counts[axis] = 1 + (int64_t)random_below(r, MOST);
        for (int64_t k = 0; k < counts[axis]; k++)
            lists[axis][k] = (int64_t)random_below(r, SIDE);
    }
    for (int64_t k = 0; k < counts[0]; k++)
        for (int64_t l = 0; l < counts[1]; l++)
            c->covers[lists[0][k] * SIDE + lists[1][l]] = true;
    uint32_t *const items = repeat(number, MOST * MOST);
    const tess_status st =
        tess_array_set_orthogonal(a, counts, indices, items, 4 * MOST * MOST, err);
    free(items);
    return st;
}

static tess_status
write_mask(struct random *r, tess_array *a, uint32_t number, struct call *c, tess_error *err)
{
    uint8_t bytes[CELLS];
    const tess_mask mask = {.ndim = 2, .bytes = bytes, .bytes_size = sizeof bytes};
    const bool all = random_below(r, 8) == 0;
    for (int k = 0; k < CELLS; k++) {
        bytes[k] = all || random_below(r, 40) == 0;
        c->covers[k] = bytes[k];
    }
    return tess_array_set_mask(a, &mask, &number, 4, err);
}

static tess_status
write_boxes(struct random *r, tess_array *a, uint32_t number, struct call *c, tess_error *err)
{
    enum { BOXES = 5, LENGTH = 7 };
    const int64_t shape[2] = {LENGTH, LENGTH};
    int64_t starts[2 * BOXES];
    for (int k = 0; k < BOXES; k++) {
        int64_t stop[2];
        for (int axis = 0; axis < 2; axis++) {
            starts[2 * k + axis] = (int64_t)random_below(r, SIDE - LENGTH + 1);
            stop[axis] = starts[2 * k + axis] + LENGTH;
        }
        cover_box(c, starts + 2 * k, stop, 1);
    }
    uint32_t *const items = repeat(number, BOXES * LENGTH * LENGTH);
    const tess_status st =
        tess_array_set_boxes(a, BOXES, starts, shape, items, 4 * BOXES * LENGTH * LENGTH, err);
    free(items);
    return st;
}

static tess_status
write_view(struct random *r, tess_array *a, uint32_t number, struct call *c, tess_error *err)
{
    const int64_t zero[2] = {0};
    int64_t start[2], stop[2], shape[2];
    tess_array *view = NULL;
    draw_range(r, &start[0], &stop[0]);
    draw_range(r, &start[1], &stop[1]);
    cover_box(c, start, stop, 1);
    for (int i = 0; i < 2; i++)
        shape[i] = stop[i] - start[i];
    tess_status st = tess_array_view_slice(a, start, stop, NULL, &view, err);
    if (st == TESS_OK)
        st = tess_array_fill(view, zero, shape, NULL, &number, 4, err);
    tess_array_discard(view);
    return st;
}

// A box as another type.
static tess_status
write_as(struct random *r, tess_array *a, uint32_t number, struct call *c, tess_error *err)
{
    static const int64_t same[2];
    int64_t start[2], stop[2];
    const double wide = number;
    draw_range(r, &start[0], &stop[0]);
    draw_range(r, &start[1], &stop[1]);
    cover_box(c, start, stop, 1);
    return tess_array_write_as(a, start, stop, TESS_DTYPE_F64, NULL, &wide, sizeof wide, same, err);
}

// A whole chunk, by its stored bytes.
static tess_status
write_chunk(struct random *r, tess_array *a, uint32_t number, struct call *c, tess_error *err)
{
    uint32_t items[CELLS];
    uint8_t chunk[sizeof items + 100];
    tess_params p;
    tess_info info;
    int64_t start[2], stop[2];
    size_t size;
    tess_array_info(a, &info);
    const int64_t across = (SIDE + info.chunkshape[1] - 1) / info.chunkshape[1];
    const int64_t n = (int64_t)random_below(r, (uint64_t)info.nchunks);
    for (int i = 0; i < 2; i++) {
        start[i] = (i == 0 ? n / across : n % across) * info.chunkshape[i];
        stop[i] = start[i] + info.chunkshape[i] < SIDE ? start[i] + info.chunkshape[i] : SIDE;
    }
    for (int i = 0; i < CELLS; i++)
        items[i] = number;
    tess_params_init(&p);
    p.dtype = "<u4";
    p.ndim = 2;
    p.blockshape[0] = info.blockshape[0];
    p.blockshape[1] = info.blockshape[1];
    tess_status st =
        tess_chunk_encode(&p, items, (size_t)info.chunksize, chunk, sizeof chunk, &size, err);
    if (st != TESS_OK)
        return st;
    cover_box(c, start, stop, 1);
    return tess_array_set_chunk(a, n, chunk, size, TESS_CHUNK_UNTRUSTED, err);
}

static tess_each_next
map_number(const tess_map_part *part, void *user)
{
    for (int64_t i = 0; i < part->nitems; i++)
        memcpy((uint8_t *)part->outputs[0] + 4 * i, user, 4);
    return TESS_EACH_NEXT;
}

// A function of the array itself.
static tess_status
write_map(struct random *r, tess_array *a, uint32_t number, struct call *c, tess_error *err)
{
    const tess_array *const input = a;
    int64_t start[2], stop[2];
    draw_range(r, &start[0], &stop[0]);
    draw_range(r, &start[1], &stop[1]);
    cover_box(c, start, stop, 1);
    return tess_map(&input, 1, &a, 1, start, stop, NULL, map_number, &number, err);
}

// -- ways to read

typedef tess_status way_to_read(struct random *r, tess_array *a, struct call *c, tess_error *err);

static void
take_box(struct call *c, const int64_t *start, const int64_t *stop, const uint32_t *items)
{
    cover_box(c, start, stop, 1);
    for (int64_t i = start[0]; i < stop[0]; i++)
        for (int64_t j = start[1]; j < stop[1]; j++)
            c->seen[i * SIDE + j] = *items++;
}

static tess_status
read_box(struct random *r, tess_array *a, struct call *c, tess_error *err)
{
    uint32_t items[CELLS];
    int64_t start[2], stop[2];
    draw_range(r, &start[0], &stop[0]);
    draw_range(r, &start[1], &stop[1]);
    const tess_status st = tess_array_read(a, start, stop, items, sizeof items, err);
    if (st == TESS_OK)
        take_box(c, start, stop, items);
    return st;
}

// Four boxes that together are all of the array.
static tess_status
read_boxes(struct random *r, tess_array *a, struct call *c, tess_error *err)
{
    enum { HALF = SIDE / 2 };
    static const int64_t starts[8] = {0, 0, 0, HALF, HALF, 0, HALF, HALF};
    const int64_t shape[2] = {HALF, HALF};
    uint32_t items[CELLS];
    (void)r;
    const tess_status st =
        tess_array_get_boxes(a, 4, starts, shape, NULL, items, sizeof items, err);
    for (int k = 0; k < 4 && st == TESS_OK; k++) {
        const int64_t stop[2] = {starts[2 * k] + HALF, starts[2 * k + 1] + HALF};
        take_box(c, starts + 2 * k, stop, items + k * HALF * HALF);
    }
    return st;
}

static tess_status
read_all_points(struct random *r, tess_array *a, struct call *c, tess_error *err)
{
    const int64_t start[2] = {0}, stop[2] = {SIDE, SIDE};
    int64_t coords[2 * CELLS];
    uint32_t items[CELLS];
    (void)r;
    for (int k = 0; k < CELLS; k++) {
        coords[2 * k] = k / SIDE;
        coords[2 * k + 1] = k % SIDE;
    }
    const tess_status st = tess_array_get_points(a, CELLS, coords, items, sizeof items, err);
    if (st == TESS_OK)
        take_box(c, start, stop, items);
    return st;
}

// A copy, of stored chunks or of all items, or an image of the whole file.
static tess_status
read_copy(struct random *r, tess_array *a, struct call *c, tess_error *err)
{
    const int64_t start[2] = {0}, stop[2] = {SIDE, SIDE};
    uint32_t items[CELLS];
    tess_array *copy = NULL;
    tess_storage storage;
    void *image = NULL;
    size_t size = 0;
    tess_status st;
    tess_storage_init(&storage);
    if (random_below(r, 2)) {
        st = tess_array_copy(a, &storage, NULL, &copy, err);
    } else {
        st = tess_array_to_image(a, &image, &size, err);
        storage.image = image;
        storage.image_size = size;
        if (st == TESS_OK)
            st = tess_array_open(&storage, &copy, err);
    }
    if (st == TESS_OK)
        st = tess_array_read(copy, start, stop, items, sizeof items, err);
    if (st == TESS_OK)
        take_box(c, start, stop, items);
    tess_array_discard(copy);
    tess_free(image);
    return st;
}

// A whole chunk, by its stored bytes: one block after the other, with padding.
static tess_status
read_chunk(struct random *r, tess_array *a, struct call *c, tess_error *err)
{
    enum { BLOCK = 4, WIDE = (CHUNK + BLOCK - 1) / BLOCK };
    uint32_t stored[WIDE * WIDE * BLOCK * BLOCK], items[CHUNK * CHUNK];
    const int64_t n = (int64_t)random_below(r, SIDE / CHUNK * (SIDE / CHUNK));
    const int64_t start[2] = {n / (SIDE / CHUNK) * CHUNK, n % (SIDE / CHUNK) * CHUNK};
    const int64_t stop[2] = {start[0] + CHUNK, start[1] + CHUNK};
    void *chunk;
    size_t size;
    tess_status st = tess_array_get_chunk(a, n, &chunk, &size, err);
    if (st == TESS_OK)
        st = tess_chunk_decode(chunk, size, stored, sizeof stored, err);
    for (int i = 0; i < CHUNK; i++)
        for (int j = 0; j < CHUNK; j++) {
            const int block = i / BLOCK * WIDE + j / BLOCK;
            items[i * CHUNK + j] = stored[block * BLOCK * BLOCK + i % BLOCK * BLOCK + j % BLOCK];
        }
    if (st == TESS_OK)
        take_box(c, start, stop, items);
    tess_free(chunk);
    return st;
}

static tess_each_next
take_part(const tess_part *part, void *user)
{
    struct call *const c = user;
    for (int64_t i = 0; i < part->stop[0] - part->start[0]; i++)
        for (int64_t j = 0; j < part->stop[1] - part->start[1]; j++) {
            const int64_t cell = (part->start[0] + i) * SIDE + part->start[1] + j;
            memcpy(&c->seen[cell],
                   (const uint8_t *)part->items + i * part->strides[0] + j * part->strides[1], 4);
            c->covers[cell] = true;
        }
    return TESS_EACH_NEXT;
}

static tess_each_next
take_map_part(const tess_map_part *part, void *user)
{
    struct call *const c = user;
    for (int64_t i = 0; i < part->stop[0] - part->start[0]; i++)
        for (int64_t j = 0; j < part->stop[1] - part->start[1]; j++) {
            const int64_t cell = (part->start[0] + i) * SIDE + part->start[1] + j;
            memcpy(&c->seen[cell],
                   (const uint8_t *)part->inputs[0] + i * part->input_strides[0][0] +
                       j * part->input_strides[0][1],
                   4);
            c->covers[cell] = true;
        }
    return TESS_EACH_NEXT;
}

static tess_status
read_map(struct random *r, tess_array *a, struct call *c, tess_error *err)
{
    const tess_array *const input = a;
    (void)r;
    return tess_map(&input, 1, NULL, 0, NULL, NULL, NULL, take_map_part, c, err);
}

static tess_status
read_each(struct random *r, tess_array *a, struct call *c, tess_error *err)
{
    (void)r;
    return tess_array_each(a, TESS_CHUNKS, NULL, NULL, take_part, c, err);
}

// Parts whose function reads the array again, also the items of its part, which may be others then.
struct inside {
    const tess_array *a;
    atomic_bool failed;
};

static tess_each_next
read_again(const tess_part *part, void *user)
{
    struct inside *const in = user;
    uint32_t items[CELLS];
    if (tess_array_read(in->a, part->start, part->stop, items, sizeof items, NULL) != TESS_OK)
        atomic_store(&in->failed, true);
    return TESS_EACH_NEXT;
}

static tess_status
read_inside(struct random *r, tess_array *a, struct call *c, tess_error *err)
{
    struct inside in = {.a = a};
    (void)c;
    const tess_unit unit = random_below(r, 2) ? TESS_BLOCKS : TESS_CHUNKS;
    const tess_status st = tess_array_each(a, unit, NULL, NULL, read_again, &in, err);
    return st == TESS_OK && atomic_load(&in.failed) ? TESS_ERR_IO : st;
}

// What says nothing of items.
static tess_status
look_around(struct random *r, tess_array *a, struct call *c, tess_error *err)
{
    tess_verdict verdict;
    tess_info info;
    tess_chunk_info chunk;
    tess_statistics statistics;
    int64_t value = 0;
    tess_status st = TESS_OK;
    (void)c;
    tess_array_info(a, &info);
    switch (random_below(r, 7)) {
    case 0:
        st = tess_array_verify(a, NULL, NULL, &verdict, err);
        return st == TESS_OK && verdict.ndamaged > 0 ? TESS_ERR_CORRUPT : st;
    case 1:
        return tess_array_measure(a, &info, err);
    case 2:
        return tess_array_chunk(a, (int64_t)random_below(r, 16), &chunk, err);
    case 3:
        return tess_array_statistics(a, NULL, NULL, &statistics, err);
    case 4:
        st = tess_attr_get_int(a, "count", &value, err);
        return st == TESS_ERR_NOT_FOUND ? TESS_OK : st;
    case 5:
        return tess_attr_set_int(a, "count", (int64_t)random_below(r, 1000), err);
    default:
        return tess_array_flush(a, err);
    }
}

static void *
work(void *argument)
{
    static way_to_write *const writes[] = {write_box,    write_box,        write_fill,  write_steps,
                                           write_points, write_orthogonal, write_mask,  write_view,
                                           write_boxes,  write_as,         write_chunk, write_map};
    static way_to_read *const reads[] = {read_box,   read_box,    read_all_points, read_copy,
                                         read_each,  read_inside, read_boxes,      look_around,
                                         read_chunk, read_map};
    struct writer *const w = argument;
    struct round *const round = w->round;
    tess_status st = TESS_OK;
    for (int k = 0; k < WRITES + READS && st == TESS_OK; k++) {
        const int at = k / 2;
        if (k % 2 == 0) {
            const int n = w->number * WRITES + at;
            struct call *const c = &round->writes[n];
            c->began = tick(round);
            st = writes[random_below(&w->random, sizeof writes / sizeof *writes)](
                &w->random, round->a, round->first + (uint32_t)n, c, &w->error);
            c->ended = tick(round);
            c->done = st == TESS_OK;
        } else {
            struct call *const c = &round->reads[w->number * READS + at];
            c->began = tick(round);
            c->way = (int)random_below(&w->random, sizeof reads / sizeof *reads);
            st = reads[c->way](&w->random, round->a, c, &w->error);
            c->ended = tick(round);
            c->done = st == TESS_OK;
        }
    }
    w->status = st;
    return NULL;
}

// -- what is right

// Whether there is an order of the writes in `in` that explains some items, and keeps to time.
static bool
is_explained(const struct round *r, const uint32_t *seen, const bool *cells, const bool *in)
{
    bool earlier[ALL][ALL] = {{false}}; // [i][j]: i came before j
    bool placed[ALL] = {false};
    for (int k = 0; k < CELLS; k++) {
        if (!cells[k])
            continue;
        const int64_t last = (int64_t)seen[k] - (int64_t)r->first;
        const bool old = seen[k] == r->before[k];
        if (!old && (last < 0 || last >= ALL || !in[last] || !r->writes[last].covers[k]))
            return false; // a number that no write brought there
        for (int i = 0; i < ALL; i++)
            if (in[i] && r->writes[i].covers[k] && i != last) {
                if (old)
                    return false; // it was overwritten
                earlier[i][last] = true;
            }
    }
    for (int i = 0; i < ALL; i++)
        for (int j = 0; j < ALL; j++)
            earlier[i][j] |= r->writes[i].ended < r->writes[j].began;
    for (int left = ALL; left > 0; left--) { // take away one that nothing left comes before
        int next = -1;
        for (int j = 0; j < ALL && next < 0; j++) {
            bool first = !placed[j];
            for (int i = 0; i < ALL && first; i++)
                first = placed[i] || i == j || !in[i] || !in[j] || !earlier[i][j];
            next = first ? j : -1;
        }
        if (next < 0)
            return false;
        placed[next] = true;
    }
    return true;
}

// The writes that must be seen in some cells, and those that may be and are.
static bool
chunk_is_explained(const struct round *r, const struct call *read, const bool *cells)
{
    bool in[ALL];
    for (int i = 0; i < ALL; i++) {
        in[i] = r->writes[i].ended < read->began;
        for (int k = 0; k < CELLS && !in[i]; k++)
            in[i] = cells[k] && read->seen[k] == r->first + (uint32_t)i;
        if (in[i] && r->writes[i].began > read->ended)
            return false;
    }
    // A write that was overwritten wholly before the read shows nowhere: it makes no difference.
    return is_explained(r, read->seen, cells, in);
}

static void
check_read(const struct round *r, const struct call *read)
{
    for (int chunk = 0; chunk < CELLS / CHUNK / CHUNK; chunk++) {
        const int per_row = SIDE / CHUNK;
        bool cells[CELLS] = {false};
        bool any = false;
        for (int k = 0; k < CELLS; k++) {
            cells[k] = read->covers[k] && k / SIDE / CHUNK * per_row + k % SIDE / CHUNK == chunk;
            any |= cells[k];
        }
        if (any && !chunk_is_explained(r, read, cells))
            fail_msg("a read (way %d) that saw no state of chunk %d", read->way, chunk);
    }
}

static void
check_round(struct round *r)
{
    const int64_t start[2] = {0}, stop[2] = {SIDE, SIDE};
    static struct call end;
    bool all[ALL], cells[CELLS];
    memset(all, true, sizeof all);
    memset(cells, true, sizeof cells);
    ok(tess_array_read(r->a, start, stop, end.seen, sizeof end.seen, err));
    assert_true(is_explained(r, end.seen, cells, all));
    for (int i = 0; i < ALL_READS; i++)
        check_read(r, &r->reads[i]);
    memcpy(r->before, end.seen, sizeof r->before);
}

static void
run_round(struct round *r, uint64_t seed)
{
    struct writer writers[THREADS];
    memset(writers, 0, sizeof writers);
    memset(r->writes, 0, sizeof r->writes);
    memset(r->reads, 0, sizeof r->reads);
    atomic_store(&r->clock, 0);
    for (int i = 0; i < THREADS; i++) {
        writers[i].round = r;
        writers[i].number = i;
        random_init(&writers[i].random, seed * THREADS + (uint64_t)i);
        assert_int_equal(pthread_create(&writers[i].thread, NULL, work, &writers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(writers[i].thread, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        if (writers[i].status != TESS_OK)
            fail_msg("thread %d: %s", i, writers[i].error.message);
    check_round(r);
    r->first += ALL;
}

struct place {
    const char *name; // NULL: memory
    tess_layout layout;
    int64_t cache;
    int threads;
    tess_checksums checksums;
    tess_codec codec;
    int clevel;
};

static void
begin_array(const struct place *p, tess_storage *storage, tess_context *context, tess_array **a)
{
    tess_params params;
    tess_context_init(context);
    context->cache = p->cache;
    context->threads = p->threads;
    tess_storage_init(storage);
    storage->context = context;
    storage->path = p->name ? files_path(p->name) : NULL;
    storage->mode = TESS_MODE_REPLACE;
    storage->checksums = p->checksums;
    tess_params_init(&params);
    params.dtype = NATIVE "u4";
    params.ndim = 2;
    params.layout = p->layout;
    params.codec = (int)p->codec;
    params.clevel = p->clevel;
    for (int i = 0; i < 2; i++) {
        params.shape[i] = SIDE;
        params.chunkshape[i] = CHUNK;
        params.blockshape[i] = 4;
    }
    ok(tess_array_zeros(storage, &params, a, err));
}

static void
writers(void **state)
{
    static const struct place places[] = {
        {NULL, TESS_LAYOUT_CONTIGUOUS, 0, 1, TESS_CHECKSUMS_WRITE, TESS_CODEC_LZ4, 5},
        {NULL, TESS_LAYOUT_CONTIGUOUS, 1 << 20, 2, TESS_CHECKSUMS_WRITE, TESS_CODEC_ZSTD, 1},
        {"f", TESS_LAYOUT_CONTIGUOUS, 0, 2, TESS_CHECKSUMS_WRITE, TESS_CODEC_LZ4, 5},
        {"f", TESS_LAYOUT_CONTIGUOUS, 1500, 2, TESS_CHECKSUMS_WRITE, TESS_CODEC_ZSTD, 1},
        {"f", TESS_LAYOUT_CONTIGUOUS, 1 << 20, 1, TESS_CHECKSUMS_VERIFY, TESS_CODEC_LZ4, 5},
        {"f", TESS_LAYOUT_CONTIGUOUS, 0, 2, TESS_CHECKSUMS_NONE, TESS_CODEC_LZ4, 0},
        {"d", TESS_LAYOUT_SPARSE, 0, 2, TESS_CHECKSUMS_WRITE, TESS_CODEC_LZ4, 5},
        {"d", TESS_LAYOUT_SPARSE, 3000, 1, TESS_CHECKSUMS_VERIFY, TESS_CODEC_BLOSCLZ, 5},
    };
    enum { PLACES = sizeof places / sizeof *places };
    const uint64_t seed = random_seed();
    const int64_t rounds = random_cases(20 * PLACES, 10000);
    (void)state;
    for (int p = 0; p < PLACES; p++) {
        static struct round round;
        tess_storage storage;
        tess_context context;
        struct reference ref;
        memset(&round, 0, sizeof round);
        round.first = 1;
        begin_array(&places[p], &storage, &context, &round.a);
        for (int64_t i = 0; i < rounds / PLACES; i++)
            run_round(&round, seed + (uint64_t)i * PLACES + (uint64_t)p);
        if (places[p].name) {
            const int64_t shape[2] = {SIDE, SIDE};
            reference_init(&ref, 2, shape, 4);
            memcpy(ref.data, round.before, sizeof round.before);
            ok(tess_array_close(round.a, err));
            check_file(storage.path, &ref);
            reference_finish(&ref);
        } else {
            tess_array_discard(round.a);
        }
    }
}

// -- commits

enum {
    LARGE_SIDE = 400,
    LARGE_CHUNK = 20,
    LARGE_CELLS = LARGE_SIDE * LARGE_SIDE,
    LARGE_WRITES = 600,
};

struct box {
    int64_t start[2], stop[2];
};

// The items of a write, no two of which are equal: number, and cell.
static size_t
paint(uint32_t *cells, int64_t stride, const struct box *b, uint32_t number)
{
    for (int64_t i = b->start[0]; i < b->stop[0]; i++, cells += stride)
        for (int64_t j = b->start[1]; j < b->stop[1]; j++)
            cells[j - b->start[1]] = number | (uint32_t)(i * LARGE_SIDE + j) << 12;
    return (size_t)((b->stop[0] - b->start[0]) * (b->stop[1] - b->start[1]));
}

// The committed state is what writes of some numbers make of zeros, in their order. Returns whether
// it is another one than the last time.
static bool
check_commit(const tess_storage *storage, const struct box *boxes)
{
    static uint32_t seen[LARGE_CELLS], want[LARGE_CELLS], last[LARGE_CELLS];
    static bool in[LARGE_WRITES + 1];
    const int64_t start[2] = {0}, stop[2] = {LARGE_SIDE, LARGE_SIDE};
    tess_storage reading;
    tess_array *a = NULL;
    tess_storage_init(&reading);
    reading.path = storage->path;
    ok(tess_array_open(&reading, &a, err));
    ok(tess_array_read(a, start, stop, seen, sizeof seen, err));
    ok(tess_array_close(a, err));
    memset(in, 0, sizeof in);
    memset(want, 0, sizeof want);
    for (int k = 0; k < LARGE_CELLS; k++)
        in[seen[k] & 0xfff] = true;
    for (uint32_t number = 1; number <= LARGE_WRITES; number++)
        if (in[number])
            paint(want + boxes[number].start[0] * LARGE_SIDE + boxes[number].start[1], LARGE_SIDE,
                  &boxes[number], number);
    assert_memory_equal(seen, want, sizeof want);
    const bool other = memcmp(seen, last, sizeof seen) != 0;
    memcpy(last, seen, sizeof seen);
    return other;
}

static void
whole_calls(void **state)
{
    static struct box boxes[LARGE_WRITES + 1];
    static uint32_t items[LARGE_CELLS];
    static const int64_t caches[] = {0, 20000, 60000};
    const uint64_t seed = random_seed();
    struct random r;
    (void)state;
    random_init(&r, seed);
    for (int i = 0; i < 3; i++) {
        tess_context context;
        tess_storage storage;
        tess_params params;
        tess_array *a = NULL;
        int commits = 0;
        tess_context_init(&context);
        context.cache = caches[i];
        tess_storage_init(&storage);
        storage.context = &context;
        storage.path = files_path("f");
        storage.mode = TESS_MODE_REPLACE;
        tess_params_init(&params);
        params.dtype = NATIVE "u4";
        params.ndim = 2;
        params.clevel = 0;
        for (int axis = 0; axis < 2; axis++) {
            params.shape[axis] = LARGE_SIDE;
            params.chunkshape[axis] = LARGE_CHUNK;
            params.blockshape[axis] = 10;
        }
        ok(tess_array_zeros(&storage, &params, &a, err));
        for (uint32_t number = 1; number <= LARGE_WRITES; number++) {
            struct box *const b = &boxes[number];
            for (int axis = 0; axis < 2; axis++) {
                const uint64_t most = random_below(&r, 2) ? 30 : 100;
                b->start[axis] = (int64_t)random_below(&r, LARGE_SIDE);
                b->stop[axis] = b->start[axis] + 1 + (int64_t)random_below(&r, most);
                if (b->stop[axis] > LARGE_SIDE)
                    b->stop[axis] = LARGE_SIDE;
                if (number == 1) { // all, which automatic commits are measured against
                    b->start[axis] = 0;
                    b->stop[axis] = LARGE_SIDE;
                }
            }
            const size_t n = paint(items, b->stop[1] - b->start[1], b, number);
            ok(tess_array_write(a, b->start, b->stop, items, 4 * n, err));
            if (number == 1)
                ok(tess_array_flush(a, err));
            if (number % 3 == 0)
                commits += check_commit(&storage, boxes);
        }
        assert_true(commits > 3);
        ok(tess_array_flush(a, err));
        (void)check_commit(&storage, boxes);
        ok(tess_array_close(a, err));
    }
}

// -- a file of chunks that are large enough to be written beside others

enum { WIDE = 512, WIDE_CHUNK = 128, TILE = 48, TIMES = 3 };

struct tiler {
    pthread_t thread;
    tess_array *a;
    int64_t first, stop; // rows
    uint32_t salt;
    tess_status status;
    tess_error error;
};

// Items that do not get smaller.
static uint32_t
noise(int64_t i, int64_t j, uint32_t salt)
{
    struct random r;
    random_init(&r, (uint64_t)(i * WIDE + j) * 1000 + salt);
    return (uint32_t)random_next(&r);
}

static void *
write_tiles(void *arg)
{
    struct tiler *const t = arg;
    uint32_t items[TILE * TILE];
    for (int k = 0; k < TIMES; k++)
        for (int64_t i = t->first; i < t->stop; i += TILE)
            for (int64_t j = 0; j < WIDE && t->status == TESS_OK; j += TILE) {
                const int64_t start[2] = {i, j};
                const int64_t stop[2] = {i + TILE < t->stop ? i + TILE : t->stop,
                                         j + TILE < WIDE ? j + TILE : WIDE};
                uint32_t *item = items;
                for (int64_t x = i; x < stop[0]; x++)
                    for (int64_t y = j; y < stop[1]; y++)
                        *item++ = noise(x, y, t->salt);
                t->status = tess_array_write(t->a, start, stop, items, sizeof items, &t->error);
            }
    return NULL;
}

// Tiles that are parts of chunks, so that chunks are stored again and again, each time where others
// were: all that two threads wrote is there, in the handle and in the file.
static void
tiles_of_chunks(void **state)
{
    static const int64_t caches[] = {0, 200000, 400000};
    (void)state;
    for (int64_t n = 0; n < random_cases(6, 100); n++) {
        struct tiler tilers[2];
        struct reference want;
        tess_context context;
        tess_storage storage;
        tess_params p;
        tess_array *a = NULL;
        tess_context_init(&context);
        context.threads = 1;
        context.cache = caches[n % 3];
        tess_storage_init(&storage);
        storage.context = &context;
        storage.path = files_path("tiles");
        storage.mode = TESS_MODE_REPLACE;
        tess_params_init(&p);
        p.dtype = NATIVE "u4";
        p.ndim = 2;
        p.shape[0] = p.shape[1] = WIDE;
        p.chunkshape[0] = p.chunkshape[1] = WIDE_CHUNK;
        p.blockshape[0] = p.blockshape[1] = 32;
        ok(tess_array_zeros(&storage, &p, &a, err));
        for (int k = 0; k < 2; k++) {
            tilers[k] = (struct tiler){.a = a, .salt = (uint32_t)n};
            tilers[k].first = k * (WIDE / 2);
            tilers[k].stop = (k + 1) * (WIDE / 2);
            assert_int_equal(pthread_create(&tilers[k].thread, NULL, write_tiles, &tilers[k]), 0);
        }
        for (int k = 0; k < 2; k++) {
            pthread_join(tilers[k].thread, NULL);
            if (tilers[k].status != TESS_OK)
                fail_msg("thread %d: %s", k, tilers[k].error.message);
        }
        reference_init(&want, 2, p.shape, 4);
        for (int64_t i = 0; i < WIDE; i++)
            for (int64_t j = 0; j < WIDE; j++)
                memcpy(want.data + (i * WIDE + j) * 4, &(uint32_t){noise(i, j, (uint32_t)n)}, 4);
        check_array(a, &want);
        ok(tess_array_close(a, err));
        check_file(files_path("tiles"), &want);
        reference_finish(&want);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tiles_of_chunks, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(writers, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(whole_calls, files_setup, files_teardown),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]); // such as "writers", with many cases
    return cmocka_run_group_tests(tests, NULL, NULL);
}
