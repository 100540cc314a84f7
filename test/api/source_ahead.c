/*
 * source_ahead.c - arrays in slow sources: what is read concurrently and ahead, and how much of it.
 */
#include "support/far_questions.h"
#include "support/far_scene.h"
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// Blocks that lie far from each other come to `read` together. Objects of a directory are read side
// by side by several calls of it.
static void
slow_ranges_overlap(void **state)
{
    static const int overlapping[] = {3, 6, 7};
    (void)state;
    for (size_t i = 0; i < sizeof overlapping / sizeof *overlapping; i++) {
        const struct kind *const k = &far_kinds[overlapping[i]];
        const int64_t start[TESS_MAX_NDIM] = {0}, step[] = {k->ndim == 1 ? 200000 : 7, 1, 1};
        const char *const path = far_make(k, 5);
        struct scene s;
        struct random r;
        random_init(&r, 1);
        far_draw_scene(&s, &r);
        far_load(&s, path, k->layout == TESS_LAYOUT_SPARSE);
        s.conduct.latency = FAR;
        s.conduct.requests = 8;
        s.conduct.order = k->layout == TESS_LAYOUT_SPARSE ? ORDER_UP : ORDER_THREADS;
        s.conduct.ends = false;
        s.context.threads = 2;
        s.context.ahead = TESS_AHEAD_DEFAULT;
        ok(far_open_here(&s, err));
        s.conduct.pause = 2000;
        atomic_store(&s.conduct.most, 0);
        ok(tess_array_get_slice(s.here, start, k->shape,
                                k->layout == TESS_LAYOUT_SPARSE ? NULL : step, far_first.bytes,
                                ANSWER, NULL, err));
        if (atomic_load(&s.conduct.most) < 2)
            fail_msg("%s: %d at once", k->name, atomic_load(&s.conduct.most));
        far_close_here(&s);
        files_remove(path);
    }
}

// Checks and copies of a directory open its files side by side, and read each at most twice.
static void
directories_are_read_ahead(void **state)
{
    static const struct question questions_of_all[] = {{"verify", far_ask_verify, 0, false},
                                                       {"copy", far_ask_copy, 0, false}};
    const char *const path = far_make(&far_kinds[6], 5);
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct scene s;
        struct random r;
        tess_info info;
        random_init(&r, 1);
        far_draw_scene(&s, &r);
        far_load(&s, path, true);
        s.conduct.latency = FAR;
        s.conduct.requests = 8;
        s.conduct.ends = i / 2;
        s.context.threads = 1;
        s.context.ahead = TESS_AHEAD_DEFAULT;
        s.context.cache = 0;
        ok(far_open_here(&s, err));
        tess_array_info(s.here, &info);
        s.conduct.pause = 2000;
        atomic_store(&s.conduct.most, 0);
        const int before = atomic_load(&s.conduct.ranges);
        far_ask(&questions_of_all[i % 2], s.here, 1, &far_first);
        assert_int_equal(far_first.status, TESS_OK);
        const int found = atomic_load(&s.conduct.ranges) - before;
        if (!s.conduct.ends && atomic_load(&s.conduct.most) < 2)
            fail_msg("%s: %d at once", questions_of_all[i % 2].name, atomic_load(&s.conduct.most));
        if (found > 2 * info.nstored + 2)
            fail_msg("%s: %d requests for %d chunks", questions_of_all[i % 2].name, found,
                     (int)info.nstored);
        far_close_here(&s);
    }
    files_remove(path);
}

// All jobs of a call together keep no more under way than the source says.
static void
requests_are_bounded(void **state)
{
    static const int bounds[] = {1, 3, 8};
    (void)state;
    for (int k = 0; k < FAR_KINDS; k++) {
        const char *const path = far_make(&far_kinds[k], 5);
        for (int i = 0; i < 3; i++) {
            struct scene s;
            struct random r;
            random_init(&r, (uint64_t)i);
            far_draw_scene(&s, &r);
            far_load(&s, path, far_kinds[k].layout == TESS_LAYOUT_SPARSE);
            s.conduct.latency = FAR;
            s.conduct.requests = bounds[i];
            s.conduct.order = ORDER_THREADS;
            s.conduct.tells = i % 2;
            s.context.threads = 4;
            s.context.cache = 0;
            ok(far_open_here(&s, err));
            s.conduct.pause = 100;
            for (int q = 0; q < FAR_QUESTIONS; q++) {
                atomic_store(&s.conduct.most, 0);
                far_ask(&far_questions[q], s.here, (uint64_t)q, &far_first);
                assert_int_equal(far_first.status, TESS_OK);
                if (atomic_load(&s.conduct.most) > bounds[i])
                    fail_msg("%s, %s: %d requests at once, %d allowed", far_kinds[k].name,
                             far_questions[q].name, atomic_load(&s.conduct.most), bounds[i]);
            }
            far_close_here(&s);
        }
        files_remove(path);
    }
}

// A function that is slower than the source.
static tess_each_next
pass_slowly(const tess_part *part, void *user)
{
    (void)part, (void)user;
    usleep(3000);
    return TESS_EACH_NEXT;
}

