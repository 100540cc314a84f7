/*
 * seeds.c - writes inputs for a target into a folder: seeds TARGET FOLDER FRAME...
 *
 * Frames are taken apart: `chunk` gets their chunks, `layers` their metalayers. `roundtrip` gets
 * bytes from a fixed seed, `npy` and `dtype` texts, `json` texts and `value` what they mean,
 * `packet` packets, `sparse` the files of new arrays, `lz4` blocks of bytes from a fixed seed, and
 * the frames as such; `zip` zip files with three of the frames; `manifest` a commit of a store,
 * whose files and moves were changed, or some of whose bytes were. The targets frame and update
 * take frames as they are; they and `chunk` get some with filters and codecs that files rarely
 * have.
 */
#include "chunk/header.h"
#include "codec/codec.h"
#include "frame/format/header.h"
#include "fuzz/fuzz.h"
#include "fuzz/owner.h"
#include "fuzz/place.h"
#include "fuzz/store_place.h"
#include "meta/json.h"
#include "store/manifest.h"
#include "support/random.h"
#include "support/zips.h"

#include <tessera.h>

#include <unistd.h>

enum {
    SEED_MAX = 1 << 14, // bytes of a piece of a frame
    PIECES_MAX = 12, // of one frame
    ROUNDTRIPS = 300,
    ROUNDTRIP_SIZE = 200,
    UPDATE_DECISIONS = 48, // as update.c has it
    BLOCKS = 60,
    BLOCK_SIZE = 2000,
    SPARSES = 20,
    SPARSE_DECISIONS = 32, // as sparse.c has it
    CHUNK_FILES = 6, // of a sparse array, at most
    PACKETS = 18,
    CHANGES = 8, // of each
    ZIPS = 32,
    MANIFESTS = 120,
};

struct folder {
    const char *path;
    int count;
    uint8_t extent; // of the blocks of what is taken apart, less one
};

static void
put(struct folder *to, const void *prefix, size_t prefix_size, const void *rest, size_t size)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/seed%05d", to->path, to->count++);
    FILE *const out = fopen(path, "wb");
    must(out, "cannot write %s", path);
    const bool whole =
        fwrite(prefix, 1, prefix_size, out) == prefix_size && fwrite(rest, 1, size, out) == size;
    must(fclose(out) == 0 && whole, "cannot write %s", path);
}

// Whatever looks like a chunk, among them the index and the layers of the trailer.
static void
cut_chunks(struct folder *to, const uint8_t *frame, size_t size)
{
    const uint8_t e = to->extent;
    struct chunk_header h;
    int n = 0;

    for (size_t at = 0; at + CHUNK_HEADER_SIZE <= size && n < PIECES_MAX; at++) {
        if (chunk_header_parse(frame + at, CHUNK_HEADER_SIZE, (int64_t)(size - at), 0, &h, NULL) !=
                TESS_OK ||
            h.header_size < CHUNK_HEADER_SIZE || h.nbytes == 0 || h.cbytes > SEED_MAX)
            continue;
        const uint8_t surroundings[8] = {0, (uint8_t)h.typesize, (uint8_t)(n % 3), e, e, e, e, e};
        put(to, surroundings, sizeof surroundings, frame + at, (size_t)h.cbytes);
        at += (size_t)h.cbytes - 1;
        n++;
    }
}

static void
cut_layers(struct folder *to, const uint8_t *frame, size_t size)
{
    static const uint8_t kinds[] = {0, 1, 2, 3};
    struct frame_header h;

    if (frame_header_parse(frame, size < FRAME_HEADER_SIZE ? size : FRAME_HEADER_SIZE,
                           (int64_t)size, &h, NULL) != TESS_OK ||
        !h.has_layers || h.header_len > SEED_MAX || (size_t)h.frame_len > size)
        return;
    const size_t header = (size_t)h.header_len;
    put(to, &kinds[0], 1, frame + h.fixed_size, header - (size_t)h.fixed_size);
    // Behind the length of its content, an N-dimensional layer starts like this.
    for (size_t at = (size_t)h.fixed_size; at + 5 < header; at++) {
        const bool layer = frame[at] == 0xc6 && (frame[at + 5] & 0xf0) == 0x90;
        const size_t n = layer ? get_u32be(frame + at + 1) : 0;
        if (n > 0 && n <= header - at - 5)
            put(to, &kinds[2 + to->count % 2], 1, frame + at + 5, n);
    }
    if (h.has_trailer && h.version >= 2) {
        const size_t end = (size_t)h.frame_len;
        const size_t length = get_u32be(frame + end - 22); // ahead of the fingerprint
        if (length > 25 && length <= end && length <= SEED_MAX)
            put(to, &kinds[1], 1, frame + end - length + 2, length - 25);
    }
}

