#!/bin/sh
# replay.sh TEST SEEDS TARGET PROGRAM - runs a target over generated inputs, the golden frames, whole
# and cut short, and what is kept in corpus/TARGET. TEST is the folder test/, SEEDS the program.
set -eu
test=$1 seeds=$2 target=$3 program=$4

top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
folder=$top/inputs
export TMPDIR="$top/files"
mkdir "$folder" "$TMPDIR"
set -- "$folder"
if [ -d "$test/fuzz/corpus/$target" ]; then
    set -- "$@" "$test/fuzz/corpus/$target"
fi
case $target in
frame | update | repair | compat)
    kind=$target
    [ "$kind" != repair ] || kind=frame
    [ "$kind" != compat ] || kind=update
    "$seeds" "$kind" "$folder"
    set -- "$@" "$test/golden/files" "$test/golden/malformed"
    for frame in "$test"/golden/files/*; do
        if [ -f "$frame" ]; then
            size=$(wc -c <"$frame")
            head -c $((size - 1)) "$frame" >"$folder/${frame##*/}-1"
            head -c $((size / 2)) "$frame" >"$folder/${frame##*/}-half"
        fi
    done
    ;;
url | profile | answer | head) # texts: those kept, cut short everywhere
    for text in "$test/fuzz/corpus/$target"/*; do
        n=$(wc -c <"$text")
        while [ $n -gt 0 ]; do
            n=$((n - 1))
            head -c $n "$text" >"$folder/${text##*/}-$n"
        done
    done
    ;;
*)
    find "$test/golden/files" "$test/golden/malformed" -type f ! -name '*.json' \
        -exec "$seeds" "$target" "$folder" {} +
    ;;
esac
"$program" "$@"
