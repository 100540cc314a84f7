/*
 * completion_zsh.c - completion for zsh.
 */
#include "help/completion.h"
#include "help/values.h"
#include "options.h"

#include <stdio.h>

// What stands in [] or between : in the specifications of _arguments and _describe.
#define SPECIAL "[]:\\"

static void
write_action(int id)
{
    const char *value;

    printf(":%s:", options_table[id].value);
    if (values_are_files(id)) {
        fputs("_files", stdout);
    } else if (values_at(id, 0)) {
        putchar('(');
        for (size_t i = 0; (value = values_at(id, i)) != NULL; i++)
            printf("%s%s", i > 0 ? " " : "", value);
        putchar(')');
    } else {
        putchar(' '); // to be typed
    }
}

// --name or --name=, its help, what it takes; its letter, too.
static void
write_option(int id)
{
    const struct option *const option = &options_table[id];
    const bool lettered = option->letter && id != OPT_HELP;

    for (int i = 0; i < (lettered ? 2 : 1); i++) {
        fputs(" \\\n            ", stdout);
        if (i == 1)
            printf("'-%c%s[", option->letter, option->value ? "+" : "");
        else
            printf("'%s%s[", option->name, option->value ? "=" : "");
        completion_text(option->help, SPECIAL);
        putchar(']');
        if (option->value)
            write_action(id);
        putchar('\'');
    }
}

static void
write_word(const struct completion_word *word, int n)
{
    printf(" \\\n            '");
    if (word->is_repeated)
        putchar('*');
    else
        printf("%d", n + 1);
    printf(":%s:", word->is_choice ? "which" : word->name);
    if (word->is_choice) {
        putchar('(');
        for (const char *p = word->name; *p; p++)
            putchar(*p == '|' ? ' ' : *p);
        putchar(')');
    } else {
        fputs(word->is_file ? "_files" : " ", stdout);
    }
    putchar('\'');
}

static void
write_command(const struct command *command)
{
    struct completion_word word;

    printf("    %s)\n        _arguments -S", command->name);
    for (int id = -1; (id = completion_next_option(command, id)) < OPT_COUNT;)
        write_option(id);
    for (int i = 0; completion_word(command, i, &word); i++) {
        write_word(&word, i);
        if (word.is_repeated) // all others, up to the last one
            break;
    }
    fputs("\n        ;;\n", stdout);
}

void
completion_zsh(const struct command *const *commands)
{
    fputs("#compdef tess\n"
          "# zsh completion for tess; made by: tess completion zsh\n"
          "\n"
          "_tess() {\n"
          "    local -a commands\n"
          "    commands=(\n",
          stdout);
    for (const struct command *const *c = commands; *c; c++) {
        printf("        '%s:", (*c)->name);
        completion_text((*c)->purpose, SPECIAL);
        fputs("'\n", stdout);
    }
    fputs("    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe -t commands command commands\n"
          "        _arguments '--help[the commands]' '--man[the manual page]' '--version[its "
          "version]'\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $words[1] in\n",
          stdout);
    for (const struct command *const *c = commands; *c; c++)
        write_command(*c);
    fputs("    esac\n"
          "}\n"
          "\n"
          "if [[ $funcstack[1] == _tess ]]; then\n"
          "    _tess \"$@\"\n"
          "else\n"
          "    compdef _tess tess\n"
          "fi\n",
          stdout);
}
