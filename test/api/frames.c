/*
 * frames.c - what a path leads to, and the frames in a file, compared with what was written there.
 */
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { HEADER = 87, FRAME_LEN_AT = 16, HEADER_LEN_AT = 11 };

static tess_storage
at(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    return storage;
}

// An array of n numbers; its place in the file.
static int64_t
make(const char *path, tess_mode mode, tess_layout layout, int64_t n)
{
    const tess_storage storage = at(path, mode);
    int32_t *const items = malloc((size_t)(n + 1) * sizeof *items);
    tess_params p;
    tess_array *a = NULL;
    tess_info info;
    assert_non_null(items);
    for (int64_t i = 0; i < n; i++)
        items[i] = (int32_t)(i * 7 % 1000);
    tess_params_init(&p);
    p.dtype = TESS_DTYPE_I32;
    p.layout = layout;
    p.ndim = 2;
    p.shape[0] = 1;
    p.shape[1] = n;
    ok(tess_array_from(&storage, &p, items, (size_t)n * sizeof *items, &a, err));
    tess_array_info(a, &info);
    ok(tess_array_close(a, err));
    free(items);
    return info.offset;
}

static tess_frame_info
probe(const char *path, int64_t offset)
{
    tess_storage storage = at(path, TESS_MODE_READ);
    tess_frame_info frame;
    memset(&frame, 0x5a, sizeof frame);
    storage.offset = offset;
    ok(tess_probe(&storage, &frame, err));
    return frame;
}

static void
probes(void **state)
{
    const char *const file = files_path("a.b2nd"), *const folder = files_path("s.b2nd");
    tess_frame_info frame;
    struct stat info;

    (void)state;
    (void)make(file, TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, 1000);
    (void)make(folder, TESS_MODE_NEW, TESS_LAYOUT_SPARSE, 10);
    frame = probe(file, 0);
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(frame.kind, TESS_FRAME_ARRAY);
    assert_true(frame.contiguous);
    assert_int_equal(frame.offset, 0);
    assert_int_equal(frame.size, info.st_size);
    assert_int_equal(frame.ndim, 2);
    assert_int_equal(frame.shape[0], 1);
    assert_int_equal(frame.shape[1], 1000);
    assert_int_equal(frame.shape[2], 0);
    assert_int_equal(frame.typesize, 4);
    assert_string_equal(frame.layer, "b2nd");

    frame = probe(folder, 0);
    assert_int_equal(frame.kind, TESS_FRAME_ARRAY);
    assert_false(frame.contiguous);
    assert_int_equal(frame.shape[1], 10);

    char path[600];
    (void)snprintf(path, sizeof path, "%s/chunks.b2frame", folder);
    frame = probe(path, 0);
    assert_false(frame.contiguous);
    assert_int_equal(probe(file, 5).kind, TESS_FRAME_NONE);
}

static void
probes_nothing(void **state)
{
    const char *const folder = files_path("folder"), *const text = files_path("text");
    const char *const fifo = files_path("fifo");
    tess_storage storage = at(files_path("missing"), TESS_MODE_READ);
    tess_frame_info frame;

    (void)state;
    assert_int_equal(mkdir(folder, 0777), 0);
    files_write(text, "no array", 8);
    assert_int_equal(probe(folder, 0).kind, TESS_FRAME_NONE);
    assert_int_equal(probe(text, 0).kind, TESS_FRAME_NONE);
    assert_int_equal(probe(text, 8).kind, TESS_FRAME_NONE);
    refused(TESS_ERR_NOT_FOUND, tess_probe(&storage, &frame, err));
    storage.path = text;
    storage.offset = 9;
    refused(TESS_ERR_ARG, tess_probe(&storage, &frame, err));
    storage.offset = -1;
    refused(TESS_ERR_ARG, tess_probe(&storage, &frame, err));
    storage.path = folder;
    storage.offset = 1;
    refused(TESS_ERR_ARG, tess_probe(&storage, &frame, err));
    assert_int_equal(mkfifo(fifo, 0666), 0);
    storage = at(fifo, TESS_MODE_READ);
    refused(TESS_ERR_IO, tess_probe(&storage, &frame, err));
    storage.path = NULL;
    refused(TESS_ERR_ARG, tess_probe(&storage, &frame, err));
    refused(TESS_ERR_ARG, tess_probe(NULL, &frame, err));
    refused(TESS_ERR_ARG, tess_probe_sized(&storage, NULL, 0, err));
}

