/*
 * hdf5_types.c - types of items in HDF5 and in NumPy's notation.
 */
#include "formats/hdf5/hdf5_types.h"

#include "formats/hdf5/hdf5_call.h"
#include "report.h"

#include <tessera/dtype.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// -- from HDF5

// '<', '>', '|' for single bytes, or 0.
static char
order_of(hid_t type)
{
    if (H5Tget_size(type) == 1)
        return '|';
    const H5T_order_t order = H5Tget_order(type);
    return order == H5T_ORDER_LE ? '<' : order == H5T_ORDER_BE ? '>' : '\0';
}

static bool
is_whole(hid_t type)
{
    return H5Tget_precision(type) == 8 * H5Tget_size(type) && H5Tget_offset(type) == 0 &&
           order_of(type) != '\0';
}

static bool
is_integer(hid_t type)
{
    const size_t size = H5Tget_size(type);

    return (size == 1 || size == 2 || size == 4 || size == 8) && is_whole(type);
}

// Where IEEE 754 puts sign, exponent and mantissa.
static const struct {
    size_t size, sign, exponent, exponent_size, mantissa_size, bias;
} floats[] = {
    {2, 15, 10, 5, 10, 15},
    {4, 31, 23, 8, 23, 127},
    {8, 63, 52, 11, 52, 1023},
};

static bool
is_float(hid_t type)
{
    size_t sign = 0, exponent = 0, exponent_size = 0, mantissa = 0, mantissa_size = 0;

    if (H5Tget_class(type) != H5T_FLOAT || !is_whole(type) ||
        H5Tget_norm(type) != H5T_NORM_IMPLIED ||
        H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) < 0)
        return false;
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++)
        if (floats[i].size == H5Tget_size(type))
            return sign == floats[i].sign && exponent == floats[i].exponent &&
                   exponent_size == floats[i].exponent_size && mantissa == 0 &&
                   mantissa_size == floats[i].mantissa_size && H5Tget_ebias(type) == floats[i].bias;
    return false;
}

// Whether member n has that name.
static bool
is_named(hid_t type, unsigned n, const char *name)
{
    char *const own = H5Tget_member_name(type, n);
    const bool same = own && strcmp(own, name) == 0;

    (void)H5free_memory(own);
    return same;
}

static bool
is_complex(hid_t type, char *order)
{
    const size_t half = H5Tget_size(type) / 2;
    bool good = H5Tget_nmembers(type) == 2 && is_named(type, 0, "r") && is_named(type, 1, "i") &&
                H5Tget_size(type) == 2 * half && (half == 4 || half == 8);
    char orders[2] = {0};

    for (unsigned i = 0; i < 2 && good; i++) {
        const hid_t part = H5Tget_member_type(type, i);

        good = part >= 0 && H5Tget_member_offset(type, i) == i * half &&
               H5Tget_size(part) == half && is_float(part);
        orders[i] = good ? order_of(part) : '\0';
        if (part >= 0)
            (void)H5Tclose(part);
    }
    *order = orders[0];
    return good && orders[0] == orders[1];
}

static bool
is_boolean(hid_t type)
{
    uint8_t no = 1, yes = 0;

    return H5Tget_size(type) == 1 && H5Tget_nmembers(type) == 2 &&
           H5Tenum_valueof(type, "FALSE", &no) >= 0 && H5Tenum_valueof(type, "TRUE", &yes) >= 0 &&
           no == 0 && yes == 1;
}

static const char *
name_of_class(H5T_class_t class)
{
    switch (class) {
    case H5T_INTEGER:
        return "integer of unusual bits";
    case H5T_FLOAT:
        return "float that is not IEEE 754 of 2, 4 or 8 bytes";
    case H5T_TIME:
        return "time";
    case H5T_BITFIELD:
        return "bit field";
    case H5T_COMPOUND:
        return "compound that is no complex number {r, i}";
    case H5T_REFERENCE:
        return "reference";
    case H5T_ENUM:
        return "enumeration other than {FALSE, TRUE}";
    case H5T_VLEN:
        return "sequence of variable length";
    case H5T_ARRAY:
        return "array inside an item";
    case H5T_STRING:
        return "string of variable length";
    default:
        return "unknown type";
    }
}

