/*
 * sealed_header.c - the header of a state against the copy that its commit kept, in words.
 *
 * Another program that changes a metalayer, or a shape within its chunks, writes the header alone;
 * a damaged byte looks alike. Which of the two it was cannot be known, so both readings are told.
 */
#include "array/keep/sealed_header.h"

#include "base/checked.h"
#include "base/error.h"
#include "frame/format/header.h"
#include "frame/format/ledger.h"
#include "frame/frame.h"
#include "frame/load.h"
#include "frame/metas.h"
#include "frame/query.h"
#include "meta/layers.h"
#include "meta/ndlayer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHAPE_SIZE = 22 * NDIM_MAX };

static void
print_shape(const struct ndlayer *nd, char *text)
{
    char *at = text;
    *at = 0;
    for (int i = 0; i < nd->ndim; i++)
        at += sprintf(at, "%s%" PRId64, i > 0 ? "x" : "", nd->shape[i]);
}

static const struct layer *
find_array(const struct layers *l)
{
    const struct layer *const layer = layers_find(l, "b2nd");
    return layer ? layer : layers_find(l, "caterva");
}

static bool
same_content(const struct layer *x, const struct layer *y)
{
    return x->size == y->size && (x->size == 0 || memcmp(x->content, y->content, x->size) == 0);
}

// The shape as committed, and as it stands. False: it is the same, or cannot be read.
static bool
compare_shapes(const struct layer *before, const struct layer *now, tess_error *err)
{
    char shape[SHAPE_SIZE], shape_now[SHAPE_SIZE];
    struct ndlayer nd = {0}, nd_now = {0};
    const bool caterva = before && strcmp(before->name, "caterva") == 0;
    const bool read = before && now &&
                      ndlayer_parse(before->content, before->size, caterva, &nd, NULL) == TESS_OK &&
                      ndlayer_parse(now->content, now->size, caterva, &nd_now, NULL) == TESS_OK;
    if (read) {
        print_shape(&nd, shape);
        print_shape(&nd_now, shape_now);
    }
    const bool differ = read && strcmp(shape, shape_now) != 0;
    if (differ)
        err_set(err, TESS_ERR_CORRUPT, -1,
                "the shape is %s as committed, %s as it stands: another program changed it, or it "
                "is damaged",
                shape, shape_now);
    ndlayer_finish(&nd);
    ndlayer_finish(&nd_now);
    return differ;
}

// The first metalayer that differs. False: none does.
static bool
compare_layers(const struct layers *before, const struct layers *now, tess_error *err)
{
    for (int i = 0; i < now->count; i++) {
        const struct layer *const layer = layers_find(before, now->items[i].name);
        if (layer && same_content(layer, &now->items[i]))
            continue;
        err_set(err, TESS_ERR_CORRUPT, -1,
                "the metalayer %s is not as committed: another program changed it, or it is "
                "damaged",
                now->items[i].name);
        return true;
    }
    return false;
}

static void
compare_bytes(const struct ledger *ledger, const struct frame *f, tess_error *err)
{
    size_t head_size, at = 0;
    const uint8_t *const head = frame_head(f, &head_size);
    const size_t size = ledger->head_size < head_size ? ledger->head_size : head_size;
    while (at < size && ledger->head[at] == head[at])
        at++;
    if (at < size)
        err_set(err, TESS_ERR_CORRUPT, (int64_t)at,
                "byte %zu of the header is 0x%02x as committed, 0x%02x as it stands: another "
                "program changed it, or it is damaged",
                at, ledger->head[at], head[at]);
    else
        err_set(err, TESS_ERR_CORRUPT, 0, "a header of %zu bytes as committed, %zu as it stands",
                ledger->head_size, head_size);
}

tess_status
sealed_header_compare(const tess_array *a, tess_error *err)
{
    const struct frame *const f = a->grid->frame;
    struct ledger ledger;
    struct layers before = {0};
    tess_status st = frame_read_ledger(f, &ledger, err);
    if (st != TESS_OK)
        return st;
    if (!ledger.content)
        return err_set(err, TESS_ERR_CORRUPT, 0,
                       "the header is not as committed: another program changed it, or it is "
                       "damaged");
    const bool parsed =
        ledger.head_size > FRAME_HEADER_SIZE &&
        layers_parse(ledger.head + FRAME_HEADER_SIZE, ledger.head_size - FRAME_HEADER_SIZE,
                     FRAME_HEADER_SIZE, LAYERS_HEADER, &before, NULL) == TESS_OK;
    if (!parsed || (!compare_shapes(find_array(&before), find_array(frame_metas(f)), err) &&
                    !compare_layers(&before, frame_metas(f), err)))
        compare_bytes(&ledger, f, err);
    layers_finish(&before);
    ledger_finish(&ledger);
    return TESS_ERR_CORRUPT;
}
