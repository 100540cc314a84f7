/*
 * family.h - an array and its views, of which the library says which calls may run at once.
 */
#ifndef PYTHON_BASE_FAMILY_H
#define PYTHON_BASE_FAMILY_H

#include "base/py.h"

struct py_array;

/*
 * The family of a store that is written has the store, too, and all its arrays and views.
 *
 * All members are read and written with the GIL held, so there is no other lock.
 */
struct py_family {
    int refs; // arrays and views of Python
    int users; // calls that run at the same time as others
    bool exclusive; // a call runs that no other may run beside
    int wanting; // calls that wait to be exclusive; others that begin let them pass first
    int waiting; // calls that wait, and are not exclusive on any array
    int owed; // those of them that were waiting when the last exclusive call ended; they go first
    unsigned turn; // counts the ends of exclusive calls
    unsigned born; // the count of py_family_forked() when it was made
    unsigned forks; // the count of py_family_forked() when users was last right
    bool broken; // the process was forked while another thread was in a call
    bool alone; // of a store that is written: one that is closed is closed in an exclusive call
    struct py_array *arrays; // then: all of them, and views; else NULL
    unsigned losses; // how often all of them were closed; changes inside exclusive calls only
    bool has_image; // image is held
    Py_buffer image; // memory that the array is read from in place
};

struct py_family *py_family_new(void); // NULL: MemoryError is set
void py_family_leave(struct py_family *family); // one array less; the last one frees it

// In the child of a fork(): calls of other threads will never end.
void py_family_forked(void);
void py_family_notice_fork(struct py_family *family);
bool py_family_is_inherited(const struct py_family *family); // made before the last fork()

#endif
