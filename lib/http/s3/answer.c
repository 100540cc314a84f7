/*
 * answer.c - what S3 answers in XML, and the one request that is XML.
 */
#include "s3/answer.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/text.h"
#include "s3/xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A child of the outermost element, and where its text goes, cut to what fits.
struct field {
    const char *name;
    char *text;
    size_t room; // with the NUL
};

static void
put_text(const struct field *field, const char *text, size_t size)
{
    const size_t n = size < field->room ? size : field->room - 1;

    memcpy(field->text, text, n);
    field->text[n] = '\0';
}

// For a message: ? in place of controls and of what is not ASCII.
static void
make_visible(char *text)
{
    for (char *p = text; *p; p++)
        if (*p < ' ' || *p > '~')
            *p = '?';
}

/*
 * Read a whole document with the outermost element `root`. Of fields that are there twice the first
 * counts. False: it is no such document; fields may be filled.
 */
static bool
read_fields(const char *body, size_t size, const char *root, const struct field *fields, size_t n)
{
    struct s3_xml_reader r;
    enum s3_xml_event event;

    s3_xml_init(&r, body, size);
    while ((event = s3_xml_next(&r)) == S3_XML_OPEN || event == S3_XML_CLOSE) {
        if (event == S3_XML_OPEN && r.depth == 1 && !s3_xml_is(r.name, root))
            return false;
        for (size_t i = 0; i < n && event == S3_XML_CLOSE && r.depth == 1; i++)
            if (s3_xml_is(r.name, fields[i].name) && !fields[i].text[0])
                put_text(&fields[i], r.text, r.text_size);
    }
    return event == S3_XML_END;
}

tess_status
s3_answer_refusal(const char *body, size_t size, struct s3_refusal *refusal, tess_error *err)
{
    *refusal = (struct s3_refusal){0};
    const struct field fields[] = {
        {"Code", refusal->code, sizeof refusal->code},
        {"Message", refusal->message, sizeof refusal->message},
        {"Region", refusal->region, sizeof refusal->region},
    };
    if (read_fields(body, size, "Error", fields, sizeof fields / sizeof *fields) &&
        refusal->code[0]) {
        make_visible(refusal->code);
        make_visible(refusal->message);
        make_visible(refusal->region);
        return TESS_OK;
    }
    *refusal = (struct s3_refusal){0};
    return http_fail(err, TESS_ERR_CORRUPT, "the answer of %zu bytes is no error of S3", size);
}

tess_status
s3_answer_upload_id(const char *body, size_t size, char **id, tess_error *err)
{
    char text[S3_XML_TEXT_MAX] = "";
    const struct field field = {"UploadId", text, sizeof text};

    *id = NULL;
    if (!read_fields(body, size, "InitiateMultipartUploadResult", &field, 1) || !http_is_word(text))
        return http_fail(err, TESS_ERR_CORRUPT, "the answer of %zu bytes names no upload", size);
    *id = strdup(text);
    return *id ? TESS_OK : http_fail_memory(err);
}

tess_status
s3_answer_completed(const char *body, size_t size, struct s3_refusal *refusal, tess_error *err)
{
    if (s3_answer_refusal(body, size, refusal, NULL) == TESS_OK)
        return http_fail(err, TESS_ERR_IO, "the upload was not completed: %s: %s", refusal->code,
                         refusal->message);
    if (!read_fields(body, size, "CompleteMultipartUploadResult", NULL, 0))
        return http_fail(err, TESS_ERR_CORRUPT,
                         "the answer of %zu bytes does not say that the upload was completed",
                         size);
    return TESS_OK;
}

static void
add_escaped(struct http_text *text, const char *string)
{
    for (const char *p = string; *p; p++) {
        const char *const entity = *p == '&'   ? "&amp;"
                                   : *p == '<' ? "&lt;"
                                   : *p == '>' ? "&gt;"
                                               : NULL;
        if (entity)
            http_text_string(text, entity);
        else
            http_text_add(text, p, 1);
    }
}

tess_status
s3_request_complete(const char *const *etags, size_t n, char **body, size_t *size, tess_error *err)
{
    struct http_text text = {0};

    *body = NULL;
    *size = 0;
    if (n == 0 || n > S3_PARTS_MAX)
        return http_fail(err, TESS_ERR_LIMIT, "an upload must have 1 to %d parts, not %zu",
                         (int)S3_PARTS_MAX, n);
    http_text_string(&text,
                     "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
    for (size_t i = 0; i < n; i++) {
        char number[64];
        if (!http_is_word(etags[i])) {
            http_text_finish(&text);
            return http_fail(err, TESS_ERR_ARG, "the ETag of part %zu is no word of ASCII", i + 1);
        }
        snprintf(number, sizeof number, "<Part><PartNumber>%zu</PartNumber><ETag>", i + 1);
        http_text_string(&text, number);
        add_escaped(&text, etags[i]);
        http_text_string(&text, "</ETag></Part>");
    }
    http_text_string(&text, "</CompleteMultipartUpload>");
    *size = text.size;
    *body = http_text_take(&text);
    if (*body)
        return TESS_OK;
    *size = 0;
    return http_fail_memory(err);
}
