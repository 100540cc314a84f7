/*
 * transactions.c - a store of arrays that changes at random, and what it must hold.
 */
#include "support/transactions.h"

#include "support/files.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const char *const tx_names[TX_NAMES] = {"/a", "/b", "/g/c", "/g/h/d", "/g/h/e", "/k/l/m/f"};

const char tx_link[] = "/g/h/link";

void
tx_begin(struct tx *t, const char *path, tess_durability durability, uint64_t seed)
{
    *t = (struct tx){.path = path, .durability = durability};
    random_init(&t->r, seed);
    t->commits = calloc(1, sizeof *t->commits);
    t->ncommits = 1;
    assert_non_null(t->commits);
    t->commits[0].link = -1;
}

void
tx_end(struct tx *t)
{
    if (!t->commits) // it did not begin
        return;
    tx_close(t);
    free(t->commits);
    *t = (struct tx){0};
}

void
tx_open(struct tx *t)
{
    tess_storage storage;
    if (t->store)
        return;
    tess_storage_init(&storage);
    storage.path = t->path;
    storage.durability = t->durability;
    storage.mode = files_exist(t->path) ? TESS_MODE_UPDATE : TESS_MODE_NEW;
    ok(tess_store_open(&storage, &t->store, err));
    t->now = t->commits[t->ncommits - 1];
}

static void
close_array(struct tx *t, int k)
{
    if (t->open[k])
        ok(tess_array_close(t->open[k], err));
    t->open[k] = NULL;
}

void
tx_close(struct tx *t)
{
    for (int k = 0; k < TX_NAMES; k++)
        close_array(t, k);
    tess_store_close(t->store);
    t->store = NULL;
    t->now = t->commits[t->ncommits - 1];
}

void
tx_commit(struct tx *t)
{
    ok(tess_store_commit(t->store, err));
    t->commits = realloc(t->commits, (t->ncommits + 1) * sizeof *t->commits);
    assert_non_null(t->commits);
    t->commits[t->ncommits++] = t->now;
}

void
tx_abort(struct tx *t)
{
    ok(tess_store_abort(t->store, err));
    for (int k = 0; k < TX_NAMES; k++)
        close_array(t, k);
    t->now = t->commits[t->ncommits - 1];
}

// -- steps

static tess_array *
handle(struct tx *t, int k)
{
    if (!t->open[k])
        ok(tess_store_array(t->store, tx_names[k], &t->open[k], err));
    return t->open[k];
}

static void
draw_items(struct tx *t, int32_t *items, int n)
{
    const int32_t base = (int32_t)below(&t->r, 1000000);
    for (int i = 0; i < n; i++)
        items[i] = one_in(&t->r, 3) ? (int32_t)random_next(&t->r) : base + i;
}

static void
tx_make(struct tx *t, int k, bool replace)
{
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;
    close_array(t, k);
    tess_storage_init(&storage);
    storage.store = t->store;
    storage.path = tx_names[k];
    storage.mode = replace ? TESS_MODE_REPLACE : TESS_MODE_NEW;
    tess_params_init(&params);
    params.ndim = 1;
    const bool same = t->now.arrays[k].there && one_in(&t->r, 2); // perhaps byte by byte
    t->now.arrays[k].there = true;
    t->now.arrays[k].note = 0;
    if (!same) {
        t->now.arrays[k].length = one_in(&t->r, 4) ? 0 : 1 + (int)below(&t->r, TX_ITEMS);
        draw_items(t, t->now.arrays[k].items, t->now.arrays[k].length);
    }
    params.shape[0] = t->now.arrays[k].length;
    params.chunkshape[0] = 1 + (params.shape[0] + 7) % 20;
    params.blockshape[0] = 1 + params.shape[0] % params.chunkshape[0];
    params.dtype = "<i4";
    ok(tess_array_from(&storage, &params, t->now.arrays[k].items,
                       (size_t)t->now.arrays[k].length * sizeof(int32_t), &a, err));
    t->open[k] = a;
}

