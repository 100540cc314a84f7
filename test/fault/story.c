/*
 * story.c - steps of a workload, each made on the array and on what it must hold.
 */
#include "fault/story.h"

#include "fault/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TYPESIZE = 4, ROWS = 12, COLUMNS = 16, SIDE_MAX = 52, POINTS = 5 }; // of a chunk

const char *const story_step_names[STORY_STEPS] = {
    "write chunks",
    "write a part",
    "fill",
    "set points",
    "grow",
    "shrink",
    "append",
    "insert",
    "delete",
    "set a metalayer",
    "set an attribute",
    "adopt",
    "adopt from leases",
    "make empty",
    "flush",
    "close and open",
    "discard",
    "replace",
    "save",
    "compact",
};

#define W(step, weight) [STORY_##step] = weight

const struct workload workloads[] = {
    {.name = "create", .weights = {W(REPLACE, 4), W(WHOLE, 1), W(VALUE, 1)}},
    {.name = "append", .weights = {W(APPEND, 8), W(FLUSH, 4), W(REOPEN, 1)}},
    {.name = "chunks",
     .weights = {W(WHOLE, 8), W(FILL, 2), W(FLUSH, 4), W(REOPEN, 1), W(DISCARD, 1)}},
    {.name = "parts",
     .weights = {W(PART, 8), W(POINTS, 4), W(FILL, 1), W(FLUSH, 4), W(REOPEN, 1), W(DISCARD, 1)}},
    {.name = "resize",
     .weights = {W(GROW, 3), W(SHRINK, 3), W(PART, 3), W(FLUSH, 4), W(REOPEN, 1)}},
    {.name = "insert",
     .weights = {W(INSERT, 3), W(DELETE, 3), W(PART, 1), W(FLUSH, 3), W(REOPEN, 1)}},
    {.name = "layers",
     .weights = {W(NOTE, 3), W(VALUE, 6), W(PART, 1), W(FLUSH, 4), W(REOPEN, 1), W(DISCARD, 1)}},
    {.name = "up to 16 attributes",
     .weights = {W(NOTE, 2), W(VALUE, 8), W(PART, 2), W(EMPTY, 1), W(GROW, 1), W(FLUSH, 6),
                 W(REOPEN, 1), W(DISCARD, 1)},
     .others = 16 - STATE_VALUES},
    {.name = "empty",
     .weights = {W(EMPTY, 3), W(APPEND, 3), W(GROW, 2), W(VALUE, 2), W(FLUSH, 6), W(REOPEN, 1)}},
    {.name = "packets",
     .weights = {W(ADOPT, 3), W(LEASE, 8), W(PART, 2), W(GROW, 1), W(FLUSH, 3), W(REOPEN, 1),
                 W(DISCARD, 1)}},
    {.name = "leases, nothing reused",
     .weights = {W(LEASE, 6), W(PART, 3), W(GROW, 1), W(FLUSH, 3), W(REOPEN, 2), W(DISCARD, 1)},
     .never_reuse = true},
    {.name = "save",
     .weights = {W(SAVE, 4), W(PART, 3), W(VALUE, 1), W(SHRINK, 1), W(GROW, 1), W(FLUSH, 1)}},
    {.name = "compact",
     .weights = {W(COMPACT, 5), W(WHOLE, 3), W(PART, 6), W(GROW, 1), W(SHRINK, 2), W(VALUE, 1),
                 W(EMPTY, 1), W(FLUSH, 6), W(DISCARD, 1)}},
    {.name = "all",
     .weights = {W(WHOLE, 4),  W(PART, 4),    W(FILL, 2),    W(POINTS, 2), W(GROW, 2),
                 W(SHRINK, 2), W(APPEND, 2),  W(INSERT, 2),  W(DELETE, 2), W(NOTE, 2),
                 W(VALUE, 3),  W(ADOPT, 1),   W(LEASE, 2),   W(EMPTY, 1),  W(FLUSH, 10),
                 W(REOPEN, 2), W(DISCARD, 1), W(REPLACE, 1), W(SAVE, 1),   W(COMPACT, 1)}},
};
const int workload_count = (int)(sizeof workloads / sizeof workloads[0]);

// -- commits

