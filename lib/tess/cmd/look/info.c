/*
 * info.c - tess info: what an array is.
 *
 * Both forms are made in memory and printed when all is known: a file that turns out to be
 * damaged leaves nothing half-said on stdout. The list of chunks comes after that, one by one; it
 * ends where a chunk is damaged, and JSON then is left open.
 */
#include "commands.h"
#include "data/open.h"
#include "data/path.h"
#include "data/remote.h"
#include "formats/attributes.h"
#include "options.h"
#include "report.h"
#include "text/chunks.h"
#include "text/filters.h"
#include "text/items/item.h"
#include "text/items/real.h"
#include "text/json.h"
#include "text/names.h"
#include "text/text.h"
#include "text/value.h"

#include <tessera/meta.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bytes of the items without padding; -1 if they are 2^63 or more. A plain frame need not hold a
// whole number of items: there it is the bytes of the chunks.
static int64_t
items_nbytes(const tess_info *info)
{
    int64_t nbytes = -1;

    if (info->plain)
        return info->nbytes;
    if (__builtin_mul_overflow(info->nitems, info->typesize, &nbytes))
        return -1;
    return nbytes;
}

static const char *
split_name(int split)
{
    const char *name = names_text(names_split, split);
    return name ? name : "forward-compat";
}

// What an array is described by. Of its metalayers, those of variable length that hold a value are
// attributes; others stay what they are.
struct description {
    tess_array *a;
    tess_info info;
    struct attributes attributes;
    bool full; // however long they are
    bool measured; // the headers of all chunks were looked at
    int64_t size; // bytes of the file, or of all files of the directory; of the frame at a URL or
                  // an offset
};

// The list of names of the dimensions, if it is one.
static const tess_value *
dimension_names(const struct description *d)
{
    const struct attribute *const names = attributes_find(&d->attributes, ATTRIBUTES_DIMENSIONS);
    bool good = names && names->value.type == TESS_VALUE_LIST &&
                names->value.as.list.count == (size_t)d->info.ndim;

    for (int i = 0; good && i < d->info.ndim; i++)
        good = names->value.as.list.items[i].type == TESS_VALUE_STRING;
    return good ? &names->value : NULL;
}

static void
json_dimensions(struct json *j, const struct description *d)
{
    const tess_value *const names = dimension_names(d);

    if (!names) {
        json_string(j, "dimensions", NULL);
        return;
    }
    json_open(j, "dimensions", '[');
    for (int i = 0; i < d->info.ndim; i++)
        json_string(j, NULL, names->as.list.items[i].as.string.data);
    json_close(j, ']');
}

static tess_status
json_attributes(struct json *j, const tess_array *a, tess_error *err)
{
    tess_status st = TESS_OK;
    const char *name;

    json_open(j, "attributes", '{');
    for (int i = 0; st == TESS_OK && (name = tess_vlmeta_name(a, i)) != NULL; i++) {
        char *json = NULL;

        st = tess_attr_get_json(a, name, &json, err);
        if (st == TESS_OK)
            json_text(j, name, json);
        tess_free(json);
    }
    json_close(j, '}');
    return st;
}

static tess_status
json_metalayers(struct json *j, const tess_array *a, const tess_info *info, tess_error *err)
{
    tess_status st = TESS_OK;

    json_open(j, "metalayers", '{');
    for (int i = 0; i < info->nmetalayers; i++) {
        tess_metalayer layer;

        TRY(tess_meta_at(a, i, &layer, err));
        json_hex(j, layer.name, layer.content, layer.size);
    }
    json_close(j, '}');

    json_open(j, "vlmetalayers", '{');
    for (int i = 0; i < info->nvlmetalayers; i++) {
        const char *name = tess_vlmeta_name(a, i);
        void *content = NULL;
        size_t size = 0;

        TRY(tess_vlmeta_get(a, name, &content, &size, err));
        json_hex(j, name, content, size);
        tess_free(content);
    }
    json_close(j, '}');
out:
    return st;
}

