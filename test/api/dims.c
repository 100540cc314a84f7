/*
 * dims.c - names of dimensions, of arrays, views and copies.
 */
#include "support/dims_arrays.h"
#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// "a|b|" for a, b, and an axis without a name.
static void
named(const tess_array *a, const char *want)
{
    const char **names;
    char all[300] = "";
    tess_info info;
    tess_array_info(a, &info);
    ok(tess_dims_get(a, &names, err));
    for (int i = 0; i < info.ndim; i++) {
        int axis = -1;
        strcat(strcat(all, i > 0 ? "|" : ""), names[i]);
        if (names[i][0] != '\0') {
            ok(tess_dims_find(a, names[i], &axis, err));
            assert_int_equal(axis, i);
        }
    }
    assert_null(names[info.ndim]);
    tess_free(names);
    assert_string_equal(all, want);
}

static void
names(void **state)
{
    tess_array *const a = dims_grid(NULL);
    const char **got;
    char *json;
    int axis = 7;
    (void)state;
    refused(TESS_ERR_NOT_FOUND, tess_dims_get(a, &got, err));
    assert_null(got);
    refused(TESS_ERR_NOT_FOUND, tess_dims_find(a, "lat", &axis, err));
    ok(tess_dims_set(a, (const char *[]){"lat", "lon", NULL}, err));
    named(a, "lat|lon|");
    ok(tess_attr_get_json(a, TESS_DIMS_ATTRIBUTE, &json, err));
    assert_string_equal(json, "[\"lat\", \"lon\", \"\"]");
    tess_free(json);
    ok(tess_dims_set(a, (const char *[]){"y", "x", "\xc3\xa9t\xc3\xa9"}, err));
    named(a, "y|x|\xc3\xa9t\xc3\xa9");
    refused(TESS_ERR_NOT_FOUND, tess_dims_find(a, "lat", &axis, err));
    refused(TESS_ERR_ARG, tess_dims_find(a, "", &axis, err));
    refused(TESS_ERR_ARG, tess_dims_find(a, NULL, &axis, err));
    refused(TESS_ERR_ARG, tess_dims_find(a, "x", NULL, err));
    refused(TESS_ERR_ARG, tess_dims_find(NULL, "x", &axis, err));
    assert_int_equal(axis, 7);
    refused(TESS_ERR_ARG, tess_dims_get(a, NULL, err));
    refused(TESS_ERR_ARG, tess_dims_get(NULL, &got, err));
    refused(TESS_ERR_ARG, tess_dims_set(a, NULL, err));
    refused(TESS_ERR_ARG, tess_dims_set(NULL, (const char *[]){"y"}, err));
    refused(TESS_ERR_ARG, tess_dims_set(a, (const char *[]){"y", "x", "\xff"}, err));
    named(a, "y|x|\xc3\xa9t\xc3\xa9");
    ok(tess_attr_delete(a, TESS_DIMS_ATTRIBUTE, err));
    refused(TESS_ERR_NOT_FOUND, tess_dims_get(a, &got, err));
    ok(tess_array_close(a, err));
}

static void
long_names(void **state)
{
    tess_array *const a = dims_grid(NULL);
    char name[TESS_DIMS_NAME_MAX + 2], json[TESS_DIMS_NAME_MAX + 30];
    const char **got;
    (void)state;
    memset(name, 'n', sizeof name);
    name[TESS_DIMS_NAME_MAX] = '\0';
    ok(tess_dims_set(a, (const char *[]){"y", name, NULL}, err));
    ok(tess_dims_get(a, &got, err));
    assert_string_equal(got[1], name);
    tess_free(got);
    name[TESS_DIMS_NAME_MAX] = 'n';
    name[TESS_DIMS_NAME_MAX + 1] = '\0';
    refused(TESS_ERR_LIMIT, tess_dims_set(a, (const char *[]){"y", name, NULL}, err));
    (void)snprintf(json, sizeof json, "[\"y\", \"%s\", \"x\"]", name);
    ok(tess_attr_set_json(a, TESS_DIMS_ATTRIBUTE, json, err));
    refused(TESS_ERR_LIMIT, tess_dims_get(a, &got, err));
    ok(tess_array_close(a, err));
}

