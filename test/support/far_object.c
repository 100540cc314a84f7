/*
 * far_object.c - sources of tests: objects in memory that are slow, fail, lie, block, and count.
 */
#include "support/far_object.h"

#include "support/files.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { BLOCKED = 1000, POLL = 20 }; // milliseconds

void
conduct_init(struct conduct *c)
{
    memset(c, 0, sizeof *c);
    c->guarded = true;
    c->fails_at = -1;
    c->nfailing = 1 << 30;
    c->replaced_at = -1;
    c->message = "the line was cut";
}

static tess_status
object_fail(const struct conduct *c, tess_error *err, tess_status status)
{
    err->status = status;
    if (c->message)
        (void)snprintf(err->message, sizeof err->message, "%s", c->message);
    return status;
}

static tess_status
object_state(void *user, tess_source_state *state, tess_error *err)
{
    const struct object *const o = user;
    (void)err;
    state->size = o->size + o->conduct->size_off;
    state->guarded = o->conduct->guarded;
    return TESS_OK;
}

static bool
is_replaced(struct conduct *c)
{
    return c->replaced_at >= 0 && atomic_load(&c->reads) > c->replaced_at;
}

static bool
has_to_fail(struct conduct *c)
{
    const int n = atomic_fetch_add(&c->reads, 1);
    return c->fails_at >= 0 && n >= c->fails_at && n - c->fails_at < c->nfailing;
}

static tess_status
object_ends(void *user, tess_source_state *state, void *first, size_t first_size, void *last,
            size_t last_size, tess_error *err)
{
    const struct object *const o = user;
    const size_t size = (size_t)o->size;
    const size_t front = first_size < size ? first_size : size;
    const size_t back = last_size < size ? last_size : size;
    if (has_to_fail(o->conduct))
        return object_fail(o->conduct, err, o->conduct->fails_with);
    memcpy(first, o->bytes, front);
    memcpy(last, o->bytes + size - back, back);
    return object_state(user, state, err);
}

// Until it is cancelled.
static tess_status
block(struct conduct *c, const tess_reading *reading, tess_error *err)
{
    for (int i = 0; i < BLOCKED / POLL; i++) {
        if (tess_reading_cancelled(reading))
            return object_fail(c, err, TESS_ERR_CANCELLED);
        usleep(POLL * 1000);
    }
    atomic_store(&c->never_cancelled, true);
    return object_fail(c, err, TESS_ERR_IO);
}

struct reader {
    const struct object *o;
    const tess_range *range;
    const tess_reading *reading;
    size_t i;
};

static void
raise_to(atomic_int *most, int n)
{
    int before = atomic_load(most);
    while (n > before && !atomic_compare_exchange_weak(most, &before, n))
        ;
}

static void
read_range(const struct reader *r)
{
    struct conduct *const c = r->o->conduct;
    const int now = atomic_fetch_add(&c->now, 1) + 1;
    raise_to(&c->most, now);
    if (c->pause > 0)
        usleep((useconds_t)c->pause);
    memcpy(r->range->dst, r->o->bytes + r->range->offset, r->range->dst_size);
    atomic_fetch_sub(&c->now, 1);
    if (c->tells)
        tess_reading_arrived(r->reading, r->i);
}

static void *
read_in_thread(void *arg)
{
    read_range(arg);
    return NULL;
}

