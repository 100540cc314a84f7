/*
 * world.c - a folder, built anew from the operations that reached it.
 */
#include "fault/world.h"

#include "support/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECTOR = 512, PATH_SIZE = 700 };

void
world_finish(struct world *w)
{
    for (int i = 0; i < w->nfiles; i++)
        free(w->files[i].bytes);
    free(w->files);
    free(w->doomed);
    names_finish(&w->names);
    *w = (struct world){0};
}

// -- chance: the same answer to the same question

static uint64_t
draw(const struct world_stop *stop, uint64_t what, uint64_t of)
{
    struct random r;
    random_init(&r, stop->seed ^ (what * 0x9e3779b97f4a7c15) ^ (of * 0xc2b2ae3d27d4eb4f));
    return random_next(&r);
}

// A moment up to the end: often one of both.
static size_t
any_moment(const struct world_stop *stop, uint64_t what, uint64_t of)
{
    const uint64_t x = draw(stop, what, of);
    return x % 3 == 0 ? 0 : x % 3 == 1 ? stop->at : (size_t)(x / 3 % (stop->at + 1));
}

// -- what of the unsynced is there

static bool
covers(size_t n, int node, int64_t sector)
{
    const struct disk_op *const op = disk_op(n);
    return op->kind == DISK_WRITE && op->node == node && op->offset / SECTOR <= sector &&
           sector <= (op->offset + (int64_t)op->size - 1) / SECTOR;
}

// Operations before the result have reached a sector.
static size_t
sector_moment(const struct world_stop *stop, int node, int64_t sector)
{
    switch (stop->loss) {
    case WORLD_ALL:
    case WORLD_SECTORS:
        return 0;
    case WORLD_ALL_BUT_ONE:
        return covers(stop->which, node, sector) ? stop->which + 1 : 0;
    case WORLD_ONE:
        return covers(stop->which, node, sector) ? stop->which : stop->at;
    case WORLD_TORN:
        if (covers(stop->which, node, sector) && draw(stop, 1, (uint64_t)sector) % 2)
            return stop->which;
        return stop->at;
    case WORLD_ANY:
        return any_moment(stop, 2 + (uint64_t)node, (uint64_t)sector);
    default:
        return stop->at;
    }
}

// The same of the size of a file.
static size_t
size_moment(const struct world_stop *stop, int node)
{
    const bool meant = stop->at > 0 && disk_op(stop->which)->node == node;
    switch (stop->loss) {
    case WORLD_ALL:
        return 0;
    case WORLD_ALL_BUT_ONE:
        return meant ? stop->which + 1 : 0;
    case WORLD_ONE:
        return meant ? stop->which : stop->at;
    case WORLD_ANY:
        return any_moment(stop, 1000000, (uint64_t)node);
    default:
        return stop->at;
    }
}

static bool
name_is_there(const struct world_stop *stop, size_t n)
{
    switch (stop->loss) {
    case WORLD_ALL:
    case WORLD_NAMES:
        return false;
    case WORLD_ALL_BUT_ONE:
        return n == stop->which;
    case WORLD_ONE:
        return n != stop->which;
    case WORLD_ANY:
        return draw(stop, 1000001, n) % 3 > 0;
    default:
        return true;
    }
}

// -- doing operations again

static void
reserve(struct world_file *f, size_t size)
{
    if (size <= f->capacity)
        return;
    f->bytes = realloc(f->bytes, 2 * size);
    if (!f->bytes)
        abort();
    memset(f->bytes + f->capacity, 0, 2 * size - f->capacity);
    f->capacity = 2 * size;
}

static void
play_write(struct world *w, const struct world_stop *stop, size_t n, size_t size)
{
    const struct disk_op *const op = disk_op(n);
    struct world_file *const f = &w->files[op->node];
    reserve(f, (size_t)op->offset + size);
    for (size_t done = 0, piece; done < size; done += piece) {
        const size_t at = (size_t)op->offset + done;
        piece = SECTOR - at % SECTOR < size - done ? SECTOR - at % SECTOR : size - done;
        const bool lost = f->lost_from >= 0 && (int64_t)(at - at % SECTOR) >= f->lost_from;
        const bool doomed = w->doomed[n] && stop->loss != WORLD_NOTHING;
        if ((n < f->synced && !doomed) ||
            (!lost && n < sector_moment(stop, op->node, (int64_t)(at / SECTOR))))
            memcpy(f->bytes + at, op->bytes + done, piece);
    }
    if (n < f->sized && (size_t)op->offset + size > f->size)
        f->size = (size_t)op->offset + size;
}

