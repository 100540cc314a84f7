/*
 * change.c - what a command that changes a shape prints.
 */
#include "text/change.h"

#include "text/json.h"
#include "text/text.h"

#include <stdio.h>

void
change_print(const struct arguments *args, const tess_info *before, const tess_info *after)
{
    struct json j;

    if (!args->values[OPT_JSON]) {
        text_shape_write(stdout, after->ndim, after->shape);
        fputs(", before ", stdout);
        text_shape_write(stdout, before->ndim, before->shape);
        putchar('\n');
        return;
    }
    json_begin(&j, stdout);
    json_ints(&j, "shape", after->ndim, after->shape);
    json_ints(&j, "shape_before", before->ndim, before->shape);
    json_end(&j);
}
