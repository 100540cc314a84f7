/*
 * box_memory.c - items that become others between a grid and memory.
 */
#include "grid/box_memory.h"

#include "ndcopy/ndcopy.h"

#include <inttypes.h>
#include <stdio.h>

enum { ITEM_SIZE_MOST = 16, INDEX_TEXT = 160 };

tess_status
converted_misfit(const struct converted *as, int ndim, const int64_t *from, const int64_t *extent,
                 int64_t done, tess_error *err)
{
    int64_t at[NDIM_MAX];
    char text[INDEX_TEXT] = "";
    size_t size = 0;
    for (int i = ndim - 1; i >= 0; i--) {
        at[i] = from[i] + done % extent[i];
        done /= extent[i];
    }
    for (int i = 0; i < as->ndim && size < sizeof text; i++) {
        const int64_t along = as->axis[i] < 0 ? 0 : at[as->axis[i]];
        const int now = snprintf(text + size, sizeof text - size, i > 0 ? ", %" PRId64 : "%" PRId64,
                                 as->first[i] + as->step[i] * along);
        size += now > 0 ? (size_t)now : 0;
    }
    return err_set(err, TESS_ERR_LIMIT, -1, "item [%s] does not fit in %s", text, as->dtype);
}

tess_status
converted_fill(const struct converted *as, int ndim, const int64_t *from, const int64_t *extent,
               uint8_t *dst, const int64_t *stride, const uint8_t *item, tess_error *err)
{
    static const int64_t one = 1;
    const struct converter *const c = as->how;
    uint8_t converted[ITEM_SIZE_MOST];
    if (convert_box(c, 1, &one, converted, &c->to_size, item, &c->from_size) == 0)
        return converted_misfit(as, ndim, from, extent, 0, err);
    ndfill(ndim, extent, c->to_size, dst, stride, converted);
    return TESS_OK;
}

void
converted_put(const struct box_memory_const *memory, int ndim, const int64_t *extent,
              int64_t itemsize, uint8_t *dst, const int64_t *dst_stride, const uint8_t *src)
{
    if (memory->as)
        convert_box(memory->as, ndim, extent, dst, dst_stride, src, memory->stride);
    else
        ndcopy(ndim, extent, itemsize, dst, dst_stride, src, memory->stride);
}
