/*
 * attr.c - tess attr: lists, prints, sets and removes attributes.
 */
#include "commands.h"
#include "data/open.h"
#include "formats/attributes.h"
#include "help/values.h"
#include "options.h"
#include "report.h"
#include "text/json.h"
#include "text/names.h"
#include "text/text.h"

#include <tessera/attr.h>
#include <tessera/meta.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// "tess attr" PATH VERB NAME VALUE
enum { WORD_PATH, WORD_VERB, WORD_NAME, WORD_VALUE };

// -- tess attr PATH

static tess_status
list_one(const tess_array *a, const char *name, FILE *out, tess_error *err)
{
    tess_value *value = NULL;
    char *json = NULL;
    tess_status st;

    TRY(tess_attr_get(a, name, &value, err));
    TRY(tess_attr_get_json(a, name, &json, err));
    text_write(out, name);
    fprintf(out, "  %s  %s\n", tess_value_type_name(value->type), json);
out:
    tess_free(json);
    tess_free(value);
    return st;
}

static tess_status
list_words(const tess_array *a, FILE *out, tess_error *err)
{
    tess_status st = TESS_OK;
    const char *name;

    for (int i = 0; st == TESS_OK && (name = tess_vlmeta_name(a, i)) != NULL; i++)
        st = list_one(a, name, out, err);
    return st;
}

static tess_status
list_json(const tess_array *a, FILE *out, tess_error *err)
{
    tess_status st = TESS_OK;
    const char *name;
    struct json j;

    json_begin(&j, out);
    for (int i = 0; st == TESS_OK && (name = tess_vlmeta_name(a, i)) != NULL; i++) {
        char *json = NULL;

        st = tess_attr_get_json(a, name, &json, err);
        if (st == TESS_OK) {
            json_text(&j, name, json);
        }
        tess_free(json);
    }
    json_end(&j);
    return st;
}

// Nothing is printed if one cannot be read.
static tess_status
list(const tess_array *a, const struct arguments *args, tess_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    if (!out)
        return report_errno(err, "cannot list");
    tess_status st = args->values[OPT_JSON] ? list_json(a, out, err) : list_words(a, out, err);
    if (fclose(out) != 0 && st == TESS_OK)
        st = report_nomem(err, (int64_t)size);
    if (st == TESS_OK)
        (void)fwrite(text, 1, size, stdout);
    free(text);
    return st;
}

// -- tess attr PATH get NAME

static tess_status
print_raw(const tess_array *a, const char *name, tess_error *err)
{
    tess_value *value = NULL;
    tess_status st = tess_attr_get(a, name, &value, err);

    if (st != TESS_OK)
        return st;
    if (value->type == TESS_VALUE_STRING)
        (void)fwrite(value->as.string.data, 1, value->as.string.size, stdout);
    else if (value->type == TESS_VALUE_BYTES || value->type == TESS_VALUE_OPAQUE)
        (void)fwrite(value->as.bytes.data, 1, value->as.bytes.size, stdout);
    else
        st = report_set(err, TESS_ERR_ARG, "--raw: %s is of type %s, not string or bytes", name,
                        tess_value_type_name(value->type));
    tess_free(value);
    return st;
}

static tess_status
print(const tess_array *a, const char *name, bool raw, tess_error *err)
{
    char *json = NULL;

    if (raw)
        return print_raw(a, name, err);
    const tess_status st = tess_attr_get_json(a, name, &json, err);
    if (st == TESS_OK)
        printf("%s\n", json);
    tess_free(json);
    return st;
}

// -- tess attr PATH set NAME VALUE

// What VALUE or --file gave; `data` ends with a NUL that is not counted.
struct content {
    char *data;
    size_t size;
};

static tess_status
load(const char *path, struct content *c, tess_error *err)
{
    FILE *const in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    FILE *const out = in ? open_memstream(&c->data, &c->size) : NULL;
    char piece[1 << 14];
    tess_status st = TESS_OK;
    size_t n;

    if (!in || !out)
        st = report_errno(err, path);
    while (st == TESS_OK && (n = fread(piece, 1, sizeof piece, in)) > 0)
        if (fwrite(piece, 1, n, out) != n)
            st = report_errno(err, path);
    if (st == TESS_OK && ferror(in))
        st = report_errno(err, path);
    if (out && fclose(out) != 0 && st == TESS_OK)
        st = report_errno(err, path);
    if (in && in != stdin)
        (void)fclose(in);
    return st;
}

