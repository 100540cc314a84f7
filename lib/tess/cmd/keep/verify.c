/*
 * verify.c - tess verify: whether what is stored is what was written.
 *
 * What is said of a file comes when all of it was read: a file that changes meanwhile is read
 * again.
 */
#include "commands.h"
#include "data/open.h"
#include "options.h"
#include "report.h"
#include "text/json.h"
#include "text/text.h"
#include "text/work.h"

#include <tessera/verify.h>

#include <inttypes.h>
#include <stdlib.h>

enum { TRIES = 10 };

// Of one file, in words or as JSON.
struct findings {
    const char *path;
    FILE *out;
    struct json *json; // NULL: words
};

static void
write_box(FILE *out, const tess_damage *damage)
{
    fputc('[', out);
    for (int i = 0; i < damage->ndim; i++)
        fprintf(out, "%s%" PRId64 ":%" PRId64, i > 0 ? ", " : "", damage->start[i],
                damage->stop[i]);
    fputc(']', out);
}

static void
write_part_name(FILE *out, const tess_damage *damage)
{
    switch (damage->of) {
    case TESS_DAMAGED_METALAYER:
        fputs("metalayer ", out);
        text_write(out, damage->metalayer);
        break;
    case TESS_DAMAGED_HEADER:
        fputs("header", out);
        break;
    case TESS_DAMAGED_CHECKSUMS:
        fputs("checksums", out);
        break;
    default:
        write_box(out, damage);
    }
}

static void
tell_damage(const tess_damage *damage, void *user)
{
    const struct findings *const f = user;
    struct json *const j = f->json;
    if (!j) {
        text_write(f->out, f->path);
        fputs(": ", f->out);
        write_part_name(f->out, damage);
        fputs(": ", f->out);
        text_write(f->out, damage->message);
        fputc('\n', f->out);
        return;
    }
    json_open(j, NULL, '{');
    if (damage->metalayer) {
        json_string(j, "metalayer", damage->metalayer);
    } else if (damage->of != TESS_DAMAGED_CHUNK) {
        json_string(j, "part", damage->of == TESS_DAMAGED_HEADER ? "header" : "checksums");
    } else {
        json_int(j, "chunk", damage->chunk);
        json_ints(j, "start", damage->ndim, damage->start);
        json_ints(j, "stop", damage->ndim, damage->stop);
    }
    json_string(j, "message", damage->message);
    json_close(j, '}');
}

// A part of the sentence, about `n` things: none, none of it. text: what follows their number and
// name. first: nothing stands before it.
static void
write_part(FILE *out, bool *first, int64_t n, const char *name, const char *text)
{
    if (n == 0)
        return;
    fprintf(out, "%s%" PRId64 " %s%s %s", *first ? "" : "; ", n, name, n == 1 ? "" : "s", text);
    *first = false;
}

static void
write_unstored(FILE *out, bool *first, const tess_verdict *v)
{
    const bool none = v->nstored == 0 && v->nspecial + v->nmissing == 0;
    if (none)
        fprintf(out, "%sno chunks", *first ? "" : "; ");
    *first &= !none;
    write_part(out, first, v->nspecial, "chunk", "of zeros or NaNs, not stored");
    write_part(out, first, v->nmissing, "chunk", "never written");
}

