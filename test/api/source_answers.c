/*
 * source_answers.c - arrays in sources that are far away or near, larger than what opening keeps:
 * all calls that read answer as those on the same array in a file do, whatever the source does.
 */
#include "support/far_questions.h"
#include "support/far_scene.h"
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// -- answers

static void
answers_like_a_file(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    const int64_t rounds = random_cases(1, 60);
    for (int k = 0; k < FAR_KINDS; k++) {
        const char *const path = far_make(&far_kinds[k], random_next(&r));
        for (int64_t i = 0; i < rounds; i++) {
            struct scene s;
            far_draw_scene(&s, &r);
            far_load(&s, path, far_kinds[k].layout == TESS_LAYOUT_SPARSE);
            far_open_there(&s);
            ok(far_open_here(&s, err));
            for (int j = 0; j < 7; j++)
                far_compare(s.here, s.there, far_draw_question(&r), random_next(&r),
                            far_kinds[k].name);
            ok(tess_array_close(s.there, err));
            far_close_here(&s);
        }
        files_remove(path);
    }
}

static void
compare_golden(tess_array *a, const struct reference *ref, const char *name, void *user)
{
    struct random *const r = user;
    char path[4096];
    struct scene s;
    (void)ref;
    (void)snprintf(path, sizeof path, "%s/%s", getenv("TESS_GOLDEN"), name);
    far_draw_scene(&s, r);
    s.checksums = TESS_CHECKSUMS_WRITE;
    far_load(&s, path, false);
    ok(far_open_here(&s, err));
    for (int i = 0; i < 4; i++)
        far_compare(s.here, a, far_draw_question(r), random_next(r), name);
    far_close_here(&s);
}

static void
arrays_of_other_writers(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(1, 20); i > 0; i--)
        check_golden_files(compare_golden, &r);
}

// -- failures

static const struct wrong {
    const char *name;
    tess_status returned, expected;
    const char *message;
} wrongs[] = {
    {"io", TESS_ERR_IO, TESS_ERR_IO, "the line was cut"},
    {"stale", TESS_ERR_STALE, TESS_ERR_STALE, "another object"},
    {"cancelled", TESS_ERR_CANCELLED, TESS_ERR_CANCELLED, "cancelled"},
    {"memory", TESS_ERR_NOMEM, TESS_ERR_NOMEM, "no memory"},
    {"argument", TESS_ERR_ARG, TESS_ERR_ARG, "wrong"},
    {"type", TESS_ERR_TYPE, TESS_ERR_TYPE, "wrong type"},
    {"not found", TESS_ERR_NOT_FOUND, TESS_ERR_NOT_FOUND, "nothing there"},
    {"below all", (tess_status)-1, TESS_ERR_IO, "minus"},
    {"above all", (tess_status)99, TESS_ERR_IO, "many"},
    {"no message", TESS_ERR_IO, TESS_ERR_IO, NULL},
    {"neither", (tess_status)12, TESS_ERR_IO, NULL},
};
enum { WRONGS = sizeof wrongs / sizeof *wrongs };

// Whether what could not be read ahead is read again, and a failure may not be seen: by calls of
// several jobs; and of a directory, by those that open its files ahead.
static bool
reads_again(const struct question *q, bool directory)
{
    return q->pieces || (directory && (q->ask == far_ask_copy || q->ask == far_ask_image));
}

