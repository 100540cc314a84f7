/*
 * chunks.c - the list of an array's chunks.
 *
 * Chunks are printed one by one, whatever their number: widths of columns come from what the array
 * says of itself.
 */
#include "text/chunks.h"

#include "report.h"
#include "text/filters.h"
#include "text/names.h"

#include <tessera/chunk.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NKINDS = TESS_CHUNK_UNINIT + 1, POSITION_SIZE = TESS_MAX_NDIM * 21 };

// What a line of the table needs.
struct table {
    FILE *out;
    const tess_info *info;
    int number_width, position_width;
    int64_t count[NKINDS], nbytes[NKINDS], cbytes[NKINDS];
};

// Where chunk n stands in the grid.
static void
grid_position(const tess_info *info, int64_t n, int64_t *position)
{
    for (int i = info->ndim - 1; i >= 0; i--) {
        const int64_t length = (info->shape[i] - 1) / info->chunkshape[i] + 1;
        position[i] = n % length;
        n /= length;
    }
}

// "2,0,5"; its length.
static int
position_text(const tess_info *info, int64_t n, int64_t offset, char *text)
{
    int64_t position[TESS_MAX_NDIM];
    int length = 0;

    if (info->plain)
        return snprintf(text, POSITION_SIZE, "%" PRId64, offset);
    if (info->ndim == 0)
        return snprintf(text, POSITION_SIZE, "()");
    grid_position(info, n, position);
    for (int i = 0; i < info->ndim; i++)
        length += snprintf(text + length, (size_t)(POSITION_SIZE - length), "%s%" PRId64,
                           i ? "," : "", position[i]);
    return length;
}

static void
codec_text(int id, char *text, size_t size)
{
    const char *const name = names_codec(id);

    if (name)
        (void)snprintf(text, size, "%s", name);
    else
        (void)snprintf(text, size, "codec %d", id);
}

static void
write_head(struct table *t)
{
    const char *const position = t->info->plain ? "offset" : "position";
    char text[POSITION_SIZE];

    t->number_width = snprintf(text, sizeof text, "%" PRId64, t->info->nchunks);
    if (t->number_width < 5)
        t->number_width = 5;
    t->position_width = (int)strlen(position);
    if (t->info->nchunks > 0) { // the last one has the most digits
        const int width = position_text(t->info, t->info->nchunks - 1, t->info->nitems, text);
        if (t->position_width < width)
            t->position_width = width;
    }
    fprintf(t->out, "\n  %*s  %-*s  %-6s %10s %10s %9s %7s %6s  %-13s  %s\n", t->number_width,
            "chunk", t->position_width, position, "kind", "bytes", "stored", "ratio", "blocks",
            "dict", "codec", "filters");
}

static void
write_row(const struct table *t, int64_t n, const tess_chunk_info *chunk)
{
    char position[POSITION_SIZE];
    char ratio[32] = "-";
    char codec[16];

    (void)position_text(t->info, n, chunk->offset, position);
    if (chunk->stored)
        (void)snprintf(ratio, sizeof ratio, "%.2f", (double)chunk->nbytes / (double)chunk->cbytes);
    fprintf(t->out, "  %*" PRId64 "  %-*s  %-6s %10" PRId64 " %10" PRId64 " %9s", t->number_width,
            n, t->position_width, position, names_text(names_chunk, (int)chunk->kind),
            chunk->nbytes, chunk->cbytes, ratio);
    if (chunk->kind == TESS_CHUNK_BLOCKS) {
        codec_text(chunk->codec, codec, sizeof codec);
        fprintf(t->out, " %7" PRId32 " %6" PRId32 "  %-13s  ", chunk->nblocks,
                chunk->dictionary_size, codec);
        filters_write(t->out, chunk->filters, chunk->filters_meta);
    }
    fputc('\n', t->out);
}

