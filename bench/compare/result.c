/*
 * result.c - one line of CSV per cell.
 */
#include "result.h"

#include "../support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
result_header(void)
{
    puts("cpu,compiler,commit,array,codec,filter,threads,storage,group,work,requests,bytes,repeats,"
         "tessera_stored,default_stored,b2nd_stored,blosc2_stored,hdf5_stored,tessera_s,default_s,"
         "b2nd_s,blosc2_s,hdf5_s,limit_s,default_ratio,b2nd_ratio,blosc2_ratio,hdf5_ratio,"
         "limit_ratio,remark");
}

static void
print_seconds(double seconds)
{
    if (seconds > 0)
        printf("%.9f", seconds);
    putchar(',');
}

static void
print_ratio(double other, double ours)
{
    if (other > 0 && ours > 0)
        printf("%.3f", other / ours);
    putchar(',');
}

void
result_print(const struct result *r)
{
    const double ours = r->seconds[TESSERA];

    bench_csv_machine(stdout);
    printf("%s,%s,%s,%d,%s,%s,%s,%" PRId64 ",%" PRId64 ",%d,", r->array, r->codec, r->filter,
           r->threads, r->storage, r->group, r->work, r->requests, r->bytes, r->repeats);
    for (int i = 0; i < NPLAYERS; i++)
        printf("%" PRId64 ",", r->stored[i]);
    for (int i = 0; i < NPLAYERS; i++)
        print_seconds(r->seconds[i]);
    print_seconds(r->limit);
    for (int i = DEFAULTS; i < NPLAYERS; i++)
        print_ratio(r->seconds[i], ours);
    print_ratio(r->limit, ours);
    puts(r->remark);
    fflush(stdout);
}

// The next field of a line, "" behind the last.
static const char *
field(char **rest)
{
    char *const end = *rest + strcspn(*rest, ",\n"), *const start = *rest;

    *rest = *end ? end + 1 : end;
    *end = '\0';
    return start;
}

int
result_parse(const char *line, struct result *r)
{
    char text[1024], *rest = text;

    *r = (struct result){0};
    snprintf(text, sizeof text, "%s", line);
    for (int i = 0; i < 3; i++)
        field(&rest); // machine
    snprintf(r->array, sizeof r->array, "%s", field(&rest));
    snprintf(r->codec, sizeof r->codec, "%s", field(&rest));
    snprintf(r->filter, sizeof r->filter, "%s", field(&rest));
    r->threads = atoi(field(&rest));
    snprintf(r->storage, sizeof r->storage, "%s", field(&rest));
    snprintf(r->group, sizeof r->group, "%s", field(&rest));
    snprintf(r->work, sizeof r->work, "%s", field(&rest));
    r->requests = atoll(field(&rest));
    r->bytes = atoll(field(&rest));
    r->repeats = atoi(field(&rest));
    for (int i = 0; i < NPLAYERS; i++)
        r->stored[i] = atoll(field(&rest));
    for (int i = 0; i < NPLAYERS; i++)
        r->seconds[i] = atof(field(&rest));
    r->limit = atof(field(&rest));
    for (int i = 0; i < NPLAYERS; i++)
        field(&rest); // ratios of all but the first, and the limit's
    snprintf(r->remark, sizeof r->remark, "%s", field(&rest));
    return r->seconds[TESSERA] > 0;
}
