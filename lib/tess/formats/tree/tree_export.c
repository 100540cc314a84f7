/*
 * tree_export.c - a folder of arrays, or a store, as a whole netCDF or HDF5 file.
 *
 * All is defined first: groups, dimensions, variables with their attributes. So what a format does
 * not hold is found before items are written, and dimensions are shared whatever the order is. Then
 * the items are written, array by array.
 */
#include "formats/tree/tree_export.h"

#include "data/open.h"
#include "data/output.h"
#include "data/path.h"
#include "data/picked/pick.h"
#include "data/picked/select.h"
#include "formats/attributes.h"
#include "formats/tree/tree.h"
#include "formats/tree/tree_record.h"
#include "report.h"
#include "text/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// An array of the folder.
struct member {
    const struct tree_group *group;
    const char *path; // of the file; in a store, behind that of the store
    const char *name; // in the other file: "group/name"
    const tess_value *types;
    struct slice_range sel; // all of it
    int64_t shape[TESS_MAX_NDIM];
    int32_t typesize;
    struct sink *sink; // NULL: skipped
};

struct job {
    const struct arguments *args;
    const char *in, *out;
    tess_store *store; // open as long as its arrays are read, all in one commit; NULL: a folder
    struct tree tree;
    struct member *members;
    int nmembers;
    struct output output;
    struct sink_file *file;
    int nskipped;
    const char *about;
};

bool
tree_is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && !path_is_sparse(path);
}

bool
tree_is_whole(const char *path)
{
    return tree_is_folder(path) || open_is_store(path);
}

// -- what is in the folder

static int
by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static struct tree_variable *
find_variable(const struct tree_group *g, const char *name)
{
    for (int i = 0; i < g->nvariables; i++)
        if (strcmp(g->variables[i].name, name) == 0)
            return &g->variables[i];
    return NULL;
}

static tess_status read_folder(struct job *job, const char *path, const char *group, int depth,
                               tess_error *err);

// `skipped` of a variable is the path of its file here, until all are known.
static tess_status
take_entry(struct job *job, struct tree_group *g, const char *folder, const char *name, int depth,
           tess_error *err)
{
    struct tree *const t = &job->tree;
    const bool array = text_ends_with(name, TREE_SUFFIX) && strlen(name) > strlen(TREE_SUFFIX);
    const size_t size = strlen(name) - (array ? strlen(TREE_SUFFIX) : 0);
    char *const path = tree_join(t, folder, name), *const own = tree_unescape(t, name, size);

    if (!path || !own)
        return report_nomem(err, (int64_t)strlen(name));
    if (!array && !tree_is_folder(path))
        return TESS_OK; // some other file
    if (!own[0] || strchr(own, '/'))
        return report_set(err, TESS_ERR_FORMAT, "%.200s: no name that a file can have", name);
    if (!array) {
        const char *const inner = tree_join(t, g->path, own);
        return inner ? read_folder(job, path, inner, depth + 1, err)
                     : report_nomem(err, (int64_t)strlen(name));
    }
    struct tree_variable *var = find_variable(g, own);
    if (!var)
        var = tree_add_variable(t, g, own, NULL);
    if (!var)
        return report_nomem(err, (int64_t)strlen(own));
    var->skipped = path;
    return TESS_OK;
}

static tess_status
read_folder(struct job *job, const char *path, const char *group, int depth, tess_error *err)
{
    struct tree *const t = &job->tree;
    struct tree_group *const g = tree_add_group(t, group);
    char *const record = tree_join(t, path, TREE_RECORD);
    struct dirent **entries = NULL;
    tess_status st = TESS_OK;

    if (!g || !record)
        return report_nomem(err, (int64_t)strlen(path));
    if (depth == TREE_DEPTH_MAX)
        return report_set(err, TESS_ERR_LIMIT, "more than %d folders inside each other",
                          TREE_DEPTH_MAX);
    TRY(tree_record_read(record, t, g, err));
    const int count = scandir(path, &entries, NULL, by_name);
    if (count < 0)
        return report_errno(err, "cannot list the folder");
    for (int i = 0; i < count; i++) {
        if (st == TESS_OK && entries[i]->d_name[0] != '.')
            st = take_entry(job, g, path, entries[i]->d_name, depth, err);
        free(entries[i]);
    }
    free(entries);
out:
    return st;
}