static void
write_sum(const struct table *t)
{
    const char *separator = ": ";

    fprintf(t->out, "  %" PRId64 " chunk%s", t->info->nchunks, t->info->nchunks == 1 ? "" : "s");
    for (int k = 0; k < NKINDS; k++) {
        if (t->count[k] == 0)
            continue;
        fprintf(t->out, "%s%" PRId64 " %s, %" PRId64 " bytes stored in %" PRId64, separator,
                t->count[k], names_text(names_chunk, k), t->nbytes[k], t->cbytes[k]);
        separator = "; ";
    }
    fputc('\n', t->out);
}

tess_status
chunks_write(FILE *out, tess_array *a, const tess_info *info, tess_error *err)
{
    struct table t = {.out = out, .info = info};
    tess_chunk_info chunk;

    write_head(&t);
    for (int64_t n = 0; n < info->nchunks; n++) {
        const tess_status st = tess_array_chunk(a, n, &chunk, err);
        if (st != TESS_OK)
            return st;
        write_row(&t, n, &chunk);
        t.count[chunk.kind]++;
        t.nbytes[chunk.kind] += chunk.nbytes;
        t.cbytes[chunk.kind] += chunk.cbytes;
    }
    write_sum(&t);
    return TESS_OK;
}

// Sizes of blocks, where they have sizes of their own.
static tess_status
json_block_sizes(struct json *j, tess_array *a, int64_t n, const tess_chunk_info *chunk,
                 tess_error *err)
{
    int32_t *const sizes = calloc((size_t)chunk->nblocks, sizeof *sizes);

    if (!sizes)
        return report_nomem(err, (int64_t)sizeof *sizes * chunk->nblocks);
    const tess_status st = tess_array_chunk_blocks(a, n, sizes, (size_t)chunk->nblocks, err);
    if (st == TESS_OK) {
        json_open(j, "blocks", '[');
        for (int32_t i = 0; i < chunk->nblocks; i++)
            json_int(j, NULL, sizes[i]);
        json_close(j, ']');
    }
    free(sizes);
    return st;
}

static tess_status
json_blocks(struct json *j, tess_array *a, int64_t n, const tess_chunk_info *chunk, tess_error *err)
{
    char codec[16];

    codec_text(chunk->codec, codec, sizeof codec);
    json_int(j, "nblocks", chunk->nblocks);
    json_int(j, "blocksize", chunk->blocksize);
    json_string(j, "codec", codec);
    json_int(j, "codec_id", chunk->codec);
    filters_json(j, chunk->filters, chunk->filters_meta);
    json_bool(j, "split", chunk->split);
    json_int(j, "dictionary_size", chunk->dictionary_size);
    return chunk->blocksize > 0 ? TESS_OK : json_block_sizes(j, a, n, chunk, err);
}

static tess_status
json_chunk(struct json *j, tess_array *a, const tess_info *info, int64_t n, tess_error *err)
{
    int64_t position[TESS_MAX_NDIM];
    tess_chunk_info chunk;

    tess_status st = tess_array_chunk(a, n, &chunk, err);
    if (st != TESS_OK)
        return st;
    json_open(j, NULL, '{');
    if (info->plain) {
        json_int(j, "offset", chunk.offset);
    } else {
        grid_position(info, n, position);
        json_ints(j, "position", info->ndim, position);
    }
    json_string(j, "kind", names_text(names_chunk, (int)chunk.kind));
    json_bool(j, "stored", chunk.stored);
    json_int(j, "nbytes", chunk.nbytes);
    json_int(j, "cbytes", chunk.cbytes);
    if (chunk.kind == TESS_CHUNK_BLOCKS)
        st = json_blocks(j, a, n, &chunk, err);
    json_close(j, '}');
    return st;
}

tess_status
chunks_json(struct json *j, tess_array *a, const tess_info *info, tess_error *err)
{
    tess_status st = TESS_OK;

    json_open(j, "chunks", '[');
    for (int64_t n = 0; n < info->nchunks && st == TESS_OK; n++)
        st = json_chunk(j, a, info, n, err);
    json_close(j, ']');
    return st;
}
