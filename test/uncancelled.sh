#!/bin/sh
# Public functions that can fail, or end an array, begin with UNCANCELLED (lib/tessera/api/uncancelled.h).
#
#     uncancelled.sh LIB_DIR

lib=$1
find "$lib/api" "$lib/layout" -name '*.c' -exec awk '
    /^TESS_API/ { head = ""; inside = 1 }
    inside { head = head $0 " " }
    inside && /^\{/ { inside = 0; first = 1; next }
    first {
        first = 0
        if (head !~ /tess_error \*err|tess_array_(close|discard)\(/)
            next
        count++
        name = head
        sub(/\(.*/, "", name)
        sub(/.* /, "", name)
        # Reading tries what has no cancellation points before; see recall().
        if ($0 !~ /^    UNCANCELLED;$/ && name !~ /^tess_array_(read|get_item)$/) {
            print FILENAME ": " name " does not begin with UNCANCELLED"
            bad = 1
        }
    }
    END {
        if (count < 50) {
            print count " functions found"
            bad = 1
        }
        exit bad
    }
' {} +
