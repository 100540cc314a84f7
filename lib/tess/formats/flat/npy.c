/*
 * npy.c - the header of .npy files.
 *
 * The text may come from a stranger. Only the dictionary that NumPy writes is understood: three
 * keys, a type as a string or a list, an order, a tuple of integers. The cursor never passes the
 * end; the values are checked where they are read.
 */
#include "formats/flat/npy.h"

#include "report.h"
#include "text/text.h"

#include <tessera/dtype.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

tess_status
npy_preamble_parse(const uint8_t *bytes, size_t size, struct npy_preamble *preamble,
                   tess_error *err)
{
    if (size < 10 || memcmp(bytes, magic, sizeof magic) != 0)
        return report_set(err, TESS_ERR_FORMAT, "not a .npy file");
    const int version = bytes[6];
    if (version < 1 || version > 3)
        return report_set(err, TESS_ERR_UNSUPPORTED, ".npy version %d.%d; 1, 2 and 3 are read",
                          version, bytes[7]);

    preamble->latin1 = version < 3;
    preamble->text_offset = version == 1 ? 10 : 12;
    if (size < preamble->text_offset)
        return report_set(err, TESS_ERR_CORRUPT, "the .npy header is cut off");
    uint32_t length = bytes[8] | (uint32_t)bytes[9] << 8;
    if (version > 1)
        length |= (uint32_t)bytes[10] << 16 | (uint32_t)bytes[11] << 24;
    if (length > NPY_TEXT_MAX)
        return report_set(err, TESS_ERR_LIMIT, "a .npy header of %" PRIu32 " bytes; at most %d",
                          length, NPY_TEXT_MAX);
    preamble->text_size = length;
    return TESS_OK;
}

struct cursor {
    const char *p, *end;
};

static void
skip_blanks(struct cursor *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t' || *c->p == '\r'))
        c->p++;
}

// True if the token comes next; then it is consumed, with the blanks around it.
static bool
take(struct cursor *c, const char *token)
{
    const size_t n = strlen(token);

    skip_blanks(c);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, token, n) != 0)
        return false;
    c->p += n;
    skip_blanks(c);
    return true;
}

// Past a string in quotes, which starts here.
static bool
skip_string(struct cursor *c)
{
    const char quote = *c->p++;

    for (; c->p < c->end; c->p++) {
        if (*c->p == quote) {
            c->p++;
            return true;
        }
        if (*c->p == '\\' && ++c->p == c->end)
            return false;
    }
    return false;
}

// Past a list, which starts here, with all the brackets and strings in it.
static bool
skip_list(struct cursor *c)
{
    int depth = 0;

    while (c->p < c->end) {
        const char byte = *c->p;

        if (byte == '\'' || byte == '"') {
            if (!skip_string(c))
                return false;
            continue;
        }
        c->p++;
        if (byte == '[' || byte == '(') {
            depth++;
        } else if (byte == ']' || byte == ')') {
            if (--depth == 0)
                return byte == ']';
        }
    }
    return false;
}

// A copy of [p, end) as UTF-8; NULL if there is no memory.
static char *
copy_text(const char *p, const char *end, bool latin1)
{
    const size_t size = (size_t)(end - p);
    char *const copy = malloc(2 * size + 1);

    if (!copy)
        return NULL;
    if (!latin1)
        memcpy(copy, p, size);
    copy[latin1 ? text_from_latin1(p, size, copy) : size] = '\0';
    return copy;
}

static bool
take_dtype(struct cursor *c, bool latin1, char **dtype)
{
    const char *begin = c->p;

    if (begin == c->end)
        return false;
    if (*begin == '[') {
        if (!skip_list(c))
            return false;
        *dtype = copy_text(begin, c->p, latin1);
    } else if (*begin == '\'' || *begin == '"') {
        if (!skip_string(c))
            return false;
        *dtype = copy_text(begin + 1, c->p - 1, latin1);
    } else {
        return false;
    }
    return *dtype && !memchr(begin, '\0', (size_t)(c->p - begin));
}

static bool
take_length(struct cursor *c, int64_t *length)
{
    const char *begin = c->p;
    int64_t n = 0;

    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *c->p - '0', &n))
            return false;
    if (c->p == begin)
        return false;
    (void)take(c, "L"); // Python 2
    *length = n;
    return true;
}

static bool
take_shape(struct cursor *c, int *ndim, int64_t *shape)
{
    *ndim = 0;
    if (!take(c, "("))
        return false;
    while (!take(c, ")")) {
        if (*ndim == TESS_MAX_NDIM || !take_length(c, &shape[*ndim]))
            return false;
        (*ndim)++;
        if (take(c, ","))
            continue;
        return *ndim > 1 && take(c, ")"); // one axis is written (n,)
    }
    return true;
}

static bool
take_order(struct cursor *c, bool *fortran)
{
    *fortran = take(c, "True");
    return *fortran || take(c, "False");
}

