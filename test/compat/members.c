/*
 * members.c - the members of public structs: what programs read there after each call, and what
 * happens to what they write.
 */
#include "compat/compat.h"
#include "compat/nd.h"
#include "support/files.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS = 300, BYTES = ITEMS * (int)sizeof(int32_t), MOST = 16, PAGE = 4096 };

// What a super-chunk shall be.
struct model {
    const struct nd_place *place;
    const char *path;
    int nchunks;
    int nitems[MOST]; // of each chunk
    int32_t first[MOST]; // its first item, others follow
    int64_t current;
    int32_t chunksize;
    int64_t tick;
    int nvlmetalayers;
};

static void
fill(int32_t *items, int n, int32_t first)
{
    for (int i = 0; i < n; i++)
        items[i] = first + i;
}

static void
place_chunk(struct model *m, int n, int nitems, int32_t first)
{
    m->nitems[n] = nitems;
    m->first[n] = first;
    m->current = n;
}

static blosc2_schunk *
new_schunk(const struct nd_place *place, struct model *m)
{
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_dparams dparams = BLOSC2_DPARAMS_DEFAULTS;
    blosc2_storage storage = BLOSC2_STORAGE_DEFAULTS;

    *m = (struct model){.place = place, .chunksize = -1};
    m->path = place->file ? files_path("schunk") : NULL;
    if (m->path)
        files_remove(m->path);
    char *const path = m->path ? strdup(m->path) : NULL;
    cparams.typesize = sizeof(int32_t);
    cparams.compcode = BLOSC_LZ4;
    cparams.clevel = 3;
    storage.contiguous = place->contiguous;
    storage.urlpath = path;
    storage.cparams = &cparams;
    storage.dparams = &dparams;
    blosc2_schunk *const s = blosc2_schunk_new(&storage);
    assert_non_null(s);
    free(path); // as all else, it was copied
    return s;
}

static uint8_t *
new_chunk(const blosc2_schunk *s, int nitems, int32_t first)
{
    int32_t items[2 * ITEMS];
    blosc2_cparams cparams = *s->storage->cparams;
    blosc2_context *const ctx = blosc2_create_cctx(cparams);
    const int room = nitems * (int)sizeof *items + BLOSC2_MAX_OVERHEAD;
    uint8_t *const chunk = malloc((size_t)room);

    assert_true(chunk && ctx && nitems <= 2 * ITEMS);
    fill(items, nitems, first);
    assert_true(blosc2_compress_ctx(ctx, items, nitems * (int)sizeof *items, chunk, room) > 0);
    blosc2_free_ctx(ctx);
    return chunk;
}

// -- what a super-chunk shows

static void
check_params(const blosc2_schunk *s)
{
    const blosc2_cparams *const c = s->storage->cparams;
    blosc2_cparams *got = NULL, own;
    blosc2_dparams *decoding = NULL;

    assert_true(s->compcode == BLOSC_LZ4 && s->compcode_meta == 0 && s->clevel == 3);
    assert_true(s->typesize == sizeof(int32_t) && s->blocksize == 0 && s->use_dict == 0);
    assert_int_equal(s->filters[BLOSC2_MAX_FILTERS - 1], BLOSC_SHUFFLE);
    assert_true(c->compcode == s->compcode && c->clevel == s->clevel &&
                c->typesize == s->typesize && c->blocksize == 0 && c->schunk == s);
    assert_int_equal(c->splitmode, s->splitmode);
    assert_memory_equal(c->filters, s->filters, sizeof s->filters);
    assert_memory_equal(c->filters_meta, s->filters_meta, sizeof s->filters_meta);
    assert_true(!c->prefilter && !c->instr_codec && c->tuner_id == 0 && !c->tuner_params);
    assert_true(s->storage->dparams->schunk == s && !s->storage->dparams->postfilter);
    assert_true(s->tuner_id == 0 && !s->tuner_params);
    assert_good(blosc2_ctx_get_cparams(s->cctx, &own));
    assert_true(own.compcode == c->compcode && own.schunk == s && own.nthreads == c->nthreads);
    union {
        const blosc2_schunk *constant;
        blosc2_schunk *schunk;
    } same = {.constant = s};
    assert_good(blosc2_schunk_get_cparams(same.schunk, &got));
    assert_true(got->compcode == s->compcode && got->clevel == s->clevel && got->schunk == s &&
                got->nthreads == c->nthreads && got->splitmode == s->splitmode);
    assert_good(blosc2_schunk_get_dparams(same.schunk, &decoding));
    assert_true(decoding->schunk == s && decoding->nthreads == 1);
    free(got);
    free(decoding);
}

