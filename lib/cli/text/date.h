/*
 * date.h - NumPy's datetime64 as ISO 8601.
 */
#ifndef CLI_DATE_H
#define CLI_DATE_H

#include <stdbool.h>
#include <stdint.h>

#define DATE_TEXT_SIZE 64

/*
 * Write the time that lies `count` units after 1970. unit: "Y", "M", "W", "D", "h", "m", "s",
 * "ms", "us" or "ns". False for other units, and for years that do not fit in 64 bits.
 */
bool date_format(int64_t count, const char *unit, char text[DATE_TEXT_SIZE]);

#endif
