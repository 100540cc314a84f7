/*
 * source.c - encrypted arrays in a container file of the program.
 *
 * The source `entry` is a range of the container, found by name. The source `cipher` decrypts what
 * another source reads: it XORs each byte with a key that depends only on the position of the byte,
 * so any range can be read without the others. It is not secure: use a real cipher with that
 * property.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>
#include <unistd.h>

#define TRY(call) ((call) == TESS_OK ? (void)0 : (fprintf(stderr, "%s\n", err.message), exit(1)))

enum { ENTRIES = 2 };
struct entry { // the container begins with a table of entries, and never changes
    char name[16];
    int64_t offset, size; // bytes of one array
    int file;
};
struct cipher {
    tess_source below; // must not call tess_reading_arrived(): its bytes are not decrypted yet
    // Its close is NULL, as the program closes the file. Else cipher would need a close to call it.
    uint64_t key;
};

static tess_status
fail(tess_error *err, tess_status status, int sys, const char *name, const char *what)
{
    *err = (tess_error){.status = status, .sys = sys, .offset = -1};
    snprintf(err->message, sizeof err->message, "%.16s: %s (errno %d)", name, what, sys);
    return status;
}

static tess_status
entry_state(void *user, tess_source_state *state, tess_error *err)
{
    (void)err; // cannot fail
    *state = (tess_source_state){.size = ((struct entry *)user)->size, .guarded = true};
    return TESS_OK;
}

static tess_status // runs on several threads at once: pread() uses no shared position
entry_read(void *user, const tess_range *r, size_t n, const tess_reading *reading, tess_error *err)
{
    const struct entry *const e = user;
    (void)reading; // reads a local file: no need to check for cancellation
    for (size_t i = 0; i < n; i++) {
        const ssize_t got = pread(e->file, r[i].dst, r[i].dst_size, e->offset + r[i].offset);
        if (got != (ssize_t)r[i].dst_size)
            return fail(err, TESS_ERR_IO, got < 0 ? errno : 0, e->name, "cannot be read");
    }
    return TESS_OK;
}

static tess_status // *e must stay valid until the array is closed
entry_find(int file, const char *name, struct entry *e, tess_source *source, tess_error *err)
{
    tess_source_init(source);
    source->user = e;
    source->state = entry_state;
    source->read = entry_read;
    for (off_t at = 0; pread(file, e, sizeof *e, at) == (ssize_t)sizeof *e && e->size > 0;
         at += (off_t)sizeof *e)
        if (strncmp(e->name, name, sizeof e->name) == 0) {
            e->file = file;
            return TESS_OK;
        }
    return fail(err, TESS_ERR_NOT_FOUND, 0, name, "not in the container");
}

static void
apply(uint64_t key, int64_t offset, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] ^= (uint8_t)((key ^ ((uint64_t)offset + i)) * 0x9e3779b97f4a7c15u >> 56);
}

static tess_status
cipher_state(void *user, tess_source_state *state, tess_error *err)
{
    const tess_source *const below = &((struct cipher *)user)->below;
    return below->state(below->user, state, err);
}

static tess_status
cipher_read(void *user, const tess_range *r, size_t n, const tess_reading *reading, tess_error *err)
{
    const struct cipher *const c = user;
    const tess_status st = c->below.read(c->below.user, r, n, reading, err);
    for (size_t i = 0; st == TESS_OK && i < n; i++)
        apply(c->key, r[i].offset, r[i].dst, r[i].dst_size);
    return st;
}

// A table, whose last entry is empty, and the encrypted arrays.
static void
make_container(int file, uint64_t key)
{
    struct entry table[ENTRIES + 1] = {{.name = "height"}, {.name = "depth"}};
    int64_t end = sizeof table;
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    tess_storage_init(&storage); // no path: in memory
    tess_params_init(&params);
    params.dtype = "|u1";
    params.ndim = 1;
    params.shape[0] = 1000;
    for (struct entry *e = table; e < table + ENTRIES; end += e++->size) {
        void *image;
        size_t size;
        TRY(tess_array_full(&storage, &params, e->name, 1, &a, &err)); // 'h', 'd'
        TRY(tess_array_to_image(a, &image, &size, &err));
        TRY(tess_array_close(a, &err));
        apply(key, 0, image, size);
        e->offset = end;
        e->size = (int64_t)size;
        if (pwrite(file, image, size, end) != (ssize_t)size)
            exit(1);
        tess_free(image);
    }
    if (pwrite(file, table, sizeof table, 0) != (ssize_t)sizeof table)
        exit(1);
}

int
main(void)
{
    const int file = open("container", O_RDWR | O_CREAT | O_TRUNC, 0666);
    const int64_t start = 10, stop = 12;
    struct cipher cipher = {.key = 0x5eed};
    struct entry entry;
    tess_storage storage;
    tess_source source;
    tess_array *a;
    tess_error err;
    char items[3] = "";

    make_container(file, cipher.key);
    TRY(entry_find(file, "depth", &entry, &cipher.below, &err));
    tess_source_init(&source);
    source.user = &cipher;
    source.name = "depth"; // for messages
    source.state = cipher_state;
    source.read = cipher_read;
    tess_storage_init(&storage);
    storage.source = &source;
    TRY(tess_array_open(&storage, &a, &err));
    TRY(tess_array_read(a, &start, &stop, items, sizeof items, &err));
    TRY(tess_array_close(a, &err));
    puts(items); // dd
    if (entry_find(file, "width", &entry, &cipher.below, &err) == TESS_ERR_NOT_FOUND)
        puts(err.message); // width: not in the container (errno 0)
    close(file);
    return strcmp(items, "dd") == 0 ? 0 : 1;
}
