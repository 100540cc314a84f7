#!/bin/sh
# Runs an example that makes files, in an empty folder that is removed afterwards.
#
#     program.sh PROGRAM [ARGUMENT...]

case $1 in /*) program=$1 ;; *) program=$PWD/$1 ;; esac
shift
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" && "$program" "$@"
