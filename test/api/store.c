/*
 * store.c - stores of arrays: zip files and directories that are made by hand, against what was put
 * into them.
 */
#include "support/far_object.h"
#include "support/files.h"
#include "support/random.h"
#include "support/zips.h"

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

enum { NITEMS = 1000 };

// A frame of NITEMS numbers from `first` on; tess_free() it.
static void
frame_of(int32_t first, uint8_t **frame, size_t *size)
{
    int32_t items[NITEMS];
    tess_storage memory;
    tess_params p;
    tess_array *a = NULL;
    void *image = NULL;
    for (int i = 0; i < NITEMS; i++)
        items[i] = first + i;
    tess_storage_init(&memory);
    tess_params_init(&p);
    p.dtype = TESS_DTYPE_I32;
    p.ndim = 1;
    p.shape[0] = NITEMS;
    p.chunkshape[0] = 300;
    p.blockshape[0] = 100;
    ok(tess_array_from(&memory, &p, items, sizeof items, &a, err));
    ok(tess_attr_set_int(a, "first", first, err));
    ok(tess_array_to_image(a, &image, size, err));
    *frame = image;
    tess_array_discard(a);
}

static void
add_frame(struct zip_making *z, const char *name, int32_t first)
{
    uint8_t *frame;
    size_t size;
    frame_of(first, &frame, &size);
    zip_add_bytes(z, name, frame, size);
    tess_free(frame);
}

static tess_storage
at(const char *path)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    return storage;
}

static tess_store *
open_at(const char *path)
{
    const tess_storage storage = at(path);
    tess_store *store = NULL;
    ok(tess_store_open(&storage, &store, err));
    return store;
}

static tess_storage
in_memory(const struct zip_making *z)
{
    tess_storage storage = at(NULL);
    storage.image = z->bytes;
    storage.image_size = z->size;
    return storage;
}

static void
check_items(const tess_array *a, int32_t first)
{
    int32_t items[NITEMS];
    const int64_t start = 0, stop = NITEMS;
    int64_t attribute = -1;
    ok(tess_array_read(a, &start, &stop, items, sizeof items, err));
    for (int i = 0; i < NITEMS; i++)
        assert_int_equal(items[i], first + i);
    ok(tess_attr_get_int(a, "first", &attribute, err));
    assert_int_equal(attribute, first);
}

static void
check_entry(tess_store *store, const char *path, int32_t first)
{
    tess_array *a = NULL;
    ok(tess_store_array(store, path, &a, err));
    check_items(a, first);
    ok(tess_array_close(a, err));
}

// "/ /a /g/ /g/b": entries in their order, groups with a slash behind them.
static void
check_list(tess_store *store, const char *want)
{
    char text[4096] = "";
    for (int64_t i = 0; i < tess_store_count(store); i++) {
        tess_entry e;
        tess_store_entry(store, i, &e);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s", i > 0 ? " " : "",
                 e.path, e.kind == TESS_ENTRY_GROUP && i > 0 ? "/" : "");
        assert_int_equal(tess_store_find(store, e.path), i);
    }
    assert_string_equal(text, want);
}

static const char *
reason_of(tess_store *store, const char *name)
{
    const char *is, *reason;
    for (int64_t i = 0; tess_store_left_out(store, i, &is, &reason); i++)
        if (strcmp(is, name) == 0)
            return reason;
    return NULL;
}

static void
make_zip(struct zip_making *z)
{
    add_frame(z, "winds/u.b2nd", 100);
    add_frame(z, "winds/deep/er/v.b2nd", 200);
    add_frame(z, "a.b2nd", 300);
    add_frame(z, "winds.b2nd", 400);
    zip_add_bytes(z, "note.txt", "note", 4);
    zip_add_bytes(z, "empty/", "", 0);
    zip_end(z, "a comment", false);
}

static const char ZIP_LIST[] = "/ /a /winds /winds/deep/ /winds/deep/er/ /winds/deep/er/v /winds/u";