static tess_status
set_int(tess_array *a, const char *name, const struct content *c, tess_error *err)
{
    int64_t v;

    if (strlen(c->data) != c->size || !text_int64(c->data, &v))
        return report_set(err, TESS_ERR_ARG, "--type int: not an integer below 2^63");
    return tess_attr_set_int(a, name, v, err);
}

static tess_status
set_float(tess_array *a, const char *name, const struct content *c, tess_error *err)
{
    char *end = NULL;
    const double v = strtod(c->data, &end); // takes nan and inf, too

    if (end == c->data || end != c->data + c->size)
        return report_set(err, TESS_ERR_ARG, "--type float: not a number");
    return tess_attr_set_float(a, name, v, err);
}

static tess_status
set_string(tess_array *a, const char *name, const struct content *c, tess_error *err)
{
    const tess_value v = {.type = TESS_VALUE_STRING, .as = {.string = {c->data, c->size}}};
    return tess_attr_set(a, name, &v, err);
}

static tess_status
set_bytes(tess_array *a, const char *name, const struct content *c, tess_error *err)
{
    return tess_attr_set_bytes(a, name, c->data, c->size, err);
}

static tess_status
set_json(tess_array *a, const char *name, const struct content *c, tess_error *err)
{
    if (strlen(c->data) != c->size)
        return report_set(err, TESS_ERR_ARG, "--type json: the text contains a NUL");
    return tess_attr_set_json(a, name, c->data, err);
}

// Without --type: JSON, else a string.
static tess_status
set_any(tess_array *a, const char *name, const struct content *c, tess_error *err)
{
    const tess_status st = set_json(a, name, c, err);
    return st == TESS_ERR_ARG ? set_string(a, name, c, err) : st;
}

typedef tess_status set_fn(tess_array *a, const char *name, const struct content *c,
                           tess_error *err);

// How to set what was given; NULL if --type names no type.
static set_fn *
setter(const struct arguments *args)
{
    static set_fn *const setters[] = {
        [NAMES_TYPE_INT] = set_int,       [NAMES_TYPE_FLOAT] = set_float,
        [NAMES_TYPE_STRING] = set_string, [NAMES_TYPE_BYTES] = set_bytes,
        [NAMES_TYPE_JSON] = set_json,
    };
    const char *const text = args->values[OPT_TYPE];
    int type;

    if (!text)
        return args->values[OPT_FILE] ? set_bytes : set_any;
    return names_value(names_type, text, &type) ? setters[type] : NULL;
}

static tess_status
set(tess_array *a, const struct arguments *args, tess_error *err)
{
    const char *const file = args->values[OPT_FILE];
    const char *const value = arguments_word(args, WORD_VALUE);
    set_fn *const set_value = setter(args);
    struct content c = {NULL, 0};
    tess_status st = TESS_OK;

    if (!set_value)
        return values_refuse(OPT_TYPE, args->values[OPT_TYPE], args->values[OPT_TYPE], err);
    if (file) {
        TRY(load(file, &c, err));
    } else {
        c = (struct content){strdup(value), strlen(value)};
        if (!c.data)
            TRY(report_nomem(err, (int64_t)strlen(value)));
    }
    TRY(set_value(a, arguments_word(args, WORD_NAME), &c, err));
    TRY(tess_array_flush(a, err));
out:
    free(c.data);
    return st;
}

// -- the command

enum verb { VERB_LIST, VERB_GET, VERB_SET, VERB_DEL };