static void
history_start(struct history *h, const struct state *state)
{
    if (h->count == h->capacity) {
        h->capacity = 2 * h->capacity + 16;
        h->commits = realloc(h->commits, (size_t)h->capacity * sizeof *h->commits);
        if (!h->commits)
            abort();
    }
    struct commit *const c = &h->commits[h->count++];
    *c = (struct commit){
        .started = disk_length(), .returned = SIZE_MAX, .withdrawn = SIZE_MAX, .node = NAMES_NONE};
    state_copy(&c->state, state);
    if (h->board)
        atomic_store(&h->board->started, h->count);
}

static void
history_returned(struct history *h, bool solid)
{
    struct commit *const c = &h->commits[h->count - 1];
    c->returned = disk_length();
    c->solid = solid;
    c->node = disk_node(h->name);
    if (h->board)
        atomic_store(&h->board->returned, h->count);
}

static void
history_withdraw(struct history *h)
{
    h->commits[h->count - 1].withdrawn = disk_length();
}

int
history_last(const struct history *h)
{
    int i = h->count - 1;
    while (i >= 0 && h->commits[i].withdrawn != SIZE_MAX)
        i--;
    return i;
}

static void
history_finish(struct history *h)
{
    for (int i = 0; i < h->count; i++)
        state_finish(&h->commits[i].state);
    free(h->commits);
}

// -- an array, there or not

void
story_begin(struct story *s, const char *folder, const struct workload *workload,
            tess_layout layout, tess_durability durability, uint64_t seed)
{
    static const int64_t caches[] = {0, 2000, TESS_CACHE_SHARED};
    const bool sparse = layout == TESS_LAYOUT_SPARSE;
    *s = (struct story){
        .workload = workload,
        .folder = folder,
        .layout = layout,
        .durability = durability,
        .main = {.name = sparse ? "array.b2d" : "array.b2nd"},
        .copy = {.name = sparse ? "copy.b2d" : "copy.b2nd"},
        .unpublished = -1,
        .next_number = 1,
    };
    random_init(&s->r, seed);
    tess_context_init(&s->context);
    s->context.threads = 1;
    s->context.cache = caches[random_below(&s->r, 3)];
    s->lock_file = random_below(&s->r, 2);
    reference_init(&s->now.items, 2, (const int64_t[]){0, 0}, TYPESIZE);
}

void
story_end(struct story *s)
{
    tess_array_discard(s->a);
    state_finish(&s->now);
    history_finish(&s->main);
    history_finish(&s->copy);
}

void
story_storage(const struct story *s, const struct history *h, tess_mode mode, tess_storage *storage)
{
    static char path[700];
    (void)snprintf(path, sizeof path, "%s/%s", s->folder, h->name);
    tess_storage_init(storage);
    storage->path = path;
    storage->mode = mode;
    storage->durability = s->durability;
    storage->lock_file = s->lock_file;
    storage->never_reuse = s->workload->never_reuse && mode == TESS_MODE_UPDATE;
    storage->context = &s->context;
}

// Now it holds what it held once.
static void
go_back(struct story *s, const struct state *state)
{
    state_finish(&s->now);
    state_copy(&s->now, state);
}

static void
shuffle_items(struct story *s, uint8_t *items, size_t size)
{
    const uint64_t kind = random_below(&s->r, 4);
    random_bytes(&s->r, items, size);
    if (kind == 0) // one value again and again
        for (size_t i = TYPESIZE; i < size; i++)
            items[i] = items[i % TYPESIZE];
    if (kind == 1) // small ones
        for (size_t i = 0; i < size; i++)
            items[i] = i % TYPESIZE ? 0 : items[i] & 15;
}

static int64_t
side(struct story *s, int64_t most)
{
    return 1 + (int64_t)random_below(&s->r, (uint64_t)most);
}

static void
describe(struct story *s, tess_params *p, tess_metalayer *layer, uint8_t *note)
{
    *layer = (tess_metalayer){"note", note, STATE_NOTE_SIZE};
    tess_params_init(p);
    p->dtype = "<i4";
    p->ndim = 2;
    for (int i = 0; i < 2; i++)
        p->shape[i] = s->now.items.shape[i];
    p->chunkshape[0] = ROWS;
    p->chunkshape[1] = COLUMNS;
    p->blockshape[0] = ROWS / 2;
    p->blockshape[1] = COLUMNS / 2;
    p->layout = s->layout;
    p->metalayers = layer;
    p->nmetalayers = 1;
}