static tess_status
skip(struct job *job, const char *path, const tess_error *err)
{
    tess_error note;

    if (job->args->values[OPT_STRICT])
        return err->status;
    (void)report_set(&note, TESS_OK, "skipped: %.400s", err->message);
    (void)report_print(path, &note);
    job->nskipped++;
    return TESS_OK;
}

// -- what is in the store

static tess_status
read_group(struct job *job, tess_store *store, const tess_entry *entry, tess_error *err)
{
    char *const own = tree_unescape(&job->tree, entry->path + 1, strlen(entry->path + 1));
    struct tree_group *const g = own ? tree_add_group(&job->tree, own) : NULL;
    tess_array *a = NULL;
    tess_status st = TESS_OK;

    if (!g)
        return report_nomem(err, (int64_t)strlen(entry->path));
    if (!entry->attributes)
        return TESS_OK;
    st = tess_store_attributes(store, entry->path, &a, err);
    if (st == TESS_OK)
        st = tree_record_load(a, &job->tree, g, err);
    tess_array_discard(a);
    return st;
}

static tess_status
take_array(struct job *job, const char *path, tess_error *err)
{
    struct tree *const t = &job->tree;
    const char *const slash = strrchr(path, '/');
    struct tree_group *g = NULL;
    char *const group = slash > path ? tree_unescape(t, path + 1, (size_t)(slash - path) - 1) : "";
    char *const own = tree_unescape(t, slash + 1, strlen(slash + 1));
    char *const file = tree_join(t, job->in, path + 1);

    for (int i = 0; group && i < t->ngroups; i++)
        if (strcmp(t->groups[i]->path, group) == 0)
            g = t->groups[i];
    if (!g || !own || !file)
        return report_nomem(err, (int64_t)strlen(path));
    struct tree_variable *var = find_variable(g, own);
    if (!var)
        var = tree_add_variable(t, g, own, NULL);
    if (!var)
        return report_nomem(err, (int64_t)strlen(own));
    var->skipped = file;
    return TESS_OK;
}

// One that leads to no array is skipped.
static tess_status
take_link(struct job *job, const char *path, tess_error *err)
{
    tess_array *a = NULL;
    const tess_status st = tess_store_array(job->store, path, &a, err);
    tess_array_discard(a);
    if (st == TESS_ERR_NOT_FOUND || st == TESS_ERR_TYPE)
        return skip(job, job->in, err);
    return st == TESS_OK ? take_array(job, path, err) : st;
}

static tess_status
read_store(struct job *job, tess_error *err)
{
    tess_status st = open_store(job->in, job->args, &job->store, err);

    for (int64_t i = 0; st == TESS_OK && i < tess_store_count(job->store); i++) {
        tess_entry entry;
        tess_store_entry(job->store, i, &entry);
        if (entry.kind == TESS_ENTRY_GROUP)
            st = read_group(job, job->store, &entry, err);
        else if (entry.kind == TESS_ENTRY_ARRAY)
            st = take_array(job, entry.path, err);
        else if (entry.kind == TESS_ENTRY_LINK)
            st = take_link(job, entry.path, err);
    }
    return st;
}

static tess_status
open_member(const struct job *job, const struct member *m, tess_array **a, tess_error *err)
{
    return job->store ? tess_store_array(job->store, m->path + strlen(job->in), a, err)
                      : open_array(m->path, job->args, a, err);
}