static void
check_storage(const blosc2_schunk *s, const struct model *m)
{
    const blosc2_storage *const storage = s->storage;

    assert_int_equal(storage->contiguous, m->place->contiguous);
    assert_true(!storage->urlpath == !m->path);
    if (m->path)
        assert_string_equal(storage->urlpath, m->path);
    assert_non_null(storage->io);
    assert_int_equal(storage->io->id, BLOSC2_IO_FILESYSTEM);
    assert_string_equal(storage->io->name, "filesystem");
    assert_null(storage->io->params);
    assert_int_equal(s->frame != NULL, m->place->contiguous || m->place->file);
}

static void
check_layers(blosc2_schunk *s, const struct model *m)
{
    for (int i = 0; i < s->nmetalayers; i++) {
        uint8_t *content = NULL;
        int32_t size = 0;
        assert_good(blosc2_meta_get(s, s->metalayers[i]->name, &content, &size));
        assert_int_equal(size, s->metalayers[i]->content_len);
        assert_memory_equal(content, s->metalayers[i]->content, (size_t)size);
        free(content);
    }
    assert_int_equal(s->nvlmetalayers, m->nvlmetalayers);
    for (int i = 0; i < s->nvlmetalayers; i++) {
        const blosc2_metalayer *const layer = s->vlmetalayers[i];
        uint8_t *content = NULL, decoded[100];
        int32_t size = 0;
        assert_good(blosc2_vlmeta_get(s, layer->name, &content, &size));
        assert_int_equal(
            blosc2_decompress(layer->content, layer->content_len, decoded, sizeof decoded), size);
        assert_memory_equal(decoded, content, (size_t)size);
        free(content);
    }
}

// Each chunk decoded, in the list, and as it is counted.
static void
check_chunks(blosc2_schunk *s, const struct model *m)
{
    int32_t items[2 * ITEMS], want[2 * ITEMS];
    int64_t nbytes = 0, cbytes = 0;

    assert_int_equal(s->nchunks, m->nchunks);
    for (int n = 0; n < m->nchunks; n++) {
        const int size = m->nitems[n] * (int)sizeof *items;
        uint8_t *chunk = NULL;
        bool needs_free = false;
        const int stored = blosc2_schunk_get_chunk(s, n, &chunk, &needs_free);
        assert_int_equal(s->current_nchunk, n);
        assert_true(stored > 0);
        if (!s->frame)
            assert_memory_equal(s->data[n], chunk, (size_t)stored);
        assert_int_equal(blosc2_decompress(chunk, stored, items, sizeof items), size);
        fill(want, m->nitems[n], m->first[n]);
        assert_memory_equal(items, want, (size_t)size);
        assert_int_equal(blosc2_schunk_decompress_chunk(s, n, items, sizeof items), size);
        assert_memory_equal(items, want, (size_t)size);
        if (needs_free)
            free(chunk);
        nbytes += size;
        cbytes += stored;
    }
    assert_int_equal(s->nbytes, nbytes);
    assert_int_equal(s->cbytes, cbytes);
    const size_t pages = ((size_t)m->nchunks * sizeof *s->data + PAGE - 1) / PAGE;
    if (s->frame)
        assert_true(!s->data && s->data_len == 0);
    else
        assert_true(s->data_len % PAGE == 0 && s->data_len / PAGE >= pages);
}

static void
check(blosc2_schunk *s, const struct model *m)
{
    assert_int_equal(s->current_nchunk, m->current);
    assert_int_equal(s->change_tick, m->tick);
    assert_int_equal(s->chunksize, m->chunksize);
    assert_true(s->version == 0 && s->flags2 == 0 && !s->view && s->ndim == 0 && !s->blockshape);
    check_params(s);
    check_storage(s, m);
    check_layers(s, m);
    check_chunks(s, m);
    s->current_nchunk = m->current;
}

// -- calls on chunks

