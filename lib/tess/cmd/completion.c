/*
 * completion.c - tess completion: a script for a shell.
 */
#include "help/completion.h"
#include "commands.h"
#include "options.h"
#include "report.h"

#include <string.h>

static int
run_completion(const struct arguments *args)
{
    const char *const shell = args->words[0];
    tess_error err;

    if (strcmp(shell, "bash") == 0) {
        completion_bash(args->commands);
    } else if (strcmp(shell, "zsh") == 0) {
        completion_zsh(args->commands);
    } else if (strcmp(shell, "fish") == 0) {
        completion_fish(args->commands);
    } else {
        (void)report_set(&err, TESS_ERR_ARG, "not bash, zsh or fish");
        return report_print(shell, &err);
    }
    return EXIT_STATUS_FINE;
}

const struct command cmd_completion = {
    .name = "completion",
    .purpose = "print a script that completes words in a shell",
    .words = "bash|zsh|fish",
    .nwords = 1,
    .details =
        "Completes commands, options, values that have names, and files. The scripts are "
        "installed\n"
        "with tess, where shells look for them. Where it is not: ~/.bashrc can source that for\n"
        "bash; that for zsh, with the name _tess, belongs into a folder of $fpath, that for fish\n"
        "into ~/.config/fish/completions.\n",
    .examples =
        (const struct example[]){
            {"for bash", "tess completion bash >tess.bash"},
            {"for zsh", "tess completion zsh >_tess"},
            {"for fish", "tess completion fish >tess.fish"},
            {0},
        },
    .run = run_completion,
};
