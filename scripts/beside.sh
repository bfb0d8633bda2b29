#!/bin/sh
# beside.sh CHECK... -- TESTS...: run both at once; print the check only where it fails.
# Tests are collected on one core, which leaves another one for the check.
set -u

check=""
while [ "$1" != "--" ]; do
    check="$check $1"
    shift
done
shift

said=$(mktemp)
trap 'rm -f "$said"' EXIT
$check >"$said" 2>&1 &
process=$!
trap 'kill $process 2>/dev/null' INT TERM
"$@"
code=$?
if ! wait $process; then
    cat "$said" >&2
    exit 1
fi
exit $code
