/*
 * callbacks.h - input and output that the program registered for the whole process.
 */
#ifndef COMPAT_IO_CALLBACKS_H
#define COMPAT_IO_CALLBACKS_H

#include <blosc2.h>

// Forget what was registered.
void b2_callbacks_clear(void);

#endif
