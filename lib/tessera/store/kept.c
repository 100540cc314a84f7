/*
 * kept.c - the commits of a store that are kept: their list, and their names.
 *
 * A name of a commit is part of the name of its file (io/state_files.h), which one rename changes.
 * Readers list the directory without a lock, while a writer may rename: a commit whose file has two
 * names in such a list is one.
 */
#include "store/store.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/state_files.h"
#include "store/writer.h"

#include <errno.h>
#include <string.h>

// One of each number: the one that has a name, if there is one.
static size_t
drop_repeated(struct state_file *list, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || list[kept - 1].number != list[i].number)
            list[kept++] = list[i];
        else if (list[i].name[0])
            list[kept - 1] = list[i];
    return kept;
}

tess_status
store_commits(const tess_store *s, struct state_file **list, size_t *n, tess_error *err)
{
    struct state_files now = s->files;
    const bool reopens = now.root >= 0 && now.folder < 0; // it may have commits by now
    *list = NULL;
    *n = 0;
    tess_status st = reopens ? state_files_open(&now, s->path, false, false, err) : TESS_OK;
    if (st != TESS_OK)
        return st;
    st = state_files_list(&now, list, n, err);
    if (st == TESS_OK)
        *n = drop_repeated(*list, *n);
    if (reopens)
        state_files_close(&now);
    return st;
}

tess_status
store_name(tess_store *s, const char *name, tess_error *err)
{
    struct state_file *list, to;
    size_t n;
    tess_status st = writer_check(s, err);
    if (st != TESS_OK)
        return st;
    if (!state_files_is_name(name) || !name[strspn(name, "0123456789")])
        return err_set(err, TESS_ERR_ARG, -1,
                       "the name of a commit is 1 to 100 bytes without space or slash, and must "
                       "not be a number or end with .b2nd, .b2f or .b2b");
    if (!s->state || s->writer->unfinished)
        return err_set(err, TESS_ERR_ARG, -1, "the store has no commit yet, or none that is done");
    if (s->writer->current.name[0])
        return err_set(err, TESS_ERR_ARG, -1, "the commit has the name %s already",
                       s->writer->current.name);
    st = state_files_list(&s->files, &list, &n, err);
    for (size_t i = 0; i < n && st == TESS_OK; i++)
        if (strcmp(list[i].name, name) == 0)
            st = err_sys(err, EEXIST, "naming a commit %s", name);
    mem_free(list);
    to = s->writer->current;
    strcpy(to.name, name);
    return st == TESS_OK ? state_files_rename(&s->files, &s->writer->current, &to, err) : st;
}

// The commit stays until the next one, or as long as it is read.
tess_status
store_unname(tess_store *s, const char *name, tess_error *err)
{
    struct state_file *list, to;
    size_t n;
    tess_status st = writer_check(s, err);
    if (st == TESS_OK)
        st = state_files_list(&s->files, &list, &n, err);
    if (st != TESS_OK)
        return st;
    st = err_set(err, TESS_ERR_NOT_FOUND, -1, "the store has no commit %s", name);
    for (size_t i = 0; i < n; i++) {
        if (!*name || strcmp(list[i].name, name) != 0)
            continue;
        to = list[i];
        to.name[0] = '\0';
        st = state_files_rename(&s->files, &list[i], &to, err);
        if (st == TESS_OK && to.number == s->writer->current.number)
            s->writer->current = to;
    }
    mem_free(list);
    return st;
}