static void tx_append(struct tx *t, int k);

static void
tx_write(struct tx *t, int k)
{
    int32_t *const items = t->now.arrays[k].items;
    if (t->now.arrays[k].length == 0) {
        tx_append(t, k);
        return;
    }
    const int64_t start = below(&t->r, t->now.arrays[k].length);
    const int64_t stop = start + 1 + below(&t->r, t->now.arrays[k].length - start);
    draw_items(t, items + start, (int)(stop - start));
    ok(tess_array_write(handle(t, k), &start, &stop, items + start,
                        (size_t)(stop - start) * sizeof *items, err));
}

static void
tx_resize(struct tx *t, int k)
{
    int32_t *const items = t->now.arrays[k].items;
    const int before = t->now.arrays[k].length;
    const int64_t length = 1 + below(&t->r, TX_ITEMS);
    ok(tess_array_resize(handle(t, k), &length, err));
    if (length > before)
        memset(items + before, 0, (size_t)(length - before) * sizeof *items);
    t->now.arrays[k].length = (int)length;
}

static void
tx_append(struct tx *t, int k)
{
    const int before = t->now.arrays[k].length;
    int32_t *const items = t->now.arrays[k].items;
    if (before == TX_ITEMS)
        return;
    const int n = 1 + (int)below(&t->r, TX_ITEMS - before);
    draw_items(t, items + before, n);
    ok(tess_array_append(handle(t, k), 0, n, items + before, (size_t)n * sizeof *items, NULL, err));
    t->now.arrays[k].length += n;
}

static void
tx_note(struct tx *t, int k)
{
    const bool empty = t->now.arrays[k].length == 0;
    for (int64_t n = empty ? below(&t->r, 4) : 0; n >= 0; n--) {
        t->now.arrays[k].note = ++t->numbers + (one_in(&t->r, 2) ? INT64_C(1) << 40 : 0);
        ok(tess_attr_set_int(handle(t, k), "note", t->now.arrays[k].note, err));
        if (n > 0) // empty states of several lengths, all at one place of the file
            ok(tess_array_flush(handle(t, k), err));
    }
}

const char *
tx_text(int64_t step, char *text)
{
    struct random r;
    random_init(&r, (uint64_t)step);
    int64_t n = one_in(&r, 2) ? below(&r, 20) : below(&r, TX_TEXT - 30);
    char *p = text + sprintf(text, "%" PRId64 " ", step);
    while (n-- > 0)
        *p++ = (char)('0' + below(&r, 70));
    *p = '\0';
    return text;
}

static void
tx_set_step(struct tx *t)
{
    char text[TX_TEXT];
    for (int64_t n = below(&t->r, 3); n >= 0; n--) { // each one brings them to their file
        tess_array *a = NULL;
        t->now.step = ++t->numbers;
        ok(tess_store_attributes(t->store, "/g", &a, err));
        ok(tess_attr_set_string(a, "step", tx_text(t->now.step, text), err));
        ok(tess_array_close(a, err));
    }
}

static void
tx_set_link(struct tx *t, int k)
{
    if (t->now.link >= 0) {
        ok(tess_store_remove(t->store, tx_link, err));
        t->now.link = -1;
    }
    if (!one_in(&t->r, 3)) {
        ok(tess_store_link(t->store, tx_names[k], tx_link, err));
        t->now.link = k;
    }
}

static void
tx_remove(struct tx *t, int k)
{
    ok(tess_store_remove(t->store, tx_names[k], err));
    close_array(t, k);
    t->now.arrays[k].there = false;
}

static void
tx_rename(struct tx *t, int k, int to)
{
    if (t->now.arrays[to].there)
        return;
    ok(tess_store_rename(t->store, tx_names[k], tx_names[to], err));
    close_array(t, to);
    t->now.arrays[to] = t->now.arrays[k];
    t->now.arrays[k].there = false;
    t->open[to] = t->open[k];
    t->open[k] = NULL;
}

