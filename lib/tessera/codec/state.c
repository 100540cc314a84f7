/*
 * state.c - contexts of the codecs, each made when it is first needed.
 *
 * A thread that only reads LZ4 needs none at all; one that writes at one level has one. So they
 * are a list, latest first: a thread that keeps to a codec finds its context at once.
 */
#include "codec/state.h"

#include "base/memory.h"

#include <stdlib.h>

struct held {
    struct held *next;
    const struct codec_context *kind;
    int option;
    void *context;
};

struct codec_state {
    struct held *latest;
};

struct codec_state *
codec_state_new(void)
{
    return mem_zeroed(1, sizeof(struct codec_state));
}

void
codec_state_free(struct codec_state *s)
{
    if (!s)
        return;
    while (s->latest) {
        struct held *const h = s->latest;
        s->latest = h->next;
        h->kind->free(h->context);
        mem_free(h);
    }
    mem_free(s);
}

// Apart from the search, which is done for each stream and needs no registers saved.
static __attribute__((noinline)) void *
add_context(struct codec_state *s, const struct codec_context *kind, int option)
{
    struct held *const h = mem_alloc(sizeof *h);
    void *const context = h ? kind->make(option) : NULL;
    if (!context) {
        mem_free(h);
        return NULL;
    }
    *h = (struct held){.next = s->latest, .kind = kind, .option = option, .context = context};
    s->latest = h;
    return context;
}

void *
codec_state_context(struct codec_state *s, const struct codec_context *kind, int option)
{
    for (const struct held *h = s->latest; h; h = h->next)
        if (h->kind == kind && h->option == option)
            return h->context;
    return add_context(s, kind, option);
}
