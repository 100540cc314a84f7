/*
 * change.c - what a command that changes a shape prints.
 */
#include "cli/text/change.h"

#include "cli/text/json.h"
#include "cli/text/text.h"

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
    json_init(&j, stdout);
    json_open(&j, '{');
    json_key(&j, "shape");
    json_ints(&j, after->ndim, after->shape);
    json_key(&j, "shape_before");
    json_ints(&j, before->ndim, before->shape);
    json_close(&j, '}');
    putchar('\n');
}
