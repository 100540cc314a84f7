/*
 * tell.c - lines of JSON, and .npy files without the library or its command.
 */
#include "numpy/tell.h"

#include "support/files.h"
#include "support/native.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void
tell_begin(const char *what)
{
    printf("{\"do\": \"%s\"", what);
}

void
tell_number(const char *name, int64_t value)
{
    printf(", \"%s\": %" PRId64, name, value);
}

void
tell_text(const char *name, const char *text)
{
    printf(", \"%s\": \"%s\"", name, text);
}

void
tell_list(const char *name, int n, const int64_t *list)
{
    printf(", \"%s\": [", name);
    for (int i = 0; i < n; i++)
        printf("%s%" PRId64, i ? ", " : "", list[i]);
    putchar(']');
}

void
tell_end(void)
{
    puts("}");
    (void)fflush(stdout); // the last line is there after any end
}

void
tell_items(const char *dtype, size_t typesize, int ndim, const int64_t *shape, const void *from)
{
    char text[1000];
    int n = snprintf(text, sizeof text, "{'descr': ");
    int64_t nitems = 1;

    if (!dtype)
        n += snprintf(text + n, sizeof text - (size_t)n, "'|V%zu'", typesize);
    else
        n += snprintf(text + n, sizeof text - (size_t)n, dtype[0] == '[' ? "%s" : "'%s'", dtype);
    n += snprintf(text + n, sizeof text - (size_t)n, ", 'fortran_order': False, 'shape': (");
    for (int i = 0; i < ndim; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "%" PRId64 ",", shape[i]);
        nitems *= shape[i];
    }
    n += snprintf(text + n, sizeof text - (size_t)n, ")}\n");
    (void)fwrite("\x93NUMPY\x01\x00", 1, 8, stdout);
    putchar(n & 255);
    putchar(n >> 8);
    fputs(text, stdout);
    if (nitems > 0 && fwrite(from, typesize, (size_t)nitems, stdout) != (size_t)nitems)
        fail_msg("cannot write items");
}

void
tell_bytes(size_t n, const uint8_t *bytes)
{
    tell_items("|u1", 1, 1, &(int64_t){(int64_t)n}, bytes);
}

void
tell_integers(int64_t n, const int64_t *list)
{
    tell_items(NATIVE "i8", sizeof *list, 1, &n, list);
}

void
tell_floats(int64_t n, const double *list)
{
    tell_items(NATIVE "f8", sizeof *list, 1, &n, list);
}

void
tell_array(const tess_array *a)
{
    static const int64_t origin[TESS_MAX_NDIM] = {0};
    tess_info info;

    tess_array_info(a, &info);
    const size_t size = (size_t)info.nitems * (size_t)info.typesize;
    uint8_t *const got = malloc(size > 0 ? size : 1);
    assert_non_null(got);
    memset(got, 0xa5, size);
    ok(tess_array_read(a, origin, info.shape, got, size, err));
    tell_items(info.dtype, (size_t)info.typesize, info.ndim, info.shape, got);
    free(got);
}

void
tell_finish(void)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        fail_msg("cannot write what was done");
}
