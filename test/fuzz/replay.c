/*
 * replay.c - runs a target over the files and folders given as arguments, without libFuzzer.
 *
 * Folders are searched to any depth, in the order of names. The name of the input at hand is
 * printed if the program is killed by it.
 */
#include "fuzz/fuzz.h"

#include <ftw.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDERS_OPEN = 16 };

static char current[4096];
static long count;

static void
blame(int signal_number)
{
    static const char what[] = "killed by the input ";

    // Nothing is left to be done if standard error is closed.
    if (write(STDERR_FILENO, what, sizeof what - 1) < 0 ||
        write(STDERR_FILENO, current, strlen(current)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
        _exit(1);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static int
run(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)place;
    if (type == FTW_D || type == FTW_DP)
        return 0;

    const size_t size = (size_t)st->st_size;
    FILE *const in = type == FTW_F ? fopen(path, "rb") : NULL;
    uint8_t *const bytes = exact_memory(size);
    const bool whole = in && fread(bytes, 1, size, in) == size;

    if (in)
        fclose(in);
    if (whole) {
        snprintf(current, sizeof current, "%s", path);
        (void)LLVMFuzzerTestOneInput(bytes, size);
        count++;
    } else {
        fprintf(stderr, "cannot read %s\n", path);
    }
    free(bytes);
    return whole ? 0 : -1;
}

int
main(int argc, char **argv)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], blame);
    for (int i = 1; i < argc; i++)
        if (nftw(argv[i], run, FOLDERS_OPEN, FTW_PHYS) != 0) {
            fprintf(stderr, "%s could not be replayed\n", argv[i]);
            return 1;
        }
    printf("%ld inputs\n", count);
    return count > 0 ? 0 : 1;
}