// One read, or all from one on, fail; then none.
static void
failing_reads(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    const int64_t rounds = random_cases(1, 400);
    const int each = rounds > 1 ? 1 : 2; // of the far_kinds
    for (int k = (int)random_below(&r, (uint64_t)each); k < FAR_KINDS; k += each) {
        const char *const path = far_make(&far_kinds[k], random_next(&r));
        for (int64_t i = 0; i < rounds; i++) {
            const struct wrong *const w = &wrongs[random_below(&r, WRONGS)];
            struct scene s;
            tess_error error;
            const bool directory = far_kinds[k].layout == TESS_LAYOUT_SPARSE;
            far_draw_scene(&s, &r);
            far_load(&s, path, directory);
            s.conduct.fails_with = w->returned;
            s.conduct.message = w->message;
            s.conduct.nfailing = random_below(&r, 2) ? 1 : 1 << 30;
            if (random_below(&r, 2))
                s.conduct.fails_at = (int)random_below(&r, 4);
            const tess_status st = far_open_here(&s, &error);
            if (st != TESS_OK) {
                check_error(&error, st, "open");
                far_check_closed(&s, false);
                if (!directory && st != w->expected)
                    fail_msg("%s: %s", w->name, error.message);
                object_finish(&s.object);
                continue;
            }
            const struct question *const q = far_draw_question(&r);
            const int before = atomic_load(&s.conduct.reads);
            s.conduct.fails_at = before + (int)random_below(&r, 3);
            const uint64_t seed = random_next(&r);
            far_ask(q, s.here, seed, &far_first);
            const bool failed = atomic_load(&s.conduct.reads) > s.conduct.fails_at;
            if (far_first.status == TESS_OK
                    ? failed && q->ask != far_ask_verify && !reads_again(q, directory)
                    : far_first.status != w->expected)
                fail_msg("%s, %s, %s: %s (%s)", far_kinds[k].name, w->name, q->name,
                         tess_status_name(far_first.status), far_first.error.message);
            s.conduct.fails_at = -1;
            far_open_there(&s);
            far_ask(q, s.there, seed, &far_second);
            if (far_first.status == TESS_OK && q->ask != far_ask_verify &&
                (far_first.size != far_second.size ||
                 memcmp(far_first.bytes, far_second.bytes, far_first.size) != 0))
                fail_msg("%s, %s: other bytes after a failure", far_kinds[k].name, q->name);
            for (int j = 0; j < 2; j++)
                far_compare(s.here, s.there, far_draw_question(&r), random_next(&r),
                            far_kinds[k].name);
            ok(tess_array_close(s.there, err));
            far_close_here(&s);
        }
        files_remove(path);
    }
}

// Sizes that are not those of the object.
static void
lying_sizes(void **state)
{
    static const int64_t offs[] = {INT64_MIN, -1, 1, 100, 1 << 20, INT64_MAX / 2};
    (void)state;
    for (int k = 0; k < FAR_KINDS; k += 6) {
        const char *const path = far_make(&far_kinds[k], 5);
        for (int i = 0; i < (int)(sizeof offs / sizeof *offs) * 4; i++) {
            struct scene s;
            struct random r;
            tess_error error;
            random_init(&r, (uint64_t)i);
            far_draw_scene(&s, &r);
            far_load(&s, path, far_kinds[k].layout == TESS_LAYOUT_SPARSE);
            s.conduct.size_off = offs[i / 4];
            s.conduct.latency = i % 2 ? FAR : 0;
            s.conduct.ends = i / 2 % 2;
            const tess_status st = far_open_here(&s, &error);
            if (st != TESS_OK) {
                check_error(&error, st, "open");
                far_check_closed(&s, false);
                object_finish(&s.object);
                continue;
            }
            far_ask(&far_questions[0], s.here, 1, &far_first);
            s.conduct.size_off = 0;
            far_close_here(&s);
        }
        files_remove(path);
    }
}

// It has become `other` when that read is over.
static void
read_replaced(const char *path, const char *other, const struct kind *k, int at, bool guarded,
              struct random *r)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    struct scene s;
    far_draw_scene(&s, r);
    far_load(&s, path, true);
    s.conduct.guarded = guarded;
    s.conduct.other = other;
    far_open_there(&s);
    ok(far_open_here(&s, err));
    s.conduct.replaced_at = atomic_load(&s.conduct.reads) + at;
    const tess_status st =
        tess_array_read(s.here, origin, k->shape, far_first.bytes, ANSWER, &far_first.error);
    ok(tess_array_read(s.there, origin, k->shape, far_second.bytes, ANSWER, err));
    if (st == TESS_OK)
        assert_memory_equal(far_first.bytes, far_second.bytes, (size_t)far_nitems(k) * 4);
    else if (st != TESS_ERR_STALE)
        fail_msg("%s", far_first.error.message);
    assert_true(st == TESS_ERR_STALE || at > 20); // there are 28 chunks
    ok(tess_array_close(s.there, err));
    far_close_here(&s);
}