// A list of the program, of elements that are longer or shorter than those of the library.
static void
sizes(void **state)
{
    struct longer {
        tess_frame_info frame;
        int64_t later;
    } * longer;
    enum { SHORT = offsetof(tess_frame_info, size) + sizeof(int64_t) };
    const char *const path = files_path("two");
    const tess_storage storage = at(path, TESS_MODE_READ);
    tess_frame_info *list;
    int64_t n, second;

    (void)state;
    (void)make(path, TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, 10);
    second = make(path, TESS_MODE_APPEND, TESS_LAYOUT_CONTIGUOUS, 20);
    ok(tess_find_frames_sized(&storage, &list, sizeof *longer, &n, err));
    longer = (void *)list;
    assert_int_equal(n, 2);
    assert_int_equal(longer[1].frame.offset, second);
    assert_int_equal(longer[1].later, 0);
    tess_free(list);
    ok(tess_find_frames_sized(&storage, &list, SHORT, &n, err));
    memcpy(&second, (const char *)list + SHORT + offsetof(tess_frame_info, offset), sizeof second);
    assert_int_equal(longer != NULL && n == 2, 1);
    assert_int_equal(second, probe(path, second).offset);
    tess_free(list);
    refused(TESS_ERR_ARG, tess_find_frames_sized(&storage, &list, 0, &n, err));
    assert_null(list);
    refused(TESS_ERR_ARG, tess_find_frames_sized(&storage, &list, SIZE_MAX, &n, err));
    refused(TESS_ERR_ARG, tess_find_frames(&storage, NULL, &n, err));
    refused(TESS_ERR_ARG, tess_find_frames(&storage, &list, NULL, err));
    refused(TESS_ERR_ARG, tess_find_frames(NULL, &list, &n, err));
}

static void
append_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *const file = fopen(path, "ab");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// Arrays and foreign bytes in any order: the list is that of the arrays.
static void
lists(void **state)
{
    enum { PARTS = 12 };
    static const char magic[] = "\x9e\xa8"
                                "b2frame\0\xd2"; // as a frame begins; no header follows
    const char *const path = files_path("many");
    tess_storage storage = at(path, TESS_MODE_READ);
    struct random random;

    (void)state;
    random_init(&random, random_seed());
    for (int round = 0; round < 10; round++) {
        int64_t places[PARTS], lengths[PARTS], n = 0, found;
        tess_frame_info *list;
        files_write(path, "", 0);
        for (int i = 0; i < PARTS; i++) {
            static uint8_t bytes[100000];
            const size_t size = (size_t)random_below(&random, sizeof bytes);
            switch (random_below(&random, 4)) {
            case 0:
                memset(bytes, (int)random_below(&random, 256), size);
                append_bytes(path, bytes, size);
                break;
            case 1:
                append_bytes(path, magic, sizeof magic - 1);
                break;
            default:
                lengths[n] = (int64_t)random_below(&random, 5000);
                places[n] = make(path, TESS_MODE_APPEND, TESS_LAYOUT_CONTIGUOUS, lengths[n]);
                n++;
            }
        }
        ok(tess_find_frames(&storage, &list, &found, err));
        int64_t whole = 0;
        for (int64_t i = 0; i < found; i++) {
            if (list[i].kind == TESS_FRAME_DAMAGED)
                continue; // the bytes that begin as a frame does
            assert_true(whole < n);
            assert_int_equal(list[i].offset, places[whole]);
            assert_int_equal(list[i].shape[1], lengths[whole]);
            assert_int_equal(list[i].kind, TESS_FRAME_ARRAY);
            whole++;
        }
        assert_int_equal(whole, n);
        tess_free(list);
        if (n > 1) { // from one on
            storage.offset = places[1];
            ok(tess_find_frames(&storage, &list, &found, err));
            assert_true(found >= n - 1);
            assert_int_equal(list[0].offset, places[1]);
            tess_free(list);
            storage.offset = 0;
        }
    }
}

static void
lists_nothing(void **state)
{
    const char *const path = files_path("empty");
    tess_storage storage = at(path, TESS_MODE_READ);
    tess_frame_info *list;
    int64_t n;

    (void)state;
    files_write(path, "", 0);
    ok(tess_find_frames(&storage, &list, &n, err));
    assert_null(list);
    assert_int_equal(n, 0);
    storage.path = files_path("missing");
    refused(TESS_ERR_NOT_FOUND, tess_find_frames(&storage, &list, &n, err));
    storage.path = files_path("");
    refused(TESS_ERR_ARG, tess_find_frames(&storage, &list, &n, err));
}

// A frame in memory, for hostile changes.
static uint8_t *
image(size_t *size)
{
    const char *const path = files_path("image");
    (void)make(path, TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, 100);
    return files_read(path, size);
}

