/*
 * result_records.c - what a contest has found, as JSON and as CSV.
 */
#include "cli/layout/result.h"

#include "cli/text/filters.h"
#include "cli/text/json.h"
#include "cli/text/names.h"

#include <inttypes.h>
#include <string.h>

#define SHAPE_SIZE 256

static void
json_access(struct json *j, const struct result *r, const struct trial *t, int number)
{
    json_open(j, '{');
    json_key(j, "access");
    json_string(j, r->contest->setting.mix->items[number].text);
    json_key(j, "seconds");
    json_real(j, result_access(t, number));
    json_key(j, "of_disk");
    json_real(j, t->costs[number].disk);
    json_close(j, '}');
}

static void
json_trial(struct json *j, const struct result *r, const struct trial *t)
{
    const tess_params *const p = &t->params;
    const double size = (double)r->contest->setting.sample->size;
    const char *role;

    json_open(j, '{');
    json_key(j, "roles");
    json_open(j, '[');
    for (int n = 0; (role = result_role_key(t, n)) != NULL; n++)
        json_string(j, role);
    json_close(j, ']');
    json_key(j, "chunkshape");
    json_ints(j, p->ndim, t->grid.chunk);
    json_key(j, "blockshape");
    json_ints(j, p->ndim, t->grid.block);
    json_key(j, "codec");
    const char *const codec = names_text(names_codec, p->codec);
    json_string(j, codec ? codec : "unknown");
    json_key(j, "codec_meta");
    json_int(j, p->codec_meta);
    json_key(j, "clevel");
    json_int(j, p->clevel);
    filters_json(j, p->filters, p->filters_meta);
    json_key(j, "cratio");
    json_real(j, t->ratio);
    json_key(j, "write_bytes_per_second");
    json_real(j, size / times_median(&t->write));
    json_key(j, "read_bytes_per_second");
    json_real(j, size / times_median(&t->read));
    json_key(j, "accesses");
    json_open(j, '[');
    for (int i = 0; i < r->contest->setting.mix->count; i++)
        json_access(j, r, t, i);
    json_close(j, ']');
    json_key(j, "mix_seconds");
    json_real(j, t->mix);
    json_key(j, "rounds");
    json_int(j, t->read.count);
    json_key(j, "on_front");
    json_bool(j, t->on_front);
    json_close(j, '}');
}

static void
json_setting(struct json *j, const struct result *r)
{
    const struct contest *const c = r->contest;
    const struct setting *const s = &c->setting;

    json_key(j, "name");
    json_string(j, r->name);
    json_key(j, "shape");
    json_ints(j, c->base.ndim, c->base.shape);
    json_key(j, "dtype");
    if (c->base.dtype)
        json_string(j, c->base.dtype);
    else
        json_null(j);
    json_key(j, "sample_shape");
    json_ints(j, s->sample->ndim, s->sample->shape);
    json_key(j, "threads");
    json_int(j, s->model.threads);
    json_key(j, "caches");
    json_ints(j, 3, (int64_t[]){s->machine.l1, s->machine.l2, s->machine.l3});
    json_key(j, "disk_bytes_per_second");
    if (s->model.disk_speed > 0)
        json_real(j, s->model.disk_speed);
    else
        json_null(j);
    json_key(j, "disk_latency_seconds");
    json_real(j, s->model.disk_latency);
    json_key(j, "mix");
    json_open(j, '[');
    for (int i = 0; i < s->mix->count; i++) {
        json_open(j, '{');
        json_key(j, "access");
        json_string(j, s->mix->items[i].text);
        json_key(j, "weight");
        json_real(j, s->mix->items[i].weight);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_key(j, "seconds");
    json_real(j, c->seconds);
    json_key(j, "cut_short");
    json_bool(j, c->cut_short);
    json_key(j, "applied");
    if (r->applied)
        json_string(j, r->applied);
    else
        json_null(j);
}

void
result_json(const struct result *r, FILE *out)
{
    struct json j;

    json_init(&j, out);
    json_open(&j, '{');
    json_setting(&j, r);
    json_key(&j, "layouts");
    json_open(&j, '[');
    for (int i = 0; i < r->contest->count; i++)
        json_trial(&j, r, &r->contest->trials[i]);
    json_close(&j, ']');
    json_close(&j, '}');
    fputc('\n', out);
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
