/*
 * module.c - loads the side of c-blosc2 with a name space of its own.
 *
 * The module stands in a folder beside that of the program. RTLD_DEEPBIND makes it and the
 * libraries it brings find their own functions first.
 */
#include "side.h"

#include "../support.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef RTLD_DEEPBIND // names of the module may then be taken from this program
#define RTLD_DEEPBIND 0
#endif

#define MODULE "../compare/compare_blosc2.so"

static void
beside_program(char *path, size_t size)
{
    char program[4096];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);

    if (n < 0)
        bench_die("where is this program?");
    program[n] = '\0';
    *strrchr(program, '/') = '\0';
    if ((size_t)snprintf(path, size, "%s/%s", program, MODULE) >= size)
        bench_die("%s: too long a path", program);
}

const struct side *
side_blosc2(void)
{
    char path[4200];
    void *module, *symbol;
    const struct side *(*get)(void);

    beside_program(path, sizeof path);
    module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!module) {
        fprintf(stderr, "without c-blosc2: %s\n", dlerror());
        return NULL;
    }
    symbol = dlsym(module, "side_blosc2_get");
    if (!symbol)
        bench_die("%s: %s", path, dlerror());
    *(void **)&get = symbol;
    return get();
}