static void
append(blosc2_schunk *s, struct model *m, int nitems, int32_t first)
{
    int32_t items[2 * ITEMS];

    fill(items, nitems, first);
    place_chunk(m, m->nchunks, nitems, first);
    m->nchunks++;
    if (m->chunksize < 0)
        m->chunksize = nitems * (int)sizeof *items;
    assert_int_equal(blosc2_schunk_append_buffer(s, items, nitems * (int)sizeof *items),
                     m->nchunks);
    check(s, m);
}

static void
put(blosc2_schunk *s, struct model *m, int n, int nitems, int32_t first, bool insert)
{
    uint8_t *const chunk = new_chunk(s, nitems, first);

    if (insert) {
        memmove(m->nitems + n + 1, m->nitems + n, (size_t)(m->nchunks - n) * sizeof *m->nitems);
        memmove(m->first + n + 1, m->first + n, (size_t)(m->nchunks - n) * sizeof *m->first);
        m->nchunks++;
    }
    place_chunk(m, n, nitems, first);
    assert_int_equal(insert ? blosc2_schunk_insert_chunk(s, n, chunk, true)
                            : blosc2_schunk_update_chunk(s, n, chunk, true),
                     m->nchunks);
    free(chunk);
    check(s, m);
}

static void
take(blosc2_schunk *s, struct model *m, int n)
{
    m->nchunks--;
    memmove(m->nitems + n, m->nitems + n + 1, (size_t)(m->nchunks - n) * sizeof *m->nitems);
    memmove(m->first + n, m->first + n + 1, (size_t)(m->nchunks - n) * sizeof *m->first);
    m->current = n;
    assert_int_equal(blosc2_schunk_delete_chunk(s, n), m->nchunks);
    check(s, m);
}

static void
reverse(blosc2_schunk *s, struct model *m)
{
    const struct model before = *m;
    int64_t order[MOST];

    for (int n = 0; n < m->nchunks; n++) {
        order[n] = m->nchunks - 1 - n;
        m->nitems[n] = before.nitems[order[n]];
        m->first[n] = before.first[order[n]];
    }
    assert_good(blosc2_schunk_reorder_offsets(s, order));
    check(s, m);
}

static void
change_chunks(blosc2_schunk *s, struct model *m)
{
    int32_t items[ITEMS];

    append(s, m, ITEMS, 1000);
    append(s, m, ITEMS, 2000);
    put(s, m, 2, ITEMS, 3000, true);
    put(s, m, 0, ITEMS, 4000, false);
    put(s, m, 1, ITEMS, 5000, true);
    fill(items, ITEMS, 6000);
    assert_good(blosc2_schunk_set_slice_buffer(s, ITEMS, 2 * ITEMS, items));
    place_chunk(m, 1, ITEMS, 6000);
    check(s, m);
    assert_good(blosc2_schunk_get_slice_buffer(s, 2 * ITEMS, 3 * ITEMS, items));
    m->current = 2;
    check(s, m);
    reverse(s, m);
    take(s, m, 1);
    assert_true(blosc2_schunk_delete_chunk(s, MOST) < 0);
    check(s, m);
    append(s, m, ITEMS / 2, 7000);
}

static void
change_layers(blosc2_schunk *s, struct model *m)
{
    uint8_t text[] = "some text, longer than before";

    m->tick++;
    m->nvlmetalayers++;
    assert_good(blosc2_vlmeta_add(s, "one", text, 5, NULL));
    check(s, m);
    m->tick++;
    m->nvlmetalayers++;
    assert_good(blosc2_vlmeta_add(s, "two", text, 7, NULL));
    check(s, m);
    m->tick++;
    assert_good(blosc2_vlmeta_update(s, "one", text, sizeof text, NULL));
    check(s, m);
    m->tick++;
    m->nvlmetalayers--;
    assert_good(blosc2_vlmeta_delete(s, "two"));
    check(s, m);
    m->tick++;
    assert_good(blosc2_meta_update(s, "fixed", text, 3));
    check(s, m);
    assert_good(blosc2_schunk_refresh(s));
    check(s, m);
}

