/*
 * signals.c - signals that end the command: what goes first.
 *
 * The writable variables of the command are here: what the handler removes, and what it notes.
 * Signals that the parent of the command ignores, as nohup does, stay ignored.
 */
#include "signals.h"

#include "data/path.h"

#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

static char doomed[PATH_MAX]; // "": nothing
static volatile sig_atomic_t notes; // the next signal is noted
static volatile sig_atomic_t came;

static void
handle(int signal_number)
{
    if (notes) {
        notes = 0;
        came = 1;
        return;
    }
    if (doomed[0])
        path_remove_family(doomed);
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number); // it ends the program when the handler returns
}

static void
take_over(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGXCPU};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};

    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) // one at a time
        (void)sigaddset(&action.sa_mask, signals[i]);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction before;

        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            (void)sigaction(signals[i], &action, NULL);
    }
}

void
signals_remove(const char *path)
{
    doomed[0] = '\0';
    if (!path || strlen(path) >= sizeof doomed)
        return; // no system call takes such a path
    memcpy(doomed + 1, path + 1, strlen(path)); // a signal meanwhile finds nothing, or all of it
    doomed[0] = path[0];
    take_over();
}

void
signals_note(void)
{
    notes = 1;
    take_over();
}

bool
signals_came(void)
{
    return came;
}
