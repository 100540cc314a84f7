/*
 * user.h - filters of the program, as filters of the library.
 */
#ifndef FILTER_USER_H
#define FILTER_USER_H

#include "filter/filter.h"

// The description has to stay as long as the filter.
struct filter filter_of_user(const tess_user_filter *user);

#endif
