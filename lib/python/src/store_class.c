/*
 * store_class.c - the class _tessera.Store: a store, its entries and its commits.
 *
 * Arrays of a store that is written hold its object, so that it is closed after them. When the
 * program closes it, or forgets changes, they are closed with it.
 */
#include "store_class.h"

#include "base/array.h"
#include "base/call.h"
#include "base/family.h"
#include "base/memory.h"
#include "base/store.h"
#include "whole/place.h"

#include <stdlib.h>
#include <string.h>

static struct py_store *
store_of(PyObject *self)
{
    return (struct py_store *)(void *)self;
}

// -- open and close

// Whether an open was successful, and no handler of a signal raised. False: an exception is set.
static bool
end_open(struct py_store *s, struct py_place *place, struct py_call *call, tess_status st)
{
    if (st == TESS_OK)
        place->has_source = false;
    s->written = place->storage.mode != TESS_MODE_READ;
    s->family = place->family;
    s->family->alone = s->written;
    place->family = NULL;
    s->place = Py_NewRef(place->name);
    return py_call_end_at(call, st, place->name);
}

// Store(place, commit): commit a str, or None.
static PyObject *
store_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *dict, *commit;
    struct py_place place;
    struct py_call call;
    const char *text = NULL;
    const allocfunc allocate = (allocfunc)(uintptr_t)PyType_GetSlot(type, Py_tp_alloc);

    if (!PyArg_ParseTupleAndKeywords(args, named, "O!O", PY_KEYWORDS("place", "commit"),
                                     &PyDict_Type, &dict, &commit))
        return NULL;
    if (commit != Py_None && !(text = py_memory_text(commit, "a commit")))
        return NULL;
    struct py_store *s = store_of(allocate(type, 0));
    if (!s)
        return NULL;
    bool ok = py_place_parse(&place, dict) && py_call_begin_new(&call);
    if (ok) {
        const tess_status st =
            text ? tess_store_open_commit(&place.storage, text, &s->handle, &call.err)
                 : tess_store_open(&place.storage, &s->handle, &call.err);
        ok = end_open(s, &place, &call, st);
    }
    py_place_finish(&place);
    if (!ok)
        Py_CLEAR(s);
    return (PyObject *)s;
}

