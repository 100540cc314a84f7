/*
 * plugins.c - registered codecs and filters as plugins of libtessera.
 *
 * A registered function gets parameters that a plugin does not: a copy of them is made for each
 * call, so that several threads may be in one function.
 */
#include "blosc2/plugins.h"

#include "blosc2/error.h"
#include "blosc2/registry.h"

#include <stdlib.h>

struct plugin {
    const struct b2_told *told;
    blosc2_codec codec;
    blosc2_filter filter;
};

struct b2_plugins {
    tess_plugins lists;
    tess_user_codec *codecs;
    tess_user_filter *filters;
    struct plugin *plugins; // of the codecs, then of the filters
};

// Of the function of the program that this thread is in; NULL: it is in none.
static _Thread_local const struct b2_told *current;

static const struct b2_told *
enter(const struct b2_told *told)
{
    const struct b2_told *const before = current;
    current = told;
    return before;
}

bool
b2_plugins_work_for(const blosc2_schunk *schunk)
{
    return current && (current->cparams.schunk == schunk || current->dparams.schunk == schunk);
}

// c-blosc2 looks for a library that has the function; here none is loaded.
static tess_status
is_missing(const char *what, const char *name, const char *function)
{
    b2_fail(BLOSC2_ERROR_CODEC_SUPPORT, "%s %s has no %s; none is loaded", what, name, function);
    return TESS_ERR_UNSUPPORTED;
}

static tess_status
codec_compress(const tess_block *block, const void *src, size_t src_size, void *dst,
               size_t dst_size, size_t *made)
{
    const struct plugin *const p = block->user;
    blosc2_cparams cparams = p->told->cparams;
    const struct b2_told *const before = enter(p->told);
    const int rc = p->codec.encoder(src, (int32_t)src_size, dst, (int32_t)dst_size, block->meta,
                                    &cparams, p->told->chunk);
    current = before;
    *made = rc > 0 ? (size_t)rc : 0;
    if (rc < 0)
        b2_fail(rc, "the encoder of codec %s returned %d", p->codec.compname, rc);
    return rc >= 0 ? TESS_OK : TESS_ERR_ARG;
}

static tess_status
codec_decompress(const tess_block *block, const void *src, size_t src_size, void *dst,
                 size_t dst_size)
{
    const struct plugin *const p = block->user;
    blosc2_dparams dparams = p->told->dparams;
    dparams.typesize = block->typesize;
    if (!p->codec.decoder)
        return is_missing("codec", p->codec.compname, "decoder");
    const struct b2_told *const before = enter(p->told);
    const int rc = p->codec.decoder(src, (int32_t)src_size, dst, (int32_t)dst_size, block->meta,
                                    &dparams, p->told->chunk);
    current = before;
    return rc > 0 && (size_t)rc == dst_size ? TESS_OK : TESS_ERR_CORRUPT;
}

static tess_status
filter_forward(const tess_block *block, const void *src, void *dst, size_t size)
{
    const struct plugin *const p = block->user;
    blosc2_cparams cparams = p->told->cparams;
    const struct b2_told *const before = enter(p->told);
    const int rc = p->filter.forward(src, dst, (int32_t)size, block->meta, &cparams, p->filter.id);
    current = before;
    if (rc != 0)
        b2_fail(rc, "filter %s returned %d", p->filter.name, rc);
    return rc == 0 ? TESS_OK : TESS_ERR_ARG;
}

static tess_status
filter_backward(const tess_block *block, const void *src, void *dst, size_t size)
{
    const struct plugin *const p = block->user;
    blosc2_dparams dparams = p->told->dparams;
    dparams.typesize = block->typesize;
    if (!p->filter.backward)
        return is_missing("filter", p->filter.name, "way back");
    const struct b2_told *const before = enter(p->told);
    const int rc = p->filter.backward(src, dst, (int32_t)size, block->meta, &dparams, p->filter.id);
    current = before;
    return rc == 0 ? TESS_OK : TESS_ERR_CORRUPT;
}

static void
fill_codecs(struct b2_plugins *p, const struct b2_told *told, const struct b2_registered *r)
{
    for (int i = 0; i < r->ncodecs; i++) {
        struct plugin *const plugin = &p->plugins[i];
        *plugin = (struct plugin){.told = told, .codec = r->codecs[i]};
        tess_user_codec_init(&p->codecs[i]);
        p->codecs[i].id = plugin->codec.compcode;
        p->codecs[i].name = plugin->codec.compname;
        p->codecs[i].user = plugin;
        p->codecs[i].compress = plugin->codec.encoder ? codec_compress : NULL;
        p->codecs[i].decompress = codec_decompress;
    }
}

static void
fill_filters(struct b2_plugins *p, const struct b2_told *told, const struct b2_registered *r)
{
    for (int i = 0; i < r->nfilters; i++) {
        struct plugin *const plugin = &p->plugins[r->ncodecs + i];
        *plugin = (struct plugin){.told = told, .filter = r->filters[i]};
        tess_user_filter_init(&p->filters[i]);
        p->filters[i].id = plugin->filter.id;
        p->filters[i].name = plugin->filter.name;
        p->filters[i].user = plugin;
        p->filters[i].forward = plugin->filter.forward ? filter_forward : NULL;
        p->filters[i].backward = filter_backward;
    }
}

int
b2_plugins_new(const struct b2_told *told, struct b2_plugins **plugins)
{
    struct b2_registered r = {0};
    *plugins = NULL;
    if (!b2_registry_used())
        return 0;
    const int rc = b2_registered_copy(&r);
    if (rc < 0)
        return rc;
    struct b2_plugins *const p = calloc(1, sizeof *p);
    if (p) {
        p->codecs = calloc((size_t)r.ncodecs + 1, sizeof *p->codecs);
        p->filters = calloc((size_t)r.nfilters + 1, sizeof *p->filters);
        p->plugins = calloc((size_t)(r.ncodecs + r.nfilters) + 1, sizeof *p->plugins);
    }
    if (!p || !p->codecs || !p->filters || !p->plugins) {
        b2_plugins_free(p);
        b2_registered_free(&r);
        return b2_fail(BLOSC2_ERROR_MEMORY_ALLOC, "no memory for plugins");
    }
    fill_codecs(p, told, &r);
    fill_filters(p, told, &r);
    p->lists = (tess_plugins){p->codecs, r.ncodecs, p->filters, r.nfilters};
    b2_registered_free(&r);
    *plugins = p;
    return 0;
}

void
b2_plugins_free(struct b2_plugins *p)
{
    if (!p)
        return;
    free(p->codecs);
    free(p->filters);
    free(p->plugins);
    free(p);
}

const tess_plugins *
b2_plugins_lists(const struct b2_plugins *p)
{
    return p ? &p->lists : NULL;
}
