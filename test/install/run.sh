#!/bin/sh
# A C and a C++ program of somebody else are built with the installed library, and run.
#
#     run.sh WAY BUILD_DIR SOURCE_DIR    (CC, CXX, NM and MESON in the environment)
#
# WAY is cc, meson or cmake: the tree is installed to a folder that it was not configured for, then
# used from there: the shared library, the archive beside it, and the archive alone. Or subproject: the sources
# are a subproject, so nothing is installed. Skipped (77) where a tool or a library is not there.
set -u

way=$1
build=$2
source=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cp -r "$(dirname "$0")/project" "$dir/project" || exit 1
cd "$dir" || exit 1
unset DESTDIR

stop() {
    echo "FAILED: $way: $*" >&2
    exit 1
}

skip() {
    echo "SKIPPED: $way: $*"
    exit 77
}

# quiet COMMAND...: what it prints is only of interest when it fails
quiet() {
    "$@" >log 2>&1 && return
    cat log >&2
    stop "$*"
}

# check FOLDER yes|no: both programs print what they should, with or without the shared library
check() {
    for program in "$1/program_c" "$1/program_cc"; do
        printed=$(LD_LIBRARY_PATH=${libdir:-} "$program") || stop "$program ended with $?"
        [ "$printed" = "8 9 10 14 15 16 $version" ] || stop "$program printed '$printed'"
        # Of the archive, the functions are inside the program.
        "$NM" "$program" | grep -q ' T tess_array_read$' && shared=no || shared=yes
        [ "$shared" = "$2" ] || stop "$program: shared library used: $shared, wanted: $2"
    done
}

# check_package NAME VERSION: what pkg-config says of an interface: its version, and Tessera's
check_package() {
    said="$("$PKG_CONFIG" --modversion "$1") $("$PKG_CONFIG" --variable=tessera_version "$1")"
    [ "$said" = "$2 $version" ] || stop "pkg-config says that $1 is '$said'"
}

# check_b2nd FOLDER: the program written for c-blosc2, where its interface is installed
check_b2nd() {
    [ -e "$libdir/libtessera-b2nd.so" ] || return 0
    [ "$way" != cc ] || {
        check_package tessera-b2nd 3.3.2
        flags=$("$PKG_CONFIG" --cflags --libs tessera-b2nd) || stop "pkg-config tessera-b2nd failed"
        # shellcheck disable=SC2086
        quiet $CC -std=c11 -Wall -Wextra -Wpedantic -Werror project/b2nd.c -o "$1/program_b2nd" \
            $flags -Wl,-rpath-link,"$libdir"
    }
    printed=$(LD_LIBRARY_PATH=$libdir "$1/program_b2nd") || stop "$1/program_b2nd ended with $?"
    [ "$printed" = "999 3.3.2" ] || stop "$1/program_b2nd printed '$printed'"
}

# check_caterva FOLDER PACKAGE VERSION: the program written for Caterva, where its interface is
# installed
check_caterva() {
    [ -e "$libdir/libtessera-caterva.so" ] || return 0
    program=$1/program_$(echo "${2#tessera-}" | tr - _)
    [ "$way" != cc ] || {
        check_package "$2" "$3"
        flags=$("$PKG_CONFIG" --cflags --libs "$2") || stop "pkg-config $2 failed"
        # shellcheck disable=SC2086
        quiet $CC -std=c11 -Wall -Wextra -Wpedantic -Werror project/caterva.c -o "$program" \
            $flags -Wl,-rpath-link,"$libdir"
    }
    printed=$(LD_LIBRARY_PATH=$libdir "$program") || stop "$program ended with $?"
    [ "$printed" = "999 $3" ] || stop "$program printed '$printed'"
}

# with_cc FOLDER NAME ARGUMENT...: with the compiler alone; how the linker calls the library, and
# arguments for pkg-config
with_cc() {
    mkdir -p "$1" || exit 1
    out=$1
    name=$2
    shift 2
    flags=$("$PKG_CONFIG" "$@" --cflags --libs tessera) || stop "pkg-config $* failed"
    flags=$(echo "$flags" | sed "s/-ltessera/$name/")
    # shellcheck disable=SC2086
    quiet $CC -std=c11 -Wall -Wextra -Wpedantic -Werror project/program.c -o "$out/program_c" $flags
    # shellcheck disable=SC2086
    quiet $CXX -std=c++17 -Wall -Wextra -Wpedantic -Werror project/program.cc \
        -o "$out/program_cc" $flags
}

