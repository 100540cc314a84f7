/*
 * task_watch.c - tests of task/watch: what the program is told, of ranges divided again and again.
 */
#include "task/watch.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct heard {
    int calls, cancel_at; // 0: never
    int64_t done, total;
};

static bool
hear(int64_t done, int64_t total, void *user)
{
    struct heard *const h = user;
    assert_true(done >= h->done && done <= total);
    h->done = done;
    h->total = total;
    return ++h->calls != h->cancel_at;
}

static tess_context
context_of(struct heard *h, int interval)
{
    tess_context c = {0};
    c.progress = hear;
    c.progress_user = h;
    c.progress_interval = interval;
    return c;
}

static int64_t
told(struct watch *w, struct heard *h)
{
    const int before = h->calls;
    assert_int_equal(watch_look(w, NULL), TESS_OK);
    assert_int_equal(h->calls, before + 1);
    return h->done;
}

static void
jobs_fill_their_ranges(void **state)
{
    (void)state;
    struct heard h = {0};
    const tess_context c = context_of(&h, 0);
    struct watch w;

    watch_begin(&w, &c, 1000);
    assert_int_equal(told(&w, &h), 0);
    const struct watch_range all = watch_divide(&w);
    assert_int_equal(told(&w, &h), 0);

    watch_part(&w, &all, 1, 4); // 0 to 250
    assert_int_equal(told(&w, &h), 0);
    watch_job(&w, 5);
    watch_add(&w, 1);
    assert_int_equal(told(&w, &h), 50);
    watch_add(&w, 3);
    assert_int_equal(told(&w, &h), 200);
    watch_add(&w, 7); // more than it said
    assert_int_equal(told(&w, &h), 250);
    watch_job(&w, 9); // another one in the same range
    watch_add(&w, 1);
    assert_int_equal(told(&w, &h), 250);

    watch_part(&w, &all, 3, 4); // 250 to 750, in halves
    const struct watch_range half = watch_divide(&w);
    assert_int_equal(told(&w, &h), 250);
    watch_part(&w, &half, 1, 2);
    watch_job(&w, 10);
    watch_add(&w, 5);
    assert_int_equal(told(&w, &h), 375);
    watch_part(&w, &half, 2, 2); // the job before counts as done
    assert_int_equal(told(&w, &h), 500);
    watch_part(&w, &all, 4, 4);
    assert_int_equal(told(&w, &h), 750);

    assert_int_equal(watch_end(&w, TESS_OK), TESS_OK);
    assert_int_equal(h.done, 1000);
    assert_int_equal(h.total, 1000);
}

static void
what_takes_no_time_is_not_told(void **state)
{
    (void)state;
    struct heard h = {0};
    const tess_context c = context_of(&h, 1000000), silent = {0};
    struct watch w;

    watch_begin(&w, &c, 10);
    watch_job(&w, 10);
    watch_add(&w, 10);
    assert_false(watch_is_due(&w));
    assert_int_equal(watch_look(&w, NULL), TESS_OK);
    assert_int_equal(watch_end(&w, TESS_OK), TESS_OK);
    assert_int_equal(h.calls, 0);

    watch_begin(&w, &silent, 10);
    watch_job(&w, 10);
    const struct watch_range none = watch_divide(&w);
    watch_part(&w, &none, 1, 2);
    assert_false(watch_is_due(&w));
    assert_int_equal(watch_look(&w, NULL), TESS_OK);
    assert_int_equal(watch_end(&w, TESS_ERR_IO), TESS_ERR_IO);
    assert_false(watch_is_due(NULL));
    assert_int_equal(watch_look(NULL, NULL), TESS_OK);
}

static void
cancelled_in_words(void **state)
{
    (void)state;
    struct heard h = {.cancel_at = 2};
    const tess_context c = context_of(&h, 0);
    struct watch w;
    tess_error err;

    watch_begin(&w, &c, INT64_MAX);
    watch_job(&w, INT64_MAX);
    assert_int_equal(watch_look(&w, &err), TESS_OK);
    watch_add(&w, INT64_MAX / 2);
    assert_int_equal(watch_look(&w, &err), TESS_ERR_CANCELLED);
    assert_int_equal(err.status, TESS_ERR_CANCELLED);
    assert_non_null(strstr(err.message, "50 %"));
    assert_int_equal(watch_end(&w, TESS_ERR_CANCELLED), TESS_ERR_CANCELLED);
    assert_int_equal(h.calls, 2); // nothing more after that
}

