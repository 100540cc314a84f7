/*
 * machine.h - what a layout has to suit: caches and CPUs.
 */
#ifndef CLI_LAYOUT_MACHINE_H
#define CLI_LAYOUT_MACHINE_H

#include <stdint.h>

struct machine {
    int64_t l1, l2, l3; // bytes of the data caches; usual ones where the system does not say
    int cpus; // that the process may use
};

void machine_look(struct machine *m);

#endif
