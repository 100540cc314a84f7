/*
 * date.h - NumPy's datetime64 as ISO 8601.
 */
#ifndef TESS_TEXT_ITEMS_DATE_H
#define TESS_TEXT_ITEMS_DATE_H

#include <stdbool.h>
#include <stdint.h>

#define DATE_TEXT_SIZE 64

/*
 * Write the time that lies `count` units after 1970. unit: "Y", "M", "W", "D", "h", "m", "s",
 * "ms", "us" or "ns". False for other units, and for years that do not fit in 64 bits.
 */
bool date_format(int64_t count, const char *unit, char text[DATE_TEXT_SIZE]);

enum date_outcome {
    DATE_FINE,
    DATE_NO_DATE, // or one that does not exist
    DATE_NO_UNIT, // none of those above
    DATE_NOT_WHOLE, // it lies between two counts of the unit
    DATE_TOO_FAR // its count does not fit in 64 bits
};

// The reverse, of YYYY, YYYY-MM, YYYY-MM-DD, or with the time of day: Thh:mm:ss.nnnnnnnnn or the
// beginning of it, after a T or a blank.
enum date_outcome date_parse(const char *text, const char *unit, int64_t *count);

#endif
