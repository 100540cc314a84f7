#!/bin/sh
# manual.sh - the manual page is well-formed, and has every command, option, example and key: TESS
. "${0%/*}/start.sh"
export COLUMNS=1000 # help in lines that are not broken

"$tess" --man >tess.1 || fail "tess --man: status $?"
"$tess" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' >commands
[ "$(wc -l <commands)" -ge 13 ] || fail "commands: $(cat commands)"

if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning tess.1 || fail "mandoc has to say something about it"
else
    echo "manual.sh: skipped: there is no mandoc"
fi
if command -v groff >/dev/null; then
    groff -man -ww -z tess.1 >out 2>&1
    [ ! -s out ] || fail "groff: $(cat out)"
    # Without hyphens at the ends of lines, and blanks to fill them.
    sed 's/^\.SS/.ad l\n.SS/; s/^\.TH.*/&\n.nh\n.ad l/' tess.1 >plain.1
    groff -man -rLL=200n -Tascii -P-cbou plain.1 | sed 's/  */ /g; s/^ //; s/ $//' >page

    has() {
        grep -qxF -- "$2" page || fail "$1: not in the page: $2"
    }
    while read -r command; do
        "$tess" "$command" --help >help
        grep -q "^tess $command " page || fail "$command: not in the page"
        sed -n '/^examples:/,$s/^    //p' help >examples
        while read -r line; do
            has "$command" "$(echo "$line" | sed 's/  */ /g')"
        done <examples
        sed -n '/^options:/,/^$/s/^  \(--[a-z-]*\).*/\1/p' help >options
        while read -r option; do
            grep -q -- "^$option\( \|$\)" page || fail "$command: not in the page: $option"
        done <options
        sed -n '/^what --json prints:/,/^$/s/^  \([^ ][^ ]*\)  *\([a-z]*\).*/\1 (\2/p' help >keys
        while read -r key; do
            grep -qF -- "$key" page || fail "$command: not in the page: $key"
        done <keys
    done <commands
else
    echo "manual.sh: skipped: there is no groff"
fi

[ $failed -eq 0 ] && echo "manual.sh: passed"
[ $failed -eq 0 ]
