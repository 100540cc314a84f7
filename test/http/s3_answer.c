/*
 * s3_answer.c - tests of http/s3/answer and http/s3/xml.
 */
#include "http/http.h"
#include "s3/answer.h"
#include "s3/xml.h"

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define NS " xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\""

static const struct {
    const char *body, *code, *message, *region;
} refusals[] = {
    {XML "<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message>"
         "<Key>a</Key><RequestId>1</RequestId><HostId>x=</HostId></Error>",
     "NoSuchKey", "The specified key does not exist.", ""},
    {"<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>",
     "AuthorizationHeaderMalformed", "", "eu-west-1"},
    {"\n\n<!-- <Code>no</Code> --><Error>\n <Message/>\n <Code >X</Code\n>\n</Error>\n<!-- -->",
     "X", "", ""},
    {"<Error><Code>A&amp;&lt;&gt;&quot;&apos;&#66;&#x43;</Code></Error>", "A&<>\"'BC", "", ""},
    {"<Error><Code>X</Code><Message>a<![CDATA[<b>&amp;]]>c</Message></Error>", "X", "a<b>&amp;c",
     ""},
    {"<Error><Code>X</Code><Message>\n\x1b[1m\xc3\xa4&#10;&#x263a;</Message></Error>", "X",
     "??[1m????"
     "??",
     ""}, // a terminal is not told what to do
    {"<e:Error xmlns:e='>'><e:Code a=\"/>\" b = '\"'>X</e:Code></e:Error>", "X", "", ""},
    {"<Error><Details><Code>no</Code></Details><Code>X</Code><Code>Y</Code></Error>", "X", "", ""},
};

static void
refusals_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct s3_refusal refusal;
        tess_error err = {0};
        const char *const body = refusals[i].body;
        if (s3_answer_refusal(body, strlen(body), &refusal, &err) != TESS_OK)
            fail_msg("%s: %s", body, err.message);
        assert_text(refusal.code, refusals[i].code);
        assert_text(refusal.message, refusals[i].message);
        assert_text(refusal.region, refusals[i].region);
        assert_int_equal(s3_answer_completed(body, strlen(body), &refusal, &err), TESS_ERR_IO);
        assert_non_null(strstr(err.message, refusals[i].code));
    }
}

static const struct {
    const char *why, *body;
} bads[] = {
    {"nothing", ""},
    {"blanks", " \n"},
    {"no XML", "Service Unavailable"},
    {"HTML", "<html><head><title>502</title></head></html>"},
    {"no code", "<Error><Message>x</Message></Error>"},
    {"an empty code", "<Error><Code></Code></Error>"},
    {"a code too deep", "<Error><a><Code>x</Code></a></Error>"},
    {"no end", "<Error><Code>x</Code>"},
    {"ends crossed", "<Error><Code>x</Error></Code>"},
    {"two documents", "<Error><Code>x</Code></Error><Error><Code>x</Code></Error>"},
    {"text in front", "x<Error><Code>x</Code></Error>"},
    {"text behind", "<Error><Code>x</Code></Error>x"},
    {"an entity outside", "&#32;<Error><Code>x</Code></Error>"},
    {"an end first", "</Error>"},
    {"a document type", "<!DOCTYPE Error [<!ENTITY a \"b\">]><Error><Code>x</Code></Error>"},
    {"an unknown entity", "<Error><Code>&a;</Code></Error>"},
    {"an entity without an end", "<Error><Code>&amp</Code></Error>"},
    {"an entity without a name", "<Error><Code>&;</Code></Error>"},
    {"character 0", "<Error><Code>&#0;</Code></Error>"},
    {"a surrogate", "<Error><Code>&#xd800;</Code></Error>"},
    {"a character beyond Unicode", "<Error><Code>&#x110000;</Code></Error>"},
    {"a number beyond 32 bits", "<Error><Code>&#4294967361;</Code></Error>"},
    {"a number without digits", "<Error><Code>&#x;</Code></Error>"},
    {"a number with a letter", "<Error><Code>&#6a;</Code></Error>"},
    {"a comment without an end", "<Error><Code>x</Code></Error><!-- "},
    {"a declaration without an end", "<?xml <Error><Code>x</Code></Error>"},
    {"CDATA without an end", "<Error><Code><![CDATA[x</Code></Error>"},
    {"an attribute without a value", "<Error a><Code>x</Code></Error>"},
    {"an attribute without quotes", "<Error a=b><Code>x</Code></Error>"},
    {"attributes without a blank", "<Error a='b'c='d'><Code>x</Code></Error>"},
    {"a name that begins with a digit", "<Error><Code>x</Code><1/></Error>"},
    {"a blank in front of a name", "<Error>< Code>x</Code></Error>"},
    {"too deep",
     "<Error><b><c><d><e><f><g><h><i/></h></g></f></e></d></c></b><Code>x</Code></Error>"},
};