static void
members_after_each_call(void **state)
{
    (void)state;
    for (int p = 0; p < ND_PLACES; p++) {
        struct model m;
        uint8_t text[] = "fixed";
        blosc2_schunk *s = new_schunk(&nd_places[p], &m);
        check(s, &m);
        m.tick++;
        assert_good(blosc2_meta_add(s, "fixed", text, sizeof text));
        check(s, &m);
        change_chunks(s, &m);
        change_layers(s, &m);
        while (m.nchunks > 0)
            take(s, &m, m.nchunks - 1);
        append(s, &m, ITEMS, 8000);
        assert_good(blosc2_schunk_free(s));
        if (!m.path)
            continue;
        s = blosc2_schunk_open(m.path);
        assert_non_null(s);
        m.tick = 0;
        uint8_t *chunk = NULL;
        bool needs_free = false;
        assert_int_equal(s->cbytes, blosc2_schunk_get_chunk(s, 0, &chunk, &needs_free));
        if (needs_free)
            free(chunk);
        m.current = 0; // of the last read
        check(s, &m);
        assert_good(blosc2_schunk_free(s));
    }
}

// Special chunks, too, are listed as they are handed out.
static void
special_chunks(void **state)
{
    (void)state;
    for (int p = 0; p < ND_PLACES; p++) {
        struct model m;
        blosc2_schunk *const s = new_schunk(&nd_places[p], &m);
        int32_t zeros[ITEMS] = {0};
        assert_int_equal(blosc2_schunk_fill_special(s, 3 * ITEMS + 5, BLOSC2_SPECIAL_ZERO, BYTES),
                         4);
        assert_true(s->nchunks == 4 && s->chunksize == BYTES);
        assert_int_equal(s->nbytes, (3 * ITEMS + 5) * (int)sizeof *zeros);
        assert_int_equal(s->cbytes, s->frame ? 0 : 4 * BLOSC_EXTENDED_HEADER_LENGTH);
        assert_good(blosc2_schunk_delete_chunk(s, 3));
        assert_int_equal(blosc2_schunk_append_buffer(s, zeros, BYTES), 4);
        assert_int_equal(blosc2_schunk_append_buffer(s, zeros, BYTES / 2), 5);
        assert_int_equal(blosc2_schunk_append_buffer(s, zeros, BYTES), 6); // now sizes differ
        assert_int_equal(s->chunksize, 0);
        for (int n = 0; n < 6 && !s->frame; n++) {
            uint8_t *chunk = NULL;
            bool needs_free = false;
            const int size = blosc2_schunk_get_chunk(s, n, &chunk, &needs_free);
            assert_true(size > 0);
            assert_memory_equal(s->data[n], chunk, (size_t)size);
            if (needs_free)
                free(chunk);
        }
        assert_good(blosc2_schunk_free(s));
    }
}

// -- what programs write

static void
a_size_of_chunks_in_advance(void **state)
{
    (void)state;
    for (int p = 0; p < ND_PLACES; p++) {
        struct model m;
        uint8_t text[] = "text";
        int32_t items[2 * ITEMS] = {0};
        blosc2_schunk *s = new_schunk(&nd_places[p], &m);
        s->chunksize = m.chunksize = BYTES;
        assert_int_equal(blosc2_schunk_append_buffer(s, items, 2 * BYTES),
                         BLOSC2_ERROR_CHUNK_APPEND);
        m.current = s->current_nchunk;
        append(s, &m, ITEMS / 3, 100);
        m.tick++;
        m.nvlmetalayers++;
        assert_good(blosc2_vlmeta_add(s, "one", text, sizeof text, NULL));
        check(s, &m);
        put(s, &m, 0, ITEMS, 200, false);
        append(s, &m, ITEMS, 300);
        append(s, &m, ITEMS / 2, 400);
        assert_good(blosc2_schunk_free(s));
        if (!m.path)
            continue;
        s = blosc2_schunk_open(m.path);
        assert_non_null(s);
        assert_int_equal(s->chunksize, BYTES);
        check_chunks(s, &m);
        assert_good(blosc2_schunk_free(s));
    }
}

static int
negate(blosc2_prefilter_params *p)
{
    const int32_t *const in = (const int32_t *)(const void *)p->input;
    int32_t *const out = (int32_t *)(void *)p->output;

    for (int i = 0; i < p->output_size / (int)sizeof *out; i++)
        out[i] = -in[i];
    return 0;
}

static int
negate_back(blosc2_postfilter_params *p)
{
    const int32_t *const in = (const int32_t *)(const void *)p->input;
    int32_t *const out = (int32_t *)(void *)p->output;

    for (int i = 0; i < p->size / (int)sizeof *out; i++)
        out[i] = -in[i];
    return 0;
}

