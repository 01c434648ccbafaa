#!/usr/bin/env bash
# Runs the action's steps as a runner would, against a registry process on a
# loopback port: a first push, a second one of a one-file commit, a re-run, a
# merge, a pull request from a fork, and a pull into an empty cache. It fails,
# and does not skip, where something that it needs is missing.
# PINDEX_DOCKER_REGISTRY names another registry program than Debian's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

fail() { printf 'action test: %s\n' "$*" >&2; exit 1; }
server=${PINDEX_DOCKER_REGISTRY:-docker-registry}
for tool in git jq curl go cc "$server"; do
  command -v "$tool" >/dev/null 2>&1 || fail "$tool is missing"
done

work=$(mktemp -d)
pid=
cleanup() {
  [[ -z $pid ]] || { kill "$pid" && wait "$pid"; } 2>/dev/null || true
  chmod -R u+w "$work" && rm -rf "$work"
}
trap cleanup EXIT

# --- a registry that asks for a password, which user "user" has: "secret".
# The port is one that was free a moment ago, so it may take several tries.
printf '%s\n' 'user:$2a$04$XTh/P3HdBYJQSE5KMcIw0OlvVLC2rkBoLtfUrkUDxSJXn1VAkA5fG' >"$work/htpasswd"
for _ in 1 2 3 4 5; do
  host=127.0.0.1:$((20000 + RANDOM % 20000))
  cat >"$work/registry.yml" <<EOF
version: 0.1
log: {level: info, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: $work/registry}}
http: {addr: "$host"}
auth: {htpasswd: {realm: test, path: $work/htpasswd}}
EOF
  "$server" serve "$work/registry.yml" >"$work/registry.log" 2>&1 &
  pid=$!
  for _ in $(seq 100); do
    [[ $(curl -s -o /dev/null -w '%{http_code}' "http://$host/v2/" || true) != 401 ]] || break 2
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.05
  done
  kill "$pid" 2>/dev/null && wait "$pid" || true
  pid=
done
[[ -n $pid ]] || { cat "$work/registry.log" >&2; fail 'the registry does not start'; }

# --- a repository, and clones of it as actions/checkout makes them
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null \
  GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.invalid \
  GIT_AUTHOR_DATE=2024-01-01T00:00:00Z GIT_COMMITTER_DATE=2024-01-01T00:00:00Z
origin=$work/origin
git init -q -b main "$origin"
for i in $(seq 40); do
  printf 'def handler_%d(request):\n    """Answer request number %d."""\n    return render(request, %d)\n' "$i" "$i" "$i" >"$origin/handler_$i.py"
done
hostile=$origin/$'::error::<b>logo\n<' # a folder, so that its files end in markup
mkdir "$hostile"
printf 'a\0b' >"$hostile/pre>.png"
commit() { git -C "$origin" add -A && git -C "$origin" commit -q -m "$1"; }
commit first
first=$(git -C "$origin" rev-parse HEAD)
printf 'def handler_7(request):\n    return redirect(request, "/seven")\n' >"$origin/handler_7.py"
commit second
second=$(git -C "$origin" rev-parse HEAD)
git -C "$origin" checkout -q -b topic "$first"
printf 'def topic():\n    return 1\n' >"$origin/topic.py"
commit topic
topic=$(git -C "$origin" rev-parse HEAD)
git -C "$origin" checkout -q main
git -C "$origin" merge -q --no-ff -m merge topic
merge=$(git -C "$origin" rev-parse HEAD)

checkout() { # COMMIT: a workspace of one commit, without its history
  rm -rf "$work/workspace"
  git init -q "$work/workspace"
  git -C "$work/workspace" fetch -q --depth=1 "file://$origin" "$1"
  git -C "$work/workspace" checkout -q FETCH_HEAD
}
git -C "$origin" config uploadpack.allowAnySHA1InWant true

# A git that fails where it, or the program that runs it, could read a
# credential while it reads the commit. (The environment of another process can
# be read on Linux alone.)
mkdir "$work/bin"
cat >"$work/bin/git" <<EOF
#!/bin/sh
leak="\$GITHUB_TOKEN\$PINDEX_REGISTRY_PASSWORD\$PINDEX_ACTION_TOKEN"
case \$(cat /proc/\$PPID/comm) in
pindex*) leak=\$leak\$(tr '\\0' '\\n' </proc/\$PPID/environ | grep -E '^(GITHUB_TOKEN|PINDEX_(REGISTRY_PASSWORD|ACTION_TOKEN))=.') ;;
esac
[ -z "\$leak" ] || { echo 'a credential is in the environment of what reads the commit' >&2; exit 1; }
exec $(command -v git) "\$@"
EOF
chmod +x "$work/bin/git"

