#!/bin/sh
# examples.sh - every example of every `tess COMMAND --help` works: TESS, then what it is built
# without: nonetcdf, nohdf5, nonpz, nopictures.
. "${0%/*}/start.sh"
export COLUMNS=1000 # help in lines that are not broken
shift
without=" $* "
mkdir bin files work
ln -s "$tess" bin/tess
PATH=$PWD/bin:$PATH
home=$PWD
ran=0

# What the examples name, where one runs.
make_files() {
    cd "$home/files" || exit 1
    awk 'BEGIN { for (i = 0; i < 70000; i++) printf("%014d\n", i * i) }' >raw # small numbers
    head -c 960000 raw >values.raw
    set -- --dtype '<f4' --chunks 1x40x50 --blocks 1x20x25
    head -c $((12 * 73 * 144 * 4)) raw >winds.raw
    tess import winds.raw winds.b2nd --shape 12x73x144 "$@" || exit 1
    head -c $((40 * 60 * 12)) raw >stations.raw
    tess import stations.raw stations.b2nd --shape 40x60 \
        --dtype "[('id', '<i4'), ('wind', [('speed', '<f4'), ('from', '<f4')])]" || exit 1
    tess attr winds.b2nd set units K
    tess export winds.b2nd winds.npy
    tess export winds.b2nd february.npy --slice 1:2
    tess copy winds.b2nd copy.b2nd --codec zstd
    tess copy winds.b2nd lossy.b2nd --filter trunc_prec:12,shuffle
    tess copy winds.b2nd east.b2nd --slice ...,:9
    head -c 8000 raw >more.raw
    tess import more.raw log.b2nd --dtype '<f8' --shape 1000
    tess copy winds.b2nd damaged.b2nd --level 0
    printf 'hurt' | dd of=damaged.b2nd bs=1 seek=20000 conv=notrunc 2>/dev/null
    echo 'as you like' >LICENSE
    if command -v ncgen >/dev/null; then
        echo 'netcdf w { dimensions: x = 3 ; variables: float uwnd(x) ; data: uwnd = 1, 2, 3 ; }' |
            ncgen -o winds.nc || exit 1
    fi
    tess export winds.b2nd winds.h5:/uwnd 2>err || rm err
    python3 -c 'import zipfile
zipfile.ZipFile("winds.npz", "w").write("winds.npy", "uwnd.npy")
zipfile.ZipFile("climate.b2z", "w").write("winds.b2nd", "winds/u.b2nd")' || exit 1
    tess copy winds.b2nd climate.b2d/winds/u || exit 1
    mkdir folder
    cp winds.b2nd copy.b2nd folder
    rm raw winds.raw stations.raw
}

# The status that an example is to end with: 1 where the damaged file is among those it names.
expected_status() {
    case $1 in
    'tess repair damaged.b2nd '* | 'tess verify *.b2nd') echo 1 ;;
    *) echo 0 ;;
    esac
}

# Whether the file that a line begins with is one that this build cannot read, or the picture one
# that it cannot write; or there was nothing to make the file or the plot with.
is_beyond() {
    case $1 in
    *.nc:* | *.nc | *.nc' '*)
        [ -e "$home/files/winds.nc" ] || return 0
        case $without in *' nonetcdf '*) ;; *) false ;; esac
        ;;
    *.h5:*) case $without in *' nohdf5 '*) ;; *) false ;; esac ;;
    *.npz*) case $without in *' nonpz '*) ;; *) false ;; esac ;;
    *.png* | *.pdf*) case $without in *' nopictures '*) ;; *) false ;; esac ;;
    *' --plot '*) ! command -v gnuplot >/dev/null ;;
    *) false ;;
    esac
}

# What a line makes: the second word of these commands, and what stands behind -o and --apply.
made_by() {
    # shellcheck disable=SC2086
    set -- ${1#cat *| }
    case $2 in
    import | export | copy | repair | transpose) [ "$4" = - ] || echo "${4%:*}" ;;
    create) echo "$3" ;;
    concat | stack) echo "$5" ;; # of two arrays
    esac
    while [ $# -gt 1 ]; do
        case $1 in -o | --apply) echo "$2" ;; esac
        shift
    done
}

try() {
    rm -rf "$home/work"
    cp -R "$home/files" "$home/work"
    cd "$home/work" || exit 1
    for out in $(made_by "$1"); do rm -rf "$out"; done
    sh -c "$1" >../out 2>../err
    status=$?
    if [ $status -ne "$(expected_status "$1")" ]; then
        fail "$1: status $status: $(cat ../err)"
    fi
    for out in $(made_by "$1"); do [ -e "$out" ] || fail "$1: no $out"; done
    ran=$((ran + 1))
}

make_files
cd "$home" || exit 1
tess --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' >commands
[ "$(wc -l <commands)" -ge 13 ] || fail "commands: $(cat commands)"
while read -r command; do
    cd "$home" || exit 1
    tess "$command" --help | sed -n '/^examples:/,$s/^    //p' >examples
    [ -s examples ] || fail "$command --help: no examples"
    while read -r line; do
        case $line in
        "tess $command "* | *"| tess $command "*) ;;
        *) fail "$command --help: $line" ;;
        esac
        if is_beyond "$line"; then
            echo "examples.sh: skipped: $line"
        else
            try "$line"
        fi
    done <examples
done <commands

[ $failed -eq 0 ] && echo "examples.sh: $ran examples"
[ $failed -eq 0 ]
