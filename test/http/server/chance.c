/*
 * chance.c - faults at random.
 *
 * There is no state: each request has a sequence of its own, that of the seed and its number. So
 * threads need no lock, and a request has the same fault whatever came before.
 */
#include "http/server/server.h"
#include "support/random.h"

struct server_fault
server_fault_by_chance(const struct server_request *request, void *user)
{
    static const int redirects[] = {301, 302, 307, 308};
    const struct server_chance *const chance = user;
    const uint64_t every = SERVER_KIND(SERVER_FAULTS) - 1 - SERVER_KIND(SERVER_NO_FAULT);
    const uint64_t kinds = chance->kinds ? chance->kinds & every : every;
    struct server_fault fault = {.kind = SERVER_NO_FAULT, .ms = chance->ms};
    struct random r;

    _Static_assert(SERVER_FAULTS < 64, "the kinds are no longer bits of a number");
    random_init(&r, chance->seed);
    random_init(&r, random_next(&r) ^ (uint64_t)request->number);
    if (kinds == 0 || (double)random_below(&r, 1000000) >= chance->probability * 1e6)
        return fault;
    do
        fault.kind = (enum server_fault_kind)random_below(&r, SERVER_FAULTS);
    while (!(kinds & SERVER_KIND(fault.kind)));
    // Within the body, as far as the request tells its size.
    const uint64_t size = request->first >= 0 && request->last < INT64_MAX
                              ? (uint64_t)(request->last - request->first) + 1
                              : 4096;
    fault.at = (int64_t)random_below(&r, size);
    fault.seconds = (int)random_below(&r, 2);
    fault.status = redirects[random_below(&r, 4)];
    return fault;
}
