/*
 * codec.c - which codecs there are, by id, by format and by name.
 *
 * Not here: what they do (one file each), and what they keep between calls (state.c).
 */
#include "codec/codec.h"

#include "codec/adapters.h"

static const struct codec *const codecs[] = {
    &codec_blosclz,      &codec_lz4,           &codec_lz4hc,
    &codec_zlib,         &codec_zstd,          &codec_ndlz,
#ifdef HAVE_ZFP
    &codec_zfp_accuracy, &codec_zfp_precision, &codec_zfp_rate,
#endif
};

#define NCODECS (sizeof codecs / sizeof codecs[0])

// Registered by the Blosc project, but not built in, or not always.
static const struct {
    int id;
    const char *name;
} strangers[] = {
    {33, "zfp_accuracy"}, {34, "zfp_precision"}, {35, "zfp_rate"}, {36, "openhtj2k"},
    {37, "grok"},         {38, "openzl"},        {39, "j2k"},      {40, "htj2k"},
};

#define NSTRANGERS (sizeof strangers / sizeof strangers[0])

const struct codec *
codec_by_id(int id)
{
    for (size_t i = 0; i < NCODECS; i++)
        if (codecs[i]->id == id)
            return codecs[i];
    return NULL;
}

const struct codec *
codec_by_format(int format, int udcodec)
{
    for (size_t i = 0; i < NCODECS; i++)
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
    for (size_t i = 0; i < NSTRANGERS; i++)
        if (strangers[i].id == id)
            return strangers[i].name;
    return NULL;
}
