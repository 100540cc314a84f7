/*
 * tree.h - what a whole netCDF or HDF5 file holds, and the folder of arrays that says the same:
 * groups, their attributes and dimensions, the variables by name.
 *
 * In the folder a group is a subfolder, a variable the array NAME.b2nd, and what a group says of
 * itself stands in its file group.json (tree_record.c).
 */
#ifndef TESS_FORMATS_TREE_TREE_H
#define TESS_FORMATS_TREE_TREE_H

#include "formats/attributes.h"

#define TREE_RECORD "group.json"
#define TREE_SUFFIX ".b2nd"
#define TREE_DEPTH_MAX 64 // groups inside groups

struct tree_dimension {
    const char *name;
    int64_t length;
    bool unlimited;
    bool appended; // `length` holds, whatever arrays have beyond it
    bool settled; // `length` is that of an array that has it
};

struct tree_variable {
    const char *name;
    const char *skipped; // why it cannot become an array, or NULL
    const tess_value *types; // of its attributes, a map from names to types; NULL: not recorded
};

struct tree_group {
    const char *path; // "" for the root, else "a" or "a/b": names as in the file
    struct attributes attributes;
    struct tree_dimension *dimensions;
    struct tree_variable *variables;
    int ndimensions, nvariables;
};

// All that it points to lives as long as the whole.
struct tree {
    struct tree_group **groups; // the root first, parents before children
    int ngroups;
    struct attributes memory;
};

// NULL without memory. The strings are copied.
struct tree_group *tree_add_group(struct tree *t, const char *path);
struct tree_dimension *tree_add_dimension(struct tree *t, struct tree_group *g, const char *name,
                                          int64_t length, bool unlimited);
struct tree_variable *tree_add_variable(struct tree *t, struct tree_group *g, const char *name,
                                        const char *skipped);
char *tree_join(struct tree *t, const char *group, const char *name); // "a/b"; NULL: no memory
void tree_finish(struct tree *t);

// The dimension of that name in a group, or in the nearest one around it; NULL: there is none.
struct tree_dimension *tree_find_dimension(const struct tree *t, const char *group,
                                           const char *name);

/*
 * A name as that of a file or folder: bytes that have a meaning in paths or on terminals, a point
 * at the beginning, and what would look like an array or a record become %XX. NULL without memory.
 * tree_unescape() is the reverse.
 */
char *tree_escape(struct tree *t, const char *name, bool group);
char *tree_unescape(struct tree *t, const char *name, size_t size);

// What is in a file; TESS_ERR_UNSUPPORTED where this build lacks the format.
tess_status tree_netcdf_list(const char *path, struct tree *t, tess_error *err);
tess_status tree_hdf5_list(const char *path, struct tree *t, tess_error *err);

#endif
