# start.sh - how the tests of the command begin; they read it with `.`, TESS as the first argument.
#
# From here on the binary is $tess, and the current folder an empty one that goes away at the end.
set -u

case $1 in /*) tess=$1 ;; *) tess=$PWD/$1 ;; esac
dir=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir" || exit 1
failed=0

fail() {
    echo "FAILED: $*" >&2
    failed=$((failed + 1))
}