static void
json_items(struct json *j, const tess_info *info)
{
    struct item_format format;

    json_int(j, "ndim", info->ndim);
    json_ints(j, "shape", info->ndim, info->shape);
    json_ints(j, "chunkshape", info->ndim, info->chunkshape);
    json_ints(j, "blockshape", info->ndim, info->blockshape);
    json_string(j, "dtype", info->dtype);
    json_known(j, "dtype_format", info->dtype != NULL, info->dtype_format);
    json_int(j, "typesize", info->typesize);
    json_int(j, "nitems", info->nitems);
    item_format_init(&format, info->dtype, info->typesize);
    if (info->fill)
        item_json(j, "fill", &format, info->fill);
    else
        json_string(j, "fill", NULL);
    item_format_finish(&format);
}

static void
json_codec(struct json *j, const tess_info *info)
{
    json_string(j, "codec", info->codec_name);
    json_int(j, "codec_id", info->codec);
    json_int(j, "codec_meta", info->codec_meta);
    json_int(j, "clevel", info->clevel);
    filters_json(j, info->filters, info->filters_meta);
    json_string(j, "splitmode", split_name(info->split));
    json_bool(j, "dictionary", info->dictionary);
}

static void
json_sizes(struct json *j, const struct description *d)
{
    const tess_info *const info = &d->info;

    json_int(j, "nchunks", info->nchunks);
    json_int(j, "chunksize", info->chunksize);
    json_int(j, "blocksize", info->blocksize);
    json_known(j, "nbytes", items_nbytes(info) >= 0, items_nbytes(info));
    json_int(j, "nbytes_padded", info->nbytes);
    json_int(j, "cbytes", info->cbytes);
    json_real(j, "cratio", info->ratio > 0 ? info->ratio : (double)NAN);
    json_int(j, "file_size", d->size);
    json_int(j, "nstored", info->nstored);
    json_int(j, "nspecial", info->nspecial);
    json_int(j, "nmissing", info->nmissing);
    json_known(j, "live", info->live >= 0, info->live);
    json_known(j, "holes", info->holes >= 0, info->holes);
}

static void
json_container(struct json *j, const tess_info *info)
{
    json_bool(j, "contiguous", info->contiguous);
    json_int(j, "offset", info->offset);
    json_int(j, "frame_version", info->frame_version);
    json_bool(j, "plain", info->plain);
    json_bool(j, "vlblocks", info->vlblocks);
    json_string(j, "metalayer", info->layer);
}

// The object stays open.
static tess_status
write_json(struct json *j, const struct description *d, tess_error *err)
{
    const tess_info *const info = &d->info;

    json_open(j, NULL, '{');
    json_items(j, info);
    json_codec(j, info);
    json_sizes(j, d);
    json_container(j, info);
    json_dimensions(j, d);
    const tess_status st = json_attributes(j, d->a, err);
    return st == TESS_OK ? json_metalayers(j, d->a, info, err) : st;
}

static void
write_dimensions(FILE *out, const struct description *d)
{
    const tess_value *const names = dimension_names(d);

    if (!names || d->info.ndim == 0)
        return;
    fputs("  dimensions    ", out);
    for (int i = 0; i < d->info.ndim; i++) {
        fputs(i > 0 ? ", " : "", out);
        const tess_value *const name = &names->as.list.items[i];

        text_write(out, name->as.string.data);
        fprintf(out, "%s%" PRId64, name->as.string.size > 0 ? " = " : "", d->info.shape[i]);
    }
    fputc('\n', out);
}

// As in files of other formats: what stands in the map `attributes`, too.
static tess_status
write_attributes(FILE *out, const struct description *d, tess_error *err)
{
    tess_status st = TESS_OK;
    bool any = false;

    for (int i = 0; i < d->attributes.count; i++) {
        const struct attribute *const a = &d->attributes.items[i];

        if (a->value.type == TESS_VALUE_OPAQUE)
            continue;
        fputs(any ? "    " : "  attributes\n    ", out);
        any = true;
        text_write(out, a->name);
        fputs(" = ", out);
        TRY(value_write(out, &a->value, d->full, err));
        fputc('\n', out);
    }
out:
    return st;
}

