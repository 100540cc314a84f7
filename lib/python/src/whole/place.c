/*
 * place.c - where an array is: paths, URLs, memory; and with which resources it is opened.
 *
 * URLs need the library tessera-http. A build without it says so.
 */
#include "whole/place.h"

#include "base/array.h"
#include "base/call.h"
#include "base/error.h"
#include "base/family.h"
#include "base/memory.h"
#include "base/store.h"

#ifdef HAVE_HTTP
#include <tessera/http.h>
#endif

#include <limits.h>
#include <string.h>

static const char *const checksums[] = {[TESS_CHECKSUMS_WRITE] = "write",
                                        [TESS_CHECKSUMS_VERIFY] = "verify",
                                        [TESS_CHECKSUMS_NONE] = "none"};
static const char *const durabilities[] = {[TESS_DURABILITY_NONE] = "none",
                                           [TESS_DURABILITY_ORDERED] = "ordered",
                                           [TESS_DURABILITY_FSYNC] = "fsync"};

// A key that is a whole number. False: an exception is set.
static bool
take_number(PyObject *dict, const char *key, int64_t least, int64_t most, int64_t *number)
{
    bool ok;
    PyObject *const value = py_memory_key(dict, key, &ok);
    if (!value)
        return ok;
    const int64_t n = PyLong_AsLongLong(value);
    if (n == -1 && PyErr_Occurred())
        return false;
    if (n < least || n > most) {
        PyErr_Format(PyExc_ValueError, "%s is %lld, expected %lld to %lld", key, (long long)n,
                     (long long)least, (long long)most);
        return false;
    }
    *number = n;
    return true;
}

// A key that is true or false. False: an exception is set.
static bool
take_flag(PyObject *dict, const char *key, bool *flag)
{
    bool ok;
    PyObject *const value = py_memory_key(dict, key, &ok);
    const int is = value ? PyObject_IsTrue(value) : 0;
    *flag = is == 1;
    return ok && is >= 0;
}

// A key that is one of three words: its ordinal. False: an exception is set.
static bool
take_word(PyObject *dict, const char *key, const char *const words[3], int *ordinal)
{
    bool ok;
    PyObject *const value = py_memory_key(dict, key, &ok);
    const char *const text = value ? py_memory_text(value, key) : NULL;
    if (!text)
        return ok && !PyErr_Occurred();
    for (int i = 0; i < 3; i++)
        if (strcmp(text, words[i]) == 0) {
            *ordinal = i;
            return true;
        }
    PyErr_Format(PyExc_ValueError, "%s is %R, and can be '%s', '%s' or '%s'", key, value, words[0],
                 words[1], words[2]);
    return false;
}

// A key that is a time in seconds, as milliseconds; -1: without end. False: an exception is set.
static bool
take_seconds(PyObject *dict, const char *key, int64_t *milliseconds)
{
    bool ok;
    PyObject *const value = py_memory_key(dict, key, &ok);
    if (!value)
        return ok;
    const double seconds = PyFloat_AsDouble(value);
    if (PyErr_Occurred())
        return false;
    if (!(seconds >= 0)) {
        PyErr_Format(PyExc_ValueError, "%s is %R, and is a number of seconds from 0 on", key,
                     value);
        return false;
    }
    const int64_t whole = seconds < 1e15 ? (int64_t)(seconds * 1000) : -1;
    *milliseconds = whole + (whole >= 0 && (double)whole < seconds * 1000); // less than one is one
    return true;
}

#ifdef HAVE_HTTP
// NULL if there is none, or an exception is set.
static const char *
take_text(PyObject *dict, const char *key)
{
    bool ok;
    PyObject *const value = py_memory_key(dict, key, &ok);
    return value ? py_memory_text(value, key) : NULL;
}
#endif

static bool
take_url(struct py_place *place, PyObject *dict)
{
#ifdef HAVE_HTTP
    tess_http_options options;
    tess_error err;
    const char *const url = py_memory_text(place->name, "a URL");

    tess_http_options_init(&options);
    if (url)
        options.ca_file = take_text(dict, "ca_file");
    if (!PyErr_Occurred())
        options.token = take_text(dict, "token");
    if (!PyErr_Occurred())
        options.cache_dir = take_text(dict, "cache_dir");
    if (PyErr_Occurred())
        return false;
    tess_source_init(&place->source);
    const tess_status st = tess_http_source(url, &options, &place->source, &err);
    if (st != TESS_OK) {
        py_error_set(st, &err, place->name);
        return false;
    }
    place->has_source = true;
    place->storage.source = &place->source;
    return true;
#else
    (void)dict;
    PyErr_Format(PyExc_OSError,
                 "%R is a URL, and this package was built without them: libcurl 7.85 or later and "
                 "nettle, with headers, were not found then, or the option http was disabled",
                 place->name);
    return false;
#endif
}

