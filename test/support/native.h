/*
 * native.h - the byte order of this machine, for tests whose items are numbers of C:
 *
 *     params.dtype = NATIVE "i4";
 */
#ifndef SUPPORT_NATIVE_H
#define SUPPORT_NATIVE_H

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NATIVE ">"
#else
#define NATIVE "<"
#endif

#endif
