#!/usr/bin/env bash
# Run a suite and gate it against a baseline, within a budget.
# Writes gate.md, gate.xml and gate.json, and prints annotations on GitHub.
#
# SUITE        the suite (default: suite.yaml)
# MODELS       the models, separated by commas; empty for those of the suite
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
messages=$(mktemp)
rm -f gate.md gate.xml gate.json

# say KIND TEXT: an annotation on GitHub, a line elsewhere
say() {
  if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::$1 title=Benchmaker gate::$2"; else echo "$1: $2"; fi
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then echo "$2" >> "$GITHUB_STEP_SUMMARY"; fi
}

# conclude CODE VERDICT: the output of the step, and its exit code
conclude() {
  if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "verdict=$2" >> "$GITHUB_OUTPUT"; fi
  if [ "$2" = undecided ] && [ "${FAIL_ON_UNDECIDED:-}" != true ]; then exit 0; fi
  exit "$1"
}

# comment TEXT: a gate.md that replaces the comment of an earlier gate of the suite
comment() {
  local name
  name=$(benchmaker validate "$suite" --json 2> /dev/null \
    | sed -n 's/^ *"suite": "\(.*\)",$/\1/p' | head -n 1 | tr -d '>' | sed ':a;s/--/- -/;ta')
  printf '<!-- benchmaker gate: %s -->\n**%s**\n' "${name:-$suite}" "$1" > gate.md
}

# last_error: what the command said last, on one line
last_error() { tr '\n' ' ' < "$messages" | sed 's/^Error: //;s/[*`<@]//g' | cut -c 1-600; }

fork_notice() {
  say notice "The gate did not run: pull requests from forks have no secrets. A maintainer can run it from a branch of this repository."
  exit 0
}

if ! command -v benchmaker > /dev/null; then
  if [ "${FROM_FORK:-}" = true ]; then fork_notice; fi
  say error "Benchmaker is not installed. Run install.sh first."
  exit 2
fi

# The baseline of the target branch counts: a change can't bring its own.
used=$baseline
if [ -n "${BASE_REF:-}" ]; then
  if ! git fetch --quiet --depth 1 origin "$BASE_REF"; then
    text="The gate did not run: the target branch $BASE_REF can't be fetched, and only its baseline counts."
    say error "$text"
    comment "$text"
    exit 2
  fi
  used=$(mktemp --suffix .baseline.json)
  if ! git show "FETCH_HEAD:./$baseline" > "$used" 2> /dev/null; then
    text="Gate undecided: no baseline $baseline on the target branch: the first one must be merged first."
    say warning "$text Write it with: benchmaker export latest --baseline --output $baseline"
    comment "$text"
    conclude 5 undecided
  fi
elif [ ! -f "$used" ]; then
  text="Gate undecided: there is no baseline $baseline."
  say warning "$text Write one with: benchmaker export latest --baseline --output $baseline"
  comment "$text"
  conclude 5 undecided
fi

# Your own prices belong into the data folder.
if [ -n "${PRICES:-}" ]; then
  data=${BENCHMAKER_HOME:-$HOME/.local/share/benchmaker}
  if ! { mkdir -p "$data" && cp "$PRICES" "$data/prices.yaml"; }; then
    say error "The prices $PRICES can't be copied to $data."
    exit 2
  fi
fi

options=(--max-cost "${MAX_COST:-1}")
if [ "${MAX_COST:-}" = none ]; then options=(); fi
while IFS= read -r model; do
  model=$(echo "$model" | sed 's/^[[:space:]]*//;s/[[:space:]]*$//')
  if [ -n "$model" ]; then options+=(--model "$model"); fi
done < <(echo "${MODELS:-}" | tr ',' '\n')

benchmaker run "$suite" "${options[@]}" --quiet 2> "$messages"
code=$?
cat "$messages" >&2
if [ "$code" = 2 ] && grep -q "no model and no recorded answers given" "$messages"; then
  say error "The suite $suite names no models. Set MODELS to one or several, separated by commas, or add models to the suite."
fi
if [ "$code" = 3 ] && grep -q "a budget can't be enforced" "$messages"; then
  say error "A price is unknown. Commit a prices.yaml with it and set PRICES to its path, or set MAX_COST to none."
fi
if [ "$code" = 3 ] && [ "${FROM_FORK:-}" = true ] && grep -q "no key for" "$messages"; then
  fork_notice
fi
if [ "$code" = 4 ]; then
  say warning "The run is incomplete: some requests failed, or its budget of ${MAX_COST:-1} dollars ended."
elif [ "$code" != 0 ]; then
  comment "The gate did not run: $(last_error)"
  exit "$code"
fi

gate() {
  benchmaker gate latest --baseline "$used" --max-drop "${MAX_DROP:-2}" "$@"
}

gate --format markdown --output gate.md 2> "$messages"
code=$?
cat "$messages" >&2
case $code in
  0) verdict=pass ;;
  1) verdict=fail ;;
  5) verdict=undecided ;;
  *)
    comment "The gate did not decide: $(last_error)"
    exit "$code"
    ;;
esac
gate --format junit --output gate.xml > /dev/null
gate --format json --output gate.json > /dev/null
if [ -n "${GITHUB_ACTIONS:-}" ]; then gate --format github; fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat gate.md >> "$GITHUB_STEP_SUMMARY"; fi
conclude "$code" "$verdict"
