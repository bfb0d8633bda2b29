#!/bin/sh
# Starts a command of Benchmaker; what secrets hold becomes a variable of that process alone:
# BENCHMAKER_STORE_FILE, BENCHMAKER_SECRETS_KEY_FILE, BENCHMAKER_OIDC_CLIENT_SECRET_FILE and
# …_API_KEY_FILE name files, whose content is the variable's value.
set -eu
for name in $(env | sed -nE 's/^(BENCHMAKER_STORE|[A-Z0-9_]*_API_KEY|BENCHMAKER_SECRETS_KEY|BENCHMAKER_OIDC_CLIENT_SECRET)_FILE=.*/\1/p'); do
    eval "file=\${${name}_FILE}"
    [ -r "$file" ] || { echo "${name}_FILE names a file that can't be read: $file" >&2; exit 3; }
    value=$(cat "$file")
    export "$name=$value"
done
exec benchmaker "$@"
