/*
 * rename.c - names of a store that is written: which file of the next commit has one, and files
 * that are removed or renamed.
 *
 * Moves that take names away come first; those that give names lead from .tessera/new, where new
 * files are made and renamed ones wait in between. What is removed goes to .tessera/kept, as long
 * as some other commit has it.
 */
#include "store/writer.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/names/below.h"
#include "io/state_files.h"
#include "store/listing.h"
#include "store/manifest.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char NEW[] = STATE_FOLDER "/new";
static const char KEPT[] = STATE_FOLDER "/kept";

// The file of the next commit that has a path, which may be new.
bool
writer_find_name(const tess_store *s, const char *path, char *name)
{
    while (*path == '/')
        path++;
    size_t size = strlen(path);
    while (size > 0 && path[size - 1] == '/')
        size--;
    if (listing_name_fault(path, size) || size > WRITER_NAME_SIZE - 16)
        return false;
    for (size_t i = TESS_ENTRY_ARRAY; i < LISTING_ENDINGS; i++) {
        snprintf(name, WRITER_NAME_SIZE, "%.*s%s", (int)size, path, listing_endings[i]);
        if (manifest_find(&s->writer->next, name) || writer_find(s, name))
            return true;
    }
    return false;
}

// The name of a file to come, from its path.
tess_status
writer_name_of_path(const char *path, const char *ending, char *name, tess_error *err)
{
    while (path && *path == '/')
        path++;
    size_t size = path ? strlen(path) : 0;
    while (size > 0 && path[size - 1] == '/')
        size--;
    const char *const fault = path ? listing_name_fault(path, size) : "no path is given";
    if (fault)
        return err_set(err, TESS_ERR_ARG, -1, "%s cannot be a path in a store: %s",
                       path ? path : "", fault);
    const size_t own = sizeof STATE_FOLDER - 1;
    if (strncmp(path, STATE_FOLDER, own) == 0 && (!path[own] || path[own] == '/'))
        return err_set(err, TESS_ERR_ARG, -1, "%s is where a store keeps its commits", path);
    snprintf(name, WRITER_NAME_SIZE, "%.*s%s", (int)size, path, ending);
    return TESS_OK;
}

tess_status
writer_check_path(const char *path, tess_error *err)
{
    static const char attributes[] = LISTING_ATTRIBUTES;
    const size_t size = sizeof attributes - 1;
    for (const char *at = path; (at = strstr(at, attributes)) != NULL; at += size)
        if ((at == path || at[-1] == '/') && (!at[size] || at[size] == '/'))
            return err_set(err, TESS_ERR_ARG, -1,
                           "%s: %s is where a group has its attributes, and no name of an entry",
                           path, attributes);
    return TESS_OK;
}

/*
 * Whether a file can get a name when files follow the next commit: else none could follow it. A
 * directory that a group needs has no name as files of the store have them.
 */
tess_status
writer_check_new_name(const tess_store *s, const char *name, tess_error *err)
{
    static const char embedded[] = ".b2e";
    for (const char *at = strchr(name, '/'); at; at = strchr(at + 1, '/'))
        for (size_t i = TESS_ENTRY_GROUP; i < LISTING_ENDINGS; i++) {
            const char *const ending = i == TESS_ENTRY_GROUP ? embedded : listing_endings[i];
            const size_t size = strlen(ending);
            if ((size_t)(at - name) > size && memcmp(at - size, ending, size) == 0)
                return err_set(err, TESS_ERR_ARG, -1,
                               "%s: the name of a group must not end with %s, as a file's", name,
                               ending);
        }
    char longest[WRITER_NAME_SIZE + 8]; // the lock file that others may ask for
    snprintf(longest, sizeof longest, "%s.b2lock", name);
    const tess_status st = below_check_new(s->files.root, name, err);
    return st == TESS_OK ? below_check_new(s->files.root, longest, err) : st;
}

tess_status
writer_no_entry(const tess_store *s, const char *path, tess_error *err)
{
    char name[WRITER_NAME_SIZE];
    for (size_t i = TESS_ENTRY_ARRAY; i < LISTING_ENDINGS; i++) {
        if (writer_name_of_path(path, listing_endings[i], name, NULL) != TESS_OK)
            break;
        const bool is_link = below_is_link(s->files.root, name);
        if (is_link || below_is_directory(s->files.root, name))
            return err_set(err, TESS_ERR_NOT_FOUND, -1,
                           "%s is no entry of a store that is written: it is a %s", name,
                           is_link ? "symbolic link" : "directory");
    }
    return err_set(err, TESS_ERR_NOT_FOUND, -1, "the store has no entry %s", path);
}

// -- moves of the next commit

static struct manifest_move *
find_move_to(struct manifest *m, const char *name)
{
    for (size_t i = 0; i < m->nmoves; i++)
        if (m->moves[i].number == m->number && strcmp(m->moves[i].to, name) == 0)
            return &m->moves[i];
    return NULL;
}