tess_status
hdf5_dtype(hid_t type, char dtype[HDF5_DTYPE_SIZE], int32_t *typesize, tess_error *err)
{
    const H5T_class_t class = H5Tget_class(type);
    const size_t size = H5Tget_size(type);
    char order = order_of(type);
    tess_kind kind = TESS_KIND_OPAQUE;

    if (size == 0 || size > INT32_MAX)
        return report_set(err, TESS_ERR_UNSUPPORTED, "items of %zu bytes", size);
    if (class == H5T_INTEGER && is_integer(type))
        kind = H5Tget_sign(type) == H5T_SGN_NONE ? TESS_KIND_UINT : TESS_KIND_INT;
    else if (is_float(type))
        kind = TESS_KIND_FLOAT;
    else if (class == H5T_COMPOUND && is_complex(type, &order))
        kind = TESS_KIND_COMPLEX;
    else if (class == H5T_ENUM && is_boolean(type))
        kind = TESS_KIND_BOOL;
    else if (class == H5T_STRING && H5Tis_variable_str(type) == 0)
        kind = TESS_KIND_BYTES;
    else if (class != H5T_OPAQUE)
        return report_set(err, TESS_ERR_UNSUPPORTED, "items are of a type that is not imported: %s",
                          name_of_class(class));
    if (kind == TESS_KIND_BYTES || kind == TESS_KIND_OPAQUE || kind == TESS_KIND_BOOL)
        order = '|';
    (void)snprintf(dtype, HDF5_DTYPE_SIZE, "%c%c%zu", order,
                   kind == TESS_KIND_OPAQUE ? 'V' : (char)kind, size);
    *typesize = (int32_t)size;
    return TESS_OK;
}

// -- to HDF5

static hid_t
make_float(size_t size, char order)
{
    const hid_t type = H5Tcopy(size == 8 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE);

    if (size == 2) {
        (void)H5Tset_fields(type, floats[0].sign, floats[0].exponent, floats[0].exponent_size, 0,
                            floats[0].mantissa_size);
        (void)H5Tset_size(type, 2);
        (void)H5Tset_ebias(type, floats[0].bias);
    }
    (void)H5Tset_order(type, order == '>' ? H5T_ORDER_BE : H5T_ORDER_LE);
    return type;
}

static hid_t
make_integer(size_t size, bool has_sign, char order)
{
    const hid_t type = H5Tcopy(has_sign ? H5T_STD_I8LE : H5T_STD_U8LE);

    (void)H5Tset_size(type, size);
    (void)H5Tset_precision(type, 8 * size);
    (void)H5Tset_order(type, order == '>' ? H5T_ORDER_BE : H5T_ORDER_LE);
    return type;
}

static hid_t
make_complex(size_t size, char order)
{
    const hid_t part = make_float(size / 2, order);
    const hid_t type = H5Tcreate(H5T_COMPOUND, size);

    (void)H5Tinsert(type, "r", 0, part);
    (void)H5Tinsert(type, "i", size / 2, part);
    (void)H5Tclose(part);
    return type;
}

static hid_t
make_boolean(void)
{
    const hid_t type = H5Tenum_create(H5T_STD_I8LE);
    const int8_t no = 0, yes = 1;

    (void)H5Tenum_insert(type, "FALSE", &no);
    (void)H5Tenum_insert(type, "TRUE", &yes);
    return type;
}

static hid_t
make_string(size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);

    (void)H5Tset_size(type, size);
    (void)H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

tess_status
hdf5_type(const char *dtype, int32_t typesize, hid_t *type, tess_error *err)
{
    const tess_dtype parsed = tess_dtype_parse(dtype);
    const bool known = parsed.size == typesize;
    const size_t size = (size_t)typesize;

    *type = -1;
    if (!known || parsed.kind == TESS_KIND_OPAQUE)
        *type = H5Tcreate(H5T_OPAQUE, size);
    else if (parsed.kind == TESS_KIND_INT || parsed.kind == TESS_KIND_UINT)
        *type = make_integer(size, parsed.kind == TESS_KIND_INT, parsed.order);
    else if (parsed.kind == TESS_KIND_FLOAT && size <= 8)
        *type = make_float(size, parsed.order);
    else if (parsed.kind == TESS_KIND_COMPLEX && size <= 16)
        *type = make_complex(size, parsed.order);
    else if (parsed.kind == TESS_KIND_BOOL)
        *type = make_boolean();
    else if (parsed.kind == TESS_KIND_BYTES)
        *type = make_string(size);
    else if (parsed.kind == TESS_KIND_STRUCT)
        return report_set(
            err, TESS_ERR_UNSUPPORTED,
            "structures are not exported to HDF5; --field exports one of their fields");
    else
        return report_set(err, TESS_ERR_UNSUPPORTED,
                          "items of type %.100s have no counterpart in HDF5", dtype);
    return *type >= 0 ? TESS_OK : hdf5_fail(err, "cannot make a type");
}
