/*
 * main.c - the command `tess`: picks the subcommand.
 *
 * Data goes to stdout, words to stderr. The exit status is 0 when all is fine, 1 when the answer
 * to a question is no, 2 for a mistake in the arguments, 3 for a failure.
 */
#include "commands.h"
#include "help/help.h"
#include "help/manpage.h"
#include "help/nearest.h"
#include "options.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void
help(FILE *out)
{
    fputs("usage: tess COMMAND ARGUMENTS [options]\n\n"
          "N-dimensional compressed arrays in the Blosc2 format.\n\n"
          "commands:\n",
          out);
    help_commands(out, commands_table);
    fputs("\n"
          "tess COMMAND --help says more, with examples; tess --man prints the manual page,\n"
          "tess --version the version.\n"
          "Exit status: 0 fine, 1 the answer is no, 2 wrong arguments, 3 failed.\n",
          out);
}

static int
run(const struct command *command, int argc, char **argv)
{
    struct arguments args;

    switch (options_parse(command, argc, argv, &args)) {
    case OPTIONS_RUN:
        args.commands = commands_table;
        return command->run(&args);
    case OPTIONS_HELP:
        help_print(command);
        return EXIT_STATUS_FINE;
    case OPTIONS_BAD:
        break;
    }
    return EXIT_STATUS_USAGE;
}

static int
unknown(const char *word)
{
    struct nearest meant;

    nearest_init(&meant, word, "");
    for (const struct command *const *c = commands_table; *c; c++)
        nearest_try(&meant, (*c)->name);
    if (word[0] == '-')
        fprintf(stderr, "tess: %s: the command comes first; see tess --help\n", word);
    else if (meant.best)
        fprintf(stderr, "tess: %s: no such command; did you mean %s?\n", word, meant.best);
    else
        fprintf(stderr, "tess: %s: no such command; see tess --help\n", word);
    return EXIT_STATUS_USAGE;
}

static int
dispatch(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return EXIT_STATUS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help(stdout);
        return EXIT_STATUS_FINE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("tess %s\n", tess_version());
        return EXIT_STATUS_FINE;
    }
    if (strcmp(argv[1], "--man") == 0) {
        manpage_print();
        return EXIT_STATUS_FINE;
    }
    const struct command *const command = commands_find(argv[1]);
    if (command)
        return run(command, argc - 2, argv + 2);
    return unknown(argv[1]);
}

// Reserve descriptors 0 to 2 if they are closed: otherwise the next files that are opened would get
// these numbers, and output would be written to them. Reading and writing of a reserved descriptor
// fail, as if it were closed.
static bool
hold_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH) != fd)
            return false;
    return true;
}

// Flush and close stdout. The command fails if its output could not be written.
static int
finish_stdout(int status)
{
    const int before = ferror(stdout);
    tess_error err;

    errno = 0;
    if (fclose(stdout) == 0 && !before)
        return status;
    if (errno != 0)
        (void)report_errno(&err, "cannot write");
    else // an earlier write failed, and errno was overwritten since
        (void)report_set(&err, TESS_ERR_IO, "cannot write all of it");
    return report_print("standard output", &err);
}

int
main(int argc, char **argv)
{
    if (!hold_standard())
        return EXIT_STATUS_FAILED;
    (void)signal(SIGPIPE,
                 SIG_DFL); // a reader that closes the pipe ends it quietly; parents may ignore it
    (void)signal(SIGXFSZ, SIG_IGN); // a write beyond the limit fails in words instead
    return finish_stdout(dispatch(argc, argv));
}