// Where a file of the next commit is until then: one that is renamed is where it was.
const char *
writer_name_until_commit(struct writer *w, const char *name)
{
    const struct manifest_move *const second = find_move_to(&w->next, name);
    const struct manifest_move *const first = second ? find_move_to(&w->next, second->from) : NULL;
    return first ? first->from : name;
}

static tess_status
set_text(char **text, const char *value, tess_error *err)
{
    char *const own = mem_string(value);
    if (!own)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a name");
    mem_free(*text);
    *text = own;
    return TESS_OK;
}

tess_status
writer_keep_replaced(struct writer *w, struct manifest *m, const struct manifest_file *file,
                     tess_error *err)
{
    char kept[WRITER_NAME_SIZE];
    struct manifest_move *const move = find_move_to(m, file->name);
    writer_fresh_name(w, KEPT, kept);
    return move ? set_text(&move->to, kept, err)
                : manifest_add_move(m, file->name, kept, m->number, err);
}

// A file of the next commit that is in the last one, or was found, goes elsewhere.
static tess_status
move_away(struct writer *w, const struct manifest_file *file, const char *to, tess_error *err)
{
    struct manifest_move *const move = find_move_to(&w->next, file->name);
    char between[WRITER_NAME_SIZE];
    if (move) // it was renamed since
        return set_text(&move->to, to, err);
    writer_fresh_name(w, NEW, between);
    const size_t before = w->next.nmoves;
    tess_status st = manifest_add_move(&w->next, file->name, between, w->next.number, err);
    if (st == TESS_OK)
        st = manifest_add_move(&w->next, between, to, w->next.number, err);
    if (st != TESS_OK && w->next.nmoves > before) {
        mem_free(w->next.moves[before].from);
        mem_free(w->next.moves[before].to);
        w->next.nmoves = before;
    }
    return st;
}

// A file is not in the next commit; the program may have the array still.
static tess_status
remove_name(tess_store *s, const char *name, tess_error *err)
{
    struct writer *const w = s->writer;
    struct manifest_file *const file = manifest_find(&w->next, name);
    struct writer_array *x;
    if (file) {
        const tess_status st = writer_keep_replaced(w, &w->next, file, err);
        if (st != TESS_OK)
            return st;
        manifest_remove_file(&w->next, file);
    }
    while ((x = writer_find(s, name)))
        writer_remove_array(w, x);
    return TESS_OK;
}

static tess_status
rename_name(tess_store *s, const char *from, const char *to, tess_error *err)
{
    struct writer *const w = s->writer;
    writer_drop_replaced(s);
    struct manifest_file *const file = manifest_find(&w->next, from), *added;
    struct writer_array *const x = writer_find(s, from);
    char *name = NULL;
    tess_status st = x ? set_text(&name, to, err) : TESS_OK;
    if (st == TESS_OK && file) {
        st = manifest_add_file(&w->next, to, &added, err);
        struct manifest_file *const old = manifest_find(&w->next, from);
        if (st == TESS_OK) {
            st = move_away(w, old, to, err);
            if (st == TESS_OK)
                manifest_take_state(added, old);
            manifest_remove_file(&w->next, st == TESS_OK ? old : added);
        }
    }
    if (st == TESS_OK && x) {
        mem_free(x->name);
        x->name = name;
    } else {
        mem_free(name);
    }
    return st;
}

// -- one entry, or all below a group

// Names of files at a path, or below it, for the caller to free, one by one.
struct name_list {
    char **names;
    size_t n;
};

static void
names_finish(struct name_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        mem_free(list->names[i]);
    mem_free(list->names);
}

static tess_status
add_name(struct name_list *list, const char *name, tess_error *err)
{
    char **const longer = mem_resize(list->names, (list->n + 1) * sizeof *longer);
    char *const own = mem_string(name);
    if (longer)
        list->names = longer;
    if (!longer || !own) {
        mem_free(own);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a name");
    }
    list->names[list->n++] = own;
    return TESS_OK;
}

// What embed.b2e has of a path, or below it, is none of the files that get other names.
static tess_status
check_not_embedded(tess_store *s, const char *path, tess_error *err)
{
    if (!s->listing.has_embedded) // to list the store for each name takes long
        return TESS_OK;
    const tess_status st = writer_relist(s, err);
    const struct node *const nodes = s->listing.nodes;
    const int64_t first = st == TESS_OK ? listing_find(&s->listing, path) : -1;
    for (int64_t i = first; i >= 0 && i < nodes[first].next; i++)
        if (nodes[i].at.kind == PLACE_EMBEDDED || nodes[i].attributes.kind == PLACE_EMBEDDED)
            return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                           "%s is in embed.b2e, of which nothing is removed or renamed",
                           nodes[i].path);
    return st;
}

