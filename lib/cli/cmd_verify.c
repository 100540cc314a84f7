/*
 * cmd_verify.c - tess verify: whether what is stored is what was written.
 *
 * What is said of a file comes when all of it was read: a file that changes meanwhile is read
 * again.
 */
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/open.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/text.h"

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
tell_damage(const tess_damage *damage, void *user)
{
    const struct findings *const f = user;
    struct json *const j = f->json;
    if (!j) {
        text_write(f->out, f->path);
        fputs(": ", f->out);
        if (damage->metalayer) {
            fputs("metalayer ", f->out);
            text_write(f->out, damage->metalayer);
        } else {
            write_box(f->out, damage);
        }
        fputs(": ", f->out);
        text_write(f->out, damage->message);
        fputc('\n', f->out);
        return;
    }
    json_open(j, '{');
    if (damage->metalayer) {
        json_key(j, "metalayer");
        json_string(j, damage->metalayer);
    } else {
        json_key(j, "chunk");
        json_int(j, damage->chunk);
        json_key(j, "start");
        json_ints(j, damage->ndim, damage->start);
        json_key(j, "stop");
        json_ints(j, damage->ndim, damage->stop);
    }
    json_key(j, "message");
    json_string(j, damage->message);
    json_close(j, '}');
}

static void
write_words(const struct findings *f, const tess_verdict *v)
{
    text_write(f->out, f->path);
    fprintf(f->out, ": %s: ", v->ndamaged + v->nmetalayers > 0 ? "damaged" : "fine");
    fprintf(f->out, "%" PRId64 " stored chunks, %" PRId64 " as their checksums say", v->nstored,
            v->nright);
    if (v->nunknown > 0)
        fprintf(f->out, ", %" PRId64 " without one", v->nunknown);
    if (v->ndamaged > 0)
        fprintf(f->out, ", %" PRId64 " damaged", v->ndamaged);
    if (v->nmetalayers > 0)
        fprintf(f->out, "; %" PRId64 " metalayers damaged", v->nmetalayers);
    if (!v->sealed)
        fputs("; last written by another program", f->out);
    else if (v->header_changed)
        fputs("; header changed by another program", f->out);
    fputc('\n', f->out);
}

static void
json_verdict(struct json *j, const tess_verdict *v)
{
    json_key(j, "stored_chunks");
    json_int(j, v->nstored);
    json_key(j, "right");
    json_int(j, v->nright);
    json_key(j, "without_checksum");
    json_int(j, v->nunknown);
    json_key(j, "damaged");
    json_int(j, v->ndamaged);
    json_key(j, "damaged_metalayers");
    json_int(j, v->nmetalayers);
    json_key(j, "sealed");
    json_bool(j, v->sealed);
    json_key(j, "header_changed");
    json_bool(j, v->header_changed);
    json_key(j, "commit");
    if (v->commit > 0)
        json_int(j, (int64_t)v->commit);
    else
        json_null(j);
}

// Open and read it all. What is found goes to f->out; *fine: nothing is damaged.
static tess_status
look(const struct findings *f, const struct arguments *args, bool *fine, tess_error *err)
{
    struct progress bar;
    tess_verdict verdict;
    tess_array *a = NULL;
    tess_status st = open_array(f->path, args, &a, err);
    if (st != TESS_OK)
        return st;
    progress_begin(&bar, 1);
    tess_array_set_progress(a, progress_hear, &bar);
    if (f->json) {
        json_key(f->json, "damage");
        json_open(f->json, '[');
    }
    st = tess_array_verify(a, tell_damage, (void *)f, &verdict, err);
    progress_end(&bar);
    tess_array_discard(a);
    if (st != TESS_OK)
        return st;
    *fine = verdict.ndamaged == 0 && verdict.nmetalayers == 0;
    if (!f->json) {
        write_words(f, &verdict);
        return TESS_OK;
    }
    json_close(f->json, ']');
    json_key(f->json, "fine");
    json_bool(f->json, *fine);
    json_verdict(f->json, &verdict);
    return TESS_OK;
}

// The same, printed once it is known. A file that does not open because it is damaged is told of
// like one of which a chunk is.
static int
verify(const char *path, const struct arguments *args)
{
    char *text = NULL;
    size_t text_size;
    struct json j;
    bool fine = false;
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
        json_init(&j, out);
        if (f.json) {
            json_open(&j, '{');
            json_key(&j, "path");
            json_string(&j, path);
        }
        st = look(&f, args, &fine, &err);
    }
    const bool closed = !fine && st == TESS_ERR_CORRUPT;
    if (closed && f.json) {
        json_key(&j, "fine");
        json_bool(&j, false);
        json_key(&j, "message");
        json_string(&j, err.message);
    } else if (closed) {
        text_write(out, path);
        fputs(": damaged: ", out);
        text_write(out, err.message);
        fputc('\n', out);
    }
    if (f.json) {
        json_close(&j, '}');
        fputc('\n', out);
    }
    const long size = ftell(out);
    const bool written = fclose(out) == 0 && size >= 0;
    if (written && (st == TESS_OK || closed))
        (void)fwrite(text, 1, (size_t)size, stdout);
    free(text);
    if (!written)
        (void)report_nomem(&err, (int64_t)text_size);
    else if (st == TESS_OK || closed)
        return fine ? EXIT_STATUS_FINE : EXIT_STATUS_NO;
    return report_print(path, &err);
}

static int
run(const struct arguments *args)
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
    .options = OPT_BIT(OPT_JSON) | OPT_BIT(OPT_OFFSET) | OPT_BIT(OPT_THREADS),
    .details =
        "All chunks are read, compared with their checksums, and decoded. Other programs\n"
        "write no checksums; what they changed is decoded only. One line for each file, and\n"
        "one for each damaged chunk, with its box in the array; --json: one object each.\n"
        "Exit status: 0 fine, 1 something is damaged, 3 a file could not be read.\n",
    .examples =
        (const struct example[]){
            {"all files, a line for each", "tess verify *.b2nd"},
            {"only the answer, for a script", "tess verify winds.b2nd >/dev/null && echo fine"},
            {0},
        },
    .run = run,
};