static tess_status
list_members(struct job *job, tess_error *err)
{
    struct tree *const t = &job->tree;
    int count = 0;

    for (int i = 0; i < t->ngroups; i++)
        count += t->groups[i]->nvariables;
    job->members = attributes_alloc(&t->memory, (size_t)count, sizeof *job->members);
    if (!job->members)
        return report_nomem(err, count);
    for (int i = 0; i < t->ngroups; i++)
        for (int k = 0; k < t->groups[i]->nvariables; k++) {
            const struct tree_variable *const var = &t->groups[i]->variables[k];
            const char *const name = tree_join(t, t->groups[i]->path, var->name);

            if (!name)
                return report_nomem(err, (int64_t)strlen(var->name));
            if (var->skipped) // else it is gone since the record was written
                job->members[job->nmembers++] = (struct member){
                    .group = t->groups[i], .path = var->skipped, .name = name, .types = var->types};
        }
    return job->nmembers > 0 ? TESS_OK
                             : report_set(err, TESS_ERR_ARG, "is a folder without arrays");
}

// -- dimensions, whose lengths are those of the arrays, or of the record where they are appended to

static struct tree_dimension *
find_dimension(struct job *job, const struct member *m, const tess_value *name)
{
    return name->type == TESS_VALUE_STRING
               ? tree_find_dimension(&job->tree, m->group->path, name->as.string.data)
               : NULL;
}

static void
settle_dimensions(struct job *job, struct member *m, const struct attributes *a)
{
    const struct attribute *const names = attributes_find(a, ATTRIBUTES_DIMENSIONS);

    if (!names || names->value.type != TESS_VALUE_LIST ||
        names->value.as.list.count != (size_t)m->sel.ndim)
        return;
    for (int i = 0; i < m->sel.ndim; i++) {
        struct tree_dimension *const d = find_dimension(job, m, &names->value.as.list.items[i]);

        if (d && d->appended && m->shape[i] > d->length)
            select_first(&m->sel, i, d->length);
        else if (d && !d->appended && !d->settled) {
            d->length = m->shape[i];
            d->settled = true;
        }
    }
}

static tess_status
look(struct job *job, struct member *m, tess_error *err)
{
    struct attributes attributes = {0};
    tess_array *a = NULL;
    tess_status st = TESS_OK;
    tess_info info;

    job->about = m->path;
    TRY(open_member(job, m, &a, err));
    tess_array_info(a, &info);
    memcpy(m->shape, info.shape, sizeof m->shape);
    m->typesize = info.typesize;
    TRY(select_parse("...", info.ndim, info.shape, &m->sel, err));
    TRY(attributes_load(&attributes, a, err));
    settle_dimensions(job, m, &attributes);
out:
    attributes_finish(&attributes);
    tess_array_discard(a);
    return st;
}

// -- definitions

static void
tell(const char *about, const char *format, const char *text)
{
    tess_error note;

    (void)report_set(&note, TESS_OK, format, text);
    (void)report_print(about, &note);
}

static tess_status
define(struct job *job, struct member *m, int level, tess_error *err)
{
    int64_t grain[TESS_MAX_NDIM], skew[TESS_MAX_NDIM];
    struct attributes attributes = {0};
    struct sink_plan plan = {.selection = &m->sel,
                             .grain = grain,
                             .attributes = &attributes,
                             .level = level,
                             .part = m->name,
                             .file = job->file,
                             .tree = &job->tree,
                             .group = m->group->path};
    tess_array *a = NULL;
    tess_info info;
    tess_status st = TESS_OK;

    job->about = m->path;
    TRY(open_member(job, m, &a, err));
    tess_array_info(a, &info);
    plan.info = &info;
    pick_grid(&info, &m->sel, grain, skew);
    if (job->args->values[OPT_NO_ATTRIBUTES])
        info.fill = NULL;
    else
        TRY(attributes_load(&attributes, a, err));
    tree_record_set_types(&attributes, m->types);
    st = job->file->kind->open(NULL, &plan, &m->sink, err);
    if (st == TESS_ERR_UNSUPPORTED)
        st = skip(job, m->path, err);
    if (st == TESS_OK && attributes.left[0])
        tell(m->path, "not carried over, as their types have no counterpart: %s", attributes.left);
    if (st == TESS_OK && m->sink && m->sink->remark[0])
        tell(m->path, "%s", m->sink->remark);
out:
    attributes_finish(&attributes);
    tess_array_discard(a);
    return st;
}

