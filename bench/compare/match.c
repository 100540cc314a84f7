/*
 * match.c - the rounds of the comparison.
 */
#include "match.h"

#include "limit.h"

#include "../support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROWS_MAX 20000
#define ROWS_SECONDS 0.5 // of a round; after that the rows done so far are the sample
#define SPARSE_ITEMS 10000
#define ORTHOGONAL_POSITIONS 40

struct player {
    const struct side *side; // NULL: does not play
    struct side_array array; // its path is `home`, or NULL in memory
    bool keeps; // decoded data between calls, in all cells
    char home[600], elsewhere[600], rows[600];
    void *made; // never changed
    void *reading; // the same
    void *changing; // another array for the set cells; NULL until the first of them
    struct bench_times times;
    double spent;
};

struct match {
    const struct match_rules *rules;
    const struct side_array *array;
    const uint8_t *src;
    uint8_t *dst, *expected;
    size_t size; // bytes of each of them
    struct player players[NPLAYERS];
    struct limit *limit; // NULL: not asked for, or not known
    struct bench_times limit_whole, limit_part;
    int64_t *sparse; // SPARSE_ITEMS indices
    int64_t *positions[SIDE_MAX_NDIM], counts[SIDE_MAX_NDIM]; // of the orthogonal cell
};

static void *
player_create(const struct player *p, const char *path, bool cache, const void *src, size_t size)
{
    struct side_array array = p->array;
    void *a;

    array.path = array.path ? path : NULL;
    array.cache = cache;
    a = p->side->create(&array, src, size);
    p->side->flush(a);
    return a;
}

static void *
player_open(const struct player *p, bool cache)
{
    struct side_array array = p->array;

    array.cache = cache;
    return p->side->open(&array, p->made);
}

// A handle from player_open(); in memory some sides have but one.
static void
player_close(const struct player *p, void *a)
{
    if (a && a != p->made)
        p->side->close(a);
}

static void
player_init(struct player *p, const struct match *m, const struct side *side, const char *dir,
            int number)
{
    if (!side || !side->can(m->array))
        return;
    p->side = side;
    p->array = *m->array;
    p->keeps = number == DEFAULTS;
    snprintf(p->home, sizeof p->home, "%s/%d-home", dir, number);
    snprintf(p->elsewhere, sizeof p->elsewhere, "%s/%d-elsewhere", dir, number);
    snprintf(p->rows, sizeof p->rows, "%s/%d-rows", dir, number);
    if (p->array.path)
        p->array.path = p->home;
    p->made = player_create(p, p->home, p->keeps, m->src, m->size);
    if (p->array.path) {
        side->close(p->made);
        p->made = NULL;
    }
    p->reading = player_open(p, p->keeps);
}

static void
player_finish(struct player *p)
{
    if (!p->side)
        return;
    player_close(p, p->reading);
    if (p->changing)
        p->side->close(p->changing);
    if (p->made)
        p->side->close(p->made);
    unlink(p->home);
    unlink(p->elsewhere);
    unlink(p->rows);
}

static void
draw_positions(struct match *m)
{
    uint64_t state = 1;

    m->sparse = bench_alloc(SPARSE_ITEMS * sizeof *m->sparse);
    for (int i = 0; i < SPARSE_ITEMS; i++)
        m->sparse[i] = bench_random_below(&state, array_nitems(m->array));
    for (int i = 0; i < m->array->ndim; i++) {
        const int64_t shape = m->array->shape[i];
        const int64_t n = shape < ORTHOGONAL_POSITIONS ? shape : ORTHOGONAL_POSITIONS;

        m->counts[i] = n;
        m->positions[i] = bench_alloc((size_t)n * sizeof *m->positions[i]);
        for (int64_t k = 0; k < n; k++) // one in each n-th part: sorted
            m->positions[i][k] = k * shape / n + bench_random_below(&state, shape / n);
    }
}

struct match *
match_new(const struct side *const *sides, const struct side_array *array, const char *dir,
          const void *src, const struct match_rules *rules)
{
    struct match *const m = bench_alloc(sizeof *m);

    *m = (struct match){.rules = rules, .array = array, .src = src, .size = array_size(array)};
    m->dst = bench_alloc(m->size);
    m->expected = bench_alloc(m->size);
    draw_positions(m);
    m->limit = rules->limit && array->threads == 1 ? limit_new(array, src, rules->liblz4) : NULL;
    for (int i = 0; i < NPLAYERS; i++)
        player_init(&m->players[i], m, sides[i], dir, i);
    return m;
}

