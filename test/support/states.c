/*
 * states.c - arrays whose items tell one number, and processes that are told when to go on.
 */
#include "support/states.h"

#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE = 60 };

const tess_layout state_layouts[2] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};

const char *
state_path(tess_layout layout)
{
    static char paths[2][300];
    char *const path = paths[layout == TESS_LAYOUT_SPARSE];
    (void)snprintf(path, sizeof paths[0], "%s",
                   files_path(layout == TESS_LAYOUT_SPARSE ? "array.dir" : "array.b2nd"));
    return path;
}

tess_storage
at(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    storage.durability = TESS_DURABILITY_NONE;
    return storage;
}

tess_params
state_params(tess_layout layout)
{
    tess_params params;
    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 1;
    params.shape[0] = STATE_ITEMS;
    params.chunkshape[0] = params.blockshape[0] = STATE_CHUNK;
    params.clevel = 0;
    params.layout = layout;
    return params;
}

// Item i is value + i.
static void
make_items(int32_t *items, int32_t value)
{
    for (int32_t i = 0; i < STATE_ITEMS; i++)
        items[i] = value + i;
}

tess_status
state_create(const tess_storage *storage, tess_layout layout, int32_t value, tess_array **a,
             tess_error *err)
{
    const tess_params params = state_params(layout);
    int32_t items[STATE_ITEMS];
    make_items(items, value);
    return tess_array_from(storage, &params, items, sizeof items, a, err);
}

void
state_make(const char *path, tess_layout layout, int32_t value)
{
    const tess_storage storage = at(path, TESS_MODE_REPLACE);
    tess_array *a;
    ok(state_create(&storage, layout, value, &a, err));
    ok(tess_array_close(a, err));
}

tess_array *
state_open(const char *path, tess_mode mode)
{
    const tess_storage storage = at(path, mode);
    tess_array *a;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

static const int64_t origin = 0, whole = STATE_ITEMS;

tess_status
state_write(tess_array *a, int32_t value, tess_error *err)
{
    int32_t items[STATE_ITEMS];
    make_items(items, value);
    return tess_array_write(a, &origin, &whole, items, sizeof items, err);
}

// The value of all items, which must be of one state.
tess_status
state_read(const tess_array *a, int32_t *value, tess_error *err)
{
    int32_t items[STATE_ITEMS], want[STATE_ITEMS];
    const tess_status st = tess_array_read(a, &origin, &whole, items, sizeof items, err);
    if (st != TESS_OK)
        return st;
    make_items(want, items[0]);
    assert_memory_equal(items, want, sizeof items);
    *value = items[0];
    return TESS_OK;
}

int32_t
state_at(const char *path)
{
    tess_array *const a = state_open(path, TESS_MODE_READ);
    int32_t value = -1;
    ok(state_read(a, &value, err));
    ok(tess_array_close(a, err));
    return value;
}

double
seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// -- other processes

void
say(const struct channel *c)
{
    if (write(c->to, "x", 1) != 1)
        abort();
}

void
hear(const struct channel *c)
{
    char byte;
    if (read(c->from, &byte, 1) != 1)
        abort();
}

struct other
other_begin(int (*run)(const struct channel *c, const void *arg), const void *arg)
{
    int there[2], back[2];
    assert_int_equal(pipe(there), 0);
    assert_int_equal(pipe(back), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct channel c = {back[1], there[0]};
        (void)close(there[1]);
        (void)close(back[0]);
        alarm(PATIENCE); // what hangs is killed
        _exit(run(&c, arg));
    }
    (void)close(there[0]);
    (void)close(back[1]);
    return (struct other){pid, {there[1], back[0]}};
}

void
other_end(const struct other *o)
{
    int status = -1;
    assert_int_equal(waitpid(o->pid, &status, 0), o->pid);
    (void)close(o->channel.to);
    (void)close(o->channel.from);
    assert_int_equal(status, 0);
}