// Each on a thread of its own.
static void
read_at_once(struct reader *readers, size_t n)
{
    pthread_t *const threads = calloc(n, sizeof *threads);
    assert_non_null(threads);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_in_thread, &readers[i]), 0);
    for (size_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

static tess_status
read_ranges(const struct object *o, const tess_range *ranges, size_t n, const tess_reading *reading,
            tess_error *err)
{
    struct conduct *const c = o->conduct;
    assert_true(n >= 1);
    atomic_fetch_add(&c->ranges, (int)n);
    if (has_to_fail(c))
        return object_fail(c, err, c->fails_with);
    if (c->blocks && !o->spared)
        return block(c, reading, err);
    if (c->guarded && o->part && o->other != is_replaced(c))
        return object_fail(c, err, TESS_ERR_STALE);
    struct reader *const readers = calloc(n, sizeof *readers);
    assert_non_null(readers);
    bool inside = true;
    for (size_t i = 0; i < n; i++) {
        const size_t k = c->order == ORDER_UP                       ? i
                         : c->order == ORDER_SHUFFLED && n % 7 != 0 ? (i * 7 + 3) % n
                                                                    : n - 1 - i;
        const tess_range *const r = &ranges[k];
        readers[i] = (struct reader){o, r, reading, k};
        assert_true(r->dst && r->dst_size >= 1 && r->offset >= 0);
        assert_true(r->offset + (int64_t)r->dst_size <= o->size + c->size_off);
        assert_true(k == 0 || r->offset >= ranges[k - 1].offset + (int64_t)ranges[k - 1].dst_size);
        atomic_fetch_add(&c->nbytes, (long long)r->dst_size);
        inside &= r->offset + (int64_t)r->dst_size <= o->size;
    }
    if (inside && c->order == ORDER_THREADS && n <= 32)
        read_at_once(readers, n);
    else
        for (size_t i = 0; inside && i < n; i++)
            read_range(&readers[i]);
    free(readers);
    if (c->lingers > 0)
        usleep((useconds_t)c->lingers);
    return inside ? TESS_OK : object_fail(c, err, TESS_ERR_IO);
}

static tess_status
object_read(void *user, const tess_range *ranges, size_t n, const tess_reading *reading,
            tess_error *err)
{
    struct object *const o = user;
    atomic_fetch_add(&o->now, 1);
    const tess_status st = read_ranges(o, ranges, n, reading, err);
    atomic_fetch_sub(&o->now, 1);
    return st;
}

static void
object_close(void *user)
{
    struct object *const o = user;
    atomic_fetch_add(&o->conduct->closed, 1);
    if (atomic_load(&o->now) > 0)
        atomic_store(&o->conduct->closed_early, true);
    if (!o->part)
        return;
    atomic_fetch_sub(&o->conduct->open, 1);
    object_finish(o);
    free(o);
}

static bool
is_spared(const struct conduct *c, const char *name)
{
    return c->spared && (strncmp(name, c->spared, strlen(c->spared)) == 0 ||
                         strcmp(name, "chunks.b2frame") == 0);
}

static tess_status
object_part(void *user, const char *name, tess_source *part, tess_error *err)
{
    const struct object *const d = user;
    char path[1000];
    assert_true(part->struct_size == sizeof *part && !part->read && !part->close);
    const bool other = is_replaced(d->conduct);
    (void)snprintf(path, sizeof path, "%s/%s", other ? d->conduct->other : d->directory, name);
    if (!files_exist(path))
        return object_fail(d->conduct, err, TESS_ERR_NOT_FOUND);
    struct object *const o = calloc(1, sizeof *o);
    assert_non_null(o);
    object_load(o, d->conduct, path, false);
    o->part = true;
    o->other = other;
    o->spared = is_spared(d->conduct, name);
    *part = object_source(o);
    if (d->conduct->lacks == 'r')
        part->read = NULL;
    if (d->conduct->lacks == 's')
        part->state = NULL, part->ends = NULL;
    atomic_fetch_add(&d->conduct->opened, 1);
    raise_to(&d->conduct->most_open, atomic_fetch_add(&d->conduct->open, 1) + 1);
    return TESS_OK;
}

void
object_load(struct object *o, struct conduct *c, const char *path, bool directory)
{
    size_t size = 0;
    memset(o, 0, sizeof *o);
    o->conduct = c;
    if (directory) {
        o->directory = path;
        return;
    }
    o->bytes = files_read(path, &size);
    o->size = (int64_t)size;
}

void
object_finish(struct object *o)
{
    free(o->bytes);
}

tess_source
object_source(struct object *o)
{
    const struct conduct *const c = o->conduct;
    tess_source source;
    tess_source_init(&source);
    source.user = o;
    source.name = "object";
    source.latency = c->latency;
    source.requests = c->requests;
    source.close = object_close;
    if (o->directory) {
        source.part = object_part;
        return source;
    }
    source.state = object_state;
    source.ends = c->ends ? object_ends : NULL;
    source.read = object_read;
    return source;
}
