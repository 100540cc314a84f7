/*
 * tree_import.c - a whole netCDF or HDF5 file as a folder of arrays, or as a group of a store.
 *
 * The variables are imported one after the other, each as tess import does one: with all threads,
 * in boxes of bounded size.
 */
#include "formats/tree/tree_import.h"

#include "data/open.h"
#include "data/output.h"
#include "data/store_path.h"
#include "formats/attributes.h"
#include "formats/ingest.h"
#include "formats/source.h"
#include "formats/tree/tree.h"
#include "formats/tree/tree_record.h"
#include "meta/text.h"
#include "report.h"

#include <tessera/files.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_SIZE_MAX 255 // bytes of a name on the disk

struct job {
    const struct arguments *args;
    const char *in, *out;
    struct tree tree;
    struct output file;
    tess_store *store; // instead of the folder
    const char *group; // of the store: "" or "/group"
    int nskipped; // variables that cannot be an array
    int nunread; // variables that could not be read
    const char *about; // of an error
    char *variable; // "in:path", for `about`
};

static tess_status
check_options(const struct arguments *args, tess_error *err)
{
    static const int one[] = {OPT_CHUNKS, OPT_BLOCKS, OPT_DTYPE, OPT_SHAPE};

    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++)
        if (args->values[one[i]])
            return report_set(err, TESS_ERR_ARG, "%s is for a single array",
                              options_table[one[i]].name);
    return TESS_OK;
}

// The path of something in the folder that is made, under its name on the disk; or in the store.
static tess_status
place(struct job *job, const struct tree_group *g, const char *name, const char *suffix,
      char **path, tess_error *err)
{
    struct tree *const t = &job->tree;
    const char *at = job->store ? job->group : job->file.temporary, *from = g->path;
    char *part = NULL;

    while (at && *from) { // each group is a folder
        const size_t size = strcspn(from, "/");
        char *const group = attributes_alloc(&t->memory, size + 1, 1);

        if (group)
            memcpy(group, from, size);
        part = group ? tree_escape(t, group, true) : NULL;
        if (part && strlen(part) > NAME_SIZE_MAX)
            return report_set(err, TESS_ERR_LIMIT, "its group has a name that is too long");
        at = part ? tree_join(t, at, part) : NULL;
        from += size + (from[size] == '/');
    }
    part = at && name ? tree_escape(t, name, false) : NULL;
    if (part && strlen(part) + strlen(suffix) > NAME_SIZE_MAX)
        return report_set(err, TESS_ERR_LIMIT, "its name is too long for a file");
    if (at && name)
        at = part ? tree_join(t, at, part) : NULL;
    const size_t length = at ? strlen(at) + strlen(suffix) + 1 : 0;
    *path = at ? attributes_alloc(&t->memory, length, 1) : NULL;
    if (!*path)
        return report_nomem(err, NAME_SIZE_MAX);
    (void)snprintf(*path, length, "%s%s", at, suffix);
    return TESS_OK;
}

// -- variables

static tess_status
write_array(struct job *job, const char *where, struct source *in, struct tree_variable *var,
            tess_error *err)
{
    struct ingest ingest = {.in_name = job->variable,
                            .out_name = job->out,
                            .in = in,
                            .path = where,
                            .store = job->store};
    tess_status st = TESS_OK;

    TRY(ingest_describe(&ingest, job->args, err));
    if (in->attributes.left[0] && job->args->values[OPT_STRICT]) {
        st = report_set(err, TESS_ERR_UNSUPPORTED, "attributes have no counterpart: %s",
                        in->attributes.left);
        goto out;
    }
    var->types = tree_record_types(&job->tree, &in->attributes, in->dtype);
    if (!var->types) {
        st = report_nomem(err, in->attributes.count);
        goto out;
    }
    TRY(ingest_run(&ingest, job->args, err));
    ingest_tell_left(&ingest);
out:
    job->about = ingest.about;
    ingest_close(&ingest);
    return st;
}

// Handle a variable that cannot be an array, or cannot be read, as *err says: an error with
// --strict, else a note.
static tess_status
skip(struct job *job, struct tree_variable *var, int *count, const tess_error *err)
{
    tess_error note;

    if (job->args->values[OPT_STRICT])
        return err->status;
    (void)report_set(&note, TESS_OK, "skipped: %.400s", err->message);
    (void)report_print(job->variable, &note);
    var->skipped = "skipped";
    ++*count;
    return TESS_OK;
}

static bool
is_beyond(tess_status st)
{
    return st == TESS_ERR_UNSUPPORTED || st == TESS_ERR_LIMIT || st == TESS_ERR_ARG;
}

static bool
is_unreadable(tess_status st)
{
    return st == TESS_ERR_IO || st == TESS_ERR_CORRUPT || st == TESS_ERR_FORMAT;
}

// Remove the file of an array whose items could not all be read.
static tess_status
skip_unread(struct job *job, struct tree_variable *var, const char *where, tess_error *err)
{
    const tess_error reason = *err;
    tess_storage storage;

    tess_storage_init(&storage);
    storage.path = where;
    const tess_status st =
        job->store ? tess_store_remove(job->store, where, err) : tess_remove(&storage, err);
    if (st != TESS_OK && st != TESS_ERR_NOT_FOUND && err->sys != ENOENT)
        return st;
    return skip(job, var, &job->nunread, &reason);
}

