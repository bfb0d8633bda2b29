#!/bin/sh
# Installs the parts that come from the system and not from requirements.lock.
# Under CI a part that stays missing fails; elsewhere the exact command is printed.
set -eu

has() { command -v "$1" >/dev/null 2>&1; }
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; }

can_install=""
if [ "$(id -u)" = 0 ] && has apt-get; then can_install=yes; fi

# For the tests: Chromium without windows opens a page in a third of the time. Not every system
# packages it.
lighter=""
if ! has chromium-headless-shell && [ -n "$can_install" ]; then
    apt-cache show chromium-headless-shell >/dev/null 2>&1 || apt-get update -qq || true
fi
if has apt-cache && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
    lighter=chromium-headless-shell
fi

missing=""
has make || missing="$missing make"
has uv || python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
if [ "$(uname -s)" = Linux ] && ! has bwrap; then missing="$missing bubblewrap"; fi
if ! has chromium && ! has chromium-browser && ! has google-chrome; then
    missing="$missing chromium"
fi
if [ -n "$can_install" ] && ! has chromium-headless-shell; then missing="$missing $lighter"; fi
missing=${missing% }
if [ -z "$missing" ]; then
    echo "System parts: all there."
    exit 0
fi
if [ -n "$can_install" ]; then
    apt-get update -qq
    # shellcheck disable=SC2086  one word a package
    install $missing || install $(echo "$missing" | sed s/chromium-headless-shell//)
    exit 0
fi
echo "System parts missing:$missing. Install them with: sudo apt-get install$missing" >&2
case "${CI:-}" in
    1 | true) exit 3 ;;
esac
