#!/bin/sh
# The Debian packages are built from these sources, pass the tests and lintian, and hold what they
# should.
#
#     debian.sh SOURCE_DIR     (TESS_TEST_LONG=1 in the environment, else it is skipped)
#
# debian/ is kept in subprojects/packagefiles, with the other files that are laid over sources to
# build them; a source package has it at the top.
set -u

source=$1

stop() {
    echo "FAILED: $*" >&2
    exit 1
}

skip() {
    echo "SKIPPED: $*"
    exit 77
}

[ "${TESS_TEST_LONG:-0}" != 0 ] || skip "takes minutes; TESS_TEST_LONG=1 runs it"
for tool in dpkg-buildpackage dh lintian; do
    command -v $tool >/dev/null || skip "no $tool"
done
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
unset DESTDIR MAKEFLAGS MALLOC_PERTURB_ PKG_CONFIG_PATH TESS_TEST_LONG # of the tests inside

# The sources that git knows of, changed or not, or all but what is built.
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$source/meson.build")
tree=$dir/tessera-$version
mkdir "$tree" || exit 1
cd "$source" || exit 1
if git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard
else
    find . -path ./build -prune -o -path './subprojects/*-[0-9]*' -prune -o -type f -print0
fi >"$dir/files"
tar --null --ignore-failed-read -T "$dir/files" -cf - | tar -C "$tree" -xf - || exit 1
tar -C "$dir" -cJf "$dir/tessera_$version.orig.tar.xz" "tessera-$version" || exit 1
cp -r "$tree/subprojects/packagefiles/debian" "$tree/debian" || exit 1
cd "$tree" || exit 1

full=$(dpkg-parsechangelog -S Version)
[ "${full%-*}" = "$version" ] || stop "the changelog is of $full, the sources are $version"
dpkg-checkbuilddeps 2>"$dir/log" || skip "$(cat "$dir/log")"

# Level 2: the symbols file has all functions, none that is new is missing.
DPKG_GENSYMBOLS_CHECK_LEVEL=2 dpkg-buildpackage -us -uc -b >"$dir/log" 2>&1 || {
    cat "$dir/log"
    stop "the packages do not build"
}
grep '^Ok: ' "$dir/log" || stop "no test ran"
dpkg-buildpackage -us -uc -S >"$dir/log" 2>&1 || {
    cat "$dir/log"
    stop "the source package does not build"
}
lintian --allow-root --fail-on error "$dir"/*.changes || stop "lintian found errors"

# holds PACKAGE PATTERN...: the package has files of these names
holds() {
    package=$1
    shift
    dpkg-deb -c "$dir/${package}_${full}"_*.deb | awk '{ print $6 }' >"$dir/list" || exit 1
    echo "$package: $(grep -cv '/$' "$dir/list") files"
    for pattern in "$@"; do
        grep -q "^\./usr/$pattern\$" "$dir/list" || stop "$package has no $pattern"
    done
}

# lacks PACKAGE PATTERN: what belongs to another package
lacks() {
    ! dpkg-deb -c "$dir/$1_${full}"_*.deb | grep "$2" || stop "$1 has files of another package"
}

holds libtessera1 'lib/.*/libtessera\.so\.1'
holds libtessera-http0 'lib/.*/libtessera-http\.so\.0'
holds libtessera-dev include/tessera.h include/tessera/array.h 'lib/.*/libtessera\.so' \
    'lib/.*/libtessera-http\.so' 'lib/.*/libtessera\.a' 'lib/.*/pkgconfig/tessera\.pc' \
    'lib/.*/pkgconfig/tessera-http\.pc' include/tessera/http.h \
    'lib/.*/cmake/tessera/tesseraConfig\.cmake'
lacks libtessera-dev 'b2nd\|caterva'
holds libtessera-b2nd0 'lib/.*/libtessera-b2nd\.so\.0'
holds libtessera-b2nd-dev include/tessera-b2nd/b2nd.h include/tessera-b2nd/blosc2/names.h \
    'lib/.*/libtessera-b2nd\.so' 'lib/.*/pkgconfig/tessera-b2nd\.pc'
holds libtessera-caterva0 'lib/.*/libtessera-caterva\.so\.0'
holds libtessera-caterva-dev include/tessera-caterva/caterva.h \
    include/tessera-caterva-dev/caterva.h 'lib/.*/libtessera-caterva\.so' \
    'lib/.*/pkgconfig/tessera-caterva\.pc' 'lib/.*/pkgconfig/tessera-caterva-dev\.pc'
holds tessera-tools bin/tess 'share/man/man1/tess\.1\.gz' share/bash-completion/completions/tess
holds tessera-doc 'share/doc/tessera/manual/abi\.rst.*' share/doc/tessera/reference/index.html
