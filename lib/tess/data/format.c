/*
 * format.c - recognises the format of a file or directory by its first bytes.
 *
 * Raw items may begin with any bytes. So each signature in the table has at least three bytes, and
 * is not one with which numbers often begin.
 */
#include "data/format.h"

#include "data/path.h"
#include "text/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 16 }; // bytes that are compared

static const char to_copy[] = "tess copy makes another one of it";
static const char to_unpack[] = "decompress it first, or to tess import -";
static const char to_convert[] =
    "tess does not read it: save its items as .npy in Python, for tess import";

static const struct {
    const char *magic;
    size_t at, size;
    struct format_found found;
} formats[] = {
    {"b2frame", 2, 8, {FORMAT_ARRAY, "an array of Blosc2", to_copy, false}},
    {"\x93NUMPY", 0, 6, {FORMAT_NPY, "a NumPy file", "tess import makes an array of it", false}},
    {"PK\x03\x04",
     0,
     4,
     {FORMAT_ZIP, "a zip file",
      "tess ls lists the arrays of a .b2z, tess import makes arrays of an .npz", false}},
    {"CDF\x01",
     0,
     4,
     {FORMAT_NETCDF, "a netCDF file", "tess import makes arrays of its variables", false}},
    {"CDF\x02",
     0,
     4,
     {FORMAT_NETCDF, "a netCDF file", "tess import makes arrays of its variables", false}},
    {"CDF\x05",
     0,
     4,
     {FORMAT_NETCDF, "a netCDF file", "tess import makes arrays of its variables", false}},
    {"\x89HDF\r\n\x1a\n",
     0,
     8,
     {FORMAT_HDF5, "an HDF5 file", "tess import makes arrays of what is in it", false}},
    {"\x1f\x8b\x08", 0, 3, {FORMAT_OTHER, "a gzip file", to_unpack, false}},
    {"\x28\xb5\x2f\xfd", 0, 4, {FORMAT_OTHER, "a Zstandard file", to_unpack, false}},
    {"\x04\x22\x4d\x18", 0, 4, {FORMAT_OTHER, "an LZ4 file", to_unpack, false}},
    {"\xfd"
     "7zXZ",
     0,
     6,
     {FORMAT_OTHER, "an xz file", to_unpack, false}},
    {"1AY&SY", 4, 6, {FORMAT_OTHER, "a bzip2 file", to_unpack, false}},
    {"II*\0", 0, 4, {FORMAT_OTHER, "a TIFF image", to_convert, false}},
    {"MM\0*", 0, 4, {FORMAT_OTHER, "a TIFF image", to_convert, false}},
    {"II+\0\x08\0\0\0", 0, 8, {FORMAT_OTHER, "a TIFF image", to_convert, false}},
    {"MM\0+\0\x08\0\0", 0, 8, {FORMAT_OTHER, "a TIFF image", to_convert, false}},
    {"\x89PNG\r\n\x1a\n", 0, 8, {FORMAT_OTHER, "a PNG image", to_convert, false}},
    {"\xff\xd8\xff\xe0", 0, 4, {FORMAT_OTHER, "a JPEG image", to_convert, false}},
    {"\xff\xd8\xff\xe1", 0, 4, {FORMAT_OTHER, "a JPEG image", to_convert, false}},
    {"GIF8", 0, 4, {FORMAT_OTHER, "a GIF image", to_convert, false}},
    {"%PDF-", 0, 5, {FORMAT_OTHER, "a PDF file", to_convert, false}},
    {"SIMPLE  =", 0, 9, {FORMAT_OTHER, "a FITS file", to_convert, false}},
    {"GRIB", 0, 4, {FORMAT_OTHER, "a GRIB file", to_convert, false}},
    {"PAR1", 0, 4, {FORMAT_OTHER, "a Parquet file", to_convert, false}},
    {"\x0e\x03\x13\x01", 0, 4, {FORMAT_OTHER, "an HDF4 file", to_convert, false}},
};

static bool
holds(const char *folder, const char *name)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);

    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

static struct format_found
look_at_folder(const char *path)
{
    if (path_is_sparse(path))
        return (struct format_found){FORMAT_ARRAY, "an array of Blosc2", to_copy, true};
    if (holds(path, "zarr.json") || holds(path, ".zarray") || holds(path, ".zgroup"))
        return (struct format_found){FORMAT_OTHER, "a folder of Zarr", to_convert, true};
    return (struct format_found){FORMAT_OTHER, "a folder", "tess ls lists the arrays in it", true};
}

struct format_found
format_at(const char *path)
{
    const struct format_found unknown = {.kind = FORMAT_UNKNOWN};
    char head[HEAD];
    struct stat st;

    if (stat(path, &st) != 0)
        return unknown;
    if (S_ISDIR(st.st_mode))
        return look_at_folder(path);
    FILE *const in = S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (!in)
        return unknown;
    const size_t size = fread(head, 1, sizeof head, in);
    (void)fclose(in);
    if (st.st_size == 0)
        return (struct format_found){.kind = FORMAT_UNKNOWN, .what = "an empty file"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (size >= formats[i].at + formats[i].size &&
            memcmp(head + formats[i].at, formats[i].magic, formats[i].size) == 0)
            return formats[i].found;
    return unknown;
}

const char *
format_of_name(const char *name)
{
    static const struct {
        const char *suffix, *what;
    } names[] = {
        {".b2nd", "an array of Blosc2"}, {".b2frame", "an array of Blosc2"},
        {".zarr", "a folder of Zarr"},   {".zip", "a zip file"},
        {".b2z", "a store of Blosc2"},   {".b2d", "a store of Blosc2"},
        {".gz", "a gzip file"},          {".zst", "a Zstandard file"},
        {".lz4", "an LZ4 file"},         {".xz", "an xz file"},
        {".bz2", "a bzip2 file"},        {".tif", "a TIFF image"},
        {".tiff", "a TIFF image"},       {".png", "a PNG image"},
        {".jpg", "a JPEG image"},        {".jpeg", "a JPEG image"},
        {".gif", "a GIF image"},         {".pdf", "a PDF file"},
        {".fits", "a FITS file"},        {".grib", "a GRIB file"},
        {".grb", "a GRIB file"},         {".parquet", "a Parquet file"},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (text_ends_with(name, names[i].suffix))
            return names[i].what;
    return NULL;
}
