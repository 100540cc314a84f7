/*
 * memory.c - the peak of resident memory, from /proc, of a child that reads.
 */
#include "memory.h"

#include "../support.h"
#include "workloads.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLACK ((int64_t)256 << 10)

// A line of /proc/self/status, in bytes.
static int64_t
status_bytes(const char *name)
{
    FILE *const f = fopen("/proc/self/status", "r");
    char line[256];
    int64_t kib = -1;

    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0)
            kib = atoll(line + strlen(name) + 1);
    if (!f || kib < 0)
        bench_die("/proc/self/status does not say %s", name);
    fclose(f);
    return kib * 1024;
}

// From now on VmHWM counts from what is there.
static int64_t
reset_peak(void)
{
    FILE *const f = fopen("/proc/self/clear_refs", "w");

#ifdef __GLIBC__
    malloc_trim(0);
#endif
    if (!f || fputs("5", f) < 0 || fclose(f) != 0)
        bench_die("/proc/self/clear_refs cannot be written");
    return status_bytes("VmRSS");
}

// Have every page of programs and libraries present: how much of its code a library runs through
// for the first time is not what a read takes. What it writes to, and its threads, still count.
static void
touch_code(void)
{
    FILE *const f = fopen("/proc/self/maps", "r");
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char line[1024];

    while (f && fgets(line, sizeof line, f)) {
        uintptr_t start, stop;
        char access[5];
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &start, &stop, access) != 3)
            bench_die("/proc/self/maps has a line of another kind");
        if (strncmp(access, "r-", 2) == 0 && strchr(line, '/'))
            for (; start < stop; start += page)
                (void)*(const volatile char *)start;
    }
    if (!f)
        bench_die("/proc/self/maps cannot be read");
    fclose(f);
}

static int64_t
read_peak(const struct side *side, const struct side_array *array, const struct work *work,
          uint8_t *dst)
{
    const size_t size = array_size(array);
    void *a;
    int64_t before;

    touch_code();
    a = side->open(array, NULL);
    memset(dst, 1, size); // pages that are still the parent's
    before = reset_peak();
    for (int i = 0; i < work->nboxes; i++)
        side->read(a, &work->boxes[i], dst, box_size(array, &work->boxes[i]));
    return status_bytes("VmHWM") - before;
}

static int64_t
peak_of_child(const struct side *side, const struct side_array *array, const struct work *work,
              uint8_t *dst)
{
    int64_t peak;
    int ends[2], status;
    pid_t child;

    if (pipe(ends) != 0 || (child = fork()) < 0)
        bench_die("no process for a read");
    if (child == 0) {
        peak = read_peak(side, array, work, dst);
        _exit(write(ends[1], &peak, sizeof peak) == sizeof peak ? 0 : 1);
    }
    close(ends[1]);
    if (read(ends[0], &peak, sizeof peak) != sizeof peak)
        bench_die("%s: %s failed", side->name, work->name);
    close(ends[0]);
    waitpid(child, &status, 0);
    return peak;
}

void
memory_header(void)
{
    puts("cpu,compiler,commit,array,codec,filter,threads,work,tessera_peak,default_peak,b2nd_peak,"
         "blosc2_peak,hdf5_peak,bound");
}

// Three blocks and a little more per thread.
static int64_t
bound(const struct side_array *array)
{
    int64_t block = array->typesize;

    for (int i = 0; i < array->ndim; i++)
        block *= array->block[i];
    return array->threads * (3 * block + SLACK);
}

static void
print_peaks(const struct side *const *sides, const struct side_array *arrays,
            const struct work *work, uint8_t *dst, const struct result *r)
{
    bench_csv_machine(stdout);
    printf("%s,%s,%s,%d,%s,", r->array, r->codec, r->filter, r->threads, work->name);
    for (int i = 0; i < NPLAYERS; i++) {
        if (sides[i] && sides[i]->can(&arrays[i]))
            printf("%" PRId64, peak_of_child(sides[i], &arrays[i], work, dst));
        putchar(',');
    }
    printf("%" PRId64 "\n", bound(&arrays[TESSERA]));
    fflush(stdout);
}

void
memory_play(const struct side *const *sides, const struct side_array *array, const char *dir,
            const void *src, uint64_t seed, const struct result *r)
{
    uint8_t *const dst = bench_alloc(array_size(array));
    struct side_array arrays[NPLAYERS];
    char paths[NPLAYERS][600];
    struct works works;

    for (int i = 0; i < NPLAYERS; i++) {
        arrays[i] = *array;
        arrays[i].cache = i == DEFAULTS;
        snprintf(paths[i], sizeof paths[i], "%s/%d-memory", dir, i);
        arrays[i].path = paths[i];
        if (!sides[i] || !sides[i]->can(&arrays[i]))
            continue;
        arrays[i].threads = 1; // threads of this process would not be there in its children
        sides[i]->close(sides[i]->create(&arrays[i], src, array_size(array)));
        arrays[i].threads = array->threads;
    }
    works_init(&works, array, seed);
    fflush(stdout);
    for (int i = 0; i < works.n; i++)
        if (works.list[i].kind == WORK_READ)
            print_peaks(sides, arrays, &works.list[i], dst, r);
    works_finish(&works);
    for (int i = 0; i < NPLAYERS; i++)
        unlink(paths[i]);
    free(dst);
}
