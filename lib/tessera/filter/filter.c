/*
 * filter.c - which filters the library has, by id; and those of the program, as filters of the
 * library.
 *
 * Those of the program are trusted to keep the size of a block and to undo any bytes, but may
 * refuse.
 *
 * Not here: what the library's do (one file each).
 */
#include "filter/filter.h"

#include "base/error.h"
#include "base/plugin.h"
#include "filter/filters.h"

#define FILTER_ENTRY(name) &filter_##name,

static const struct filter *const filters[] = {FILTERS(FILTER_ENTRY)};

enum { NFILTERS = sizeof filters / sizeof *filters };

const struct filter *
filter_by_id(int id)
{
    for (int i = 0; i < NFILTERS; i++)
        if (filters[i]->id == id)
            return filters[i];
    return NULL;
}

const struct filter *
filter_at(int n)
{
    return n >= 0 && n < NFILTERS ? filters[n] : NULL;
}

void
filter_names_keeping_items(char *dst, size_t size)
{
    const char *names[NFILTERS];
    int n = 0;

    for (int i = 0; i < NFILTERS; i++)
        if (filters[i]->keeps_items)
            names[n++] = filters[i]->name;
    err_join(dst, size, names, n);
}

// -- filters of the program

static tess_status
user_run(tess_status (*function)(const tess_block *, const void *, void *, size_t),
         const struct filter_call *call, uint8_t *dst, const uint8_t *src, size_t size,
         tess_error *err)
{
    const tess_user_filter *const user = call->step->filter->user;
    tess_block block = call->blocks->user;

    block.user = user->user;
    block.meta = call->step->meta;
    const tess_status st = plugin_status(function(&block, src, dst, size));
    if (st == TESS_OK)
        return st;
    return err_set(err, st, -1, "filter %d (%s) refuses a block of %zu bytes", user->id, user->name,
                   size);
}

static tess_status
user_forward(const struct filter_call *call, uint8_t *restrict dst, const uint8_t *restrict src,
             size_t size, tess_error *err)
{
    return user_run(call->step->filter->user->forward, call, dst, src, size, err);
}

static tess_status
user_backward(const struct filter_call *call, uint8_t *restrict dst, const uint8_t *restrict src,
              size_t size, tess_error *err)
{
    return user_run(call->step->filter->user->backward, call, dst, src, size, err);
}

struct filter
filter_of_user(const tess_user_filter *user)
{
    return (struct filter){
        .id = user->id,
        .name = user->name,
        .user = user,
        .lossy = user->lossy,
        .forward = user->forward ? user_forward : NULL,
        .backward = user_backward,
    };
}
