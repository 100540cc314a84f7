/*
 * arrays.c - what an access costs in an array, with the cache off and on.
 *
 * An access is a cube of items in the block that the trace says. The first half of a trace
 * warms up; the second half is divided into rounds, in which the players do the same accesses in
 * turns. Users are threads of this program, each with a part of the round; where there are eight,
 * they are started anew in each, and page faults are those of their stacks, too.
 */
#include "arrays.h"

#include "../support.h"

#include <tessera.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define EDGE_MAX 25 // of a box: a block's
#define USERS_MAX 8

static const int64_t chunkshape[] = {100, 100, 100}, blockshape[] = {25, 50, 50};

static const double working_sets[] = {0.5, 1, 4, 32}; // in budgets

// How many threads work on a call, and how many of the program call.
static const struct crew {
    int threads, users;
} crews[] = {{1, 1}, {2, 1}, {1, USERS_MAX}};

enum { OFF, ON, OWN, NPLAYERS };
static const char *const player_names[] = {"off", "on", "on, a handle for each user"};

struct player {
    tess_array *handles[USERS_MAX]; // the same one, but for OWN
    struct bench_times wall, cpu;
    int64_t hits, misses, evictions, faults;
};

struct arena {
    const struct arrays_rules *rules;
    const float *items;
    tess_array *made;
    const struct crew *crew;
    struct player players[NPLAYERS];
};

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("tessera: %s: %s", tess_status_name(status), err->message);
}

static tess_array *
make(const struct arrays_rules *rules, const float *items, size_t size)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    tess_storage_init(&storage);
    tess_params_init(&params);
    params.dtype = "<f4";
    params.ndim = 3;
    for (int i = 0; i < 3; i++) {
        params.shape[i] = rules->side;
        params.chunkshape[i] = chunkshape[i];
        params.blockshape[i] = blockshape[i];
    }
    params.codec = (tess_codec)rules->codec;
    params.clevel = rules->level;
    must(tess_array_from(&storage, &params, items, size, &a, &err), &err);
    must(tess_array_flush(a, &err), &err);
    return a;
}

static tess_array *
open_handle(const struct arena *x, int64_t cache)
{
    tess_storage storage;
    tess_context context;
    tess_array *a;
    tess_error err;

    tess_context_init(&context);
    context.threads = x->crew->threads;
    context.cache = cache;
    tess_storage_init(&storage);
    storage.context = &context;
    must(tess_array_image(x->made, &storage.image, &storage.image_size, &err), &err);
    must(tess_array_open(&storage, &a, &err), &err);
    return a;
}

static void
enter(struct arena *x, int number)
{
    struct player *const p = &x->players[number];

    *p = (struct player){0};
    for (int u = 0; u < x->crew->users; u++)
        p->handles[u] = u > 0 && number != OWN
                            ? p->handles[0]
                            : open_handle(x, number == OFF ? 0 : x->rules->budget);
}

static void
leave(const struct arena *x, int number)
{
    for (int u = 0; u < (number == OWN ? x->crew->users : 1); u++)
        must(tess_array_close(x->players[number].handles[u], NULL), &(tess_error){0});
}

struct user {
    const struct arena *x;
    tess_array *a;
    const int32_t *keys;
    int64_t n;
    uint64_t state;
    pthread_t id;
};

// A box in a block: where, drawn by lot.
static void
draw_box(const struct arena *x, int32_t key, uint64_t *state, int64_t *start, int64_t *stop)
{
    int64_t rest = key;
    for (int i = 2; i >= 0; i--) {
        const int64_t count = x->rules->side / blockshape[i];
        start[i] = rest % count * blockshape[i] +
                   bench_random_below(state, blockshape[i] - x->rules->edge + 1);
        stop[i] = start[i] + x->rules->edge;
        rest /= count;
    }
}

static void *
user_work(void *arg)
{
    struct user *const u = arg;
    const int64_t side = u->x->rules->side;
    const size_t edge = (size_t)u->x->rules->edge, size = edge * edge * edge * sizeof(float);
    float box[EDGE_MAX * EDGE_MAX * EDGE_MAX];
    tess_error err;

    for (int64_t i = 0; i < u->n; i++) {
        int64_t start[3], stop[3];
        draw_box(u->x, u->keys[i], &u->state, start, stop);
        must(tess_array_read(u->a, start, stop, box, size, &err), &err);
        if (box[0] < u->x->items[(start[0] * side + start[1]) * side + start[2]] ||
            box[0] > u->x->items[(start[0] * side + start[1]) * side + start[2]])
            bench_die("an item is not what it was");
    }
    return NULL;
}

static double
cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int64_t
faults_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