// Another array takes the name of this one, which takes that of the other.
static void
tx_exchange(struct tx *t, int k, int with)
{
    struct tx_model *const m = &t->now;
    if (k == with || !m->arrays[with].there)
        return;
    ok(tess_store_rename(t->store, tx_names[k], "/between", err));
    ok(tess_store_rename(t->store, tx_names[with], tx_names[k], err));
    ok(tess_store_rename(t->store, "/between", tx_names[with], err));
    const struct tx_model before = *m;
    m->arrays[k] = before.arrays[with];
    m->arrays[with] = before.arrays[k];
    tess_array *const a = t->open[k];
    t->open[k] = t->open[with];
    t->open[with] = a;
}

void
tx_step(struct tx *t)
{
    const int k = (int)below(&t->r, TX_NAMES);
    if (!t->now.arrays[k].there) {
        tx_make(t, k, one_in(&t->r, 2));
        return;
    }
    switch (below(&t->r, 14)) {
    case 0:
    case 1:
    case 2:
        tx_write(t, k);
        break;
    case 3:
    case 4:
        tx_append(t, k);
        break;
    case 5:
        tx_resize(t, k);
        break;
    case 6:
        tx_note(t, k);
        break;
    case 7:
        tx_set_step(t);
        break;
    case 8:
        tx_remove(t, k);
        break;
    case 9:
        tx_rename(t, k, (int)below(&t->r, TX_NAMES));
        break;
    case 10:
        tx_exchange(t, k, (int)below(&t->r, TX_NAMES));
        break;
    case 11:
        tx_make(t, k, true);
        break;
    case 12:
        tx_set_link(t, k);
        break;
    default:
        if (one_in(&t->r, 2))
            ok(tess_array_flush(handle(t, k), err));
        else
            close_array(t, k);
    }
}

// -- what a store holds

static char difference[TESS_ERROR_MESSAGE_SIZE + 200];

static const char *
tell(const char *name, const char *what, const tess_error *err)
{
    snprintf(difference, sizeof difference, "%s: %s%s%s", name, what, err ? ": " : "",
             err ? err->message : "");
    return difference;
}

// Closes the array.
static const char *
array_differs(tess_array *a, const struct tx_model *want, int k)
{
    tess_error err;
    tess_info info;
    int32_t items[TX_ITEMS];
    int64_t note = 0;
    const int64_t start = 0, stop = want->arrays[k].length;
    const size_t size = (size_t)stop * sizeof *items;
    const char *what = NULL;
    tess_array_info(a, &info);
    const tess_status has_note = tess_attr_get_int(a, "note", &note, &err);
    if (info.ndim != 1 || info.shape[0] != stop)
        what = tell(tx_names[k], "has another length", NULL);
    else if (tess_array_read(a, &start, &stop, items, size, &err) != TESS_OK)
        what = tell(tx_names[k], "cannot be read", &err);
    else if (memcmp(items, want->arrays[k].items, size) != 0)
        what = tell(tx_names[k], "has other items", NULL);
    else if (has_note != (want->arrays[k].note ? TESS_OK : TESS_ERR_NOT_FOUND) ||
             note != want->arrays[k].note)
        what = tell(tx_names[k], "has another attribute", NULL);
    if (tess_array_close(a, &err) != TESS_OK && !what)
        what = tell(tx_names[k], "cannot be closed", &err);
    return what;
}

// Closes what holds the attributes of /g.
static const char *
step_differs(tess_array *a, const struct tx_model *want)
{
    tess_error err;
    char wanted[TX_TEXT], *text = NULL;
    size_t size;
    const tess_status st = tess_attr_get_string(a, "step", &text, &size, &err);
    const bool same = want->step ? st == TESS_OK && strcmp(text, tx_text(want->step, wanted)) == 0
                                 : st == TESS_ERR_NOT_FOUND;
    if (!same && st == TESS_OK)
        (void)snprintf(err.message, sizeof err.message, "%.20s, not %" PRId64, text, want->step);
    const char *const what = same ? NULL : tell("/g", "has another attribute", &err);
    tess_free(text);
    if (tess_array_close(a, &err) != TESS_OK && !what)
        return tell("/g", "attributes cannot be closed", &err);
    return what;
}

