/*
 * make_arrays.c - arrays of many kinds, for another reader to compare.
 *
 *     make_arrays FOLDER
 *
 * Names say what the array is. Used by interop.py; record.h says what is written.
 */
#include "golden/arrays.h"
#include "golden/record.h"

#include <stdio.h>

int
main(int argc, char **argv)
{
    static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};

    if (argc != 2) {
        fputs("usage: make_arrays FOLDER\n", stderr);
        return 2;
    }
    record_begin(argv[1]);
    for (size_t i = 0; i < COUNT(layouts); i++) {
        arrays_of_kinds(layouts[i]);
        arrays_of_cells(layouts[i]);
        arrays_with_pasts(layouts[i]);
        arrays_with_layers(layouts[i]);
        arrays_with_dictionaries(layouts[i]);
    }
    arrays_in_places();
    record_end();
    return 0;
}