static tess_status
write_metalayers(FILE *out, const struct description *d, tess_error *err)
{
    const tess_array *const a = d->a;
    const tess_info *const info = &d->info;
    tess_status st = TESS_OK;

    for (int i = 0; i < info->nmetalayers; i++) {
        tess_metalayer layer;

        TRY(tess_meta_at(a, i, &layer, err));
        fputs("  metalayer     ", out);
        text_write(out, layer.name);
        fprintf(out, ", %zu bytes\n", layer.size);
    }
    for (int i = 0; i < d->attributes.count; i++) {
        const struct attribute *const layer = &d->attributes.items[i];

        if (layer->value.type != TESS_VALUE_OPAQUE)
            continue;
        fputs("  vlmetalayer   ", out);
        text_write(out, layer->name);
        fprintf(out, ", %zu bytes\n", layer->value.as.bytes.size);
    }
out:
    return st;
}

static void
write_shape(FILE *out, const char *label, int ndim, const int64_t *shape)
{
    fprintf(out, "  %-13s ", label);
    text_shape_write(out, ndim, shape);
    fputc('\n', out);
}

// The item that growth shows, where that is not zeros.
static void
write_fill(FILE *out, const tess_info *info)
{
    struct item_format format;

    if (!info->fill)
        return;
    item_format_init(&format, info->dtype, info->typesize);
    fputs("  fill          ", out);
    item_print(out, &format, info->fill);
    item_format_finish(&format);
    fputc('\n', out);
}

// What the chunks take; what other programs left between them, or later writes will use, apart.
static void
write_stored(FILE *out, const struct description *d)
{
    const tess_info *const info = &d->info;
    const int64_t nbytes = items_nbytes(info);

    fprintf(out, "  stored        %" PRId64 " of %" PRId64 " chunks", info->nstored, info->nchunks);
    if (info->nspecial > 0)
        fprintf(out, "; %" PRId64 " of zeros or NaNs", info->nspecial);
    if (info->nmissing > 0)
        fprintf(out, "; %" PRId64 " never written", info->nmissing);
    fputs("\n  bytes         ", out);
    if (nbytes >= 0)
        fprintf(out, "%" PRId64 " of items", nbytes);
    else
        fputs("2^63 or more of items", out);
    if (info->live >= 0)
        fprintf(out, ", stored in %" PRId64, info->live);
    else if (d->measured)
        fputs(", stored in a number that is not known: a chunk is damaged", out);
    if (info->ratio > 0)
        fprintf(out, " (ratio %.2f)", info->ratio);
    if (info->holes > 0)
        fprintf(out, "\n  holes         %" PRId64 " bytes, for later writes", info->holes);
    fprintf(out, "\n  %-13s %" PRId64 " bytes\n", info->contiguous ? "file" : "all files", d->size);
}

static tess_status
write_words(FILE *out, const struct description *d, tess_error *err)
{
    const tess_info *const info = &d->info;
    tess_status st = TESS_OK;

    fprintf(out, "%s array, %s frame of version %d", info->layer ? info->layer : "plain",
            info->contiguous ? "contiguous" : "sparse", info->frame_version);
    if (info->offset)
        fprintf(out, " at byte %" PRId64, info->offset);
    fputc('\n', out);
    write_shape(out, "shape", info->ndim, info->shape);
    write_dimensions(out, d);
    write_shape(out, "chunks", info->ndim, info->chunkshape);
    write_shape(out, "blocks", info->ndim, info->blockshape);
    fputs("  items         ", out);
    text_write(out, info->dtype && info->dtype[0] ? info->dtype : "of unknown type");
    fprintf(out, ", %" PRId32 " bytes each\n", info->typesize);
    write_fill(out, info);
    fprintf(out, "  codec         %s", info->codec_name);
    if (strcmp(info->codec_name, "unknown") == 0)
        fprintf(out, " (%d)", info->codec);
    if (info->codec_meta)
        fprintf(out, ":%d", info->codec_meta);
    fprintf(out, ", level %d, split %s%s\n", info->clevel, split_name(info->split),
            info->dictionary ? ", with dictionaries" : "");
    fputs("  filters       ", out);
    filters_write(out, info->filters, info->filters_meta);
    fputc('\n', out);
    write_stored(out, d);
    TRY(write_metalayers(out, d, err));
    TRY(write_attributes(out, d, err));
out:
    return st;
}

