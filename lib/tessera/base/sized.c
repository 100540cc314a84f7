/*
 * sized.c - structs of the public interface that may grow from release to release.
 */
#include "base/sized.h"

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MOST = 1 << 16 }; // more is no size, but something that was not initialised

static bool
is_all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

tess_status
sized_take(void *own, size_t own_size, size_t least, const void *given, const char *name,
           tess_error *err)
{
    size_t size;
    if (!given)
        return err_set(err, TESS_ERR_ARG, -1, "no tess_%s is given", name);
    memcpy(&size, given, sizeof size);
    if (size < least || size > MOST)
        return err_set(err, TESS_ERR_ARG, -1,
                       "a tess_%s of %zu bytes, %zu are the least: call tess_%s_init()", name, size,
                       least, name);
    if (size > own_size && !is_all_zero((const uint8_t *)given + own_size, size - own_size))
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "a tess_%s with members that this version of the library does not know",
                       name);
    memcpy(own, given, size < own_size ? size : own_size);
    memcpy(own, &own_size, sizeof own_size);
    return TESS_OK;
}

const void *
sized_at(const void *list, int i)
{
    size_t size;
    memcpy(&size, list, sizeof size);
    return (const uint8_t *)list + (size_t)i * size;
}

void
sized_give(void *dst, size_t dst_size, const void *own, size_t own_size)
{
    const size_t both = dst_size < own_size ? dst_size : own_size;
    memcpy(dst, own, both);
    memset((uint8_t *)dst + both, 0, dst_size - both);
}
