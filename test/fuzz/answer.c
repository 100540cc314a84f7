/*
 * answer.c - answers of a server that claims to be S3.
 */
#include "s3/answer.h"
#include "fuzz/fuzz.h"

static void
must_be_message(const char *text, size_t room)
{
    must(strnlen(text, room) < room, "text without an end");
    for (const char *p = text; *p; p++)
        must(*p >= ' ' && *p < 0x7f, "byte %d in a message", *p);
}

static void
try_refusal(const struct s3_refusal *refusal)
{
    must_be_message(refusal->code, sizeof refusal->code);
    must_be_message(refusal->message, sizeof refusal->message);
    must_be_message(refusal->region, sizeof refusal->region);
}

static void
try_etag(const char *etag)
{
    const char *const etags[] = {"\"1\"", etag};
    char *body;
    size_t size;

    const tess_status st = s3_request_complete(etags, 2, &body, &size, NULL);
    must(st == TESS_OK || st == TESS_ERR_ARG, "%d", (int)st);
    must(st != TESS_OK || strlen(body) == size, "%zu bytes", size);
    free(body);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const body = (char *)exact_copy(data, size);
    char *const text = (char *)exact_memory(size + 1);
    struct s3_refusal refusal;
    char *id;
    tess_error err = {0};

    if (size > 0)
        memcpy(text, data, size);
    const tess_status refused = s3_answer_refusal(body, size, &refusal, &err);
    must(refused == TESS_OK || (refused == TESS_ERR_CORRUPT && err.message[0]), "%d", (int)refused);
    must((refused == TESS_OK) == (refusal.code[0] != '\0'), "a refusal without a code");
    try_refusal(&refusal);

    const tess_status completed = s3_answer_completed(body, size, &refusal, &err);
    must((completed == TESS_ERR_IO) == (refused == TESS_OK), "%d and %d", (int)completed,
         (int)refused);
    try_refusal(&refusal);

    const tess_status begun = s3_answer_upload_id(body, size, &id, &err);
    must((begun == TESS_OK) == (id != NULL), "%d", (int)begun);
    must((begun == TESS_OK) + (completed == TESS_OK) + (refused == TESS_OK) <= 1,
         "one answer says two things");
    free(id);
    try_etag(text);
    free(text);
    free(body);
    return 0;
}