// The arrays of the set cells have seen the same changes, so they must be the same.
static void
check_changed(struct match *m)
{
    struct side_box all = {{0}, {0}};
    bool first = true;

    memcpy(all.stop, m->array->shape, sizeof all.stop);
    for (int i = 0; i < NPLAYERS; i++) {
        const struct player *const p = &m->players[i];
        if (!p->changing)
            continue;
        p->side->read(p->changing, &all, first ? m->expected : m->dst, m->size);
        if (!first && memcmp(m->dst, m->expected, m->size) != 0)
            bench_die("%s: another array than the first after all set cells", p->side->name);
        first = false;
    }
}

void
match_free(struct match *m)
{
    if (!m)
        return;
    check_changed(m);
    for (int i = 0; i < NPLAYERS; i++)
        player_finish(&m->players[i]);
    for (int i = 0; i < SIDE_MAX_NDIM; i++)
        free(m->positions[i]);
    limit_free(m->limit);
    free(m->sparse);
    free(m->dst);
    free(m->expected);
    free(m);
}

// Where the next n bytes go: behind the ones before, or at the front again.
static size_t
advance(const struct match *m, size_t *used, size_t n)
{
    const size_t at = m->size - *used < n ? 0 : *used;

    *used = at + n;
    return at;
}

static double
now(const struct match *m)
{
    struct timespec t;

    if (!m->rules->cpu_time)
        return bench_now();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Each of the following does a cell once. It returns the seconds, and in *used how many bytes in
// front of dst it has filled.

static double
play_write(struct match *m, struct player *p, size_t *used)
{
    struct side_box all = {{0}, {0}};
    double start, seconds;
    void *a;

    unlink(p->elsewhere);
    start = now(m);
    a = player_create(p, p->elsewhere, p->keeps, m->src, m->size);
    if (p->array.path)
        p->side->close(a);
    seconds = now(m) - start;
    if (p->times.n == 0) { // once is enough
        struct side_array array = p->array;
        void *r;

        array.path = array.path ? p->elsewhere : NULL;
        r = p->side->open(&array, a);
        memcpy(all.stop, m->array->shape, sizeof all.stop);
        p->side->read(r, &all, m->dst, m->size);
        *used = m->size;
        if (r != a)
            p->side->close(r);
    }
    if (!p->array.path)
        p->side->close(a);
    unlink(p->elsewhere);
    return seconds;
}

static double
play_read(struct match *m, struct player *p, const struct work *work, size_t *used)
{
    const double start = now(m);

    for (int i = 0; i < work->nboxes; i++) {
        const size_t n = box_size(m->array, &work->boxes[i]);
        const size_t at = advance(m, used, n);
        p->side->read(p->reading, &work->boxes[i], m->dst + at, n);
    }
    return now(m) - start;
}

// Other values in each round.
static const void *
source(const struct match *m, int round, size_t n)
{
    const size_t step = (size_t)m->array->typesize * 4096;

    return m->src + (size_t)round * step % (m->size - n + 1) / step * step;
}

static double
play_set(struct match *m, struct player *p, const struct work *work, size_t *used)
{
    double start, seconds;

    if (!p->changing)
        p->changing = player_create(p, p->elsewhere, p->keeps, m->src, m->size);
    start = now(m);
    for (int i = 0; i < work->nboxes; i++) {
        const size_t n = box_size(m->array, &work->boxes[i]);
        p->side->set(p->changing, &work->boxes[i], source(m, p->times.n + 1, n), n);
    }
    p->side->flush(p->changing);
    seconds = now(m) - start;
    if (p->times.n == 0)
        for (int i = 0; i < work->nboxes; i++) {
            const size_t n = box_size(m->array, &work->boxes[i]);
            const size_t at = advance(m, used, n);
            p->side->read(p->changing, &work->boxes[i], m->dst + at, n);
        }
    return seconds;
}

// Seconds per row, of as many rows as there is time for.
static double
play_rows_read(struct match *m, struct player *p, size_t *used)
{
    void *const a = player_open(p, true);
    const int64_t nrows = array_nrows(m->array) < ROWS_MAX ? array_nrows(m->array) : ROWS_MAX;
    const size_t n = m->size / (size_t)array_nrows(m->array);
    const double start = now(m);
    double seconds = 0;
    int64_t row;

    for (row = 0; row < nrows && seconds < ROWS_SECONDS; row++) {
        struct side_box box;
        row_box(m->array, row, &box);
        p->side->read(a, &box, m->dst + (size_t)row * n, n);
        if (row % 16 == 15)
            seconds = now(m) - start;
    }
    seconds = now(m) - start;
    *used = (size_t)row * n;
    player_close(p, a);
    return seconds / (double)row;
}

static double
play_rows_set(struct match *m, struct player *p, size_t *used)
{
    void *const a = player_create(p, p->rows, true, m->src, m->size);
    const int64_t nrows = array_nrows(m->array) < ROWS_MAX ? array_nrows(m->array) : ROWS_MAX;
    const size_t n = m->size / (size_t)array_nrows(m->array);
    const uint8_t *const src = m->src + m->size - (size_t)nrows * n; // not what is there
    const double start = now(m);
    double seconds = 0;
    int64_t row;

    for (row = 0; row < nrows && seconds < ROWS_SECONDS; row++) {
        struct side_box box;
        row_box(m->array, row, &box);
        p->side->set(a, &box, src + (size_t)row * n, n);
        if (row % 16 == 15)
            seconds = now(m) - start;
    }
    p->side->flush(a);
    seconds = now(m) - start;
    for (int64_t i = 0; p->times.n == 0 && i < row; i++) {
        struct side_box box;
        row_box(m->array, i, &box);
        if (i % 1024 != 0) // reading all of them back would take long
            memcpy(m->dst + (size_t)i * n, src + (size_t)i * n, n);
        else
            p->side->read(a, &box, m->dst + (size_t)i * n, n);
        *used = (size_t)(i + 1) * n;
    }
    p->side->close(a);
    unlink(p->rows);
    return seconds / (double)row;
}

static void
index_box(const struct side_array *array, int64_t index, struct side_box *box)
{
    for (int i = array->ndim - 1; i >= 0; i--) {
        box->start[i] = index % array->shape[i];
        box->stop[i] = box->start[i] + 1;
        index /= array->shape[i];
    }
}

static double
play_sparse(struct match *m, struct player *p, size_t *used)
{
    const size_t item = (size_t)m->array->typesize;
    const double start = now(m);

    *used = SPARSE_ITEMS * item;
    if (p->side->sparse) {
        p->side->sparse(p->reading, m->sparse, SPARSE_ITEMS, m->dst, *used);
        return now(m) - start;
    }
    for (int i = 0; i < SPARSE_ITEMS; i++) {
        struct side_box box;
        index_box(m->array, m->sparse[i], &box);
        p->side->read(p->reading, &box, m->dst + (size_t)i * item, item);
    }
    return now(m) - start;
}

// What a program does without such a call: read the box around all, and pick.
static void
pick(struct match *m, struct player *p)
{
    const int ndim = m->array->ndim;
    const size_t item = (size_t)m->array->typesize;
    struct side_box all = {{0}, {0}};
    int64_t at[SIDE_MAX_NDIM] = {0};
    uint8_t *const box = malloc(m->size), *dst = m->dst;
    int axis;

    if (!box)
        bench_die("no memory for a box of %zu bytes", m->size);
    memcpy(all.stop, m->array->shape, sizeof all.stop);
    p->side->read(p->reading, &all, box, m->size);
    do {
        int64_t index = 0;
        for (int i = 0; i < ndim; i++)
            index = index * m->array->shape[i] + m->positions[i][at[i]];
        memcpy(dst, box + (size_t)index * item, item);
        dst += item;
        for (axis = ndim - 1; axis >= 0 && ++at[axis] == m->counts[axis]; axis--)
            at[axis] = 0;
    } while (axis >= 0);
    free(box);
}

static double
play_orthogonal(struct match *m, struct player *p, size_t *used)
{
    const double start = now(m);

    *used = (size_t)m->array->typesize;
    for (int i = 0; i < m->array->ndim; i++)
        *used *= (size_t)m->counts[i];
    if (p->side->orthogonal)
        p->side->orthogonal(p->reading, m->positions, m->counts, m->dst, *used);
    else
        pick(m, p);
    return now(m) - start;
}

static double
play(struct match *m, struct player *p, const struct work *work, size_t *used)
{
    *used = 0;
    switch (work->kind) {
    case WORK_WRITE:
        return play_write(m, p, used);
    case WORK_READ:
        return play_read(m, p, work, used);
    case WORK_SET:
        return play_set(m, p, work, used);
    case WORK_ROWS_READ:
        return play_rows_read(m, p, used);
    case WORK_ROWS_SET:
        return play_rows_set(m, p, used);
    case WORK_SPARSE:
        return play_sparse(m, p, used);
    case WORK_ORTHOGONAL:
        return play_orthogonal(m, p, used);
    }
    bench_die("no such work");
}

// The round that is not counted. All must agree on what they have in common.
static void
warm_up(struct match *m, const struct work *work)
{
    size_t common = 0;
    bool first = true;

    for (int i = 0; i < NPLAYERS; i++) {
        struct player *const p = &m->players[i];
        size_t used;

        if (!p->side)
            continue;
        p->times.n = 0;
        p->spent = play(m, p, work, &used);
        if (first || used < common)
            common = used;
        if (first)
            memcpy(m->expected, work->kind == WORK_WRITE ? m->src : m->dst, common);
        if (memcmp(m->dst, m->expected, common) != 0)
            bench_die("%s: %s gives something else", p->side->name, work->name);
        first = false;
    }
}

static void
play_limit(struct match *m, const struct work *work, bool part, struct bench_times *times)
{
    const double start = now(m);
    size_t used = 0;

    if (work->kind == WORK_WRITE)
        limit_write(m->limit, m->src);
    for (int i = 0; i < work->nboxes; i++) {
        const size_t at = advance(m, &used, box_size(m->array, &work->boxes[i]));
        limit_read(m->limit, &work->boxes[i], m->dst + at, part);
    }
    bench_times_add(times, now(m) - start);
}

static bool
play_round(struct match *m, const struct work *work)
{
    bool anybody = false;

    for (int i = 0; i < NPLAYERS; i++) {
        struct player *const p = &m->players[i];
        const double start = now(m);
        size_t used;

        if (!p->side || p->times.n == BENCH_ROUNDS_MAX ||
            (p->times.n >= m->rules->repeats && p->spent >= m->rules->budget) ||
            (p->times.n > 0 && p->spent >= m->rules->patience))
            continue;
        bench_times_add(&p->times, play(m, p, work, &used));
        p->spent += now(m) - start;
        anybody = true;
    }
    if (anybody && m->limit && (work->kind == WORK_WRITE || work->kind == WORK_READ)) {
        play_limit(m, work, false, &m->limit_whole);
        if (work->kind == WORK_READ)
            play_limit(m, work, true, &m->limit_part);
    }
    return anybody;
}

// Players have done different numbers of rounds, each with other values: a last one for all.
static void
settle(struct match *m, const struct work *work)
{
    for (int i = 0; i < NPLAYERS; i++) {
        const struct player *const p = &m->players[i];
        for (int k = 0; p->side && k < work->nboxes; k++) {
            const size_t n = box_size(m->array, &work->boxes[k]);
            p->side->set(p->changing, &work->boxes[k], source(m, 0, n), n);
        }
    }
}

static void
set_remark(const struct match *m, const struct work *work, struct result *r)
{
    const struct side *const ours = m->players[TESSERA].side;

    if (work->kind == WORK_SPARSE && !ours->sparse)
        snprintf(r->remark, sizeof r->remark, "no such call: points");
    if (work->kind == WORK_ORTHOGONAL && !ours->orthogonal)
        snprintf(r->remark, sizeof r->remark, "no such call: whole and pick");
}

static void
count(const struct match *m, const struct work *work, struct result *r)
{
    r->requests = work->nboxes ? work->nboxes : 1;
    for (int i = 0; i < work->nboxes; i++)
        r->bytes += (int64_t)box_size(m->array, &work->boxes[i]);
    if (work->kind == WORK_WRITE)
        r->bytes = (int64_t)m->size;
    else if (work->kind == WORK_ROWS_READ || work->kind == WORK_ROWS_SET)
        r->bytes = (int64_t)m->size / array_nrows(m->array);
}

void
match_play(struct match *m, const struct work *work, struct result *r)
{
    m->limit_whole.n = m->limit_part.n = 0;
    warm_up(m, work);
    while (play_round(m, work))
        ;
    if (work->kind == WORK_SET)
        settle(m, work);
    for (int i = 0; i < NPLAYERS; i++) {
        const struct player *const p = &m->players[i];
        if (!p->side)
            continue;
        r->seconds[i] = bench_times_median(&p->times);
        r->stored[i] = p->side->stored(p->reading);
    }
    r->limit = bench_times_median(&m->limit_whole);
    if (m->limit_part.n > 0 && bench_times_median(&m->limit_part) < r->limit)
        r->limit = bench_times_median(&m->limit_part);
    r->repeats = m->players[TESSERA].times.n;
    count(m, work, r);
    set_remark(m, work, r);
}