// Hits, misses and evictions of all handles so far, times a sign.
static void
count(struct player *p, const struct arena *x, int number, int sign)
{
    for (int u = 0; u < (number == OWN ? x->crew->users : 1); u++) {
        tess_info info;
        tess_array_info(p->handles[u], &info);
        p->hits += sign * info.cache_hits;
        p->misses += sign * info.cache_misses;
        p->evictions += sign * info.cache_evictions;
    }
}

// Accesses [first, first + n) of a trace, divided among the users.
static void
play(const struct arena *x, const struct player *p, const struct trace *t, int64_t first, int64_t n)
{
    struct user users[USERS_MAX];
    const int nusers = x->crew->users;

    for (int u = 0; u < nusers; u++) {
        const int64_t from = first + n * u / nusers, to = first + n * (u + 1) / nusers;
        users[u] = (struct user){.x = x,
                                 .a = p->handles[u],
                                 .keys = t->keys + from,
                                 .n = to - from,
                                 .state = (uint64_t)from + 1};
        if (nusers > 1 && pthread_create(&users[u].id, NULL, user_work, &users[u]) != 0)
            bench_die("no thread");
    }
    for (int u = 0; u < nusers; u++)
        if (nusers > 1)
            pthread_join(users[u].id, NULL);
        else
            user_work(&users[u]);
}

static void
print_row(const struct arena *x, int number, const char *trace, double working)
{
    const struct player *const p = &x->players[number];
    const int64_t n = x->rules->accesses;
    const double all = (double)n * x->rules->rounds, asked = (double)(p->hits + p->misses);

    bench_csv_machine(stdout);
    printf("%s,%g,%d,%d,\"%s\",%" PRId64 ",", trace, working, x->crew->threads, x->crew->users,
           player_names[number], n);
    if (asked > 0)
        printf("%.4f", (double)p->hits / asked);
    printf(",%.9f,%.9f,%.4f,%.4f\n", bench_times_median(&p->wall) / (double)n,
           bench_times_median(&p->cpu) / (double)n, (double)p->evictions / all,
           (double)p->faults / all);
    fflush(stdout);
}

static void
play_trace(struct arena *x, const struct trace *t, const char *name, double working)
{
    const int nplayers = x->crew->users > 1 ? NPLAYERS : OWN;
    const int64_t half = t->n / 2, n = x->rules->accesses;

    for (int i = 0; i < nplayers; i++) {
        enter(x, i);
        play(x, &x->players[i], t, 0, i == OFF ? n : half);
        count(&x->players[i], x, i, -1);
    }
    for (int round = 0; round < x->rules->rounds; round++)
        for (int i = 0; i < nplayers; i++) {
            struct player *const p = &x->players[i];
            const int64_t faults = faults_now();
            const double cpu = cpu_now(), wall = bench_now();
            play(x, p, t, half + round * n, n);
            bench_times_add(&p->wall, bench_now() - wall);
            bench_times_add(&p->cpu, cpu_now() - cpu);
            p->faults += faults_now() - faults;
        }
    for (int i = 0; i < nplayers; i++) {
        count(&x->players[i], x, i, 1);
        print_row(x, i, name, working);
        leave(x, i);
    }
}

// Blocks of the array, if the trace has more.
static void
wrap(struct trace *t, int32_t nblocks)
{
    for (int64_t i = 0; i < t->n; i++)
        t->keys[i] %= nblocks;
}

void
arrays_run(const struct arrays_rules *rules)
{
    const int64_t side = rules->side, nitems = side * side * side;
    const int64_t block = blockshape[0] * blockshape[1] * blockshape[2];
    const int32_t nblocks = (int32_t)(nitems / block);
    const int32_t budget = (int32_t)(rules->budget / (block * (int64_t)sizeof(float)));
    float *const items = bench_alloc((size_t)nitems * sizeof *items);
    struct arena x = {.rules = rules, .items = items};

    bench_field(items, side, rules->seed);
    x.made = make(rules, items, (size_t)nitems * sizeof *items);
    puts(
        "cpu,compiler,commit,trace,working_set,threads,users,player,accesses,hit_rate,wall_s,cpu_s,"
        "evictions,faults");
    for (int kind = 0; kind < NTRACES; kind++)
        for (size_t w = 0; w < sizeof working_sets / sizeof *working_sets; w++) {
            struct trace t;
            trace_make(&t, (enum trace_kind)kind, (int32_t)(working_sets[w] * budget), budget,
                       2 * rules->rounds * rules->accesses, rules->seed);
            wrap(&t, nblocks);
            for (size_t c = 0; c < sizeof crews / sizeof *crews; c++) {
                x.crew = &crews[c];
                if (rules->users == 0 || rules->users == x.crew->users)
                    play_trace(&x, &t, trace_names[kind], working_sets[w]);
            }
            trace_finish(&t);
        }
    must(tess_array_close(x.made, NULL), &(tess_error){0});
    free(items);
}
