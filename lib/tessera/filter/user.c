/*
 * user.c - filters of the program, as filters of the library.
 *
 * They are trusted to keep the size of a block and to undo any bytes, but may refuse.
 */
#include "filter/user.h"

#include "base/error.h"
#include "base/plugin.h"
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