static int64_t
count(const void *bytes, size_t size, tess_frame_info *first)
{
    tess_storage storage;
    tess_frame_info *list;
    int64_t n;
    tess_storage_init(&storage);
    storage.image = bytes;
    storage.image_size = size;
    ok(tess_find_frames(&storage, &list, &n, err));
    if (n > 0 && first)
        *first = list[0];
    tess_free(list);
    return n;
}

static void
put_be(uint8_t *dst, uint64_t value, int size)
{
    for (int i = size; i-- > 0; value >>= 8)
        dst[i] = (uint8_t)value;
}

// Lengths that a stranger chose.
static void
hostile(void **state)
{
    static const struct {
        const char *why;
        size_t field;
        int bytes;
        uint64_t value;
    } cases[] = {
        {"frame beyond the file", FRAME_LEN_AT, 8, 1 << 30},
        {"longest frame", FRAME_LEN_AT, 8, INT64_MAX},
        {"negative frame", FRAME_LEN_AT, 8, UINT64_MAX},
        {"frame of no bytes", FRAME_LEN_AT, 8, 0},
        {"frame shorter than its header", FRAME_LEN_AT, 8, 90},
        {"frame that ends elsewhere", FRAME_LEN_AT, 8, 300},
        {"longest header", HEADER_LEN_AT, 4, INT32_MAX},
        {"negative header", HEADER_LEN_AT, 4, UINT32_MAX},
        {"header of no bytes", HEADER_LEN_AT, 4, 0},
        {"header that ends elsewhere", HEADER_LEN_AT, 4, 120},
        {"version", 25, 1, 0x1f},
        {"type", 26, 1, 7},
    };
    size_t size;
    uint8_t *const good = image(&size), *const bad = malloc(2 * size);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tess_frame_info frame = {0};
        memcpy(bad, good, size);
        memcpy(bad + size, good, size); // a whole one behind
        put_be(bad + cases[i].field, cases[i].value, cases[i].bytes);
        if (count(bad, size, &frame) != 1 || frame.kind != TESS_FRAME_DAMAGED || frame.size < 1 ||
            frame.size > (int64_t)size)
            fail_msg("%s: kind %d, %lld bytes", cases[i].why, frame.kind, (long long)frame.size);
        if (count(bad, 2 * size, NULL) != 2)
            fail_msg("%s: the frame behind is not found", cases[i].why);
    }
    for (size_t cut = 0; cut < size; cut++) { // cut off anywhere
        tess_frame_info frame = {0};
        uint8_t *const piece = malloc(cut + 1);
        memcpy(piece, good, cut);
        const int64_t n = count(piece, cut, &frame);
        assert_true(n == 0 ? cut < HEADER : n == 1 && frame.kind == TESS_FRAME_DAMAGED);
        free(piece);
    }
    free(bad);
    free(good);
}

// A list that would need more memory than is allowed, from a file of headers alone.
static void
limit(void **state)
{
    enum { N = 1000 };
    size_t size;
    uint8_t *const good = image(&size), *const many = calloc(N, HEADER);
    tess_storage storage;
    tess_frame_info *list;
    int64_t n;

    (void)state;
    for (size_t i = 0; i < N; i++)
        memcpy(many + i * HEADER, good, HEADER);
    tess_storage_init(&storage);
    storage.image = many;
    storage.image_size = (size_t)N * HEADER;
    ok(tess_find_frames(&storage, &list, &n, err));
    tess_free(list);
    assert_true(n > N / 2);
    storage.limits.memory = 1000;
    refused(TESS_ERR_LIMIT, tess_find_frames(&storage, &list, &n, err));
    assert_null(list);
    free(many);
    free(good);
}

static bool
stops(int64_t done, int64_t total, void *user)
{
    int *const calls = user;
    assert_true(done >= 0 && done <= total);
    return ++*calls < 3;
}

static void
cancelled(void **state)
{
    enum { SIZE = 8 << 20 };
    uint8_t *const zeros = calloc(1, SIZE);
    tess_storage storage;
    tess_context context;
    tess_frame_info *list;
    int64_t n;
    int calls = 0;

    (void)state;
    tess_context_init(&context);
    context.progress = stops;
    context.progress_user = &calls;
    context.progress_interval = 0;
    tess_storage_init(&storage);
    storage.image = zeros;
    storage.image_size = SIZE;
    storage.context = &context;
    const tess_status st = tess_find_frames(&storage, &list, &n, NULL);
    assert_true(st == TESS_ERR_CANCELLED || calls < 3);
    free(zeros);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(probes, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(probes_nothing, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(sizes, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(lists, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(lists_nothing, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(hostile, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(limit, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(cancelled, files_setup, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
