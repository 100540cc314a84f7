/*
 * tess_formats_npy.c - headers of .npy files: what NumPy writes, what it does not, and every
 * cut-off.
 */
#include "formats/flat/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// From memory that ends where the text ends, so that a sanitizer sees a step too far.
static tess_status
parse(const char *text, size_t size, bool latin1, struct npy_header *header)
{
    char *exact = malloc(size ? size : 1);
    tess_error err;

    assert_non_null(exact);
    memcpy(exact, text, size);
    const tess_status st = npy_header_parse(exact, size, latin1, header, &err);
    free(exact);
    return st;
}

static const struct {
    const char *text;
    const char *dtype;
    bool fortran;
    int ndim;
    int64_t shape[3];
} good[] = {
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n", "<f8", false, 2, {3, 4}},
    {"{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }\n", "<f8", true, 2, {3, 4}},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "|u1", false, 0, {0}},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }", "|u1", false, 1, {5}},
    {"{'shape': (2, 0, 3,), 'fortran_order': False, 'descr': '>i2'}", ">i2", false, 3, {2, 0, 3}},
    {"{\"descr\":\"<M8[ns]\",\"fortran_order\":False,\"shape\":(3L,4L)}",
     "<M8[ns]",
     false,
     2,
     {3, 4}},
    {"{'descr': [('a', '<i4'), ('b', '<f8', (2,))], 'fortran_order': False, 'shape': (1,), }",
     "[('a', '<i4'), ('b', '<f8', (2,))]",
     false,
     1,
     {1}},
    {"{'descr': [('x]\\'[', '<i4'), (\"it's\", 'S3')], 'fortran_order': False, 'shape': (1,), }",
     "[('x]\\'[', '<i4'), (\"it's\", 'S3')]",
     false,
     1,
     {1}},
};

static void
test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct npy_header h;

        if (parse(good[i].text, strlen(good[i].text), true, &h) != TESS_OK)
            fail_msg("refused: %s", good[i].text);
        assert_string_equal(h.dtype, good[i].dtype);
        assert_int_equal(h.fortran, good[i].fortran);
        assert_int_equal(h.ndim, good[i].ndim);
        for (int k = 0; k < h.ndim; k++)
            assert_int_equal(h.shape[k], good[i].shape[k]);
        npy_header_finish(&h);
    }
}

static void
test_cut_off(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        const size_t whole = (size_t)(strrchr(good[i].text, '}') - good[i].text);

        for (size_t size = 0; size <= whole; size++) {
            struct npy_header h;

            if (parse(good[i].text, size, true, &h) != TESS_ERR_CORRUPT)
                fail_msg("%zu bytes of %s were accepted", size, good[i].text);
        }
    }
}

static const struct {
    const char *reason, *text;
} bad[] = {
    {"nothing", ""},
    {"no dictionary", "[1]"},
    {"empty", "{}"},
    {"no shape", "{'descr': '<f8', 'fortran_order': False, }"},
    {"no order", "{'descr': '<f8', 'shape': (1,), }"},
    {"a key twice", "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,), }"},
    {"another key", "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'x': 1}"},
    {"something behind", "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } x"},
    {"two commas", "{'descr': '<f8',, 'fortran_order': False, 'shape': (1,), }"},
    {"no comma", "{'descr': '<f8' 'fortran_order': False, 'shape': (1,), }"},
    {"a bare type", "{'descr': f8, 'fortran_order': False, 'shape': (1,), }"},
    {"a tuple as type", "{'descr': ('<f8', (2,)), 'fortran_order': False, 'shape': (1,), }"},
    {"brackets that do not match",
     "{'descr': [('a', '<i4')), 'fortran_order': False, 'shape': (1,)}"},
    {"order in lower case", "{'descr': '<f8', 'fortran_order': false, 'shape': (1,), }"},
    {"shape as integer", "{'descr': '<f8', 'fortran_order': False, 'shape': (1), }"},
    {"shape as list", "{'descr': '<f8', 'fortran_order': False, 'shape': [1], }"},
    {"shape without numbers", "{'descr': '<f8', 'fortran_order': False, 'shape': (,), }"},
    {"a negative length", "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }"},
    {"a length of 2^63",
     "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775808,)}"},
    {"a length in hexadecimal", "{'descr': '<f8', 'fortran_order': False, 'shape': (0x10,), }"},
    {"17 dimensions",
     "{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }"},
};