# --- the runner
go build -o "$work/runsteps" ./action/runsteps
export RUNNER_TEMP=$work/temp GITHUB_WORKSPACE=$work/workspace GITHUB_EVENT_PATH=$work/event.json \
  GITHUB_STEP_SUMMARY=$work/summary.md GITHUB_REPOSITORY=Owner/Name GITHUB_ACTOR=user \
  GITHUB_SERVER_URL=https://github.com RUNSTEPS_TOKEN=not-for-this-registry DOCKER_CONFIG=$work/docker
PATH=$work/bin:$PATH
unset PINDEX_STORE PINDEX_CACHE_DIR PINDEX_REGISTRY_USERNAME PINDEX_REGISTRY_PASSWORD PINDEX_REGISTRY_HOST GITHUB_TOKEN GITHUB_SHA
mkdir "$RUNNER_TEMP"

act() { # NAME EVENT-JSON ARGUMENT...: runs the action; outputs in $work/NAME.json
  local name=$1
  printf '%s' "$2" >"$GITHUB_EVENT_PATH"
  shift 2
  printf '\n== %s\n' "$name"
  rm -rf "$GITHUB_STEP_SUMMARY"
  out=$work/$name.json
  "$work/runsteps" -in "registry=$host" "$@" "$root" >"$out" 2>"$work/$name.log" || { cat "$work/$name.log" >&2; return 1; }
  jq -c . "$out"
}
refused() { # NAME EVENT-JSON TEXT ARGUMENT...: the action fails, and says TEXT
  local name=$1 text=$3
  if act "$1" "$2" "${@:4}" >/dev/null 2>&1; then fail "$name: it should have failed"; fi
  grep -qF -- "$text" "$work/$name.log" || { cat "$work/$name.log" >&2; fail "$name: it does not say '$text'"; }
  printf '\n== %s: refused\n' "$name"
}
is() { # OUTPUT VALUE
  local got
  got=$(jq -r --arg k "$1" '.[$k]' "$out")
  [[ $got = "$2" ]] || fail "$(basename "$out" .json): $1 is '$got', want '$2'"
}
get() { jq -r --arg k "$1" '.[$k]' "$work/$2.json"; }
says() { grep -qF -- "$1" "$GITHUB_STEP_SUMMARY" || { cat "$GITHUB_STEP_SUMMARY" >&2; fail "the summary does not say '$1'"; }; }
tags() { curl -s -u user:secret "http://$host/v2/owner/name/pindex/tags/list" | jq -c '.tags // [] | sort'; }
push='{"after": "%s"}'
pr='{"pull_request": {"head": {"sha": "%s", "repo": {"full_name": "%s"}}}}'

checkout "$first"
export GITHUB_SHA=$first
act first "$(printf "$push" "$first")" -in token=secret -then 'pindex search "answer request number 3" -k 1 | grep -q handler_3'
is commit "$first"; is event-commit "$first"; is mode full; is segments-reused 0
# How many partitions there are goes with the size of the tree (docs/SCALE.md); each has 5 segments.
all=$(get segments-built first)
(( all > 0 && all % 5 == 0 && all <= 41 * 5 )) || fail "$all segments for 41 files"
[[ $(get bytes-uploaded first) -gt 0 && $(get size-bytes first) -gt $(get bytes-uploaded first) ]] || fail 'sizes'
[[ $(get reference first) =~ ^"$host/owner/name/pindex:$first@sha256:"[0-9a-f]{64}$ ]] || fail 'reference'
[[ -f $(get index-path first)/oci-layout ]] || fail 'index-path is no OCI layout'
[[ $(tags) = "[\"$first\",\"$first.report\"]" ]] || fail "tags: $(tags)"
says 'index pushed'; says '1 binary'; says '::error::&lt;b&gt;logo?&lt;/pre&gt;.png: binary'
grep -q '^::stop-commands::[0-9a-f]\{32\}$' "$work/first.log" || fail 'commands to the runner are not stopped'
! grep -rqF secret "$work/first.log" "$GITHUB_STEP_SUMMARY" || fail 'the token was printed'

checkout "$second"
export GITHUB_SHA=$second
act second "$(printf "$push" "$second")" -in token=secret
is commit "$second"; is mode delta; is segments-built 5; is segments-reused $((all - 5))
(( $(get bytes-uploaded second) * 10 < $(get bytes-uploaded first) )) || fail 'a one-file commit uploads more than a tenth'

act again "$(printf "$push" "$second")" -in token=secret
is mode unchanged; is bytes-uploaded 0; is segments-built 0; is segments-reused "$all"
is digest "$(get digest second)"; is reference "$(get reference second)"
says 'the registry held this index already'

