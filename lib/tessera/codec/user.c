/*
 * user.c - codecs of the program, as codecs of ours.
 *
 * Their decompressors get the bytes of strangers, as ours do; what they do with them is the
 * program's business.
 */
#include "codec/user.h"

#include "base/error.h"
#include "base/plugin.h"

static tess_block
user_describe(const struct codec_call *call)
{
    tess_block block = plugin_block(call->grid, call->blocksize, call->typesize);
    block.user = call->codec->user->user;
    block.meta = (uint8_t)call->meta;
    block.clevel = call->level;
    return block;
}

static tess_status
user_encode(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
            size_t dst_size, size_t *out_size, tess_error *err)
{
    const tess_user_codec *const user = call->codec->user;
    const tess_block block = user_describe(call);

    *out_size = 0;
    const tess_status st =
        plugin_status(user->compress(&block, src, src_size, dst, dst_size, out_size));
    if (st != TESS_OK)
        return err_set(err, st, -1, "codec %d (%s) refuses to compress %zu bytes", user->id,
                       user->name, src_size);
    if (*out_size > dst_size)
        return err_set(err, TESS_ERR_ARG, -1, "codec %d (%s) made %zu bytes where %zu fit",
                       user->id, user->name, *out_size, dst_size);
    return TESS_OK;
}

static tess_status
user_decode(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
            size_t dst_size, tess_error *err)
{
    const tess_user_codec *const user = call->codec->user;
    const tess_block block = user_describe(call);
    const tess_status st = plugin_status(user->decompress(&block, src, src_size, dst, dst_size));

    if (st == TESS_OK)
        return st;
    return err_set(err, st, -1, "codec %d (%s) refuses to make %zu bytes out of %zu", user->id,
                   user->name, dst_size, src_size);
}

static tess_status
user_check(const struct codec_call *call, int32_t size, tess_error *err)
{
    const tess_user_codec *const user = call->codec->user;

    (void)size;
    if (user->compress)
        return TESS_OK;
    return err_set(err, TESS_ERR_ARG, -1, "codec %d (%s) only reads", user->id, user->name);
}

struct codec
codec_of_user(const tess_user_codec *user)
{
    return (struct codec){
        .id = user->id,
        .format = CODEC_FORMAT_OTHER,
        .name = user->name,
        .user = user,
        .needs_items = user->needs_items,
        .lossy = user->lossy,
        .check = user_check,
        .encode = user_encode,
        .decode = user_decode,
    };
}