static void
check_zip(tess_store *store)
{
    check_list(store, ZIP_LIST);
    check_entry(store, "/winds/u", 100);
    check_entry(store, "winds/deep/er/v", 200);
    check_entry(store, "//a/", 300);
    check_entry(store, "/winds", 400);
    assert_string_equal(reason_of(store, "note.txt"), "it is no array by the end of its name");
    assert_null(reason_of(store, "empty/"));
    assert_int_equal(tess_store_next(store, 2), 7);
    assert_int_equal(tess_store_next(store, 3), 6);
    assert_int_equal(tess_store_next(store, 1), 2);
}

static void
zip_files(void **state)
{
    const char *const path = files_path("s.b2z");
    struct zip_making z = {0};
    tess_array *kept = NULL;
    (void)state;
    make_zip(&z);
    files_write(path, z.bytes, z.size);
    tess_store *store = open_at(path);
    check_zip(store);
    // An array stays when the store is closed, and when its file is replaced or removed.
    ok(tess_store_array(store, "/winds/u", &kept, err));
    files_remove(path);
    tess_store_close(store);
    check_items(kept, 100);
    ok(tess_array_close(kept, err));

    const tess_storage memory = in_memory(&z);
    ok(tess_store_open(&memory, &store, err));
    check_zip(store);
    tess_store_close(store);
    zip_free(&z);
}

// Of sources, near and far, with one read for both ends of a member or without.
static void
sources(void **state)
{
    const char *const path = files_path("s.b2z");
    struct zip_making z = {0};
    (void)state;
    make_zip(&z);
    files_write(path, z.bytes, z.size);
    for (int i = 0; i < 8; i++) {
        struct conduct c;
        struct object o;
        tess_store *store = NULL;
        tess_storage storage = at(NULL);
        conduct_init(&c);
        c.latency = i & 1 ? 20000 : 0;
        c.ends = (i & 2) != 0;
        c.guarded = (i & 4) != 0;
        object_load(&o, &c, path, false);
        const tess_source source = object_source(&o);
        storage.source = &source;
        ok(tess_store_open(&storage, &store, err));
        check_zip(store);
        tess_store_close(store);
        assert_int_equal(c.closed, 1);
        object_finish(&o);
    }
    zip_free(&z);
}

// A far store is opened and listed with as many requests as one object, and an array with one for
// its front and its end.
static void
requests(void **state)
{
    enum { MEMBERS = 1000 };
    const char *const path = files_path("s.b2z");
    struct zip_making z = {0};
    struct conduct c;
    struct object o;
    uint8_t *frame;
    size_t size;
    tess_store *store = NULL;
    tess_storage storage = at(NULL);
    tess_array *a = NULL;
    (void)state;
    frame_of(7, &frame, &size);
    for (int i = 0; i < MEMBERS; i++) {
        char name[32];
        snprintf(name, sizeof name, "g%d/a%04d.b2nd", i % 10, i);
        zip_add_bytes(&z, name, frame, size);
    }
    tess_free(frame);
    zip_end(&z, NULL, false);
    files_write(path, z.bytes, z.size);
    conduct_init(&c);
    c.latency = 20000;
    object_load(&o, &c, path, false);
    const tess_source source = object_source(&o);
    storage.source = &source;
    ok(tess_store_open(&storage, &store, err));
    assert_true(c.reads <= 2);
    const int opened = c.reads;
    assert_int_equal(tess_store_count(store), MEMBERS + 11);
    assert_int_equal(c.reads, opened);
    ok(tess_store_array(store, "/g3/a0003", &a, err));
    check_items(a, 7);
    assert_true(c.reads <= opened + 1);
    ok(tess_array_close(a, err));
    tess_store_close(store);
    object_finish(&o);
    zip_free(&z);
}

