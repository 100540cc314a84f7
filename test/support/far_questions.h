/*
 * far_questions.h - questions: calls that read, with drawn arguments; an answer is bytes.
 */
#ifndef SUPPORT_FAR_QUESTIONS_H
#define SUPPORT_FAR_QUESTIONS_H

#include "support/random.h"

#include <tessera.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ANSWER = 8 << 20 }; // bytes, at most

struct answer {
    tess_status status;
    tess_error error;
    size_t size;
    uint8_t *bytes; // ANSWER
};

// What far_compare() has asked; far_setup() and far_teardown() begin and end a test, in a folder.
extern struct answer far_first, far_second;
extern const tess_context *far_made_with; // what calls make; NULL: default
int far_setup(void **state);
int far_teardown(void **state);

struct question {
    const char *name;
    void (*ask)(tess_array *a, const tess_info *info, struct random *r, struct answer *w);
    int weight;
    bool pieces; // it may be read by several jobs: one reads again what could not be read ahead
};

enum { FAR_QUESTIONS = 14 };
extern const struct question far_questions[FAR_QUESTIONS];

// One of them, those of a greater weight more often.
const struct question *far_draw_question(struct random *r);

void far_ask(const struct question *q, tess_array *a, uint64_t seed, struct answer *w);
// Both answer the same, failures included.
void far_compare(tess_array *here, tess_array *there, const struct question *q, uint64_t seed,
                 const char *name);

// For questions of a test.
void far_answer_add(struct answer *w, const void *bytes, size_t size);
tess_each_next far_sum_part(const tess_part *part, void *user);
tess_each_next far_sum_box(const tess_map_part *part, void *user);
void far_ask_all(tess_array *a, const tess_info *info, struct random *r, struct answer *w);
void far_ask_copy(tess_array *a, const tess_info *info, struct random *r, struct answer *w);
void far_ask_downsample(tess_array *a, const tess_info *info, struct random *r, struct answer *w);
void far_ask_image(tess_array *a, const tess_info *info, struct random *r, struct answer *w);
void far_ask_reduce(tess_array *a, const tess_info *info, struct random *r, struct answer *w);
void far_ask_stencil(tess_array *a, const tess_info *info, struct random *r, struct answer *w);
void far_ask_verify(tess_array *a, const tess_info *info, struct random *r, struct answer *w);

#endif