static int
store_traverse(PyObject *self, visitproc visit, void *arg)
{
    (void)self;
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void
store_dealloc(PyObject *self)
{
    struct py_store *const s = store_of(self);
    PyTypeObject *const type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    if (s->family)
        py_family_notice_fork(s->family);
    if (!s->handle || s->family->broken)
        py_family_leave(s->family);
    else
        py_call_forget((struct py_gone){.store = s->handle}, s->family, NULL);
    Py_CLEAR(s->place);
    ((freefunc)(uintptr_t)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF((PyObject *)type);
}

// close(): what is not committed is forgotten, and arrays of a store that is written are closed.
static PyObject *
store_close(PyObject *self, PyObject *none)
{
    struct py_store *const s = store_of(self);
    struct py_call call;

    (void)none;
    if (!s->handle)
        Py_RETURN_NONE;
    if (!py_call_begin_store(&call, s, PY_EXCLUSIVE, NULL)) {
        if (!call.closed || !PyErr_ExceptionMatches(PyExc_ValueError))
            return NULL;
        PyErr_Clear(); // another thread closed it while this one waited
        Py_RETURN_NONE;
    }
    tess_store_close(s->handle);
    s->handle = NULL; // calls that wait for this one find it closed
    py_call_back(&call);
    py_array_lose_all(s->family);
    return py_call_end(&call, TESS_OK) ? Py_NewRef(Py_None) : NULL;
}

// -- entries

// Ends a call on an entry: one that is not there is KeyError.
static bool
end_entry(struct py_call *call, tess_status st, PyObject *name)
{
    if (st != TESS_ERR_NOT_FOUND)
        return py_call_end(call, st);
    if (py_call_end(call, TESS_OK))
        PyErr_SetObject(PyExc_KeyError, name);
    return false;
}

// The index of an entry, without the GIL; also the root.
static tess_status
find(const struct py_store *s, const char *path, int64_t *index, tess_error *err)
{
    *index = tess_store_find(s->handle, path);
    if (*index >= 0)
        return TESS_OK;
    const bool listed = !s->written || tess_store_count(s->handle) > 0;
    const char *const words = listed ? "the store has no such entry" : "no memory for a listing";
    *err = (tess_error){.sys = 0};
    strcpy(err->message, words);
    return listed ? TESS_ERR_NOT_FOUND : TESS_ERR_NOMEM;
}

// _kind(path): the number of its kind, or None.
static PyObject *
store_kind(PyObject *self, PyObject *name)
{
    const struct py_store *const s = store_of(self);
    const char *const path = py_memory_name(name, "the name of an entry");
    struct py_call call;
    tess_entry entry = {.kind = TESS_ENTRY_GROUP};
    int64_t index;

    if (!path || !py_store_begin(&call, s, py_store_access(s), NULL))
        return NULL;
    const tess_status st = find(s, path, &index, &call.err);
    if (st == TESS_OK)
        tess_store_entry(s->handle, index, &entry);
    if (!py_call_end(&call, st == TESS_ERR_NOT_FOUND ? TESS_OK : st))
        return NULL;
    return st == TESS_OK ? PyLong_FromLong(entry.kind) : Py_NewRef(Py_None);
}

// What an entry is, kept while the store changes.
struct listed {
    char *path; // owned
    tess_entry_kind kind;
    int64_t size;
};

struct list {
    struct listed *entries;
    int64_t n;
};

static void
list_finish(struct list *list)
{
    for (int64_t i = 0; i < list->n; i++)
        free(list->entries[i].path);
    free(list->entries);
}

// The entries of a group, or all below it; of an array none. Without the GIL.
static tess_status
list_entries(const struct py_store *s, const char *path, bool deep, struct list *list,
             tess_error *err)
{
    int64_t first;
    tess_status st = find(s, path, &first, err);
    if (st != TESS_OK)
        return st;
    const int64_t end = tess_store_next(s->handle, first);
    list->entries = calloc((size_t)(end - first), sizeof *list->entries);
    if (!list->entries)
        st = TESS_ERR_NOMEM;
    for (int64_t i = first + 1; i < end && st == TESS_OK;
         i = deep ? i + 1 : tess_store_next(s->handle, i)) {
        tess_entry entry;
        tess_store_entry(s->handle, i, &entry);
        char *const own = malloc(strlen(entry.path) + 1);
        if (own)
            list->entries[list->n++] = (struct listed){
                .path = strcpy(own, entry.path), .kind = entry.kind, .size = entry.size};
        else
            st = TESS_ERR_NOMEM;
    }
    if (st != TESS_OK)
        strcpy(err->message, "no memory for the entries of a store");
    return st;
}

static PyObject *
list_object(const struct list *list)
{
    PyObject *const object = PyList_New((Py_ssize_t)list->n);
    for (int64_t i = 0; object && i < list->n; i++) {
        const struct listed *const x = &list->entries[i];
        PyObject *const one = Py_BuildValue("(siL)", x->path, (int)x->kind, (long long)x->size);
        if (!one) {
            Py_DECREF(object);
            return NULL;
        }
        (void)PyList_SetItem(object, (Py_ssize_t)i, one);
    }
    return object;
}

// _entries(path, deep): a list of (path, kind, size).
static PyObject *
store_entries(PyObject *self, PyObject *args)
{
    const struct py_store *const s = store_of(self);
    PyObject *name, *object = NULL;
    struct list list = {NULL, 0};
    struct py_call call;
    int deep;

    if (!PyArg_ParseTuple(args, "Op", &name, &deep))
        return NULL;
    const char *const path = py_memory_name(name, "the name of an entry");
    if (!path || !py_store_begin(&call, s, py_store_access(s), NULL))
        return NULL;
    const tess_status st = list_entries(s, path, deep != 0, &list, &call.err);
    if (end_entry(&call, st, name))
        object = list_object(&list);
    list_finish(&list);
    return object;
}

// The family of an array that is opened: a new one, if the store is read. NULL: an exception is
// set.
static struct py_family *
family_for_array(const struct py_store *s)
{
    if (s->written) {
        s->family->refs++;
        return s->family;
    }
    struct py_family *const family = py_family_new();
    if (!family || !s->family->has_image)
        return family;
    if (PyObject_GetBuffer(s->family->image.obj, &family->image, PyBUF_SIMPLE) < 0) {
        py_family_leave(family);
        return NULL;
    }
    family->has_image = true;
    return family;
}

// Ends a call that opened an array, whose family is passed on. NULL: an exception is set.
static PyObject *
end_array(struct py_store *s, struct py_call *call, tess_status st, PyObject *name,
          tess_array *handle, PyObject *class, struct py_family *family, PyObject *place)
{
    const unsigned losses = family->losses; // of this call
    if (!end_entry(call, st, name)) {
        if (handle) // a handler of a signal raised as the call ended
            py_call_forget((struct py_gone){.array = handle}, family, NULL);
        else
            py_family_leave(family);
        return NULL;
    }
    if (!handle) {
        py_family_leave(family);
        return Py_NewRef(Py_None);
    }
    PyObject *const array = py_array_new(class, handle, family, place, NULL);
    if (array && s->written)
        py_array_join((struct py_array *)(void *)array, (PyObject *)s, s->family->losses != losses);
    return array;
}

// _array(class, name, place): None: it is a group. KeyError: there is none. place names it in
// errors.
static PyObject *
store_array(PyObject *self, PyObject *args)
{
    struct py_store *const s = store_of(self);
    PyObject *class, *name, *place;
    struct py_call call;
    tess_array *handle = NULL;

    if (!PyArg_ParseTuple(args, "OOO", &class, &name, &place))
        return NULL;
    const char *const path = py_memory_name(name, "the name of an array");
    struct py_family *const family = path ? family_for_array(s) : NULL;
    if (!family)
        return NULL;
    if (!py_store_begin(&call, s, py_store_access(s), NULL)) {
        py_family_leave(family);
        return NULL;
    }
    const tess_status st = tess_store_array(s->handle, path, &handle, &call.err);
    return end_array(s, &call, st == TESS_ERR_TYPE ? TESS_OK : st, name, handle, class, family,
                     place);
}

// What holds the attributes of a group; NULL if it has none, and none are to be made. Without the
// GIL.
static tess_status
open_attributes(const struct py_store *s, const char *path, bool make, tess_array **handle,
                tess_error *err)
{
    int64_t index;
    tess_entry entry;
    if (make)
        return tess_store_attributes(s->handle, path, handle, err);
    const tess_status st = find(s, path, &index, err);
    if (st != TESS_OK)
        return st;
    tess_store_entry(s->handle, index, &entry);
    return entry.attributes ? tess_store_attributes(s->handle, path, handle, err) : TESS_OK;
}

// _attributes(class, name, place, make)
static PyObject *
store_attributes(PyObject *self, PyObject *args)
{
    struct py_store *const s = store_of(self);
    PyObject *class, *name, *place;
    struct py_call call;
    tess_array *handle = NULL;
    int make;

    if (!PyArg_ParseTuple(args, "OOOp", &class, &name, &place, &make))
        return NULL;
    const char *const path = py_memory_name(name, "the name of a group");
    struct py_family *const family = path ? family_for_array(s) : NULL;
    if (!family)
        return NULL;
    if (!py_store_begin(&call, s, py_store_access(s), NULL)) {
        py_family_leave(family);
        return NULL;
    }
    const tess_status st = open_attributes(s, path, make != 0, &handle, &call.err);
    return end_array(s, &call, st, name, handle, class, family, place);
}

// _remove(name)
static PyObject *
store_remove(PyObject *self, PyObject *name)
{
    const struct py_store *const s = store_of(self);
    const char *const path = py_memory_name(name, "the name of an entry");
    struct py_call call;

    if (!path || !py_store_begin(&call, s, PY_EXCLUSIVE, NULL))
        return NULL;
    const tess_status st = tess_store_remove(s->handle, path, &call.err);
    return end_entry(&call, st, name) ? Py_NewRef(Py_None) : NULL;
}

// _rename(name, new name)
static PyObject *
store_rename(PyObject *self, PyObject *args)
{
    const struct py_store *const s = store_of(self);
    PyObject *name, *new_name;
    struct py_call call;

    if (!PyArg_ParseTuple(args, "OO", &name, &new_name))
        return NULL;
    const char *const from = py_memory_name(name, "the name of an entry");
    const char *const to = from ? py_memory_text(new_name, "the name of an entry") : NULL;
    if (!to || !py_store_begin(&call, s, PY_EXCLUSIVE, NULL))
        return NULL;
    const tess_status st = tess_store_rename(s->handle, from, to, &call.err);
    return end_entry(&call, st, name) ? Py_NewRef(Py_None) : NULL;
}

// _link(target, name)
static PyObject *
store_link(PyObject *self, PyObject *args)
{
    const struct py_store *const s = store_of(self);
    PyObject *target, *name;
    struct py_call call;

    if (!PyArg_ParseTuple(args, "OO", &target, &name))
        return NULL;
    const char *const to = py_memory_name(target, "the name of an entry");
    const char *const path = to ? py_memory_text(name, "the name of an entry") : NULL;
    if (!path || !py_store_begin(&call, s, PY_EXCLUSIVE, NULL))
        return NULL;
    const tess_status st = tess_store_link(s->handle, to, path, &call.err);
    return end_entry(&call, st, target) ? Py_NewRef(Py_None) : NULL;
}

// _target(name): where a link leads.
static PyObject *
store_target(PyObject *self, PyObject *name)
{
    const struct py_store *const s = store_of(self);
    const char *const path = py_memory_name(name, "the name of a link");
    struct py_call call;
    char *target = NULL;

    if (!path || !py_store_begin(&call, s, py_store_access(s), NULL))
        return NULL;
    const tess_status st = tess_store_target(s->handle, path, &target, &call.err);
    PyObject *const text = end_entry(&call, st, name) ? PyUnicode_FromString(target) : NULL;
    tess_free(target);
    return text;
}

// -- commits

static PyObject *
store_commit(PyObject *self, PyObject *none)
{
    const struct py_store *const s = store_of(self);
    struct py_call call;

    (void)none;
    if (!py_store_begin(&call, s, PY_EXCLUSIVE, NULL))
        return NULL;
    const tess_status st = tess_store_commit(s->handle, &call.err);
    return py_call_end(&call, st) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *
store_abort(PyObject *self, PyObject *none)
{
    const struct py_store *const s = store_of(self);
    struct py_call call;

    (void)none;
    if (!py_store_begin(&call, s, PY_EXCLUSIVE, NULL))
        return NULL;
    const tess_status st = tess_store_abort(s->handle, &call.err);
    py_call_back(&call);
    if (st == TESS_OK)
        py_array_lose_all(s->family);
    return py_call_end(&call, st) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *
store_refresh(PyObject *self, PyObject *none)
{
    const struct py_store *const s = store_of(self);
    struct py_call call;
    bool changed = false;

    (void)none;
    if (!py_store_begin(&call, s, PY_EXCLUSIVE, NULL))
        return NULL;
    const tess_status st = tess_store_refresh(s->handle, &changed, &call.err);
    return py_call_end(&call, st) ? PyBool_FromLong(changed) : NULL;
}

// A call on the name of a commit.
static PyObject *
call_on_name(PyObject *self, PyObject *name,
             tess_status (*function)(tess_store *, const char *, tess_error *))
{
    const struct py_store *const s = store_of(self);
    const char *const text = py_memory_text(name, "the name of a commit");
    struct py_call call;

    if (!text || !py_store_begin(&call, s, PY_EXCLUSIVE, NULL))
        return NULL;
    const tess_status st = function(s->handle, text, &call.err);
    return py_call_end(&call, st) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *
store_name_commit(PyObject *self, PyObject *name)
{
    return call_on_name(self, name, tess_store_name_commit);
}

static PyObject *
store_forget_commit(PyObject *self, PyObject *name)
{
    return call_on_name(self, name, tess_store_forget_commit);
}

// A list of (number, name), where name is a str or None.
static PyObject *
commits_object(const tess_commit *commits, int64_t count)
{
    PyObject *const list = PyList_New((Py_ssize_t)count);
    for (int64_t i = 0; list && i < count; i++) {
        const char *const name = commits[i].name;
        PyObject *const text = name ? PyUnicode_DecodeFSDefault(name) : Py_NewRef(Py_None);
        PyObject *const pair =
            text ? Py_BuildValue("(KN)", (unsigned long long)commits[i].number, text) : NULL;
        if (!pair) {
            Py_DECREF(list);
            return NULL;
        }
        (void)PyList_SetItem(list, (Py_ssize_t)i, pair);
    }
    return list;
}

static PyObject *
store_commits(PyObject *self, PyObject *none)
{
    const struct py_store *const s = store_of(self);
    tess_commit *commits = NULL;
    PyObject *object = NULL;
    struct py_call call;
    int64_t count;

    (void)none;
    if (!py_store_begin(&call, s, py_store_access(s), NULL))
        return NULL;
    const tess_status st = tess_store_commits(s->handle, &commits, &count, &call.err);
    if (py_call_end(&call, st))
        object = commits_object(commits, count);
    tess_free(commits);
    return object;
}

// -- properties

static PyObject *
get_number(PyObject *self, void *none)
{
    const struct py_store *const s = store_of(self);
    struct py_call call;

    (void)none;
    if (!py_store_begin(&call, s, py_store_access(s), NULL))
        return NULL;
    const uint64_t number = tess_store_number(s->handle);
    return py_call_end(&call, TESS_OK) ? PyLong_FromUnsignedLongLong(number) : NULL;
}

// A name of a file, and why it is left out, as two str.
static PyObject *
left_out_object(const char *name, const char *reason)
{
    PyObject *const text = PyUnicode_DecodeFSDefault(name);
    PyObject *const words = PyUnicode_FromString(reason);
    PyObject *const pair = text && words ? PyTuple_Pack(2, text, words) : NULL;
    Py_XDECREF(words);
    Py_XDECREF(text);
    return pair;
}

static PyObject *
get_left_out(PyObject *self, void *none)
{
    const struct py_store *const s = store_of(self);
    struct py_call call;
    const char *name, *reason;
    PyObject *list;
    bool more, ok = true;

    (void)none;
    list = PyList_New(0);
    for (int64_t i = 0; list && ok; i++) {
        char *own = NULL;
        ok = py_store_begin(&call, s, py_store_access(s), NULL);
        if (!ok)
            break;
        more = tess_store_left_out(s->handle, i, &name, &reason);
        if (more && (own = malloc(strlen(name) + 1)))
            strcpy(own, name); // another thread may refresh the store
        ok = py_call_end(&call, TESS_OK);
        if (ok && more && !own) {
            ok = false;
            PyErr_NoMemory();
        }
        PyObject *const pair = ok && more ? left_out_object(own, reason) : NULL;
        free(own);
        if (ok && !more)
            return list;
        ok = pair && PyList_Append(list, pair) == 0;
        Py_XDECREF(pair);
    }
    Py_XDECREF(list);
    return NULL;
}

static PyObject *
get_place(PyObject *self, void *none)
{
    (void)none;
    return Py_NewRef(store_of(self)->place);
}

static PyObject *
get_closed(PyObject *self, void *none)
{
    (void)none;
    return PyBool_FromLong(!store_of(self)->handle);
}

static PyObject *
get_writable(PyObject *self, void *none)
{
    (void)none;
    return PyBool_FromLong(store_of(self)->written);
}

static PyMethodDef methods[] = {
    {"close", store_close, METH_NOARGS,
     "Close the store, and forget what was not committed. Arrays that were opened for writing are "
     "closed, too; those that were opened for reading stay open."},
    {"commit", store_commit, METH_NOARGS,
     "Make all changes current at once. Waits for calls of other threads on arrays of the store."},
    {"abort", store_abort, METH_NOARGS,
     "Forget all that was not committed. Arrays of the store are closed: their calls raise "
     "StaleError. They can be opened again."},
    {"refresh", store_refresh, METH_NOARGS,
     "Read the newest commit from here on; returns whether there was another one. Arrays that are "
     "open stay as they are."},
    {"name_commit", store_name_commit, METH_O,
     "Give the last commit a name, by which it stays, and can be opened."},
    {"forget_commit", store_forget_commit, METH_O,
     "Take the name from a commit. The next writer removes it, unless it is read."},
    {"_commits", store_commits, METH_NOARGS, "_commits()"},
    {"_kind", store_kind, METH_O, "_kind(name)"},
    {"_entries", store_entries, METH_VARARGS, "_entries(name, deep)"},
    {"_array", store_array, METH_VARARGS, "_array(class, name, place)"},
    {"_attributes", store_attributes, METH_VARARGS, "_attributes(class, name, place, make)"},
    {"_remove", store_remove, METH_O, "_remove(name)"},
    {"_rename", store_rename, METH_VARARGS, "_rename(name, new_name)"},
    {"_link", store_link, METH_VARARGS, "_link(target, name)"},
    {"_target", store_target, METH_O, "_target(name)"},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"path", get_place, NULL, "Path or URL; None for a zip file in memory.", NULL},
    {"closed", get_closed, NULL, "Whether the store is closed.", NULL},
    {"writable", get_writable, NULL, "Whether the store was opened for writing.", NULL},
    {"number", get_number, NULL,
     "The number of the commit that is read, or was made last; 0: there are no commits.", NULL},
    {"left_out", get_left_out, NULL,
     "Files, or members of the zip file, that are no entries: pairs of a name and the reason.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

bool
py_store_class_add(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)(uintptr_t) "tessera.Store is the class of programs."},
        {Py_tp_new, (void *)store_new},
        {Py_tp_traverse, (void *)store_traverse},
        {Py_tp_dealloc, (void *)store_dealloc},
        {Py_tp_methods, methods},
        {Py_tp_getset, properties},
        {0, NULL},
    };
    PyType_Spec spec = {.name = "tessera._tessera.Store",
                        .basicsize = sizeof(struct py_store),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                        .slots = slots};

    PyObject *const class = PyType_FromSpec(&spec);
    py_store_set_class(class);
    return class && PyModule_AddObjectRef(module, "Store", class) == 0;
}