static tess_status
set_others(struct story *s, tess_error *err)
{
    tess_status st = TESS_OK;
    char name[20];
    for (int i = 0; i < s->workload->others && st == TESS_OK; i++) {
        (void)snprintf(name, sizeof name, "other %d", i);
        st = tess_vlmeta_set(s->a, name, name, sizeof name, err);
    }
    return st;
}

static tess_status
create(struct story *s, tess_mode mode, tess_error *err)
{
    const int64_t shape[2] = {side(s, SIDE_MAX), side(s, SIDE_MAX)};
    uint8_t note[STATE_NOTE_SIZE];
    struct state made = {.note = s->next_number++};
    tess_storage storage;
    tess_metalayer layer;
    tess_params p;

    reference_init(&made.items, 2, shape, TYPESIZE);
    const bool zeros = random_below(&s->r, 4) == 0;
    if (!zeros)
        shuffle_items(s, made.items.data, reference_size(&made.items));
    state_finish(&s->now);
    s->now = made;
    state_note(made.note, note);
    describe(s, &p, &layer, note);
    story_storage(s, &s->main, mode, &storage);
    const bool later = zeros && mode == TESS_MODE_REPLACE; // the first flush gives it its name
    if (!later)
        history_start(&s->main, &s->now);
    const tess_status st = zeros ? tess_array_zeros(&storage, &p, &s->a, err)
                                 : tess_array_from(&storage, &p, made.items.data,
                                                   reference_size(&made.items), &s->a, err);
    if (st == TESS_OK && later)
        s->unpublished = s->main.count;
    else if (st == TESS_OK)
        history_returned(&s->main, true);
    else if (!later)
        history_withdraw(&s->main);
    return st == TESS_OK ? set_others(s, err) : st;
}

tess_status
story_ready(struct story *s, tess_error *err)
{
    tess_storage storage;
    if (s->a)
        return TESS_OK;
    if (history_last(&s->main) < 0)
        return create(s, random_below(&s->r, 2) ? TESS_MODE_NEW : TESS_MODE_REPLACE, err);
    story_storage(s, &s->main, TESS_MODE_UPDATE, &storage);
    return tess_array_open(&storage, &s->a, err);
}

// A commit of a sparse array ends with a sync of its folder.
static bool
commits_are_solid(const struct story *s)
{
    return s->layout == TESS_LAYOUT_SPARSE || s->durability == TESS_DURABILITY_FSYNC;
}

static tess_status
commit_with(struct story *s, tess_status (*call)(tess_array *a, tess_error *err), tess_error *err)
{
    history_start(&s->main, &s->now);
    const tess_status st = call(s->a, err);
    if (st != TESS_OK)
        return st;
    history_returned(&s->main, commits_are_solid(s) || s->unpublished >= 0);
    s->unpublished = -1;
    return st;
}

// The array is not open any more. If it did not get its name, nobody finds its commits.
static void
forget_array(struct story *s)
{
    s->a = NULL;
    for (int i = s->unpublished; i >= 0 && i < s->main.count; i++)
        s->main.commits[i].withdrawn = disk_length();
    s->unpublished = -1;
}

static tess_status
close_it(struct story *s, tess_error *err)
{
    const tess_status st = commit_with(s, tess_array_close, err);
    forget_array(s);
    return st;
}

static tess_status
replace(struct story *s, tess_error *err)
{
    const tess_status st = close_it(s, err);
    return st == TESS_OK ? create(s, TESS_MODE_REPLACE, err) : st;
}

static tess_status
save(struct story *s, tess_error *err)
{
    tess_storage storage;
    story_storage(s, &s->copy, history_last(&s->copy) >= 0 ? TESS_MODE_REPLACE : TESS_MODE_NEW,
                  &storage);
    history_start(&s->copy, &s->now);
    const tess_status st = tess_array_save(s->a, &storage, s->layout, err);
    if (st == TESS_OK)
        history_returned(&s->copy, true);
    else
        history_withdraw(&s->copy);
    return st;
}

// One of the chunk files, whatever their order; if there is none, `name` stays.
static void
choose_chunk_file(const char *folder, uint64_t seed, char *name)
{
    uint64_t best = 0;
    DIR *const dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct random r;
        random_init(&r, seed ^ strtoul(e->d_name, NULL, 16));
        const uint64_t rank = random_next(&r);
        if (rank < best || !strstr(e->d_name, ".chunk"))
            continue;
        best = rank;
        (void)snprintf(name, NAMES_SIZE, "%.*s", NAMES_SIZE - 1, e->d_name);
    }
    if (dir)
        closedir(dir);
}