// A file of the next commit that is below a group, whose name ends with a slash: from the i-th one
// on. NULL: there are no more.
static const char *
next_below(const struct writer *w, const char *group, size_t *i)
{
    const size_t size = strlen(group);
    for (; *i < w->next.nfiles; ++*i)
        if (strncmp(w->next.files[*i].name, group, size) == 0)
            return w->next.files[(*i)++].name;
    for (; *i < w->next.nfiles + w->narrays; ++*i) {
        const struct writer_array *const x = &w->arrays[*i - w->next.nfiles];
        if (x->made && writer_is_made(x) && strncmp(x->name, group, size) == 0 &&
            !manifest_find(&w->next, x->name)) {
            ++*i;
            return x->name;
        }
    }
    return NULL;
}

// *inside: how many bytes of each name are those of the path.
static tess_status
names_below(tess_store *s, const char *path, struct name_list *list, size_t *inside,
            tess_error *err)
{
    char name[WRITER_NAME_SIZE], group[WRITER_NAME_SIZE];
    const char *below;
    size_t i = 0;
    *list = (struct name_list){0};
    tess_status st = writer_name_of_path(path, "/", group, err);
    if (st == TESS_OK)
        st = check_not_embedded(s, path, err);
    if (st != TESS_OK)
        return st;
    *inside = strlen(group) - 1;
    if (writer_find_name(s, path, name))
        st = add_name(list, name, err);
    while (st == TESS_OK && (below = next_below(s->writer, group, &i)))
        st = add_name(list, below, err);
    return st == TESS_OK && list->n == 0 ? writer_no_entry(s, path, err) : st;
}

// What embed.b2e has of a path.
static const struct node *
find_embedded(tess_store *s, const char *path)
{
    const bool listed = s->listing.has_embedded && writer_relist(s, NULL) == TESS_OK;
    const int64_t i = listed ? listing_find(&s->listing, path) : -1;
    return i >= 0 ? &s->listing.nodes[i] : NULL;
}

int
writer_path_fault(tess_store *s, const char *path)
{
    char group[WRITER_NAME_SIZE], name[WRITER_NAME_SIZE];
    size_t i = 0;
    if (writer_name_of_path(path, "/", group, NULL) != TESS_OK)
        return EINVAL;
    if (writer_find_name(s, path, name) || next_below(s->writer, group, &i) ||
        find_embedded(s, path))
        return EEXIST;
    char *end = strrchr(group, '/');
    for (*end = '\0'; (end = strrchr(group, '/')) != NULL;) {
        *end = '\0';
        const struct node *const embedded = find_embedded(s, group);
        if (writer_find_name(s, group, name) || (embedded && embedded->at.kind != PLACE_NONE))
            return ENOTDIR;
    }
    return 0;
}

tess_status
writer_remove(tess_store *s, const char *path, tess_error *err)
{
    struct name_list list = {0};
    size_t inside;
    tess_status st = writer_check(s, err);
    if (st == TESS_OK)
        writer_drop_discarded(s->writer);
    if (st == TESS_OK)
        st = names_below(s, path, &list, &inside, err);
    for (size_t i = 0; i < list.n && st == TESS_OK; i++)
        st = remove_name(s, list.names[i], err);
    if (s->writer)
        s->writer->relisted = false;
    names_finish(&list);
    return st;
}

tess_status
writer_rename(tess_store *s, const char *from, const char *to, tess_error *err)
{
    struct name_list list = {0};
    size_t inside;
    char name[WRITER_NAME_SIZE], group[WRITER_NAME_SIZE];
    tess_status st = writer_check(s, err);
    if (st == TESS_OK)
        st = writer_check_path(to, err);
    if (st == TESS_OK)
        writer_drop_discarded(s->writer);
    if (st == TESS_OK)
        st = names_below(s, from, &list, &inside, err);
    if (st == TESS_OK)
        st = writer_name_of_path(to, "", group, err);
    const int fault = st == TESS_OK ? writer_path_fault(s, to) : 0;
    if (fault)
        st = err_sys(err, fault, "renaming %s to %s", from, to);
    for (size_t i = 0; i < list.n && st == TESS_OK; i++) {
        if (snprintf(name, sizeof name, "%s%s", group, list.names[i] + inside) >= (int)sizeof name)
            st = err_set(err, TESS_ERR_ARG, -1, "%s/... is too long a name", to);
        else if (writer_find(s, name) || manifest_find(&s->writer->next, name))
            st = err_sys(err, EEXIST, "renaming %s to %s", from, to);
        else
            st = writer_check_new_name(s, name, err);
    }
    for (size_t i = 0; i < list.n && st == TESS_OK; i++) {
        snprintf(name, sizeof name, "%s%s", group, list.names[i] + inside);
        st = rename_name(s, list.names[i], name, err);
    }
    if (s->writer)
        s->writer->relisted = false;
    names_finish(&list);
    return st;
}
