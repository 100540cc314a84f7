/*
 * memory.c - memory with strides of any sign, with gaps between the items and around them.
 */
#include "numpy/subject.h"
#include "numpy/tell.h"

#include <stdlib.h>
#include <string.h>

// Axes inside each other in any order, in any direction, with gaps or without.
static void
draw_apart(struct subject *s, const int64_t *count, int64_t *strides)
{
    int64_t extent = (int64_t)s->type.size;
    int order[TESS_MAX_NDIM];

    for (int i = 0; i < s->ndim; i++) {
        const int64_t k = subject_below(s, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (int i = 0; i < s->ndim; i++) {
        const int64_t n = count[order[i]];
        const int64_t stride = extent + (subject_one_in(s, 3) ? subject_below(s, 20) : 0);
        extent += n > 1 ? (n - 1) * stride : 0;
        strides[order[i]] = subject_one_in(s, 2) ? stride : -stride;
    }
}

void
memory_init(struct subject *s, const int64_t *count, bool source, struct memory *m)
{
    int64_t low = 0, high = 0, stride = (int64_t)s->type.size;

    memset(m, 0, sizeof *m);
    if (subject_one_in(s, 4)) {
        for (int i = s->ndim - 1; i >= 0; i--) {
            m->strides[i] = stride;
            stride *= count[i];
        }
    } else {
        draw_apart(s, count, m->strides);
        for (int i = 0; source && i < s->ndim; i++)
            if (subject_one_in(s, 4))
                m->strides[i] = subject_one_in(s, 2) ? 0 : subject_below(s, 41) - 20;
        m->given = m->strides;
    }
    for (int i = 0; i < s->ndim; i++) {
        const int64_t last = count[i] > 0 ? (count[i] - 1) * m->strides[i] : 0;
        low += last < 0 ? last : 0;
        high += last > 0 ? last : 0;
    }
    m->offset = -low + subject_below(s, 30);
    m->size = (size_t)(m->offset + high + subject_below(s, 30)) + s->type.size;
    m->bytes = subject_memory(m->size);
    memset(m->bytes, 0x5a, m->size);
    if (source) {
        const size_t ts = s->type.size, n = m->size / ts;
        subject_items(s, m->bytes + (size_t)m->offset % ts, (int64_t)n - 1);
    }
}

void
memory_tell(const struct subject *s, const struct memory *m)
{
    tell_number("size", (int64_t)m->size);
    tell_number("offset", m->offset);
    tell_list("strides", s->ndim, m->strides);
}

void
memory_finish(struct memory *m)
{
    free(m->bytes);
}
