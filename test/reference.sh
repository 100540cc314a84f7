#!/bin/sh
# Every public function, type, member, constant and macro is explained in the headers.
#
#     reference.sh DOXYGEN DOXYFILE
#
# Doxygen tells what it misses, but not values of enums (before 1.9.8), nor what stands inside
# something that has no comment; so it also lists all there is, as XML, and that is looked through.

doxygen=$1
doxyfile=$2
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# run SETTING...: Doxygen with other settings than those of the file
run() {
    {
        cat "$doxyfile"
        echo "OUTPUT_DIRECTORY = $tmp"
        printf '%s\n' "$@"
    } | "$doxygen" - 2>"$tmp/warnings" >&2
    [ ! -s "$tmp/warnings" ] && return
    cat "$tmp/warnings"
    return 1
}

run || exit 1
run 'EXTRACT_ALL = YES' 'GENERATE_HTML = NO' 'GENERATE_XML = YES' || exit 1

# Compounds, members and values of enums each have a name, and their own two descriptions; a stack
# tells whose are read.
awk '
    function begin(what) { depth++; kind[depth] = what; name[depth] = ""; text[depth] = 0; seen++ }
    function end() {
        if (!text[depth]) {
            print FILENAME ": " kind[depth] " " name[depth] " is not explained"
            bad = 1
        }
        depth--
    }
    /<compounddef .*kind="(struct|union|file)"/ { begin("compound") }
    /<memberdef / { match($0, /kind="[a-z]*/); begin(substr($0, RSTART + 6, RLENGTH - 6)) }
    /<enumvalue / { begin("value") }
    depth && name[depth] == "" && /<(compound)?name>/ {
        name[depth] = $0
        gsub(/<[^>]*>| /, "", name[depth])
    }
    /<(brief|detailed)description>/ { inside = 1; next }
    depth && inside && /<para>/ { text[depth] = 1 }
    /<\/(brief|detailed)description>/ { inside = 0 }
    /<\/(compounddef|memberdef|enumvalue)>/ { end() }
    END {
        if (seen < 100) {
            print "only " seen + 0 " things found in the headers"
            bad = 1
        }
        exit bad
    }' "$tmp"/xml/*_8h.xml "$tmp"/xml/struct*.xml
