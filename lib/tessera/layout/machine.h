/*
 * machine.h - the caches of the CPU, which blocks should suit.
 */
#ifndef LAYOUT_MACHINE_H
#define LAYOUT_MACHINE_H

#include <stdint.h>

struct machine {
    int64_t l1, l2, l3; // bytes of the data caches; usual ones where the system does not say
};

void machine_query(struct machine *m);

#endif