static tess_status
import_variable(struct job *job, const struct tree_group *g, struct tree_variable *var,
                tess_error *err)
{
    const char *const path = tree_join(&job->tree, g->path, var->name);
    struct source *in = NULL;
    char *where = NULL;
    tess_status st = TESS_OK;

    free(job->variable);
    job->variable = NULL;
    if (!path || asprintf(&job->variable, "%s:%s", job->in, path) < 0)
        return report_nomem(err, (int64_t)strlen(var->name));
    job->about = job->variable;
    if (var->skipped)
        st = report_set(err, TESS_ERR_UNSUPPORTED, "%s", var->skipped);
    else if (!utf8_valid(path, strlen(path)))
        st = report_set(err, TESS_ERR_UNSUPPORTED, "its name is no UTF-8");
    if (st == TESS_OK)
        st = place(job, g, var->name, job->store ? "" : TREE_SUFFIX, &where, err);
    if (st == TESS_OK)
        st = source_open_variable(job->in, path, &in, err);
    if (is_beyond(st))
        return skip(job, var, &job->nskipped, err);
    if (st == TESS_OK)
        st = write_array(job, where, in, var, err);
    source_close(in);
    if (is_unreadable(st) && job->about == job->variable)
        return skip_unread(job, var, where, err);
    return st;
}

// -- groups

static tess_status
store_record(struct job *job, struct tree_group *g, const char *path, tess_error *err)
{
    tess_array *a = NULL;
    tess_status st = tess_store_attributes(job->store, path[0] ? path : "/", &a, err);

    if (st == TESS_OK)
        st = tree_record_store(a, &job->tree, g, err);
    if (st == TESS_OK)
        return tess_array_close(a, err);
    tess_array_discard(a);
    return st;
}

static tess_status
import_group(struct job *job, struct tree_group *g, tess_error *err)
{
    const bool plain = job->args->values[OPT_NO_ATTRIBUTES] != NULL;
    char *path = NULL;
    tess_status st = TESS_OK;

    job->about = job->out;
    TRY(place(job, g, NULL, "", &path, err));
    if (!job->store && mkdir(path, 0777) != 0)
        return report_errno(err, "a folder cannot be made");
    if (plain)
        attributes_finish(&g->attributes);
    if (g->attributes.left[0]) {
        tess_error note;

        job->about = job->in;
        if (job->args->values[OPT_STRICT])
            return report_set(err, TESS_ERR_UNSUPPORTED, "attributes have no counterpart: %s",
                              g->attributes.left);
        (void)report_set(&note, TESS_OK, "not carried over, as their types have no counterpart: %s",
                         g->attributes.left);
        (void)report_print(job->in, &note);
    }
    for (int i = 0; i < g->nvariables; i++)
        TRY(import_variable(job, g, &g->variables[i], err));
    job->about = job->out;
    if (job->store)
        return store_record(job, g, path, err);
    TRY(place(job, g, NULL, "/" TREE_RECORD, &path, err));
    TRY(tree_record_write(path, &job->tree, g, err));
out:
    return st;
}

// A folder, or a store, which is made if it is not there.
static tess_status
open_out(struct job *job, tess_error *err)
{
    const char *const out = job->out;
    const struct store_path at = store_path_parse(out, STORE_PATH_MAKES | STORE_PATH_WHOLE);
    tess_context context;

    if (at.front == 0)
        return output_open(&job->file, out, OUTPUT_TREE, job->args->values[OPT_FORCE] != NULL, err);
    tess_status st = open_context(job->args, &context, err);
    if (st == TESS_OK)
        st = open_store_to_change(out, &at, true, &context, &job->store, err);
    job->group = at.inside;
    return st;
}

int
tree_import(const char *in, const char *out, const struct arguments *args)
{
    struct job job = {.args = args, .in = in, .about = in};
    char *const own = strdup(out);
    size_t size = own ? strlen(own) : 0;
    tess_status st = TESS_OK;
    tess_error err;

    job.out = own;
    if (!own)
        st = report_nomem(&err, (int64_t)strlen(out));
    TRY(st);
    while (size > 1 && own[size - 1] == '/')
        own[--size] = '\0';
    TRY(check_options(args, &err));
    TRY(source_list(in, &job.tree, &err));
    job.about = out;
    TRY(open_out(&job, &err));
    for (int i = 0; i < job.tree.ngroups; i++)
        TRY(import_group(&job, job.tree.groups[i], &err));
    job.about = out;
    if (job.store)
        TRY(tess_store_commit(job.store, &err));
    else
        TRY(output_publish(&job.file, &err));
out:
    if (job.store)
        tess_store_close(job.store);
    else
        output_close(&job.file);
    tree_finish(&job.tree);
    const int status = st != TESS_OK      ? report_print(job.about, &err)
                       : job.nunread > 0  ? EXIT_STATUS_FAILED
                       : job.nskipped > 0 ? EXIT_STATUS_NO
                                          : EXIT_STATUS_FINE;
    free(job.variable);
    free(own);
    return status;
}

bool
tree_import_takes(const char *in, const char *out)
{
    const size_t size = strlen(out);
    const bool whole = (size > 0 && out[size - 1] == '/') || store_path_is_name(out);
    return whole && source_is_tree(in);
}
