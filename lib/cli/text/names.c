/*
 * names.c - tables of names.
 */
#include "cli/text/names.h"

#include "cli/picture/picture.h"

#include <tessera/chunk.h>
#include <tessera/params.h>

#include <stddef.h>
#include <string.h>

const struct name names_codec[] = {
    {"blosclz", TESS_CODEC_BLOSCLZ},
    {"lz4", TESS_CODEC_LZ4},
    {"lz4hc", TESS_CODEC_LZ4HC},
    {"zlib", TESS_CODEC_ZLIB},
    {"zstd", TESS_CODEC_ZSTD},
    {"ndlz", TESS_CODEC_NDLZ},
    {"zfp_accuracy", TESS_CODEC_ZFP_ACCURACY},
    {"zfp_precision", TESS_CODEC_ZFP_PRECISION},
    {"zfp_rate", TESS_CODEC_ZFP_RATE},
    {NULL, 0},
};

const struct name names_filter[] = {
    {"nofilter", TESS_FILTER_NONE},         {"shuffle", TESS_FILTER_SHUFFLE},
    {"bitshuffle", TESS_FILTER_BITSHUFFLE}, {"delta", TESS_FILTER_DELTA},
    {"trunc_prec", TESS_FILTER_TRUNC_PREC}, {"bytedelta", TESS_FILTER_BYTEDELTA},
    {"int_trunc", TESS_FILTER_INT_TRUNC},   {"ndcell", TESS_FILTER_NDCELL},
    {"ndmean", TESS_FILTER_NDMEAN},         {NULL, 0},
};

const struct name names_foreign_filter[] = {
    {"bytedelta_buggy", 34},
    {NULL, 0},
};

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
