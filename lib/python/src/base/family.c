/*
 * family.c - an array and its views, of which the library says which calls may run at once.
 */
#include "base/family.h"

static unsigned forks; // how many forks lie between the first process and this one

struct py_family *
py_family_new(void)
{
    struct py_family *const family = PyMem_Calloc(1, sizeof *family);
    if (!family) {
        PyErr_NoMemory();
        return NULL;
    }
    family->refs = 1;
    family->born = family->forks = forks;
    return family;
}

void
py_family_leave(struct py_family *family)
{
    if (!family || --family->refs > 0)
        return;
    if (family->has_image)
        PyBuffer_Release(&family->image);
    PyMem_Free(family);
}

void
py_family_forked(void)
{
    forks++;
}

void
py_family_notice_fork(struct py_family *family)
{
    if (family->forks == forks)
        return;
    family->broken |= family->users > 0 || family->exclusive;
    family->forks = forks;
    family->wanting = family->waiting = family->owed = 0;
}

bool
py_family_is_inherited(const struct py_family *family)
{
    return family->born != forks;
}