// *size bytes, to be freed.
static uint8_t *
load(const char *path, size_t *size)
{
    FILE *const in = fopen(path, "rb");
    must(in && fseek(in, 0, SEEK_END) == 0, "cannot read %s", path);
    const long end = ftell(in);
    must(end >= 0 && fseek(in, 0, SEEK_SET) == 0, "cannot read %s", path);
    *size = (size_t)end;
    uint8_t *const bytes = exact_memory(*size);
    must(fread(bytes, 1, *size, in) == *size, "cannot read %s", path);
    fclose(in);
    return bytes;
}

static void
cut_frame(struct folder *to, void (*cut)(struct folder *to, const uint8_t *frame, size_t size),
          const char *path)
{
    size_t size;
    uint8_t *const frame = load(path, &size);

    cut(to, frame, size);
    free(frame);
}

static const char *const types[] = {
    "<f8",
    "|u1",
    ">i2",
    "<M8[ns]",
    "<m8[25us]",
    "|S12",
    "<U3",
    "<c16",
    "|b1",
    "float64",
    "[('a', '<i4'), ('b', '<f8', (2,3))]",
    "{'names':['a'],'formats':['<f4'],'itemsize':8}",
    "{'names':['a','b'],'formats':['<f4','|S3'],'offsets':[4,1],'itemsize':8,'aligned':True}",
    "('>u4', (2,2))",
};

static const uint8_t item[16] = {1, 2, 3, 4, 5, 6, 7, 0x3f, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f};

static void
put_types(struct folder *to)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[100];
        const int n = snprintf(text, sizeof text, "%s%c\2\2\3", types[i], 0);
        put(to, text, (size_t)n, item, sizeof item);
    }
}

// JSON, or as msgpack what it means.
static void
put_values(struct folder *to, bool packed)
{
    static const char *const texts[] = {
        " null\n",
        "[true, false, 0, -1, 127, 128, -32769, 4294967296, 18446744073709551615, -1e-3, 0.1]",
        "\"a\\\"\\n\\u00e4\\ud83d\\ude00\\u0000/\"",
        "{\"x\": {\"y\": [[], {}, \"\"]}, \"x\": 1.7976931348623157e308}",
        "{\"$bytes\": \"AAEC/w==\"}",
        "[{\"$float\": \"nan\"}, {\"$float\": \"-inf\"}, {\"$ext\": [-1, \"ZR8a8A==\"]}]",
        "{\"$map\": [[1, \"a\"], [{\"$map\": []}, 2], [\"$map\", null]]}",
        "{\"$opaque\": \"wQ==\"}",
        "{\"$opaque\": \"y///////////\"}",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint8_t *bytes;
        size_t size;
        must(json_read(texts[i], &bytes, &size, NULL) == TESS_OK, "%s", texts[i]);
        if (packed)
            put(to, bytes, size, "", 0);
        else
            put(to, texts[i], strlen(texts[i]), "", 0);
        free(bytes);
    }
}

// The variable-length metalayers of a frame.
static void
put_attributes(struct folder *to, const uint8_t *frame, size_t size)
{
    tess_storage storage;
    tess_array *a;
    const char *name;

    tess_storage_init(&storage);
    storage.image = frame;
    storage.image_size = size;
    if (tess_array_open(&storage, &a, NULL) != TESS_OK)
        return;
    for (int i = 0; (name = tess_vlmeta_name(a, i)); i++) {
        void *content;
        size_t content_size;
        if (tess_vlmeta_get(a, name, &content, &content_size, NULL) != TESS_OK)
            continue;
        if (content_size > 0 && content_size <= SEED_MAX)
            put(to, content, content_size, "", 0);
        tess_free(content);
    }
    tess_array_discard(a);
}

// A frame and decisions of the target update; to others they are bytes behind it.
static void
put_frame(struct folder *to, const uint8_t *frame, size_t size)
{
    uint8_t decisions[UPDATE_DECISIONS];
    struct random r;

    random_init(&r, (uint64_t)to->count);
    random_bytes(&r, decisions, sizeof decisions);
    put(to, frame, size, decisions, sizeof decisions);
}

