/*
 * result_records.c - what a contest has found, as JSON and as CSV.
 */
#include "cli/layout/result.h"
#include "cli/layout/trial.h"
#include "cli/text/filters.h"
#include "cli/text/json.h"
#include "cli/text/names.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SHAPE_SIZE 256

static void
json_access(struct json *j, const struct result *r, const struct trial *t, int number)
{
    json_open(j, NULL, '{');
    json_string(j, "access", r->contest->setting.mix->items[number].text);
    json_real(j, "seconds", result_access(t, number));
    json_real(j, "of_disk", t->costs[number].disk);
    json_close(j, '}');
}

static void
json_trial(struct json *j, const struct result *r, const struct trial *t)
{
    const tess_params *const p = &t->params;
    const double size = (double)r->contest->setting.sample->size;
    const char *role;

    json_open(j, NULL, '{');
    json_open(j, "roles", '[');
    for (int n = 0; (role = result_role_key(t, n)) != NULL; n++)
        json_string(j, NULL, role);
    json_close(j, ']');
    json_ints(j, "chunkshape", p->ndim, t->grid.chunk);
    json_ints(j, "blockshape", p->ndim, t->grid.block);
    const char *const codec = names_text(names_codec, p->codec);
    json_string(j, "codec", codec ? codec : "unknown");
    json_int(j, "codec_meta", p->codec_meta);
    json_int(j, "clevel", p->clevel);
    filters_json(j, p->filters, p->filters_meta);
    json_real(j, "cratio", t->ratio);
    json_real(j, "write_bytes_per_second", size / times_median(&t->write));
    json_real(j, "read_bytes_per_second", size / times_median(&t->read));
    json_open(j, "accesses", '[');
    for (int i = 0; i < r->contest->setting.mix->count; i++)
        json_access(j, r, t, i);
    json_close(j, ']');
    json_real(j, "mix_seconds", t->mix);
    json_int(j, "rounds", t->read.count);
    json_bool(j, "on_front", t->on_front);
    json_close(j, '}');
}

static void
json_setting(struct json *j, const struct result *r)
{
    const struct contest *const c = r->contest;
    const struct setting *const s = &c->setting;

    json_string(j, "name", r->name);
    json_ints(j, "shape", c->base.ndim, c->base.shape);
    json_string(j, "dtype", c->base.dtype);
    json_ints(j, "sample_shape", s->sample->ndim, s->sample->shape);
    json_int(j, "threads", s->model.threads);
    json_ints(j, "caches", 3, (int64_t[]){s->machine.l1, s->machine.l2, s->machine.l3});
    json_real(j, "disk_bytes_per_second",
              s->model.disk_speed > 0 ? s->model.disk_speed : (double)NAN);
    json_real(j, "disk_latency_seconds", s->model.disk_latency);
    json_open(j, "mix", '[');
    for (int i = 0; i < s->mix->count; i++) {
        json_open(j, NULL, '{');
        json_string(j, "access", s->mix->items[i].text);
        json_real(j, "weight", s->mix->items[i].weight);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_real(j, "seconds", c->seconds);
    json_bool(j, "cut_short", c->cut_short);
    json_string(j, "applied", r->applied);
}

void
result_json(const struct result *r, FILE *out)
{
    struct json j;

    json_begin(&j, out);
    json_setting(&j, r);
    json_open(&j, "layouts", '[');
    for (int i = 0; i < r->contest->count; i++)
        json_trial(&j, r, &r->contest->trials[i]);
    json_close(&j, ']');
    json_end(&j);
}

// A field that may hold commas.
static void
quote(FILE *out, const char *text)
{
    const char *const sign = strpbrk(text, ",\"") ? "\"" : "";
    fprintf(out, "%s%s%s,", sign, text, sign);
}

void
result_csv(const struct result *r, FILE *out)
{
    const struct contest *const c = r->contest;
    const struct uses *const mix = c->setting.mix;
    const double size = (double)c->setting.sample->size;
    char text[SHAPE_SIZE];

    fputs("roles,chunks,blocks,codec,level,filter,ratio,write_bytes_per_second,"
          "read_bytes_per_second,",
          out);
    for (int i = 0; i < mix->count; i++)
        fprintf(out, "%s,", mix->items[i].text);
    fputs("mix_seconds,rounds,on_front\n", out);
    for (int i = 0; i < c->count; i++) {
        const struct trial *const t = &c->trials[i];

        result_role(t, text);
        quote(out, text);
        result_shape(t->params.ndim, t->grid.chunk, text, sizeof text);
        quote(out, text);
        result_shape(t->params.ndim, t->grid.block, text, sizeof text);
        quote(out, text);
        result_codec(&t->params, text);
        text[strcspn(text, " ")] = '\0';
        fprintf(out, "%s,%d,", text, t->params.clevel);
        result_filters(&t->params, text);
        quote(out, text);
        fprintf(out, "%.6g,%.6g,%.6g,", t->ratio, size / times_median(&t->write),
                size / times_median(&t->read));
        for (int k = 0; k < mix->count; k++)
            fprintf(out, "%.6g,", result_access(t, k));
        fprintf(out, "%.6g,%d,%d\n", t->mix, t->read.count, t->on_front);
    }
}
