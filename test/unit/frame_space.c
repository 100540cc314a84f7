/*
 * frame_space.c - tests of frame/space against a map of single bytes: random takes, releases and
 * commits, some of which are synced, some fail half way.
 *
 * The promises: what is handed out never meets a byte that the list in memory needs, or that a
 * state needs which may be the one on the disk; and every byte that nobody needs is free.
 */
#include "frame/contiguous/space.h"

#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum {
    HEADER = 100, // bytes before everything
    BYTES = 1 << 16,
    CHUNKS = 40,
    SIZE_MOST = 200,
    BATCHES = 1500,
};

// A list of chunks; on the disk with index and trailer.
struct state {
    struct extent chunks[CHUNKS]; // size 0: none
    struct extent body;
};

struct model {
    struct space space;
    struct state now; // the list in memory
    struct state disk[2]; // what may be on the disk
    int ndisk;
    int64_t reused; // takes below the end
};

static void
mark(uint8_t *map, struct extent e, uint8_t bit)
{
    assert_true(e.start >= 0 && e.start + e.size <= BYTES);
    for (int64_t i = e.start; i < e.start + e.size; i++)
        map[i] |= bit;
}

static void
mark_state(uint8_t *map, const struct state *s, uint8_t bit)
{
    for (int i = 0; i < CHUNKS; i++)
        mark(map, s->chunks[i], bit);
    mark(map, s->body, bit);
}

enum { HELD = 1, ON_DISK = 2, FREE = 4 };

static void
draw(const struct model *m, uint8_t *map)
{
    memset(map, 0, BYTES);
    mark(map, (struct extent){0, HEADER}, HELD);
    for (int i = 0; i < CHUNKS; i++)
        mark(map, m->now.chunks[i], HELD);
    for (int i = 0; i < m->ndisk; i++)
        mark_state(map, &m->disk[i], ON_DISK);
}

static void
check_unused(const struct model *m, struct extent e, const char *what)
{
    static uint8_t map[BYTES];
    draw(m, map);
    assert_true(e.start >= 0 && e.start + e.size <= BYTES);
    for (int64_t i = e.start; i < e.start + e.size; i++)
        if (map[i])
            fail_msg("%s at %" PRId64 ", %" PRId64 " bytes: byte %" PRId64 " is in use (%d)", what,
                     e.start, e.size, i, map[i]);
}

// Free is exactly what nobody needs.
static void
check_free(const struct model *m)
{
    static uint8_t map[BYTES];
    const struct space *const s = &m->space;
    struct extent e;

    draw(m, map);
    for (int64_t end = 0; extents_next(&s->open, end, &e); end = e.start + e.size) {
        assert_true(e.size > 0);
        assert_true(end == 0 || e.start > end); // joined
        mark(map, e, FREE);
    }
    for (int64_t i = 0; i < s->end; i++)
        if ((map[i] & FREE) ? map[i] != FREE : map[i] == 0)
            fail_msg("byte %" PRId64 " of %" PRId64 " is %s", i, s->end,
                     map[i] ? "free, and needed" : "lost");
    for (int64_t i = s->end; i < BYTES; i++)
        if (map[i] & (HELD | FREE))
            fail_msg("byte %" PRId64 " is behind the end, %" PRId64, i, s->end);
    if (s->end > 0 && map[s->end - 1] == FREE)
        fail_msg("what is in front of the end, %" PRId64 ", is free", s->end);
}

// The smallest free extent that is large enough; 0: none is.
static int64_t
best_size(const struct space *s, int64_t size)
{
    int64_t best = 0;
    struct extent e;
    for (int64_t at = 0; extents_next(&s->open, at, &e); at = e.start + e.size)
        if (e.size >= size && (best == 0 || e.size < best))
            best = e.size;
    return best;
}

static struct extent
take(struct model *m, int64_t size)
{
    struct extent e = {.size = size};
    const int64_t end = m->space.end, best = best_size(&m->space, size);

    assert_int_equal(space_take(&m->space, size, &e.start, NULL), TESS_OK);
    check_unused(m, e, "taken");
    assert_int_equal(e.start<end, best> 0);
    m->reused += best > 0;
    return e;
}

// Take more than is needed, and give the rest back.
static struct extent
take_ahead(struct model *m, int64_t size)
{
    const struct extent e = take(m, size + size / 2);
    space_shrink(&m->space, e.start, size);
    return (struct extent){e.start, size};
}

