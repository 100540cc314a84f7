/*
 * machine.c - the caches of the CPU, as Linux lists them.
 */
#include "layout/machine.h"

#include <stdbool.h>
#include <stdio.h>

#define USUAL_L1 (INT64_C(32) << 10)
#define USUAL_L2 (INT64_C(1) << 20)
#define USUAL_L3 (INT64_C(16) << 20)

#define INDICES 8 // caches that Linux lists for a CPU, at most

#define CACHE_FILE "/sys/devices/system/cpu/cpu0/cache/index%d/%s"

// One line of what the kernel says of a cache; false if there is none.
static bool
read_line(int index, const char *name, char line[32])
{
    char path[96];

    (void)snprintf(path, sizeof path, CACHE_FILE, index, name);
    FILE *const file = fopen(path, "re");
    const bool ok = file && fgets(line, 32, file);
    if (file)
        (void)fclose(file);
    return ok;
}

// Bytes of the cache of that level which holds data, or 0.
static int64_t
cache_of_level(int wanted)
{
    for (int index = 0; index < INDICES; index++) {
        char line[32], unit = 0;
        int level = 0;
        long long size = 0;

        if (!read_line(index, "level", line) || sscanf(line, "%d", &level) != 1 ||
            level != wanted || !read_line(index, "type", line) || line[0] == 'I' ||
            !read_line(index, "size", line) || sscanf(line, "%lld%c", &size, &unit) < 1)
            continue;
        return size * (unit == 'K' ? 1 << 10 : unit == 'M' ? 1 << 20 : 1);
    }
    return 0;
}

static int64_t
or_usual(int64_t size, int64_t usual)
{
    return size > 0 ? size : usual;
}

void
machine_query(struct machine *m)
{
    m->l1 = or_usual(cache_of_level(1), USUAL_L1);
    m->l2 = or_usual(cache_of_level(2), USUAL_L2);
    m->l3 = or_usual(cache_of_level(3), USUAL_L3);
}
