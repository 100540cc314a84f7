/*
 * evict.h - the bound of a directory of cached files.
 *
 * Files go as a whole, least recently used first; the time of use is that of the last change, which
 * http_cache_file_touch() sets. What is no file of the cache, or of another user, is left alone. A
 * file that a program has open stays readable for it; its space is free when that is closed.
 * Several programs may do this at once: they choose the same files.
 */
#ifndef HTTP_CACHE_EVICT_H
#define HTTP_CACHE_EVICT_H

#include <stdint.h>

/*
 * If the files of the cache in a directory take more bytes on the disk than `high`, remove some
 * until they take at most `low`. What files that are being made leave behind after a crash counts,
 * and goes, like the others.
 */
void http_cache_evict(int dir, int64_t high, int64_t low);

#endif
