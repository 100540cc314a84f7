/*
 * selection.c - what an index selects, for the functions of the library.
 */
#include "items/selection.h"

void
py_selection_init(struct py_selection *s)
{
    s->mask = (struct py_memory){0};
    s->nmemory = s->ndim = s->raw_ndim = 0;
    s->scalar = s->turned = false;
}

int64_t *
py_selection_numbers(struct py_selection *s, int64_t count)
{
    int64_t *numbers = NULL;
    if (count >= 0 && count < PY_SSIZE_T_MAX / (Py_ssize_t)sizeof *numbers)
        numbers = PyMem_Malloc((size_t)(count + !count) * sizeof *numbers);
    if (!numbers)
        PyErr_NoMemory();
    else
        s->memory[s->nmemory++] = numbers;
    return numbers;
}

void
py_selection_finish(struct py_selection *s)
{
    for (int i = 0; i < s->nmemory; i++)
        PyMem_Free(s->memory[i]);
    s->nmemory = 0;
    py_memory_drop(&s->mask);
}
