#!/bin/sh
# Installs the parts that come from the system and not from requirements.lock.
# Under CI a part that stays missing fails; elsewhere the exact command is printed.
set -eu

missing=""
command -v make >/dev/null 2>&1 || missing="$missing make"
if ! command -v uv >/dev/null 2>&1 && ! python3 -c 'import ensurepip' 2>/dev/null; then
    missing="$missing python3-venv"
fi
if [ "$(uname -s)" = Linux ] && ! command -v bwrap >/dev/null 2>&1; then
    missing="$missing bubblewrap"
fi
if ! command -v chromium >/dev/null 2>&1 && ! command -v chromium-browser >/dev/null 2>&1 &&
    ! command -v google-chrome >/dev/null 2>&1; then
    missing="$missing chromium"
fi
if [ -z "$missing" ]; then
    echo "System parts: all there."
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq
    # shellcheck disable=SC2086  one word a package
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
    exit 0
fi
echo "System parts missing:$missing. Install them with: sudo apt-get install$missing" >&2
case "${CI:-}" in
    1 | true) exit 3 ;;
esac