// A call about nothing, or about as much as numbers go to, in as many parts.
static void
ends_of_the_numbers(void **state)
{
    (void)state;
    const int64_t totals[] = {0, 1, INT64_MAX};
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        const int64_t total = totals[i];
        struct heard h = {0};
        const tess_context c = context_of(&h, 0);
        struct watch w;
        watch_begin(&w, &c, total);
        const struct watch_range all = watch_divide(&w);
        for (int64_t part = 1; part < INT64_MAX / 8; part *= 7) {
            watch_part(&w, &all, part, INT64_MAX / 8);
            watch_job(&w, part);
            watch_add(&w, part / 2);
            (void)told(&w, &h);
        }
        watch_end(&w, TESS_OK);
        assert_int_equal(h.done, total);
    }
}

// -- jobs inside grains

static void *
poll_elsewhere(void *arg)
{
    struct watch *const w = arg;
    return watch_poll(w) || watch_look(w, NULL) == TESS_ERR_CANCELLED ? w : NULL;
}

// Whether a thread that did not make the call sees it cancelled.
static bool
cancelled_elsewhere(struct watch *w)
{
    pthread_t thread;
    void *seen;
    assert_int_equal(pthread_create(&thread, NULL, poll_elsewhere, w), 0);
    assert_int_equal(pthread_join(thread, &seen), 0);
    return seen;
}

static void
inner_jobs_report_for_the_call(void **state)
{
    (void)state;
    struct heard h = {.cancel_at = 4};
    const tess_context c = context_of(&h, 0);
    struct watch w, inner;
    tess_error err;

    watch_begin(&w, &c, 100);
    watch_job(&w, 10);
    watch_add(&w, 2);
    watch_within(&inner, &w);
    watch_job(&inner, 1000); // counts nothing
    watch_add(&inner, 1000);
    assert_int_equal(told(&inner, &h), 20);
    assert_int_equal(watch_patience(&inner), 0);
    assert_false(cancelled_elsewhere(&inner));
    assert_int_equal(h.calls, 1); // other threads do not report
    assert_false(watch_poll(&inner));
    assert_int_equal(h.calls, 2);
    assert_false(watch_poll(&w));
    assert_true(watch_poll(&inner));
    assert_true(cancelled_elsewhere(&inner));
    assert_true(watch_is_cancelled(&w));
    assert_int_equal(watch_look(&inner, &err), TESS_ERR_CANCELLED);
    assert_non_null(strstr(err.message, "20 %"));
    assert_int_equal(h.calls, 4); // nothing more after that
}

// The watch of the call itself, too, is looked at by other threads: those that read for it.
static void
other_threads_do_not_report(void **state)
{
    (void)state;
    struct heard h = {.cancel_at = 1};
    const tess_context c = context_of(&h, 0);
    struct watch w;
    watch_begin(&w, &c, 100);
    assert_false(cancelled_elsewhere(&w));
    assert_int_equal(h.calls, 0);
    assert_true(watch_poll(&w));
    assert_int_equal(h.calls, 1);
    assert_true(cancelled_elsewhere(&w));
    assert_int_equal(h.calls, 1);
}

static void
inner_jobs_of_silent_calls(void **state)
{
    (void)state;
    const tess_context silent = {0};
    struct watch w, inner;
    watch_begin(&w, &silent, 100);
    watch_within(&inner, &w);
    assert_false(watch_poll(&inner));
    assert_int_equal(watch_patience(&inner), INT64_MAX);
    assert_int_equal(watch_look(&inner, NULL), TESS_OK);
    watch_within(&inner, NULL);
    assert_false(watch_poll(&inner));
    assert_false(watch_is_due(&inner));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_fill_their_ranges),
        cmocka_unit_test(what_takes_no_time_is_not_told),
        cmocka_unit_test(cancelled_in_words),
        cmocka_unit_test(ends_of_the_numbers),
        cmocka_unit_test(inner_jobs_report_for_the_call),
        cmocka_unit_test(other_threads_do_not_report),
        cmocka_unit_test(inner_jobs_of_silent_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