// What programs that died, or that know less of directories, leave: a chunk file that is longer
// than its chunk, or one that nobody needs. If that fails, nothing is left.
static void
litter(struct story *s)
{
    enum { SIZE = 100 };
    static const char rest[SIZE] = {1};
    const uint64_t n = random_next(&s->r);
    char folder[700], path[800], name[NAMES_SIZE];
    (void)snprintf(folder, sizeof folder, "%s/%s", s->folder, s->main.name);
    (void)snprintf(name, sizeof name, "%08X.chunk", (unsigned)(n % 24));
    if (n / 24 % 3 > 0)
        choose_chunk_file(folder, n, name);
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = open(path, O_WRONLY | O_CREAT, 0666);
    struct stat info;
    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && pwrite(fd, rest, SIZE, info.st_size) < 0)
        errno = 0;
    close(fd);
}

// A file has a new inode if it got smaller, whose bytes and name are on the disk; else it is what
// it was before.
static tess_status
compact(struct story *s, tess_error *err)
{
    tess_storage storage;
    tess_status st = close_it(s, err);
    if (st != TESS_OK)
        return st;
    const int node = disk_node(s->main.name);
    if (s->layout == TESS_LAYOUT_SPARSE)
        litter(s);
    story_storage(s, &s->main, TESS_MODE_UPDATE, &storage);
    history_start(&s->main, &s->now);
    st = tess_compact(&storage, NULL, NULL, err);
    if (st != TESS_OK)
        return st;
    history_returned(&s->main, commits_are_solid(s) || disk_node(s->main.name) != node);
    return story_ready(s, err);
}

void
story_found(struct story *s, int commit)
{
    struct commit *const c = &s->main.commits[commit];
    go_back(s, &c->state);
    c->withdrawn = SIZE_MAX;
    if (c->returned == SIZE_MAX)
        c->returned = disk_length();
}

void
story_adopt(struct story *s, const struct state *state)
{
    go_back(s, state);
    history_start(&s->main, state);
    history_returned(&s->main, true);
}

// What is not committed is gone.
static tess_status
discard(struct story *s, tess_error *err)
{
    int last = s->main.count - 1;
    tess_array_discard(s->a);
    forget_array(s);
    while (last >= 0 && (s->main.commits[last].returned == SIZE_MAX ||
                         s->main.commits[last].withdrawn != SIZE_MAX))
        last--;
    if (last >= 0)
        story_found(s, last);
    return story_ready(s, err);
}

// -- steps on items

struct box {
    int64_t start[2], stop[2];
    size_t size; // bytes
};

static int64_t *
shape_of(struct story *s)
{
    return s->now.items.shape;
}

// With `whole`, it begins and ends where chunks do.
static struct box
any_box(struct story *s, bool whole)
{
    static const int64_t chunk[2] = {ROWS, COLUMNS};
    struct box b;
    for (int i = 0; i < 2; i++) {
        const int64_t n = shape_of(s)[i];
        b.start[i] = n > 0 ? (int64_t)random_below(&s->r, (uint64_t)n) : 0;
        b.stop[i] = b.start[i] + (n > 0 ? side(s, n - b.start[i] < 9 ? n - b.start[i] : 9) : 0);
        if (whole) {
            b.start[i] -= b.start[i] % chunk[i];
            b.stop[i] = b.start[i] + chunk[i] < n ? b.start[i] + chunk[i] : n;
        }
    }
    b.size = reference_box_size(&s->now.items, b.start, b.stop);
    return b;
}

static uint8_t *
any_items(struct story *s, size_t size)
{
    uint8_t *const items = malloc(size + 1);
    if (!items)
        abort();
    shuffle_items(s, items, size);
    return items;
}

// A chunk becomes its own stored bytes: stored again, nothing is another item.
static tess_status
store_chunk_again(struct story *s, tess_error *err)
{
    tess_info info;
    void *chunk;
    size_t size;
    tess_array_info(s->a, &info);
    if (info.nchunks == 0)
        return TESS_OK;
    const int64_t n = (int64_t)random_below(&s->r, (uint64_t)info.nchunks);
    tess_status st = tess_array_get_chunk(s->a, n, &chunk, &size, err);
    if (st == TESS_OK)
        st = tess_array_set_chunk(s->a, n, chunk, size, TESS_CHUNK_UNTRUSTED, err);
    tess_free(chunk);
    return st;
}

