#!/bin/sh
# The sources configure where none of the libraries that they need is installed: each dependency is
# then a subproject.
#
#     fallbacks.sh SOURCE_DIR     (CC and MESON in the environment)
#
# A test downloads nothing. Where subprojects/packagecache has the archive of a wrap, that is used,
# else an empty subproject, which is as internal to Meson as the real one: enough to configure. With
# all archives and TESS_TEST_LONG=1 the sources are built, too, and the tests of units and kernels
# run.
set -u

source=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
unset DESTDIR MALLOC_PERTURB_

stop() {
    echo "FAILED: $*" >&2
    exit 1
}

# value WRAP KEY
value() {
    sed -n "s/^$2 = *//p" "$1"
}

tree=$dir/tessera
mkdir -p "$tree/subprojects/packagecache" || exit 1
for part in meson.build meson_options.txt include lib test bench; do
    ln -s "$source/$part" "$tree/$part" || exit 1
done
ln -s "$source/subprojects/packagefiles" "$tree/subprojects/packagefiles" || exit 1

real=0
wraps=0
for wrap in "$source"/subprojects/*.wrap; do
    wraps=$((wraps + 1))
    name=$(basename "$wrap" .wrap)
    folder=$(value "$wrap" directory)
    archive=$(value "$wrap" source_filename)
    version=${folder##*-}
    cp "$wrap" "$tree/subprojects/" || exit 1

    # What a wrap says of the version, it says everywhere; its build files, too.
    build=$source/subprojects/packagefiles/$(value "$wrap" patch_directory)/meson.build
    grep -q "^project('$name', 'c', version: '$version'," "$build" || stop "$build: not $folder"
    case "$(value "$wrap" source_url) $archive" in
    *"$version"*" $folder."*) ;;
    *) stop "$wrap: the address or the file is of another version than $version" ;;
    esac
    value "$wrap" source_hash | grep -qE '^[0-9a-f]{64}$' || stop "$wrap: no hash"

    cached=$source/subprojects/packagecache/$archive
    if [ -f "$cached" ]; then
        ln -s "$cached" "$tree/subprojects/packagecache/" || exit 1
        real=$((real + 1))
        continue
    fi
    variable=$(sed -n '/^\[provide\]/,$s/^.* = //p' "$wrap")
    mkdir "$tree/subprojects/$folder" || exit 1
    echo 'int stand_in;' >"$tree/subprojects/$folder/stand_in.c" || exit 1
    cat >"$tree/subprojects/$folder/meson.build" <<EOF || exit 1
project('$name', 'c', version: '$version')
$variable = declare_dependency(link_with: static_library('stand_in', 'stand_in.c'),
  version: meson.project_version())
EOF
done

"$MESON" setup "$dir/build" "$tree" --wrap-mode=forcefallback -Dtests=enabled -Dbench=disabled \
    -Dreference=disabled -Ddefault_library=shared >"$dir/log" 2>&1 || {
    tail -20 "$dir/log" >&2
    stop "the sources do not configure with $wraps subprojects, $real of them real"
}
used=$(grep -c '^ *Dependency .* from subproject .* found: YES' "$dir/log")
[ "$used" -ge "$wraps" ] || stop "$used of $wraps dependencies are those of subprojects"
echo "configured with $wraps subprojects, $real of them real"

[ "$real" = "$wraps" ] && [ "${TESS_TEST_LONG:-0}" != 0 ] || exit 0
"$MESON" compile -C "$dir/build" >"$dir/log" 2>&1 || {
    tail -20 "$dir/log" >&2
    stop "the sources do not build with subprojects"
}
"$MESON" test -C "$dir/build" --suite tessera:unit --suite tessera:kernels >"$dir/log" 2>&1 || {
    tail -20 "$dir/log" >&2
    stop "tests fail with subprojects"
}
grep '^Ok: ' "$dir/log"