// The new chunk first, then the old one is no longer needed: what a frame does. Size 0: no new one.
static void
replace(struct model *m, int n, int64_t size)
{
    const struct extent before = m->now.chunks[n];
    const struct extent after = size == 0       ? (struct extent){0}
                                : size % 3 == 0 ? take_ahead(m, size)
                                                : take(m, size);
    m->now.chunks[n] = after;
    if (before.size > 0)
        space_release(&m->space, before);
    check_free(m);
}

// All that was written is on the disk: the newest state is what is there.
static void
synced(struct model *m)
{
    space_synced(&m->space);
    m->disk[0] = m->disk[m->ndisk - 1];
    m->ndisk = 1;
}

enum outcome { FAILED_BEFORE_SYNC, FAILED_BEFORE_HEADER, UNKNOWN, KNOWN };

static void
commit(struct model *m, int64_t size, bool syncs, enum outcome outcome)
{
    const struct extent body = {space_place(&m->space, size), size};

    check_unused(m, body, "index and trailer");
    for (int i = 0; i < CHUNKS; i++)
        assert_true(m->now.chunks[i].size == 0 ||
                    m->now.chunks[i].start + m->now.chunks[i].size <= body.start);
    if (outcome == FAILED_BEFORE_SYNC)
        return;
    if (syncs)
        synced(m);
    if (outcome == FAILED_BEFORE_HEADER)
        return;
    m->now.body = body;
    m->disk[0] = m->disk[m->ndisk - 1];
    m->disk[1] = m->now;
    m->ndisk = 2;
    space_committed(&m->space, body, outcome == KNOWN);
    if (outcome == KNOWN)
        synced(m);
}

static void
start(struct model *m)
{
    *m = (struct model){.ndisk = 1};
    m->disk[0].body = (struct extent){HEADER, 40};
    space_init(&m->space, HEADER, m->disk[0].body);
}

static int64_t
random_size(struct random *r)
{
    return 1 + (int64_t)random_below(r, SIZE_MOST);
}

// Some chunks are taken and given back in the end, as when a change is undone.
static void
undone(struct random *r, struct model *m)
{
    struct extent taken[8];
    const int n = (int)random_below(r, 8);
    const struct state before = m->now;

    for (int i = 0; i < n; i++) { // places that hold nothing stand for them
        taken[i] = take(m, random_size(r));
        for (int k = 0; k < CHUNKS; k++)
            if (m->now.chunks[k].size == 0) {
                m->now.chunks[k] = taken[i];
                break;
            }
    }
    m->now = before;
    for (int i = n - 1; i >= 0; i--)
        space_release(&m->space, taken[i]);
    check_free(m);
}

static void
batch(struct random *r, struct model *m, int most)
{
    const int n = (int)random_below(r, (uint64_t)most + 1);
    for (int i = 0; i < n; i++)
        if (random_below(r, 5) == 0)
            undone(r, m);
        else
            replace(m, (int)random_below(r, CHUNKS / 2),
                    random_below(r, 6) == 0 ? 0 : random_size(r));
}

// How commits end, by durability.
enum durability { NONE, ORDERED, FSYNC };

static void
end_batch(struct random *r, struct model *m, enum durability durability)
{
    const int64_t size = 1 + (int64_t)random_below(r, 300);
    const bool syncs = durability != NONE;

    if (random_below(r, 10) == 0)
        commit(m, size, syncs, FAILED_BEFORE_SYNC);
    else if (random_below(r, 10) == 0)
        commit(m, size, syncs, FAILED_BEFORE_HEADER);
    else if (durability == ORDERED || (durability == FSYNC && random_below(r, 10) == 0))
        commit(m, size, syncs, UNKNOWN);
    else
        commit(m, size, syncs, KNOWN);
    check_free(m);
}

static void
run(enum durability durability)
{
    struct random r;
    struct model m;

    random_init(&r, random_seed());
    start(&m);
    check_free(&m);
    for (int i = 0; i < BATCHES; i++) {
        batch(&r, &m, 6);
        end_batch(&r, &m, durability);
        // Chunks of 20 places, replaced in whatever order, and two bodies of up to 300 bytes.
        assert_true(m.space.end < 4 * (CHUNKS / 2 * SIZE_MOST + 600));
    }
    assert_true(m.reused > BATCHES);
    space_finish(&m.space);
}