static const struct {
    int codec;
    uint8_t codec_meta;
    uint8_t filter;
    uint8_t filter_meta;
    int32_t typesize;
} rare[] = {
    {TESS_CODEC_NDLZ, 4, TESS_FILTER_NONE, 0, 1},
    {TESS_CODEC_NDLZ, 8, TESS_FILTER_SHUFFLE, 0, 4},
    {TESS_CODEC_LZ4, 0, TESS_FILTER_NDCELL, 3, 2},
    {TESS_CODEC_ZSTD, 0, TESS_FILTER_NDMEAN, 4, 4},
    {TESS_CODEC_ZLIB, 0, TESS_FILTER_NDMEAN, 2, 8},
    {TESS_CODEC_ZFP_ACCURACY, 2, TESS_FILTER_NONE, 0, 4},
    {TESS_CODEC_ZFP_PRECISION, 12, TESS_FILTER_NONE, 0, 8},
    {TESS_CODEC_ZFP_RATE, 50, TESS_FILTER_NONE, 0, 4},
};

// 20 x 18 items in blocks of 8 x 8.
static void
rare_params(tess_params *p, size_t i)
{
    tess_params_init(p);
    p->codec = (tess_codec)rare[i].codec;
    p->codec_meta = rare[i].codec_meta;
    memset(p->filters, 0, sizeof p->filters);
    p->filters[0] = rare[i].filter;
    p->filters_meta[0] = rare[i].filter_meta;
    p->split = p->codec == TESS_CODEC_NDLZ ? TESS_SPLIT_ALWAYS : TESS_SPLIT_NEVER;
    p->typesize = rare[i].typesize;
    p->ndim = 2;
    memcpy(p->shape, (const int64_t[]){20, 18}, 2 * sizeof *p->shape);
    memcpy(p->chunkshape, (const int64_t[]){16, 16}, 2 * sizeof *p->chunkshape);
    memcpy(p->blockshape, (const int64_t[]){8, 8}, 2 * sizeof *p->blockshape);
}

// Arrays whose items come in runs; handed to `cut` as a frame each.
static void
put_rare(struct folder *to, void (*cut)(struct folder *to, const uint8_t *frame, size_t size))
{
    uint8_t items[20 * 18 * 8];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    const void *image;
    size_t size;
    tess_error err = {0};

    tess_storage_init(&storage);
    for (size_t k = 0; k < sizeof items; k++)
        items[k] = (uint8_t)(k / 24 * 0x35 & 0x3f);
    to->extent = 7;
    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++) {
        rare_params(&params, i);
        const size_t items_size = 20 * 18 * (size_t)params.typesize;
        const tess_status st = tess_array_from(&storage, &params, items, items_size, &a, &err);
        if (st == TESS_ERR_UNSUPPORTED) // ZFP is an optional part
            continue;
        must(st == TESS_OK && tess_array_image(a, &image, &size, &err) == TESS_OK, "%s",
             err.message);
        cut(to, image, size);
        must(tess_array_close(a, &err) == TESS_OK, "%s", err.message);
    }
}

// Flags and decisions, others each time.
static size_t
begin_sparse(const struct folder *to, bool one_file, uint8_t *dst)
{
    struct random r;

    random_init(&r, (uint64_t)to->count);
    random_bytes(&r, dst, 1 + SPARSE_DECISIONS);
    dst[0] = (uint8_t)((to->count & 1) | (one_file ? 2 : 0));
    return 1 + SPARSE_DECISIONS;
}

static void
put_file(struct folder *to, const uint8_t *frame, size_t size)
{
    uint8_t head[1 + SPARSE_DECISIONS + 1] = {0};

    (void)begin_sparse(to, true, head);
    put(to, head, sizeof head, frame, size);
}

// The files of the array at place_path().
static void
put_directory(struct folder *to)
{
    static uint8_t head[1 + SPARSE_DECISIONS + 1 + CHUNK_FILES * (3 + UINT16_MAX)];
    uint8_t *chunks[CHUNK_FILES];
    size_t sizes[CHUNK_FILES];
    char path[5000], name[PLACE_NAME_SIZE];
    uint8_t n = 0;

    size_t used = begin_sparse(to, false, head);
    uint8_t *const count = &head[used++];
    for (unsigned number = 0; number <= UINT8_MAX && n < CHUNK_FILES; number++) {
        place_chunk_name(number, name);
        snprintf(path, sizeof path, "%s/%s", place_path(), name);
        if (access(path, F_OK) != 0)
            continue;
        chunks[n] = load(path, &sizes[n]);
        must(sizes[n] <= UINT16_MAX, "%s is too large for a seed", name);
        head[used++] = (uint8_t)number;
        put_u16be(head + used, (uint16_t)sizes[n]);
        used += 2;
        n++;
    }
    *count = n;
    for (int i = 0; i < n; i++) {
        memcpy(head + used, chunks[i], sizes[i]);
        used += sizes[i];
        free(chunks[i]);
    }
    snprintf(path, sizeof path, "%s/chunks.b2frame", place_path());
    size_t index_size;
    uint8_t *const index = load(path, &index_size);
    put(to, head, used, index, index_size);
    free(index);
}

