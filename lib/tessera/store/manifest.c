/*
 * manifest.c - a commit of a store, as bytes and in memory.
 */
#include "store/manifest.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/format/checksums.h"
#include "io/state_files.h"
#include "meta/value.h"
#include "store/listing.h"

#include <tessera/attr.h>

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum {
    FORMAT = 1,
    CHECKSUM_SIZE = 8,
    NESTING = 4,
    FILE_ITEMS = 5,
    MOVE_ITEMS = 3,
    ROOT_PAIRS = 5,
};

static tess_status
no_memory(tess_error *err)
{
    return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the state of a store");
}

static void
file_finish(struct manifest_file *file)
{
    mem_free(file->name);
    mem_free(file->front);
    mem_free(file->before);
}

void
manifest_finish(struct manifest *m)
{
    for (size_t i = 0; i < m->nfiles; i++)
        file_finish(&m->files[i]);
    for (size_t i = 0; i < m->nmoves; i++) {
        mem_free(m->moves[i].from);
        mem_free(m->moves[i].to);
    }
    mem_free(m->files);
    mem_free(m->moves);
    *m = (struct manifest){0};
}

// -- lists

// The first file whose name is not less.
static size_t
lower_bound(const struct manifest *m, const char *name)
{
    size_t low = 0, high = m->nfiles;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(m->files[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct manifest_file *
manifest_find(const struct manifest *m, const char *name)
{
    const size_t i = lower_bound(m, name);
    return i < m->nfiles && strcmp(m->files[i].name, name) == 0 ? &m->files[i] : NULL;
}

// Room for one more item: a list grows at powers of two.
static bool
list_reserve(void **list, size_t n, size_t item)
{
    if ((n & (n - 1)) != 0)
        return true;
    void *const longer = mem_resize(*list, (n > 0 ? 2 * n : 1) * item);
    if (longer)
        *list = longer;
    return longer != NULL;
}

tess_status
manifest_add_file(struct manifest *m, const char *name, struct manifest_file **file,
                  tess_error *err)
{
    void *list = m->files;
    char *const own = mem_string(name);
    const bool fits = own && list_reserve(&list, m->nfiles, sizeof *m->files);
    m->files = list;
    if (!fits) {
        mem_free(own);
        return no_memory(err);
    }
    const size_t i = lower_bound(m, name);
    memmove(&m->files[i + 1], &m->files[i], (m->nfiles - i) * sizeof *m->files);
    m->files[i] = (struct manifest_file){.name = own};
    m->nfiles++;
    *file = &m->files[i];
    return TESS_OK;
}

void
manifest_remove_file(struct manifest *m, struct manifest_file *file)
{
    const size_t i = (size_t)(file - m->files);
    file_finish(file);
    m->nfiles--;
    memmove(file, file + 1, (m->nfiles - i) * sizeof *file);
}

static tess_status
set_bytes(uint8_t **own, size_t *own_size, const uint8_t *bytes, size_t size, tess_error *err)
{
    uint8_t *const copy = mem_alloc(size + 1);
    if (!copy)
        return no_memory(err);
    if (size > 0)
        memcpy(copy, bytes, size);
    mem_free(*own);
    *own = copy;
    *own_size = size;
    return TESS_OK;
}

tess_status
manifest_set_front(struct manifest_file *file, const uint8_t *front, size_t front_size,
                   const uint8_t *tail, tess_error *err)
{
    const tess_status st = set_bytes(&file->front, &file->front_size, front, front_size, err);
    if (st == TESS_OK)
        memcpy(file->tail, tail, MANIFEST_TAIL);
    return st;
}

void
manifest_take_state(struct manifest_file *file, struct manifest_file *from)
{
    char *const name = file->name, *const other = from->name;
    *file = *from;
    file->name = name;
    *from = (struct manifest_file){.name = other};
}

tess_status
manifest_set_before(struct manifest_file *file, const uint8_t *before, size_t before_size,
                    tess_error *err)
{
    return set_bytes(&file->before, &file->before_size, before, before_size, err);
}

tess_status
manifest_add_move(struct manifest *m, const char *from, const char *to, uint64_t number,
                  tess_error *err)
{
    void *list = m->moves;
    struct manifest_move move = {mem_string(from), mem_string(to), number};
    const bool fits = move.from && move.to && list_reserve(&list, m->nmoves, sizeof *m->moves);
    m->moves = list;
    if (!fits) {
        mem_free(move.from);
        mem_free(move.to);
        return no_memory(err);
    }
    m->moves[m->nmoves++] = move;
    return TESS_OK;
}

tess_status
manifest_copy(struct manifest *to, const struct manifest *from, tess_error *err)
{
    tess_status st = TESS_OK;
    *to = (struct manifest){.number = from->number, .time = from->time};
    for (size_t i = 0; i < from->nfiles && st == TESS_OK; i++) {
        const struct manifest_file *const file = &from->files[i];
        struct manifest_file *own;
        st = manifest_add_file(to, file->name, &own, err);
        if (st == TESS_OK)
            st = manifest_set_front(own, file->front, file->front_size, file->tail, err);
        if (st == TESS_OK && file->before_size > 0)
            st = manifest_set_before(own, file->before, file->before_size, err);
        if (st == TESS_OK)
            own->since = file->since;
    }
    for (size_t i = 0; i < from->nmoves && st == TESS_OK; i++) {
        const struct manifest_move *const move = &from->moves[i];
        st = manifest_add_move(to, move->from, move->to, move->number, err);
    }
    if (st != TESS_OK)
        manifest_finish(to);
    return st;
}

bool
store_is_new_name(const char *name)
{
    static const char folder[] = STATE_FOLDER "/new/";
    return strncmp(name, folder, sizeof folder - 1) == 0;
}

const char *
manifest_moved(const struct manifest *m, const char *name, uint64_t *number)
{
    const struct manifest_move *first = NULL;
    for (size_t i = 0; i < m->nmoves; i++) {
        const struct manifest_move *const move = &m->moves[i];
        if (move->number > *number && strcmp(move->from, name) == 0 &&
            (!first || move->number < first->number))
            first = move;
    }
    if (first)
        *number = first->number;
    return first ? first->to : NULL;
}

// The last move to a name after one commit and up to another.
static const struct manifest_move *
move_to(const struct manifest *m, const char *name, uint64_t after, uint64_t until)
{
    const struct manifest_move *last = NULL;
    for (size_t i = 0; i < m->nmoves; i++) {
        const struct manifest_move *const move = &m->moves[i];
        if (move->number > after && move->number <= until && strcmp(move->to, name) == 0 &&
            (!last || move->number > last->number))
            last = move;
    }
    return last;
}

const struct manifest_file *
manifest_find_then(const struct manifest *now, const struct manifest *older, const char *name)
{
    const struct manifest_move *move;
    uint64_t until = now->number;
    while ((move = move_to(now, name, older->number, until))) {
        name = move->from;
        // A commit that renames has two moves, by a name between; what leads there is another.
        until = move->number - !store_is_new_name(name);
    }
    return manifest_find(older, name);
}

bool
manifest_has_moves(const struct manifest *m)
{
    for (size_t i = 0; i < m->nmoves; i++)
        if (m->moves[i].number == m->number)
            return true;
    return false;
}

// -- to bytes

static tess_value
text_value(const char *text)
{
    return (tess_value){.type = TESS_VALUE_STRING, .as.string = {text, strlen(text)}};
}

static tess_value
bytes_value(const void *bytes, size_t size)
{
    return (tess_value){.type = TESS_VALUE_BYTES, .as.bytes = {bytes, size}};
}

static tess_value
number_value(uint64_t n)
{
    return (tess_value){.type = TESS_VALUE_INT, .as.i64 = (int64_t)n};
}

static tess_value
list_value(const tess_value *items, size_t count)
{
    return (tess_value){.type = TESS_VALUE_LIST, .as.list = {items, count}};
}

// A list of lists, which stand behind it; one allocation for the caller. NULL: no memory.
static tess_value *
make_lists(size_t count, size_t items)
{
    tess_value *const all = mem_zeroed(count * (items + 1) + 1, sizeof *all);
    for (size_t i = 0; all && i < count; i++)
        all[i] = list_value(all + count + i * items, items);
    return all;
}

static tess_value *
list_files(const struct manifest *m)
{
    tess_value *const list = make_lists(m->nfiles, FILE_ITEMS);
    for (size_t i = 0; list && i < m->nfiles; i++) {
        const struct manifest_file *const file = &m->files[i];
        tess_value *const items = list + m->nfiles + i * FILE_ITEMS;
        items[0] = text_value(file->name);
        items[1] = bytes_value(file->front, file->front_size);
        items[2] = bytes_value(file->tail, MANIFEST_TAIL);
        items[3] = bytes_value(file->before, file->before_size);
        items[4] = number_value(file->since);
    }
    return list;
}

static tess_value *
list_moves(const struct manifest *m)
{
    tess_value *const list = make_lists(m->nmoves, MOVE_ITEMS);
    for (size_t i = 0; list && i < m->nmoves; i++) {
        const struct manifest_move *const move = &m->moves[i];
        tess_value *const items = list + m->nmoves + i * MOVE_ITEMS;
        items[0] = text_value(move->from);
        items[1] = text_value(move->to);
        items[2] = number_value(move->number);
    }
    return list;
}

static tess_status
add_checksum(uint8_t **bytes, size_t *size, tess_error *err)
{
    uint8_t *const longer = mem_resize(*bytes, *size + CHECKSUM_SIZE);
    if (!longer)
        return no_memory(err);
    put_u64le(longer + *size, checksum_of(longer, *size));
    *bytes = longer;
    *size += CHECKSUM_SIZE;
    return TESS_OK;
}

tess_status
manifest_write(const struct manifest *m, uint8_t **bytes, size_t *size, tess_error *err)
{
    tess_value *const files = list_files(m), *const moves = list_moves(m);
    *bytes = NULL;
    tess_status st = files && moves ? TESS_OK : no_memory(err);
    if (st == TESS_OK) {
        const tess_pair pairs[ROOT_PAIRS] = {
            {text_value("format"), number_value(FORMAT)},
            {text_value("number"), number_value(m->number)},
            {text_value("time"), number_value((uint64_t)m->time)},
            {text_value("files"), list_value(files, m->nfiles)},
            {text_value("moves"), list_value(moves, m->nmoves)},
        };
        const tess_value root = {.type = TESS_VALUE_MAP, .as.map = {pairs, ROOT_PAIRS}};
        st = value_pack(&root, bytes, size, err);
    }
    if (st == TESS_OK)
        st = add_checksum(bytes, size, err);
    if (st != TESS_OK) {
        mem_free(*bytes);
        *bytes = NULL;
    }
    mem_free(files);
    mem_free(moves);
    return st;
}

// -- from bytes

static tess_status
manifest_damaged(const char *what, tess_error *err)
{
    return err_set(err, TESS_ERR_CORRUPT, -1, "the manifest of the store: %s", what);
}

static bool
take_number(const tess_value *v, uint64_t *n)
{
    if (!v || v->type != TESS_VALUE_INT || v->as.i64 < 0)
        return false;
    *n = (uint64_t)v->as.i64;
    return true;
}

static bool
is_file_name(const tess_value *v)
{
    return v->type == TESS_VALUE_STRING && strlen(v->as.string.data) == v->as.string.size &&
           !listing_name_fault(v->as.string.data, v->as.string.size);
}

static bool
is_tail(const tess_value *v)
{
    return v->type == TESS_VALUE_BYTES && v->as.bytes.size == MANIFEST_TAIL;
}

// Where no file of a commit is; but files wait in some of it, or are kept.
static bool
is_own_name(const char *name)
{
    static const char folder[] = STATE_FOLDER;
    const size_t size = sizeof folder - 1;
    return strncmp(name, folder, size) == 0 && (!name[size] || name[size] == '/');
}

static bool
is_moved_name(const char *name)
{
    static const char kept[] = STATE_FOLDER "/kept/";
    return !is_own_name(name) || store_is_new_name(name) ||
           strncmp(name, kept, sizeof kept - 1) == 0;
}

// A list of as many items; NULL: it is none.
static const tess_value *
manifest_items(const tess_value *v, size_t count)
{
    return v->type == TESS_VALUE_LIST && v->as.list.count == count ? v->as.list.items : NULL;
}

static tess_status
parse_file(struct manifest *m, const tess_value *v, tess_error *err)
{
    const tess_value *const items = manifest_items(v, FILE_ITEMS);
    struct manifest_file *file;
    uint64_t since;
    if (!items || !is_file_name(&items[0]) || is_own_name(items[0].as.string.data) ||
        items[1].type != TESS_VALUE_BYTES || !is_tail(&items[2]) ||
        items[3].type != TESS_VALUE_BYTES || !take_number(&items[4], &since) || since > m->number)
        return manifest_damaged("a file is not described as it should be", err);
    if (m->nfiles > 0 && strcmp(m->files[m->nfiles - 1].name, items[0].as.string.data) >= 0)
        return manifest_damaged("its files are not in order", err);
    tess_status st = manifest_add_file(m, items[0].as.string.data, &file, err);
    if (st == TESS_OK)
        st = manifest_set_front(file, items[1].as.bytes.data, items[1].as.bytes.size,
                                items[2].as.bytes.data, err);
    if (st == TESS_OK)
        file->since = since;
    if (st == TESS_OK && items[3].as.bytes.size > 0)
        st = set_bytes(&file->before, &file->before_size, items[3].as.bytes.data,
                       items[3].as.bytes.size, err);
    return st;
}

static tess_status
parse_move(struct manifest *m, const tess_value *v, tess_error *err)
{
    const tess_value *const items = manifest_items(v, MOVE_ITEMS);
    uint64_t number;
    if (!items || !is_file_name(&items[0]) || !is_file_name(&items[1]) ||
        !take_number(&items[2], &number) || number > m->number ||
        !is_moved_name(items[0].as.string.data) || !is_moved_name(items[1].as.string.data))
        return manifest_damaged("a move is not described as it should be", err);
    // A commit has one move of a file, or two, by a name between: so what follows them ends.
    if (store_is_new_name(items[0].as.string.data) && store_is_new_name(items[1].as.string.data))
        return manifest_damaged("a file is moved from a new name to another one", err);
    return manifest_add_move(m, items[0].as.string.data, items[1].as.string.data, number, err);
}

static tess_status
parse_list(struct manifest *m, const tess_value *root, const char *key,
           tess_status (*parse)(struct manifest *m, const tess_value *v, tess_error *err),
           tess_error *err)
{
    const tess_value *const list = tess_value_find(root, key);
    tess_status st = TESS_OK;
    if (!list || list->type != TESS_VALUE_LIST)
        return manifest_damaged("it has no list of files or moves", err);
    for (size_t i = 0; i < list->as.list.count && st == TESS_OK; i++)
        st = parse(m, &list->as.list.items[i], err);
    return st;
}

tess_status
manifest_parse(struct manifest *m, const uint8_t *bytes, size_t size, int64_t memory,
               tess_error *err)
{
    tess_value *root = NULL;
    uint64_t format = 0, time = 0;
    *m = (struct manifest){0};
    if (size < CHECKSUM_SIZE ||
        get_u64le(bytes + size - CHECKSUM_SIZE) != checksum_of(bytes, size - CHECKSUM_SIZE))
        return manifest_damaged("its checksum is wrong", err);
    tess_status st = value_parse(bytes, size - CHECKSUM_SIZE, NESTING, memory, &root, err);
    if (st != TESS_OK)
        return err_prefix(err, st, "the manifest of the store");
    if (!take_number(tess_value_find(root, "format"), &format))
        st = manifest_damaged("it has no format", err);
    else if (format != FORMAT)
        st =
            err_set(err, TESS_ERR_UNSUPPORTED, -1,
                    "the manifest of the store has format %" PRIu64 ", which is not known", format);
    else if (!take_number(tess_value_find(root, "number"), &m->number) || m->number == 0 ||
             m->number == INT64_MAX || // there could be no next one

             !take_number(tess_value_find(root, "time"), &time))
        st = manifest_damaged("it has no number, or no time", err);
    m->time = (int64_t)time;
    if (st == TESS_OK)
        st = parse_list(m, root, "files", parse_file, err);
    if (st == TESS_OK)
        st = parse_list(m, root, "moves", parse_move, err);
    mem_free(root);
    if (st != TESS_OK)
        manifest_finish(m);
    return st;
}