static void
test_bad(void **state)
{
    struct npy_header h;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (parse(bad[i].text, strlen(bad[i].text), true, &h) != TESS_ERR_CORRUPT)
            fail_msg("%s was accepted", bad[i].reason);

    static const char with_nul[] = "{'descr': '<f\0008', 'fortran_order': False, 'shape': (1,), }";
    assert_int_equal(parse(with_nul, sizeof with_nul - 1, true, &h), TESS_ERR_CORRUPT);
}

static void
test_latin1(void **state)
{
    static const char text[] =
        "{'descr': [('caf\xe9', '<i4')], 'fortran_order': False, 'shape': ()}";
    struct npy_header h;

    (void)state;
    assert_int_equal(parse(text, sizeof text - 1, true, &h), TESS_OK);
    assert_string_equal(h.dtype, "[('caf\xc3\xa9', '<i4')]");
    npy_header_finish(&h);
    assert_int_equal(parse(text, sizeof text - 1, false, &h), TESS_OK);
    assert_string_equal(h.dtype, "[('caf\xe9', '<i4')]");
    npy_header_finish(&h);
}

static const struct {
    const char *reason;
    const char *bytes;
    size_t size;
    tess_status status;
    size_t text_offset, text_size;
    bool latin1;
} preambles[] = {
    {"version 1", "\x93NUMPY\1\0\x76\1{}", 12, TESS_OK, 10, 0x176, true},
    {"version 2", "\x93NUMPY\2\0\x76\1\1\0", 12, TESS_OK, 12, 0x10176, true},
    {"version 3", "\x93NUMPY\3\0\x76\0\0\0", 12, TESS_OK, 12, 0x76, false},
    {"longest", "\x93NUMPY\3\0\0\0\x10\0", 12, TESS_OK, 12, NPY_TEXT_MAX, false},
    {"too long", "\x93NUMPY\3\0\1\0\x10\0", 12, TESS_ERR_LIMIT, 0, 0, false},
    {"much too long", "\x93NUMPY\2\0\xff\xff\xff\xff", 12, TESS_ERR_LIMIT, 0, 0, false},
    {"version 0", "\x93NUMPY\0\0\x76\0{}", 12, TESS_ERR_UNSUPPORTED, 0, 0, false},
    {"version 4", "\x93NUMPY\4\0\x76\0{}", 12, TESS_ERR_UNSUPPORTED, 0, 0, false},
    {"version 1, cut off", "\x93NUMPY\1\0\x76", 9, TESS_ERR_FORMAT, 0, 0, false},
    {"version 2, cut off", "\x93NUMPY\2\0\x76\0\0", 11, TESS_ERR_CORRUPT, 0, 0, false},
    {"another magic", "\x94NUMPY\1\0\x76\0{}", 12, TESS_ERR_FORMAT, 0, 0, false},
    {"nothing", "", 0, TESS_ERR_FORMAT, 0, 0, false},
};

static void
test_preamble(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof preambles / sizeof preambles[0]; i++) {
        struct npy_preamble p;
        tess_error err;

        const tess_status st =
            npy_preamble_parse((const uint8_t *)preambles[i].bytes, preambles[i].size, &p, &err);
        if (st != preambles[i].status)
            fail_msg("%s: status %d", preambles[i].reason, st);
        if (st != TESS_OK)
            continue;
        assert_int_equal(p.text_offset, preambles[i].text_offset);
        assert_int_equal(p.text_size, preambles[i].text_size);
        assert_int_equal(p.latin1, preambles[i].latin1);
    }
}

