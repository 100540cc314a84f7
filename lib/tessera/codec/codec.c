/*
 * codec.c - which codecs there are, by id, by format and by name.
 *
 * Not here: what they do (one file each), those of the program (user.c).
 */
#include "codec/codec.h"

#include "codec/codecs.h"

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
