/*
 * xml.h - the part of XML that answers of S3 are made of, read event by event.
 *
 * Elements, text with the five named entities and those by number, CDATA; attributes, comments,
 * declarations are passed over, and so is the prefix of a name. A document type is refused, so
 * there is nothing to expand or fetch. No memory is taken, and each byte is looked at once.
 *
 * Not libexpat: what is needed is six elements without attributes, and a full parser of XML would
 * be one more library that reads what a stranger sends.
 */
#ifndef HTTP_S3_XML_H
#define HTTP_S3_XML_H

#include <stdbool.h>
#include <stddef.h>

enum {
    S3_XML_DEPTH_MAX = 8,
    S3_XML_TEXT_MAX = 2048, // bytes of the text of one element, decoded, with its NUL
};

struct s3_xml_name { // points into the document
    const char *at;
    size_t size;
};

enum s3_xml_event {
    S3_XML_END, // of the document: one element was there, and all are closed
    S3_XML_OPEN, // an element begins
    S3_XML_CLOSE, // the element at `depth` ends; text is what stood in it behind the last element
                  // in it
    S3_XML_BAD, // no such document, or too deep, or an element with too much text
};

struct s3_xml_reader {
    const char *at, *end;
    struct s3_xml_name
        path[S3_XML_DEPTH_MAX]; // open elements, those outside first; raw, with prefixes
    int depth; // of them
    struct s3_xml_name name; // of the element of the event, without its prefix
    char text[S3_XML_TEXT_MAX]; // since the last tag
    size_t text_size; // text[text_size] is NUL
    bool seen; // the outermost element has begun
    bool empty; // <a/>: its end is the next event
    bool closed; // the last event was S3_XML_CLOSE
};

void s3_xml_init(struct s3_xml_reader *r, const char *bytes, size_t size);

// Not to be called again after S3_XML_END and S3_XML_BAD.
enum s3_xml_event s3_xml_next(struct s3_xml_reader *r);

bool s3_xml_is(struct s3_xml_name name, const char *word);

#endif
