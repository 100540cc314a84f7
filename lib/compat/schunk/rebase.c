/*
 * rebase.c - views follow the handle of their base.
 *
 * An array in a file gets another handle when it is opened for writing. An array that gets another
 * shape keeps its handle, but views of it end. Where the base was freed, views keep the handle that
 * they have.
 */
#include "schunk/rebase.h"

#include "schunk/access.h"

bool
b2_view_is_behind(const struct b2_schunk *s)
{
    return s->of.view && s->access->owner && s->handle != s->access->handles;
}

int
b2_view_renew(struct b2_schunk *s)
{
    const struct b2_schunk *const owner = s->access->owner;
    tess_array *a = NULL;

    if (!b2_view_is_behind(s))
        return BLOSC2_ERROR_SUCCESS;
    const int rc = s->view(s, owner->a, &a);
    if (rc < 0)
        return rc;
    tess_array_close(s->a, NULL); // what was written through it, the owner has committed
    s->a = a;
    s->writable = owner->writable;
    s->handle = s->access->handles;
    return BLOSC2_ERROR_SUCCESS;
}
