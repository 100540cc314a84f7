/*
 * both.c - c-blosc2 in the same process: each library works on its own files, with its own state,
 * and reads what the other wrote.
 *
 * c-blosc2 is loaded for everybody (RTLD_GLOBAL), as its own program would do: if the library here
 * exported a name of c-blosc2, that name would mean the same function for both. The name of the
 * file comes from TESS_TEST_BLOSC2, or is one that a distribution installs. Structs differ between
 * its releases, so arrays of c-blosc2 are only passed on, and contexts have the default parameters.
 */
#include "compat/compat.h"
#include "support/files.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, COLUMNS = 50, ITEMS = ROWS * COLUMNS, OLDEST = 2, NEWEST = 20, TIMES = 200 };

// The functions of one of the two.
struct library {
    const char *name;
    void (*init)(void);
    void (*destroy)(void);
    int16_t (*set_nthreads)(int16_t);
    int16_t (*get_nthreads)(void);
    int (*register_codec)(blosc2_codec *);
    int (*codec_name)(int, const char **);
    b2nd_context_t *(*create_ctx)(const blosc2_storage *, int8_t, const int64_t *, const int32_t *,
                                  const int32_t *, const char *, int8_t, const blosc2_metalayer *,
                                  int32_t);
    int (*free_ctx)(b2nd_context_t *);
    int (*from_buffer)(b2nd_context_t *, b2nd_array_t **, const void *, int64_t);
    int (*to_buffer)(const b2nd_array_t *, void *, int64_t);
    int (*open)(const char *, b2nd_array_t **);
    int (*set_slice)(const void *, const int64_t *, int64_t, const int64_t *, const int64_t *,
                     b2nd_array_t *);
    int (*free)(b2nd_array_t *);
};

// The headers give these names symbols of their own.
static const struct library ours = {
    "tessera-b2nd",
    blosc2_init,
    blosc2_destroy,
    blosc2_set_nthreads,
    blosc2_get_nthreads,
    blosc2_register_codec,
    blosc2_compcode_to_compname,
    b2nd_create_ctx,
    b2nd_free_ctx,
    b2nd_from_cbuffer,
    b2nd_to_cbuffer,
    b2nd_open,
    b2nd_set_slice_cbuffer,
    b2nd_free,
};
static struct library theirs = {.name = "c-blosc2"};

// -- loading

static void *
load_blosc2(void)
{
    const char *const path = getenv("TESS_TEST_BLOSC2");
    void *library = NULL;
    char name[32];

    if (path)
        return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    for (int version = NEWEST; version >= OLDEST && !library; version--) {
        (void)snprintf(name, sizeof name, "libblosc2.so.%d", version);
        library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    }
    return library;
}

static bool
find_functions(void *library)
{
    const struct {
        const char *name;
        void *function; // a pointer to a function
    } wanted[] = {
        {"blosc2_init", &theirs.init},
        {"blosc2_destroy", &theirs.destroy},
        {"blosc2_set_nthreads", &theirs.set_nthreads},
        {"blosc2_get_nthreads", &theirs.get_nthreads},
        {"blosc2_register_codec", &theirs.register_codec},
        {"blosc2_compcode_to_compname", &theirs.codec_name},
        {"b2nd_create_ctx", &theirs.create_ctx},
        {"b2nd_free_ctx", &theirs.free_ctx},
        {"b2nd_from_cbuffer", &theirs.from_buffer},
        {"b2nd_to_cbuffer", &theirs.to_buffer},
        {"b2nd_open", &theirs.open},
        {"b2nd_set_slice_cbuffer", &theirs.set_slice},
        {"b2nd_free", &theirs.free},
    };

    for (size_t i = 0; i < COUNT(wanted); i++) {
        void *const found = dlsym(library, wanted[i].name);
        if (!found) {
            fprintf(stderr, "c-blosc2 has no %s\n", wanted[i].name);
            return false;
        }
        memcpy(wanted[i].function, &found, sizeof found);
    }
    return true;
}

// -- arrays

static int64_t
item_at(int i)
{
    return (int64_t)i * i % 1009;
}

static b2nd_array_t *
new_array(const struct library *lib, const char *name)
{
    const int64_t shape[] = {ROWS, COLUMNS};
    const int32_t chunkshape[] = {20, 25}, blockshape[] = {5, 25};
    static int64_t items[ITEMS];
    char path[4096];
    blosc2_storage storage = BLOSC2_STORAGE_DEFAULTS;
    b2nd_array_t *array = NULL;

    for (int i = 0; i < ITEMS; i++)
        items[i] = item_at(i);
    (void)snprintf(path, sizeof path, "%s", files_path(name));
    storage.contiguous = true;
    storage.urlpath = path;
    b2nd_context_t *const ctx =
        lib->create_ctx(&storage, 2, shape, chunkshape, blockshape, "<i8", 0, NULL, 0);
    assert_non_null(ctx);
    assert_good(lib->from_buffer(ctx, &array, items, sizeof items));
    assert_non_null(array);
    assert_good(lib->free_ctx(ctx));
    return array;
}

