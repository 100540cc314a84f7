/*
 * names.c - tables of names; codecs and filters have those of the library.
 */
#include "text/names.h"

#include "picture/picture.h"

#include <tessera/chunk.h>
#include <tessera/convert.h>
#include <tessera/params.h>
#include <tessera/reduce.h>

#include <stddef.h>
#include <string.h>

const struct name names_split[] = {
    {"always", TESS_SPLIT_ALWAYS},
    {"never", TESS_SPLIT_NEVER},
    {"auto", TESS_SPLIT_AUTO},
    {NULL, 0},
};

const struct name names_layout[] = {
    {"contiguous", TESS_LAYOUT_CONTIGUOUS},
    {"sparse", TESS_LAYOUT_SPARSE},
    {NULL, 0},
};

const struct name names_layer[] = {
    {"b2nd", TESS_LAYER_B2ND},
    {"caterva", TESS_LAYER_CATERVA},
    {NULL, 0},
};

const struct name names_chunk[] = {
    {"blocks", TESS_CHUNK_BLOCKS},
    {"plain", TESS_CHUNK_PLAIN},
    {"zeros", TESS_CHUNK_ZEROS},
    {"nans", TESS_CHUNK_NANS},
    {"value", TESS_CHUNK_VALUE},
    {"uninit", TESS_CHUNK_UNINIT},
    {NULL, 0},
};

const struct name names_reduce[] = {
    {"mean", PICTURE_MEAN},
    {"min", PICTURE_MIN},
    {"max", PICTURE_MAX},
    {NULL, 0},
};

const struct name names_type[] = {
    {"int", NAMES_TYPE_INT},     {"float", NAMES_TYPE_FLOAT}, {"string", NAMES_TYPE_STRING},
    {"bytes", NAMES_TYPE_BYTES}, {"json", NAMES_TYPE_JSON},   {NULL, 0},
};

const struct name names_misfit[] = {
    {"error", TESS_MISFIT_ERROR},
    {"saturate", TESS_MISFIT_SATURATE},
    {"wrap", TESS_MISFIT_WRAP},
    {NULL, 0},
};

const struct name names_op[] = {
    {"sum", TESS_REDUCE_SUM},     {"mean", TESS_REDUCE_MEAN},
    {"var", TESS_REDUCE_VAR},     {"std", NAMES_OP_STD},
    {"min", TESS_REDUCE_MIN},     {"max", TESS_REDUCE_MAX},
    {"any", TESS_REDUCE_ANY},     {"all", TESS_REDUCE_ALL},
    {"count", TESS_REDUCE_COUNT}, {NULL, 0},
};

const struct name names_downsampling[] = {
    {"mean", TESS_DOWNSAMPLE_MEAN}, {"nearest", TESS_DOWNSAMPLE_NEAREST},
    {"min", TESS_DOWNSAMPLE_MIN},   {"max", TESS_DOWNSAMPLE_MAX},
    {"mode", TESS_DOWNSAMPLE_MODE}, {NULL, 0},
};

bool
names_value(const struct name *table, const char *text, int *value)
{
    for (; table->text; table++)
        if (strcmp(table->text, text) == 0) {
            *value = table->value;
            return true;
        }
    return false;
}

const char *
names_text(const struct name *table, int value)
{
    while (table->text && table->value != value)
        table++;
    return table->text;
}

const char *
names_codec(int id)
{
    tess_codec_info info;
    return tess_codec_get(id, &info) ? info.name : NULL;
}

const char *
names_filter(int id)
{
    tess_filter_info info;

    if (id == TESS_FILTER_NONE)
        return "nofilter";
    return tess_filter_get(id, &info) ? info.name : NULL;
}

bool
names_find_codec(const char *name, int *id)
{
    tess_codec_info info;

    if (!tess_codec_find(name, &info))
        return false;
    *id = info.id;
    return true;
}

bool
names_find_filter(const char *name, int *id)
{
    tess_filter_info info;

    if (!tess_filter_find(name, &info) || !info.written)
        return false;
    *id = info.id;
    return true;
}