static const struct {
    const char *dtype;
    int32_t typesize;
    int ndim;
    int version;
    const char *text; // without padding
} made[] = {
    {"<f8", 8, 2, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 0), }"},
    {"|u1", 1, 1, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }"},
    {"<M8[ns]", 8, 0, 1, "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (), }"},
    {"int32", 4, 0, 1, "{'descr': '<i4', 'fortran_order': False, 'shape': (), }"},
    {"uint8", 1, 0, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }"},
    {"<f8", 4, 0, 1, "{'descr': '|V4', 'fortran_order': False, 'shape': (), }"},
    {"", 3, 0, 1, "{'descr': '|V3', 'fortran_order': False, 'shape': (), }"},
    {"my-int32", 4, 0, 1, "{'descr': '|V4', 'fortran_order': False, 'shape': (), }"},
    {"'+exit()+'", 4, 0, 1, "{'descr': '|V4', 'fortran_order': False, 'shape': (), }"},
    {"[('a', '<i4'), ('b', '<f8')]", 12, 0, 1,
     "{'descr': [('a', '<i4'), ('b', '<f8')], 'fortran_order': False, 'shape': (), }"},
    {"[('caf\xc3\xa9', '<i4')]", 4, 0, 3,
     "{'descr': [('caf\xc3\xa9', '<i4')], 'fortran_order': False, 'shape': (), }"},
};

static void
test_make(void **state)
{
    static const int64_t shape[] = {3, 0};

    (void)state;
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        const size_t length = strlen(made[i].text);
        struct npy_preamble p;
        struct npy_header h;
        char *bytes = NULL;
        size_t size = 0;
        tess_error err;

        assert_int_equal(npy_header_make(made[i].dtype, made[i].typesize, made[i].ndim, shape,
                                         &bytes, &size, &err),
                         TESS_OK);
        assert_int_equal(size % 64, 0);
        assert_int_equal(bytes[size - 1], '\n');
        assert_int_equal(bytes[6], made[i].version);
        assert_int_equal(npy_preamble_parse((uint8_t *)bytes, size, &p, &err), TESS_OK);
        assert_int_equal(p.text_offset + p.text_size, size);
        if (memcmp(bytes + p.text_offset, made[i].text, length) != 0)
            fail_msg("%s: %.*s", made[i].dtype, (int)p.text_size, bytes + p.text_offset);
        for (size_t k = p.text_offset + length; k < size - 1; k++)
            assert_int_equal(bytes[k], ' ');

        assert_int_equal(parse(bytes + p.text_offset, p.text_size, p.latin1, &h), TESS_OK);
        assert_int_equal(h.ndim, made[i].ndim);
        npy_header_finish(&h);
        free(bytes);
    }
}

// A structured type so long that version 1 cannot hold it.
static void
test_make_long(void **state)
{
    static char dtype[80000];
    const int nfields = 3500;
    int length = sprintf(dtype, "[");
    struct npy_preamble p;
    struct npy_header h;
    char *bytes = NULL;
    size_t size = 0;
    tess_error err;

    (void)state;
    for (int i = 0; i < nfields; i++)
        length += sprintf(dtype + length, "%s('f%06d', '<i4')", i ? ", " : "", i);
    (void)sprintf(dtype + length, "]");

    assert_int_equal(npy_header_make(dtype, 4 * nfields, 0, NULL, &bytes, &size, &err), TESS_OK);
    assert_int_equal(bytes[6], 2);
    assert_int_equal(size % 64, 0);
    assert_int_equal(npy_preamble_parse((uint8_t *)bytes, size, &p, &err), TESS_OK);
    assert_int_equal(parse(bytes + p.text_offset, p.text_size, p.latin1, &h), TESS_OK);
    assert_string_equal(h.dtype, dtype);
    npy_header_finish(&h);
    free(bytes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),      cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_bad),       cmocka_unit_test(test_latin1),
        cmocka_unit_test(test_preamble),  cmocka_unit_test(test_make),
        cmocka_unit_test(test_make_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
