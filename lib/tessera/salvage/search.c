/*
 * search.c - finds ledgers and chunks in the bytes of a damaged frame, without an index.
 */
#include "salvage/private.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/header.h"
#include "frame/format/header.h"
#include "frame/format/ledger.h"
#include "frame/format/trailer.h"
#include "task/watch.h"

#include <string.h>

enum {
    PIECE = 1 << 20,
    OVERLAP = 64, // of pieces: what is recognised has no more bytes
    SECTOR = 4096, // what may be unreadable alone
    TRIED_TIMES = 16, // the bytes there are
    TRIED_MIN = 64 << 20,
};

tess_status
search_init(struct search *s, struct io *io, int64_t all, struct watch *watch, tess_error *err)
{
    *s = (struct search){.io = io, .watch = watch};
    const tess_status st = io_size(io, &s->size, err);
    if (!mul_i64(all, TRIED_TIMES, &s->left) || !add_i64(s->left, TRIED_MIN, &s->left))
        s->left = INT64_MAX;
    return st;
}

bool
search_may_try(struct search *s, int64_t size)
{
    if (size > s->left)
        return false;
    s->left -= size;
    return true;
}

static void
read_leniently(struct io *io, int64_t at, uint8_t *dst, int64_t size)
{
    if (io_read(io, at, dst, (size_t)size, NULL) == TESS_OK)
        return;
    for (int64_t i = 0; i < size; i += SECTOR) {
        const size_t n = (size_t)min_i64(SECTOR, size - i);
        if (io_read(io, at + i, dst + i, n, NULL) != TESS_OK)
            memset(dst + i, 0, n);
    }
}

// A piece of the file in memory; positions from `start` to `stop` can begin something.
struct window {
    uint8_t *bytes;
    int64_t start, stop, end;
};

static tess_status
window_init(struct window *w, int64_t from, tess_error *err)
{
    *w = (struct window){.bytes = mem_alloc(PIECE + OVERLAP), .start = from, .stop = from};
    return w->bytes ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d bytes", PIECE);
}

// The next piece from `at` on. False: the file ends there.
static bool
window_next(struct window *w, struct search *s, int64_t at)
{
    if (at >= s->size)
        return false;
    w->start = at;
    w->stop = min_i64(at + PIECE, s->size);
    w->end = min_i64(w->stop + OVERLAP, s->size);
    read_leniently(s->io, at, w->bytes, w->end - at);
    return true;
}

// Other programs that write a trailer leave its fingerprint empty, and the ledger as it was.
static bool
is_foreign(const uint8_t *end)
{
    enum { LENGTH_MARK = 0xce, FINGERPRINT_MARK = 0xd8, FINGERPRINT_MARK_AT = 5 };
    for (int i = FINGERPRINT_MARK_AT + 1; i < TRAILER_FIXED_END; i++)
        if (end[i] != 0)
            return false;
    return end[0] == LENGTH_MARK && end[FINGERPRINT_MARK_AT] == FINGERPRINT_MARK;
}

/*
 * What stands where a ledger may be: its size and the frame's length must agree with the place, and
 * the trailer not be that of another program. One of format 1 is the last thing in front of the
 * trailer's end.
 */
static bool
is_in_place(struct search *s, struct ledger_place *p, int mark_at)
{
    uint8_t front[LEDGER_FRONT + FRAME_HEADER_SIZE];
    uint8_t end[TRAILER_FIXED_END];

    if (p->position < 0 || s->size - p->position < (int64_t)sizeof front ||
        io_read(s->io, p->position, front, sizeof front, NULL) != TESS_OK)
        return false;
    p->size = ledger_size(front, mark_at);
    const uint8_t *const head = front + mark_at;
    p->frame_len = frame_header_get_frame_len(head);
    p->cbytes = frame_header_get_cbytes(head);
    if (p->size == 0 || p->size > s->size - p->position)
        return false;
    if (mark_at == LEDGER_MARK_AT_V1 ? p->position + p->size + TRAILER_FIXED_END != p->frame_len
                                     : ledger_position(front) != p->position)
        return false;
    return p->frame_len < TRAILER_FIXED_END ||
           io_read(s->io, p->frame_len - TRAILER_FIXED_END, end, sizeof end, NULL) != TESS_OK ||
           !is_foreign(end);
}