# with_meson FOLDER true|false, the archive is wanted
with_meson() {
    quiet "$MESON" setup "$1" project -Dstatic="$2" --wrap-mode=nofallback
    quiet "$MESON" compile -C "$1"
}

# with_cmake FOLDER SETTING...
with_cmake() {
    out=$1
    shift
    quiet cmake -G Ninja -S project -B "$out" -DCMAKE_PREFIX_PATH="$tree" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF "$@"
    quiet cmake --build "$out"
}

# With the shared library; with the archive, asked for by its name; with nothing but the archive.
try() {
    [ ! -e "$libdir/libtessera.so" ] || {
        case $way in
        cc) with_cc both -ltessera ;;
        meson) with_meson both false ;;
        cmake) with_cmake both ;;
        esac
        check both yes
        check_b2nd both
        check_caterva both tessera-caterva 0.5.0
        check_caterva both tessera-caterva-dev 0.5.1.dev0
    }
    [ -e "$libdir/libtessera.a" ] || return 0
    case $way in
    cc) with_cc asked -l:libtessera.a --static ;;
    meson) with_meson asked true ;;
    cmake) with_cmake asked -Dtessera_USE_STATIC_LIBS=ON ;;
    esac
    check asked no
    rm -f "$libdir"/libtessera.so* "$libdir"/libtessera-b2nd.so* "$libdir"/libtessera-caterva.so* \
        "$libdir"/pkgconfig/tessera-b2nd.pc "$libdir"/pkgconfig/tessera-caterva*.pc
    case $way in
    cc) with_cc archive -ltessera --static ;;
    meson) with_meson archive true ;;
    cmake) with_cmake archive ;;
    esac
    check archive no
}

PKG_CONFIG=${PKG_CONFIG:-pkg-config}
version=$(sed -n 's/^#define TESS_VERSION "\(.*\)"/\1/p' "$source/include/tessera/version.h")
command -v "$PKG_CONFIG" >/dev/null || skip "no pkg-config"
[ -n "$CXX" ] || skip "no C++ compiler"

case $way in
subproject)
    mkdir project/subprojects
    ln -s "$source" project/subprojects/tessera
    printf '[wrap-file]\ndirectory = tessera\n\n[provide]\ndependency_names = tessera\n' \
        >project/subprojects/tessera.wrap
    quiet "$MESON" setup out project --force-fallback-for=tessera -Dwerror=false \
        -Dtessera:optimization=0
    quiet "$MESON" compile -C out program_c program_cc
    check out yes
    quiet "$MESON" configure out -Dstatic=true
    quiet "$MESON" compile -C out program_c program_cc
    check out no
    ;;
cc | meson | cmake)
    [ "$way" != cmake ] || command -v cmake >/dev/null || skip "no cmake"
    quiet "$MESON" install -C "$build" --destdir "$dir/destdir"
    config=$(find "$dir/destdir" -name tessera.pc)
    [ -f "$config" ] || stop "tessera.pc is not installed once: $config"
    tree=$dir/tree # moved, so that nothing can rely on where it was to be
    mv "$dir/destdir$(sed -n 's/^prefix=//p' "$config")" "$tree" || exit 1
    config=$(find "$tree" -name tessera.pc)
    libdir=$(dirname "$(dirname "$config")")
    sed -i "s|^prefix=.*|prefix=$tree|" "$(dirname "$config")"/*.pc
    PKG_CONFIG_PATH=$(dirname "$config")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
    export PKG_CONFIG_PATH
    [ -f "$tree/share/doc/tessera/LICENSE" ] || stop "no licence is installed"
    ! grep -rl --include='*.cmake' "$build\|$source\|destdir" "$tree" ||
        stop "these know where they were built"
    try
    ;;
*) stop "an unknown way" ;;
esac
