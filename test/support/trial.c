/*
 * trial.c - random arrays with a story.
 */
#include "support/trial.h"

#include "support/exact.h"
#include "support/files.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct trial *telling; // whose story belongs to a failure

void
trial_cases(int64_t few, int64_t many, void (*live)(struct trial *t))
{
    const uint64_t seed = random_seed();
    const int64_t n = random_cases(few, many);
    static struct trial t;

    print_message("%" PRId64 " cases from seed %" PRIu64 "\n", n, seed);
    telling = &t;
    for (int64_t i = 0; i < n; i++) {
        memset(&t, 0, sizeof t);
        t.seed = seed + (uint64_t)i;
        random_init(&t.random, t.seed);
        live(&t);
    }
    telling = NULL;
}

int
trial_teardown(void **state)
{
    (void)state;
    files_end();
    if (telling)
        print_error("TESS_TEST_SEED=%" PRIu64 " TESS_TEST_CASES=1 repeats:\n%s\n", telling->seed,
                    telling->story);
    telling = NULL;
    return 0;
}

void
trial_tell(struct trial *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const int n =
        vsnprintf(t->story + t->story_length, sizeof t->story - t->story_length, format, args);
    va_end(args);
    t->story_length += (size_t)n;
    if (t->story_length >= sizeof t->story)
        t->story_length = sizeof t->story - 1;
}

void
trial_tell_list(struct trial *t, const char *what, int n, const int64_t *list)
{
    trial_tell(t, " %s (", what);
    for (int i = 0; i < n; i++)
        trial_tell(t, "%s%" PRId64, i ? ", " : "", list[i]);
    trial_tell(t, ")");
}

static void
draw_own_context(struct trial *t)
{
    draw_context(&t->random, &t->context);
    trial_tell(t, " threads %d, cache %" PRId64 "\n", t->context.threads, t->context.cache);
}

static void
tell_params(struct trial *t)
{
    const tess_params *const p = &t->params;
    const uint8_t *const f = p->filters, *const m = p->filters_meta;

    trial_tell(t, "%s,",
               !t->storage.path                  ? "memory"
               : p->layout == TESS_LAYOUT_SPARSE ? "folder"
                                                 : "file");
    trial_tell_list(t, "shape", p->ndim, p->shape);
    trial_tell_list(t, "chunks", p->ndim, p->chunkshape);
    trial_tell_list(t, "blocks", p->ndim, p->blockshape);
    trial_tell(t, "%s typesize %d, codec %d level %d%s, split %d, layer %d, filters",
               p->fill ? " fill value," : "", (int)p->typesize, (int)p->codec, p->clevel,
               p->dictionary ? " dictionary" : "", (int)p->split, (int)p->layer);
    for (int i = 0; i < TESS_MAX_FILTERS; i++)
        trial_tell(t, " %d:%d", f[i], m[i]);
    trial_tell(t, "\n");
}

void
trial_draw(struct trial *t, const struct draw_limits *l)
{
    struct random *const r = &t->random;
    tess_params *const p = &t->params;

    draw_params(r, l, NULL, p);
    p->layer = one_in(r, 8) ? TESS_LAYER_CATERVA : TESS_LAYER_B2ND;
    draw_place(r, "trial", &t->context, p, &t->storage);
    if (one_in(r, 5)) {
        draw_items(r, t->fill, 1, (size_t)p->typesize);
        p->fill = t->fill;
        p->fill_size = (size_t)p->typesize;
    }
}

void
trial_create(struct trial *t)
{
    tell_params(t);
    draw_own_context(t);
    t->a = draw_create(&t->random, &t->storage, &t->params, &t->reference);
}

static void
reopen_memory(struct trial *t)
{
    tess_storage storage;
    const void *bytes;
    size_t size;

    ok(tess_array_image(t->a, &bytes, &size, err));
    uint8_t *const image = exact_copy(bytes, size);
    ok(tess_array_close(t->a, err));
    tess_storage_init(&storage);
    storage.context = &t->context;
    storage.image = image;
    storage.image_size = size;
    ok(tess_array_open(&storage, &t->a, err));
    check_array(t->a, &t->reference);
    ok(tess_array_close(t->a, err));
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&storage, &t->a, err));
    free(image); // an image to be changed is copied
}

void
trial_reopen(struct trial *t)
{
    tess_storage storage = t->storage;

    trial_tell(t, "reopen");
    draw_own_context(t);
    if (!storage.path) {
        reopen_memory(t);
        return;
    }
    ok(tess_array_close(t->a, err));
    t->a = NULL;
    check_file(storage.path, &t->reference);
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&storage, &t->a, err));
}

void
trial_finish(struct trial *t)
{
    ok(tess_array_close(t->a, err));
    t->a = NULL;
    reference_finish(&t->reference);
}
