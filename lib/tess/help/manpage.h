/*
 * manpage.h - the manual page tess(1).
 */
#ifndef TESS_HELP_MANPAGE_H
#define TESS_HELP_MANPAGE_H

// On stdout, in roff with the macros of man(7), made from the tables of the commands.
void manpage_print(void);

#endif
