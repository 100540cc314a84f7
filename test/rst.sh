#!/bin/sh
# The pages of the manual are clean reStructuredText, and the files that they link to are there.
#
#     rst.sh PAGE...

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

fail() {
    echo "FAILED: $*" >&2
    failed=$((failed + 1))
}

for page in "$@"; do
    sed -n 's/.*<\([^ <>]*\)>`_.*/\1/p; s/^\.\. _[^:]*: //p' "$page" | grep -v '^https*:' | sed 's/#.*//' >"$tmp/links"
    while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || fail "$page: there is no $link"
    done <"$tmp/links"
done

rst2html=$(command -v /usr/bin/rst2html || command -v rst2html || command -v rst2html.py)
if [ -n "$rst2html" ] && "$rst2html" --version >/dev/null 2>&1; then
    for page in "$@"; do
        "$rst2html" --strict --syntax-highlight=none "$page" >/dev/null || fail "$page"
    done
else
    echo "rst.sh: skipped: there is no rst2html"
    [ $failed -eq 0 ] && exit 77
fi
[ $failed -eq 0 ] && echo "rst.sh: passed"
[ $failed -eq 0 ]
