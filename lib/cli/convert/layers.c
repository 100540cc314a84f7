/*
 * layers.c - metalayers and attributes that go with the items to an array of other items.
 */
#include "cli/convert/layers.h"

#include "cli/report.h"

#include <tessera/meta.h>

#include <string.h>

static bool
is_of_array(const char *name)
{
    return strcmp(name, "b2nd") == 0 || strcmp(name, "caterva") == 0 ||
           strcmp(name, "tess_fill") == 0;
}

// Attributes about items as they are packed.
static bool
is_of_packing(const char *name)
{
    static const char *const names[] = {"scale_factor", "add_offset", "_FillValue", "missing_value",
                                        "valid_range",  "valid_min",  "valid_max"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

tess_status
layers_load(struct layers *l, const tess_array *from, bool unpacked, tess_error *err)
{
    tess_info info;
    tess_status st = TESS_OK;

    *l = (struct layers){.from = from, .unpacked = unpacked};
    tess_array_info(from, &info);
    for (int i = 0; i < info.nmetalayers && l->nfixed < TESS_MAX_METALAYERS; i++) {
        tess_metalayer layer;

        TRY(tess_meta_at(from, i, &layer, err));
        if (!is_of_array(layer.name))
            l->fixed[l->nfixed++] = layer;
    }
out:
    return st;
}

tess_status
layers_store(const struct layers *l, tess_array *to, tess_error *err)
{
    tess_status st = TESS_OK;
    const char *name;

    for (int i = 0; st == TESS_OK && (name = tess_vlmeta_name(l->from, i)) != NULL; i++) {
        void *content = NULL;
        size_t size = 0;

        if (l->unpacked && is_of_packing(name))
            continue;
        st = tess_vlmeta_get(l->from, name, &content, &size, err);
        if (st == TESS_OK)
            st = tess_vlmeta_set(to, name, content, size, err);
        tess_free(content);
    }
    return st;
}
