/*
 * base64.h - bytes as text, RFC 4648 section 4: with padding, without line breaks.
 */
#ifndef META_BASE64_H
#define META_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Up to 3 bytes of src as 4 characters.
void base64_encode(const uint8_t *src, size_t size, char dst[4]);

// Decode `size` characters in place; *decoded receives the number of bytes. Takes what the encoder
// makes and nothing else.
bool base64_decode(uint8_t *text, size_t size, size_t *decoded);

#endif