// Members whose ends are apart, with extra fields in front of their bytes that the list does not
// have.
static void
large_members(void **state)
{
    enum { NLARGE = 700000 };
    const char *const path = files_path("large.b2z");
    static const size_t extras[] = {0, 28, 64, 65, 500};
    struct random r;
    tess_storage memory = at(NULL);
    tess_params p;
    tess_array *a = NULL;
    void *image = NULL;
    size_t size;
    (void)state;
    random_init(&r, random_seed());
    int32_t *const items = malloc(2 * NLARGE * sizeof *items), *const got = items + NLARGE;
    assert_non_null(items);
    random_bytes(&r, items, NLARGE * sizeof *items);
    tess_params_init(&p);
    p.dtype = TESS_DTYPE_I32;
    p.ndim = 1;
    p.shape[0] = NLARGE;
    ok(tess_array_from(&memory, &p, items, NLARGE * sizeof *items, &a, err));
    ok(tess_array_to_image(a, &image, &size, err));
    tess_array_discard(a);
    for (int i = 0; i < 10; i++) {
        struct zip_making z = {0};
        struct conduct c;
        struct object o;
        tess_store *store = NULL;
        tess_storage storage = at(NULL);
        const int64_t start = 0, stop = NLARGE;
        const struct zip_part part = {
            .name = "a.b2nd", .bytes = image, .size = size, .local_extra = extras[i / 2]};
        zip_add(&z, &part);
        add_frame(&z, "b.b2nd", 1);
        zip_end(&z, NULL, false);
        files_write(path, z.bytes, z.size);
        conduct_init(&c);
        c.latency = 20000;
        c.ends = i & 1;
        object_load(&o, &c, path, false);
        const tess_source source = object_source(&o);
        storage.source = &source;
        ok(tess_store_open(&storage, &store, err));
        ok(tess_store_array(store, "a", &a, err));
        ok(tess_array_read(a, &start, &stop, got, NLARGE * sizeof *got, err));
        assert_memory_equal(got, items, NLARGE * sizeof *got);
        tess_array_discard(a);
        check_entry(store, "b", 1);
        tess_store_close(store);
        object_finish(&o);
        zip_free(&z);
    }
    tess_free(image);
    free(items);
}

// A zip file that is written over while it is open has no array of another name's bytes.
static void
written_over(void **state)
{
    const char *const path = files_path("s.b2z");
    struct zip_making z = {0};
    tess_array *a = NULL;
    (void)state;
    add_frame(&z, "a.b2nd", 1);
    add_frame(&z, "b.b2nd", 2);
    zip_end(&z, NULL, false);
    files_write(path, z.bytes, z.size);
    tess_store *const store = open_at(path);
    zip_free(&z);
    add_frame(&z, "b.b2nd", 2);
    add_frame(&z, "a.b2nd", 1);
    add_frame(&z, "c.b2nd", 3);
    zip_end(&z, NULL, false);
    FILE *const out = fopen(path, "r+b");
    assert_non_null(out);
    assert_int_equal(fwrite(z.bytes, 1, z.size, out), z.size);
    assert_int_equal(fclose(out), 0);
    refused(TESS_ERR_STALE, tess_store_array(store, "a", &a, err));
    tess_store_close(store);
    zip_free(&z);
}

// As many members as 16 bits can count, without zip64.
static void
many_members(void **state)
{
    struct zip_making z = {0};
    tess_store *store = NULL;
    (void)state;
    for (int i = 0; i < UINT16_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "%05d.b2nd", i);
        zip_add_bytes(&z, name, "", 0);
    }
    zip_end(&z, NULL, false);
    const tess_storage memory = in_memory(&z);
    ok(tess_store_open(&memory, &store, err));
    assert_int_equal(tess_store_count(store), UINT16_MAX + 1);
    assert_int_equal(tess_store_find(store, "65534"), UINT16_MAX);
    tess_store_close(store);
    zip_free(&z);
}

