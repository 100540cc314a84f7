/*
 * png.c - PNG files, through the simple interface of libpng 1.6.
 */
#include "cli/picture/png.h"

#include "cli/report.h"

#ifdef HAVE_PNG

#include <png.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

// A file that is not there yet.
static FILE *
create(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *const file = fd >= 0 ? fdopen(fd, "wb") : NULL;

    if (!file && fd >= 0)
        (void)close(fd);
    return file;
}

tess_status
png_write(const char *path, const struct canvas *c, tess_error *err)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)c->width,
                       .height = (png_uint_32)c->height,
                       .format = PNG_FORMAT_RGB};
    tess_status st = TESS_OK;
    FILE *const file = create(path);

    if (!file)
        return report_errno(err, "cannot create");
    errno = 0;
    if (!png_image_write_to_stdio(&image, file, 0, c->rgb, 0, NULL))
        st = errno != 0 ? report_errno(err, "cannot write")
                        : report_set(err, TESS_ERR_IO, "cannot write: %s", image.message);
    if (fclose(file) != 0 && st == TESS_OK)
        st = report_errno(err, "cannot write");
    return st;
}

#else

tess_status
png_write(const char *path, const struct canvas *c, tess_error *err)
{
    (void)path;
    (void)c;
    return report_set(err, TESS_ERR_UNSUPPORTED, "this build of tess does not write PNG");
}

#endif
