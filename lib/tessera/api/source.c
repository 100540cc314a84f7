/*
 * source.c - what functions of a source call (tessera/source.h).
 */
#include "base/sized.h"
#include "io/io.h"
#include "io/source/reading.h"

#include <tessera/source.h>

TESS_API void
tess_source_init_sized(tess_source *source, size_t struct_size)
{
    sized_give(source, struct_size, &struct_size, sizeof struct_size);
}

TESS_API void
tess_reading_arrived(const tess_reading *reading, size_t i)
{
    const struct io_progress *const p = reading ? reading->progress : NULL;
    if (p && p->arrived && i < reading->nranges)
        p->arrived(p, i);
}

TESS_API bool
tess_reading_cancelled(const tess_reading *reading)
{
    const struct io_progress *const p = reading ? reading->progress : NULL;
    return p && p->cancelled(p);
}