// What there is to say besides the chunks, all of it or nothing; j is NULL: in words.
static tess_status
print_array(struct json *j, const struct description *d, tess_error *err)
{
    char *text = NULL;
    size_t text_size = 0;
    FILE *const out = open_memstream(&text, &text_size);

    if (!out)
        return report_errno(err, "cannot describe");
    if (j)
        j->out = out;
    tess_status st = j ? write_json(j, d, err) : write_words(out, d, err);
    if (fclose(out) != 0 && st == TESS_OK)
        st = report_nomem(err, (int64_t)text_size);
    if (st == TESS_OK)
        (void)fwrite(text, 1, text_size, stdout);
    free(text);
    return st;
}

static tess_status
print_words(const struct description *d, bool chunks, tess_error *err)
{
    const tess_status st = print_array(NULL, d, err);

    return st == TESS_OK && chunks ? chunks_write(stdout, d->a, &d->info, err) : st;
}

static tess_status
print_json(const struct description *d, bool chunks, tess_error *err)
{
    struct json j;
    tess_status st = TESS_OK;

    json_init(&j, stdout);
    TRY(print_array(&j, d, err));
    j.out = stdout;
    if (chunks)
        TRY(chunks_json(&j, d->a, &d->info, err));
    json_end(&j);
out:
    return st;
}

static int
run_info(const struct arguments *args)
{
    const char *path = args->words[0];
    const bool chunks = args->values[OPT_LIST_CHUNKS] != NULL;
    struct description d = {.full = args->values[OPT_FULL] != NULL};
    tess_status st = TESS_OK;
    tess_error err;

    TRY(open_array(path, args, &d.a, &err));
    d.measured = !remote_is_url(path); // there the header of each chunk would be a request
    if (d.measured)
        TRY(open_measure(d.a, &d.info, &err));
    else
        tess_array_info(d.a, &d.info);
    d.size = d.measured && !args->values[OPT_OFFSET] ? path_size(path) : -1;
    if (d.size < 0) // not a file of its own
        d.size = d.info.file_size;
    TRY(attributes_load(&d.attributes, d.a, &err));
    st = args->values[OPT_JSON] ? print_json(&d, chunks, &err) : print_words(&d, chunks, &err);
out:
    attributes_finish(&d.attributes);
    tess_array_discard(d.a);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(path, &err);
}