// Writes a row: each item grows by 1.
static int
write_row(const struct library *lib, b2nd_array_t *array, int row)
{
    const int64_t start[] = {row, 0}, stop[] = {row + 1, COLUMNS}, shape[] = {1, COLUMNS};
    int64_t items[COLUMNS];

    for (int i = 0; i < COLUMNS; i++)
        items[i] = item_at(row * COLUMNS + i) + 1;
    return lib->set_slice(items, shape, sizeof items, start, stop, array);
}

// Number of items that differ from those after the first `rows` rows were written; -1: not read.
static int
count_other_items(const struct library *lib, const b2nd_array_t *array, int rows)
{
    int64_t items[ITEMS];
    int others = 0;

    if (lib->to_buffer(array, items, sizeof items) < 0)
        return -1;
    for (int i = 0; i < ITEMS; i++)
        others += items[i] != item_at(i) + (i < rows * COLUMNS);
    return others;
}

static void
check_opened(const struct library *lib, const char *name, int rows)
{
    b2nd_array_t *array = NULL;

    assert_good(lib->open(files_path(name), &array));
    assert_int_equal(count_other_items(lib, array, rows), 0);
    assert_good(lib->free(array));
}

// -- tests

static void
writes_take_turns(void **state)
{
    (void)state;
    b2nd_array_t *const a = new_array(&ours, "ours"), *const b = new_array(&theirs, "theirs");

    for (int row = 0; row < ROWS; row++) {
        assert_good(write_row(&ours, a, row));
        assert_good(write_row(&theirs, b, row));
    }
    assert_int_equal(count_other_items(&ours, a, ROWS), 0);
    assert_int_equal(count_other_items(&theirs, b, ROWS), 0);
    assert_good(ours.free(a));
    assert_good(theirs.free(b));
    check_opened(&ours, "theirs", ROWS);
    check_opened(&theirs, "ours", ROWS);
}

struct reader {
    const struct library *lib;
    b2nd_array_t *array;
    int others; // items that are not what was written
};

static void *
read_often(void *of)
{
    struct reader *const reader = of;

    for (int i = 0; i < TIMES && reader->others == 0; i++)
        reader->others = count_other_items(reader->lib, reader->array, 0);
    return NULL;
}

static void
threads_use_one_each(void **state)
{
    (void)state;
    struct reader readers[] = {{&ours, new_array(&ours, "ours"), 0},
                               {&theirs, new_array(&theirs, "theirs"), 0}};
    pthread_t threads[COUNT(readers)];

    for (size_t i = 0; i < COUNT(readers); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, &readers[i]), 0);
    for (size_t i = 0; i < COUNT(readers); i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(readers[i].others, 0);
        assert_good(readers[i].lib->free(readers[i].array));
    }
}

static int
encode(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len, uint8_t meta,
       blosc2_cparams *cparams, const void *chunk)
{
    (void)input, (void)input_len, (void)output, (void)output_len, (void)meta;
    (void)cparams, (void)chunk;
    return 0;
}

static int
decode(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len, uint8_t meta,
       blosc2_dparams *dparams, const void *chunk)
{
    (void)input, (void)input_len, (void)output, (void)output_len, (void)meta;
    (void)dparams, (void)chunk;
    return -1;
}

static void
state_is_of_one_library(void **state)
{
    (void)state;
    char name[] = "example";
    blosc2_codec codec = {200, name, 1, 1, encode, decode};
    const char *found = NULL;
    const int16_t before = theirs.get_nthreads();

    (void)ours.set_nthreads((int16_t)(before + 3));
    assert_int_equal(theirs.get_nthreads(), before);
    assert_int_equal(ours.get_nthreads(), before + 3);
    assert_good(ours.register_codec(&codec));
    assert_int_equal(ours.codec_name(200, &found), 200);
    assert_int_equal(theirs.codec_name(200, &found), -1);
}

// One of them ends; the other goes on.
static void
one_ends_first(void **state)
{
    const struct library *const order[] = {&ours, &theirs};

    (void)state;
    for (int k = 0; k < 2; k++) {
        const struct library *const ends = order[k], *const goes_on = order[1 - k];
        b2nd_array_t *const array = new_array(goes_on, ends->name);

        ends->destroy();
        assert_good(write_row(goes_on, array, 0));
        assert_int_equal(count_other_items(goes_on, array, 1), 0);
        assert_good(goes_on->free(array));
        ends->init();
        check_opened(ends, ends->name, 1);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(writes_take_turns),
        IN_A_FOLDER(threads_use_one_each),
        IN_A_FOLDER(state_is_of_one_library),
        IN_A_FOLDER(one_ends_first),
    };
    void *const library = load_blosc2();

    if (!library) {
        printf("SKIPPED: no library of c-blosc2: %s\n", dlerror());
        return 77;
    }
    if (!find_functions(library))
        return 1;
    theirs.init();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    theirs.destroy();
    return failed;
}