// Which verb, if words and options fit it.
static tess_status
parse(const struct arguments *args, enum verb *verb, tess_error *err)
{
    const char *const word = arguments_word(args, WORD_VERB);
    const bool has_value = arguments_word(args, WORD_VALUE) || args->values[OPT_FILE];

    *verb = !word                      ? VERB_LIST
            : strcmp(word, "get") == 0 ? VERB_GET
            : strcmp(word, "set") == 0 ? VERB_SET
                                       : VERB_DEL;
    if (*verb == VERB_DEL && strcmp(word, "del") != 0)
        return report_set(err, TESS_ERR_ARG, "%s: not get, set or del", word);
    if (*verb != VERB_LIST && !arguments_word(args, WORD_NAME))
        return report_set(err, TESS_ERR_ARG, "%s: the name of the attribute is missing", word);
    if (*verb == VERB_SET && !has_value)
        return report_set(err, TESS_ERR_ARG, "set: the value is missing");
    if (arguments_word(args, WORD_VALUE) && args->values[OPT_FILE])
        return report_set(err, TESS_ERR_ARG, "set: a value and --file");
    if (*verb != VERB_SET && (has_value || args->values[OPT_TYPE]))
        return report_set(err, TESS_ERR_ARG, "a value, --file and --type go with set");
    if (*verb != VERB_GET && args->values[OPT_RAW])
        return report_set(err, TESS_ERR_ARG, "--raw goes with get");
    if (*verb != VERB_LIST && args->values[OPT_JSON])
        return report_set(err, TESS_ERR_ARG, "--json goes with the list; get prints JSON");
    return TESS_OK;
}

static tess_status
open_for(enum verb verb, const struct arguments *args, tess_array **a, tess_store **store,
         tess_error *err)
{
    const char *const path = arguments_word(args, WORD_PATH);

    return verb == VERB_LIST || verb == VERB_GET
               ? open_attributes(path, args, a, err)
               : open_attributes_to_change(path, args, a, store, err);
}

static int
run_attr(const struct arguments *args)
{
    const char *const path = arguments_word(args, WORD_PATH);
    const char *const name = arguments_word(args, WORD_NAME);
    int status = EXIT_STATUS_FINE;
    tess_array *a = NULL;
    tess_store *store = NULL;
    enum verb verb;
    tess_status st;
    tess_error err;

    TRY(parse(args, &verb, &err));
    TRY(open_for(verb, args, &a, &store, &err));
    if ((verb == VERB_GET || verb == VERB_DEL) && !attributes_of_array_have(a, name)) {
        (void)report_set(&err, TESS_ERR_ARG, "there is no attribute %s", name);
        (void)report_print(path, &err);
        status = EXIT_STATUS_NO;
        goto out;
    }
    switch (verb) {
    case VERB_LIST:
        TRY(list(a, args, &err));
        break;
    case VERB_GET:
        TRY(print(a, name, args->values[OPT_RAW] != NULL, &err));
        break;
    case VERB_SET:
        TRY(set(a, args, &err));
        break;
    case VERB_DEL:
        TRY(tess_attr_delete(a, name, &err));
        TRY(tess_array_flush(a, &err));
        break;
    }
out:
    st = open_close_changed(a, store, st, &err);
    return st == TESS_OK ? status : report_print(path, &err);
}

const struct command cmd_attr = {
    .name = "attr",
    .purpose = "list, print, set and remove attributes",
    .words = "PATH [get|set|del NAME [VALUE]]",
    .nwords = 1,
    .nwords_more = 3,
    .options = OPTIONS(OPT_JSON, OPT_OFFSET, OPT_TYPE, OPT_FILE, OPT_RAW),
    .details =
        "  tess attr PATH                   name, type and value of each\n"
        "  tess attr PATH get NAME          its value; status 1 if there is none\n"
        "  tess attr PATH set NAME VALUE\n"
        "  tess attr PATH del NAME          status 1 if there is none\n\n"
        "An array at an --offset can be read, not changed.\n"
        "VALUE is JSON; what is no JSON is a string. What JSON lacks is written\n"
        "{\"$bytes\": BASE64}, {\"$float\": \"nan\"}, {\"$ext\": [CODE, BASE64]} and\n"
        "{\"$map\": [[KEY, VALUE], ...]}. {\"$opaque\": BASE64} is content of another kind.\n"
        "Write -- before a VALUE that begins with '-' and is no number.\n",
    .examples =
        (const struct example[]){
            {"all attributes", "tess attr winds.b2nd"},
            {"set one, and print it",
             "tess attr winds.b2nd set units m/s && tess attr winds.b2nd get units"},
            {"a list of numbers", "tess attr winds.b2nd set valid_range '[-50, 50]'"},
            {"a string that looks like a number",
             "tess attr winds.b2nd set version 1.0 --type string"},
            {"the bytes of a file", "tess attr winds.b2nd set license --file LICENSE"},
            {"remove one", "tess attr winds.b2nd del units"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"NAME", "any", "value of each attribute, in the notation above"},
            {0},
        },
    .run = run_attr,
};