// An entry of a store, whose family it joins.
static bool
take_entry(struct py_place *place, PyObject *dict, PyObject *object)
{
    bool ok;
    struct py_store *const store = py_store_of(object);
    PyObject *const entry = store ? py_memory_key(dict, "entry", &ok) : NULL;
    const char *const text = entry ? py_memory_text(entry, "the name of an array") : NULL;

    if (!text) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_KeyError, "entry");
        return false;
    }
    place->path = PyBytes_FromString(text);
    if (!place->path)
        return false;
    char *bytes;
    if (PyBytes_AsStringAndSize(place->path, &bytes, NULL) < 0)
        return false;
    py_family_leave(place->family);
    place->family = store->family;
    place->family->refs++;
    place->store = (struct py_store *)(void *)Py_NewRef(object);
    place->storage.path = bytes;
    return true;
}

static bool
take_path(struct py_place *place, PyObject *dict)
{
    bool ok, url;
    PyObject *const path = py_memory_key(dict, "path", &ok);
    char *bytes;

    place->name = Py_NewRef(path ? path : Py_None);
    PyObject *const store = ok ? py_memory_key(dict, "store", &ok) : NULL;
    if (store)
        return take_entry(place, dict, store);
    if (!ok || place->name == Py_None)
        return ok;
    if (!take_flag(dict, "url", &url))
        return false;
    if (url)
        return take_url(place, dict);
    if (!PyUnicode_FSConverter(path, &place->path) ||
        PyBytes_AsStringAndSize(place->path, &bytes, NULL) < 0)
        return false;
    place->storage.path = bytes;
    return true;
}

// A frame in memory, which the family of the array holds.
static bool
take_image(struct py_place *place, PyObject *dict)
{
    bool ok;
    PyObject *const image = py_memory_key(dict, "image", &ok);
    if (!image)
        return ok;
    if (PyObject_GetBuffer(image, &place->family->image, PyBUF_SIMPLE) < 0)
        return false;
    place->family->has_image = true;
    place->storage.image = place->family->image.buf;
    place->storage.image_size = (size_t)place->family->image.len;
    return true;
}

// How a file is guarded against others, crashes and its own claims.
static bool
take_guards(tess_storage *storage, PyObject *dict)
{
    int sums = TESS_CHECKSUMS_WRITE, durability = TESS_DURABILITY_ORDERED;
    const bool ok = take_word(dict, "checksums", checksums, &sums) &&
                    take_word(dict, "durability", durabilities, &durability) &&
                    take_number(dict, "memory_limit", 1, INT64_MAX, &storage->limits.memory) &&
                    take_seconds(dict, "wait", &storage->wait) &&
                    take_flag(dict, "lock_file", &storage->lock_file) &&
                    take_flag(dict, "explicit_commits", &storage->explicit_commits);
    storage->checksums = (tess_checksums)sums;
    storage->durability = (tess_durability)durability;
    return ok;
}

bool
py_place_parse(struct py_place *place, PyObject *dict)
{
    int64_t mode = TESS_MODE_READ, threads = 0;

    *place = (struct py_place){0};
    tess_storage_init(&place->storage);
    tess_context_init(&place->context);
    place->context.progress = py_call_progress;
    place->family = py_family_new();
    if (!place->family)
        return false;
    if (!take_number(dict, "mode", TESS_MODE_READ, TESS_MODE_REPLACE, &mode) ||
        !take_number(dict, "threads", 1, INT_MAX, &threads) ||
        !take_number(dict, "cache", 0, INT64_MAX, &place->context.cache) ||
        !take_flag(dict, "mmap", &place->storage.mmap) || !take_guards(&place->storage, dict) ||
        !take_path(place, dict) || !take_image(place, dict))
        return false;
    place->context.threads = (int)threads;
    place->storage.mode = (tess_mode)mode;
    place->storage.context = &place->context;
    return true;
}

bool
py_place_begin(struct py_place *place, struct py_call *call, const struct py_array *from)
{
    if (!place->store)
        return from ? py_call_begin(call, from, PY_SHARED) : py_call_begin_new(call);
    if (!py_store_begin(call, place->store, PY_EXCLUSIVE, from))
        return false;
    place->storage.store = place->store->handle;
    place->losses = place->store->family->losses;
    return true;
}

PyObject *
py_place_array(struct py_place *place, PyObject *class, struct py_call *call, tess_status st,
               tess_array *handle)
{
    if (st == TESS_OK)
        place->has_source = false;
    if (!py_call_end_at(call, st, place->name)) {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        if (st == TESS_OK)
            tess_array_discard(handle); // a handler of a signal raised as the call ended
        PyErr_Restore(type, value, traceback);
        return NULL;
    }
    struct py_family *const family = place->family;
    place->family = NULL;
    PyObject *const array = py_array_new(class, handle, family, place->name, NULL);
    if (array && place->store)
        py_array_join((struct py_array *)(void *)array, (PyObject *)place->store,
                      family->losses != place->losses);
    return array;
}

void
py_place_finish(struct py_place *place)
{
    if (place->has_source && place->source.close)
        place->source.close(place->source.user);
    place->has_source = false;
    py_family_leave(place->family);
    place->family = NULL;
    Py_XDECREF((PyObject *)place->store);
    place->store = NULL;
    Py_CLEAR(place->path);
    Py_CLEAR(place->name);
}
