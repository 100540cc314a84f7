/*
 * source_requests.c - how many requests calls make to the sources of arrays.
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

#include <cmocka.h>

// Without its N-dimensional layer: a frame of chunks, read as one dimension.
static void
take_layer(const char *path)
{
    char index[1000];
    size_t size;
    (void)snprintf(index, sizeof index, "%s/chunks.b2frame", path);
    uint8_t *const b = files_read(index, &size);
    assert_true(b);
    for (size_t i = 0; i + 9 <= size; i++) {
        if (memcmp(b + i, "b2nd\xd2", 5) != 0)
            continue;
        const size_t at = (size_t)b[i + 7] << 8 | b[i + 8]; // of the content, behind 5 bytes
        assert_true(at + 8 <= size);
        b[i + 3] = 'x';
        b[at + 7] = 0x7f; // no number of dimensions
    }
    files_write(index, b, size);
    free(b);
}

// The same of a directory without such a layer. What chunks that are read in part need is known
// once they are open.
static void
requests_of_plain_directories(void **state)
{
    const char *const path = far_make_with(&far_kinds[7], 5, TESS_CHECKSUMS_NONE);
    struct random r;
    (void)state;
    random_init(&r, 1);
    take_layer(path);
    for (int i = 0; i < 20; i++) {
        struct scene s;
        far_draw_scene(&s, &r);
        far_load(&s, path, true);
        s.conduct.latency = FAR;
        s.conduct.requests = 1 + i % 2;
        s.conduct.pause = 1000;
        far_open_there(&s);
        ok(far_open_here(&s, err));
        atomic_store(&s.conduct.most, 0);
        far_compare(s.here, s.there, &far_questions[i / 2 % 2], random_next(&r), "plain directory");
        if (atomic_load(&s.conduct.most) > s.conduct.requests)
            fail_msg("%d requests at once, %d allowed", atomic_load(&s.conduct.most),
                     s.conduct.requests);
        ok(tess_array_close(s.there, err));
        far_close_here(&s);
    }
    files_remove(path);
}

// Chunks that lie behind each other come with a few requests; with little memory, with one each.
static void
requests_for_small_chunks(void **state)
{
    static const struct {
        int64_t ahead; // bytes
        int64_t most; // requests; 0: the number of stored chunks
    } cases[] = {{0, 10}, {TESS_AHEAD_DEFAULT, 10}, {1, 0}};
    const struct kind *const k = &far_kinds[2];
    const int64_t origin[TESS_MAX_NDIM] = {0};
    const char *const path = far_make(k, 5);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        struct random r;
        tess_info info;
        random_init(&r, 1);
        far_draw_scene(&s, &r);
        far_load(&s, path, false);
        s.conduct.latency = FAR;
        s.context.ahead = cases[i].ahead;
        ok(far_open_here(&s, err));
        tess_array_info(s.here, &info);
        const int before = atomic_load(&s.conduct.ranges);
        ok(tess_array_read(s.here, origin, info.shape, far_first.bytes, ANSWER, err));
        const int found = atomic_load(&s.conduct.ranges) - before;
        const int64_t most = cases[i].most > 0 ? cases[i].most : info.nstored + 10;
        if (found > most)
            fail_msg("ahead %d: %d requests, %d expected", (int)cases[i].ahead, found, (int)most);
        far_close_here(&s);
    }
    files_remove(path);
}

// Calls that read an array piece by piece need far fewer requests than there are chunks, whatever
// their number of threads.
static void
ask_chunks(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    atomic_ullong sum = 0;
    (void)r;
    w->status = tess_array_each(a, TESS_CHUNKS, origin, info->shape, far_sum_part, &sum, &w->error);
}

static void
requests_of_pieces(void **state)
{
    static const struct question pieces[] = {{"chunks", ask_chunks, 0, true},
                                             {"reduce", far_ask_reduce, 0, true},
                                             {"stencil", far_ask_stencil, 0, true},
                                             {"downsample", far_ask_downsample, 0, true}};
    const char *const path = far_make(&far_kinds[0], 5);
    (void)state;
    for (int i = 0; i < 2 * (int)(sizeof pieces / sizeof *pieces); i++) {
        struct scene s;
        struct random r;
        tess_info info;
        random_init(&r, 1);
        far_draw_scene(&s, &r);
        far_load(&s, path, false);
        s.conduct.latency = FAR;
        s.context.ahead = TESS_AHEAD_DEFAULT;
        s.context.cache = 0;
        s.context.threads = 1 + i % 2;
        ok(far_open_here(&s, err));
        s.conduct.pause = 1000;
        tess_array_info(s.here, &info);
        int found = INT_MAX; // the least of several calls: a busy machine coalesces fewer requests
        for (int try = 0; try < 4 && found > info.nstored / 2; try++) {
            const int before = atomic_load(&s.conduct.ranges);
            far_ask(&pieces[i / 2], s.here, 8, &far_first);
            assert_int_equal(far_first.status, TESS_OK);
            const int now = atomic_load(&s.conduct.ranges) - before;
            found = now < found ? now : found;
        }
        far_close_here(&s);
        if (found > info.nstored / 2)
            fail_msg("%s: %d requests for %d chunks", pieces[i / 2].name, found, (int)info.nstored);
    }
    files_remove(path);
}

// Of each chunk an item, with a call of its own: a chunk that is compared comes with one request,
// of another one what opening needs, and then a block. One in a hundred may take one more.
static void
requests_for_single_items(void **state)
{
    static const struct {
        struct written written;
        tess_checksums checksums;
        int requests; // a chunk
    } cases[] = {
        {{"compared, in file order", false, false, 100, 1, TESS_LAYOUT_CONTIGUOUS},
         TESS_CHECKSUMS_VERIFY,
         1},
        {{"compared, in any order", false, true, 100, 1, TESS_LAYOUT_CONTIGUOUS},
         TESS_CHECKSUMS_VERIFY,
         1},
        {{"compared, few are stored", false, false, 400, 20, TESS_LAYOUT_CONTIGUOUS},
         TESS_CHECKSUMS_VERIFY,
         1},
        {{"compared, delta", true, true, 100, 1, TESS_LAYOUT_CONTIGUOUS}, TESS_CHECKSUMS_VERIFY, 1},
        {{"delta", true, true, 100, 1, TESS_LAYOUT_CONTIGUOUS}, TESS_CHECKSUMS_WRITE, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct written *const w = &cases[i].written;
        const char *const path = far_make_written(w);
        struct scene s;
        far_open_to_count(&s, path, false, cases[i].checksums);
        far_open_there(&s);
        const int before = atomic_load(&s.conduct.ranges);
        for (int64_t n = 0; n < w->n; n++) {
            const int64_t start = n * WRITTEN_ITEMS + 3 * WRITTEN_BLOCK + n, stop = start + 1;
            ok(tess_array_read(s.here, &start, &stop, far_first.bytes, ANSWER, err));
            ok(tess_array_read(s.there, &start, &stop, far_second.bytes, ANSWER, err));
            assert_memory_equal(far_first.bytes, far_second.bytes, 4);
        }
        const int found = atomic_load(&s.conduct.ranges) - before;
        const int stored = w->n / w->every, most = stored * cases[i].requests + stored / 100;
        if (found < stored || found > most)
            fail_msg("%s: %d requests for %d chunks, %d at most", w->why, found, stored, most);
        ok(tess_array_close(s.there, err));
        far_close_here(&s);
        files_remove(path);
    }
}

// Each chunk as a whole, with one request; one in a hundred may take one more. In a directory, the
// request that opens an object may bring all of it.
static void
requests_for_whole_chunks(void **state)
{
    static const struct {
        struct written written;
        tess_checksums checksums;
        int requests; // a chunk
    } cases[] = {
        {{"a file", false, false, 100, 1, TESS_LAYOUT_CONTIGUOUS}, TESS_CHECKSUMS_WRITE, 1},
        {{"any order", false, true, 100, 1, TESS_LAYOUT_CONTIGUOUS}, TESS_CHECKSUMS_WRITE, 1},
        {{"few stored", false, false, 400, 20, TESS_LAYOUT_CONTIGUOUS}, TESS_CHECKSUMS_WRITE, 1},
        {{"delta", true, true, 100, 1, TESS_LAYOUT_CONTIGUOUS}, TESS_CHECKSUMS_WRITE, 1},
        {{"compared", false, true, 100, 1, TESS_LAYOUT_CONTIGUOUS}, TESS_CHECKSUMS_VERIFY, 1},
        {{"a directory", false, false, 100, 1, TESS_LAYOUT_SPARSE}, TESS_CHECKSUMS_WRITE, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct written *const w = &cases[i].written;
        const bool directory = w->layout == TESS_LAYOUT_SPARSE;
        const char *const path = far_make_written(w);
        struct scene s;
        far_open_to_count(&s, path, directory, cases[i].checksums);
        far_open_there(&s);
        const int before = atomic_load(&s.conduct.ranges);
        for (int64_t n = 0; n < w->n; n++) {
            const size_t size = (size_t)WRITTEN_ITEMS * 4;
            ok(tess_schunk_decode(s.here, n, far_first.bytes, size, err));
            ok(tess_schunk_decode(s.there, n, far_second.bytes, size, err));
            assert_memory_equal(far_first.bytes, far_second.bytes, size);
        }
        const int found = atomic_load(&s.conduct.ranges) - before;
        const int stored = w->n / w->every, most = stored * cases[i].requests + stored / 100;
        if ((found < stored && !directory) || found > most)
            fail_msg("%s: %d requests for %d chunks, %d at most", w->why, found, stored, most);
        ok(tess_array_close(s.there, err));
        far_close_here(&s);
        files_remove(path);
    }
}

// In a directory, a chunk that is compared is read when its object is opened.
static void
requests_for_checked_parts(void **state)
{
    static const struct written written = {.n = 100, .every = 1, .layout = TESS_LAYOUT_SPARSE};
    const int64_t start = 7, stop = 100 * WRITTEN_ITEMS, step = WRITTEN_ITEMS;
    const char *const path = far_make_written(&written);
    struct scene s;
    (void)state;
    far_open_to_count(&s, path, true, TESS_CHECKSUMS_VERIFY);
    far_open_there(&s);
    const int before = atomic_load(&s.conduct.reads);
    ok(tess_array_get_slice(s.here, &start, &stop, &step, far_first.bytes, ANSWER, NULL, err));
    ok(tess_array_get_slice(s.there, &start, &stop, &step, far_second.bytes, ANSWER, NULL, err));
    assert_memory_equal(far_first.bytes, far_second.bytes, 400);
    const int found = atomic_load(&s.conduct.reads) - before;
    if (found < 100 || found > 103)
        fail_msg("%d requests for 100 chunks, and for the index", found);
    ok(tess_array_close(s.there, err));
    far_close_here(&s);
    files_remove(path);
}

// A directory opens with one request if its source is guarded, else the index is compared with a
// second one; at the end of a call that is one request.
static void
requests_for_directories(void **state)
{
    const char *const path = far_make(&far_kinds[6], 5);
    const int64_t start[] = {10, 10}, stop[] = {20, 20};
    (void)state;
    for (int guarded = 0; guarded < 2; guarded++) {
        struct scene s;
        struct random r;
        random_init(&r, 1);
        far_draw_scene(&s, &r);
        far_load(&s, path, true);
        s.conduct.latency = FAR;
        s.conduct.guarded = guarded;
        s.conduct.ends = true;
        ok(far_open_here(&s, err));
        assert_int_equal(atomic_load(&s.conduct.reads), guarded ? 1 : 2);
        ok(tess_array_read(s.here, start, stop, far_first.bytes, ANSWER, err));
        assert_int_equal(atomic_load(&s.conduct.reads), (guarded ? 1 : 2) + 2);
        far_close_here(&s);
    }
    files_remove(path);
}

// A chunk that is compared and longer than one request should be comes with several at once.
static void
requests_for_a_long_chunk(void **state)
{
    const char *const path = far_make(&far_kinds[3], 5);
    const int64_t start = 5 << 20, stop = start + 10;
    struct scene s;
    (void)state;
    far_open_to_count(&s, path, false, TESS_CHECKSUMS_VERIFY);
    far_open_there(&s);
    s.conduct.pause = 2000;
    s.conduct.order = ORDER_THREADS;
    atomic_store(&s.conduct.most, 0);
    const int ranges = atomic_load(&s.conduct.ranges), reads = atomic_load(&s.conduct.reads);
    ok(tess_array_read(s.here, &start, &stop, far_first.bytes, ANSWER, err));
    ok(tess_array_read(s.there, &start, &stop, far_second.bytes, ANSWER, err));
    assert_memory_equal(far_first.bytes, far_second.bytes, 10);
    assert_int_equal(atomic_load(&s.conduct.reads) - reads, 1);
    assert_int_equal(atomic_load(&s.conduct.ranges) - ranges, 3); // of 4 MiB at most
    assert_true(atomic_load(&s.conduct.most) >= 2);
    ok(tess_array_close(s.there, err));
    far_close_here(&s);
    files_remove(path);
}

// Of the file of a chunk, no more is read ahead than a chunk can have. What is behind its end was
// left by another writer.
static void
ends_of_parts_are_not_read(void **state)
{
    static const struct question questions_of_all[] = {{"verify", far_ask_verify, 0, false},
                                                       {"image", far_ask_image, 0, false}};
    enum { CHUNK_SIZE = 100 * 200 * 4, LONGER = 4 << 20 };
    const char *const path = far_make(&far_kinds[6], 5);
    char part[1000];
    size_t size;
    (void)state;
    (void)snprintf(part, sizeof part, "%s/00000000.chunk", path);
    uint8_t *const bytes = files_read(part, &size);
    uint8_t *const longer = calloc(1, LONGER);
    assert_true(bytes && longer && size <= CHUNK_SIZE + 32);
    memcpy(longer, bytes, size);
    files_write(part, longer, LONGER);
    for (int i = 0; i < 2; i++) {
        struct scene s;
        tess_info info;
        far_open_to_count(&s, path, true, TESS_CHECKSUMS_WRITE);
        far_open_there(&s);
        tess_array_info(s.here, &info);
        atomic_store(&s.conduct.nbytes, 0);
        far_compare(s.here, s.there, &questions_of_all[i], 1, "directory");
        const long long most = (info.nstored + 1) * (CHUNK_SIZE + 32);
        if (atomic_load(&s.conduct.nbytes) > most)
            fail_msg("%s: %lld bytes read, %lld at most", questions_of_all[i].name,
                     atomic_load(&s.conduct.nbytes), most);
        ok(tess_array_close(s.there, err));
        far_close_here(&s);
    }
    free(bytes);
    free(longer);
    files_remove(path);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(requests_of_plain_directories, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(requests_for_small_chunks, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(requests_of_pieces, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(requests_for_single_items, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(requests_for_whole_chunks, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(requests_for_checked_parts, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(requests_for_directories, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(requests_for_a_long_chunk, far_setup, far_teardown),
        cmocka_unit_test_setup_teardown(ends_of_parts_are_not_read, far_setup, far_teardown),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