static void
ask_slow_each(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    (void)r;
    w->status = tess_array_each(a, TESS_CHUNKS, origin, info->shape, pass_slowly, NULL, &w->error);
}

// Files of a directory that are open keep bytes in memory: all of a chunk that is compared, else
// its first ones. A call opens no more early than it may hold, tess_context.ahead: here, 4 to 6.
static void
directories_are_held_in_part(void **state)
{
    static const struct written written = {.n = 40, .every = 1, .layout = TESS_LAYOUT_SPARSE};
    static const struct question readers[] = {{"read", far_ask_all, 0, false},
                                              {"slow each", ask_slow_each, 0, false},
                                              {"image", far_ask_image, 0, false},
                                              {"verify", far_ask_verify, 0, false}};
    enum { READERS = sizeof readers / sizeof *readers, AHEAD = 400000, MOST_OPEN = 10 };
    const char *const path = far_make_written(&written);
    (void)state;
    for (int i = 0; i < 2 * READERS; i++) {
        struct scene s;
        struct random r;
        random_init(&r, 1);
        far_draw_scene(&s, &r);
        far_load(&s, path, true);
        s.conduct.latency = FAR;
        s.conduct.requests = 16;
        s.context.threads = 1;
        s.context.cache = 0;
        s.context.ahead = AHEAD;
        s.checksums = i / READERS ? TESS_CHECKSUMS_VERIFY : TESS_CHECKSUMS_WRITE;
        ok(far_open_here(&s, err));
        atomic_store(&s.conduct.most_open, 0);
        far_ask(&readers[i % READERS], s.here, 1, &far_first);
        assert_int_equal(far_first.status, TESS_OK);
        if (atomic_load(&s.conduct.most_open) > MOST_OPEN)
            fail_msg("%s: %d files are open", readers[i % READERS].name,
                     atomic_load(&s.conduct.most_open));
        far_close_here(&s);
    }
    files_remove(path);
}

// An object of a directory is closed when no read of it runs any more, also where its bytes have
// arrived before.
static void
objects_are_closed_after_reads(void **state)
{
    static const struct written written = {
        .n = 20, .every = 1, .shuffled = true, .layout = TESS_LAYOUT_SPARSE};
    const int64_t start = 7, stop = 20 * WRITTEN_ITEMS - 7;
    const char *const path = far_make_written(&written);
    struct scene s;
    (void)state;
    far_open_to_count(&s, path, true, TESS_CHECKSUMS_WRITE);
    far_open_there(&s);
    s.conduct.tells = true;
    s.conduct.lingers = 20000;
    ok(tess_array_read(s.here, &start, &stop, far_first.bytes, ANSWER, err));
    ok(tess_array_read(s.there, &start, &stop, far_second.bytes, ANSWER, err));
    assert_memory_equal(far_first.bytes, far_second.bytes, (size_t)(stop - start) * 4);
    ok(tess_array_close(s.there, err));
    far_close_here(&s);
    files_remove(path);
}

// A function that ends the call after some boxes.
static tess_each_next
stop_soon(const tess_map_part *part, void *user)
{
    (void)part;
    return atomic_fetch_sub((atomic_int *)user, 1) > 1 ? TESS_EACH_NEXT : TESS_EACH_STOP;
}

static void
ask_stopped_map(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    const tess_array *const inputs[] = {a, a, a};
    atomic_int left = 1 + (int)random_below(r, 6);
    tess_map_options options;
    (void)info;
    tess_map_options_init(&options);
    w->status = tess_map(inputs, 3, NULL, 0, NULL, NULL, &options, stop_soon, &left, &w->error);
}

// Inputs that are one directory open the same objects, each for itself, and close them while others
// are read, or when the call ends early.
static void
maps_of_one_directory(void **state)
{
    static const struct written written = {
        .n = 40, .every = 1, .shuffled = true, .layout = TESS_LAYOUT_SPARSE};
    static const struct question maps[] = {{"map", far_ask_stencil, 0, true},
                                           {"stopped map", ask_stopped_map, 0, true}};
    static const int64_t aheads[] = {1, 100000, 300000, 1000000, TESS_AHEAD_DEFAULT};
    const char *const path = far_make_written(&written);
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(8, 200); i > 0; i--) {
        struct scene s;
        far_draw_scene(&s, &r);
        far_load(&s, path, true);
        s.conduct.latency = FAR;
        s.conduct.pause = (int)random_below(&r, 5000);
        s.conduct.lingers = (int)random_below(&r, 5000);
        s.context.ahead = aheads[random_below(&r, sizeof aheads / sizeof *aheads)];
        s.checksums = TESS_CHECKSUMS_WRITE;
        far_open_there(&s);
        ok(far_open_here(&s, err));
        far_compare(s.here, s.there, &maps[i % 2], random_next(&r), "directory");
        ok(tess_array_close(s.there, err));
        far_close_here(&s);
    }
    files_remove(path);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(slow_ranges_overlap, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(directories_are_read_ahead, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(requests_are_bounded, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(directories_are_held_in_part, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(objects_are_closed_after_reads, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(maps_of_one_directory, far_setup, far_teardown),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