const struct command cmd_info = {
    .name = "info",
    .purpose = "what an array is: shape, type, codec, sizes, metadata",
    .words = "PATH",
    .nwords = 1,
    .options = OPTIONS(OPT_JSON, OPT_OFFSET, OPT_LIST_CHUNKS, OPT_FULL),
    .details =
        "Attributes are printed as NAME = VALUE, long values up to 72 characters, or with --full\n"
        "all of it. The names of dimensions are those of the attribute _ARRAY_DIMENSIONS.\n"
        "Characters that control a terminal are printed as \\xNN.\n\n"
        "Kinds of chunks: blocks (filtered and compressed), plain (the bytes as they are), zeros,\n"
        "nans, value (one item, repeated), uninit (never written).\n",
    .examples =
        (const struct example[]){
            {"what an array is", "tess info winds.b2nd"},
            {"how each of its chunks is stored", "tess info winds.b2nd --chunks"},
            {"attributes in full", "tess info winds.b2nd --full"},
            {"for a program", "tess info winds.b2nd --json"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"ndim", "integer", "number of axes"},
            {"shape", "integers", "items along each axis"},
            {"chunkshape", "integers", "of a chunk, likewise"},
            {"blockshape", "integers", "of a block"},
            {"dtype", "string or null", "type of the items, as in NumPy; null: not recorded"},
            {"dtype_format", "integer or null", "notation of dtype; 0: NumPy"},
            {"typesize", "integer", "bytes of an item"},
            {"nitems", "integer", "product of shape"},
            {"fill", "item or null", "what growth shows; null: zeros"},
            {"codec", "string", "of new chunks, as all up to dictionary; those there may differ"},
            {"codec_id", "integer", "its number in the format"},
            {"codec_meta", "integer", "its parameter, as the 4 of ndlz:4"},
            {"clevel", "integer", "compression level, 0 to 9"},
            {"filters", "strings", "their names, 6, in the order in which they are applied"},
            {"filters_id", "integers", "their numbers in the format"},
            {"filters_meta", "integers", "their parameters"},
            {"splitmode", "string", "always, never, auto or forward-compat"},
            {"dictionary", "boolean", "chunks get a dictionary where that pays"},
            {"nchunks", "integer", "number of chunks"},
            {"chunksize", "integer", "bytes of a chunk with its padding; 0: they differ"},
            {"blocksize", "integer", "bytes of a block with its padding; 0: they differ"},
            {"nbytes", "integer or null", "bytes of all items; null: 2^63 or more"},
            {"nbytes_padded", "integer", "bytes of all chunks with their padding"},
            {"cbytes", "integer", "bytes of all chunks as they are stored, and the holes"},
            {"cratio", "number or null", "nbytes / live; null: nothing is stored, or as live"},
            {"file_size", "integer",
             "bytes of the file, or of all files of the directory; of the frame alone at\n"
             "an --offset or a URL"},
            {"nstored", "integer", "chunks with bytes of their own"},
            {"nspecial", "integer", "chunks of zeros or NaNs, without bytes of their own"},
            {"nmissing", "integer", "chunks that were never written"},
            {"live", "integer or null",
             "bytes of the nstored chunks; null: not known, one of them is damaged"},
            {"holes", "integer or null", "bytes between them, for later writes; null: likewise"},
            {"contiguous", "boolean", "one file; false: a directory with one file per chunk"},
            {"offset", "integer", "byte of the file where the frame begins"},
            {"frame_version", "integer", "of the format"},
            {"plain", "boolean", "a frame without N-dimensional metalayer, shown as one axis"},
            {"vlblocks", "boolean", "blocks differ in size; only in plain frames"},
            {"metalayer", "string or null",
             "the one that describes the array: b2nd or caterva; null: plain"},
            {"dimensions", "strings or null",
             "their names, from _ARRAY_DIMENSIONS; null: it is not there, or does not fit"},
            {"attributes.NAME", "any", "value of each, in the notation of tess attr"},
            {"metalayers.NAME", "string", "content of each metalayer, in hexadecimal"},
            {"vlmetalayers.NAME", "string",
             "of each of variable length; attributes are among them"},
            {"chunks", "list or absent", "with --chunks: the chunks, in C order of the grid"},
            {"chunks[].position", "integers or absent",
             "in the grid of chunks; but in plain frames"},
            {"chunks[].offset", "integer or absent", "its first item; in plain frames"},
            {"chunks[].kind", "string", "blocks, plain, zeros, nans, value or uninit"},
            {"chunks[].stored", "boolean", "has bytes of its own; false: the index says it all"},
            {"chunks[].nbytes", "integer", "bytes with its padding"},
            {"chunks[].cbytes", "integer", "as they are stored"},
            {"chunks[].nblocks", "integer or absent",
             "number of blocks; as all below only where kind is blocks"},
            {"chunks[].blocksize", "integer or absent",
             "bytes of each but the last; 0: they differ"},
            {"chunks[].codec", "string or absent", "of the blocks; lz4 stands for lz4hc, too"},
            {"chunks[].codec_id", "integer or absent", "its number in the format"},
            {"chunks[].filters", "strings or absent",
             "their names, 6, in the order in which they are applied"},
            {"chunks[].filters_id", "integers or absent", "their numbers in the format"},
            {"chunks[].filters_meta", "integers or absent", "their parameters"},
            {"chunks[].split", "boolean or absent", "blocks are cut into byte streams"},
            {"chunks[].dictionary_size", "integer or absent", "bytes of its dictionary; 0: none"},
            {"chunks[].blocks", "integers or absent", "bytes of each block, where blocksize is 0"},
            {0},
        },
    .run = run_info,
};
