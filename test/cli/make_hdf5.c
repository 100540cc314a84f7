/*
 * make_hdf5.c - an HDF5 file with a dataset of each type that tess import takes, and some of which
 * it does not, for convert.sh; and with broken, one with datasets that cannot be read; with sparse,
 * one with large datasets of which hardly anything is stored.
 *
 *     make_hdf5 FILE [broken|sparse]
 */
#include <hdf5.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void
must(int good)
{
    if (!good)
        abort();
}

static hid_t
make(hid_t where, const char *name, hid_t type, int ndim, const hsize_t *shape, const void *items)
{
    const hid_t space = H5Screate_simple(ndim, shape, NULL);
    const hid_t set = H5Dcreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    must(set >= 0 && (!items || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, items) >= 0));
    H5Sclose(space);
    return set;
}

static void
attach(hid_t set, const char *name, hid_t type, hsize_t count, const void *items)
{
    const hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(set, name, type, space, H5P_DEFAULT, H5P_DEFAULT);

    must(attribute >= 0 && H5Awrite(attribute, type, items) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

static hid_t
string_type(size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, size);
    return type;
}

static hid_t
pair(const char *first, const char *second, hid_t part)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * H5Tget_size(part));

    H5Tinsert(type, first, 0, part);
    H5Tinsert(type, second, H5Tget_size(part), part);
    return type;
}

static hid_t
enumeration(const char *zero, const char *one)
{
    const hid_t type = H5Tenum_create(H5T_STD_I8LE);
    int8_t value = 0;

    H5Tenum_insert(type, zero, &value);
    value = 1;
    H5Tenum_insert(type, one, &value);
    return type;
}

static hid_t
half(void)
{
    const hid_t type = H5Tcopy(H5T_IEEE_F32LE);

    H5Tset_fields(type, 15, 10, 5, 0, 10);
    H5Tset_size(type, 2);
    H5Tset_ebias(type, 15);
    return type;
}

