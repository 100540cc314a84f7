/*
 * head.c - headers of answers, as a server sends them, and what they mean for a request.
 *
 * Input: what was asked for, whether the object is known, and lines up to an empty one; the rest is
 * the body, in parts. Whatever the headers claim, the body stays within memory, and what is taken
 * is a range that was asked for.
 */
#include "answer/head.h"
#include "answer/judge.h"
#include "fuzz/fuzz.h"
#include "read/piece.h"

enum { PIECES = 3 };

static void
must_be_sound(const struct http_head *h)
{
    must(h->size <= HTTP_HEAD_MAX, "%zu bytes of headers", h->size);
    must(h->length >= -1 && h->total >= -1 && h->modified >= -1 && h->date >= -1,
         "a number below -1");
    must(!h->ranged || (h->first == -1 && h->last == -1) ||
             (h->first >= 0 && h->first <= h->last && (h->total < 0 || h->last < h->total)),
         "range %lld-%lld/%lld", (long long)h->first, (long long)h->last, (long long)h->total);
    must(strlen(h->etag) < sizeof h->etag && strlen(h->region) < sizeof h->region, "a long text");
    for (const char *c = h->etag; *c; c++)
        must((unsigned char)*c > ' ', "byte %d in an ETag, which is sent back", *c);
    must(http_head_wait(h, 784111777) >= -1, "a negative wait");
}

static void
take_body(struct http_piece *pieces, size_t n, const struct http_judgement *j, struct rd *r)
{
    int64_t position = j->position, brought = 0;
    size_t at = 0;

    while (r->left > 0) {
        const size_t size = 1 + (size_t)draw_below(r, 32);
        const size_t have = size < r->left ? size : r->left;
        const int64_t stop = pieces[n - 1].offset + (int64_t)pieces[n - 1].size;
        const int64_t room = stop > position ? stop - position : 0;
        const size_t count = (int64_t)have < room ? have : (size_t)room;
        (void)http_pieces_take(pieces, n, &at, position, r->at, count, &brought);
        position += (int64_t)count;
        r->at += have;
        r->left -= have;
    }
    for (size_t i = 0; i < n; i++)
        must(pieces[i].filled <= pieces[i].size, "%zu of %zu bytes", pieces[i].filled,
             pieces[i].size);
}

static void
try_answer(const struct http_head *head, struct http_piece *pieces, int kind, bool known,
           struct rd *r)
{
    const bool whole = kind == HTTP_ASK_WHOLE;
    struct http_piece *const piece = &pieces[kind == HTTP_ASK_LAST ? PIECES - 1 : 0];
    const struct http_identity identity = {.etag = "\"e\"", .size = 60, .modified = -1};
    const struct http_ask ask =
        whole ? (struct http_ask){.kind = HTTP_ASK_WHOLE} : http_piece_ask(piece);
    const struct http_judgement j = http_judge(&ask, head, known ? &identity : NULL);

    must((j.verdict == HTTP_VERDICT_REFUSED || j.verdict == HTTP_VERDICT_FAILED) ==
                 (j.status != TESS_OK) ||
             j.verdict == HTTP_VERDICT_RETRY || j.verdict == HTTP_VERDICT_REDIRECT,
         "verdict %d, status %d", j.verdict, j.status);
    if (j.verdict != HTTP_VERDICT_TAKE && j.verdict != HTTP_VERDICT_STREAM)
        return;
    must(j.position >= 0, "a body from %lld on", (long long)j.position);
    if (known || j.total >= 0)
        (void)http_pieces_settle(pieces, PIECES, j.total >= 0 ? j.total : identity.size);
    const bool all = whole || j.verdict == HTTP_VERDICT_STREAM;
    must(all || piece->done || j.position <= piece->offset, "a body behind the range");
    take_body(all ? pieces : piece, all ? PIECES : 1, &j, r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rd r = rd_init(data, size);
    const int kind = (int)draw_below(&r, 4);
    const bool known = draw_below(&r, 2);
    struct http_head head;
    struct http_piece pieces[PIECES] = {{0}};

    for (int i = 0; i < PIECES; i++)
        pieces[i] = (struct http_piece){
            .kind = HTTP_ASK_RANGE, .offset = 20 * i, .size = 10, .dst = exact_memory(10)};
    if (kind == HTTP_ASK_FIRST || kind == HTTP_ASK_LAST)
        pieces[kind == HTTP_ASK_FIRST ? 0 : 2].kind = (enum http_ask_kind)kind;
    http_head_init(&head);
    bool more = true;
    while (more && !head.complete && r.left > 0) {
        const uint8_t *const end = memchr(r.at, '\n', r.left);
        const size_t line_size = end ? (size_t)(end - r.at) + 1 : r.left;
        uint8_t *const line = exact_copy(r.at, line_size);
        more = http_head_line(&head, (const char *)line, line_size);
        must(more == !head.bad, "a bad head is not told");
        free(line);
        r.at += line_size;
        r.left -= line_size;
    }
    must_be_sound(&head);
    if (head.complete)
        try_answer(&head, pieces, kind, known, &r);
    for (int i = 0; i < PIECES; i++)
        free(pieces[i].dst);
    return 0;
}
