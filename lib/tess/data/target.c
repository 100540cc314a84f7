/*
 * target.c - a new array, which appears when it is complete.
 */
#include "data/target.h"

#include "data/open.h"
#include "data/remote.h"
#include "data/store_path.h"
#include "report.h"

static tess_status
target_open_in_store(struct target *t, const char *path, const struct store_path *at,
                     const struct arguments *args, tess_error *err)
{
    tess_status st = open_store_to_change(path, at, true, &t->context, &t->store, err);
    if (st == TESS_OK && !args->values[OPT_FORCE] && tess_store_find(t->store, at->inside) >= 0)
        st = report_set(err, TESS_ERR_IO, "exists; --force replaces it");
    tess_storage_init(&t->storage);
    t->storage.store = t->store;
    t->storage.path = at->inside;
    t->storage.mode = args->values[OPT_FORCE] ? TESS_MODE_REPLACE : TESS_MODE_NEW;
    t->storage.context = &t->context;
    return st;
}

tess_status
target_open(struct target *t, const char *path, tess_layout layout, const struct arguments *args,
            tess_error *err)
{
    const struct store_path at = store_path_parse(path, STORE_PATH_MAKES);
    tess_status st = TESS_OK;

    *t = (struct target){0};
    if (remote_is_url(path))
        return report_set(err, TESS_ERR_UNSUPPORTED,
                          "only tess copy writes to a URL; copy a file that is complete");
    TRY(open_context(args, &t->context, err));
    if (at.front > 0)
        return target_open_in_store(t, path, &at, args, err);
    TRY(output_open(&t->file, path, layout == TESS_LAYOUT_SPARSE ? OUTPUT_DIRECTORY : OUTPUT_FILE,
                    args->values[OPT_FORCE] != NULL, err));
    open_storage_to_make(t->file.temporary, &t->context, &t->storage);
out:
    return st;
}

tess_status
target_open_url(struct target *t, const char *url, tess_layout layout, const struct arguments *args,
                tess_error *err)
{
    tess_status st = TESS_OK;

    *t = (struct target){0};
    if (layout == TESS_LAYOUT_SPARSE)
        return report_set(err, TESS_ERR_UNSUPPORTED,
                          "an array at a URL is one object: --layout contiguous");
    TRY(open_context(args, &t->context, err));
    TRY(remote_open(url, &t->source, err));
    t->remote = true;
    if (!t->source.write)
        return report_set(err, TESS_ERR_UNSUPPORTED, "cannot be written to; s3:// can");
    tess_storage_init(&t->storage);
    t->storage.source = &t->source;
    t->storage.mode = args->values[OPT_FORCE] ? TESS_MODE_REPLACE : TESS_MODE_NEW;
    t->storage.context = &t->context;
out:
    return st;
}

void
target_follow(struct target *t)
{
    work_begin(&t->work, WORK_ENDS);
    work_follow(&t->work, &t->context);
}

tess_status
target_publish(struct target *t, tess_array *a, tess_error *err)
{
    const tess_status st = tess_array_close(a, err);

    work_end(&t->work);
    if (st == TESS_OK && t->store)
        return tess_store_commit(t->store, err);
    return st == TESS_OK && !t->remote ? output_publish(&t->file, err) : st;
}

void
target_close(struct target *t)
{
    work_end(&t->work);
    tess_store_close(t->store);
    if (!t->remote)
        output_close(&t->file);
    else if (t->source.close)
        t->source.close(t->source.user);
}