static tess_status
write_box(struct story *s, bool whole, tess_error *err)
{
    if (random_below(&s->r, 5) == 0)
        return store_chunk_again(s, err);
    const struct box b = any_box(s, whole);
    uint8_t *const items = any_items(s, b.size);
    const tess_status st = b.size == TYPESIZE
                               ? tess_array_set_item(s->a, b.start, items, b.size, err)
                               : tess_array_write(s->a, b.start, b.stop, items, b.size, err);
    if (st == TESS_OK)
        reference_set(&s->now.items, b.start, b.stop, items);
    free(items);
    return st;
}

static tess_status
fill_box(struct story *s, tess_error *err)
{
    const struct box b = any_box(s, random_below(&s->r, 2));
    uint8_t *const items = any_items(s, b.size + TYPESIZE);
    for (size_t i = TYPESIZE; i < b.size; i++)
        items[i] = items[i % TYPESIZE];
    const tess_status st = tess_array_fill(s->a, b.start, b.stop, NULL, items, TYPESIZE, err);
    if (st == TESS_OK)
        reference_set(&s->now.items, b.start, b.stop, items);
    free(items);
    return st;
}

static tess_status
set_points(struct story *s, tess_error *err)
{
    int64_t points[POINTS][2];
    uint8_t items[POINTS * TYPESIZE];
    if (reference_size(&s->now.items) == 0)
        return TESS_OK;
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 2; k++)
            points[i][k] = (int64_t)random_below(&s->r, (uint64_t)shape_of(s)[k]);
    random_bytes(&s->r, items, sizeof items);
    const tess_status st = tess_array_set_points(s->a, POINTS, points[0], items, sizeof items, err);
    for (int i = 0; i < POINTS && st == TESS_OK; i++) {
        const int64_t stop[2] = {points[i][0] + 1, points[i][1] + 1};
        reference_set(&s->now.items, points[i], stop, items + i * TYPESIZE);
    }
    return st;
}

// -- steps on packets

struct sent {
    void *bytes;
    size_t size;
};

// What a worker sends for a box of whole chunks.
static tess_status
encode_chunks(struct story *s, const struct box *b, const uint8_t *items, struct sent *packet,
              tess_error *err)
{
    tess_storage storage;
    tess_array *sketch = NULL;
    void *image;
    tess_storage_init(&storage);
    storage.mode = TESS_MODE_UPDATE;
    storage.context = &s->context;
    tess_status st = tess_array_sketch(s->a, &image, &storage.image_size, err);
    storage.image = image;
    if (st == TESS_OK)
        st = tess_array_open(&storage, &sketch, err);
    if (st == TESS_OK)
        st = tess_packet_encode(sketch, b->start, b->stop, items, b->size, NULL, &packet->bytes,
                                &packet->size, err);
    tess_array_discard(sketch);
    tess_free(image);
    return st;
}

// A worker writes the chunks to a lease, which is larger than they need. The owner's commit does
// not sync the files of a directory.
static tess_status
place_chunks(struct story *s, tess_adoption *ad, const struct sent *packet, tess_lease *lease,
             struct sent *placed, tess_error *err)
{
    const bool sparse = s->layout == TESS_LAYOUT_SPARSE;
    const bool sync = sparse || random_below(&s->r, 3) == 0;
    tess_packet_info info;
    tess_storage storage;
    tess_status st = tess_packet_info(packet->bytes, packet->size, &info, err);
    if (st == TESS_OK)
        st =
            tess_adoption_lease(ad, (sparse ? info.nstored : info.cbytes) + side(s, 3), lease, err);
    story_storage(s, &s->main, TESS_MODE_UPDATE, &storage);
    return st == TESS_OK ? tess_packet_place(packet->bytes, packet->size, storage.path, lease,
                                             sync ? TESS_DURABILITY_FSYNC : TESS_DURABILITY_NONE,
                                             &placed->bytes, &placed->size, err)
                         : st;
}

static tess_status
commit_between(struct story *s, tess_error *err)
{
    return random_below(&s->r, 3) == 0 ? commit_with(s, tess_array_flush, err) : TESS_OK;
}

