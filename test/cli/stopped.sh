#!/bin/sh
# stopped.sh - commands that a signal stops, at many moments: nothing stays but what was there.
#
#     sh stopped.sh TESS arrays|files [netcdf] [hdf5]
#
# Commands that change or make arrays, or those that read and write files of other formats, where
# the words are what TESS was built with. Stops with status 1 when a check failed, and names each
# that did.
. "$(dirname "$0")/start.sh"
about=$2
shift 2
features=" $* "

microseconds() { echo $(($(date +%s%N) / 1000)); }
starts=1000000 # of a process, before it does anything, at the least
for i in 1 2 3 4 5; do
    begin=$(microseconds)
    "$tess" --help >/dev/null
    lasts=$(($(microseconds) - begin))
    [ $lasts -gt $starts ] || starts=$lasts
done

# stop WORDS MOMENTS CHECK ARGUMENTS...: runs tess MOMENTS times in ./work, and sends a signal later
# and later, from when it starts to work up to when it would be done. `before` makes what it starts
# from; CHECK is given the status and looks at what is left. Whether a signal comes in time is up to
# the machine: if none does, there are earlier moments, too.
stop() {
    words=$1
    moments=$2
    check=$3
    shift 3
    works=100000000
    for i in 1 2 3; do
        before
        begin=$(microseconds)
        (cd work && "$tess" "$@") <$input >out 2>err || fail "$words: $(cat err)"
        lasts=$(($(microseconds) - begin))
        [ $lasts -gt $((starts + works)) ] || works=$((lasts - starts))
    done
    [ $works -gt 0 ] || works=0
    stopped=0
    n=0
    while [ $n -lt "$moments" ] || { [ $stopped -eq 0 ] && [ $n -lt 100 ]; }; do
        before
        ls -A work >expected
        after=$((n < moments ? starts + works * n / moments : starts * (n % 10) / 10))
        delay=$(awk "BEGIN { print $after / 1e6 }")
        case $((n % 3)) in 0) signal=TERM ;; 1) signal=HUP ;; *) signal=INT ;; esac
        # Signals that are ignored where this runs would be ignored by the command, too.
        (cd work && exec env --default-signal=HUP,INT,TERM "$tess" "$@") <$input >out 2>err &
        pid=$!
        sleep "$delay"
        kill -$signal $pid 2>/dev/null
        wait $pid 2>/dev/null
        status=$?
        [ $status -eq 0 ] || stopped=$((stopped + 1))
        $check $status
        ls -A work >found
        diff expected found >difference ||
            fail "$words, moment $n, $signal, status $status: $(cat difference)"
        checks=$((checks + 1))
        n=$((n + 1))
    done
    [ $stopped -gt 0 ] || fail "$words: no signal came in time"
}

