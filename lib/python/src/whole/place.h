/*
 * place.h - where an array is: paths, URLs, memory; and with which resources it is opened.
 */
#ifndef PYTHON_WHOLE_PLACE_H
#define PYTHON_WHOLE_PLACE_H

#include "base/array.h"
#include "base/call.h"
#include "base/py.h"

struct py_place {
    tess_storage storage;
    tess_context context;
    tess_source source; // of a URL
    bool has_source; // and no array has taken it over
    PyObject *name; // str: path or URL; None: memory
    PyObject *path; // bytes that storage.path is; NULL
    struct py_family *family; // of the array
    struct py_store *store; // that a new array is made in; or NULL
    unsigned losses; // of its family, when the call began
};

/*
 * Reads a place from a dict: path (str or None), url (bool), mode (of tess_mode), threads, cache
 * (numbers), mmap (bool), image (what has bytes), checksums, durability (words), memory_limit (a
 * number), wait (seconds, may be infinite), lock_file, explicit_commits (bool), and for URLs
 * ca_file, token, cache_dir (str). For a new array in a store: store, and entry (str), its path in
 * it; path only names it then. What it lacks is as tess_storage_init() and tess_context_init()
 * set it. False: an exception is set. Free it with py_place_finish() in either case.
 */
bool py_place_parse(struct py_place *place, PyObject *dict);

// Begins a call that makes an array there: of nothing, or of the items of another one, which is
// read. NULL: there is none. False: an exception is set.
bool py_place_begin(struct py_place *place, struct py_call *call, const struct py_array *from);

// An object of a class below _tessera.Array for the array that a call made of the place. Ends the
// call. NULL: an exception is set.
PyObject *py_place_array(struct py_place *place, PyObject *class, struct py_call *call,
                         tess_status st, tess_array *handle);

void py_place_finish(struct py_place *place);

#endif
