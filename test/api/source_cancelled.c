/*
 * source_cancelled.c - calls on arrays in sources whose reads block end when they are cancelled.
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
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { CANCELLED_WITHIN = 300 }; // milliseconds

static int64_t
now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool
cancel_soon(int64_t done, int64_t total, void *user)
{
    (void)done, (void)total;
    return now_ms() < *(const int64_t *)user;
}

// Whatever the call, the source and its distance.
static void
blocked_calls_end(void **state)
{
    static const int blocked[] = {0, 6}; // far_kinds
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = 0, n = random_cases(4 * FAR_QUESTIONS, 400); i < n; i++) {
        const struct question *const q = &far_questions[(unsigned)i % FAR_QUESTIONS];
        const struct kind *const k = &far_kinds[blocked[i / FAR_QUESTIONS % 2]];
        const char *const path = far_make(k, 5);
        const uint64_t seed = random_next(&r);
        struct scene s;
        int64_t until = INT64_MAX;
        far_draw_scene(&s, &r);
        far_load(&s, path, k->layout == TESS_LAYOUT_SPARSE);
        s.conduct.latency = i / FAR_QUESTIONS / 2 % 2 == 0 ? FAR : 0;
        s.conduct.ends = false;
        s.context.threads = 1 + (int)random_below(&r, 3);
        s.context.progress = cancel_soon;
        s.context.progress_user = &until;
        s.context.progress_interval = 10;
        ok(far_open_here(&s, err));
        s.conduct.blocks = true;
        const int64_t before = now_ms();
        until = before + 60;
        far_made_with = &s.context;
        far_ask(q, s.here, seed, &far_first);
        far_made_with = NULL;
        const int64_t took = now_ms() - before;
        if (far_first.status != TESS_ERR_CANCELLED || took > 60 + CANCELLED_WITHIN ||
            atomic_load(&s.conduct.never_cancelled))
            fail_msg("%s, %s, latency %d, %d threads, checksums %d: %s (%s) after %d ms", k->name,
                     q->name, (int)s.conduct.latency, s.context.threads, (int)s.checksums,
                     tess_status_name(far_first.status), far_first.error.message, (int)took);
        s.conduct.blocks = false;
        until = INT64_MAX;
        far_open_there(&s);
        far_compare(s.here, s.there, q, seed, k->name);
        ok(tess_array_close(s.there, err));
        far_close_here(&s);
        files_remove(path);
    }
}

// Copies and checks of chunks as they are stored end while a source that is not far blocks, and
// while an object of a directory is opened.
static void
blocked_copies_end(void **state)
{
    static const struct {
        int kind;
        int64_t latency;
    } cases[] = {{0, 0}, {6, 0}, {6, FAR}};
    static const struct question copies[] = {{"image", far_ask_image, 1, false},
                                             {"verify", far_ask_verify, 1, false}};
    (void)state;
    for (int i = 0; i < 2 * (int)(sizeof cases / sizeof *cases); i++) {
        const struct kind *const k = &far_kinds[cases[i / 2].kind];
        const struct question *const q = &copies[i % 2];
        const char *const path = far_make(k, 5);
        struct random r;
        struct scene s;
        int64_t until = INT64_MAX;
        random_init(&r, 1);
        far_draw_scene(&s, &r);
        far_load(&s, path, k->layout == TESS_LAYOUT_SPARSE);
        s.conduct.latency = cases[i / 2].latency;
        s.conduct.ends = false;
        s.context.threads = 2;
        s.context.progress = cancel_soon;
        s.context.progress_user = &until;
        s.context.progress_interval = 10;
        s.checksums = TESS_CHECKSUMS_WRITE;
        ok(far_open_here(&s, err));
        s.conduct.blocks = true;
        const int64_t before = now_ms();
        until = before + 60;
        far_ask(q, s.here, 1, &far_first);
        const int64_t took = now_ms() - before;
        if (far_first.status != TESS_ERR_CANCELLED || took > 60 + CANCELLED_WITHIN ||
            atomic_load(&s.conduct.never_cancelled))
            fail_msg("%s, %s, latency %d: %s (%s) after %d ms", k->name, q->name,
                     (int)s.conduct.latency, tess_status_name(far_first.status),
                     far_first.error.message, (int)took);
        s.conduct.blocks = false;
        until = INT64_MAX;
        far_close_here(&s);
        files_remove(path);
    }
}

// Of a directory whose objects block, but for those that begin with `spared`, and the index, which
// is compared last.
static void
ask_blocked(const char *path, const char *spared, const struct question *q, tess_status expected)
{
    struct scene s;
    struct random r;
    random_init(&r, 1);
    far_draw_scene(&s, &r);
    far_load(&s, path, true);
    s.conduct.latency = FAR;
    s.conduct.requests = 8;
    s.conduct.ends = false;
    s.context.threads = 1;
    s.context.cache = 0;
    s.checksums = TESS_CHECKSUMS_WRITE;
    ok(far_open_here(&s, err));
    s.conduct.spared = spared;
    s.conduct.blocks = true;
    far_ask(q, s.here, 1, &far_first);
    if (far_first.status != expected || atomic_load(&s.conduct.never_cancelled))
        fail_msg("%s: %s (%s)%s", q->name, tess_status_name(far_first.status),
                 far_first.error.message,
                 atomic_load(&s.conduct.never_cancelled) ? ", a read was not cancelled" : "");
    s.conduct.blocks = false;
    far_close_here(&s);
}

// Of a directory, the objects that are being opened for later do not keep a call that has failed,
// since the first chunk is missing.
static void
openings_end_with_the_call(void **state)
{
    static const struct question failing[] = {{"read", far_ask_all, 0, false},
                                              {"image", far_ask_image, 0, false}};
    const char *const path = far_make(&far_short_chunks, 5);
    char part[1000];
    (void)state;
    (void)snprintf(part, sizeof part, "%s/%s", path, FIRST_CHUNK);
    files_remove(part);
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++)
        ask_blocked(path, FIRST_CHUNK, &failing[i], TESS_ERR_IO);
    files_remove(path);
}

// The fifth part ends the call; at the far_first, I/O threads are given time.
static tess_each_next
stop_at_fifth(const tess_part *part, void *user)
{
    (void)user;
    if (part->chunk == 0)
        usleep(20000);
    return part->chunk < 4 ? TESS_EACH_NEXT : TESS_EACH_STOP;
}

static void
ask_first_chunks(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    (void)r;
    w->status =
        tess_array_each(a, TESS_CHUNKS, origin, info->shape, stop_at_fifth, NULL, &w->error);
}

// Chunks that are open are read while all I/O threads open others, those from the 17th on.
static void
open_chunks_do_not_wait(void **state)
{
    static const struct question stopped = {"stopped each", ask_first_chunks, 0, true};
    const char *const path = far_make(&far_short_chunks, 5);
    (void)state;
    ask_blocked(path, "0000000", &stopped, TESS_OK);
    files_remove(path);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocked_calls_end, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(blocked_copies_end, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(openings_end_with_the_call, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(open_chunks_do_not_wait, far_setup, far_teardown),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
