/*
 * codec.c - which codecs there are, by id, by format and by name; those of the program, as codecs
 * of ours.
 *
 * Decompressors of the program get the bytes of strangers, as ours do; what they do with them is
 * the program's business.
 *
 * Not here: what ours do (one file each).
 */
#include "codec/codec.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/plugin.h"
#include "codec/codecs.h"

#include <string.h>

#define CODEC_ENTRY(name) &codec_##name,

static const struct codec *const codecs[] = {CODECS(CODEC_ENTRY)};

enum { NCODECS = sizeof codecs / sizeof *codecs };

// Registered by the Blosc project, but not in this build: messages know their names.
static const struct {
    int id;
    const char *name;
} unbuilt[] = {
#ifndef HAVE_ZFP
    {TESS_CODEC_ZFP_ACCURACY, "zfp_accuracy"},
    {TESS_CODEC_ZFP_PRECISION, "zfp_precision"},
    {TESS_CODEC_ZFP_RATE, "zfp_rate"},
#endif
    {36, "openhtj2k"},
    {37, "grok"},
    {38, "openzl"},
    {39, "j2k"},
    {40, "htj2k"},
};

enum { NUNBUILT = sizeof unbuilt / sizeof *unbuilt };

const struct codec *
codec_by_id(int id)
{
    for (int i = 0; i < NCODECS; i++)
        if (codecs[i]->id == id)
            return codecs[i];
    return NULL;
}

const struct codec *
codec_by_format(int format, int udcodec)
{
    for (int i = 0; i < NCODECS; i++)
        if (codecs[i]->format == format &&
            (format != CODEC_FORMAT_OTHER || codecs[i]->id == udcodec))
            return codecs[i];
    return NULL;
}

const char *
codec_name(int id)
{
    const struct codec *const c = codec_by_id(id);

    if (c)
        return c->name;
    for (int i = 0; i < NUNBUILT; i++)
        if (unbuilt[i].id == id)
            return unbuilt[i].name;
    return NULL;
}

bool
codec_at(int n, int *id, const struct codec **codec)
{
    if (n < 0 || n >= NCODECS + NUNBUILT)
        return false;
    *codec = n < NCODECS ? codecs[n] : NULL;
    *id = n < NCODECS ? codecs[n]->id : unbuilt[n - NCODECS].id;
    return true;
}

void
codec_names_with_dict(char *dst, size_t size)
{
    const char *names[NCODECS];
    int n = 0;

    for (int i = 0; i < NCODECS; i++)
        if (codecs[i]->dict)
            names[n++] = codecs[i]->name;
    err_join(dst, size, names, n);
}

// -- codecs of the program

static tess_block
user_describe(const struct codec_call *call)
{
    tess_block block = plugin_block(call->grid, call->blocksize, call->typesize);
    block.user = call->codec->user->user;
    block.meta = (uint8_t)call->meta;
    block.clevel = call->level;
    return block;
}

static tess_status
user_encode(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
            size_t dst_size, size_t *out_size, tess_error *err)
{
    const tess_user_codec *const user = call->codec->user;
    const tess_block block = user_describe(call);

    *out_size = 0;
    const tess_status st =
        plugin_status(user->compress(&block, src, src_size, dst, dst_size, out_size));
    if (st != TESS_OK)
        return err_set(err, st, -1, "codec %d (%s) refuses to compress %zu bytes", user->id,
                       user->name, src_size);
    if (*out_size > dst_size)
        return err_set(err, TESS_ERR_ARG, -1, "codec %d (%s) made %zu bytes where %zu fit",
                       user->id, user->name, *out_size, dst_size);
    return TESS_OK;
}

static tess_status
user_decode(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
            size_t dst_size, tess_error *err)
{
    const tess_user_codec *const user = call->codec->user;
    const tess_block block = user_describe(call);
    const tess_status st = plugin_status(user->decompress(&block, src, src_size, dst, dst_size));

    if (st == TESS_OK)
        return st;
    return err_set(err, st, -1, "codec %d (%s) refuses to make %zu bytes out of %zu", user->id,
                   user->name, dst_size, src_size);
}

static tess_status
user_check(const struct codec_call *call, int32_t size, tess_error *err)
{
    const tess_user_codec *const user = call->codec->user;

    (void)size;
    if (user->compress)
        return TESS_OK;
    return err_set(err, TESS_ERR_ARG, -1, "codec %d (%s) only reads", user->id, user->name);
}

struct codec
codec_of_user(const tess_user_codec *user)
{
    return (struct codec){
        .id = user->id,
        .format = CODEC_FORMAT_OTHER,
        .name = user->name,
        .user = user,
        .needs_items = user->needs_items,
        .lossy = user->lossy,
        .check = user_check,
        .encode = user_encode,
        .decode = user_decode,
    };
}

// -- contexts

// A thread that only reads LZ4 needs none at all; one that writes at one level has one. So they are
// a list, latest first: a thread that keeps to a codec finds its context at once.
struct held {
    struct held *next;
    const struct codec_context *kind;
    int option;
    void *context;
};

struct codec_state {
    struct held *latest;
};

struct codec_state *
codec_state_new(void)
{
    return mem_zeroed(1, sizeof(struct codec_state));
}

void
codec_state_free(struct codec_state *s)
{
    if (!s)
        return;
    while (s->latest) {
        struct held *const h = s->latest;
        s->latest = h->next;
        h->kind->free(h->context);
        mem_free(h);
    }
    mem_free(s);
}

// Apart from the search, which is done for each stream and needs no registers saved.
static __attribute__((noinline)) void *
add_context(struct codec_state *s, const struct codec_context *kind, int option)
{
    struct held *const h = mem_alloc(sizeof *h);
    void *const context = h ? kind->make(option) : NULL;
    if (!context) {
        mem_free(h);
        return NULL;
    }
    *h = (struct held){.next = s->latest, .kind = kind, .option = option, .context = context};
    s->latest = h;
    return context;
}

void *
codec_state_context(struct codec_state *s, const struct codec_context *kind, int option)
{
    for (const struct held *h = s->latest; h; h = h->next)
        if (h->kind == kind && h->option == option)
            return h->context;
    return add_context(s, kind, option);
}
