/*
 * plot.c - what a search for layouts has found, as a drawing made by gnuplot.
 */
#include "layout/plot.h"

#include "report.h"
#include "text/text.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAMED_MOST 4 // best, automatic, blosc2 default, as stored

extern char **environ;

// A string of gnuplot that stands for itself.
static void
quote(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
    fputc('\'', out);
}

// The layouts that have a name, each once; what they are called.
static int
named(const struct result *r, const struct result_layout *layouts[NAMED_MOST],
      char names[NAMED_MOST][RESULT_NAME_SIZE])
{
    static const unsigned roles[NAMED_MOST] = {TESS_ROLE_BEST, TESS_ROLE_AUTOMATIC,
                                               TESS_ROLE_BLOSC2, TESS_ROLE_STORED};
    int count = 0;

    for (int i = 0; i < NAMED_MOST; i++) {
        const struct result_layout *const t = result_find(r, roles[i]);
        bool seen = t == NULL;

        for (int k = 0; k < count; k++)
            seen = seen || layouts[k] == t;
        if (seen)
            continue;
        result_role(t, names[count]);
        layouts[count++] = t;
    }
    return count;
}

static void
write_points(FILE *out, const struct result *r, double automatic, bool front)
{
    fprintf(out, "$%s << EOD\n", front ? "front" : "all");
    for (int i = 0; i < r->info.count; i++)
        if (!front || r->layouts[i].cost.optimal)
            fprintf(out, "%.6g %.6g\n", r->layouts[i].cost.ratio,
                    automatic / r->layouts[i].cost.seconds);
    fputs("EOD\n", out);
}

static void
write_data(FILE *out, const struct result *r, const struct result_layout *const *layouts, int count)
{
    const struct result_layout *const automatic = result_find(r, TESS_ROLE_AUTOMATIC);

    write_points(out, r, automatic->cost.seconds, false);
    write_points(out, r, automatic->cost.seconds, true);
    for (int k = 0; k < count; k++)
        fprintf(out, "$named%d << EOD\n%.6g %.6g\nEOD\n", k, layouts[k]->cost.ratio,
                automatic->cost.seconds / layouts[k]->cost.seconds);
    fputs("$bars << EOD\n", out);
    for (int i = 0; i < r->info.naccesses; i++) {
        fprintf(out, "\"%s\"", r->accesses[i].name);
        for (int k = 0; k < count; k++)
            fprintf(out, " %.6g",
                    automatic->cost.accesses[i].seconds / layouts[k]->cost.accesses[i].seconds);
        fputc('\n', out);
    }
    fputs("\"mix\"", out);
    for (int k = 0; k < count; k++)
        fprintf(out, " %.6g", automatic->cost.seconds / layouts[k]->cost.seconds);
    fputs("\nEOD\n", out);
}

static void
write_script(FILE *out, const struct result *r, const char *name, const char *path)
{
    char names[NAMED_MOST][RESULT_NAME_SIZE];
    const struct result_layout *layouts[NAMED_MOST];
    const int count = named(r, layouts, names);

    write_data(out, r, layouts, count);
    fprintf(out, "set terminal %s size 900,900 noenhanced background 'white'\nset output ",
            text_ends_with(name, ".svg") ? "svg" : "pngcairo");
    quote(out, path);
    fputs("\nset multiplot layout 2,1 title ", out);
    quote(out, r->name);
    fputs("\nset grid\nset key outside below\nset logscale y\n"
          "set xlabel 'compression ratio: uncompressed / compressed bytes' offset 0,0.5\n"
          "set ylabel 'speed of all accesses, automatic layout = 1'\n"
          "plot $all with points pt 7 ps 0.4 lc rgb '#b0b0b0' title 'measured layouts', \\\n"
          "  $front with linespoints pt 7 ps 0.6 lc rgb 'black' title 'no other is both smaller "
          "and faster'",
          out);
    for (int k = 0; k < count; k++) {
        fprintf(out, ", \\\n  $named%d with points pt %d ps 1.6 lc %d title ", k, 5 + 2 * k, k + 1);
        quote(out, names[k]);
    }
    fputs("\nset xlabel ' '\nset ylabel 'speed of one access, automatic layout = 1'\n"
          "set style fill solid 0.8\nset xtics rotate by -25\nset offsets 0.3, 0.3, 0, 0\nplot ",
          out);
    for (int k = 0; k < count; k++) { // from 1 upwards or downwards
        const int column = k + 2;
        const double left = 0.8 * k / count - 0.4, right = 0.8 * (k + 1) / count - 0.4;

        fprintf(out,
                "%s$bars using ($0):%d:($0%+.3f):($0%+.3f):($%d < 1 ? $%d : 1):($%d < 1 ? 1 : "
                "$%d):xtic(1) with boxxyerror lc %d title ",
                k ? ", \\\n  " : "", column, left, right, column, column, column, column, k + 1);
        quote(out, names[k]);
    }
    fputs("\nunset multiplot\n", out);
}

static tess_status
run_gnuplot(FILE *script, tess_error *err)
{
    char *const words[] = {"gnuplot", "-", NULL};
    posix_spawn_file_actions_t actions;
    int status = 0;
    pid_t pid;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return report_nomem(err, sizeof actions);
    (void)posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    errno = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (errno == ENOENT)
        return report_set(err, TESS_ERR_UNSUPPORTED,
                          "a plot needs the program gnuplot, which is not installed; --csv and "
                          "--json have the numbers");
    if (errno != 0)
        return report_errno(err, "cannot run gnuplot");
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return report_errno(err, "cannot wait for gnuplot");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return report_set(err, TESS_ERR_IO, "gnuplot has failed");
    return TESS_OK;
}

tess_status
plot_check(const char *name, tess_error *err)
{
    FILE *const nothing = tmpfile();

    if (!nothing)
        return report_errno(err, "cannot make a temporary file");
    const tess_status st =
        text_ends_with(name, ".svg") || text_ends_with(name, ".png")
            ? run_gnuplot(nothing, err)
            : report_set(err, TESS_ERR_ARG, "--plot %s: a plot ends in .svg or .png", name);
    (void)fclose(nothing);
    return st;
}

tess_status
plot_write(const struct result *r, const char *name, const char *path, tess_error *err)
{
    FILE *const script = tmpfile();
    tess_status st;

    if (!script)
        return report_errno(err, "cannot make a temporary file");
    write_script(script, r, name, path);
    errno = 0;
    if (fflush(script) != 0 || ferror(script) || fseek(script, 0, SEEK_SET) != 0)
        st = report_errno(err, "cannot write a temporary file");
    else
        st = run_gnuplot(script, err);
    (void)fclose(script);
    return st;
}
