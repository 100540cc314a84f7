/*
 * compare.c - the public functions that compare arrays: arguments are checked here, once.
 */
#include <tessera/compare.h>

#include "api/check.h"
#include "api/take.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/keep/keep.h"
#include "array/open/open.h"
#include "base/error.h"
#include "compute/compare/compare.h"

static tess_status
check_compared(const tess_array *a, const tess_storage *storage, tess_error *err)
{
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    const tess_status st = view_check(a, err);
    return st == TESS_OK && storage->path ? array_check_target(a, storage, err) : st;
}

static tess_status
check_value(const tess_number *x, tess_error *err)
{
    if (!x)
        return err_set(err, TESS_ERR_ARG, -1, "no number is given");
    if (x->kind == TESS_KIND_INT || x->kind == TESS_KIND_UINT || x->kind == TESS_KIND_FLOAT)
        return TESS_OK;
    return err_set(err, TESS_ERR_ARG, -1, "a number of kind %d", (int)x->kind);
}

static tess_status
check_comparison(tess_comparison op, tess_error *err)
{
    return op >= TESS_COMPARE_EQ && op <= TESS_COMPARE_GE
               ? TESS_OK
               : err_set(err, TESS_ERR_ARG, -1, "comparison %d is not known", (int)op);
}

// Where a mask goes, and what it is.
struct mask_call {
    struct taken_storage at;
    tess_params params;
    struct comparison c;
};

// two: there is a second array.
static tess_status
mask_begin_call(struct mask_call *call, const tess_array *a, const tess_array *b, bool two,
                const tess_storage *storage, const tess_params *params, tess_array **mask,
                tess_error *err)
{
    if (!mask)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the mask is given");
    *mask = NULL;
    tess_status st = take_target(&call->at, storage, false, err);
    if (st == TESS_OK)
        st = check_compared(a, &call->at.storage, err);
    if (st == TESS_OK && two)
        st = check_compared(b, &call->at.storage, err);
    tess_params_init(&call->params);
    return st == TESS_OK && params ? take_params(&call->params, params, err) : st;
}

// The comparison is planned.
static tess_status
mask_end_call(struct mask_call *call, tess_array **mask, tess_error *err)
{
    struct home home;
    tess_status st = mask_plan(&call->c, &call->params, err);
    if (st == TESS_OK)
        st = home_create(&call->at.storage, call->params.layout, &home, err);
    return st == TESS_OK ? mask_create(&call->c, &home, &call->at.storage, &call->params, mask, err)
                         : st;
}

TESS_API tess_status
tess_array_compare(const tess_array *a, tess_comparison op, const tess_number *value,
                   const tess_storage *storage, const tess_params *params, tess_array **mask,
                   tess_error *err)
{
    UNCANCELLED;
    struct mask_call call;
    tess_status st = mask_begin_call(&call, a, NULL, false, storage, params, mask, err);
    if (st == TESS_OK)
        st = check_comparison(op, err);
    if (st == TESS_OK)
        st = check_value(value, err);
    if (st == TESS_OK)
        st = comparison_plan_number(&call.c, a, op, value, err);
    return st == TESS_OK ? mask_end_call(&call, mask, err) : st;
}

TESS_API tess_status
tess_array_between(const tess_array *a, const tess_number *least, const tess_number *most,
                   const tess_storage *storage, const tess_params *params, tess_array **mask,
                   tess_error *err)
{
    UNCANCELLED;
    struct mask_call call;
    tess_status st = mask_begin_call(&call, a, NULL, false, storage, params, mask, err);
    if (st == TESS_OK)
        st = check_value(least, err);
    if (st == TESS_OK)
        st = check_value(most, err);
    if (st == TESS_OK)
        st = comparison_plan_between(&call.c, a, least, most, err);
    return st == TESS_OK ? mask_end_call(&call, mask, err) : st;
}

TESS_API tess_status
tess_array_is_nan(const tess_array *a, const tess_storage *storage, const tess_params *params,
                  tess_array **mask, tess_error *err)
{
    UNCANCELLED;
    struct mask_call call;
    tess_status st = mask_begin_call(&call, a, NULL, false, storage, params, mask, err);
    if (st == TESS_OK)
        st = comparison_plan_nan(&call.c, a, err);
    return st == TESS_OK ? mask_end_call(&call, mask, err) : st;
}

TESS_API tess_status
tess_array_compare_arrays(const tess_array *a, tess_comparison op, const tess_array *b,
                          const tess_storage *storage, const tess_params *params, tess_array **mask,
                          tess_error *err)
{
    UNCANCELLED;
    struct mask_call call;
    tess_status st = mask_begin_call(&call, a, b, true, storage, params, mask, err);
    if (st == TESS_OK)
        st = check_comparison(op, err);
    if (st == TESS_OK)
        st = comparison_plan_arrays(&call.c, a, op, b, err);
    return st == TESS_OK ? mask_end_call(&call, mask, err) : st;
}

TESS_API tess_status
tess_array_logic(const tess_array *a, tess_logic op, const tess_array *b,
                 const tess_storage *storage, const tess_params *params, tess_array **mask,
                 tess_error *err)
{
    UNCANCELLED;
    struct mask_call call;
    const bool two = op != TESS_LOGIC_NOT;
    tess_status st = mask_begin_call(&call, a, b, two, storage, params, mask, err);
    if (st == TESS_OK && (op < TESS_LOGIC_AND || op > TESS_LOGIC_NOT))
        st = err_set(err, TESS_ERR_ARG, -1, "operation %d is not known", (int)op);
    if (st == TESS_OK && !two && b)
        st = err_set(err, TESS_ERR_ARG, -1, "a second array for an operation on one");
    if (st == TESS_OK)
        st = comparison_plan_logic(&call.c, a, op, b, err);
    return st == TESS_OK ? mask_end_call(&call, mask, err) : st;
}