static const char *
attributes_differ(tess_store *store, const struct tx_model *want)
{
    tess_entry entry;
    tess_error err;
    tess_array *a = NULL;
    const int64_t i = tess_store_find(store, "/g");
    if (i >= 0)
        tess_store_entry(store, i, &entry);
    if (i < 0 || !entry.attributes)
        return want->step ? tell("/g", "has no attributes", NULL) : NULL;
    return tess_store_attributes(store, "/g", &a, &err) == TESS_OK
               ? step_differs(a, want)
               : tell("/g", "attributes cannot be opened", &err);
}

static const char *
link_differs(tess_store *store, const struct tx_model *want)
{
    tess_error err;
    char *target = NULL;
    tess_array *a = NULL;
    const char *what = NULL;
    const tess_status st = tess_store_target(store, tx_link, &target, &err);
    if (want->link < 0)
        return st == TESS_ERR_NOT_FOUND ? NULL : tell(tx_link, "is there", NULL);
    if (st != TESS_OK)
        return tell(tx_link, "cannot be read", &err);
    if (strcmp(target, tx_names[want->link]) != 0)
        what = tell(tx_link, "leads elsewhere", NULL);
    tess_free(target);
    const tess_status opened = tess_store_array(store, tx_link, &a, &err);
    if (!what && want->arrays[want->link].there)
        return opened == TESS_OK ? array_differs(a, want, want->link)
                                 : tell(tx_link, "is not followed", &err);
    if (!what && opened != TESS_ERR_NOT_FOUND)
        what = tell(tx_link, "leads somewhere", NULL);
    return what;
}

const char *
tx_differs(tess_store *store, const struct tx_model *want)
{
    int64_t arrays = 0, found = 0;
    const char *what = NULL;
    for (int k = 0; k < TX_NAMES && !what; k++) {
        arrays += want->arrays[k].there;
        if (!want->arrays[k].there)
            continue;
        tess_error err;
        tess_array *a = NULL;
        what = tess_store_array(store, tx_names[k], &a, &err) == TESS_OK
                   ? array_differs(a, want, k)
                   : tell(tx_names[k], "cannot be opened", &err);
    }
    for (int64_t i = 0; i < tess_store_count(store); i++) {
        tess_entry entry;
        tess_store_entry(store, i, &entry);
        found += entry.kind != TESS_ENTRY_GROUP && entry.kind != TESS_ENTRY_LINK;
    }
    if (!what && arrays != found)
        what = tell(tess_store_count(store) > 0 ? "store" : "", "has other arrays", NULL);
    if (!what)
        what = link_differs(store, want);
    return what ? what : attributes_differ(store, want);
}

static tess_status
open_file(const char *directory, const char *name, const char *ending, tess_array **a,
          tess_error *err)
{
    tess_storage storage;
    char path[1000];
    (void)snprintf(path, sizeof path, "%s%s%s", directory, name, ending);
    tess_storage_init(&storage);
    storage.path = path;
    return tess_array_open(&storage, a, err);
}

const char *
tx_files_differ(const char *directory, const struct tx_model *want)
{
    const char *what = NULL;
    tess_error err;
    tess_array *a = NULL;
    for (int k = 0; k < TX_NAMES && !what; k++) {
        const tess_status st = open_file(directory, tx_names[k], ".b2nd", &a, &err);
        if (want->arrays[k].there)
            what = st == TESS_OK ? array_differs(a, want, k)
                                 : tell(tx_names[k], "is a file that cannot be opened", &err);
        else if (st != TESS_ERR_NOT_FOUND)
            what = tell(tx_names[k], "is a file still", NULL);
    }
    if (what || !want->step)
        return what;
    return open_file(directory, "/g/__vlmeta__", ".b2f", &a, &err) == TESS_OK
               ? step_differs(a, want)
               : tell("/g", "attributes are a file that cannot be opened", &err);
}
