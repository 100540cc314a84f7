/*
 * grid_turns.c - tests of grid/write/turns: which chunks a turn has, and threads whose chunks meet
 * are never at work at the same time.
 */
#include "grid/write/turns.h"

#include "geom/shape.h"
#include "support/random.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 5, COLUMNS = 4, CHUNKS = ROWS * COLUMNS, THREADS = 6, ROUNDS = 2000, MOST = 6 };

// 5 x 4 chunks of 3 x 2 items; the last row and column are cut.
static struct geometry
grid_of_chunks(void)
{
    static const int64_t shape[] = {14, 7}, chunkshape[] = {3, 2};
    struct geometry g = {.ndim = 2, .typesize = 1};
    memcpy(g.shape, shape, sizeof shape);
    memcpy(g.chunkshape, chunkshape, sizeof chunkshape);
    g.grid[0] = ROWS;
    g.grid[1] = COLUMNS;
    return g;
}

static void
which(void **state)
{
    static const int64_t list[] = {3, 7, 19};
    const struct geometry g = grid_of_chunks();
    struct turn box, all, some, nothing;
    (void)state;
    turn_of_box(&box, &g,
                &(struct box){(const int64_t[]){2, 4}, (const int64_t[]){7, 5},
                              NULL}); // rows 0 to 2, column 2
    turn_of_all(&all, &g);
    turn_of_list(&some, list, 3);
    turn_of_list(&nothing, NULL, 0);
    for (int64_t n = 0; n < CHUNKS; n++) {
        assert_int_equal(turn_has(&box, &g, n), n / COLUMNS <= 2 && n % COLUMNS == 2);
        assert_true(turn_has(&all, &g, n));
        assert_int_equal(turn_has(&some, &g, n), n == 3 || n == 7 || n == 19);
        assert_false(turn_has(&nothing, &g, n));
    }
}

// Chunks that are taken are left out, also those that a call waits for.
static void
free_ones(void **state)
{
    const struct geometry g = grid_of_chunks();
    struct turns *const t = turns_new();
    struct turn box, other, third;
    int64_t list[] = {0, 2, 6, 7}, again[] = {0, 1, 7};
    (void)state;
    assert_non_null(t);
    turn_of_box(&box, &g,
                &(struct box){(const int64_t[]){2, 4}, (const int64_t[]){7, 5}, NULL}); // 2, 6, 10
    turns_begin(t, &g, &box);
    assert_int_equal(turns_begin_free(t, &g, &other, list, 4), 2);
    assert_true(list[0] == 0 && list[1] == 7);
    assert_int_equal(turns_begin_free(t, &g, &third, again, 3), 1);
    assert_int_equal(again[0], 1);
    int64_t none[] = {1, 10};
    struct turn fourth;
    assert_int_equal(turns_begin_free(t, &g, &fourth, none, 2), 0);
    turns_end(t, &other);
    turns_end(t, &box);
    turns_end(t, &third);
    turns_free(t);
    turns_begin(NULL, &g, &box); // of an array that is only read
    turns_end(NULL, &box);
    turns_free(NULL);
}

struct worker {
    pthread_t thread;
    struct turns *turns;
    struct geometry g;
    struct random random;
    atomic_int *busy; // for each chunk, threads that work on it
    bool wrong;
};

static int
by_number(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

static void
draw_turn(struct worker *w, struct turn *turn, int64_t *list)
{
    int64_t start[2], stop[2];
    size_t n = 0;
    if (random_below(&w->random, 20) == 0) {
        turn_of_all(turn, &w->g);
        return;
    }
    if (random_below(&w->random, 2)) {
        for (int i = 0; i < 2; i++) {
            start[i] = (int64_t)random_below(&w->random, (uint64_t)w->g.shape[i]);
            stop[i] = start[i] + 1 +
                      (int64_t)random_below(&w->random, (uint64_t)(w->g.shape[i] - start[i]));
        }
        turn_of_box(turn, &w->g, &(struct box){start, stop, NULL});
        return;
    }
    for (int i = 0; i < MOST; i++)
        list[i] = (int64_t)random_below(&w->random, CHUNKS);
    qsort(list, MOST, sizeof *list, by_number);
    for (int i = 0; i < MOST; i++)
        if (i == 0 || list[i] != list[n - 1])
            list[n++] = list[i];
    turn_of_list(turn, list, n);
}

static void *
work(void *arg)
{
    struct worker *const w = arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct turn turn;
        int64_t list[MOST];
        draw_turn(w, &turn, list);
        if (turn.list && turn.n > 0 && random_below(&w->random, 2)) {
            if (turns_begin_free(w->turns, &w->g, &turn, list, turn.n) == 0)
                continue;
        } else {
            turns_begin(w->turns, &w->g, &turn);
        }
        for (int64_t n = 0; n < CHUNKS; n++)
            if (turn_has(&turn, &w->g, n))
                w->wrong |= atomic_fetch_add(&w->busy[n], 1) != 0;
        for (int64_t n = 0; n < CHUNKS; n++)
            if (turn_has(&turn, &w->g, n))
                atomic_fetch_sub(&w->busy[n], 1);
        turns_end(w->turns, &turn);
    }
    return NULL;
}

static void
apart(void **state)
{
    static struct worker workers[THREADS];
    atomic_int busy[CHUNKS];
    struct turns *const t = turns_new();
    const uint64_t seed = random_seed();
    (void)state;
    assert_non_null(t);
    for (int n = 0; n < CHUNKS; n++)
        atomic_init(&busy[n], 0);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.turns = t, .g = grid_of_chunks(), .busy = busy};
        random_init(&workers[i].random, seed + (uint64_t)i);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_false(workers[i].wrong);
    }
    turns_free(t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which),
        cmocka_unit_test(free_ones),
        cmocka_unit_test(apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