// Two workers write the chunks. One of them dies before its packet arrives.
static tess_status
adopt_placed(struct story *s, tess_adoption *ad, const struct sent *packet, tess_error *err)
{
    const tess_chunk_trust trust =
        random_below(&s->r, 2) ? TESS_CHUNK_TRUSTED : TESS_CHUNK_UNTRUSTED;
    struct sent dead = {NULL, 0}, placed = {NULL, 0};
    tess_lease first, second;
    tess_status st = place_chunks(s, ad, packet, &first, &dead, err);
    if (st == TESS_OK)
        st = commit_between(s, err);
    if (st == TESS_OK)
        st = place_chunks(s, ad, packet, &second, &placed, err);
    if (st == TESS_OK && random_below(&s->r, 2))
        st = tess_adoption_return(ad, &first, err);
    if (st == TESS_OK)
        st = commit_between(s, err);
    if (st == TESS_OK)
        st = tess_adoption_add(ad, placed.bytes, placed.size, trust, err);
    tess_free(dead.bytes);
    tess_free(placed.bytes);
    return st;
}

static tess_status
end_adoption(struct story *s, tess_adoption *ad, tess_error *err)
{
    if (random_below(&s->r, 2))
        return tess_adoption_end(ad, false, err);
    history_start(&s->main, &s->now);
    const tess_status st = tess_adoption_end(ad, true, err);
    if (st == TESS_OK)
        history_returned(&s->main, commits_are_solid(s));
    return st;
}

static tess_status
adopt_chunks(struct story *s, bool leases, tess_error *err)
{
    const struct box b = any_box(s, true);
    struct sent packet = {NULL, 0};
    tess_adoption *ad = NULL;
    if (b.size == 0)
        return TESS_OK;
    uint8_t *const items = any_items(s, b.size);
    tess_status st = s->unpublished >= 0 ? commit_with(s, tess_array_flush, err) : TESS_OK;
    if (st == TESS_OK)
        st = encode_chunks(s, &b, items, &packet, err);
    if (st == TESS_OK)
        st = tess_adoption_begin(s->a, &ad, err);
    if (st == TESS_OK)
        st = leases ? adopt_placed(s, ad, &packet, err)
                    : tess_adoption_add(ad, packet.bytes, packet.size, TESS_CHUNK_UNTRUSTED, err);
    if (st == TESS_OK)
        reference_set(&s->now.items, b.start, b.stop, items);
    if (st == TESS_OK)
        st = end_adoption(s, ad, err);
    else
        (void)tess_adoption_end(ad, false, NULL);
    tess_free(packet.bytes);
    free(items);
    return st;
}

// -- steps on the shape

static tess_status
resize(struct story *s, bool grow, tess_error *err)
{
    int64_t shape[2];
    for (int i = 0; i < 2; i++) {
        const int64_t n = shape_of(s)[i];
        if (grow)
            shape[i] =
                n < SIDE_MAX ? n + (int64_t)random_below(&s->r, (uint64_t)(SIDE_MAX - n)) : n;
        else
            shape[i] = n > 0 ? n - (int64_t)random_below(&s->r, (uint64_t)n) : 0;
    }
    const tess_status st = tess_array_resize(s->a, shape, err);
    if (st == TESS_OK)
        reference_resize(&s->now.items, shape);
    return st;
}

// Another shape, larger along both axes, and a box up to its end, as one.
static tess_status
resize_and_write(struct story *s, tess_error *err)
{
    int64_t shape[2], start[2];
    size_t size = TYPESIZE;
    for (int i = 0; i < 2; i++) {
        const int64_t n = shape_of(s)[i];
        shape[i] = n < SIDE_MAX ? n + (int64_t)random_below(&s->r, (uint64_t)(SIDE_MAX - n)) : n;
        start[i] = (int64_t)random_below(&s->r, (uint64_t)shape[i] + 1);
        size *= (size_t)(shape[i] - start[i]);
    }
    uint8_t *const items = any_items(s, size);
    const tess_status st =
        tess_array_resize_write(s->a, shape, start, shape, items, size, NULL, err);
    if (st == TESS_OK) {
        reference_resize(&s->now.items, shape);
        reference_set(&s->now.items, start, shape, items);
    }
    free(items);
    return st;
}

static tess_status
make_empty(struct story *s, tess_error *err)
{
    const int64_t shape[2] = {random_below(&s->r, 2) ? 0 : shape_of(s)[0], 0};
    const tess_status st = tess_array_resize(s->a, shape, err);
    if (st == TESS_OK)
        reference_resize(&s->now.items, shape);
    return st;
}

