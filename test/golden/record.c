/*
 * record.c - the files that interop.py reads.
 */
#include "golden/record.h"

#include <inttypes.h>
#include <string.h>

static const char *folder;
static FILE *list;

static void
give_up(const char *path)
{
    perror(path);
    exit(1);
}

void
record_begin(const char *path)
{
    folder = path;
    list = fopen(record_path("arrays", ".json"), "w");
    if (!list)
        give_up("arrays.json");
}

void
record_end(void)
{
    if (fclose(list) != 0)
        give_up("arrays.json");
}

const char *
record_path(const char *name, const char *extension)
{
    static char path[1000];

    (void)snprintf(path, sizeof path, "%s/%s%s", folder, name, extension);
    return path;
}

static void
write_name_and_hex(const char *separator, const char *name, const void *content, size_t size)
{
    const uint8_t *bytes = content;

    fprintf(list, "%s\"%s\": \"", separator, name);
    for (size_t i = 0; i < size; i++)
        fprintf(list, "%02x", bytes[i]);
    fputc('"', list);
}

static void
write_shape(const char *name, int ndim, const int64_t *shape)
{
    fprintf(list, "\"%s\": [", name);
    for (int i = 0; i < ndim; i++)
        fprintf(list, "%s%" PRId64, i ? ", " : "", shape[i]);
    fputs("], ", list);
}

void
record_array(const char *name, tess_array *a, const struct reference *r)
{
    record_array_in(name, name, a, r);
}

void
record_array_in(const char *file, const char *name, tess_array *a, const struct reference *r)
{
    const char *separator = "";
    tess_info info;
    FILE *f = fopen(record_path(name, ".bin"), "wb");

    const size_t nbytes = reference_size(r);
    if (!f || (nbytes > 0 && fwrite(r->data, 1, nbytes, f) != nbytes) || fclose(f) != 0)
        give_up(name);
    tess_array_info(a, &info);
    fprintf(list, "{\"name\": \"%s\", \"file\": \"%s\", \"offset\": %" PRId64 ", ", name, file,
            info.offset);
    write_shape("shape", r->ndim, r->shape);
    write_shape("chunkshape", info.ndim, info.chunkshape);
    write_shape("blockshape", info.ndim, info.blockshape);
    write_name_and_hex("", "fill", info.fill, info.fill ? (size_t)info.typesize : 0);
    fputs(", ", list);
    write_name_and_hex("", "dtype", info.dtype, info.dtype ? strlen(info.dtype) : 0);
    fprintf(list, ", \"typesize\": %" PRId32 ", \"layer\": \"%s\", \"metalayers\": {",
            info.typesize, info.layer ? info.layer : "");
    for (int i = 0; i < info.nmetalayers; i++) {
        tess_metalayer layer;
        MUST(tess_meta_at(a, i, &layer, err));
        if (info.layer && strcmp(layer.name, info.layer) == 0)
            continue;
        write_name_and_hex(separator, layer.name, layer.content, layer.size);
        separator = ", ";
    }
    fputs("}, \"vlmetalayers\": {", list);
    for (int i = 0; i < info.nvlmetalayers; i++) {
        void *content = NULL;
        size_t size = 0;
        MUST(tess_vlmeta_get(a, tess_vlmeta_name(a, i), &content, &size, err));
        write_name_and_hex(i ? ", " : "", tess_vlmeta_name(a, i), content, size);
        tess_free(content);
    }
    fputs("}}\n", list);
    MUST(tess_array_close(a, err));
}