// What was done with the chunks, and what came of it.
static void
write_words(const struct findings *f, const tess_verdict *v)
{
    const bool damaged = v->ndamaged + v->nmetalayers > 0 || v->checksums_damaged;
    const char *const state = damaged             ? "damaged"
                              : v->header_changed ? "changed or damaged"
                              : v->fine           ? "fine"
                                                  : "not checked";
    const char *const others = v->sealed ? "" : "last written by another program";
    bool first = true;

    text_write(f->out, f->path);
    fprintf(f->out, ": %s: ", state);
    write_part(f->out, &first, v->ndamaged, "chunk", "damaged");
    write_part(f->out, &first, v->nmetalayers, "metalayer", "damaged");
    write_part(f->out, &first, v->nuntried, "chunk",
               "without a checksum, which this program cannot decode");
    write_part(f->out, &first, v->nright, "chunk",
               v->nright == 1 ? "decodes and matches its checksum"
                              : "decode and match their checksums");
    if (v->nunknown > 0)
        write_part(f->out, &first, v->nunknown, "chunk", v->nunknown == 1 ? "decodes" : "decode");
    write_unstored(f->out, &first, v);
    if (v->nunknown > 0)
        fprintf(f->out, "; %s%s%s",
                v->checksums_damaged ? "their checksums are damaged"
                : v->nright > 0      ? "some without checksums"
                                     : "no checksums",
                v->sealed ? "" : ": ", others);
    else if (!v->sealed)
        fprintf(f->out, "; %s", others);
    if (v->header_changed)
        fputs("; the header is not as committed", f->out);
    fputc('\n', f->out);
}

// true or false, or null.
static void
json_flag(struct json *j, const char *key, bool known, bool flag)
{
    json_text(j, key, !known ? "null" : flag ? "true" : "false");
}

// What there is to know if all could be read.
static void
json_verdict(struct json *j, bool known, const tess_verdict *v)
{
    json_known(j, "nstored", known, v->nstored);
    json_known(j, "nright", known, v->nright);
    json_known(j, "nunknown", known, v->nunknown);
    json_known(j, "ndamaged", known, v->ndamaged);
    json_known(j, "nuntried", known, v->nuntried);
    json_known(j, "nspecial", known, v->nspecial);
    json_known(j, "nmissing", known, v->nmissing);
    json_known(j, "nmetalayers_damaged", known, v->nmetalayers);
    json_flag(j, "sealed", known, v->sealed);
    json_flag(j, "header_changed", known, v->header_changed);
    json_flag(j, "checksums_damaged", known, v->checksums_damaged);
    json_known(j, "commit", known && v->commit > 0, (int64_t)v->commit);
}

static void
begin(const struct findings *f)
{
    if (!f->json)
        return;
    json_begin(f->json, f->out);
    json_string(f->json, "path", f->path);
    json_open(f->json, "damage", '[');
}

// Open and read it all. What is damaged goes to f->out.
static tess_status
look(const struct findings *f, const struct arguments *args, tess_verdict *verdict, tess_error *err)
{
    struct work work;
    tess_array *a = NULL;
    tess_status st = open_array(f->path, args, &a, err);

    if (st != TESS_OK)
        return st;
    work_begin(&work, WORK_ENDS);
    work_follow_array(&work, a);
    st = tess_array_verify(a, tell_damage, (void *)f, verdict, err);
    work_end(&work);
    tess_array_discard(a);
    return st;
}

// What was found, or the message that says why the file cannot be read to its end.
static void
finish(const struct findings *f, bool read, const tess_verdict *verdict, bool fine,
       const char *message)
{
    if (f->json) {
        if (!read) {
            json_open(f->json, NULL, '{');
            json_string(f->json, "message", message);
            json_close(f->json, '}');
        }
        json_close(f->json, ']');
        json_bool(f->json, "fine", fine);
        json_verdict(f->json, read, verdict);
        json_end(f->json);
    } else if (read) {
        write_words(f, verdict);
    } else {
        text_write(f->out, f->path);
        fputs(": damaged: ", f->out);
        text_write(f->out, message);
        fputc('\n', f->out);
    }
}