// What is left out, and why; all else is there.
static void
left_out(void **state)
{
    static const struct {
        struct zip_part part;
        const char *name, *reason;
    } cases[] = {
        {{.name = "packed.b2nd", .method = 8}, "packed.b2nd", "it is compressed or encrypted"},
        {{.name = "secret.b2nd", .flags = 1}, "secret.b2nd", "it is compressed or encrypted"},
        {{.name = "../up.b2nd"}, "../up.b2nd", "its name has a part that is empty, . or .."},
        {{.name = "/root.b2nd"}, "/root.b2nd", "its name has a part that is empty, . or .."},
        {{.name = "a//b.b2nd"}, "a//b.b2nd", "its name has a part that is empty, . or .."},
        {{.name = "a/./b.b2nd"}, "a/./b.b2nd", "its name has a part that is empty, . or .."},
        {{.name = "a\\b.b2nd"}, "a\\b.b2nd", "its name has control characters or backslashes"},
        {{.name = "a\nb.b2nd"}, "a\nb.b2nd", "its name has control characters or backslashes"},
        {{.name = "nul\0.b2nd", .name_size = 9},
         "nul",
         "its name has control characters or backslashes"},
        {{.name = "\xff.b2nd"}, "\xff.b2nd", "its name is not UTF-8"},
        {{.name = ".b2nd"}, ".b2nd", "it is no array by the end of its name"},
        {{.name = "g/.b2nd"}, "g/.b2nd", "it is no array by the end of its name"},
        {{.name = "g/../x.b2nd"}, "g/../x.b2nd", "its name has a part that is empty, . or .."},
    };
    struct zip_making z = {0};
    char deep[200 + 6] = "";
    tess_store *store = NULL;
    (void)state;
    add_frame(&z, "good.b2nd", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        zip_add(&z, &cases[i].part);
    for (int i = 0; i < 100; i++)
        strcat(deep, "d/");
    strcat(deep, "a.b2f");
    zip_add_bytes(&z, deep, "", 0);
    zip_end(&z, NULL, false);
    const tess_storage memory = in_memory(&z);
    ok(tess_store_open(&memory, &store, err));
    check_list(store, "/ /good");
    check_entry(store, "/good", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const reason = reason_of(store, cases[i].name);
        assert_non_null(reason);
        assert_string_equal(reason, cases[i].reason);
    }
    assert_string_equal(reason_of(store, deep), "its name has too many parts");
    tess_store_close(store);
    zip_free(&z);
}

// Of two members of one name the later one counts, wherever it stands; and bytes in front of a zip
// file and behind it do not matter.
static void
later_members(void **state)
{
    static const char text[] = "bytes in front";
    tess_store *store = NULL;
    (void)state;
    for (int i = 0; i < 40; i++) {
        struct zip_making z = {0};
        const size_t front = i & 1 ? sizeof text : 0, behind = i & 2 ? 100 : 0;
        for (int k = 0; k <= i / 4; k++)
            add_frame(&z, "a.b2nd", 10 * i + k);
        zip_end(&z, NULL, i % 3 == 0);
        uint8_t *const bytes = calloc(1, front + z.size + behind);
        assert_non_null(bytes);
        memcpy(bytes, text, front);
        memcpy(bytes + front, z.bytes, z.size);
        tess_storage memory = at(NULL);
        memory.image = bytes;
        memory.image_size = front + z.size + behind;
        ok(tess_store_open(&memory, &store, err));
        check_list(store, "/ /a");
        check_entry(store, "/a", 10 * i + i / 4);
        assert_int_equal(reason_of(store, "/a") != NULL, i >= 4);
        tess_store_close(store);
        zip_free(&z);
        free(bytes);
    }
}

// Zip files of several kinds are read alike.
static void
kinds_of_zip(void **state)
{
    uint8_t *frame;
    size_t size;
    (void)state;
    frame_of(5, &frame, &size);
    for (int i = 0; i < 16; i++) {
        struct zip_making z = {0};
        tess_store *store = NULL;
        const struct zip_part part = {
            .name = "a.b2nd",
            .bytes = frame,
            .size = size,
            .flags = i & 1 ? 1 << 3 | 1 << 11 : 0, // sizes behind the bytes, too; a name in UTF-8
            .local_extra = i & 2 ? 28 : 0,
            .zip64 = (i & 4) != 0,
        };
        zip_add(&z, &part);
        zip_end(&z, i & 2 ? "PK\5\6 is how a list ends, and this is no list" : NULL, (i & 8) != 0);
        const tess_storage memory = in_memory(&z);
        ok(tess_store_open(&memory, &store, err));
        check_list(store, "/ /a");
        check_entry(store, "/a", 5);
        tess_store_close(store);
        zip_free(&z);
    }
    tess_free(frame);
}

// Open and read what can be read; nothing else counts.
static tess_status
read_all(const void *bytes, size_t size)
{
    tess_storage storage = at(NULL);
    tess_store *store = NULL;
    tess_error why = {0};
    storage.image = bytes;
    storage.image_size = size;
    const tess_status st = tess_store_open(&storage, &store, &why);
    if (st != TESS_OK)
        check_error(&why, st, "tess_store_open()");
    for (int64_t i = 0; i < tess_store_count(store); i++) {
        tess_entry e;
        tess_array *a = NULL;
        int32_t item;
        const int64_t start = 0, stop = 1;
        tess_store_entry(store, i, &e);
        if (tess_store_array(store, e.path, &a, NULL) == TESS_OK) {
            tess_info info;
            tess_array_info(a, &info);
            if (info.ndim == 1 && info.shape[0] > 0 && info.typesize == 4)
                (void)!tess_array_read(a, &start, &stop, &item, sizeof item, NULL);
        }
        tess_array_discard(a);
    }
    tess_store_close(store);
    return st;
}

// Cut anywhere, or with other bytes anywhere.
static void
damaged(void **state)
{
    struct zip_making z = {0};
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    add_frame(&z, "a.b2nd", 1);
    add_frame(&z, "g/b.b2nd", 2);
    zip_end(&z, NULL, true);
    uint8_t *const copy = malloc(z.size);
    assert_non_null(copy);
    const size_t list = z.size - z.list_size - 56 - 20 - 22;
    for (size_t size = 0; size < z.size; size += size < list ? 1 + (size_t)below(&r, 40) : 1)
        assert_int_not_equal(read_all(memcpy(copy, z.bytes, size), size), TESS_OK);
    for (size_t i = list; i < z.size; i++)
        for (int k = 0; k < 4; k++) {
            memcpy(copy, z.bytes, z.size);
            copy[i] = (uint8_t)(k == 0 ? 0 : k == 1 ? 0xff : k == 2 ? copy[i] ^ 1 : below(&r, 256));
            (void)read_all(copy, z.size);
        }
    for (int64_t i = random_cases(300, 100000); i > 0; i--) {
        memcpy(copy, z.bytes, z.size);
        for (int64_t n = 1 + below(&r, 6); n > 0; n--)
            copy[below(&r, (int64_t)z.size)] = (uint8_t)below(&r, 256);
        (void)read_all(copy, z.size);
    }
    free(copy);
    zip_free(&z);
}

// Members may not share bytes, nor stand in the list; and a list has its length.
static void
contradictions(void **state)
{
    struct zip_making z = {0};
    tess_store *store = NULL;
    (void)state;
    add_frame(&z, "a.b2nd", 1);
    add_frame(&z, "b.b2nd", 2);
    zip_end(&z, NULL, false);
    const size_t list = z.size - 22 - z.list_size, second = list + 46 + 6;
    const tess_storage memory = in_memory(&z);
    z.bytes[second + 42]--;
    refused(TESS_ERR_CORRUPT, tess_store_open(&memory, &store, err)); // they overlap
    z.bytes[second + 42]++;
    z.bytes[second + 22]++;
    z.bytes[second + 26]++;
    refused(TESS_ERR_CORRUPT, tess_store_open(&memory, &store, err)); // longer than the file
    z.bytes[second + 22]--;
    z.bytes[second + 26]--;
    z.bytes[z.size - 14]++;
    z.bytes[z.size - 12]++;
    refused(TESS_ERR_CORRUPT, tess_store_open(&memory, &store, err)); // three members
    z.bytes[z.size - 14] = z.bytes[z.size - 12] = 1;
    refused(TESS_ERR_CORRUPT, tess_store_open(&memory, &store, err)); // one, before another record
    z.bytes[z.size - 14] = z.bytes[z.size - 12] = 2;
    z.bytes[z.size - 18] = 1;
    z.bytes[z.size - 16] = 1;
    refused(TESS_ERR_UNSUPPORTED, tess_store_open(&memory, &store, err)); // the second volume
    z.bytes[z.size - 18] = z.bytes[z.size - 16] = 0;
    ok(tess_store_open(&memory, &store, err));
    tess_store_close(store);
    zip_free(&z);
}

// Small arrays in a super-chunk, as EmbedStore of python-blosc2 has them.
static void
embedded(void **state)
{
    struct zip_making z = {0};
    tess_storage memory = at(NULL);
    tess_params p;
    tess_array *a = NULL;
    tess_store *store = NULL;
    uint8_t *first, *second, both[1 << 14];
    size_t first_size, second_size, image_size;
    void *image = NULL;
    char map[1024];
    (void)state;
    frame_of(10, &first, &first_size);
    frame_of(20, &second, &second_size);
    memcpy(both, first, first_size);
    memcpy(both + first_size, second, second_size);
    tess_params_init(&p);
    p.typesize = 1;
    ok(tess_schunk_create(&memory, &p, &a, err));
    ok(tess_schunk_insert(a, 0, both, first_size + second_size, err));
    snprintf(map, sizeof map,
             "{\"embed_map\": {\"/one\": {\"offset\": 0, \"length\": %zu},"
             " \"/g/two\": {\"offset\": %zu, \"length\": %zu},"
             " \"/far\": {\"urlbase\": \"https://x\", \"path\": \"y\"},"
             " \"/g/__vlmeta__\": {\"offset\": 0, \"length\": %zu},"
             " \"/file\": {\"offset\": 0, \"length\": %zu},"
             " \"/bad\": {\"offset\": 1, \"length\": %zu},"
             " \"/worse\": {\"offset\": -1, \"length\": 9223372036854775807},"
             " \"none\": {\"offset\": 0, \"length\": 1}}, \"current_offset\": %zu}",
             first_size, first_size, second_size, first_size, first_size, sizeof both,
             first_size + second_size);
    ok(tess_attr_set_json(a, "estore_metadata", map, err));
    ok(tess_array_to_image(a, &image, &image_size, err));
    tess_array_discard(a);
    add_frame(&z, "file.b2nd", 30);
    zip_add_bytes(&z, "embed.b2e", image, image_size);
    zip_end(&z, NULL, false);
    memory = in_memory(&z);
    ok(tess_store_open(&memory, &store, err));
    check_list(store, "/ /file /g/ /g/two /one");
    check_entry(store, "/one", 10);
    check_entry(store, "/g/two", 20);
    assert_string_equal(reason_of(store, "/far"), "it refers to an array on a server");
    assert_string_equal(reason_of(store, "/file"), "its name occurs twice");
    assert_string_equal(reason_of(store, "/bad"), "its place in embed.b2e is not there");
    assert_string_equal(reason_of(store, "/worse"), "its place in embed.b2e is not there");
    assert_string_equal(reason_of(store, "none"), "its name does not start with a slash");
    ok(tess_store_attributes(store, "/g", &a, err));
    tess_store_close(store);
    check_items(a, 10);
    ok(tess_array_close(a, err));
    zip_free(&z);
    tess_free(image);
    tess_free(first);
    tess_free(second);
}

static void
put_file(const char *name, int32_t first)
{
    uint8_t *frame;
    size_t size;
    frame_of(first, &frame, &size);
    files_write(files_path(name), frame, size);
    tess_free(frame);
}

static void
directories(void **state)
{
    tess_storage sparse;
    tess_params p;
    tess_array *a = NULL;
    int32_t items[NITEMS];
    (void)state;
    assert_int_equal(mkdir(files_path("s.b2d"), 0777), 0);
    assert_int_equal(mkdir(files_path("s.b2d/g"), 0777), 0);
    assert_int_equal(mkdir(files_path("s.b2d/none"), 0777), 0);
    put_file("s.b2d/a.b2nd", 1);
    put_file("s.b2d/g/b.b2nd", 2);
    put_file("s.b2d/g/__vlmeta__.b2f", 3);
    put_file("s.b2d/__vlmeta__.b2f", 4);
    put_file("elsewhere.b2nd", 5);
    assert_int_equal(symlink("../elsewhere.b2nd", files_path("s.b2d/linked.b2nd")), 0);
    assert_int_equal(symlink("nowhere", files_path("s.b2d/dangling.b2nd")), 0);
    assert_int_equal(symlink(".", files_path("s.b2d/loop")), 0);
    for (int i = 0; i < NITEMS; i++)
        items[i] = 6 + i;
    sparse = at(files_path("s.b2d/g/sparse.b2nd"));
    sparse.mode = TESS_MODE_NEW;
    tess_params_init(&p);
    p.dtype = TESS_DTYPE_I32;
    p.layout = TESS_LAYOUT_SPARSE;
    p.ndim = 1;
    p.shape[0] = NITEMS;
    ok(tess_array_from(&sparse, &p, items, sizeof items, &a, err));
    ok(tess_attr_set_int(a, "first", 6, err));
    ok(tess_array_close(a, err));

    tess_store *store = open_at(files_path("s.b2d"));
    check_list(store, "/ /a /g/ /g/b /g/sparse /linked");
    check_entry(store, "/a", 1);
    check_entry(store, "/g/b", 2);
    check_entry(store, "/g/sparse", 6);
    check_entry(store, "/linked", 5);
    assert_string_equal(reason_of(store, "dangling.b2nd"), "a symbolic link that leads to no file");
    assert_string_equal(reason_of(store, "loop"), "a symbolic link that leads to no file");
    ok(tess_store_attributes(store, "/g", &a, err));
    check_items(a, 3);
    tess_array_discard(a);
    ok(tess_store_attributes(store, "/", &a, err));
    check_items(a, 4);
    tess_array_discard(a);
    refused(TESS_ERR_NOT_FOUND, tess_store_attributes(store, "/a", &a, err));
    refused(TESS_ERR_TYPE, tess_store_array(store, "/g", &a, err));
    refused(TESS_ERR_NOT_FOUND, tess_store_array(store, "/x", &a, err));
    tess_store_close(store);

    const tess_storage inside = at(files_path("s.b2d/g/sparse.b2nd"));
    refused(TESS_ERR_FORMAT, tess_store_open(&inside, &store, err));
}

// Random names, in the order of a walk: against a list that is sorted part by part.
static int
part_by_part(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    for (;;) {
        const size_t m = strcspn(x, "/"), n = strcspn(y, "/");
        const int order = memcmp(x, y, m < n ? m : n);
        if (order != 0 || m != n)
            return order != 0 ? order : m < n ? -1 : 1;
        if (!x[m] || !y[n])
            return !!x[m] - !!y[n];
        x += m + 1;
        y += n + 1;
    }
}

static void
add_path(char **paths, int *n, const char *path, size_t size)
{
    for (int i = 0; i < *n; i++)
        if (strlen(paths[i]) == size && memcmp(paths[i], path, size) == 0)
            return;
    paths[(*n)++] = strndup(path, size);
}

static void
orders(void **state)
{
    enum { NAMES = 40, PATHS = 400 };
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t k = random_cases(200, 20000); k > 0; k--) {
        char *paths[PATHS], want[8192] = "/", is[8192] = "";
        int n = 0;
        struct zip_making z = {0};
        tess_store *store = NULL;
        for (int64_t i = below(&r, NAMES); i > 0; i--) {
            static const char letters[] = "a-0 .~b";
            char name[64] = "";
            for (int64_t parts = 1 + below(&r, 4); parts > 0; parts--) {
                size_t length = strlen(name);
                if (length > 0)
                    name[length++] = '/';
                name[length++] = 'x';
                for (int64_t m = below(&r, 3); m > 0; m--)
                    name[length++] = letters[below(&r, 7)];
                name[length] = '\0';
            }
            for (size_t m = 0; name[m]; m++)
                if (name[m] == '/')
                    add_path(paths, &n, name, m);
            add_path(paths, &n, name, strlen(name));
            strcat(name, ".b2nd");
            zip_add_bytes(&z, name, "", 0);
        }
        zip_end(&z, NULL, false);
        qsort(paths, (size_t)n, sizeof *paths, part_by_part);
        for (int i = 0; i < n; i++)
            snprintf(want + strlen(want), sizeof want - strlen(want), " /%s", paths[i]);
        const tess_storage memory = in_memory(&z);
        ok(tess_store_open(&memory, &store, err));
        for (int64_t i = 0; i < tess_store_count(store); i++) {
            tess_entry e;
            tess_store_entry(store, i, &e);
            snprintf(is + strlen(is), sizeof is - strlen(is), "%s%s", i > 0 ? " " : "", e.path);
            assert_int_equal(tess_store_find(store, e.path), i);
            int64_t next = i + 1;
            for (; next < tess_store_count(store); next++) {
                tess_entry f;
                const size_t size = i > 0 ? strlen(e.path) : 0;
                tess_store_entry(store, next, &f);
                if (strncmp(f.path, e.path, size) != 0 || f.path[size] != '/')
                    break;
            }
            assert_int_equal(tess_store_next(store, i), next);
        }
        assert_string_equal(is, want);
        tess_store_close(store);
        zip_free(&z);
        for (int i = 0; i < n; i++)
            free(paths[i]);
    }
}