// Shorts with a fill value, attributes of all kinds, and scales.
static void
make_rich(hid_t file)
{
    static const uint8_t bytes[] = {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0xff, 0xfa};
    static const hsize_t shape[] = {2, 3}, most[] = {H5S_UNLIMITED, 3}, chunk[] = {1, 2};
    static const uint8_t fill[] = {0xff, 0xf9};
    static const char *const words[] = {"a", "b\303\266"};
    static const char *const labels[] = {"row", NULL};
    static const double many[] = {0.5, 1.5};
    const uint64_t large = UINT64_MAX;
    const int8_t yes = 1;
    const char *const units = "K";
    const hid_t space = H5Screate_simple(2, shape, most), how = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t vlen = string_type(H5T_VARIABLE);

    H5Pset_chunk(how, 2, chunk);
    H5Pset_deflate(how, 6);
    H5Pset_fill_value(how, H5T_STD_I16BE, fill);
    const hid_t set = H5Dcreate2(file, "rich", H5T_STD_I16BE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    must(set >= 0 && H5Dwrite(set, H5T_STD_I16BE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
    attach(set, "a_units", vlen, 0, &units);
    attach(set, "b_fixed", string_type(4), 0, "m/s");
    attach(set, "c_words", vlen, 2, words);
    attach(set, "d_large", H5T_NATIVE_UINT64, 0, &large);
    attach(set, "e_many", H5T_NATIVE_DOUBLE, 2, many);
    attach(set, "f_yes", enumeration("FALSE", "TRUE"), 0, &yes);
    attach(set, "g_odd", pair("x", "y", H5T_NATIVE_DOUBLE), 0, many);
    attach(set, "DIMENSION_LABELS", vlen, 2, labels);

    // the second axis has a scale
    static const hsize_t three = 3;
    static const double lon[] = {1, 2, 3};
    const hid_t scale = make(file, "lon", H5T_IEEE_F64LE, 1, &three, lon);
    attach(scale, "CLASS", string_type(16), 0, "DIMENSION_SCALE");
    hobj_ref_t to_scale;
    must(H5Rcreate(&to_scale, file, "lon", H5R_OBJECT, -1) >= 0);
    const hvl_t lists[] = {{0, NULL}, {1, &to_scale}};
    attach(set, "DIMENSION_LIST", H5Tvlen_create(H5T_STD_REF_OBJ), 2, lists);
    H5Dclose(scale);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(how);
}

// A dataset of 4 x 4 shorts in chunks of 2 x 4, and 0, 1, ... in it.
static hid_t
make_chunked(hid_t file, const char *name, hid_t how)
{
    static const hsize_t shape[] = {4, 4}, chunk[] = {2, 4};
    const hid_t space = H5Screate_simple(2, shape, NULL);
    int16_t items[16];

    for (int16_t i = 0; i < 16; i++)
        items[i] = i;
    H5Pset_chunk(how, 2, chunk);
    const hid_t set = H5Dcreate2(file, name, H5T_STD_I16LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    must(set >= 0 && H5Dwrite(set, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, items) >= 0);
    H5Sclose(space);
    H5Pclose(how);
    return set;
}

static size_t
filter_nothing(unsigned flags, size_t nvalues, const unsigned *values, size_t nbytes, size_t *size,
               void **bytes)
{
    (void)flags, (void)nvalues, (void)values, (void)size, (void)bytes;
    return nbytes;
}

static void
make_broken(hid_t file)
{
    static const H5Z_class2_t lzf = {.version = H5Z_CLASS_T_VERS,
                                     .id = 32000,
                                     .encoder_present = 1,
                                     .decoder_present = 1,
                                     .name = "lzf",
                                     .filter = filter_nothing};
    static const hsize_t four = 4, second[] = {2, 0};
    static const int16_t items[] = {1, 2, 3, 4};

    must(H5Zregister(&lzf) >= 0);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_filter(how, 32000, H5Z_FLAG_MANDATORY, 0, NULL);
    H5Dclose(make_chunked(file, "filter", how));

    how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_deflate(how, 1);
    const hid_t set = make_chunked(file, "chunk", how);
    must(H5Dwrite_chunk(set, H5P_DEFAULT, 0, second, 9, "no stream") >= 0);
    H5Dclose(set);

    how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(how, "absent.raw", 0, 8);
    const hid_t space = H5Screate_simple(1, &four, NULL);
    must(H5Dcreate2(file, "external", H5T_STD_I16LE, space, H5P_DEFAULT, how, H5P_DEFAULT) >= 0);
    make(file, "a_first", H5T_NATIVE_INT16, 1, &four, items);
    make(file, "last", H5T_NATIVE_INT16, 1, &four, items);
    H5Dclose(make_chunked(file, "middle", H5Pcreate(H5P_DATASET_CREATE)));
}

// One chunk of 2^36 items, and none: chunked and not, with a fill value and without.
static void
make_sparse(hid_t file)
{
    static const hsize_t shape[] = {1 << 22, 1 << 14}, chunk[] = {100, 100};
    static const hsize_t at[] = {4000000, 700}, box[] = {2, 2}, some[] = {30000, 300};
    static const int16_t items[] = {1, 2, 3, 4}, fill = -7;

    for (int i = 0; i < 8; i++) {
        const bool chunked = i % 2, filled = i / 2 % 2, written = i / 4;
        const char name[] = {chunked ? 'c' : 'f', filled ? '7' : '0', written ? 'w' : 'n', '\0'};
        const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
        const hid_t space = H5Screate_simple(2, !chunked && written ? some : shape, NULL);
        const hid_t memory = H5Screate_simple(2, box, NULL);
        if (chunked)
            H5Pset_chunk(how, 2, chunk);
        if (filled)
            H5Pset_fill_value(how, H5T_NATIVE_INT16, &fill);
        const hid_t set =
            H5Dcreate2(file, name, H5T_STD_I16LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
        must(set >= 0);
        if (written) {
            H5Sselect_hyperslab(space, H5S_SELECT_SET, chunked ? at : box, NULL, box, NULL);
            must(H5Dwrite(set, H5T_NATIVE_INT16, memory, space, H5P_DEFAULT, items) >= 0);
        }
        H5Dclose(set);
    }
    // many chunks, every third of them
    static const hsize_t grid[] = {100, 100}, one[] = {1, 1};
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, grid, NULL);
    H5Pset_chunk(how, 2, one);
    H5Pset_fill_value(how, H5T_NATIVE_INT16, &fill);
    const hid_t set = H5Dcreate2(file, "many", H5T_STD_I16LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    const hid_t memory = H5Screate_simple(2, one, NULL);
    for (hsize_t i = 0; i < 10000; i += 3) {
        const hsize_t where[] = {i / 100, i % 100};
        const int16_t item = (int16_t)i;
        H5Sselect_hyperslab(space, H5S_SELECT_SET, where, NULL, one, NULL);
        must(H5Dwrite(set, H5T_NATIVE_INT16, memory, space, H5P_DEFAULT, &item) >= 0);
    }
    H5Dclose(set);
}

int
main(int argc, char **argv)
{
    static const hsize_t two = 2, huge[] = {UINT64_C(1) << 40, UINT64_C(1) << 40};
    static const uint16_t halves[] = {0x3c00, 0xc000}; // 1, -2
    static const float floats[] = {1.5F, -2.5F};
    static const double complexes[] = {1, 2, 3, -4};
    static const uint8_t bytes[] = {0, 1};
    static const char *const words[] = {"a", "b"};

    must(argc == 2 || argc == 3);
    const hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    must(file >= 0);
    if (argc == 3) {
        if (strcmp(argv[2], "broken") == 0)
            make_broken(file);
        else
            make_sparse(file);
        must(H5Fclose(file) >= 0);
        return 0;
    }
    const hid_t g = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    make_rich(file);
    make(g, "i1", H5T_STD_I8BE, 1, &two, bytes);
    make(g, "f2", half(), 1, &two, halves);
    make(g, "f4", H5T_NATIVE_FLOAT, 1, &two, floats);
    make(g, "c16", pair("r", "i", H5T_NATIVE_DOUBLE), 1, &two, complexes);
    make(g, "bool", enumeration("FALSE", "TRUE"), 1, &two, bytes);
    make(g, "S3", string_type(3), 1, &two, "abcd\0");
    make(g, "V1", H5Tcreate(H5T_OPAQUE, 1), 1, &two, bytes);
    make(g, "scalar", H5T_NATIVE_FLOAT, 0, NULL, floats);
    make(g, "enum", enumeration("RED", "BLUE"), 1, &two, bytes);
    make(g, "compound", pair("x", "y", H5T_NATIVE_DOUBLE), 1, &two, complexes);
    make(g, "vlen", string_type(H5T_VARIABLE), 1, &two, words);
    make(g, "long", H5T_NATIVE_LDOUBLE, 1, &two, NULL);
    make(g, "bits", H5T_STD_B8LE, 1, &two, bytes);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    static const hsize_t chunk[] = {8, 8};
    H5Pset_chunk(how, 2, chunk);
    const hid_t space = H5Screate_simple(2, huge, NULL);
    must(H5Dcreate2(g, "huge", H5T_STD_I8LE, space, H5P_DEFAULT, how, H5P_DEFAULT) >= 0);
    must(H5Fclose(file) >= 0);
    return 0;
}
