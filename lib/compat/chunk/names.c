/*
 * names.c - names and numbers of codecs: those of libtessera, and those that were registered.
 */
#include "blosc2/error.h"
#include "blosc2/registry.h"

#include <blosc2.h>
#include <tessera/params.h>
#include <tessera/version.h>

#include <string.h>

// The format that chunks record for a codec, and the library that it is of.
static const struct known {
    int id, format;
    const char *name, *library;
} known[] = {
    {BLOSC_BLOSCLZ, BLOSC_BLOSCLZ_FORMAT, BLOSC_BLOSCLZ_COMPNAME, BLOSC_BLOSCLZ_LIBNAME},
    {BLOSC_LZ4, BLOSC_LZ4_FORMAT, BLOSC_LZ4_COMPNAME, BLOSC_LZ4_LIBNAME},
    {BLOSC_LZ4HC, BLOSC_LZ4HC_FORMAT, BLOSC_LZ4HC_COMPNAME, BLOSC_LZ4_LIBNAME},
    {BLOSC_ZLIB, BLOSC_ZLIB_FORMAT, BLOSC_ZLIB_COMPNAME, BLOSC_ZLIB_LIBNAME},
    {BLOSC_ZSTD, BLOSC_ZSTD_FORMAT, BLOSC_ZSTD_COMPNAME, BLOSC_ZSTD_LIBNAME},
};

static const struct known *
known_by_name(const char *name)
{
    for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return &known[i];
    return NULL;
}

int
blosc2_compcode_to_compname(int compcode, const char **compname)
{
    tess_codec_info info;
    blosc2_codec codec;
    const char *name = NULL;
    int code = -1;
    if (tess_codec_get(compcode, &info)) {
        name = info.name;
        code = info.built ? compcode : -1;
    } else if (b2_codec_by_id(compcode, &codec)) {
        name = codec.compname;
        code = compcode;
    }
    if (compname)
        *compname = name;
    return code;
}

int
blosc2_compname_to_compcode(const char *compname)
{
    tess_codec_info info;
    blosc2_codec codec;
    if (!compname)
        return -1;
    if (tess_codec_find(compname, &info))
        return info.built ? info.id : -1;
    return b2_codec_by_name(compname, &codec) ? codec.compcode : -1;
}

const char *
blosc2_list_compressors(void)
{
    return "blosclz,lz4,lz4hc,zlib,zstd"; // every build has them
}

int
blosc2_get_complib_info(const char *compname, char **complib, char **version)
{
    const struct known *const k = known_by_name(compname);
    if (complib)
        *complib = k ? strdup(k->library) : NULL;
    if (version)
        *version = k ? strdup(tess_version()) : NULL;
    return k ? k->format : -1;
}

const char *
blosc2_get_version_string(void)
{
    return BLOSC2_VERSION_STRING;
}