// The same of calls that read in pieces, and verify what they read.
static void
ask_replaced(const char *path, const char *other, const struct question *q, int at, bool guarded,
             struct random *r)
{
    const uint64_t seed = random_next(r);
    struct scene s;
    far_draw_scene(&s, r);
    far_load(&s, path, true);
    s.checksums = TESS_CHECKSUMS_VERIFY;
    s.conduct.guarded = guarded;
    s.conduct.other = other;
    far_open_there(&s);
    ok(far_open_here(&s, err));
    s.conduct.replaced_at = atomic_load(&s.conduct.reads) + at;
    far_ask(q, s.here, seed, &far_first);
    far_ask(q, s.there, seed, &far_second);
    if (far_first.status != TESS_ERR_STALE &&
        (far_first.status != TESS_OK || far_first.size != far_second.size ||
         memcmp(far_first.bytes, far_second.bytes, far_first.size) != 0))
        fail_msg("%s: %s (%s)", q->name, tess_status_name(far_first.status),
                 far_first.error.message);
    ok(tess_array_close(s.there, err));
    far_close_here(&s);
}

// A directory that is replaced, at any read, brings what was there or TESS_ERR_STALE, also where
// only the contents of chunks differ, not their sizes.
static void
replaced_directories(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int raw = 0; raw < 2; raw++) {
        const char *const other = files_path("other");
        struct kind k = far_kinds[6];
        k.clevel = raw ? 0 : k.clevel;
        k.holes = !raw;
        assert_int_equal(rename(far_make(&k, 6), other), 0);
        const char *const path = far_make(&k, 5);
        for (int i = 0; i < 80; i++)
            read_replaced(path, other, &k, i / 2, i % 2, &r);
        for (int i = 0; i < 80; i++) {
            const struct question *q = far_draw_question(&r);
            while (!q->pieces && q->ask != far_ask_copy)
                q = far_draw_question(&r);
            ask_replaced(path, other, q, i / 2, i % 2, &r);
        }
        files_remove(path);
        files_remove(other);
    }
}

// Parts that lack a function are closed, too.
static void
parts_without_functions(void **state)
{
    const char *const path = far_make(&far_kinds[6], 5);
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scene s;
        tess_error error;
        struct random r;
        random_init(&r, 1);
        far_draw_scene(&s, &r);
        far_load(&s, path, true);
        s.conduct.lacks = "rs"[i];
        assert_int_equal(far_open_here(&s, &error), TESS_ERR_ARG);
        check_error(&error, TESS_ERR_ARG, "open");
        assert_true(atomic_load(&s.conduct.opened) > 0);
        far_check_closed(&s, false);
    }
    files_remove(path);
}

// -- fork

static void
parent_and_child_read(void **state)
{
    (void)state;
    for (int k = 0; k < FAR_KINDS; k += 6) {
        const char *const path = far_make(&far_kinds[k], 5);
        struct scene s;
        struct random r;
        random_init(&r, 3);
        far_draw_scene(&s, &r);
        far_load(&s, path, far_kinds[k].layout == TESS_LAYOUT_SPARSE);
        s.conduct.latency = FAR;
        s.conduct.order = ORDER_UP;
        s.context.threads = 2;
        far_open_there(&s);
        ok(far_open_here(&s, err));
        far_compare(s.here, s.there, &far_questions[0], 1, far_kinds[k].name);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            far_ask(&far_questions[0], s.here, 2, &far_first);
            far_ask(&far_questions[0], s.there, 2, &far_second);
            const bool same = far_first.status == TESS_OK && far_first.size == far_second.size &&
                              memcmp(far_first.bytes, far_second.bytes, far_first.size) == 0;
            _exit(same ? 0 : 1);
        }
        for (uint64_t i = 2; i < 6; i++)
            far_compare(s.here, s.there, &far_questions[0], i, far_kinds[k].name);
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        ok(tess_array_close(s.there, err));
        far_close_here(&s);
        files_remove(path);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_like_a_file, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(arrays_of_other_writers, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(failing_reads, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(lying_sizes, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(replaced_directories, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(parts_without_functions, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(parent_and_child_read, far_setup, far_teardown),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
