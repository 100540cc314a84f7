/*
 * strides.c - memory of a caller that stands for a box, with strides: checked.
 */
#include "api/select/strides.h"

#include "base/checked.h"
#include "base/limits.h"

#include <inttypes.h>
#include <stdbool.h>

tess_status
strides_choose(int ndim, const int64_t *count, int64_t itemsize, const int64_t *strides,
               int64_t *chosen, tess_error *err)
{
    int64_t size = itemsize, reach = itemsize;

    for (int i = ndim - 1; i >= 0; i--) {
        chosen[i] = strides ? count[i] > 1 ? strides[i] : 0 : size;
        if (!strides && !mul_i64(size, count[i], &size))
            return err_set(err, TESS_ERR_ARG, -1, "the items do not fit in memory");
    }
    for (int i = 0; i < ndim; i++) {
        const int64_t stride = chosen[i];
        int64_t far;
        if (stride == INT64_MIN || !mul_i64(count[i] - 1, stride < 0 ? -stride : stride, &far) ||
            !add_i64(reach, far, &reach) || (uint64_t)reach > PTRDIFF_MAX)
            return err_set(err, TESS_ERR_ARG, -1, "the strides lead out of memory");
    }
    return TESS_OK;
}

tess_status
strides_check_memory(int ndim, const int64_t *count, int64_t itemsize, const int64_t *chosen,
                     const void *memory, size_t size, tess_error *err)
{
    int64_t needed = itemsize;
    for (int i = 0; i < ndim; i++)
        needed += max_i64(chosen[i], 0) * (count[i] - 1); // fits: strides_choose() looked
    if (!memory)
        return err_set(err, TESS_ERR_ARG, -1, "no memory is given");
    if ((uint64_t)needed > size)
        return err_set(err, TESS_ERR_ARG, -1, "%zu bytes of memory, the items take %" PRId64, size,
                       needed);
    return TESS_OK;
}

static int64_t
distance(int64_t stride)
{
    return max_i64(stride, -stride);
}

// Taken from the smallest stride to the largest, each axis steps over all that the ones before it
// take.
tess_status
strides_check_disjoint(int ndim, const int64_t *count, int64_t itemsize, const int64_t *chosen,
                       tess_error *err)
{
    int64_t taken = itemsize;
    bool used[NDIM_MAX] = {false};

    for (int n = 0; n < ndim; n++) {
        int least = -1;
        for (int i = 0; i < ndim; i++)
            if (!used[i] && (least < 0 || distance(chosen[i]) < distance(chosen[least])))
                least = i;
        used[least] = true;
        if (count[least] == 1)
            continue;
        if (distance(chosen[least]) < taken)
            return err_set(err, TESS_ERR_ARG, -1, "with these strides, items overlap in memory");
        taken += (count[least] - 1) * distance(chosen[least]);
    }
    return TESS_OK;
}
