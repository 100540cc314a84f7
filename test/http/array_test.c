/*
 * array_test.c - arrays that are saved and copied to S3, and opened there: libtessera and
 * tessera-http together, as a program uses them.
 */
#include "http/server/server.h"

#include <tessera.h>
#include <tessera/http.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 1500, COLUMNS = 2500, BIG = ROWS * COLUMNS * 8 }; // 30 MB

static struct server *server;
static int64_t *items;

static int
start(void **state)
{
    struct server_options options;
    uint64_t x = 1;
    (void)state;
    server_options_init(&options);
    server = server_start(&options);
    items = malloc(BIG);
    assert_non_null(server);
    assert_non_null(items);
    for (size_t i = 0; i < BIG / 8; i++) { // does not compress well
        x = x * 6364136223846793005 + 1442695040888963407;
        items[i] = (int64_t)(x >> 3);
    }
    return 0;
}

static int
stop(void **state)
{
    (void)state;
    server_stop(server);
    free(items);
    return 0;
}

static tess_source
source_of(const char *url)
{
    tess_http_options o;
    tess_source source;
    tess_error err;
    char endpoint[64];
    snprintf(endpoint, sizeof endpoint, "http://127.0.0.1:%d", server_port(server));
    tess_http_options_init(&o);
    o.endpoint = endpoint;
    o.access_key = "AKIDEXAMPLE";
    o.secret_key = "secret";
    o.region = "eu-central-1";
    o.part_size = 5 << 20;
    tess_source_init(&source);
    if (tess_http_source(url, &o, &source, &err) != TESS_OK)
        fail_msg("%s", err.message);
    return source;
}

static tess_array *
made(void)
{
    tess_params p;
    tess_storage storage;
    tess_array *a;
    tess_error err;
    tess_params_init(&p);
    p.ndim = 2;
    p.shape[0] = ROWS;
    p.shape[1] = COLUMNS;
    p.chunkshape[0] = 200;
    p.chunkshape[1] = 500;
    p.blockshape[0] = 50;
    p.blockshape[1] = 100;
    p.typesize = 8;
    p.dtype = "<i8";
    tess_storage_init(&storage);
    if (tess_array_from(&storage, &p, items, BIG, &a, &err) != TESS_OK)
        fail_msg("%s", err.message);
    return a;
}

static void
check(const char *url)
{
    const int64_t first[2] = {0, 0}, last[2] = {ROWS, COLUMNS};
    int64_t *const got = malloc(BIG);
    tess_source source = source_of(url);
    tess_storage storage;
    tess_array *a;
    tess_error err;
    tess_storage_init(&storage);
    storage.source = &source;
    assert_non_null(got);
    if (tess_array_open(&storage, &a, &err) != TESS_OK ||
        tess_array_read(a, first, last, got, BIG, &err) != TESS_OK)
        fail_msg("%s", err.message);
    assert_memory_equal(got, items, BIG);
    tess_array_close(a, NULL);
    free(got);
}

// Save (way 0), or copy with other chunks.
static tess_status
put(const tess_array *a, const char *url, int way, tess_mode mode, tess_error *err)
{
    tess_source source = source_of(url);
    tess_array *copy = NULL;
    tess_storage storage;
    tess_params p;
    tess_status st;
    tess_storage_init(&storage);
    storage.source = &source;
    storage.mode = mode;
    if (way == 0) {
        st = tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err);
        source.close(source.user); // no array was returned
        return st;
    }
    tess_array_params(a, &p);
    p.chunkshape[0] = 300;
    p.blockshape[0] = 30;
    st = tess_array_copy(a, &storage, &p, &copy, err);
    if (st == TESS_OK)
        tess_array_close(copy, NULL);
    else
        source.close(source.user);
    return st;
}

static void
arrays(void **state)
{
    tess_array *const a = made();
    tess_error err;
    (void)state;
    for (int way = 0; way < 2; way++) {
        const char *const url = way ? "s3://bucket/copied.b2nd" : "s3://bucket/saved.b2nd";
        if (put(a, url, way, TESS_MODE_NEW, &err) != TESS_OK)
            fail_msg("%s", err.message);
        check(url);
        assert_int_equal(put(a, url, way, TESS_MODE_NEW, &err), TESS_ERR_IO);
        assert_int_equal(err.sys, EEXIST);
        assert_int_equal(server_uploads(server), 0);
        assert_true(server_put(server, url + 5, "old", 3));
        if (put(a, url, way, TESS_MODE_REPLACE, &err) != TESS_OK)
            fail_msg("%s", err.message);
        check(url);
        assert_int_equal(server_uploads(server), 0);
    }
    tess_array_close(a, NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
