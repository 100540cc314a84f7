/*
 * signals.h - signals that end the command, SIGHUP, SIGINT, SIGTERM and SIGXCPU: what goes first.
 *
 * A command that makes something new names it, and a signal removes it. A command that changes
 * something has the calls of the library cancelled, which puts back what they did.
 */
#ifndef TESS_SIGNALS_H
#define TESS_SIGNALS_H

#include <stdbool.h>

// A signal removes what is at that path, and all beside it whose names begin with its name, before
// it ends the program. NULL: nothing any more.
void signals_remove(const char *path);

// From now on the first signal does not end the program, but is noted.
void signals_note(void);
// Whether one was noted.
bool signals_came(void);

#endif