tess_status
search_load_ledger(struct search *s, const struct ledger_place *place, struct ledger *ledger,
                   tess_error *err)
{
    uint8_t *const bytes = mem_alloc((size_t)place->size);
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a ledger");
    const tess_status st = io_read(s->io, place->position, bytes, (size_t)place->size, err);
    if (st == TESS_OK)
        return ledger_take(bytes, (size_t)place->size, ledger, err);
    mem_free(bytes);
    return st;
}

static tess_status
try_ledger(struct search *s, int64_t mark, int mark_at, ledger_found_fn *found, void *user,
           tess_error *err)
{
    struct ledger_place p = {.position = mark - mark_at};
    struct ledger ledger;
    if (!is_in_place(s, &p, mark_at) || !search_may_try(s, p.size))
        return TESS_OK;
    const tess_status st = search_load_ledger(s, &p, &ledger, err);
    if (st == TESS_OK) {
        p.number = ledger.number;
        p.nstored = ledger.nstored;
        found(user, &p);
        ledger_finish(&ledger);
    }
    return st == TESS_ERR_NOMEM ? st : TESS_OK;
}

static tess_status
search_look(struct search *s, int64_t done, tess_error *err)
{
    watch_add(s->watch, done);
    return watch_look(s->watch, err);
}

tess_status
search_ledgers(struct search *s, ledger_found_fn *found, void *user, tess_error *err)
{
    static const char mark[] = LEDGER_MARK;
    struct window w;
    tess_status st = window_init(&w, 0, err);
    watch_job(s->watch, s->size);
    while (st == TESS_OK && window_next(&w, s, w.stop)) {
        const uint8_t *at = w.bytes, *const stop = w.bytes + (w.stop - w.start);
        while (st == TESS_OK && (at = memchr(at, (uint8_t)mark[0], (size_t)(stop - at)))) {
            const int64_t position = w.start + (at - w.bytes);
            if (w.end - position >= (int64_t)sizeof mark && memcmp(at, mark, sizeof mark) == 0) {
                st = try_ledger(s, position, LEDGER_MARK_AT, found, user, err);
                if (st == TESS_OK)
                    st = try_ledger(s, position, LEDGER_MARK_AT_V1, found, user, err);
            }
            at++;
        }
        if (st == TESS_OK)
            st = search_look(s, w.stop - w.start, err);
    }
    mem_free(w.bytes);
    return st;
}

// A quick look before a header is parsed.
static bool
is_likely(const struct chunk_search *what, const uint8_t *head)
{
    enum { VERSION_OLDEST = 2, VERSION_NEWEST = 6 };
    if (head[0] < VERSION_OLDEST || head[0] > VERSION_NEWEST || head[1] > VERSION_NEWEST)
        return false;
    const int32_t nbytes = get_i32le(head + 4);
    return what->nbytes < 0 || nbytes == what->nbytes || nbytes == what->nbytes_last;
}

tess_status
search_chunks(struct search *s, const struct chunk_search *what, tess_error *err)
{
    struct window w;
    struct chunk_header h;
    int64_t at = what->from;
    tess_status st = window_init(&w, at, err);
    watch_job(s->watch, s->size);
    while (st == TESS_OK && at < what->until && window_next(&w, s, at)) {
        while (st == TESS_OK && at < w.stop && at < what->until && w.end - at >= CHUNK_HEADER_MIN) {
            const uint8_t *const head = w.bytes + (at - w.start);
            const size_t size = (size_t)min_i64(w.end - at, CHUNK_HEADER_SIZE);
            bool is_one = false;
            if (is_likely(what, head) &&
                chunk_header_parse(head, size, s->size - at, what->typesize, &h, NULL) == TESS_OK)
                st = what->found(what->user, at, &h, &is_one, err);
            at += is_one ? h.cbytes : 1;
        }
        at = w.end == s->size && at < w.stop ? w.stop : at;
        if (st == TESS_OK)
            st = search_look(s, at - w.start, err);
    }
    mem_free(w.bytes);
    return st;
}
