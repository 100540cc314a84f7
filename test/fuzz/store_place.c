/*
 * store_place.c - a store in a directory of its own, the same for each input.
 */
#include "fuzz/store_place.h"

#include "fuzz/fuzz.h"

#include <tessera.h>

#include <ftw.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, FILES_MAX = 32, FOLDERS_OPEN = 8, FILE_MAX = 1 << 16 };

static const char newest[] = ".tessera/00000000000000000002";

static struct {
    char root[PATH_SIZE], path[PATH_SIZE + 8];
    struct {
        char name[200]; // below the store
        bool folder;
        uint8_t *bytes;
        size_t size;
    } files[FILES_MAX]; // folders before what is in them
    int count;
} place;

static int
remove_found(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void
clear(void)
{
    (void)nftw(place.path, remove_found, FOLDERS_OPEN, FTW_PHYS | FTW_DEPTH);
}

static void
leave(void)
{
    clear();
    (void)rmdir(place.root);
    for (int i = 0; i < place.count; i++)
        free(place.files[i].bytes);
}

static int
keep_found(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)at;
    const char *const name = path + strlen(place.path);
    must(place.count < FILES_MAX && st->st_size <= FILE_MAX, "too much in a store");
    snprintf(place.files[place.count].name, sizeof place.files[0].name, "%s", name);
    place.files[place.count].folder = type == FTW_D;
    if (type == FTW_F) {
        FILE *const in = fopen(path, "rb");
        must(in, "cannot read %s", path);
        place.files[place.count].bytes = exact_memory((size_t)st->st_size);
        place.files[place.count].size =
            fread(place.files[place.count].bytes, 1, (size_t)st->st_size, in);
        (void)fclose(in);
    }
    place.count++;
    return 0;
}

static tess_array *
make_array(tess_store *store, const char *path, int64_t length)
{
    static int32_t items[300];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    for (int i = 0; i < 300; i++)
        items[i] = i * i;
    tess_storage_init(&storage);
    storage.store = store;
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = length;
    params.chunkshape[0] = 100;
    params.blockshape[0] = 10;
    params.dtype = "<i4";
    must(tess_array_from(&storage, &params, items, (size_t)length * sizeof *items, &a, NULL) ==
             TESS_OK,
         "an array cannot be made");
    return a;
}

static void
make_store(void)
{
    tess_storage storage;
    tess_store *store;
    tess_storage_init(&storage);
    storage.path = place.path;
    storage.mode = TESS_MODE_NEW;
    storage.durability = TESS_DURABILITY_NONE;
    must(tess_store_open(&storage, &store, NULL) == TESS_OK, "a store cannot be made");
    tess_array *const arrays[] = {make_array(store, "/a", 300), make_array(store, "/g/b", 30),
                                  make_array(store, "/b", 40), make_array(store, "/g/none", 0)};
    must(tess_store_commit(store, NULL) == TESS_OK &&
             tess_store_name_commit(store, "first", NULL) == TESS_OK &&
             tess_attr_set_int(arrays[0], "x", 1, NULL) == TESS_OK &&
             tess_store_remove(store, "/b", NULL) == TESS_OK &&
             tess_store_rename(store, "/g/b", "/h/c", NULL) == TESS_OK &&
             tess_store_commit(store, NULL) == TESS_OK,
         "a store cannot be changed");
    for (int i = 0; i < 4; i++)
        tess_array_discard(arrays[i]);
    tess_store_close(store);
}

const char *
store_place(void)
{
    if (place.count > 0)
        return place.path;
    const char *const parent = getenv("TMPDIR");
    snprintf(place.root, sizeof place.root, "%s/fuzz-XXXXXX", parent ? parent : "/dev/shm");
    must(mkdtemp(place.root), "cannot make %s", place.root);
    snprintf(place.path, sizeof place.path, "%s/s.b2d", place.root);
    atexit(leave);
    make_store();
    must(nftw(place.path, keep_found, FOLDERS_OPEN, FTW_PHYS) == 0, "a store cannot be read");
    return place.path;
}

static void
put_file(const char *name, const uint8_t *bytes, size_t size)
{
    char path[PATH_SIZE + 300];
    snprintf(path, sizeof path, "%s%s", place.path, name);
    FILE *const out = fopen(path, "wb");
    must(out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0, "cannot write %s", path);
}

void
store_place_put(const char *ending, const uint8_t *bytes, size_t size)
{
    char name[PATH_SIZE + 300];
    (void)store_place();
    clear();
    for (int i = 0; i < place.count; i++) {
        snprintf(name, sizeof name, "%s%s", place.path, place.files[i].name);
        if (place.files[i].folder)
            must(mkdir(name, 0777) == 0, "cannot make %s", name);
        else if (strcmp(place.files[i].name + 1, newest) != 0)
            put_file(place.files[i].name, place.files[i].bytes, place.files[i].size);
    }
    snprintf(name, sizeof name, "/%s%s", newest, ending);
    put_file(name, bytes, size);
}

const uint8_t *
store_place_commit(size_t *size)
{
    (void)store_place();
    for (int i = 0; i < place.count; i++)
        if (place.files[i].name[0] && strcmp(place.files[i].name + 1, newest) == 0) {
            *size = place.files[i].size;
            return place.files[i].bytes;
        }
    must(false, "there is no commit");
}
