/*
 * reader.c - a source of a URL as a test uses it.
 */
#include "http/reader.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

void
tess_reading_arrived(const tess_reading *reading, size_t i)
{
    const tess_range *const r = &reading->ranges[i];
    if (i >= reading->n)
        abort();
    if (reading->object && memcmp(r->dst, reading->object + r->offset, r->dst_size) != 0)
        atomic_fetch_add(&reading->told[i], 1000); // told, and wrong
    atomic_fetch_add(&reading->told[i], 1);
}

bool
tess_reading_cancelled(const tess_reading *reading)
{
    atomic_fetch_add(&((struct tess_reading *)(uintptr_t)reading)->looked, 1);
    return atomic_load(&reading->cancelled);
}

int64_t
reader_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

tess_http_options
reader_options(void)
{
    tess_http_options options;
    tess_http_options_init(&options);
    options.connect_timeout = 2000;
    options.stall_timeout = 400;
    options.deadline = 20000;
    return options;
}

tess_source
reader_open_at(int port, const char *name, const tess_http_options *options)
{
    const tess_http_options own = reader_options();
    tess_source source = {.struct_size = sizeof source};
    tess_error err;
    char url[512];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/%s", port, name);
    if (tess_http_source(url, options ? options : &own, &source, &err) != TESS_OK)
        fail_msg("%s: %s", url, err.message);
    return source;
}

tess_source
reader_open(struct server *server, const char *name, const tess_http_options *options)
{
    return reader_open_at(server_port(server), name, options);
}

tess_status
reader_read(const tess_source *source, const uint8_t *object, const tess_range *ranges, size_t n,
            tess_error *err)
{
    atomic_int *const told = calloc(n, sizeof *told);
    struct tess_reading reading = {.ranges = ranges, .object = object, .n = n, .told = told};

    assert_non_null(told);
    memset(err, 0, sizeof *err);
    const tess_status st = source->read(source->user, ranges, n, &reading, err);
    for (size_t i = 0; i < n; i++) {
        const bool right =
            memcmp(ranges[i].dst, object + ranges[i].offset, ranges[i].dst_size) == 0;
        if (st == TESS_OK && (told[i] != 1 || !right))
            fail_msg("range %zu of %zu: told %d, right %d", i, n, told[i], right);
        if (st != TESS_OK && (told[i] > 1 || (told[i] == 1 && !right)))
            fail_msg("range %zu of %zu after \"%s\": told %d, right %d", i, n, err->message,
                     told[i], right);
    }
    free(told);
    if (st != TESS_OK && (err->status != st || err->offset != -1 || !err->message[0]))
        fail_msg("status %d, error of status %d: \"%s\"", st, err->status, err->message);
    return st;
}

tess_range *
reader_ranges(struct random *r, size_t object_size, size_t n, size_t most)
{
    tess_range *const ranges = calloc(n, sizeof *ranges);
    const size_t part = object_size / n;

    assert_non_null(ranges);
    for (size_t i = 0; i < n; i++) {
        const size_t size = 1 + (size_t)random_below(r, most < part ? most : part);
        ranges[i].offset = (int64_t)(i * part + random_below(r, part - size + 1));
        ranges[i].dst_size = size;
        ranges[i].dst = malloc(size); // exact, for the sanitizers
        assert_non_null(ranges[i].dst);
    }
    return ranges;
}

void
reader_free(tess_range *ranges, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(ranges[i].dst);
    free(ranges);
}
