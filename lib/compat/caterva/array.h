/*
 * array.h - an array: the struct that programs see, and what is behind it.
 *
 * The units of this folder are compiled twice, with the caterva.h of either state of Caterva. What
 * differs is in dev/ and v05/. Both end in one library, where functions need different names.
 *
 * An axis that was squeezed stays in the array of b2nd.h, with length 1; the program does not see
 * it.
 */
#ifndef COMPAT_CATERVA_ARRAY_H
#define COMPAT_CATERVA_ARRAY_H

#include <b2nd.h>

#include <caterva.h>

#if CATERVA_VERSION_RELEASE == 0 // 0.5.0
typedef uint8_t cat_ndim; // the type of the member ndim
#define cat_storage_get cat05_storage_get
#define cat_members_set cat05_members_set
#define cat_in_chunks cat05_in_chunks
#define cat_array_new cat05_array_new
#define cat_array_close cat05_array_close
#define cat_array_show cat05_array_show
#define cat_shapes_set cat05_shapes_set
#define cat_widen cat05_widen
#define cat_size cat05_size
#define cat_create cat05_create
#define cat_recipe_init cat05_recipe_init
#define cat_recipe_finish cat05_recipe_finish
#define cat_wrap cat05_wrap
#define cat_from_frame cat05_from_frame
#define cat_squeeze cat05_squeeze
#define cat_get_slice cat05_get_slice
#else
typedef int8_t cat_ndim;
#endif

struct cat_backend;

struct cat_array {
    caterva_array_t of; // first: programs have its address
    const struct cat_backend *backend;
    b2nd_array_t *nd; // NULL: in plain memory
    bool squeezed[CATERVA_MAX_DIM]; // axes of nd
};

// How an array is stored, in either state of Caterva.
struct cat_storage {
    const struct cat_backend *backend;
    const int32_t *chunkshape, *blockshape;
    bool contiguous;
    char *urlpath;
    const caterva_metalayer_t *metalayers;
    int32_t nmetalayers;
};

// What a new array holds.
enum cat_content { CAT_UNINIT, CAT_ZEROS, CAT_ITEM, CAT_ITEMS };

// Where items live. Functions return a code of Caterva. Boxes are inside of buffers, and inside of
// the array if it is in plain memory.
struct cat_backend {
    // items: one item, or size bytes of items.
    int (*create)(const caterva_ctx_t *ctx, const caterva_params_t *params,
                  const struct cat_storage *storage, enum cat_content content, const void *items,
                  int64_t size, struct cat_array **array);
    int (*read)(const struct cat_array *a, const int64_t *start, const int64_t *stop, void *buffer,
                const int64_t *shape, int64_t size);
    int (*write)(struct cat_array *a, const int64_t *start, const int64_t *stop, const void *buffer,
                 const int64_t *shape, int64_t size);
    void (*squeeze)(struct cat_array *a, const bool *index); // marked axes have length 1
    int (*close)(struct cat_array *a);
};

// -- what differs between the states of Caterva

// Set storage from the program's. Returns a code of Caterva.
int cat_storage_get(const caterva_storage_t *from, struct cat_storage *storage);

// Set the members of an array that only one of the states has; its shapes are set.
void cat_members_set(struct cat_array *a);

// -- arrays

// An array of which no shapes are set, or NULL if there is no memory.
struct cat_array *cat_array_new(const caterva_config_t *cfg, const struct cat_backend *backend);

// Close an array that may be NULL. Returns a code of Caterva.
int cat_array_close(struct cat_array *a);

// Set the members from the array of b2nd.h.
void cat_array_show(struct cat_array *a);

// Set shapes and counts; products fit, for c-blosc2's arrays have the same.
void cat_shapes_set(caterva_array_t *a, int ndim, const int64_t *shape, const int32_t *chunkshape,
                    const int32_t *blockshape);

// Numbers for all axes of the array of b2nd.h: those that the program sees, and one for the others.
void cat_widen(const struct cat_array *a, const int64_t *seen, int64_t other, int64_t *all);

// *size becomes the bytes of a shape; false if there is no such number.
bool cat_size(int itemsize, int ndim, const int64_t *shape, int64_t *size);

#endif