// Layers across an axis, at its end or elsewhere.
static tess_status
add_layers(struct story *s, bool at_end, tess_error *err)
{
    const int axis = shape_of(s)[1] > 0 && random_below(&s->r, 2) ? 0 : 1;
    const int64_t length = shape_of(s)[axis], other = shape_of(s)[!axis];
    if (length >= SIDE_MAX || other == 0)
        return TESS_OK;
    const int64_t count = random_below(&s->r, 3) == 0 ? (axis ? COLUMNS : ROWS) : side(s, 9);
    const int64_t at = at_end ? length : (int64_t)random_below(&s->r, (uint64_t)length + 1);
    const size_t size = (size_t)(count * other * TYPESIZE);
    uint8_t *const items = any_items(s, size);
    const tess_status st = at_end
                               ? tess_array_append(s->a, axis, count, items, size, NULL, err)
                               : tess_array_insert(s->a, axis, at, count, items, size, NULL, err);
    if (st == TESS_OK)
        reference_insert(&s->now.items, axis, at, count, items);
    free(items);
    return st;
}

static tess_status
delete_layers(struct story *s, tess_error *err)
{
    const int axis = (int)random_below(&s->r, 2);
    const int64_t length = shape_of(s)[axis];
    if (length == 0)
        return TESS_OK;
    const int64_t at = (int64_t)random_below(&s->r, (uint64_t)length);
    const int64_t count = side(s, length - at < 14 ? length - at : 14);
    const tess_status st = tess_array_delete(s->a, axis, at, at + count, err);
    if (st == TESS_OK)
        reference_delete(&s->now.items, axis, at, count);
    return st;
}

// -- steps on layers

static tess_status
set_note(struct story *s, tess_error *err)
{
    uint8_t note[STATE_NOTE_SIZE];
    const int number = s->next_number++;
    state_note(number, note);
    const tess_status st = tess_meta_set(s->a, "note", note, sizeof note, err);
    if (st == TESS_OK)
        s->now.note = number;
    return st;
}

static tess_status
set_value(struct story *s, tess_error *err)
{
    const int n = (int)random_below(&s->r, STATE_VALUES);
    const int number = s->now.values[n] && random_below(&s->r, 3) == 0 ? 0 : s->next_number++;
    const tess_status st = state_set_value(s->a, n, number, err);
    if (st == TESS_OK)
        s->now.values[n] = number;
    return st;
}

// -- which, and when

enum story_step
story_choose(struct story *s)
{
    int sum = 0, step = 0;
    for (int i = 0; i < STORY_STEPS; i++)
        sum += s->workload->weights[i];
    int64_t x = (int64_t)random_below(&s->r, (uint64_t)sum);
    while ((x -= s->workload->weights[step]) >= 0)
        step++;
    return (enum story_step)step;
}

tess_status
story_step(struct story *s, enum story_step step, tess_error *err)
{
    switch (step) {
    case STORY_WHOLE:
    case STORY_PART:
        return write_box(s, step == STORY_WHOLE, err);
    case STORY_FILL:
        return fill_box(s, err);
    case STORY_POINTS:
        return set_points(s, err);
    case STORY_GROW:
        return random_below(&s->r, 2) ? resize_and_write(s, err) : resize(s, true, err);
    case STORY_SHRINK:
        return resize(s, false, err);
    case STORY_APPEND:
    case STORY_INSERT:
        return add_layers(s, step == STORY_APPEND, err);
    case STORY_DELETE:
        return delete_layers(s, err);
    case STORY_NOTE:
        return set_note(s, err);
    case STORY_VALUE:
        return set_value(s, err);
    case STORY_ADOPT:
    case STORY_LEASE:
        return adopt_chunks(s, step == STORY_LEASE, err);
    case STORY_EMPTY:
        return make_empty(s, err);
    case STORY_FLUSH:
        return commit_with(s, tess_array_flush, err);
    case STORY_REOPEN: {
        const tess_status st = close_it(s, err);
        return st == TESS_OK ? story_ready(s, err) : st;
    }
    case STORY_DISCARD:
        return discard(s, err);
    case STORY_REPLACE:
        return replace(s, err);
    case STORY_COMPACT:
        return compact(s, err);
    default:
        return save(s, err);
    }
}
