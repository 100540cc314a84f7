/*
 * target.c - a new array, which appears when it is complete.
 */
#include "cli/data/target.h"

#include "cli/data/open.h"
#include "cli/report.h"

#include <string.h>

tess_status
target_open(struct target *t, const char *path, tess_layout layout, const struct arguments *args,
            tess_error *err)
{
    tess_status st = TESS_OK;

    *t = (struct target){0};
    if (strcmp(path, "-") == 0)
        return report_set(err, TESS_ERR_ARG,
                          "an array is a file or a directory; tess export writes to a pipe");
    TRY(open_context(args, &t->context, err));
    TRY(output_open(&t->file, path, layout == TESS_LAYOUT_SPARSE ? OUTPUT_DIRECTORY : OUTPUT_FILE,
                    args->values[OPT_FORCE] != NULL, err));
    open_storage_to_make(t->file.temporary, &t->context, &t->storage);
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
    return st == TESS_OK ? output_publish(&t->file, err) : st;
}

void
target_close(struct target *t)
{
    work_end(&t->work);
    output_close(&t->file);
}
