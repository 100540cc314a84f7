/*
 * result_records.c - what a search for layouts has found, as JSON and as CSV.
 */
#include "layout/result.h"
#include "layout/verdict.h"
#include "text/filters.h"
#include "text/json.h"
#include "text/names.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SHAPE_SIZE 256

static void
json_access(struct json *j, const struct result *r, const struct result_layout *t, int number)
{
    json_open(j, NULL, '{');
    json_string(j, "access", r->accesses[number].name);
    json_real(j, "seconds", t->cost.accesses[number].seconds);
    json_real(j, "of_disk", t->cost.accesses[number].disk);
    json_close(j, '}');
}

static void
json_layout(struct json *j, const struct result *r, const struct result_layout *t)
{
    const tess_params *const p = &t->params;
    const double size = (double)r->info.sample_size;
    const char *role;

    json_open(j, NULL, '{');
    json_open(j, "roles", '[');
    for (int n = 0; (role = result_role_key(t, n)) != NULL; n++)
        json_string(j, NULL, role);
    json_close(j, ']');
    json_ints(j, "chunkshape", p->ndim, t->params.chunkshape);
    json_ints(j, "blockshape", p->ndim, t->params.blockshape);
    const char *const codec = names_codec(p->codec);
    json_string(j, "codec", codec ? codec : "unknown");
    json_int(j, "codec_meta", p->codec_meta);
    json_int(j, "clevel", p->clevel);
    filters_json(j, p->filters, p->filters_meta);
    json_real(j, "cratio", t->cost.ratio);
    json_real(j, "write_bytes_per_second", size / t->cost.write);
    json_real(j, "read_bytes_per_second", size / t->cost.read);
    json_open(j, "accesses", '[');
    for (int i = 0; i < r->info.naccesses; i++)
        json_access(j, r, t, i);
    json_close(j, ']');
    json_real(j, "mix_seconds", t->cost.seconds);
    json_int(j, "rounds", t->cost.rounds);
    json_bool(j, "on_front", t->cost.optimal);
    json_close(j, '}');
}

static void
json_verdict(struct json *j, const struct result *r)
{
    static const char *const words[] = {[VERDICT_BETTER] = "better",
                                        [VERDICT_SAME] = "no difference",
                                        [VERDICT_PRESENT] = "present"};
    const struct result_layout *const best = result_find(r, TESS_ROLE_BEST);
    const struct result_layout *const stored = result_find(r, TESS_ROLE_STORED);
    const struct result_layout *const present =
        stored ? stored : result_find(r, TESS_ROLE_AUTOMATIC);
    const int rounds =
        best->cost.rounds < present->cost.rounds ? best->cost.rounds : present->cost.rounds;

    json_string(j, "verdict", words[verdict_of(&best->cost, &present->cost)]);
    json_real(j, "noise", verdict_noise(rounds));
}

static void
json_setting(struct json *j, const struct result *r)
{
    const tess_tuner_info *const info = &r->info;

    json_string(j, "name", r->name);
    json_ints(j, "shape", r->array->ndim, r->array->shape);
    json_string(j, "dtype", r->array->dtype);
    json_ints(j, "sample_shape", info->ndim, info->sample_shape);
    json_int(j, "threads", info->threads);
    json_ints(j, "caches", 3, info->caches);
    json_real(j, "disk_bytes_per_second", info->disk_speed > 0 ? info->disk_speed : (double)NAN);
    json_real(j, "disk_latency_seconds", info->disk_latency);
    json_open(j, "mix", '[');
    for (int i = 0; i < info->naccesses; i++) {
        json_open(j, NULL, '{');
        json_string(j, "access", r->accesses[i].name);
        json_real(j, "weight", r->accesses[i].weight);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_real(j, "seconds", info->seconds);
    json_bool(j, "cut_short", info->cut_short);
    json_string(j, "applied", r->applied);
    json_verdict(j, r);
}

void
result_json(const struct result *r, FILE *out)
{
    struct json j;

    json_begin(&j, out);
    json_setting(&j, r);
    json_open(&j, "layouts", '[');
    for (int i = 0; i < r->info.count; i++)
        json_layout(&j, r, &r->layouts[i]);
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
    const double size = (double)r->info.sample_size;
    char text[SHAPE_SIZE];

    fputs("roles,chunks,blocks,codec,level,filter,ratio,write_bytes_per_second,"
          "read_bytes_per_second,",
          out);
    for (int i = 0; i < r->info.naccesses; i++)
        fprintf(out, "%s,", r->accesses[i].name);
    fputs("mix_seconds,rounds,on_front\n", out);
    for (int i = 0; i < r->info.count; i++) {
        const struct result_layout *const t = &r->layouts[i];

        result_role(t, text);
        quote(out, text);
        result_shape(t->params.ndim, t->params.chunkshape, text, sizeof text);
        quote(out, text);
        result_shape(t->params.ndim, t->params.blockshape, text, sizeof text);
        quote(out, text);
        result_codec(&t->params, text);
        text[strcspn(text, " ")] = '\0';
        fprintf(out, "%s,%d,", text, t->params.clevel);
        result_filters(&t->params, text);
        quote(out, text);
        fprintf(out, "%.6g,%.6g,%.6g,", t->cost.ratio, size / t->cost.write, size / t->cost.read);
        for (int k = 0; k < r->info.naccesses; k++)
            fprintf(out, "%.6g,", t->cost.accesses[k].seconds);
        fprintf(out, "%.6g,%d,%d\n", t->cost.seconds, t->cost.rounds, t->cost.optimal);
    }
}
