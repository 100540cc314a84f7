/*
 * tree_record.c - the file group.json in a folder of arrays.
 *
 * The library writes and reads JSON for attributes of arrays: an array in memory, without items, is
 * given the object as its only attribute.
 */
#include "formats/tree/tree_record.h"

#include "formats/attributes.h"
#include "report.h"

#include <tessera/convert.h>
#include <tessera/dtype.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_MAX (64 << 20) // bytes of a file that is read
#define NAME "record" // of the attribute
#define RECORD_FORMAT "tessera_group"

static tess_status
open_scratch(tess_array **a, tess_error *err)
{
    tess_storage storage;
    tess_params params;

    tess_storage_init(&storage);
    tess_params_init(&params);
    params.dtype = "|u1";
    params.typesize = 1;
    params.ndim = 1;
    return tess_array_uninit(&storage, &params, a, err);
}

// -- building the object

static tess_value
text_value(const char *text)
{
    return (tess_value){.type = TESS_VALUE_STRING, .as = {.string = {text, strlen(text)}}};
}

static tess_pair
pair(const char *key, tess_value value)
{
    return (tess_pair){.key = text_value(key), .value = value};
}

static tess_value
map_value(const tess_pair *pairs, size_t count)
{
    return (tess_value){.type = TESS_VALUE_MAP, .as = {.map = {pairs, count}}};
}

static tess_value
list_value(const tess_value *items, size_t count)
{
    return (tess_value){.type = TESS_VALUE_LIST, .as = {.list = {items, count}}};
}

static bool
is_alike(const char *a, const char *b)
{
    const tess_dtype x = tess_dtype_parse(a), y = tess_dtype_parse(b);
    return x.kind == y.kind && x.size == y.size;
}

tess_value *
tree_record_types(struct tree *t, const struct attributes *a, const char *dtype)
{
    tess_pair *const pairs = attributes_alloc(&t->memory, (size_t)a->count, sizeof *pairs);
    tess_value *const types = attributes_alloc(&t->memory, 1, sizeof *types);
    size_t n = 0;

    if (!pairs || !types)
        return NULL;
    for (int i = 0; i < a->count; i++) {
        const struct attribute *const item = &a->items[i];
        const bool own = dtype && tess_attr_holds_items(item->name);
        if (!item->dtype || (own && is_alike(item->dtype, dtype)))
            continue;
        // copies, as `a` may go earlier
        char *const name = tree_join(t, "", item->name), *const type =
                                                             tree_join(t, "", item->dtype);
        if (!name || !type)
            return NULL;
        pairs[n++] = pair(name, text_value(type));
    }
    *types = map_value(pairs, n);
    return types;
}

static tess_status
make_variables(struct tree *t, const struct tree_group *g, tess_value *v, tess_error *err)
{
    tess_value *const items = attributes_alloc(&t->memory, (size_t)g->nvariables, sizeof *items);
    tess_pair(*const pairs)[2] = attributes_alloc(&t->memory, (size_t)g->nvariables, sizeof *pairs);
    size_t n = 0;

    if (!items || !pairs)
        return report_nomem(err, g->nvariables);
    for (int i = 0; i < g->nvariables; i++) {
        const struct tree_variable *const var = &g->variables[i];

        if (var->skipped)
            continue;
        pairs[n][0] = pair("name", text_value(var->name));
        pairs[n][1] = pair("attribute_types", var->types ? *var->types : map_value(NULL, 0));
        items[n] = map_value(pairs[n], 2);
        n++;
    }
    *v = list_value(items, n);
    return TESS_OK;
}

static tess_status
make_dimensions(struct tree *t, const struct tree_group *g, tess_value *v, tess_error *err)
{
    tess_value *const items = attributes_alloc(&t->memory, (size_t)g->ndimensions, sizeof *items);
    tess_pair(*const pairs)[3] =
        attributes_alloc(&t->memory, (size_t)g->ndimensions, sizeof *pairs);

    if (!items || !pairs)
        return report_nomem(err, g->ndimensions);
    for (int i = 0; i < g->ndimensions; i++) {
        const struct tree_dimension *const d = &g->dimensions[i];

        pairs[i][0] = pair("name", text_value(d->name));
        pairs[i][1] =
            pair("length", (tess_value){.type = TESS_VALUE_INT, .as = {.i64 = d->length}});
        pairs[i][2] = pair("unlimited",
                           (tess_value){.type = TESS_VALUE_BOOL, .as = {.boolean = d->unlimited}});
        items[i] = map_value(pairs[i], 3);
    }
    *v = list_value(items, (size_t)g->ndimensions);
    return TESS_OK;
}

