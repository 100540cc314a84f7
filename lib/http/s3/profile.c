/*
 * profile.c - the files ~/.aws/config and ~/.aws/credentials.
 *
 * One pass over a copy of the text ends names and values with NULs where they stand; entries point
 * to them. Sorted, they show what is there twice, and are found by bisection: a large file costs no
 * more than n log n.
 */
#include "s3/profile.h"
#include "base/ascii.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// A value; or, with key "", a section; or, with an inner key, a value inside a value.
struct s3_profile_entry {
    const char *section, *key, *inner; // never NULL
    const char *value;
    size_t line; // from 1
    bool more; // lines of the value follow this one
};

// Where the parser is.
struct state {
    struct s3_profiles *to;
    size_t capacity;
    const char *section; // NULL: in front of the first
    size_t
        value; // number of the entry of the last key, to which deeper lines belong, if `in_value`
    bool in_value;
    size_t indent; // of the line that began the section or value
    size_t line;
};

static bool
is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// The text between start and end without blanks at both ends, ended by a NUL; *end is writable.
static char *
strip(char *start, char *end)
{
    while (start < end && is_blank(*start))
        start++;
    while (end > start && is_blank(end[-1]))
        end--;
    *end = '\0';
    return start;
}

static tess_status
add(struct state *s, const char *key, const char *inner, const char *value, tess_error *err)
{
    struct s3_profiles *const to = s->to;

    if (to->nentries == s->capacity) { // entries are fewer than bytes: this cannot overflow
        const size_t capacity = s->capacity ? 2 * s->capacity : 64;
        struct s3_profile_entry *const entries =
            realloc(to->entries, capacity * sizeof *to->entries);
        if (!entries)
            return http_fail_memory(err);
        to->entries = entries;
        s->capacity = capacity;
    }
    to->entries[to->nentries++] = (struct s3_profile_entry){
        .section = s->section, .key = key, .inner = inner, .value = value, .line = s->line};
    return TESS_OK;
}

static tess_status
bad_line(const struct state *s, const char *what, tess_error *err)
{
    return http_fail(err, TESS_ERR_ARG, "line %zu: %s", s->line, what);
}

// A line that is deeper than the key to which it belongs.
static tess_status
take_deeper(struct state *s, char *text, tess_error *err)
{
    struct s3_profile_entry *const outer = &s->to->entries[s->value];
    char *const equals = strchr(text, '=');

    outer->more = true;
    if (outer->value[0] != '\0') // a value of several lines
        return TESS_OK;
    if (!equals)
        return bad_line(s, "expected key = value inside the value of a key", err);
    const char *const value = strip(equals + 1, equals + 1 + strlen(equals + 1));
    return add(s, outer->key, strip(text, equals), value, err);
}

// [name], up to the last bracket; what stands behind it is dropped.
static tess_status
take_section(struct state *s, char *text, char *bracket, tess_error *err)
{
    *bracket = '\0';
    s->section = text + 1;
    s->in_value = false;
    return add(s, "", "", "", err);
}

static tess_status
take_key(struct state *s, char *text, tess_error *err)
{
    char *const mark = strpbrk(text, "=:");

    if (!s->section)
        return bad_line(s, "expected a [section] before the first key", err);
    if (!mark || mark == text)
        return bad_line(s, "expected key = value", err);
    const char *const value = strip(mark + 1, mark + 1 + strlen(mark + 1));
    char *const key = strip(text, mark);
    for (char *p = key; *p; p++)
        *p = http_lower(*p);
    s->value = s->to->nentries;
    s->in_value = true;
    return add(s, key, "", value, err);
}

// The line from start to end, where a line end was, or the end of the text.
static tess_status
take_line(struct state *s, char *start, char *end, tess_error *err)
{
    s->line++;
    if (memchr(start, '\0', (size_t)(end - start)))
        return bad_line(s, "a NUL", err);
    char *const text = strip(start, end);
    const size_t indent = (size_t)(text - start);
    if (text[0] == '\0' || text[0] == '#' || text[0] == ';')
        return TESS_OK;
    if (s->in_value && indent > s->indent)
        return take_deeper(s, text, err);
    s->indent = indent;
    char *const bracket = text[0] == '[' ? strrchr(text, ']') : NULL;
    return bracket && bracket > text + 1 ? take_section(s, text, bracket, err)
                                         : take_key(s, text, err);
}