static void
bad_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bads); i++) {
        struct s3_refusal refusal;
        char *id;
        tess_error err = {0};
        const char *const body = bads[i].body;
        const size_t size = strlen(body);
        if (s3_answer_refusal(body, size, &refusal, &err) != TESS_ERR_CORRUPT)
            fail_msg("%s: taken for a refusal", bads[i].why);
        assert_true(!refusal.code[0] && !refusal.message[0] && err.message[0]);
        assert_int_equal(s3_answer_completed(body, size, &refusal, &err), TESS_ERR_CORRUPT);
        assert_int_equal(s3_answer_upload_id(body, size, &id, &err), TESS_ERR_CORRUPT);
        assert_null(id);
    }
}

static void
long_texts(void **state)
{
    char body[2 * S3_XML_TEXT_MAX] = "<Error><Code>x</Code><Message>";
    struct s3_refusal refusal;
    const size_t front = strlen(body);

    (void)state;
    // One less than the room for a text: cut for the message. One more is no answer.
    memset(body + front, 'm', S3_XML_TEXT_MAX);
    strcpy(body + front + S3_XML_TEXT_MAX - 1, "</Message></Error>");
    assert_int_equal(s3_answer_refusal(body, strlen(body), &refusal, NULL), TESS_OK);
    assert_int_equal(strlen(refusal.message), sizeof refusal.message - 1);
    memset(body + front, 'm', S3_XML_TEXT_MAX);
    strcpy(body + front + S3_XML_TEXT_MAX, "</Message></Error>");
    assert_int_equal(s3_answer_refusal(body, strlen(body), &refusal, NULL), TESS_ERR_CORRUPT);
    assert_int_equal(s3_answer_refusal("<Error><Code>x\0</Code></Error>", 30, &refusal, NULL),
                     TESS_ERR_CORRUPT);
}

#define BEGUN(id)                                                                       \
    XML "<InitiateMultipartUploadResult" NS "><Bucket>b</Bucket><Key>UploadId</Key>" id \
        "</InitiateMultipartUploadResult>"

static void
upload_ids(void **state)
{
    static const struct {
        const char *body, *id; // NULL: none
    } cases[] = {
        {BEGUN("<UploadId>VXBsb2Fk&#43;._-?</UploadId>"), "VXBsb2Fk+._-?"},
        {BEGUN("<UploadId></UploadId>"), NULL},
        {BEGUN(""), NULL},
        {BEGUN("<UploadId>a b</UploadId>"), NULL},
        {BEGUN("<UploadId>a&#13;&#10;b</UploadId>"), NULL},
        {"<Error><Code>x</Code><UploadId>a</UploadId></Error>", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *id;
        const char *const body = cases[i].body;
        const tess_status st = s3_answer_upload_id(body, strlen(body), &id, NULL);
        assert_int_equal(st, cases[i].id ? TESS_OK : TESS_ERR_CORRUPT);
        assert_text_free(id, cases[i].id);
    }
}

static void
completion(void **state)
{
    static const char done[] = XML "\n  \n<CompleteMultipartUploadResult" NS
                                   "><Location>x</Location><ETag>&quot;e-2&quot;</ETag>"
                                   "</CompleteMultipartUploadResult>";
    struct s3_refusal refusal;

    (void)state;
    assert_int_equal(s3_answer_completed(done, strlen(done), &refusal, NULL), TESS_OK);
    assert_int_equal(refusal.code[0], 0);
    // The connection broke.
    assert_int_equal(s3_answer_completed(done, strlen(done) - 1, &refusal, NULL), TESS_ERR_CORRUPT);
    assert_int_equal(s3_answer_completed(done, 0, &refusal, NULL), TESS_ERR_CORRUPT);
}

static void
requests(void **state)
{
    static const char *const etags[] = {"\"a\"", "<b>&c"};
    static const char *const bad[] = {"\"a\"", "x\ny"};
    static const char *many[S3_PARTS_MAX + 1];
    char *body;
    size_t size;

    (void)state;
    assert_int_equal(s3_request_complete(etags, 2, &body, &size, NULL), TESS_OK);
    assert_int_equal(strlen(body), size);
    assert_text_free(body, "<CompleteMultipartUpload" NS ">"
                           "<Part><PartNumber>1</PartNumber><ETag>\"a\"</ETag></Part>"
                           "<Part><PartNumber>2</PartNumber><ETag>&lt;b&gt;&amp;c</ETag></Part>"
                           "</CompleteMultipartUpload>");
    assert_int_equal(s3_request_complete(bad, 2, &body, &size, NULL), TESS_ERR_ARG);
    assert_int_equal(s3_request_complete(etags, 0, &body, &size, NULL), TESS_ERR_LIMIT);
    for (size_t i = 0; i < COUNT(many); i++)
        many[i] = "e";
    assert_int_equal(s3_request_complete(many, S3_PARTS_MAX, &body, &size, NULL), TESS_OK);
    assert_non_null(strstr(body, "<PartNumber>10000</PartNumber>"));
    free(body);
    assert_int_equal(s3_request_complete(many, S3_PARTS_MAX + 1, &body, &size, NULL),
                     TESS_ERR_LIMIT);
    assert_null(body);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_are_read), cmocka_unit_test(bad_answers),
        cmocka_unit_test(long_texts),        cmocka_unit_test(upload_ids),
        cmocka_unit_test(completion),        cmocka_unit_test(requests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
