/*
 * completion_fish.c - completion for fish.
 */
#include "help/completion.h"
#include "help/values.h"
#include "options.h"

#include <stdio.h>

static void
write_option(const struct command *command, int id)
{
    const struct option *const option = &options_table[id];
    const char *value;

    printf("complete -c tess -n '__fish_seen_subcommand_from %s' -l %s", command->name,
           option->name + 2);
    if (option->letter && id != OPT_HELP)
        printf(" -s %c", option->letter);
    if (option->value)
        fputs(values_are_files(id) ? " -r" : " -x", stdout);
    if (values_at(id, 0)) {
        fputs(" -a '", stdout);
        for (size_t i = 0; (value = values_at(id, i)) != NULL; i++)
            printf("%s%s", i > 0 ? " " : "", value);
        putchar('\'');
    }
    fputs(" -d '", stdout);
    completion_text(option->help, "\\");
    fputs("'\n", stdout);
}

// Words to choose from; where there are files among the words, those come unasked.
static void
write_words(const struct command *command)
{
    struct completion_word word;
    bool files = false;

    for (int i = 0; completion_word(command, i, &word); i++)
        files |= word.is_file;
    for (int i = 0; completion_word(command, i, &word); i++) {
        if (!word.is_choice)
            continue;
        printf("complete -c tess -n '__fish_seen_subcommand_from %s'%s -a '", command->name,
               files ? "" : " -f");
        for (const char *p = word.name; *p; p++)
            putchar(*p == '|' ? ' ' : *p);
        fputs("'\n", stdout);
    }
}

void
completion_fish(const struct command *const *commands)
{
    fputs("# fish completion for tess; made by: tess completion fish\n"
          "complete -c tess -n __fish_use_subcommand -f -l help -d 'the commands'\n"
          "complete -c tess -n __fish_use_subcommand -f -l man -d 'the manual page'\n"
          "complete -c tess -n __fish_use_subcommand -f -l version -d 'its version'\n",
          stdout);
    for (const struct command *const *c = commands; *c; c++) {
        printf("complete -c tess -n __fish_use_subcommand -f -a %s -d '", (*c)->name);
        completion_text((*c)->purpose, "\\");
        fputs("'\n", stdout);
    }
    for (const struct command *const *c = commands; *c; c++) {
        for (int id = -1; (id = completion_next_option(*c, id)) < OPT_COUNT;)
            write_option(*c, id);
        write_words(*c);
    }
}
