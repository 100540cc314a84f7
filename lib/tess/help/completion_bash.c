/*
 * completion_bash.c - completion for bash, without the package bash-completion.
 *
 * Bash takes '=' and ':' for words of their own: --codec=lz4 comes as three.
 */
#include "help/completion.h"
#include "help/values.h"
#include "options.h"

#include <stdio.h>

static const char head[] =
    "# bash completion for tess; made by: tess completion bash\n"
    "\n"
    "# What the command $1 takes: its options, those of them that take a value, and its words,\n"
    "# each `file`, `text`, or a choice with | in it; the last one again and again with a *.\n"
    "_tess_command() {\n"
    "    case $1 in\n";

static const char between[] =
    "    *) return 1 ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "# The values of the option $1; file: any; nothing: they are to be typed.\n"
    "_tess_values() {\n"
    "    case $1 in\n";

static const char tail[] =
    "    esac\n"
    "}\n"
    "\n"
    "_tess_reply() {\n"
    "    local IFS=$' \\t\\n'\n"
    "    if [ \"$1\" = file ]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        IFS=$'\\n'\n"
    "        COMPREPLY=($(compgen -f -- \"$2\"))\n"
    "    else\n"
    "        COMPREPLY=($(compgen -W \"${1//|/ }\" -- \"$2\"))\n"
    "    fi\n"
    "}\n"
    "\n"
    "_tess() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} options valued words word pending='' plain=0 n=0 i\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        _tess_reply \"$_tess_commands\" \"$cur\"\n"
    "        return\n"
    "    fi\n"
    "    _tess_command \"${COMP_WORDS[1]}\" || return\n"
    "    [ \"$cur\" != = ] || cur=''\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [ -n \"$pending\" ]; then\n"
    "            [ \"$word\" = = ] || pending=''\n"
    "        elif [ \"$plain$word\" = 0-- ]; then\n"
    "            plain=1\n"
    "        elif [ $plain -eq 0 ] && [[ $word == -[!0-9]* ]]; then\n"
    "            [[ \" $valued \" != *\" $word \"* ]] || pending=$word\n"
    "        else\n"
    "            n=$((n + 1))\n"
    "        fi\n"
    "    done\n"
    "    if [ -n \"$pending\" ]; then\n"
    "        _tess_reply \"$(_tess_values \"$pending\")\" \"$cur\"\n"
    "    elif [ $plain -eq 0 ] && [[ $cur == -* ]]; then\n"
    "        _tess_reply \"$options\" \"$cur\"\n"
    "    else\n"
    "        words=($words)\n"
    "        while [ $n -gt 0 ] && [ $n -ge ${#words[@]} ] && [[ ${words[n - 1]-*} == *'*' ]]; do\n"
    "            n=$((n - 1))\n"
    "        done\n"
    "        word=${words[n]-text}\n"
    "        [ \"$word\" = text ] || _tess_reply \"${word%'*'}\" \"$cur\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "complete -F _tess tess\n";

static void
write_words(const struct command *command)
{
    struct completion_word word;

    for (int i = 0; completion_word(command, i, &word); i++)
        printf("%s%s%s", i > 0 ? " " : "",
               word.is_choice ? word.name
               : word.is_file ? "file"
                              : "text",
               word.is_repeated ? "*" : "");
}

static void
write_command(const struct command *command)
{
    printf("    %s)\n        options='", command->name);
    for (int id = -1; (id = completion_next_option(command, id)) < OPT_COUNT;)
        printf("%s ", options_table[id].name);
    fputs("'\n        valued='", stdout);
    for (int id = -1; (id = completion_next_option(command, id)) < OPT_COUNT;)
        if (options_table[id].value && options_table[id].letter)
            printf("-%c %s ", options_table[id].letter, options_table[id].name);
        else if (options_table[id].value)
            printf("%s ", options_table[id].name);
    fputs("'\n        words='", stdout);
    write_words(command);
    fputs("'\n        ;;\n", stdout);
}

static void
write_values(int id)
{
    const char *value;

    if (values_are_files(id)) {
        fputs("    ", stdout);
        if (options_table[id].letter)
            printf("-%c | ", options_table[id].letter);
        printf("%s) echo file ;;\n", options_table[id].name);
        return;
    }
    if (!values_at(id, 0))
        return;
    printf("    %s) echo '", options_table[id].name);
    for (size_t i = 0; (value = values_at(id, i)) != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", value);
    fputs("' ;;\n", stdout);
}

void
completion_bash(const struct command *const *commands)
{
    fputs(head, stdout);
    for (const struct command *const *c = commands; *c; c++)
        write_command(*c);
    fputs(between, stdout);
    for (int id = 0; id < OPT_COUNT; id++)
        write_values(id);
    fputs(tail, stdout);
    fputs("_tess_commands='", stdout);
    for (const struct command *const *c = commands; *c; c++)
        printf("%s ", (*c)->name);
    fputs("--help --man --version'\n", stdout);
}
