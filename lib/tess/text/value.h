/*
 * value.h - the value of an attribute as text for people.
 */
#ifndef TESS_TEXT_VALUE_H
#define TESS_TEXT_VALUE_H

#include <tessera/attr.h>

#include <stdio.h>

#define VALUE_COLUMNS 72 // of a value that is shortened, about

/*
 * As JSON where there is a word for it; nan and inf as such, of bytes the number. Nothing in it
 * controls a terminal. Unless `full`, what is longer than VALUE_COLUMNS ends in "..." and says how
 * long it is. TESS_ERR_NOMEM.
 */
tess_status value_write(FILE *out, const tess_value *v, bool full, tess_error *err);

#endif