// As bindings do: parameters in all three places, and a context of them.
static void
write_params(blosc2_schunk *s, int codec, blosc2_prefilter_fn prefilter)
{
    static blosc2_prefilter_params preparams;
    blosc2_cparams *const c = s->storage->cparams;
    blosc2_cparams *got = NULL;

    c->compcode = s->compcode = (uint8_t)codec;
    c->clevel = s->clevel = 7;
    c->nthreads = 2;
    c->prefilter = prefilter;
    c->preparams = &preparams;
    blosc2_free_ctx(s->cctx);
    s->cctx = blosc2_create_cctx(*c);
    assert_non_null(s->cctx);
    c->prefilter = NULL;
    c->preparams = NULL;
    assert_good(blosc2_schunk_get_cparams(s, &got));
    assert_true(got->compcode == codec && got->clevel == 7 && got->nthreads == 2);
    free(got);
}

static void
write_postfilter(blosc2_schunk *s, blosc2_postfilter_fn postfilter)
{
    static blosc2_postfilter_params postparams;
    blosc2_dparams d = *s->storage->dparams;

    d.postfilter = postfilter;
    d.postparams = postfilter ? &postparams : NULL;
    blosc2_free_ctx(s->dctx);
    s->dctx = blosc2_create_dctx(d);
    assert_non_null(s->dctx);
}

static void
check_codec(blosc2_schunk *s, int64_t n, const char *name)
{
    uint8_t *chunk = NULL;
    bool needs_free = false;
    const int size = blosc2_schunk_get_chunk(s, n, &chunk, &needs_free);

    assert_true(size > 0);
    assert_string_equal(blosc2_cbuffer_complib(chunk), name);
    if (needs_free)
        free(chunk);
}

static void
contexts_of_super_chunks(void **state)
{
    (void)state;
    for (int p = 0; p < ND_PLACES; p++) {
        struct model m;
        int32_t items[ITEMS], got[ITEMS];
        blosc2_schunk *const s = new_schunk(&nd_places[p], &m);
        fill(items, ITEMS, 1);
        assert_int_equal(blosc2_schunk_append_buffer(s, items, BYTES), 1);
        write_params(s, BLOSC_ZSTD, NULL);
        assert_int_equal(blosc2_schunk_append_buffer(s, items, BYTES), 2);
        check_codec(s, 0, "LZ4");
        check_codec(s, 1, "Zstd");
        assert_good(blosc2_schunk_set_slice_buffer(s, 3, 5, items));
        check_codec(s, 0, "Zstd");
        write_params(s, BLOSC_ZSTD, negate);
        assert_int_equal(blosc2_schunk_append_buffer(s, items, BYTES), 3);
        assert_int_equal(blosc2_schunk_decompress_chunk(s, 2, got, BYTES), BYTES);
        for (int i = 0; i < ITEMS; i++)
            assert_int_equal(got[i], -items[i]);
        write_postfilter(s, negate_back);
        assert_int_equal(blosc2_schunk_decompress_chunk(s, 2, got, BYTES), BYTES);
        assert_memory_equal(got, items, sizeof items);
        assert_good(blosc2_schunk_get_slice_buffer(s, 2 * ITEMS, 3 * ITEMS, got));
        assert_memory_equal(got, items, sizeof items);
        write_postfilter(s, NULL);
        assert_int_equal(blosc2_schunk_decompress_chunk(s, 2, got, BYTES), BYTES);
        assert_int_equal(got[0], -items[0]);
        assert_good(blosc2_schunk_free(s));
    }
}

// They belong to the super-chunk then, and stay when metalayers change.
static void
shapes_of_blocks(void **state)
{
    (void)state;
    for (int p = 0; p < ND_PLACES; p++) {
        struct model m;
        uint8_t text[] = "text", *chunk = NULL;
        int32_t items[ITEMS], nbytes = 0, blocksize = 0;
        bool needs_free = false;
        blosc2_schunk *const s = new_schunk(&nd_places[p], &m);
        fill(items, ITEMS, 0);
        s->ndim = 2;
        s->blockshape = malloc(2 * sizeof *s->blockshape);
        assert_non_null(s->blockshape);
        s->blockshape[0] = s->blockshape[1] = 10;
        assert_good(blosc2_vlmeta_add(s, "one", text, sizeof text, NULL));
        assert_true(s->ndim == 2 && s->blockshape[1] == 10);
        assert_int_equal(blosc2_schunk_append_buffer(s, items, BYTES), 1);
        assert_true(blosc2_schunk_get_chunk(s, 0, &chunk, &needs_free) > 0);
        assert_good(blosc2_cbuffer_sizes(chunk, &nbytes, NULL, &blocksize));
        assert_true(nbytes == BYTES && blocksize == 100 * (int)sizeof *items);
        if (needs_free)
            free(chunk);
        assert_good(blosc2_schunk_free(s));
    }
}