static int
by_names(const void *a, const void *b)
{
    const struct s3_profile_entry *const x = a;
    const struct s3_profile_entry *const y = b;
    int order = strcmp(x->section, y->section);

    if (order == 0)
        order = strcmp(x->key, y->key);
    if (order == 0)
        order = strcmp(x->inner, y->inner);
    return order;
}

static int
by_names_and_line(const void *a, const void *b)
{
    const struct s3_profile_entry *const x = a;
    const struct s3_profile_entry *const y = b;
    const int order = by_names(a, b);

    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

static tess_status
sort(struct s3_profiles *p, tess_error *err)
{
    if (p->nentries > 0)
        qsort(p->entries, p->nentries, sizeof *p->entries, by_names_and_line);
    for (size_t i = 1; i < p->nentries; i++)
        if (by_names(&p->entries[i - 1], &p->entries[i]) == 0)
            return http_fail(err, TESS_ERR_ARG, "line %zu: the same %s as in line %zu",
                             p->entries[i].line, p->entries[i].key[0] ? "key" : "section",
                             p->entries[i - 1].line);
    return TESS_OK;
}

tess_status
s3_profiles_parse(const char *bytes, size_t size, struct s3_profiles *profiles, tess_error *err)
{
    struct state s = {.to = profiles};
    tess_status st = TESS_OK;

    *profiles = (struct s3_profiles){0};
    if (size > S3_PROFILES_MAX)
        return http_fail(err, TESS_ERR_LIMIT, "more than %d bytes", (int)S3_PROFILES_MAX);
    profiles->text = malloc(size + 1);
    if (!profiles->text)
        return http_fail_memory(err);
    profiles->text_size = size + 1;
    if (size > 0)
        memcpy(profiles->text, bytes, size);
    profiles->text[size] = '\0';

    char *const stop = profiles->text + size;
    for (char *start = profiles->text; start < stop && st == TESS_OK;) {
        char *end = start;
        while (end < stop && *end != '\n' && *end != '\r')
            end++;
        char *const next = end + (end + 1 < stop && end[0] == '\r' && end[1] == '\n') + 1;
        st = take_line(&s, start, end, err);
        start = next;
    }
    if (st == TESS_OK)
        st = sort(profiles, err);
    if (st != TESS_OK)
        s3_profiles_finish(profiles);
    return st;
}

void
s3_profiles_finish(struct s3_profiles *profiles)
{
    if (profiles->text)
        explicit_bzero(profiles->text, profiles->text_size);
    free(profiles->text);
    free(profiles->entries);
    *profiles = (struct s3_profiles){0};
}

// Is section "kind name", "kind 'name'" or "kind "name""?
static bool
is_of(const char *section, const char *kind, const char *name)
{
    const size_t kind_size = strlen(kind);
    const size_t name_size = strlen(name);
    const char *p = section;

    if (strncmp(p, kind, kind_size) != 0 || !is_blank(p[kind_size]))
        return false;
    for (p += kind_size; is_blank(*p);)
        p++;
    const char quote = *p == '"' || *p == '\'' ? *p : '\0';
    p += quote != '\0';
    if (!quote && strpbrk(name, " \t\n\v\f\r"))
        return false;
    if (name_size == 0 || strncmp(p, name, name_size) != 0)
        return false;
    p += name_size;
    if (quote && *p++ != quote)
        return false;
    while (is_blank(*p))
        p++;
    return *p == '\0';
}

const char *
s3_profiles_section(const struct s3_profiles *profiles, const char *kind, const char *name)
{
    const struct s3_profile_entry *last = NULL;

    for (size_t i = 0; i < profiles->nentries; i++) {
        const struct s3_profile_entry *const e = &profiles->entries[i];
        const bool plain = !kind || (strcmp(kind, "profile") == 0 && strcmp(name, "default") == 0);
        if (e->key[0] == '\0' &&
            ((plain && strcmp(e->section, name) == 0) || (kind && is_of(e->section, kind, name))) &&
            (!last || e->line > last->line))
            last = e;
    }
    return last ? last->section : NULL;
}

const char *
s3_profiles_get(const struct s3_profiles *profiles, const char *section, const char *key,
                const char *inner, bool *whole)
{
    const struct s3_profile_entry want = {
        .section = section, .key = key, .inner = inner ? inner : ""};
    const struct s3_profile_entry *const found =
        profiles->nentries == 0 ? NULL
                                : bsearch(&want, profiles->entries, profiles->nentries,
                                          sizeof *profiles->entries, by_names);

    *whole = found && !found->more;
    return found ? found->value : NULL;
}
