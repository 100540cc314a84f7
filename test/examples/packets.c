/*
 * packets.c - processes that encode chunks of one array, which another one owns.
 *
 * A process that ends without a packet costs nothing but its chunks, which are made again.
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 400, COLUMNS = 300, CHUNK = 100, WORKERS = ROWS / CHUNK };

// The most bytes that a row of encoded chunks can have: its items, and 32 bytes per chunk.
enum { ROOM = CHUNK * COLUMNS * 8 + COLUMNS / CHUNK * 32 };

static const char path[] = "packets.b2nd";

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

// A worker: encodes a row of chunks, writes it to its lease, and sends the owner the offsets.
static void
work(const void *sketch, size_t sketch_size, int row, const tess_lease *lease, FILE *to)
{
    static double items[CHUNK][COLUMNS];
    const int64_t start[] = {row * CHUNK, 0}, stop[] = {(row + 1) * CHUNK, COLUMNS};
    tess_storage storage;
    tess_array *a;
    tess_error err;
    void *packet, *placed;
    size_t packet_size, placed_size;

    for (int i = 0; i < CHUNK; i++)
        for (int j = 0; j < COLUMNS; j++)
            items[i][j] = (row * CHUNK + i) * 1000 + j;
    tess_storage_init(&storage);
    storage.image = sketch;
    storage.image_size = sketch_size;
    storage.mode = TESS_MODE_UPDATE;
    check(tess_array_open(&storage, &a, &err), &err);
    check(
        tess_packet_encode(a, start, stop, items, sizeof items, NULL, &packet, &packet_size, &err),
        &err);
    check(tess_packet_place(packet, packet_size, path, lease, TESS_DURABILITY_NONE, &placed,
                            &placed_size, &err),
          &err);
    if (fwrite(placed, 1, placed_size, to) != placed_size || fclose(to) != 0)
        exit(1);
    exit(0);
}

static FILE *
start_worker(const void *sketch, size_t sketch_size, int row, const tess_lease *lease)
{
    int ends[2];
    if (pipe(ends) != 0)
        exit(1);
    const pid_t child = fork();
    if (child < 0)
        exit(1);
    if (child == 0) {
        close(ends[0]);
        work(sketch, sketch_size, row, lease, fdopen(ends[1], "w"));
    }
    close(ends[1]);
    return fdopen(ends[0], "r");
}

int
main(void)
{
    static char packet[1 << 16];
    FILE *from[WORKERS];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_adoption *adoption;
    tess_error err;
    void *sketch;
    size_t sketch_size;
    int64_t missing;
    double item;

    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_F64;
    params.ndim = 2;
    params.shape[0] = ROWS;
    params.shape[1] = COLUMNS;
    params.chunkshape[0] = params.chunkshape[1] = CHUNK;
    check(tess_array_uninit(&storage, &params, &a, &err), &err);
    check(tess_array_sketch(a, &sketch, &sketch_size, &err), &err);
    check(tess_adoption_begin(a, &adoption, &err), &err);

    for (int row = 0; row < WORKERS; row++) {
        tess_lease lease;
        check(tess_adoption_lease(adoption, ROOM, &lease, &err), &err);
        from[row] = start_worker(sketch, sketch_size, row, &lease);
    }
    for (int row = 0; row < WORKERS; row++) {
        const size_t size = fread(packet, 1, sizeof packet, from[row]);
        if (size > 0) // else it died
            check(tess_adoption_add(adoption, packet, size, TESS_CHUNK_TRUSTED, &err), &err);
        fclose(from[row]);
        wait(NULL);
    }
    check(tess_adoption_missing(adoption, 0, &missing, &err), &err);
    check(tess_adoption_end(adoption, true, &err), &err);
    check(tess_array_get_item(a, (const int64_t[]){123, 45}, &item, sizeof item, &err), &err);
    printf("missing: %lld, item: %g\n", (long long)missing, item); // missing: -1, item: 123045
    check(tess_array_close(a, &err), &err);
    tess_free(sketch);
    return missing >= 0;
}