static void
sparse_params(tess_params *p, int i)
{
    static const tess_codec codecs[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_ZLIB,
                                        TESS_CODEC_ZSTD};

    tess_params_init(p);
    p->layout = TESS_LAYOUT_SPARSE;
    p->layer = i % 5 == 4 ? TESS_LAYER_CATERVA : TESS_LAYER_B2ND;
    p->codec = codecs[i % 4];
    p->typesize = 1 << i % 4;
    p->ndim = i / 4 % 4;
    memcpy(p->shape, (const int64_t[]){9, 5, 1}, 3 * sizeof *p->shape);
    memcpy(p->chunkshape, (const int64_t[]){5, 3, 1}, 3 * sizeof *p->chunkshape);
    memcpy(p->blockshape, (const int64_t[]){3, 2, 1}, 3 * sizeof *p->blockshape);
}

// An array of 4 chunks at most, with holes, or written twice so that numbers are free.
static void
put_sparse(struct folder *to, int i)
{
    static const int64_t stop[] = {9, 5, 1};
    const int64_t start[] = {i % 3 * 3, 0, 0};
    uint8_t items[9 * 5 * 8 + 1];
    struct random r;
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err = {0};

    random_init(&r, (uint64_t)i);
    random_bytes(&r, items, sizeof items);
    for (size_t k = 0; k < sizeof items && i % 3 != 0; k++)
        items[k] &= 1;
    tess_storage_init(&storage);
    storage.path = place_path();
    storage.mode = TESS_MODE_NEW;
    sparse_params(&params, i);
    place_clear();
    must(tess_array_zeros(&storage, &params, &a, &err) == TESS_OK, "%s", err.message);
    for (int k = 0; k < 1 + i % 2; k++)
        must(tess_array_write(a, start, stop, items + k, sizeof items - 1, &err) == TESS_OK &&
                 tess_array_flush(a, &err) == TESS_OK,
             "%s", err.message);
    if (i % 3 == 1)
        must(tess_attr_set_json(a, "units", "[\"m\", 1.5]", &err) == TESS_OK, "%s", err.message);
    must(tess_array_close(a, &err) == TESS_OK, "%s", err.message);
    put_directory(to);
    place_clear();
}

static void
put_texts(struct folder *to, bool types_only)
{
    static const char *const texts[] = {
        "\1{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }  \n",
        "\2{'descr': [('a', '<i4'), ('b', '<f8', (2,))], 'fortran_order': True, 'shape': (5,), }",
        "\3\3\12\11\10:,5,::-2",
        "\3\2\377\310-3:,...",
        "\3\0...",
        "\4\064\060\060x400x0",
    };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types_only) {
            put(to, "\4", 1, types[i], strlen(types[i]));
            continue;
        }
        char text[100];
        const int n = snprintf(text, sizeof text, "\5%s", types[i]);
        put(to, text, (size_t)n + 1, item, i % 2 ? 8 : 16);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !types_only; i++)
        put(to, texts[i], texts[i][1] ? strlen(texts[i]) : 5, "", 0);
    if (!types_only)
        put(to, "\0\x93NUMPY\1\0\x36\0", 11,
            "{'descr': '|u1', 'fortran_order': False, 'shape': ()}\n", 54);
}

static void
put_random(struct folder *to)
{
    uint8_t bytes[ROUNDTRIP_SIZE];
    struct random r;

    random_init(&r, 1);
    for (int i = 0; i < ROUNDTRIPS; i++) {
        random_bytes(&r, bytes, sizeof bytes);
        put(to, "", 0, bytes, sizeof bytes);
    }
}

