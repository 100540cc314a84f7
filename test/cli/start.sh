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

# What run() gives the command, and expects of it besides the status.
subcommand= # of all runs, or none
input=/dev/null # on stdin
prints=any # data on stdout when it is fine: yes, no or any
no=quiet # or said: an answer that is no (status 1) is told in a sentence, too
checks=0

# run STATUS ARGUMENTS...: stdout goes to ./out, stderr to ./err. What is fine comes without words, a
# failure with one sentence and no data. Nothing half-written stays.
run() {
    expected=$1
    shift
    "$tess" ${subcommand:+"$subcommand"} "$@" >out 2>err <"$input"
    check_run $? "$expected" "tess ${subcommand:+$subcommand }$*"
}

# The same of a command that was run by hand: STATUS EXPECTED WORDS
check_run() {
    status=$1
    checks=$((checks + 1))
    [ "$1" -eq "$2" ] || fail "$3: status $1, not $2: $(cat err)"
    if [ "$1" -eq 0 ] || { [ "$1" -eq 1 ] && [ $no = quiet ]; }; then
        [ ! -s err ] || fail "$3: words on stderr: $(cat err)"
        [ "$prints" != yes ] || [ -s out ] || fail "$3: nothing on stdout"
        [ "$prints" != no ] || [ ! -s out ] || fail "$3: data on stdout"
    else
        grep -q '^tess: ' err || fail "$3: no sentence on stderr"
        [ "$(wc -l <err)" -eq 1 ] || fail "$3: more than one sentence: $(cat err)"
        [ ! -s out ] || fail "$3: failed with data on stdout"
    fi
    nothing_left "$3"
}

nothing_left() {
    left=$(find . -name '.tess-*')
    [ -n "$left" ] || return 0
    fail "$1: left behind: $left"
    find . -name '.tess-*' -prune -exec rm -rf {} +
}

# says PATTERN: so does the last sentence
says() {
    checks=$((checks + 1))
    grep -q -e "$1" err || fail "said \"$(cat err)\" without \"$1\""
}