static void
arguments(void **state)
{
    struct zip_making z = {0};
    tess_store *store = (void *)1;
    tess_array *a = NULL;
    const char *name, *reason;
    (void)state;
    zip_end(&z, NULL, false);
    tess_storage memory = in_memory(&z);
    refused(TESS_ERR_ARG, tess_store_open(NULL, &store, err));
    assert_null(store);
    refused(TESS_ERR_ARG, tess_store_open(&memory, NULL, err));
    memory.mode = TESS_MODE_UPDATE;
    refused(TESS_ERR_UNSUPPORTED, tess_store_open(&memory, &store, err));
    memory.mode = TESS_MODE_READ;
    memory.offset = 1;
    refused(TESS_ERR_ARG, tess_store_open(&memory, &store, err));
    memory.offset = 0;
    memory.limits.memory = 1;
    refused(TESS_ERR_LIMIT, tess_store_open(&memory, &store, err));
    memory.limits.memory = 0;
    ok(tess_store_open(&memory, &store, err));
    check_list(store, "/");
    refused(TESS_ERR_ARG, tess_store_array(store, NULL, &a, err));
    refused(TESS_ERR_ARG, tess_store_array(NULL, "/", &a, err));
    refused(TESS_ERR_ARG, tess_store_array(store, "/", NULL, err));
    refused(TESS_ERR_TYPE, tess_store_array(store, "", &a, err));
    assert_false(tess_store_left_out(store, 0, &name, &reason));
    assert_int_equal(tess_store_find(NULL, "/"), -1);
    assert_int_equal(tess_store_find(store, NULL), -1);
    assert_int_equal(tess_store_next(store, 1), -1);
    assert_int_equal(tess_store_count(NULL), 0);
    tess_store_close(store);
    tess_store_close(NULL);
    const tess_storage nowhere = at(files_path("nothing.b2z"));
    refused(TESS_ERR_NOT_FOUND, tess_store_open(&nowhere, &store, err));
    files_write(files_path("text"), "no zip file at all, but longer than its end", 43);
    const tess_storage text = at(files_path("text"));
    refused(TESS_ERR_FORMAT, tess_store_open(&text, &store, err));
    zip_free(&z);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(zip_files),
        IN_A_FOLDER(sources),
        IN_A_FOLDER(requests),
        IN_A_FOLDER(large_members),
        IN_A_FOLDER(written_over),
        cmocka_unit_test(many_members),
        cmocka_unit_test(left_out),
        cmocka_unit_test(later_members),
        cmocka_unit_test(kinds_of_zip),
        cmocka_unit_test(damaged),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(embedded),
        IN_A_FOLDER(directories),
        cmocka_unit_test(orders),
        IN_A_FOLDER(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
