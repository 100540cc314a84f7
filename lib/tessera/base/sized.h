/*
 * sized.h - structs of the public interface that may grow from release to release.
 *
 * A struct that the program fills begins with its size as the program knows it. One that the
 * library fills comes with its size as an argument. Members are only ever added at the end, and 0
 * means what the library did before the member existed.
 */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include "base/error.h"

#include <stddef.h>

// Bytes up to the end of a member: of a struct, as it was in the first release that had it.
#define SIZED_UP_TO(type, member) (offsetof(type, member) + sizeof((type *)0)->member)

/*
 * What the program gave, as a struct of this library: *own has the defaults, and gets the members
 * that both know. name: of the struct, without tess_, for messages. TESS_ERR_ARG: NULL, or shorter
 * than `least`; TESS_ERR_UNSUPPORTED: members that only newer headers have are not zero.
 */
tess_status sized_take(void *own, size_t own_size, size_t least, const void *given,
                       const char *name, tess_error *err);

// Element i of a list of the program, whose elements begin with their size.
const void *sized_at(const void *list, int i);

// A struct for the program: the members that both know; those that only newer headers have are 0.
void sized_give(void *dst, size_t dst_size, const void *own, size_t own_size);

#endif
