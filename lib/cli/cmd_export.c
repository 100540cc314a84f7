/*
 * cmd_export.c - tess export: an array, or a part of one, as .npy or raw bytes.
 *
 * A file is written box by box along the borders of chunks, each to its places. Standard output
 * takes bytes in one order only: there the boxes follow that order.
 */
#include "cli/boxfile.h"
#include "cli/commands.h"
#include "cli/npy.h"
#include "cli/open.h"
#include "cli/output.h"
#include "cli/pick.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/text.h"
#include "cli/walk.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct export
{
    const char *in_name, *out_name;
    bool to_stdout, as_npy;
    tess_array *in;
    tess_info info;
    struct selection sel;
    struct output file;
    struct boxfile out;
    const char *about;
};

static bool
understand_name(struct export *job)
{
    job->to_stdout = strcmp(job->out_name, "-") == 0;
    job->as_npy = text_ends_with(job->out_name, ".npy");
    return job->to_stdout || job->as_npy || text_ends_with(job->out_name, ".bin") ||
           text_ends_with(job->out_name, ".raw");
}

// Where the items will lie: shaped as selected, with the axes that were given as integers.
static tess_status
place_items(struct export *job, tess_error *err)
{
    struct boxfile *out = &job->out;
    int64_t nbytes = job->info.typesize;
    bool empty = false;

    out->fd = STDOUT_FILENO;
    out->item_size = job->info.typesize;
    out->ndim = job->sel.ndim;
    memcpy(out->shape, job->sel.count, sizeof out->shape);
    for (int i = 0; i < out->ndim; i++)
        empty = empty || out->shape[i] == 0;
    for (int i = 0; i < out->ndim && !empty; i++)
        if (__builtin_mul_overflow(nbytes, out->shape[i], &nbytes) ||
            nbytes > INT64_MAX - UINT32_MAX)
            return report_set(err, TESS_ERR_LIMIT, "no file can hold the items uncompressed");
    return TESS_OK;
}

static tess_status
open_output(struct export *job, bool force, tess_error *err)
{
    tess_status st = TESS_OK;
    char *header = NULL;
    size_t header_size = 0;

    TRY(output_open(&job->file, job->out_name, OUTPUT_FILE, force, err));
    job->out.fd = open(job->file.temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (job->out.fd < 0) {
        st = report_errno(err, "cannot create");
        goto out;
    }
    if (job->as_npy) {
        TRY(npy_header_make(job->info.dtype, job->info.typesize, job->sel.out_ndim,
                            job->sel.out_shape, &header, &header_size, err));
        TRY(boxfile_write_at(job->out.fd, 0, header, header_size, err));
        job->out.origin = (int64_t)header_size;
    }
out:
    free(header);
    return st;
}

static tess_status
copy_boxes(struct export *job, struct walk *walk, uint8_t *buffer, tess_error *err)
{
    const struct selection *sel = &job->sel;
    struct progress progress;
    double total = 1;
    tess_status st = TESS_OK;

    for (int i = 0; i < sel->ndim; i++)
        total *= (double)sel->count[i];
    progress_begin(&progress, total);
    while (walk_step(walk)) {
        const size_t size = (size_t)(walk->items * job->info.typesize);

        job->about = job->in_name;
        TRY(pick_read(job->in, sel, walk->start, walk->stop, buffer, size, err));
        job->about = job->out_name;
        if (job->to_stdout)
            TRY(boxfile_write_at(job->out.fd, -1, buffer, size, err));
        else
            TRY(boxfile_write(&job->out, walk->start, walk->stop, buffer, err));
        progress_add(&progress, (double)walk->items);
    }
out:
    progress_end(&progress);
    return st;
}

static tess_status
copy(struct export *job, tess_error *err)
{
    int64_t grain[TESS_MAX_NDIM], skew[TESS_MAX_NDIM];
    struct walk walk;

    pick_grid(&job->info, &job->sel, grain, skew);
    walk_init(&walk, &(struct walk_plan){.ndim = job->sel.ndim,
                                         .shape = job->sel.count,
                                         .grain = grain,
                                         .skew = skew,
                                         .max_items = WALK_BYTES / job->info.typesize,
                                         .order = job->to_stdout ? WALK_STREAM : WALK_C});
    const int64_t size = walk.box_items * job->info.typesize;
    uint8_t *buffer = malloc(size > 0 ? (size_t)size : 1);
    if (!buffer)
        return report_nomem(err, size);
    const tess_status st = copy_boxes(job, &walk, buffer, err);
    free(buffer);
    return st;
}

static tess_status
finish_output(struct export *job, tess_error *err)
{
    const int fd = job->out.fd;

    job->out.fd = STDOUT_FILENO;
    if (close(fd) != 0)
        return report_errno(err, "cannot write");
    return output_publish(&job->file, err);
}

static int
run(const struct arguments *args)
{
    const char *expr = args->values[OPT_SLICE];
    struct export job = {.in_name = args->words[0], .out_name = args->words[1]};
    tess_status st = TESS_OK;
    tess_error err;

    job.out.fd = STDOUT_FILENO;
    job.about = job.out_name;
    if (!understand_name(&job)) {
        st = report_set(&err, TESS_ERR_ARG, "must end in .npy, .bin or .raw, or be -");
        goto out;
    }
    job.about = job.in_name;
    TRY(open_array(job.in_name, args, &job.in, &err));
    tess_array_info(job.in, &job.info);
    TRY(select_parse(expr ? expr : "...", job.info.ndim, job.info.shape, &job.sel, &err));
    TRY(place_items(&job, &err));
    if (!job.to_stdout) {
        job.about = job.out_name;
        TRY(open_output(&job, args->values[OPT_FORCE] != NULL, &err));
    }
    TRY(copy(&job, &err));
    if (!job.to_stdout)
        TRY(finish_output(&job, &err));
out:
    if (job.out.fd != STDOUT_FILENO && job.out.fd >= 0)
        (void)close(job.out.fd);
    output_close(&job.file);
    tess_array_discard(job.in);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(job.about, &err);
}

const struct command cmd_export = {
    .name = "export",
    .purpose = "write an array, or a part of it, as .npy or raw bytes",
    .words = "PATH OUT",
    .nwords = 2,
    .options = OPT_BIT(OPT_SLICE) | OPT_BIT(OPT_OFFSET) | OPT_BIT(OPT_FORCE) | OPT_BIT(OPT_THREADS),
    .details = "OUT is one of\n"
               "  name.npy            a NumPy array\n"
               "  name.bin, name.raw  the items in C order and nothing else\n"
               "  -                   the same on standard output\n",
    .examples =
        (const struct example[]){
            {"for NumPy", "tess export winds.b2nd winds.npy"},
            {"the first month only", "tess export winds.b2nd january.npy --slice 0"},
            {"the items to another program",
             "tess export winds.b2nd - | od -A d -t f4 | head -n 3"},
            {0},
        },
    .run = run,
};
