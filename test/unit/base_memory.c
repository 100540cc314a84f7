/*
 * base_memory.c - tests of base/memory: which allocator is used when, and what each function makes.
 *
 * A process has one allocator, so each test of the program's own runs in a child.
 */
#include "base/memory.h"

#include "meta/pack.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct {
    int live;
    size_t size, align; // that were last asked for
    bool refuses;
} custom;

static void *
custom_alloc(size_t size, size_t align, void *user)
{
    (void)user;
    custom.size = size;
    custom.align = align;
    custom.live += !custom.refuses;
    return custom.refuses ? NULL : aligned_alloc(align, (size + align - 1) / align * align);
}

static void *
custom_resize(void *memory, size_t size, void *user)
{
    (void)user;
    custom.size = size;
    return custom.refuses ? NULL : realloc(memory, size);
}

static void
custom_free(void *memory, void *user)
{
    (void)user;
    custom.live--;
    free(memory);
}

static tess_allocator
allocator(void)
{
    tess_allocator a;
    tess_allocator_init(&a);
    a.alloc = custom_alloc;
    a.resize = custom_resize;
    a.free = custom_free;
    return a;
}

static bool
check_functions(void)
{
    bool ok = true;
    for (size_t size = 0; size < 300; size += 37) {
        unsigned char *const p = mem_alloc(size), *const z = mem_zeroed(size, 3);
        unsigned char *const a = mem_aligned(64, 64 * size);
        for (size_t i = 0; i < 3 * size; i++)
            ok = ok && z[i] == 0;
        ok = ok && p && a && (uintptr_t)a % 64 == 0;
        memset(p, 7, size);
        memset(a, 7, 64 * size);
        unsigned char *const more = mem_resize(p, 2 * size + 1);
        for (size_t i = 0; i < size; i++)
            ok = ok && more[i] == 7;
        mem_free(more);
        mem_free(z);
        mem_free(a);
    }
    char *const whole = mem_string("text"), *const part = mem_string_n("text", 2);
    char *const all = mem_string_n("text", 9);
    ok = ok && strcmp(whole, "text") == 0 && strcmp(part, "te") == 0 && strcmp(all, "text") == 0;
    mem_free(whole);
    mem_free(part);
    mem_free(all);
    mem_free(NULL);
    volatile size_t huge = SIZE_MAX / 2;
    return ok && !mem_zeroed(huge, 3);
}

// Statuses are 0 and 1, so that children may end with them.
static int
of_libc(void)
{
    const tess_allocator own = allocator();
    custom.size = 0;
    return !(check_functions() && !mem_is_custom() &&
             mem_set_allocator(&own, NULL) == TESS_ERR_ARG &&
             mem_set_allocator(NULL, NULL) == TESS_ERR_ARG && custom.size == 0);
}

static int
of_program(void)
{
    const tess_allocator own = allocator();
    if (mem_set_allocator(NULL, NULL) != TESS_OK || mem_set_allocator(&own, NULL) != TESS_OK ||
        !mem_is_custom() || !check_functions() || custom.live != 0)
        return 1;
    void *const p = mem_alloc(0);
    if (!p || custom.size != 1 || custom.align != _Alignof(max_align_t) || custom.live != 1 ||
        mem_set_allocator(&own, NULL) != TESS_ERR_ARG || !mem_is_custom())
        return 1;
    void *const aligned = mem_aligned(128, 256);
    if (custom.align != 128 || custom.size != 256)
        return 1;
    mem_free(aligned);
    custom.refuses = true; // nothing is counted, and `p` is as it was
    if (mem_alloc(1) || mem_zeroed(1, 1) || mem_string("a") || mem_resize(p, 9) ||
        mem_resize(NULL, 9))
        return 1;
    mem_free(p);
    // Nothing is left: another one, then libc's for good.
    return !(custom.live == 0 && mem_set_allocator(&own, NULL) == TESS_OK &&
             mem_set_allocator(NULL, NULL) == TESS_OK && of_libc() == 0);
}

static void
in_child(int (*fn)(void))
{
    int status = -1;
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(fn());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void
libc(void **state)
{
    (void)state;
    in_child(of_libc);
}

static void
program(void **state)
{
    (void)state;
    in_child(of_program);
}

// Pieces of all sizes, compared with the same in one buffer.
static void
growing(void **state)
{
    static char want[1 << 16];
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 200; i++) {
        struct growing g = {0};
        size_t n = 0;
        while (random_below(&r, 20) > 0) {
            const size_t size = (size_t)random_below(&r, random_below(&r, 3) ? 50 : 3000);
            if (size > sizeof want - n)
                break;
            for (size_t k = 0; k < size; k++)
                want[n + k] = (char)random_next(&r);
            assert_true(growing_append(&g, want + n, size));
            n += size;
        }
        assert_int_equal(g.size, n);
        assert_memory_equal(g.data ? g.data : "", want, n);
        if (i % 2) {
            void *const taken = growing_take(&g);
            assert_true(g.size == 0 && !g.data);
            mem_free(taken);
        }
        growing_finish(&g);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libc),
        cmocka_unit_test(program),
        cmocka_unit_test(growing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