// -- items

struct writing {
    struct job *job;
    struct member *m;
};

static tess_status
write_box(const struct box_walk *w, uint8_t *items, void *user, tess_error *err)
{
    const struct writing *const writing = user;
    struct sink *const sink = writing->m->sink;

    writing->job->about = writing->job->out;
    const tess_status st =
        sink->write(sink, w->start, w->stop, items, (size_t)(w->items * writing->m->typesize), err);
    if (st == TESS_OK)
        writing->job->about = writing->m->path;
    return st;
}

static tess_status
write_items(struct job *job, struct member *m, tess_error *err)
{
    struct writing writing = {job, m};
    tess_array *a = NULL;
    tess_info info;
    tess_status st = TESS_OK;

    if (!m->sink)
        return TESS_OK;
    job->about = m->path;
    TRY(open_member(job, m, &a, err));
    tess_array_info(a, &info);
    if (info.typesize != m->typesize || info.ndim != m->sel.ndim ||
        memcmp(info.shape, m->shape, (size_t)info.ndim * sizeof info.shape[0]) != 0) {
        st = report_set(err, TESS_ERR_STALE, "was changed by another program meanwhile");
        goto out;
    }
    TRY(pick_run(a, &m->sel, BOX_WALK_C, 1, write_box, &writing, err));
    job->about = job->out;
    TRY(m->sink->finish(m->sink, err));
out:
    tess_array_discard(a);
    return st;
}

static tess_status
write_file(struct job *job, const struct sink_file_kind *kind, int level, tess_error *err)
{
    const bool plain = job->args->values[OPT_NO_ATTRIBUTES] != NULL;
    tess_status st = TESS_OK;

    for (int i = 0; i < job->nmembers; i++)
        TRY(look(job, &job->members[i], err));
    job->about = job->out;
    for (int i = 0; plain && i < job->tree.ngroups; i++)
        attributes_finish(&job->tree.groups[i]->attributes);
    TRY(output_open(&job->output, job->out, OUTPUT_FILE, job->args->values[OPT_FORCE] != NULL,
                    err));
    TRY(kind->create(job->output.temporary, &job->tree, &job->file, err));
    for (int i = 0; i < job->nmembers; i++)
        TRY(define(job, &job->members[i], level, err));
    job->about = job->out;
    TRY(kind->ready(job->file, err));
    for (int i = 0; i < job->nmembers; i++)
        TRY(write_items(job, &job->members[i], err));
    job->about = job->out;
    TRY(kind->finish(job->file, &job->tree, err));
    TRY(output_publish(&job->output, err));
    for (int i = 0; i < job->tree.ngroups; i++)
        if (job->tree.groups[i]->attributes.left[0])
            tell(job->in, "not carried over, as their types have no counterpart: %s",
                 job->tree.groups[i]->attributes.left);
out:
    for (int i = 0; i < job->nmembers; i++)
        sink_close(job->members[i].sink);
    if (job->file)
        kind->close(job->file);
    output_close(&job->output);
    return st;
}

static tess_status
read_whole(struct job *job, tess_error *err)
{
    return open_is_store(job->in) ? read_store(job, err) : read_folder(job, job->in, "", 0, err);
}

int
tree_export(const char *in, const char *out, const struct sink_file_kind *kind, int level,
            const struct arguments *args)
{
    struct job job = {.args = args, .in = in, .out = out, .about = in};
    tess_status st = TESS_OK;
    tess_error err;

    TRY(read_whole(&job, &err));
    TRY(list_members(&job, &err));
    TRY(write_file(&job, kind, level, &err));
out:;
    const int status = st != TESS_OK      ? report_print(job.about, &err)
                       : job.nskipped > 0 ? EXIT_STATUS_NO
                                          : EXIT_STATUS_FINE;
    tree_finish(&job.tree);
    tess_store_close(job.store);
    return status;
}
