/*
 * caterva-names.h - the symbols of the library behind the names of caterva.h.
 *
 * Both states of Caterva are in one library, and the original can be loaded into the same process.
 */
#ifndef TESSERA_CATERVA_NAMES_H
#define TESSERA_CATERVA_NAMES_H

#define caterva_ctx_new tess_caterva05_ctx_new
#define caterva_ctx_free tess_caterva05_ctx_free
#define caterva_empty tess_caterva05_empty
#define caterva_zeros tess_caterva05_zeros
#define caterva_full tess_caterva05_full
#define caterva_from_buffer tess_caterva05_from_buffer
#define caterva_get_slice tess_caterva05_get_slice
#define caterva_copy tess_caterva05_copy
#define caterva_free tess_caterva05_free
#define caterva_from_schunk tess_caterva05_from_schunk
#define caterva_from_serial_schunk tess_caterva05_from_serial_schunk
#define caterva_open tess_caterva05_open
#define caterva_save tess_caterva05_save
#define caterva_remove tess_caterva05_remove
#define caterva_to_buffer tess_caterva05_to_buffer
#define caterva_get_slice_buffer tess_caterva05_get_slice_buffer
#define caterva_set_slice_buffer tess_caterva05_set_slice_buffer
#define caterva_squeeze_index tess_caterva05_squeeze_index
#define caterva_squeeze tess_caterva05_squeeze
#define caterva_vlmeta_add tess_caterva05_vlmeta_add
#define caterva_vlmeta_get tess_caterva05_vlmeta_get
#define caterva_vlmeta_exists tess_caterva05_vlmeta_exists
#define caterva_vlmeta_update tess_caterva05_vlmeta_update
#define caterva_meta_get tess_caterva05_meta_get
#define caterva_meta_exists tess_caterva05_meta_exists
#define caterva_meta_update tess_caterva05_meta_update

#endif