arrays() {
    ### tess compact: the file is the old or the new one, which hold the same
    head -c 24000000 /dev/urandom >noise
    head -c 10 noise >ten
    run 0 import noise a --dtype '|u1' --shape 24000000 --chunks 1000000 --level 0
    for i in 1 2 3; do # writes the last chunk anew, in another place
        run 0 append a ten --dtype '|u1' --shape 10
    done
    cp a holes
    run 0 compact a
    [ "$(wc -c <a)" -lt "$(wc -c <holes)" ] || fail "a file without holes"
    mkdir work
    before() { cp holes work/a; }
    same() {
        "$tess" diff work/a a >out 2>difference || fail "compact: $(cat difference)"
        [ "$1" -eq 0 ] || [ "$1" -gt 128 ] || grep -q '^tess: a: interrupted$' err ||
            fail "compact: status $1: $(cat err)"
    }
    stop compact 30 same compact a

    ### tess import of a stream whose chunks are written in parts: in the end they are compacted
    before() { rm -rf work/made; }
    # A signal may also come when all is done, and the program about to end: then all of it is there.
    gone() {
        [ -e work/made ] || return
        if [ "$1" -eq 0 ] || [ "$1" -gt 128 ]; then
            "$tess" diff work/made whole >difference 2>&1 || fail "import of a stream: $(cat difference)"
            rm work/made
        fi
    }
    rm work/a
    head -c 8000000 noise >work/noise
    run 0 import work/noise whole --dtype '|u1' --shape 8x1000x1000 --chunks 8x100x1000 --level 0
    input=work/noise
    stop 'import of a stream' 12 gone import - made --dtype '|u1' --shape 8x1000x1000 \
        --chunks 8x100x1000 --level 0
    input=/dev/null
    rm work/noise whole

    ### tess set, insert, delete: the array has its old items, or the new ones
    head -c 12000000 noise >part
    run 0 import part items --dtype '|u1' --shape 3x4000000 --chunks 1x500000 --level 0
    run 0 create wide --dtype '<i4' --shape 6x4000000 --chunks 1x500000
    cp wide old
    before() {
        cp old work/a
        cp items work/in
    }
    kept() { # one that is done, which nothing has stopped, the new ones
        for state in $([ "$1" -eq 0 ] || echo old) new; do
            "$tess" diff work/a $state >/dev/null 2>&1 && return
        done
        fail "$words: status $1, and not the items that belong to it"
    }
    cp wide new
    run 0 set new ::2 --from items
    stop 'set from a file' 12 kept set a ::2 --from in
    cp wide new
    run 0 set new 1: 5
    stop 'set to a value' 6 kept set a 1: 5
    cp items old
    cp items new
    run 0 insert new items --at 1
    stop insert 9 kept insert a in --at 1
    cp items new
    run 0 delete new 1:3000001 --axis 1
    stop delete 9 kept delete a 1:3000001 --axis 1

    ### tess set of more items than a box has, which commits on the way: the old ones come back
    rm -f work/* wide items
    yes 0123456789 | head -c 80000000 >many
    run 0 create old --force --dtype '|u1' --shape 20x4000000 --chunks 1x500000
    cp old new
    run 0 set new ... --from many --dtype '|u1' --shape 20x4000000
    before() { cp old work/a; }
    stop 'set box by box' 5 kept set a ... --from ../many --dtype '|u1' --shape 20x4000000
}

files() {
    ### tess export to a file that exists: it is the old one, byte for byte, or has one variable more
    mkdir work
    head -c 8000000 /dev/urandom >noise
    run 0 import noise b --dtype '|u1' --shape 2000x4000 --chunks 200x4000 --level 0
    cp b work/b
    for suffix in nc h5; do
        case "$features$suffix" in *' netcdf '*nc | *' hdf5 '*h5) ;; *) continue ;; esac
        run 0 export b old.$suffix:one --slice :200 --level 0
        run 0 export b new.$suffix:one --slice :200 --level 0
        run 0 export b new.$suffix:two --slice :1000 --level 1
        before() { cp old.$suffix work/x.$suffix; }
        old_or_new() {
            cmp -s old.$suffix work/x.$suffix && return
            [ "$(wc -c <work/x.$suffix)" -eq "$(wc -c <new.$suffix)" ] ||
                fail "x.$suffix is neither the old nor the new file"
            for name in one two; do
                for file in new work/x; do
                    run 0 import $file.$suffix:$name ${file#*/}.b2nd --force
                done
                run 0 diff new.b2nd x.b2nd
            done
        }
        stop "export to .$suffix" 12 old_or_new export b x.$suffix:two --slice :1000 --level 1
        rm -f ./*.$suffix work/*.$suffix
    done

    ### a whole file as a folder, and back: all of it or nothing
    for suffix in nc h5; do
        case "$features$suffix" in *' netcdf '*nc | *' hdf5 '*h5) ;; *) continue ;; esac
        rm -rf work tree
        mkdir -p work tree/group
        cp b tree/one.b2nd
        cp b tree/group/two.b2nd
        run 0 export tree work/x.$suffix --level 0
        rm -rf whole
        run 0 import work/x.$suffix whole/
        before() { rm -rf work/made; }
        whole_folder() {
            [ -e work/made ] || return
            for name in one group/two; do
                run 0 diff "work/made/$name.b2nd" "whole/$name.b2nd"
            done
            rm -rf work/made
        }
        stop "import of a whole .$suffix" 12 whole_folder import x.$suffix made/
        mv tree work/tree
        before() { rm -f work/made.$suffix; }
        whole_file() {
            [ -e work/made.$suffix ] || return
            [ "$(wc -c <work/made.$suffix)" -eq "$(wc -c <work/x.$suffix)" ] || fail "a part of a file"
            rm -f work/made.$suffix
        }
        stop "export of a folder to .$suffix" 12 whole_file export tree made.$suffix --level 0
    done
}

$about

[ $failed -eq 0 ] && echo "stopped.sh: $checks checks passed"
[ $failed -eq 0 ]