static void
play_cut(struct world *w, size_t n)
{
    const struct disk_op *const op = disk_op(n);
    struct world_file *const f = &w->files[op->node];
    if (n >= f->sized) {
        f->lost_from = f->lost_from < 0 || op->offset < f->lost_from ? op->offset : f->lost_from;
        return;
    }
    reserve(f, (size_t)op->offset);
    if (f->capacity > (size_t)op->offset)
        memset(f->bytes + op->offset, 0, f->capacity - (size_t)op->offset);
    f->size = (size_t)op->offset;
}

static void
play_names(struct world *w, const struct disk_op *op)
{
    const int node = names_find(&w->names, op->node, op->text);
    switch (op->kind) {
    case DISK_MAKE:
    case DISK_MAKE_FOLDER:
        names_set(&w->names, op->node, op->text, op->other);
        break;
    case DISK_RENAME: // the old name, if it is there, is lost even where making it was
        if (node == op->other)
            names_set(&w->names, op->node, op->text, NAMES_NONE);
        names_set(&w->names, op->target, op->to, op->other);
        break;
    case DISK_EXCHANGE:
        names_set(&w->names, op->node, op->text, names_find(&w->names, op->node, op->to));
        names_set(&w->names, op->node, op->to, op->other);
        break;
    default:
        if (node == op->other)
            names_set(&w->names, op->node, op->text, NAMES_NONE);
    }
}

static void
play(struct world *w, const struct world_stop *stop, size_t n, size_t torn)
{
    const struct disk_op *const op = disk_op(n);
    switch (op->kind) {
    case DISK_WRITE:
        play_write(w, stop, n, torn ? torn : op->size);
        break;
    case DISK_CUT:
        play_cut(w, n);
        break;
    case DISK_SYNC:
    case DISK_SYNC_FAILED:
        break;
    default:
        if (op->kind == DISK_MAKE_FOLDER)
            w->files[op->other].folder = true;
        if (n < w->files[op->node].synced || name_is_there(stop, n) ||
            (op->kind == DISK_RENAME && n < w->files[op->target].synced))
            play_names(w, op);
    }
}

// Since the last sync of a file, whether that failed or not, one failed: what was written between.
static void
doom(struct world *w, size_t failed)
{
    const int node = disk_op(failed)->node;
    for (size_t n = failed; n > 0; n--) {
        const struct disk_op *const op = disk_op(n - 1);
        if (op->node != node)
            continue;
        if (op->kind == DISK_SYNC || op->kind == DISK_SYNC_FAILED)
            break;
        w->doomed[n - 1] = op->kind == DISK_WRITE;
    }
}

// The log only grows.
static void
find_doomed(struct world *w)
{
    const size_t length = disk_length();
    if (length == w->ndoomed)
        return;
    w->doomed = realloc(w->doomed, length * sizeof *w->doomed);
    if (!w->doomed)
        abort();
    memset(w->doomed + w->ndoomed, 0, (length - w->ndoomed) * sizeof *w->doomed);
    for (; w->ndoomed < length; w->ndoomed++)
        if (disk_op(w->ndoomed)->kind == DISK_SYNC_FAILED)
            doom(w, w->ndoomed);
}

static void
begin(struct world *w, const struct world_stop *stop)
{
    find_doomed(w);
    if (disk_nodes() > w->nfiles) {
        w->files = realloc(w->files, (size_t)disk_nodes() * sizeof *w->files);
        if (!w->files)
            abort();
        for (; w->nfiles < disk_nodes(); w->nfiles++)
            w->files[w->nfiles] = (struct world_file){0};
    }
    names_clear(&w->names);
    for (int i = 0; i < w->nfiles; i++) {
        struct world_file *const f = &w->files[i];
        if (f->capacity > 0)
            memset(f->bytes, 0, f->capacity);
        f->size = f->synced = 0;
        f->folder = i == 0;
        f->lost_from = -1;
    }
    for (size_t n = 0; n < stop->at; n++)
        if (disk_op(n)->kind == DISK_SYNC)
            w->files[disk_op(n)->node].synced = n;
    for (int i = 0; i < w->nfiles; i++) {
        const size_t moment = size_moment(stop, i);
        w->files[i].sized = moment > w->files[i].synced ? moment : w->files[i].synced;
    }
}