// Words in any order, as one LZ4 block.
static void
put_blocks(struct folder *to)
{
    struct codec_state *const state = codec_state_new();
    uint8_t words[64], content[BLOCK_SIZE], block[2 * BLOCK_SIZE];
    struct random r;

    must(state, "no memory");
    random_init(&r, 2);
    for (int i = 0; i < BLOCKS; i++) {
        const struct codec_call call = {.codec =
                                            codec_by_id(i % 2 ? TESS_CODEC_LZ4 : TESS_CODEC_LZ4HC),
                                        .state = state,
                                        .level = 1 + i % 9};
        const size_t size = 20 + random_below(&r, BLOCK_SIZE - 20);
        size_t n;
        random_bytes(&r, words, sizeof words);
        for (size_t at = 0; at < size;) {
            const size_t from = random_below(&r, sizeof words - 1);
            size_t length = 1 + random_below(&r, sizeof words - from);
            length = length < size - at ? length : size - at;
            memcpy(content + at, words + from, length);
            at += length;
        }
        must(call.codec->encode(&call, content, size, block + 6, sizeof block - 6, &n, NULL) ==
                     TESS_OK &&
                 n > 0,
             "an LZ4 block of %zu bytes cannot be made", size);
        put_u16be(block, (uint16_t)(size - 1));
        put_u16be(block + 2, (uint16_t)random_below(&r, size));
        put_u16be(block + 4, 0);
        put(to, block, 6 + n, "", 0);
    }
    codec_state_free(state);
}

// Packets, whole and with some bytes changed.
static void
put_packets(struct folder *to)
{
    static const tess_codec codecs[] = {TESS_CODEC_LZ4, TESS_CODEC_ZSTD, TESS_CODEC_BLOSCLZ};
    static const uint8_t filters[] = {TESS_FILTER_SHUFFLE, TESS_FILTER_DELTA, TESS_FILTER_NONE};
    int32_t items[OWNER_ROWS * OWNER_COLUMNS];
    struct random r;
    random_init(&r, 1);
    for (int i = 0; i < PACKETS; i++) {
        const int64_t start[2] = {0, i % 2 * 8}, stop[2] = {OWNER_ROWS, OWNER_COLUMNS};
        tess_array *const sketch = owner_open(codecs[i % 3], filters[i / 3 % 3]);
        void *packet;
        size_t size;
        for (size_t k = 0; k < sizeof items / sizeof items[0]; k++)
            items[k] = k % 100 < 40 ? 0 : (int32_t)random_below(&r, i % 4 == 0 ? 1u << 30 : 4);
        must(tess_packet_encode(sketch, start, stop, items, sizeof items, NULL, &packet, &size,
                                NULL) == TESS_OK,
             "a packet cannot be made");
        for (int k = 0; k < CHANGES; k++) {
            uint8_t *const bytes = packet;
            put(to, bytes, size, "", 0);
            bytes[random_below(&r, k % 2 == 0 ? size : 1000)] = (uint8_t)random_next(&r);
        }
        tess_free(packet);
        must(tess_array_close(sketch, NULL) == TESS_OK, "a sketch cannot be closed");
    }
}

// A zip file with three frames, of the kind that `i` says.
static void
put_zip(struct folder *to, char **paths, int count, int i)
{
    static const char *const names[] = {
        "a.b2nd", "g/b.b2nd", "g/h/c.b2f", "g/__vlmeta__.b2f", "embed.b2e", "d.txt",
    };
    struct zip_making z = {0};
    for (int k = 0; k < 3; k++) {
        uint8_t bytes[SEED_MAX];
        FILE *const in = fopen(paths[(3 * i + k) % count], "rb");
        const size_t size = in ? fread(bytes, 1, sizeof bytes, in) : 0;
        if (in)
            (void)fclose(in);
        const struct zip_part part = {
            .name = names[(i + k) % 6],
            .bytes = bytes,
            .size = size,
            .method = i % 7 == 6 ? 8 : 0,
            .local_extra = i & 1 ? 5 : 0,
            .zip64 = (i & 2) != 0,
        };
        zip_add(&z, &part);
    }
    zip_end(&z, i & 4 ? "comment" : NULL, (i & 8) != 0);
    put(to, "", 0, z.bytes, z.size);
    zip_free(&z);
}

static const char *
draw_name(struct random *r)
{
    static const char *const names[] = {
        "a.b2nd",           "b.b2nd",
        "g/b.b2nd",         "h/c.b2nd",
        "g/none.b2nd",      "embed.b2e",
        "other/new.b2nd",   "a.b2nd/x.b2nd",
        ".tessera/new/1.0", ".tessera/new/x",
        ".tessera/new/y",   ".tessera/kept/2.0",
        ".tessera/writer",  ".tessera/00000000000000000001=first",
        ".tessera",         "../s.b2d/a.b2nd",
    };
    return names[random_below(r, sizeof names / sizeof *names)];
}

