/*
 * methods.c - the public functions on names of codecs and filters.
 */
#include "base/sized.h"
#include "codec/codec.h"
#include "filter/filter.h"

#include <tessera/params.h>

#include <string.h>

TESS_API bool
tess_codec_at_sized(int index, tess_codec_info *info, size_t info_size)
{
    const struct codec *codec;
    int id;

    if (!codec_at(index, &id, &codec))
        return false;
    const tess_codec_info own = {
        .id = id, .name = codec_name(id), .built = codec, .lossy = codec && codec->lossy};
    sized_give(info, info_size, &own, sizeof own);
    return true;
}

TESS_API bool
tess_codec_find_sized(const char *name, tess_codec_info *info, size_t info_size)
{
    tess_codec_info c;

    for (int i = 0; name && tess_codec_at(i, &c); i++)
        if (strcmp(c.name, name) == 0) {
            sized_give(info, info_size, &c, sizeof c);
            return true;
        }
    return false;
}

TESS_API bool
tess_codec_get_sized(int id, tess_codec_info *info, size_t info_size)
{
    return tess_codec_find_sized(codec_name(id), info, info_size);
}

static bool
fill_filter(const struct filter *filter, tess_filter_info *info, size_t info_size)
{
    if (!filter)
        return false;
    const tess_filter_info own = {
        .id = filter->id,
        .name = filter->name,
        .written = filter->forward,
        .lossy = filter->lossy,
    };
    sized_give(info, info_size, &own, sizeof own);
    return true;
}

TESS_API bool
tess_filter_at_sized(int index, tess_filter_info *info, size_t info_size)
{
    return fill_filter(filter_at(index), info, info_size);
}

TESS_API bool
tess_filter_find_sized(const char *name, tess_filter_info *info, size_t info_size)
{
    const struct filter *filter;

    for (int i = 0; name && (filter = filter_at(i)) != NULL; i++)
        if (strcmp(filter->name, name) == 0)
            return fill_filter(filter, info, info_size);
    return false;
}

TESS_API bool
tess_filter_get_sized(int id, tess_filter_info *info, size_t info_size)
{
    return fill_filter(filter_by_id(id), info, info_size);
}