void
world_play(struct world *w, const struct world_stop *stop)
{
    begin(w, stop);
    for (size_t n = 0; n < stop->at; n++)
        play(w, stop, n, 0);
    if (stop->torn > 0) { // the program stopped in it: all before it is there
        w->files[disk_op(stop->at)->node].sized = stop->at + 1;
        w->files[disk_op(stop->at)->node].synced = stop->at + 1;
        play(w, stop, stop->at, stop->torn);
    }
}

// -- comparing, and writing

static uint64_t
mix(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *const p = bytes;
    uint64_t word = size;
    for (size_t i = 0; i < size; i += sizeof word) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
        word = 0;
        memcpy(&word, p + i, size - i < sizeof word ? size - i : sizeof word);
    }
    hash = (hash ^ word) * 0xc2b2ae3d27d4eb4f;
    return hash ^ (hash >> 32);
}

static uint64_t
hash_folder(const struct world *w, int folder)
{
    uint64_t sum = 1; // names have no order
    for (size_t i = 0; i < w->names.count; i++) {
        const struct name *const name = &w->names.items[i];
        const struct world_file *const f = &w->files[name->node];
        if (name->folder != folder)
            continue;
        const uint64_t inside = f->folder ? hash_folder(w, name->node) : 0;
        const uint64_t hash = mix(mix(inside, name->text, strlen(name->text)), f->bytes, f->size);
        sum += hash * (hash >> 7 | 1);
    }
    return sum;
}

uint64_t
world_hash(const struct world *w)
{
    return hash_folder(w, 0);
}

// Of a file that is there, the bytes become other ones: to make and remove thousands of files takes
// a disk longer than all else.
static void
write_file(const struct world_file *f, const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT, 0666);
    if (fd < 0 || ftruncate(fd, (off_t)f->size) != 0 ||
        (f->size > 0 && pwrite(fd, f->bytes, f->size, 0) != (ssize_t)f->size))
        abort();
    close(fd);
}

static const struct world_file *
find_file(const struct world *w, int folder, const char *text)
{
    const int node = names_find(&w->names, folder, text);
    return node == NAMES_NONE ? NULL : &w->files[node];
}

// What has no name in the world, or is a file here and a folder there.
static void
remove_others(const struct world *w, int folder, const char *path)
{
    char inside[PATH_SIZE];
    DIR *const dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        const struct world_file *const f = find_file(w, folder, e->d_name);
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            (f && f->folder == (e->d_type == DT_DIR)))
            continue;
        snprintf(inside, sizeof inside, "%s/%s", path, e->d_name);
        files_remove(inside);
    }
    if (dir)
        closedir(dir);
}

static void
write_folder(const struct world *w, int folder, const char *path)
{
    char inside[PATH_SIZE];
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        abort();
    remove_others(w, folder, path);
    for (size_t i = 0; i < w->names.count; i++) {
        const struct name *const name = &w->names.items[i];
        if (name->folder != folder)
            continue;
        snprintf(inside, sizeof inside, "%s/%s", path, name->text);
        if (w->files[name->node].folder)
            write_folder(w, name->node, inside);
        else
            write_file(&w->files[name->node], inside);
    }
}

void
world_write(const struct world *w, const char *path)
{
    disk_pause();
    write_folder(w, 0, path);
    disk_resume();
}

static bool
file_is_at(const struct world_file *f, const char *path)
{
    size_t size;
    uint8_t *const bytes = files_read(path, &size);
    const bool same = size == f->size && (size == 0 || memcmp(bytes, f->bytes, size) == 0);
    free(bytes);
    return same;
}

static bool
folder_is_at(const struct world *w, int folder, const char *path)
{
    char inside[PATH_SIZE];
    size_t count = 0, here = 0;
    bool same = true;
    DIR *const dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));)
        here += e->d_name[0] != '.';
    if (dir)
        closedir(dir);
    for (size_t i = 0; i < w->names.count && same; i++) {
        const struct name *const name = &w->names.items[i];
        if (name->folder != folder)
            continue;
        count += name->text[0] != '.';
        snprintf(inside, sizeof inside, "%s/%s", path, name->text);
        same = files_exist(inside) &&
               (w->files[name->node].folder ? folder_is_at(w, name->node, inside)
                                            : file_is_at(&w->files[name->node], inside));
    }
    return dir && same && count == here;
}

bool
world_is_at(const struct world *w, const char *path)
{
    return folder_is_at(w, 0, path);
}
