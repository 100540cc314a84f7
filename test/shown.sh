#!/bin/sh
# Programs that a page of the manual shows are those of test/examples, but for their first comment.
#
#     shown.sh EXAMPLES_DIR PAGE...

examples=$1
shift
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
shown=0
failed=0

for page in "$@"; do
    # A block belongs to the example that is named at the end of the line before it.
    awk -v folder="$tmp" '
        match($0, /``test\/examples\/[a-z_]*\.c``:$/) {
            name = substr($0, RSTART + 16, RLENGTH - 19)
            next
        }
        /^\.\. code-block:: / { file = name == "" ? "" : folder "/" name; blank = 1; next }
        /^[^ ]/ { name = file = "" }
        file != "" && blank { blank = 0; next }
        file != "" { sub(/^    /, ""); print >file }' "$page"
done
for file in "$tmp"/*.c; do
    [ -f "$file" ] || continue
    name=${file##*/}
    sed '1,/^ \*\//d' "$examples/$name" >"$tmp/wanted"
    sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' "$file" >"$tmp/found" # without blank lines at the end
    if diff "$tmp/wanted" "$tmp/found" >&2; then
        shown=$((shown + 1))
    else
        echo "FAILED: $name is shown in another version" >&2
        failed=1
    fi
done
[ $shown -gt 0 ] || failed=1
[ $failed -eq 0 ] && echo "shown.sh: passed, $shown programs"
[ $failed -eq 0 ]