// Twice as many chunks as before are stored in the holes: none of it is at the end, or meets what a
// state needs; what lies behind a place can be kept out of it.
static void
holes_only(void **state)
{
    struct model m;
    int64_t at;

    (void)state;
    start(&m);
    for (int n = 0; n < CHUNKS; n++)
        replace(&m, n, 100 + n);
    commit(&m, 50, true, KNOWN);
    for (int n = 0; n < CHUNKS; n += 2)
        replace(&m, n, 0);
    commit(&m, 50, true, KNOWN);
    const int64_t end = m.space.end, half = m.now.chunks[CHUNKS / 2 + 1].start;
    const int64_t below = m.space.open.total;
    assert_false(space_would_grow(&m.space, 100));
    assert_true(space_would_grow(&m.space, end));
    space_park_from(&m.space, half);
    assert_true(m.space.open.total < below);
    int taken = 0;
    while (space_take_hole(&m.space, 100, &at)) {
        check_unused(&m, (struct extent){at, 100}, "taken");
        assert_true(at < half);
        taken++;
    }
    assert_int_equal(taken, CHUNKS / 4 + 1);
    assert_int_equal(m.space.end, end);
    assert_true(space_would_grow(&m.space, 100));
    commit(&m, 50, true, KNOWN);
    assert_false(space_would_grow(&m.space, 100));
    space_finish(&m.space);
}

static void
without_sync(void **state)
{
    (void)state;
    run(NONE);
}

static void
ordered(void **state)
{
    (void)state;
    run(ORDERED);
}

static void
fsynced(void **state)
{
    (void)state;
    run(FSYNC);
}

// Bytes that were freed are handed out again two commits later at the latest, one where it is
// known to be on the disk.
static void
when_space_returns(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        struct model m;
        start(&m);
        replace(&m, 0, 1000);
        replace(&m, 1, 100);
        const int64_t old = m.now.chunks[0].start;
        commit(&m, 50, true, known ? KNOWN : UNKNOWN);
        commit(&m, 51, true, known ? KNOWN : UNKNOWN);
        replace(&m, 0, 0);
        assert_true(take(&m, 1000).start > old); // the state on disk needs it
        commit(&m, 50, true, known ? KNOWN : UNKNOWN);
        if (!known) {
            assert_true(take(&m, 1000).start > old); // maybe still
            commit(&m, 51, true, UNKNOWN);
        }
        assert_true(take(&m, 1000).start <= old); // the first index and trailer were before it
        space_finish(&m.space);
    }
}

static void
nothing(void **state)
{
    struct space s = {0};

    (void)state;
    space_finish(&s);
    space_init(&s, 10, (struct extent){10, 5});
    assert_int_equal(space_place(&s, 1), 15);
    space_finish(&s);
    space_finish(&s);
}

// A lease stays taken over commits; adopted parts are chunks of the batch, the rest is free.
static void
leases(void **state)
{
    struct space s;
    int64_t lease, other, start;
    (void)state;
    space_init(&s, HEADER, (struct extent){0});
    space_lease(&s, 100, &lease);
    space_lease(&s, 50, &other);
    assert_true(lease == HEADER && other == HEADER + 100);
    assert_false(space_is_new(&s, lease)); // nobody releases all of it as a chunk
    for (int i = 0; i < 3; i++) {
        const struct extent body = {space_place(&s, 10), 10};
        assert_true(body.start >= other + 50);
        space_committed(&s, body, true);
    }
    assert_true(space_reserve_adopted(&s, 2));
    space_adopt(&s, (struct extent){lease + 10, 20});
    space_adopt(&s, (struct extent){lease + 30, 20});
    assert_true(space_is_new(&s, lease + 10));
    assert_true(space_release_new(&s, lease + 30)); // replaced in the same batch
    space_end_lease(&s, (struct extent){lease, 10});
    space_end_lease(&s, (struct extent){lease + 50, 50});
    assert_int_equal(space_take(&s, 70, &start, NULL), TESS_OK); // joined
    assert_int_equal(start, lease + 30);
    assert_int_equal(space_take(&s, 10, &start, NULL), TESS_OK);
    assert_int_equal(start, lease);
    space_end_lease(&s, (struct extent){other, 50});
    assert_int_equal(s.end, other); // the last one ends there
    space_finish(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leases),
        cmocka_unit_test(without_sync),
        cmocka_unit_test(ordered),
        cmocka_unit_test(fsynced),
        cmocka_unit_test(when_space_returns),
        cmocka_unit_test(holes_only),
        cmocka_unit_test(nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