// A file with another front, or moves: away, in circles, of other commits.
static void
change_manifest(struct manifest *m, struct random *r)
{
    struct manifest_file *const file = &m->files[random_below(r, m->nfiles)];
    const uint64_t numbers[] = {0, 1, 2, 3, INT64_MAX - 1, INT64_MAX, (uint64_t)INT64_MAX + 1};
    const uint64_t number = numbers[random_below(r, 7)];
    const size_t size = random_below(r, 3) == 0 ? 0 : random_below(r, file->front_size + 1);
    bool fits = true;
    switch (random_below(r, 6)) {
    case 0:
        file->front[random_below(r, file->front_size)] = (uint8_t)random_next(r);
        break;
    case 1:
        file->front_size = size;
        break;
    case 2:
        fits = manifest_set_before(file, file->front, size, NULL) == TESS_OK;
        file->since = random_below(r, 2) ? m->number : number;
        break;
    case 3:
        m->number = number;
        break;
    case 4:
        manifest_remove_file(m, file);
        break;
    default:
        for (int64_t i = below(r, 4); i >= 0 && fits; i--)
            fits = manifest_add_move(m, draw_name(r), draw_name(r),
                                     random_below(r, 3) ? m->number : number, NULL) == TESS_OK;
    }
    must(fits, "no memory");
}

// The last byte decides (manifest.c).
static void
put_manifests(struct folder *to)
{
    struct random r;
    size_t size;
    const uint8_t *const commit = store_place_commit(&size);
    random_init(&r, 1);
    put(to, "", 0, commit, size);
    for (int i = 0; i < MANIFESTS; i++) {
        struct manifest m;
        uint8_t *bytes = exact_copy(commit, size);
        size_t n = size;
        if (i % 3 == 0) {
            bytes[random_below(&r, n - 8)] = (uint8_t)random_next(&r);
        } else if (i % 8 == 7) {
            n = random_below(&r, n);
        } else {
            must(manifest_parse(&m, bytes, size, INT64_MAX, NULL) == TESS_OK, "no manifest");
            free(bytes);
            for (int64_t k = below(&r, 3); k >= 0; k--)
                change_manifest(&m, &r);
            must(manifest_write(&m, &bytes, &n, NULL) == TESS_OK, "no memory");
            manifest_finish(&m);
        }
        if (n > 0)
            bytes[n - 1] = (uint8_t)(random_next(&r) & 0xfe);
        put(to, "", 0, bytes, n);
        free(bytes);
    }
}

int
main(int argc, char **argv)
{
    must(argc >= 3, "usage: seeds TARGET FOLDER FRAME...");
    const char *const target = argv[1];
    struct folder to = {.path = argv[2], .extent = 3};
    const bool layers = strcmp(target, "layers") == 0;
    const bool values = strcmp(target, "value") == 0;
    const bool sparse = strcmp(target, "sparse") == 0;

    if (strcmp(target, "frame") == 0 || strcmp(target, "update") == 0)
        put_rare(&to, put_frame);
    if (strcmp(target, "roundtrip") == 0)
        put_random(&to);
    if (strcmp(target, "lz4") == 0)
        put_blocks(&to);
    if (strcmp(target, "npy") == 0 || layers)
        put_texts(&to, layers);
    if (strcmp(target, "packet") == 0)
        put_packets(&to);
    if (strcmp(target, "dtype") == 0)
        put_types(&to);
    if (strcmp(target, "json") == 0 || values)
        put_values(&to, values);
    for (int i = 0; i < SPARSES && sparse; i++)
        put_sparse(&to, i);
    if (strcmp(target, "manifest") == 0)
        put_manifests(&to);
    for (int i = 0; i < ZIPS && argc > 3 && strcmp(target, "zip") == 0; i++)
        put_zip(&to, argv + 3, argc - 3, i);
    for (int i = 3; i < argc; i++)
        if (strcmp(target, "chunk") == 0)
            cut_frame(&to, cut_chunks, argv[i]);
        else if (sparse)
            cut_frame(&to, put_file, argv[i]);
        else if (layers || values)
            cut_frame(&to, layers ? cut_layers : put_attributes, argv[i]);
    if (strcmp(target, "chunk") == 0)
        put_rare(&to, cut_chunks);
    printf("%d inputs\n", to.count);
    return to.count > 0 ? 0 : 1;
}
