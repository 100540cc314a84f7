/*
 * progress.c - a copy that says how far it is, and that Ctrl-C ends: what was there stays, and no
 * half of a copy is left.
 */
#include <tessera.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile sig_atomic_t interrupted;

static void
interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static bool
show(int64_t done, int64_t total, void *user)
{
    fprintf(stderr, "\r%s: %3.0f %%", (const char *)user, 100.0 * (double)done / (double)total);
    if (done == total)
        fputc('\n', stderr);
    return !interrupted;
}

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

int
main(void)
{
    static char title[] = "copied";
    tess_storage storage;
    tess_context context;
    tess_params params;
    tess_error err;
    tess_array *a, *copy;

    tess_storage_init(&storage); // no path: in memory
    tess_params_init(&params);
    params.dtype = "<f8";
    params.ndim = 3;
    for (int i = 0; i < 3; i++)
        params.shape[i] = 120;
    check(tess_array_full(&storage, &params, &(double){1.5}, sizeof(double), &a, &err), &err);

    tess_context_init(&context);
    context.progress = show;
    context.progress_user = title;
    context.progress_interval = 20; // milliseconds
    storage.context = &context;
    signal(SIGINT, interrupt);

    tess_array_params(a, &params);
    params.codec = TESS_CODEC_ZSTD;
    params.clevel = 9;
    const tess_status st = tess_array_copy(a, &storage, &params, &copy, &err);
    if (st == TESS_ERR_CANCELLED) {
        fprintf(stderr, "\n%s\n", err.message);
    } else {
        check(st, &err);
        check(tess_array_close(copy, &err), &err);
    }
    check(tess_array_close(a, &err), &err);
    return 0;
}