// -- arrays

static const struct nd_shapes matrix = {2, {10, 12}, {4, 5}, {2, 3}};

static b2nd_array_t *
new_array(const struct nd_place *place)
{
    const char *const path = place->file ? files_path("array") : NULL;

    if (path)
        files_remove(path);
    return nd_numbers(&matrix, place->contiguous, path);
}

// nd_check() compares members, lists and metalayers with what is read.
static void
check_array_now(b2nd_array_t *a)
{
    int32_t *const items = nd_all(a);

    nd_check(a, items);
    assert_int_equal(a->last_tick, a->sc->change_tick);
    assert_true(!a->chunk_cache.data && a->chunk_cache.nchunk == -1);
    assert_int_equal(a->sc->chunksize, a->extchunknitems * (int)sizeof *items);
    assert_int_equal(a->sc->nbytes, a->sc->nchunks * a->sc->chunksize);
    free(items);
}

static void
resize(b2nd_array_t *a, int64_t rows, int64_t columns)
{
    const int64_t shape[B2ND_MAX_DIM] = {rows, columns};

    assert_good(b2nd_resize(a, shape, NULL));
    assert_true(a->shape[0] == rows && a->shape[1] == columns);
    check_array_now(a);
}

static void
select_orthogonal(b2nd_array_t *a, int32_t item)
{
    int64_t rows[] = {0, 2}, columns[] = {1, 3, 5}, sizes[] = {2, 3}, shape[] = {2, 3};
    int64_t *selection[] = {rows, columns};
    int32_t *const items = nd_items(6, item);

    assert_good(b2nd_set_orthogonal_selection(a, selection, sizes, items, shape,
                                              6 * (int64_t)sizeof *items));
    assert_int_equal(nd_get_item(a, 2, 5), item + 5);
    free(items);
    check_array_now(a);
}

static void
change_array(b2nd_array_t *a)
{
    int32_t *const items = nd_items(200, 5000);
    const int64_t start[] = {1, 2}, stop[] = {6, 9}, shape[] = {5, 7};

    check_array_now(a);
    assert_good(b2nd_set_slice_cbuffer(items, shape, 35 * (int64_t)sizeof *items, start, stop, a));
    check_array_now(a);
    assert_int_equal(nd_get_item(a, 1, 2), items[0]);
    resize(a, 13, 12);
    resize(a, 8, 10);
    assert_good(b2nd_append(a, items, 4 * 10 * (int64_t)sizeof *items, 0));
    check_array_now(a);
    assert_int_equal(nd_get_item(a, 8, 0), items[0]);
    assert_good(b2nd_insert(a, items, 4 * 10 * (int64_t)sizeof *items, 0, 4));
    check_array_now(a);
    assert_int_equal(nd_get_item(a, 4, 0), items[0]);
    assert_good(b2nd_delete(a, 0, 0, 4));
    check_array_now(a);
    select_orthogonal(a, 700);
    free(items);
}

static void
members_of_arrays(void **state)
{
    (void)state;
    for (int p = 0; p < ND_PLACES; p++) {
        b2nd_array_t *a = new_array(&nd_places[p]);
        assert_int_equal(a->sc->change_tick, a->sc->nmetalayers); // each was added
        change_array(a);
        int32_t *const items = nd_all(a);
        const int64_t rows = a->shape[0], columns = a->shape[1];
        assert_good(b2nd_free(a));
        if (nd_places[p].file) {
            assert_good(b2nd_open(files_path("array"), &a));
            assert_true(a->shape[0] == rows && a->shape[1] == columns && a->last_tick == 0);
            nd_check(a, items);
            assert_good(b2nd_free(a));
        }
        free(items);
    }
}

