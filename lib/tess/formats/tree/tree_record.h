/*
 * tree_record.h - the file group.json in a folder of arrays: what a group says of itself.
 */
#ifndef TESS_FORMATS_TREE_TREE_RECORD_H
#define TESS_FORMATS_TREE_TREE_RECORD_H

#include "formats/tree/tree.h"

/*
 * One JSON object:
 *
 *     {"tessera_group": 1,
 *      "attributes": {"title": "winds"},             in the notation of tess_attr_get_json()
 *      "attribute_types": {"scale": "<f4"},          of numbers: as NumPy; "string": not characters
 *      "dimensions": [{"name": "time", "length": 12, "unlimited": true}],
 *      "variables": [{"name": "u", "attribute_types": {}}]}     in the order of the file
 *
 * A dimension along which the package for Python appends datasets has "appended": true, too: its
 * length commits an append, and items of arrays beyond it are not valid.
 */
tess_status tree_record_write(const char *path, struct tree *t, const struct tree_group *g,
                              tess_error *err);
// The same in a store: the attributes of the group are those of `a`, and the object without them is
// one more, tessera_group, which g->attributes has, too, afterwards.
tess_status tree_record_store(tess_array *a, struct tree *t, struct tree_group *g, tess_error *err);
tess_status tree_record_load(const tess_array *a, struct tree *t, struct tree_group *g,
                             tess_error *err);
// Read the file into an empty group. Without the file, the group stays empty.
tess_status tree_record_read(const char *path, struct tree *t, struct tree_group *g,
                             tess_error *err);

// The types of attributes, for tree_variable.types, in memory of `t`; NULL: no memory. The type of
// an attribute that holds items is recorded only if it differs from `dtype`, the type of the array
// (NULL: no array): otherwise it follows the type of the array when the array is converted.
tess_value *tree_record_types(struct tree *t, const struct attributes *a, const char *dtype);
// The reverse: set the recorded types of attributes. A _FillValue of numbers always gets the type
// of the array.
void tree_record_set_types(struct attributes *a, const tess_value *types);

#endif
