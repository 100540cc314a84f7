#!/bin/sh
# completion.sh - what shells complete behind `tess`: TESS. Shells that are not there are left out.
. "${0%/*}/start.sh"
export COLUMNS=1000 # help in lines that are not broken

for shell in bash zsh fish; do
    "$tess" completion $shell >tess.$shell || fail "tess completion $shell: status $?"
    if ! command -v $shell >/dev/null; then
        echo "completion.sh: skipped: there is no $shell"
    else
        $shell -n tess.$shell || fail "tess completion $shell: no script"
    fi
done
"$tess" completion csh >out 2>err
[ $? -eq 2 ] && grep -q 'bash, zsh or fish' err || fail "tess completion csh"
mkdir files
: >files/winds.b2nd
: >'files/two words.npy'
mkdir files/winds.d

# Bash, with the words that it would make of a line: behind the last one the cursor stands.
cat >drive.bash <<'EOT'
source "$1/tess.bash"
cd "$1/files" || exit 1
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_tess
printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort
EOT

# gives "REPLIES" WORD...: the replies, in order, with blanks between them.
gives() {
    want=$1
    shift
    got=$(bash drive.bash "$dir" "$@" 2>&1 | tr '\n' ' ')
    [ "${got% }" = "$want" ] || fail "bash: $*: $got instead of $want"
}

if command -v bash >/dev/null; then
    gives 'import info insert' tess i
    gives '--help --man --version' tess --
    gives '--chunks --codec' tess import --c
    gives '--chunks' tess info --c
    gives 'zfp_accuracy zfp_precision zfp_rate zlib zstd' tess import winds.b2nd --codec z
    gives 'lz4 lz4hc' tess copy --codec = l
    gives 'contiguous sparse' tess copy --layout =
    gives 'shuffle' tess copy a b --level 5 --filter sh
    gives 'diverging gray viridis' tess show --colors ''
    gives 'max mean min' tess show winds.b2nd --reduce ''
    gives 'two words.npy winds.b2nd winds.d' tess info ''
    gives 'winds.b2nd winds.d' tess diff winds.d w
    gives '' tess diff winds.d winds.d w
    gives 'winds.b2nd winds.d' tess verify winds.d winds.d w
    gives '' tess slice winds.b2nd ''
    gives '' tess info winds.b2nd --offset ''
    gives '' tess slice winds.b2nd -1 ''
    gives 'winds.b2nd winds.d' tess slice w
    gives 'del get set' tess attr winds.b2nd ''
    gives 'del get set' tess attr --json winds.b2nd ''
    gives '' tess attr winds.b2nd get ''
    gives 'bytes' tess attr winds.b2nd set name --type b
    gives 'winds.b2nd winds.d' tess attr winds.b2nd set name --file w
    gives 'winds.b2nd winds.d' tess show winds.b2nd -o w
    gives 'winds.b2nd winds.d' tess concat w
    gives 'winds.b2nd winds.d' tess concat winds.d winds.d winds.d w
    gives 'winds.b2nd winds.d' tess stat winds.b2nd -o w
    gives 'max mean min' tess stat winds.b2nd --op m
    gives 'winds.b2nd winds.d' tess set winds.b2nd : --from w
    gives '' tess delete winds.b2nd ''
    gives 'bash fish zsh' tess completion ''
    gives '' tess nothing ''
    # The commands and their options are those of the help.
    commands=$("$tess" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' |
        LC_ALL=C sort | tr '\n' ' ')
    gives "--help --man --version ${commands% }" tess ''
    for command in import attr show; do
        gives "$("$tess" $command --help | sed -n '/^options:/,/^$/s/^  \(--[a-z-]*\).*/\1/p' |
            LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')" tess $command --
    done
fi

# fish_gives "REPLIES" LINE, likewise, without what is said about them
fish_gives() {
    got=$(cd files &&
        HOME=$dir fish -c 'source ../tess.fish; complete -C $argv[1]' "$2" 2>&1 |
        sed 's/	.*//' | LC_ALL=C sort | tr '\n' ' ')
    [ "${got% }" = "$1" ] || fail "fish: $2: $got instead of $1"
}

if command -v fish >/dev/null; then
    fish_gives 'import info insert' 'tess i'
    fish_gives '--chunks --codec' 'tess import --c'
    fish_gives '--chunks' 'tess info --c'
    fish_gives 'contiguous sparse' 'tess copy --layout '
    fish_gives '--layout=contiguous --layout=sparse' 'tess copy --layout='
    fish_gives 'set' 'tess attr winds.b2nd s'
fi

[ $failed -eq 0 ] && echo "completion.sh: passed"
[ $failed -eq 0 ]