# A repository beside the first one, such as a fork's: what the first one has is
# mounted, and the commit of its own builds what changed. By itself it builds all.
act beside "$(printf "$push" "$second")" -in token=secret -in repository=fork/pindex -in mount-from=Owner/Name/pindex
is mode delta; is segments-built 0; is segments-reused "$all"; is bytes-uploaded 0; is digest "$(get digest second)"
[[ $(get reference beside) = "$host/fork/pindex:$second@"* ]] || fail 'the mounted index is elsewhere'
act alone "$(printf "$push" "$second")" -in token=secret -in repository=alone/pindex
is mode full; is segments-built "$all"; is digest "$(get digest second)"
checkout "$merge"
act besidemerge "$(printf "$push" "$merge")" -in token=secret -in repository=late/pindex -in "mount-from=$host/owner/name/pindex"
is mode delta; [[ $(get segments-built besidemerge) -gt 0 ]] || fail 'a new file builds nothing'
(( $(get bytes-uploaded besidemerge) * 10 < $(get bytes-uploaded first) )) || fail 'what could be mounted was uploaded'
act besidepull "$(printf "$push" "$second")" -in mode=pull -in token=secret -in repository=fork/pindex -in "ref=$second" -then "pindex-client search redirect -k 1 --commit $second | grep -q handler_7.py"

checkout "$merge"
export GITHUB_SHA=$merge
act merge "$(printf "$pr" "$topic" owner/name)" -in token=secret
is commit "$merge"; is event-commit "$topic"; is mode delta
says "$topic"
[[ -n $(get reference merge) ]] || fail 'a pull request of the repository itself is pushed'

before=$(tags)
checkout "$topic"
for event in "$(printf "$pr" "$topic" stranger/name)" '{"pull_request": {"head": {"sha": "'"$topic"'", "repo": null}}}' \
  '{"workflow_run": {"head_sha": "'"$topic"'", "head_repository": {"full_name": "stranger/name"}}}' '{"issue": {"pull_request": {}}}'; do
  act fork "$event" -in token=secret
  is commit "$topic"; is mode full; is bytes-uploaded 0; is reference ''
  [[ -f $(get index-path fork)/oci-layout ]] || fail 'a fork has no index'
  says 'index built, not pushed'
done
[[ $(tags) = "$before" ]] || fail "a fork was pushed: $(tags)"

act views "$(printf "$push" "$topic")" -in token=secret -in 'views=source, lexical' -in "ref=$topic"
views=$(get segments-built views)
(( views % 3 == 0 && views <= 42 * 3 )) || fail "$views segments of three views"
[[ $(get reference views) =~ :"$topic"-[0-9a-f]{12}@ ]] || fail 'an index of some views has a tag of its own'

checkout "$topic"
act viewspulled "$(printf "$push" "$topic")" -in mode=pull -in token=secret -then 'pindex-client search topic -k 1 | grep -q topic.py'
is digest "$(get digest views)"; is reference "$(get reference views)"; is segments-reused "$views"

# An agent's job: a token that may read, and afterwards none, as all is in the cache.
checkout "$second"
act pull "$(printf "$push" "$second")" -in mode=pull -in token=secret -then \
  '[ -z "${PINDEX_REGISTRY_PASSWORD:-}" ] && pindex-client search redirect -k 1 | grep -q handler_7.py'
is commit "$second"; is digest "$(get digest second)"; is reference "$(get reference second)"; is mode unchanged
is segments-reused "$all"; is segments-built 0; is bytes-uploaded 0; is size-bytes "$(get size-bytes second)"
[[ -d $(get index-path pull) ]] || fail 'index-path is no folder'
says 'index pulled'

rm -rf "$GITHUB_WORKSPACE" && mkdir "$GITHUB_WORKSPACE"
act bare "$(printf "$push" "$second")" -in mode=pull -in token=secret -in "ref=$first" -then "pindex-client grep 'request, 7' --commit $first | grep -q handler_7.py"
is commit "$first"; is digest "$(get digest first)"

event=$(printf "$push" "$second")
refused absent "$event" 'has no index of' -in mode=pull -in token=secret -in "ref=$(printf '%040d' 1)"
refused password "$event" 401 -in mode=pull -in token=wrong -in "ref=$first"
refused anonymous "$event" 'it wants credentials and there are none' -in mode=pull -in "ref=$first"
refused nothing "$event" 'run actions/checkout before' -in token=secret
refused public "$event" 'is true or false' -in token=secret -in allow-public=perhaps
refused mount "$event" 'is a repository of the registry' -in token=secret -in mount-from=ghcr.io/owner/name/pindex
refused mounted "$event" 'is a repository of the registry' -in token=secret -in 'mount-from=$(id)'
refused itself "$event" 'names the repository itself' -in token=secret -in mount-from=owner/NAME/pindex
refused mode "$event" 'is build or pull' -in mode=both
refused registry "$event" "'registry' is a host" -in 'registry=$(id)'
refused option "$event" 'has no commit' -in ref=--help
! grep -rlF not-for-this-registry "$work"/*.log "$RUNNER_TEMP" || fail "GitHub's token was kept or printed"
printf '\naction test: passed\n'
