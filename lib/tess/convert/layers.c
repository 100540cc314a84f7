/*
 * layers.c - copies metalayers and attributes to another array, unchanged.
 */
#include "convert/layers.h"

#include "report.h"

#include <tessera/meta.h>

#include <string.h>

static bool
is_of_array(const char *name)
{
    return strcmp(name, "b2nd") == 0 || strcmp(name, "caterva") == 0 ||
           strcmp(name, "tess_fill") == 0;
}

tess_status
layers_load(struct layers *l, const tess_array *from, tess_error *err)
{
    tess_info info;
    tess_status st = TESS_OK;

    *l = (struct layers){.from = from};
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

        st = tess_vlmeta_get(l->from, name, &content, &size, err);
        if (st == TESS_OK)
            st = tess_vlmeta_set(to, name, content, size, err);
        tess_free(content);
    }
    return st;
}