static tess_status
make_attributes(struct tree *t, const struct tree_group *g, tess_value *v, tess_error *err)
{
    const int count = g->attributes.count;
    tess_pair *const pairs = attributes_alloc(&t->memory, (size_t)count, sizeof *pairs);

    if (!pairs)
        return report_nomem(err, count);
    for (int i = 0; i < count; i++)
        pairs[i] = pair(g->attributes.items[i].name, g->attributes.items[i].value);
    *v = map_value(pairs, (size_t)count);
    return TESS_OK;
}

static tess_status
write_text(const char *path, const char *text, tess_error *err)
{
    FILE *const out = fopen(path, "wx");
    const bool written = out && fputs(text, out) >= 0 && fputc('\n', out) != EOF;
    tess_status st = written ? TESS_OK : report_errno(err, "cannot write " TREE_RECORD);

    if (out && fclose(out) != 0 && written)
        st = report_errno(err, "cannot write " TREE_RECORD);
    return st;
}

// The object, in memory of `t`. attributes: those of the group are in it.
static tess_status
make_record(struct tree *t, const struct tree_group *g, bool attributes, tess_value *record,
            tess_error *err)
{
    const tess_value *const types = tree_record_types(t, &g->attributes, NULL);
    tess_pair *const pairs = attributes_alloc(&t->memory, 5, sizeof *pairs);
    tess_value own, dimensions, variables;
    size_t n = 0;
    tess_status st = TESS_OK;

    if (!types || !pairs)
        return report_nomem(err, g->attributes.count);
    TRY(make_attributes(t, g, &own, err));
    TRY(make_dimensions(t, g, &dimensions, err));
    TRY(make_variables(t, g, &variables, err));
    pairs[n++] = pair(RECORD_FORMAT, (tess_value){.type = TESS_VALUE_INT, .as = {.i64 = 1}});
    if (attributes)
        pairs[n++] = pair("attributes", own);
    pairs[n++] = pair("attribute_types", *types);
    pairs[n++] = pair("dimensions", dimensions);
    pairs[n++] = pair("variables", variables);
    *record = map_value(pairs, n);
out:
    return st;
}

tess_status
tree_record_write(const char *path, struct tree *t, const struct tree_group *g, tess_error *err)
{
    tess_array *scratch = NULL;
    tess_value record;
    char *json = NULL;
    tess_status st = TESS_OK;

    TRY(make_record(t, g, true, &record, err));
    TRY(open_scratch(&scratch, err));
    TRY(tess_attr_set(scratch, NAME, &record, err));
    TRY(tess_attr_get_json(scratch, NAME, &json, err));
    TRY(write_text(path, json, err));
out:
    tess_free(json);
    tess_array_discard(scratch);
    return st;
}

tess_status
tree_record_store(tess_array *a, struct tree *t, struct tree_group *g, tess_error *err)
{
    tess_value record;
    tess_status st = TESS_OK;

    TRY(make_record(t, g, false, &record, err));
    TRY(attributes_add(&g->attributes, RECORD_FORMAT, &record, err));
    TRY(attributes_store(&g->attributes, a, err));
out:
    return st;
}

// -- reading it

static const char *
text_of(const tess_value *v)
{
    return v && v->type == TESS_VALUE_STRING && v->as.string.size > 0 &&
                   strlen(v->as.string.data) == v->as.string.size
               ? v->as.string.data
               : NULL;
}

void
tree_record_set_types(struct attributes *a, const tess_value *types)
{
    for (int i = 0; types && i < a->count; i++) {
        const char *const type = text_of(tess_value_find(types, a->items[i].name));
        const bool number = type && strcmp(type, "string") != 0;
        if (!number || strcmp(a->items[i].name, "_FillValue") != 0)
            a->items[i].dtype = type;
    }
}

static tess_status
take_attributes(struct tree_group *g, const tess_value *v, tess_error *err)
{
    tess_status st = TESS_OK;

    if (!v || v->type != TESS_VALUE_MAP)
        return TESS_OK;
    for (size_t i = 0; i < v->as.map.count && st == TESS_OK; i++) {
        const char *const name = text_of(&v->as.map.pairs[i].key);

        if (name)
            st = attributes_add(&g->attributes, name, &v->as.map.pairs[i].value, err);
    }
    return st;
}

static bool
is_true(const tess_value *v)
{
    return v && v->type == TESS_VALUE_BOOL && v->as.boolean;
}

