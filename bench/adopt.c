/*
 * adopt.c - what does it cost the owner of an array to adopt the chunks of many workers?
 *
 * A simulation of a cluster in one process: workers encode packets of one or several chunks, and
 * the owner adopts them in random order and commits. Only the owner is timed. With "placed",
 * workers write their chunks to leases of the file, and packets say where. CSV: bytes of a packet,
 * nanoseconds to adopt and to commit, and bytes of memory that the owner holds more, each per
 * chunk.
 */
#include "support.h"

#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS = 16, ROUND = 1000 }; // packets that are on their way at once

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", tess_status_name(status), err->message);
}

// Bytes of memory that the process has.
static double
resident(void)
{
    long pages = 0;
    FILE *const from = fopen("/proc/self/statm", "r");
    if (from && fscanf(from, "%*d %ld", &pages) != 1)
        pages = 0;
    if (from)
        fclose(from);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static tess_array *
create(const char *path, int64_t nchunks)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    storage.explicit_commits = true;
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_I32;
    params.ndim = 1;
    params.shape[0] = nchunks * ITEMS;
    params.chunkshape[0] = params.blockshape[0] = ITEMS;
    must(tess_array_zeros(&storage, &params, &a, &err), &err);
    return a;
}

static tess_array *
open_sketch(const tess_array *a)
{
    tess_storage storage;
    tess_array *sketch;
    tess_error err;
    void *image;
    size_t size;
    must(tess_array_sketch(a, &image, &size, &err), &err);
    tess_storage_init(&storage);
    storage.mode = TESS_MODE_UPDATE;
    storage.image = image;
    storage.image_size = size;
    must(tess_array_open(&storage, &sketch, &err), &err);
    tess_free(image);
    return sketch;
}

// Packets are drawn in the order first, first + step, ... modulo their number, which is random
// enough: neighbours in time are far from each other.
struct simulation {
    const char *path;
    int64_t nchunks, each; // each: chunks of a packet
    bool placed;
    int64_t packet_bytes;
    double adopt, commit, memory; // seconds, seconds, bytes
};

static int64_t
stride_of(int64_t n)
{
    int64_t step = n * 618 / 1000 | 1;
    for (;; step += 2) {
        int64_t a = n, b = step;
        while (b != 0) {
            const int64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return step;
    }
}

static void
encode(const struct simulation *s, tess_array *sketch, int64_t number, uint64_t *seed,
       void **packet, size_t *size)
{
    const int64_t start = number * s->each * ITEMS, stop = start + s->each * ITEMS;
    const size_t nbytes = (size_t)(s->each * ITEMS) * sizeof(int32_t);
    int32_t *const items = malloc(nbytes);
    tess_error err;
    if (!items)
        bench_die("no memory");
    for (int64_t i = 0; i < s->each * ITEMS; i++)
        items[i] = (int32_t)bench_random(seed);
    must(tess_packet_encode(sketch, &start, &stop, items, nbytes, NULL, packet, size, &err), &err);
    free(items);
}

static void
place(const struct simulation *s, tess_adoption *adoption, void **packet, size_t *size)
{
    tess_packet_info info;
    tess_lease lease;
    tess_error err;
    void *placed;
    must(tess_packet_info(*packet, *size, &info, &err), &err);
    must(tess_adoption_lease(adoption, info.cbytes, &lease, &err), &err);
    must(tess_packet_place(*packet, *size, s->path, &lease, TESS_DURABILITY_NONE, &placed, size,
                           &err),
         &err);
    tess_free(*packet);
    *packet = placed;
}

static void
simulate(struct simulation *s)
{
    static void *packets[ROUND];
    static size_t sizes[ROUND];
    const int64_t n = s->nchunks / s->each, step = stride_of(n);
    uint64_t seed = 1;
    tess_adoption *adoption;
    tess_error err;
    tess_array *const a = create(s->path, n * s->each), *const sketch = open_sketch(a);
    must(tess_adoption_begin(a, &adoption, &err), &err);
    const double before = resident();
    for (int64_t first = 0; first < n; first += ROUND) {
        const int64_t count = n - first < ROUND ? n - first : ROUND;
        for (int64_t i = 0; i < count; i++) {
            encode(s, sketch, (first + i) * step % n, &seed, &packets[i], &sizes[i]);
            if (s->placed)
                place(s, adoption, &packets[i], &sizes[i]);
            s->packet_bytes += (int64_t)sizes[i];
        }
        const double start = bench_now();
        for (int64_t i = 0; i < count; i++)
            must(tess_adoption_add(adoption, packets[i], sizes[i], TESS_CHUNK_TRUSTED, &err), &err);
        s->adopt += bench_now() - start;
        for (int64_t i = 0; i < count; i++)
            tess_free(packets[i]);
    }
    s->memory = resident() - before;
    const double start = bench_now();
    must(tess_adoption_end(adoption, true, &err), &err);
    s->commit = bench_now() - start;
    must(tess_array_close(sketch, &err), &err);
    must(tess_array_close(a, &err), &err);
}

int
main(int argc, char **argv)
{
    static const char usage[] =
        "adopt PATH CHUNKS [CHUNKS_PER_PACKET [placed]]: makes the file, and removes it\n";
    if (argc < 3 || argc > 5) {
        fputs(usage, stderr);
        return argc == 2 && strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    struct simulation s = {.path = argv[1],
                           .nchunks = strtoll(argv[2], NULL, 10),
                           .each = argc > 3 ? strtoll(argv[3], NULL, 10) : 1,
                           .placed = argc > 4};
    if (s.each < 1 || s.nchunks < s.each || s.nchunks > INT64_MAX / 1000)
        bench_die("%s", usage);
    simulate(&s);
    const double n = (double)s.nchunks;
    puts("cpu,compiler,commit,chunks,per_packet,kind,packet_bytes,adopt_ns,commit_ns,memory_bytes");
    bench_csv_machine(stdout);
    printf("%lld,%lld,%s,%.0f,%.0f,%.0f,%.0f\n", (long long)s.nchunks, (long long)s.each,
           s.placed ? "placed" : "bytes", (double)s.packet_bytes / n, s.adopt * 1e9 / n,
           s.commit * 1e9 / n, s.memory / n);
    unlink(s.path);
    return 0;
}