// The same, printed once it is known. A file that does not open because it is damaged is told of
// like one of which a chunk is.
static int
verify(const char *path, const struct arguments *args)
{
    char *text = NULL;
    size_t text_size;
    struct json j;
    tess_verdict verdict = {0};
    tess_error err = {0};
    FILE *const out = open_memstream(&text, &text_size);
    struct findings f = {.path = path, .out = out, .json = args->values[OPT_JSON] ? &j : NULL};
    if (!out) {
        (void)report_errno(&err, "cannot describe");
        return report_print(path, &err);
    }
    tess_status st = TESS_ERR_STALE;
    for (int i = 0; i < TRIES && st == TESS_ERR_STALE; i++) {
        rewind(out);
        begin(&f);
        st = look(&f, args, &verdict, &err);
    }
    const bool read = st == TESS_OK;
    const bool told = read || st == TESS_ERR_CORRUPT;
    const bool fine = read && verdict.fine;
    finish(&f, read, &verdict, fine, err.message);
    const long size = ftell(out);
    const bool written = fclose(out) == 0 && size >= 0;
    if (written && told)
        (void)fwrite(text, 1, (size_t)size, stdout);
    free(text);
    if (!written)
        (void)report_nomem(&err, (int64_t)text_size);
    else if (told)
        return fine ? EXIT_STATUS_FINE : EXIT_STATUS_NO;
    return report_print(path, &err);
}

static int
run_verify(const struct arguments *args)
{
    int worst = EXIT_STATUS_FINE;
    for (char *const *path = args->words; *path; path++) {
        const int status = verify(*path, args);
        worst = status > worst ? status : worst;
    }
    return worst;
}

const struct command cmd_verify = {
    .name = "verify",
    .purpose = "whether what is stored is what was written",
    .words = "PATH...",
    .nwords = 1,
    .nwords_more = OPTIONS_MORE,
    .options = OPTIONS(OPT_JSON, OPT_OFFSET, OPT_THREADS),
    .details =
        "All chunks are read, compared with their checksums, and decoded. Other programs\n"
        "write no checksums; what they changed is decoded only. One line for each file, and\n"
        "one for each damaged chunk, with its box in the array; --json: one object each.\n"
        "Chunks that match their checksums need not be decoded where this build lacks their\n"
        "codec; without a checksum they count as not checked.\n"
        "A header that is not the one that was committed may be damaged, or be the change of\n"
        "another program: both readings are printed.\n"
        "Exit status: 0 fine, 1 something is damaged or was not checked, 3 a file could not\n"
        "be read.\n",
    .examples =
        (const struct example[]){
            {"all files, a line for each", "tess verify *.b2nd"},
            {"only the answer, for a script", "tess verify winds.b2nd >/dev/null && echo fine"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"path", "string", "the file or directory; one object, on one line, for each"},
            {"damage", "list", "what is damaged, or could not be checked"},
            {"damage[].chunk", "integer or absent",
             "number of a damaged chunk, in C order of the grid"},
            {"damage[].start", "integers or absent", "first item of its box"},
            {"damage[].stop", "integers or absent", "end of the box, which is not in it"},
            {"damage[].metalayer", "string or absent", "name of a damaged metalayer"},
            {"damage[].message", "string", "one sentence; alone: not all could be read"},
            {"fine", "boolean", "nothing is damaged, and all was checked"},
            {"nstored", "integer or null",
             "chunks with bytes of their own; null, as all below: not known"},
            {"nright", "integer or null", "of these: as their checksums say"},
            {"nunknown", "integer or null", "of these: without a checksum; they can be decoded"},
            {"ndamaged", "integer or null", "of these: damaged"},
            {"nuntried", "integer or null",
             "of these: no checksum, and this program cannot decode them"},
            {"nspecial", "integer or null", "chunks of zeros or NaNs, without bytes of their own"},
            {"nmissing", "integer or null", "chunks that were never written"},
            {"nmetalayers_damaged", "integer or null", "damaged metalayers"},
            {"sealed", "boolean or null", "the last commit was written by Tessera"},
            {"header_changed", "boolean or null",
             "the header is not the one of that commit: another program's, or damaged"},
            {"checksums_damaged", "boolean or null", "the list of checksums is damaged"},
            {"commit", "integer or null", "number of the last commit"},
            {0},
        },
    .run = run_verify,
};
