#!/usr/bin/env bash
# Run a suite and gate it against a baseline, within a budget.
# Writes gate.md, gate.xml and gate.json, and prints annotations on GitHub.
#
# SUITE        the suite (default: suite.yaml)
# BASELINE     the baseline's file (default: main.baseline.json)
# BASE_REF     the branch whose baseline counts; empty for the file as it is
# MAX_DROP     the largest allowed drop in points (default: 2)
# MAX_COST     the budget of the run in dollars, or none (default: 1)
# PRICES       a prices.yaml of the repository, for models without a listed price
# FROM_FORK    true for a pull request from a fork, which has no secrets
# FAIL_ON_UNDECIDED  true to fail where more cases are needed (default: false)
set -uo pipefail

suite=${SUITE:-suite.yaml}
baseline=${BASELINE:-main.baseline.json}

# say KIND TEXT: an annotation on GitHub, a line elsewhere
say() {
  if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::$1 title=Benchmaker gate::$2"; else echo "$1: $2"; fi
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then echo "$2" >> "$GITHUB_STEP_SUMMARY"; fi
}

# The baseline of the target branch counts: a change can't bring its own.
used=$baseline
if [ -n "${BASE_REF:-}" ] && git fetch --quiet --depth 1 origin "$BASE_REF"; then
  if git cat-file -e "FETCH_HEAD:./$baseline" 2> /dev/null; then
    used=$(mktemp --suffix .baseline.json)
    git show "FETCH_HEAD:./$baseline" > "$used"
  fi
fi
if [ ! -f "$used" ]; then
  say warning "There is no baseline $baseline. Write one with: benchmaker export latest --baseline --output $baseline"
  exit 0
fi

# Your own prices belong into the data folder.
if [ -n "${PRICES:-}" ]; then
  data=${BENCHMAKER_HOME:-$HOME/.local/share/benchmaker}
  if ! { mkdir -p "$data" && cp "$PRICES" "$data/prices.yaml"; }; then
    say error "The prices $PRICES can't be copied to $data."
    exit 2
  fi
fi

budget=(--max-cost "${MAX_COST:-1}")
if [ "${MAX_COST:-}" = none ]; then budget=(); fi
messages=$(mktemp)
benchmaker run "$suite" "${budget[@]}" --quiet 2> "$messages"
code=$?
cat "$messages" >&2
if [ "$code" = 3 ] && grep -q "a budget can't be enforced" "$messages"; then
  say error "A price is unknown. Commit a prices.yaml with it and set PRICES to its path, or set MAX_COST to none."
fi
if [ "$code" = 3 ] && [ "${FROM_FORK:-}" = true ] && grep -q "no key for" "$messages"; then
  say notice "The gate did not run: pull requests from forks have no secrets. A maintainer can run it from a branch of this repository."
  exit 0
fi
if [ "$code" = 4 ]; then
  say warning "The run is incomplete: some requests failed, or its budget of ${MAX_COST:-1} dollars ended."
elif [ "$code" != 0 ]; then
  exit "$code"
fi

gate() {
  benchmaker gate latest --baseline "$used" --max-drop "${MAX_DROP:-2}" "$@"
}

gate --format markdown --output gate.md
code=$?
case $code in
  0 | 1 | 5) ;;
  *) exit "$code" ;;
esac
gate --format junit --output gate.xml > /dev/null
gate --format json --output gate.json > /dev/null
if [ -n "${GITHUB_ACTIONS:-}" ]; then gate --format github; fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat gate.md >> "$GITHUB_STEP_SUMMARY"; fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  case $code in 0) verdict=pass ;; 1) verdict=fail ;; *) verdict=undecided ;; esac
  echo "verdict=$verdict" >> "$GITHUB_OUTPUT"
fi
if [ "$code" = 5 ] && [ "${FAIL_ON_UNDECIDED:-}" != true ]; then exit 0; fi
exit "$code"