static tess_status
take_dimension(struct tree *t, struct tree_group *g, const tess_value *v, tess_error *err)
{
    const char *const name = text_of(tess_value_find(v, "name"));
    const tess_value *const length = tess_value_find(v, "length");

    if (!name || !length || length->type != TESS_VALUE_INT || length->as.i64 < 0)
        return report_set(err, TESS_ERR_FORMAT, TREE_RECORD ": a dimension without name or length");
    for (int i = 0; i < g->ndimensions; i++)
        if (strcmp(g->dimensions[i].name, name) == 0)
            return report_set(err, TESS_ERR_FORMAT, TREE_RECORD ": dimension %.100s twice", name);
    struct tree_dimension *const d =
        tree_add_dimension(t, g, name, length->as.i64, is_true(tess_value_find(v, "unlimited")));
    if (!d)
        return report_nomem(err, sizeof *d);
    d->appended = is_true(tess_value_find(v, "appended"));
    return TESS_OK;
}

static tess_status
take_variable(struct tree *t, struct tree_group *g, const tess_value *v, tess_error *err)
{
    const char *const name = text_of(tess_value_find(v, "name"));
    struct tree_variable *const var = name ? tree_add_variable(t, g, name, NULL) : NULL;

    if (!name)
        return report_set(err, TESS_ERR_FORMAT, TREE_RECORD ": a variable without name");
    if (!var)
        return report_nomem(err, sizeof *var);
    var->types = tess_value_find(v, "attribute_types");
    return TESS_OK;
}

static tess_status
read_text(const char *path, struct tree *t, char **text, tess_error *err)
{
    FILE *const in = fopen(path, "rb");
    tess_status st = TESS_OK;
    long size = -1;

    *text = NULL;
    if (!in)
        return errno == ENOENT ? TESS_OK : report_errno(err, "cannot read " TREE_RECORD);
    if (fseek(in, 0, SEEK_END) == 0)
        size = ftell(in);
    if (size < 0 || fseek(in, 0, SEEK_SET) != 0)
        st = report_errno(err, "cannot read " TREE_RECORD);
    else if (size > RECORD_MAX)
        st = report_set(err, TESS_ERR_LIMIT, TREE_RECORD " has more than %d bytes", RECORD_MAX);
    if (st == TESS_OK) {
        *text = attributes_alloc(&t->memory, (size_t)size + 1, 1);
        if (!*text)
            st = report_nomem(err, size);
        else if (fread(*text, 1, (size_t)size, in) != (size_t)size)
            st = report_errno(err, "cannot read " TREE_RECORD);
    }
    (void)fclose(in);
    return st;
}

static tess_status
take_record(struct tree *t, struct tree_group *g, const tess_value *record, tess_error *err)
{
    tess_status st = TESS_OK;

    TRY(take_attributes(g, tess_value_find(record, "attributes"), err));
    tree_record_set_types(&g->attributes, tess_value_find(record, "attribute_types"));
    const tess_value *const dimensions = tess_value_find(record, "dimensions");
    for (size_t i = 0;
         dimensions && dimensions->type == TESS_VALUE_LIST && i < dimensions->as.list.count; i++)
        TRY(take_dimension(t, g, &dimensions->as.list.items[i], err));
    const tess_value *const variables = tess_value_find(record, "variables");
    for (size_t i = 0;
         variables && variables->type == TESS_VALUE_LIST && i < variables->as.list.count; i++)
        TRY(take_variable(t, g, &variables->as.list.items[i], err));
out:
    return st;
}

tess_status
tree_record_read(const char *path, struct tree *t, struct tree_group *g, tess_error *err)
{
    tess_array *scratch = NULL;
    tess_value *record = NULL;
    char *text = NULL;
    tess_status st = TESS_OK;

    TRY(read_text(path, t, &text, err));
    if (!text)
        return TESS_OK;
    TRY(open_scratch(&scratch, err));
    st = tess_attr_set_json(scratch, NAME, text, err);
    if (st == TESS_ERR_ARG)
        st = report_set(err, TESS_ERR_FORMAT, TREE_RECORD " is no JSON that can be read");
    TRY(st);
    TRY(tess_attr_get(scratch, NAME, &record, err));
    if (!attributes_keep(&t->memory, record, tess_free)) {
        tess_free(record);
        st = report_nomem(err, sizeof *record);
        goto out;
    }
    TRY(take_record(t, g, record, err));
out:
    tess_array_discard(scratch);
    return st;
}

tess_status
tree_record_load(const tess_array *a, struct tree *t, struct tree_group *g, tess_error *err)
{
    struct attributes *const list = &g->attributes;
    tess_status st = TESS_OK;
    int kept = 0;
    tess_value record = {.type = TESS_VALUE_NULL};

    TRY(attributes_load(list, a, err));
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, RECORD_FORMAT) == 0)
            record = list->items[i].value;
        else
            list->items[kept++] = list->items[i];
    list->count = kept;
    TRY(take_record(t, g, &record, err));
out:
    return st;
}
