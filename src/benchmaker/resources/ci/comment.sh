#!/usr/bin/env bash
# Write FILE as a comment on the pull request (GitHub) or merge request (GitLab).
# A comment of the same author that begins with the same first line is updated.
# Usage: comment.sh FILE
#
# GitHub: GITHUB_API_URL, GITHUB_REPOSITORY, PULL_REQUEST, GITHUB_TOKEN,
#         COMMENT_AUTHOR (default: github-actions[bot])
# GitLab: CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID, GITLAB_TOKEN,
#         COMMENT_AUTHOR (default: the owner of the token)
set -euo pipefail

file=$1
if [ ! -s "$file" ]; then
  echo "There is no report $file, so no comment is written." >&2
  exit 0
fi
replies=$(mktemp -d)
trap 'rm -rf "$replies"' EXIT

if [ -n "${GITHUB_API_URL:-}" ]; then
  list="$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
  one="$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/comments"
  auth="Authorization: Bearer ${GITHUB_TOKEN:-}"
  update=PATCH
  author=${COMMENT_AUTHOR:-github-actions[bot]}
else
  list="$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes"
  one=$list
  auth="PRIVATE-TOKEN: ${GITLAB_TOKEN:-}"
  update=PUT
  author=${COMMENT_AUTHOR:-}
fi

# request METHOD URL [BODY]: the reply goes to $replies/reply, its status to $status
request() {
  local body=()
  if [ $# -gt 2 ]; then body=(--data-binary "@$3"); fi
  status=$(curl --silent --show-error --max-time 60 --retry 2 --request "$1" \
    --config <(printf 'header = "%s"\n' "$auth") \
    --header 'Content-Type: application/json' --header 'Accept: application/json' \
    --output "$replies/reply" --write-out '%{http_code}' "${body[@]}" "$2") || status=000
}

refused() {
  echo "The comment was not written: the API replied with status $status to $1." >&2
  if [ "$status" = 401 ] || [ "$status" = 403 ]; then
    echo "The token can't write comments, as in pull requests from forks." >&2
    exit 0
  fi
  exit 1
}

unreadable() {
  echo "The comment was not written: the API's reply to $1 is not readable." >&2
  exit 1
}

if [ -z "${GITHUB_API_URL:-}" ] && [ -z "$author" ]; then
  request GET "$CI_API_V4_URL/user"
  [ "$status" = 200 ] || refused "the question for the owner of the token"
  author=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["username"])' \
    "$replies/reply" 2> /dev/null) || unreadable "the question for the owner of the token"
fi

known=
for page in $(seq 1 50); do
  request GET "$list?per_page=100&page=$page"
  [ "$status" = 200 ] || refused "the list of comments"
  found=$(python3 - "$file" "$replies/reply" "$author" 2> /dev/null <<'PYTHON'
import json
import sys

file, reply, author = sys.argv[1:]
with open(file, encoding="utf-8", errors="replace") as stream:
    marker = stream.readline().strip()
with open(reply, encoding="utf-8") as stream:
    comments = json.load(stream)
for comment in comments:
    writer = comment.get("user") or comment.get("author") or {}
    name = writer.get("login") or writer.get("username")
    if name == author and (comment.get("body") or "").splitlines()[:1] == [marker]:
        print(comment["id"])
        break
else:
    print("more" if len(comments) == 100 else "none")
PYTHON
  ) || unreadable "the list of comments"
  case $found in
    more) continue ;;
    none) break ;;
    *) known=$found && break ;;
  esac
done

python3 - "$file" > "$replies/body" <<'PYTHON'
import json
import sys

with open(sys.argv[1], encoding="utf-8", errors="replace") as stream:
    text = stream.read()
limit = 65_000
if len(text) > limit:
    text = text[:limit].rpartition("\n")[0] + "\n\nThe comment was cut."
print(json.dumps({"body": text}))
PYTHON

if [ -n "$known" ]; then
  request "$update" "$one/$known" "$replies/body"
else
  request POST "$list" "$replies/body"
fi
case $status in
  200 | 201) echo "Comment written." ;;
  *) refused "the comment" ;;
esac
