/*
 * beside.c - another array in the folder of an array, by its name: a coordinate.
 */
#include "array/dims/beside.h"

#include "array/array.h"
#include "array/open/open.h"
#include "array/view.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "io/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// Where the last part of a path begins, and where its extension does; slashes at its end are no
// part of it.
static void
divide(const char *path, size_t *folder, size_t *extension, size_t *end)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    *end = *extension = length;
    for (*folder = length; *folder > 0 && path[*folder - 1] != '/';)
        --*folder;
    for (size_t i = length; i > *folder + 1; i--)
        if (path[i - 1] == '.') {
            *extension = i - 1;
            break;
        }
}

static bool
is_name(const char *name)
{
    return name[0] != '\0' && !strchr(name, '/') && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

// How the array was opened, for another path.
static tess_storage
storage_beside(const tess_array *base, const tess_plugins *plugins, const tess_context *context,
               const char *path)
{
    const struct frame_options *const options = frame_options(base->grid->frame);
    return (tess_storage){
        .struct_size = sizeof(tess_storage),
        .path = path,
        .mmap = base->mapped,
        .checksums = options->checksums,
        .limits = options->limits,
        .plugins = plugins,
        .context = context ? context : &base->context,
    };
}

// What is no array counts as nothing, and so do a name that is too long for a file and a link that
// leads nowhere.
static bool
is_none(const tess_error *why)
{
    return why->status == TESS_ERR_NOT_FOUND || why->status == TESS_ERR_FORMAT ||
           (why->status == TESS_ERR_IO && (why->sys == ENAMETOOLONG || why->sys == ELOOP));
}

static tess_status
open_at(const tess_array *base, const char *path, const tess_context *context, tess_array **out,
        tess_error *err)
{
    if (io_file_is_special(path))
        return err_set(err, TESS_ERR_FORMAT, -1, "is neither a file nor a directory");
    const struct plugins *const p = &base->grid->plugins;
    const tess_plugins plugins = {p->user_codecs, p->ncodecs, p->user_filters, p->nfilters};
    const tess_storage storage = storage_beside(base, &plugins, context, path);
    return array_open_newest(&storage, out, err);
}

tess_status
beside_open(const tess_array *a, const char *name, const tess_context *context, tess_array **out,
            tess_error *err)
{
    const tess_array *const base = view_base_const(a);
    size_t folder, extension, end;
    tess_error why;
    tess_status st = TESS_ERR_NOT_FOUND;
    *out = NULL;
    if (!base->path)
        return err_set(err, TESS_ERR_NOT_FOUND, -1,
                       "the array has no path, so nothing is beside it");
    if (!is_name(name))
        return err_set(err, TESS_ERR_NOT_FOUND, -1,
                       "\"%.80s\" cannot be the name of an array in the folder", name);
    divide(base->path, &folder, &extension, &end);
    const char *const own = base->path + extension;
    const struct {
        const char *text;
        size_t size;
    } extensions[] = {{own, end - extension}, {".b2nd", 5}, {"", 0}};
    const size_t size = folder + strlen(name) + (end - extension) + sizeof ".b2nd";
    char *const path = mem_alloc(size);
    if (!path)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions && st != TESS_OK; i++) {
        (void)snprintf(path, size, "%.*s%s%.*s", (int)folder, base->path, name,
                       (int)extensions[i].size, extensions[i].text);
        st = open_at(base, path, context, out, &why);
        if (st != TESS_OK && !is_none(&why)) {
            if (err)
                *err = why;
            mem_free(path);
            return st;
        }
    }
    mem_free(path);
    return st == TESS_OK ? st
                         : err_set(err, TESS_ERR_NOT_FOUND, -1,
                                   "there is no array \"%.80s\" in the folder of the array", name);
}