static bool
take_entry(struct cursor *c, bool latin1, struct npy_header *h, unsigned *seen)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    char key[20];
    unsigned k = 0;

    for (; k < 3; k++) {
        (void)snprintf(key, sizeof key, "'%s'", keys[k]);
        if (take(c, key))
            break;
        key[0] = key[strlen(key) - 1] = '"';
        if (take(c, key))
            break;
    }
    if (k == 3 || (*seen & 1u << k) || !take(c, ":"))
        return false;
    *seen |= 1u << k;
    return k == 0   ? take_dtype(c, latin1, &h->dtype)
           : k == 1 ? take_order(c, &h->fortran)
                    : take_shape(c, &h->ndim, h->shape);
}

tess_status
npy_header_parse(const char *text, size_t size, bool latin1, struct npy_header *header,
                 tess_error *err)
{
    struct cursor c = {text, text + size};
    struct npy_header h = {0};
    unsigned seen = 0;
    bool good = take(&c, "{");

    while (good && !take(&c, "}")) {
        good = take_entry(&c, latin1, &h, &seen);
        if (good && !take(&c, ",")) {
            good = take(&c, "}");
            break;
        }
    }
    if (!good || seen != 7 || c.p != c.end) {
        npy_header_finish(&h);
        return report_set(
            err, TESS_ERR_CORRUPT,
            "the .npy header is not the dictionary of an array of up to %d dimensions",
            TESS_MAX_NDIM);
    }
    *header = h;
    return TESS_OK;
}

void
npy_header_finish(struct npy_header *header)
{
    free(header->dtype);
    header->dtype = NULL;
}

static bool
is_ascii(const char *text)
{
    while (*text && (unsigned char)*text < 0x80)
        text++;
    return *text == '\0';
}

// The type as NumPy spells it in a .npy file: 'string' or a list.
static void
write_dtype(FILE *out, const char *dtype, int32_t typesize)
{
    const tess_dtype type = tess_dtype_parse(dtype);
    const bool known = type.size == typesize;

    if (known && type.kind == TESS_KIND_STRUCT && dtype[0] == '[')
        fputs(dtype, out);
    else if (!known || type.kind == TESS_KIND_STRUCT || type.kind == TESS_KIND_OPAQUE)
        fprintf(out, "'|V%" PRId32 "'", typesize);
    else if (strchr("<>|", dtype[0]))
        fprintf(out, "'%s'", dtype);
    else // a name without byte order, such as "uint8"
        fprintf(out, "'%c%c%" PRId32 "'", typesize == 1 ? '|' : type.order, (char)type.kind,
                type.kind == TESS_KIND_UNICODE ? typesize / 4 : typesize);
}

// Preamble for a text whose length, padded to a multiple of 64 with it, follows from its own.
static size_t
make_preamble(size_t text_size, bool ascii, uint8_t *bytes, size_t *padding)
{
    size_t preamble_size = 10;
    uint8_t version = 1;

    if (!ascii || text_size + 64 > UINT16_MAX) {
        version = ascii ? 2 : 3;
        preamble_size = 12;
    }
    *padding = (64 - (preamble_size + text_size + 1) % 64) % 64; // 1: the newline at the end
    const size_t length = text_size + *padding + 1;

    memcpy(bytes, magic, sizeof magic);
    bytes[6] = version;
    bytes[7] = 0;
    for (size_t i = 8; i < preamble_size; i++)
        bytes[i] = (uint8_t)(length >> 8 * (i - 8));
    return preamble_size;
}

tess_status
npy_header_make(const char *dtype, int32_t typesize, int ndim, const int64_t *shape, char **bytes,
                size_t *size, tess_error *err)
{
    uint8_t preamble[NPY_PREAMBLE_MAX] = {0};
    char *text = NULL, *all = NULL;
    size_t text_size = 0, padding = 0;
    FILE *out = open_memstream(&text, &text_size);

    if (!out)
        return report_errno(err, "cannot make a .npy header");
    fputs("{'descr': ", out);
    write_dtype(out, dtype, typesize);
    fputs(", 'fortran_order': False, 'shape': (", out);
    for (int i = 0; i < ndim; i++)
        fprintf(out, "%s%" PRId64, i ? ", " : "", shape[i]);
    fputs(ndim == 1 ? ",), }" : "), }", out);
    if (fclose(out) != 0)
        goto nomem;

    const size_t start = make_preamble(text_size, is_ascii(text), preamble, &padding);
    *size = start + text_size + padding + 1;
    all = malloc(*size);
    if (!all)
        goto nomem;
    memcpy(all, preamble, start);
    memcpy(all + start, text, text_size);
    memset(all + start + text_size, ' ', padding);
    all[*size - 1] = '\n';
    free(text);
    *bytes = all;
    return TESS_OK;
nomem:
    free(text);
    return report_nomem(err, (int64_t)text_size);
}