// What other programs may have written there.
static void
wrong_names(void **state)
{
    static const char *const cases[] = {
        "[\"lat\", \"lon\"]",
        "[\"a\", \"b\", \"c\", \"d\"]",
        "\"lat\"",
        "7",
        "null",
        "[]",
        "[1, 2, 3]",
        "[\"a\", [\"b\"], \"c\"]",
        "{\"a\": 1}",
        "[\"a\", \"b\\u0000\", \"c\"]",
    };
    tess_array *const a = dims_grid(NULL);
    const char **got;
    int axis;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ok(tess_attr_set_json(a, TESS_DIMS_ATTRIBUTE, cases[i], err));
        if (tess_dims_get(a, &got, NULL) != TESS_ERR_TYPE)
            fail_msg("%s", cases[i]);
        assert_null(got);
        refused(TESS_ERR_TYPE, tess_dims_find(a, "a", &axis, err));
    }
    ok(tess_vlmeta_set(a, TESS_DIMS_ATTRIBUTE, "\xc1", 1, err)); // no msgpack
    refused(TESS_ERR_TYPE, tess_dims_get(a, &got, err));
    ok(tess_attr_set_json(a, TESS_DIMS_ATTRIBUTE, "[\"a\", null, \"a\"]", err));
    ok(tess_dims_get(a, &got, err));
    assert_string_equal(got[1], "");
    tess_free(got);
    ok(tess_dims_find(a, "a", &axis, err));
    assert_int_equal(axis, 0);
    ok(tess_array_close(a, err));
}

static void
scalar(void **state)
{
    tess_storage storage;
    tess_params p;
    tess_array *a;
    (void)state;
    tess_storage_init(&storage);
    tess_params_init(&p);
    ok(tess_array_zeros(&storage, &p, &a, err));
    ok(tess_dims_set(a, NULL, err));
    named(a, "");
    ok(tess_array_close(a, err));
}

static void
copied(const tess_array *a, const char *want)
{
    const tess_storage memory = dims_at(NULL, TESS_MODE_NEW);
    tess_array *copy;
    char *units;
    named(a, want);
    ok(tess_array_copy(a, &memory, NULL, &copy, err));
    named(copy, want);
    ok(tess_attr_get_string(copy, "units", &units, NULL, err)); // others come along
    assert_string_equal(units, "K");
    tess_free(units);
    ok(tess_array_close(copy, err));
}

// Views, views of views, and copies of them.
static void
views(void **state)
{
    const int64_t start[] = {1, 4, 0}, stop[] = {3, 0, 1}, step[] = {1, -2, 1};
    tess_array *const a = dims_grid(NULL), *v, *w, *x;
    const char **got;
    (void)state;
    ok(tess_attr_set_string(a, "units", "K", err));
    ok(tess_dims_set(a, (const char *[]){"lat", "lon", "height"}, err));
    copied(a, "lat|lon|height");
    ok(tess_array_view_slice(a, start, stop, step, &v, err));
    copied(v, "lat|lon|height");
    ok(tess_array_view_permute(v, (int[]){2, 0, 1}, &w, err));
    copied(w, "height|lat|lon");
    ok(tess_array_view_squeeze(w, 0, &x, err));
    copied(x, "lat|lon");
    ok(tess_array_close(w, err));
    ok(tess_array_view_expand(x, 1, &w, err));
    copied(w, "lat||lon");
    refused(TESS_ERR_ARG, tess_dims_set(w, (const char *[]){"a", "b", "c"}, err));
    ok(tess_array_close(v, err));

    tess_array *const both[] = {x, x};
    const tess_storage memory = dims_at(NULL, TESS_MODE_NEW);
    ok(tess_array_stack(both, 2, 0, &memory, NULL, &v, err));
    named(v, "|lat|lon");
    ok(tess_array_close(v, err));
    ok(tess_array_concatenate(both, 2, 1, &memory, NULL, &v, err));
    named(v, "lat|lon");
    ok(tess_array_close(v, err));

    ok(tess_attr_set_json(a, TESS_DIMS_ATTRIBUTE, "[\"lat\"]", err)); // copied as it is
    refused(TESS_ERR_TYPE, tess_dims_get(x, &got, err));
    ok(tess_array_copy(x, &memory, NULL, &v, err));
    char *json;
    ok(tess_attr_get_json(v, TESS_DIMS_ATTRIBUTE, &json, err));
    assert_string_equal(json, "[\"lat\"]");
    tess_free(json);
    ok(tess_array_close(v, err));
    ok(tess_array_close(x, err));
    ok(tess_array_close(w, err));
    ok(tess_array_close(a, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),  cmocka_unit_test(long_names), cmocka_unit_test(wrong_names),
        cmocka_unit_test(scalar), cmocka_unit_test(views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
