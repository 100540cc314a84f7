#!/bin/sh
# Programs and libraries of different releases work together: structs of the public headers get
# members, as a later release may add them.
#
#     grown.sh SOURCE_DIR LIB_DIR TEST...     (CC and MESON in the environment)
#
# A library with the larger structs is built. The tests, programs that were compiled with the present
# headers, run with it. Then a program of the larger structs runs with the present library, in
# LIB_DIR.
set -u

source=$1
lib=$2
shift 2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
unset DESTDIR MALLOC_PERTURB_

stop() {
    echo "FAILED: $*" >&2
    exit 1
}

# Filled by programs, filled by the library, and passed to functions of programs.
structs='context params storage source conversion chunk_run boxes_options reduce_options chunk_options downsample_options map_options repair_options tuner_options access user_codec user_filter executor budgets allocator add_options bins http_options
    info chunk_info codec_info filter_info statistics verdict repair_report tuner_info layout_result frame_info usage
    part map_part block damage lost log_entry outside entry commit'

tree=$dir/later
mkdir "$tree" || exit 1
for part in LICENSE README.rst meson.build meson_options.txt lib subprojects; do
    ln -s "$source/$part" "$tree/$part" || exit 1
done
cp -r "$source/include" "$tree/" || exit 1
for name in $structs; do
    header=$(grep -l "^} tess_$name;" "$tree"/include/tessera/*.h) || stop "no tess_$name"
    sed -i "s/^} tess_$name;/    int64_t grown[5];\n&/" "$header"
    grep -q '<stdint.h>' "$header" ||
        sed -i '0,/^#include/s//#include <stdint.h>\n#include/' "$header"
done
# Every struct with a size of its own is there.
for name in $(sed -n 's/^#define tess_[a-z_]*_init(.*sizeof(tess_\([a-z_]*\)).*/\1/p' \
    "$source"/include/tessera/*.h); do
    case " $(echo $structs) " in
    *" $name "*) ;;
    *) stop "tess_$name is not grown here" ;;
    esac
done

$MESON setup "$dir/build" "$tree" -Doptimization=1 -Ddebug=false \
    -Ddefault_library=shared -Dtests=disabled -Dbench=disabled -Dauto_features=disabled \
    >"$dir/log" 2>&1 &&
    $MESON compile -C "$dir/build" tessera >>"$dir/log" 2>&1 ||
    { cat "$dir/log"; stop "the library with larger structs is not built"; }

here=$PWD
cd "$dir" || exit 1
for test in "$@"; do
    LD_LIBRARY_PATH=$dir/build/lib/tessera "$here/$test" >"$dir/log" 2>&1 ||
        { cat "$dir/log"; stop "$test fails with the library of larger structs"; }
done
LD_LIBRARY_PATH=$dir/build/lib/tessera ldd "$here/$test" | grep -q "$dir/build/lib/tessera" ||
    stop "the tests did not run with it"

cat >"$dir/program.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <tessera.h>

// A program of the later release: its members are zero, then one is not.
int main(void)
{
    tess_storage storage;
    tess_context context;
    tess_params params;
    tess_info info;
    tess_error err = {0};
    tess_array *a;
    memset(&info, 0xee, sizeof info);
    tess_storage_init(&storage);
    tess_context_init(&context);
    tess_params_init(&params);
    storage.context = &context;
    params.ndim = 1;
    params.shape[0] = 10;
    if (storage.grown[4] != 0 || context.grown[0] != 0 || params.grown[2] != 0)
        return fprintf(stderr, "defaults are not zero\n"), 1;
    if (tess_array_zeros(&storage, &params, &a, &err) != TESS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    tess_array_info(a, &info);
    if (info.shape[0] != 10 || info.grown[0] != 0 || info.grown[4] != 0)
        return fprintf(stderr, "info\n"), 1;
    tess_array_discard(a);
    params.grown[1] = 1;
    if (tess_array_zeros(&storage, &params, &a, &err) != TESS_ERR_UNSUPPORTED)
        return fprintf(stderr, "params: an unknown member was accepted\n"), 1;
    params.grown[1] = 0;
    context.grown[1] = 1;
    if (tess_array_zeros(&storage, &params, &a, &err) != TESS_ERR_UNSUPPORTED)
        return fprintf(stderr, "context: an unknown member was accepted\n"), 1;
    return 0;
}
END
$CC -I"$tree/include" "$dir/program.c" -o "$dir/program" -L"$lib" -ltessera \
    -Wl,-rpath,"$lib" || stop "the program with larger structs is not built"
"$dir/program" || stop "the program with larger structs fails with the present library"
