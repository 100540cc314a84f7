/*
 * fill_layer.c - the metalayer `tess_fill`.
 */
#include "meta/fill_layer.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum { BIN8 = 0xc4, BIN16 = 0xc5, BIN32 = 0xc6, HEAD_MAX = 5 };

tess_status
fill_layer_add(struct layers *metas, const uint8_t *item, size_t size, tess_error *err)
{
    uint8_t head[HEAD_MAX];
    size_t head_size;

    if (size > FILL_SIZE_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "a fill value of %zu bytes that are not zeros, at most %d can be", size,
                       FILL_SIZE_MAX);
    if (size <= UINT8_MAX) {
        head[0] = BIN8;
        head[1] = (uint8_t)size;
        head_size = 2;
    } else if (size <= UINT16_MAX) {
        head[0] = BIN16;
        put_u16be(head + 1, (uint16_t)size);
        head_size = 3;
    } else {
        head[0] = BIN32;
        put_u32be(head + 1, (uint32_t)size);
        head_size = 5;
    }
    uint8_t *const content = mem_alloc(head_size + size);
    if (!content)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a fill value of %zu bytes", size);
    memcpy(content, head, head_size);
    memcpy(content + head_size, item, size);
    const tess_status st =
        layers_add(metas, LAYERS_FIXED_MAX, FILL_LAYER, content, head_size + size, err);
    mem_free(content);
    return st;
}

bool
fill_layer_is(const struct layer *layer)
{
    return strcmp(layer->name, FILL_LAYER) == 0;
}

tess_status
fill_layer_parse(const struct layer *layer, size_t size, const uint8_t **item, tess_error *err)
{
    struct rd r = rd_init(layer->content, layer->size);
    const uint8_t marker = rd_u8(&r);
    uint32_t length = 0;

    if (marker == BIN8)
        length = rd_u8(&r);
    else if (marker == BIN16)
        length = rd_u16be(&r);
    else if (marker == BIN32)
        length = rd_u32be(&r);
    else
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "metalayer " FILL_LAYER ": marker 0x%02x, a binary string is expected",
                       marker);
    *item = rd_take(&r, length);
    if (r.bad || r.left > 0 || length != size)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "metalayer " FILL_LAYER ": a binary string of %u bytes in %u, items have "
                       "%zu bytes",
                       length, layer->size, size);
    return TESS_OK;
}
