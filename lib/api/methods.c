/*
 * methods.c - the public functions on names of codecs and filters.
 */
#include "codec/codec.h"
#include "filter/filter.h"

#include <tessera/params.h>

#include <string.h>

TESS_API bool
tess_codec_at(int index, tess_codec_info *info)
{
    const struct codec *codec;
    int id;

    if (!codec_at(index, &id, &codec))
        return false;
    *info = (tess_codec_info){
        .id = id, .name = codec_name(id), .built = codec, .lossy = codec && codec->lossy};
    return true;
}

TESS_API bool
tess_codec_find(const char *name, tess_codec_info *info)
{
    tess_codec_info c;

    for (int i = 0; name && tess_codec_at(i, &c); i++)
        if (strcmp(c.name, name) == 0) {
            *info = c;
            return true;
        }
    return false;
}

TESS_API bool
tess_codec_get(int id, tess_codec_info *info)
{
    return tess_codec_find(codec_name(id), info);
}

static bool
fill_filter(const struct filter *filter, tess_filter_info *info)
{
    if (!filter)
        return false;
    *info = (tess_filter_info){
        .id = filter->id,
        .name = filter->name,
        .written = filter->forward,
        .lossy = filter->lossy,
    };
    return true;
}

TESS_API bool
tess_filter_at(int index, tess_filter_info *info)
{
    return fill_filter(filter_at(index), info);
}

TESS_API bool
tess_filter_find(const char *name, tess_filter_info *info)
{
    const struct filter *filter;

    for (int i = 0; name && (filter = filter_at(i)) != NULL; i++)
        if (strcmp(filter->name, name) == 0)
            return fill_filter(filter, info);
    return false;
}

TESS_API bool
tess_filter_get(int id, tess_filter_info *info)
{
    return fill_filter(filter_by_id(id), info);
}