// What is written through a view is in its base, in the list of chunks, too, and the other way.
static void
members_of_views(void **state)
{
    (void)state;
    for (int p = 0; p < ND_PLACES; p++) {
        b2nd_array_t *const a = new_array(&nd_places[p]);
        const bool new_axis[] = {true, false, false};
        const int64_t start[] = {0, 1, 2}, stop[] = {1, 2, 3}, one[] = {1, 1, 1};
        b2nd_array_t *view = NULL;
        int32_t item = 4711;
        assert_good(b2nd_expand_dims(a, &view, new_axis, 3));
        assert_true(view->sc->view && view->ndim == 3 && view->sc->nchunks == a->sc->nchunks);
        assert_good(b2nd_set_slice_cbuffer(&item, one, sizeof item, start, stop, view));
        assert_int_equal(nd_get_item(a, 1, 2), item);
        check_array_now(a);
        assert_good(nd_set_item(a, 1, 2, 42));
        assert_good(b2nd_get_slice_cbuffer(view, start, stop, &item, one, sizeof item));
        assert_int_equal(item, 42);
        for (int64_t n = 0; n < a->sc->nchunks && !a->sc->frame; n++)
            assert_ptr_equal(view->sc->data[n], a->sc->data[n]);
        check_array_now(a);
        assert_good(b2nd_free(view));
        assert_good(b2nd_free(a));
    }
}

static void
contexts_of_arrays(void **state)
{
    (void)state;
    for (int p = 0; p < ND_PLACES; p++) {
        b2nd_array_t *const a = new_array(&nd_places[p]);
        int32_t *const items = nd_items(200, 5000);
        const int64_t start[] = {0, 0}, stop[] = {4, 5};
        write_params(a->sc, BLOSC_ZSTD, NULL);
        assert_good(
            b2nd_set_slice_cbuffer(items, stop, 20 * (int64_t)sizeof *items, start, stop, a));
        check_codec(a->sc, 0, "Zstd");
        change_array(a);
        write_params(a->sc, BLOSC_ZSTD, negate);
        assert_good(
            b2nd_set_slice_cbuffer(items, stop, 20 * (int64_t)sizeof *items, start, stop, a));
        assert_int_equal(nd_get_item(a, 3, 4), -items[19]);
        write_params(a->sc, BLOSC_ZSTD, NULL);
        check_array_now(a);
        free(items);
        assert_good(b2nd_free(a));
    }
}

// -- what callbacks are told

static int
store(const uint8_t *in, uint8_t *out, int32_t size, uint8_t meta, blosc2_cparams *cparams,
      uint8_t id)
{
    assert_true(meta == 0 && cparams->typesize == sizeof(int32_t) && id == 200);
    memcpy(out, in, (size_t)size);
    return 0;
}

static int32_t told; // to the filter

static int
load(const uint8_t *in, uint8_t *out, int32_t size, uint8_t meta, blosc2_dparams *dparams,
     uint8_t id)
{
    assert_true(meta == 0 && id == 200);
    told = dparams->typesize;
    memcpy(out, in, (size_t)size);
    return 0;
}

static void
item_size_of_callbacks(void **state)
{
    (void)state;
    static char name[] = "as it is"; // is not copied
    blosc2_filter filter = {200, name, 1, store, load};
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_storage storage = {true, NULL, &cparams, NULL, NULL};
    int32_t items[ITEMS];

    assert_good(blosc2_register_filter(&filter));
    cparams.typesize = sizeof *items;
    cparams.filters[0] = filter.id;
    blosc2_schunk *const s = blosc2_schunk_new(&storage);
    assert_non_null(s);
    fill(items, ITEMS, 0);
    assert_int_equal(blosc2_schunk_append_buffer(s, items, BYTES), 1);
    assert_int_equal(blosc2_schunk_decompress_chunk(s, 0, items, BYTES), BYTES);
    assert_int_equal(told, sizeof *items); // not the 8 of dparams
    assert_good(blosc2_schunk_free(s));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(members_after_each_call),
        IN_A_FOLDER(special_chunks),
        IN_A_FOLDER(a_size_of_chunks_in_advance),
        IN_A_FOLDER(contexts_of_super_chunks),
        IN_A_FOLDER(shapes_of_blocks),
        IN_A_FOLDER(members_of_arrays),
        IN_A_FOLDER(members_of_views),
        IN_A_FOLDER(contexts_of_arrays),
        cmocka_unit_test(item_size_of_callbacks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
