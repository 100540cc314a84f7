/*
 * select.c - slice expressions.
 *
 * The expression is cut into terms first; only then is it known how many axes `...` stands for,
 * and which axis a term is about. Numbers that do not fit in 64 bits are taken as the nearest
 * that do, which lie beyond any axis all the same.
 */
#include "data/picked/select.h"

#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum term_kind { TERM_INDEX, TERM_SLICE, TERM_REST };

struct term {
    enum term_kind kind;
    bool has_start, has_stop, has_step;
    int64_t start, stop, step; // an index stands in start
};

static void
skip_blanks(const char **p)
{
    *p += strspn(*p, " \t");
}

// An integer if there is one; false if there is none.
static bool
take_number(const char **p, int64_t *value)
{
    skip_blanks(p);
    const char *digits = **p == '-' || **p == '+' ? *p + 1 : *p;
    if (*digits < '0' || *digits > '9')
        return false;
    char *end = NULL;
    *value = strtoll(*p, &end, 10); // saturates
    *p = end;
    skip_blanks(p);
    return true;
}

static bool
take(const char **p, const char *token)
{
    const size_t n = strlen(token);

    skip_blanks(p);
    if (strncmp(*p, token, n) != 0)
        return false;
    *p += n;
    skip_blanks(p);
    return true;
}

static bool
take_term(const char **p, struct term *term)
{
    *term = (struct term){.kind = TERM_SLICE, .step = 1};
    if (take(p, "...")) {
        term->kind = TERM_REST;
        return true;
    }
    term->has_start = take_number(p, &term->start);
    if (!take(p, ":")) {
        term->kind = TERM_INDEX;
        return term->has_start;
    }
    term->has_stop = take_number(p, &term->stop);
    if (take(p, ":"))
        term->has_step = take_number(p, &term->step);
    return true;
}

static tess_status
take_terms(const char *expr, struct term *terms, int *nterms, tess_error *err)
{
    const char *p = expr;
    bool rest = false;

    *nterms = 0;
    do {
        if (*nterms > TESS_MAX_NDIM) // all axes and one `...`
            return report_set(err, TESS_ERR_ARG, "slice %.80s: more than %d axes", expr,
                              TESS_MAX_NDIM);
        if (!take_term(&p, &terms[*nterms]))
            return report_set(
                err, TESS_ERR_ARG,
                "slice %.80s: an integer, start:stop:step or ... is missing at \"%.20s\"", expr, p);
        if (terms[*nterms].kind == TERM_REST) {
            if (rest)
                return report_set(err, TESS_ERR_ARG, "slice %.80s: more than one ...", expr);
            rest = true;
        }
        (*nterms)++;
    } while (take(&p, ","));
    if (*p != '\0')
        return report_set(err, TESS_ERR_ARG, "slice %.80s: cannot read \"%.20s\"", expr, p);
    return TESS_OK;
}

// A position of a slice: counted from the end if negative, then cut to [low, high].
static int64_t
position(int64_t value, int64_t length, int64_t low, int64_t high)
{
    if (value < 0)
        value += length; // no overflow: the signs differ
    return value < low ? low : value > high ? high : value;
}

static tess_status
apply(const struct term *term, int axis, int64_t length, struct slice_range *sel, tess_error *err)
{
    int64_t *start = &sel->start[axis], *step = &sel->step[axis], *count = &sel->count[axis];

    if (term->kind == TERM_INDEX) {
        *start = term->start < 0 ? term->start + length : term->start;
        *step = 1;
        *count = 1;
        sel->dropped[axis] = true;
        if (*start < 0 || *start >= length)
            return report_set(err, TESS_ERR_ARG,
                              "index %" PRId64 " is outside axis %d, which has %" PRId64 " items",
                              term->start, axis, length);
        return TESS_OK;
    }

    *step = term->step;
    if (*step == 0)
        return report_set(err, TESS_ERR_ARG, "the step of axis %d is 0", axis);
    if (*step > 0) {
        const int64_t stop = term->has_stop ? position(term->stop, length, 0, length) : length;
        *start = term->has_start ? position(term->start, length, 0, length) : 0;
        *count = stop > *start ? (stop - *start - 1) / *step + 1 : 0;
    } else {
        const int64_t last = length - 1;
        const int64_t stop = term->has_stop ? position(term->stop, length, -1, last) : -1;
        *start = term->has_start ? position(term->start, length, -1, last) : last;
        *count = stop < *start ? (stop - *start + 1) / *step + 1 : 0;
    }
    if (*count == 0)
        *start = 0;
    if (*count <= 1)
        *step = 1;
    sel->out_shape[sel->out_ndim++] = *count;
    return TESS_OK;
}

tess_status
select_parse(const char *expr, int ndim, const int64_t *shape, struct slice_range *sel,
             tess_error *err)
{
    static const struct term whole = {.kind = TERM_SLICE, .step = 1};
    struct term terms[TESS_MAX_NDIM + 1];
    int nterms = 0, naxes = 0, axis = 0;
    tess_status st = TESS_OK;

    *sel = (struct slice_range){.ndim = ndim};
    TRY(take_terms(expr, terms, &nterms, err));
    for (int i = 0; i < nterms; i++)
        naxes += terms[i].kind != TERM_REST;
    if (naxes > ndim) {
        st = report_set(err, TESS_ERR_ARG, "slice %.80s: %d axes, the array has %d", expr, naxes,
                        ndim);
        goto out;
    }
    for (int i = 0; i < nterms; i++) {
        if (terms[i].kind != TERM_REST) {
            TRY(apply(&terms[i], axis, shape[axis], sel, err));
            axis++;
            continue;
        }
        for (int rest = ndim - naxes; rest > 0; rest--, axis++)
            TRY(apply(&whole, axis, shape[axis], sel, err));
    }
    for (; axis < ndim; axis++)
        TRY(apply(&whole, axis, shape[axis], sel, err));
out:
    return st;
}

void
select_first(struct slice_range *sel, int axis, int64_t count)
{
    sel->count[axis] = count;
    sel->out_shape[axis] = count;
}

void
select_stop(const struct slice_range *sel, int64_t *stop)
{
    for (int i = 0; i < sel->ndim; i++) {
        const int64_t last = sel->start[i] + (sel->count[i] - 1) * sel->step[i];

        stop[i] = sel->count[i] == 0 ? sel->start[i] : sel->step[i] > 0 ? last + 1 : last - 1;
    }
}
