#!/usr/bin/env bash
# Install Benchmaker, and check that the installed program is Benchmaker.
# pip runs without the keys and tokens of this environment.
#
# BENCHMAKER_PACKAGE  what pip installs: a wheel, a checkout, or git+https://…@tag
# FROM_FORK           true for a pull request from a fork, which may lack the variable
set -euo pipefail

fail() {
  if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::error title=Benchmaker gate::$1"; else echo "error: $1"; fi
  exit 2
}

if [ -z "${BENCHMAKER_PACKAGE:-}" ]; then
  if [ "${FROM_FORK:-}" = true ]; then exit 0; fi
  fail "BENCHMAKER_PACKAGE is empty. Set it to what pip installs: a wheel, a checkout, or git+https://…@tag."
fi

kept=()
while IFS= read -r name; do
  case $name in
    PATH | HOME | LANG | TMPDIR | VIRTUAL_ENV | LD_LIBRARY_PATH) kept+=("$name=${!name}") ;;
    PIP_* | SSL_* | *_proxy | *_PROXY) kept+=("$name=${!name}") ;;
  esac
done < <(compgen -e)

# clean COMMAND…: run a command in an environment without keys
clean() { env --ignore-environment "${kept[@]}" "$@"; }

clean python -m pip install "$BENCHMAKER_PACKAGE" || fail "pip can't install $BENCHMAKER_PACKAGE."
version=$(clean benchmaker --version 2> /dev/null) || version=
usage=$(clean benchmaker gate --help 2> /dev/null) || usage=
if [[ ! $version =~ ^benchmaker\ [0-9] || $usage != *--max-drop* ]]; then
  fail "$BENCHMAKER_PACKAGE is another program: it has no gate. Set BENCHMAKER_PACKAGE to a wheel or checkout of Benchmaker."
fi
echo "$version"
