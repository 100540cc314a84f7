# shellcheck shell=sh
# What the two commands, test/run and bench/quickstart, need of the system; the one list of it.
#
# Sourced. need_packages WORD... takes lines of the list by their first word, looks for what is
# missing, and on Debian and its like installs it; elsewhere it names it and stops. Nothing is
# installed, and no right to do so asked for, when everything is there.

# A word with + has optional lines: without them the rest is built, and tests say what they left out.
# TESS_PACKAGES=needed leaves them out.

# for    what to look for             Debian packages, first one that exists of a|b
packages='
build    compiler:cc                  gcc libc6-dev
build    meson:1.0                    meson
build    program:ninja                ninja-build
build    program:pkg-config           pkg-config
build    library:liblz4               liblz4-dev
build    library:libzstd              libzstd-dev
build    library:libdeflate           libdeflate-dev
build    library:libxxhash            libxxhash-dev
build    library:msgpack-c|msgpack    libmsgpack-c-dev|libmsgpack-dev
build+   library:netcdf               libnetcdf-dev
build+   library:hdf5|hdf5-serial     libhdf5-dev
build+   library:libzip               libzip-dev
build+   library:cairo                libcairo2-dev
build+   library:libcurl              libcurl4-openssl-dev
build+   file:/usr/include/zfp.h      libzfp-dev
build+   library:nettle               nettle-dev
build+   python:3.11                  python3-dev
build+   module:numpy                 python3-numpy
test     library:cmocka               libcmocka-dev
test+    program:c++                  g++
test+    program:ncgen                netcdf-bin
test+    program:h5dump               hdf5-tools
test+    program:zip                  zip
test+    program:nm                   binutils
test+    program:gnuplot              gnuplot-nox
test+    program:mandoc               mandoc
test+    program:groff                groff-base
test+    program:doxygen              doxygen
test+    program:cmake                cmake
test+    program:rst2html             python3-docutils
test+    module:lz4.block             python3-lz4
test+    module:zstandard             python3-zstandard
test+    program:mpicc.openmpi        libopenmpi-dev
test+    program:mpiexec.openmpi      openmpi-bin
test+    program:mpicc.mpich          libmpich-dev
test+    program:mpiexec.mpich        mpich
test+    module:botocore              python3-botocore
test+    program:mypy                 mypy
test+    module:xarray                python3-xarray
test+    module:pytest                python3-pytest
test+    module:zarr                  python3-zarr
test+    module:netCDF4               python3-netcdf4
test+    module:dask.array            python3-dask
test+    module:distributed           python3-distributed
test+    module:mesonpy               python3-mesonpy
test+    program:patchelf             patchelf
test+    program:clang-format         clang-format
long     program:dpkg-buildpackage    dpkg-dev
long     program:dh                   debhelper
long     program:lintian              lintian
data     file:/usr/share/ferret-vis/data/etopo5.cdf  ferret-datasets
'

# Is version $2 there, and not below $1?
first_is_oldest() {
    [ -n "$2" ] && [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

# Is there what a line of the list looks for?
have() {
    case $1 in
    compiler:*) echo '#include <stdlib.h>' | "${1#*:}" -x c -E - >/dev/null 2>&1 ;;
    program:*) command -v "${1#*:}" >/dev/null 2>&1 ;;
    meson:*) first_is_oldest "${1#*:}" "$(meson --version 2>/dev/null)" ;;
    file:*) [ -r "${1#*:}" ] ;;
    module:*)
        for python in python3 /usr/bin/python3; do
            "$python" -c "import ${1#*:}" >/dev/null 2>&1 && return 0
        done
        return 1
        ;;
    python:*)
        for python in python3 /usr/bin/python3; do
            "$python" -c 'import os, sys, sysconfig
want = tuple(map(int, sys.argv[1].split(".")))
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(not (sys.version_info >= want and os.path.exists(header)))' "${1#*:}" 2>/dev/null && return 0
        done
        return 1
        ;;
    library:*)
        for module in $(echo "${1#*:}" | tr '|' ' '); do
            pkg-config --exists "$module" 2>/dev/null && return 0
        done
        return 1
        ;;
    esac
}

# The packages for all that is missing of the lines that begin with one of the words.
missing_packages() {
    echo "$packages" | while read -r word what names; do
        case " $* " in
        *" ${word:-none} "*) have "$what" || echo "$names" ;;
        esac
    done
}

# a|b becomes the first that apt knows.
known_package() {
    for name in $(echo "$1" | tr '|' ' '); do
        if apt-cache show "$name" >/dev/null 2>&1; then
            echo "$name"
            return
        fi
    done
    echo "$name"
}

# What apt-get says of these packages and what they need in turn: how many, and how large.
say_size() {
    LC_ALL=C $sudo apt-get install -s -V --no-install-recommends "$@" </dev/null 2>/dev/null |
        grep -c '^Inst ' | sed 's/$/ packages are installed, with those that they need;/'
    LC_ALL=C $sudo apt-get install --assume-no --no-install-recommends "$@" </dev/null 2>/dev/null |
        grep -E '^(Need to get|After this operation)'
    echo "downloading and installing takes about a minute per 300 MB. TESS_PACKAGES=needed leaves out"
    echo "optional packages: the rest is built, and tests say what they left out."
}

install_packages() {
    sudo=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 || {
            echo "Installing needs root, or sudo, which is not here."
            return 1
        }
        sudo=sudo
        [ -t 0 ] || sudo='sudo -n'
    fi
    $sudo apt-get update -q </dev/null || echo "apt-get update failed; going on without."
    names=
    for package in "$@"; do
        names="$names $(known_package "$package")"
    done
    # shellcheck disable=SC2086
    say_size $names
    if [ -t 0 ]; then
        printf 'Install them? [Y/n] '
        read -r answer
        case $answer in
        n* | N*) return 1 ;;
        esac
    fi
    # shellcheck disable=SC2086
    $sudo env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends $names </dev/null
}

# Fails, in words on stderr, when something that is needed is missing and stays so.
need_packages() {
    words=
    for word in "$@"; do
        words="$words $word"
        [ "${TESS_PACKAGES:-all}" = needed ] || words="$words $word+"
    done
    needed=$*
    # shellcheck disable=SC2046,SC2086
    set -- $(missing_packages $words)
    [ $# -eq 0 ] && return 0
    echo "Missing: $*" >&2
    if command -v apt-get >/dev/null 2>&1; then
        install_packages "$@" >&2 || echo "apt-get did not install them." >&2
    fi
    # shellcheck disable=SC2046,SC2086
    set -- $(missing_packages $needed)
    if [ $# -gt 0 ]; then
        echo "Please install, under the names of your system (one of a|b; meson 1.0 or later): $*" >&2
        return 1
    fi
    # shellcheck disable=SC2046,SC2086
    set -- $(missing_packages $words)
    [ $# -eq 0 ] || echo "Going on without the optional packages $*" >&2
}
