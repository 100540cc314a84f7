/*
 * memory.c - calls that begin arrays and super-chunks, while one allocation after the other fails.
 *
 * This program has a calloc() of its own, which the shared libraries then call, too.
 */
#include "compat/nd.h"
#include "support/files.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};

// -- allocations

static int until_failure; // calls, the failing one included; 0: none fails
static bool had_failure; // the last call met it

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
extern void *__interceptor_calloc(size_t n, size_t size); // that of the sanitizer
static void *
libc_calloc(size_t n, size_t size)
{
    return __interceptor_calloc(n, size);
}
#else
static void *
libc_calloc(size_t n, size_t size)
{
    static void *(*libc)(size_t n, size_t size);

    if (!libc) {
        void *const found = dlsym(RTLD_NEXT, "calloc");
        memcpy(&libc, &found, sizeof libc);
    }
    return libc(n, size);
}
#endif

void *
calloc(size_t n, size_t size)
{
    if (until_failure > 0 && --until_failure == 0) {
        errno = ENOMEM;
        return NULL;
    }
    return libc_calloc(n, size);
}

// -- calls

// What a call is given, and whether it leads to a file.
struct scene {
    const struct nd_place *place;
    char *path; // of the new file; NULL: in memory
    b2nd_context_t *ctx; // of a new array
    b2nd_array_t *source;
    blosc2_schunk *plain;
    char *source_path; // of a file that is there
    uint8_t *frame;
    int64_t frame_size;
};

typedef bool call_fn(const struct scene *s); // whether it succeeded; what it made is freed

// The call has ended: what follows has its memory.
static bool
end_failures(void)
{
    const bool failed = until_failure == 0;
    until_failure = 0;
    return failed;
}

static bool
ends_schunk(blosc2_schunk *schunk)
{
    had_failure = end_failures();
    if (schunk)
        assert_good(blosc2_schunk_free(schunk));
    return schunk != NULL;
}

static bool
ends_array(int rc, b2nd_array_t *array)
{
    had_failure = end_failures();
    assert_int_equal(rc == 0, array != NULL);
    if (array)
        assert_good(b2nd_free(array));
    return rc == 0;
}

static blosc2_storage
storage_of(const struct scene *s)
{
    return (blosc2_storage){s->place->contiguous, s->path, NULL, NULL, NULL};
}

static bool
new_schunk(const struct scene *s)
{
    blosc2_storage storage = storage_of(s);
    return ends_schunk(blosc2_schunk_new(&storage));
}

static bool
copy_of_schunk(const struct scene *s)
{
    blosc2_storage storage = storage_of(s);
    return ends_schunk(blosc2_schunk_copy(s->plain, &storage));
}

static bool
copy_of_array_as_schunk(const struct scene *s)
{
    blosc2_storage storage = storage_of(s);
    return ends_schunk(blosc2_schunk_copy(s->source->sc, &storage));
}

static bool
new_array(const struct scene *s)
{
    b2nd_array_t *array = NULL;
    const int rc = b2nd_zeros(s->ctx, &array);
    return ends_array(rc, array);
}

static bool
copy_of_array(const struct scene *s)
{
    b2nd_array_t *array = NULL;
    const int rc = b2nd_copy(s->ctx, s->source, &array);
    return ends_array(rc, array);
}

static bool
full_array(const struct scene *s)
{
    b2nd_array_t *array = NULL;
    const int rc = b2nd_full(s->ctx, &array, &(int32_t){7});
    return ends_array(rc, array);
}

static bool
slice_of_array(const struct scene *s)
{
    b2nd_array_t *array = NULL;
    const int rc =
        b2nd_get_slice(s->ctx, &array, s->source, (int64_t[]){0, 0}, (int64_t[]){14, 10});
    return ends_array(rc, array);
}

static bool
joined_arrays(const struct scene *s)
{
    b2nd_array_t *array = NULL;
    const int rc = b2nd_concatenate(s->ctx, s->source, s->source, 0, true, &array);
    return ends_array(rc, array);
}

static bool
open_file(const struct scene *s)
{
    b2nd_array_t *array = NULL;
    const int rc = b2nd_open(s->source_path, &array);
    return ends_array(rc, array);
}

static bool
open_frame(const struct scene *s)
{
    b2nd_array_t *array = NULL;
    const int rc = b2nd_from_cframe(s->frame, s->frame_size, true, &array);
    return ends_array(rc, array);
}

static bool
view_of_array(const struct scene *s)
{
    b2nd_array_t *view = NULL;
    const int rc = b2nd_expand_dims(s->source, &view, (bool[]){true, false, false}, 3);
    return ends_array(rc, view);
}

static const struct {
    const char *name;
    call_fn *call;
    bool makes_file;
} calls[] = {
    {"a super-chunk", new_schunk, true},
    {"a copy of a super-chunk", copy_of_schunk, true},
    {"a copy of an array as a super-chunk", copy_of_array_as_schunk, true},
    {"an array", new_array, true},
    {"a copy of an array", copy_of_array, true},
    {"an array of one item", full_array, true},
    {"a slice of an array", slice_of_array, true},
    {"two arrays joined", joined_arrays, true},
    {"opening a file", open_file, false},
    {"opening a frame", open_frame, false},
    {"a view", view_of_array, false},
};

// The n-th allocation fails, for each n until there are no more.
static void
fail_each(size_t k, const struct scene *s)
{
    bool done = false;
    int n = 0;

    while (!done) {
        const int names = files_count();
        until_failure = ++n;
        done = calls[k].call(s);
        if (done && calls[k].makes_file && s->path) {
            assert_true(files_exist(s->path));
            files_remove(s->path);
        }
        if (files_count() != names)
            fail_msg("%s, %s: allocation %d fails: files are left", calls[k].name, s->place->name,
                     n);
        if (!done && !had_failure)
            fail_msg("%s, %s: fails without a reason", calls[k].name, s->place->name);
        done = done && !had_failure;
    }
    assert_true(n > 3);
}

static void
allocations_that_fail(void **state)
{
    (void)state;
    for (int place = 0; place < ND_PLACES; place++) {
        struct scene s = {.place = &nd_places[place]};
        bool needs_free = false;

        s.path = s.place->file ? strdup(files_path("new")) : NULL;
        s.ctx = nd_context(&matrix, s.place->contiguous, s.path);
        s.source_path = strdup(files_path("source"));
        s.source = nd_numbers(&matrix, s.place->contiguous, s.source_path);
        assert_good(blosc2_vlmeta_add(s.source->sc, "name", (uint8_t[]){1}, 1, NULL));
        assert_good(b2nd_to_cframe(s.source, &s.frame, &s.frame_size, &needs_free));
        assert_true(needs_free);
        s.plain = blosc2_schunk_new(NULL);
        assert_int_equal(blosc2_schunk_append_buffer(s.plain, "abcdefgh", 8), 1);
        for (size_t k = 0; k < COUNT(calls); k++)
            fail_each(k, &s);
        assert_good(blosc2_schunk_free(s.plain));
        assert_good(b2nd_free(s.source));
        assert_good(b2nd_free_ctx(s.ctx));
        files_remove(s.source_path);
        free(s.frame);
        free(s.source_path);
        free(s.path);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(allocations_that_fail, files_setup, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
