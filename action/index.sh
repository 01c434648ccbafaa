#!/usr/bin/env bash
# The action's second step. Mode build brings the manifests of the nearest
# ancestor's index into an OCI layout on the runner, compiles the commit on top of
# it, without the registry's and GitHub's credentials, and then copies what is new
# to the registry, unless the code comes from a fork. Mode pull brings the
# commit's index into a cache of the job. Inputs are PINDEX_ACTION_REGISTRY,
# _REPOSITORY, _TOKEN, _REF, _VIEWS, _ALLOW_PUBLIC, _MOUNT_FROM and _MODE; what the
# runner sets is GITHUB_* and RUNNER_*.
set -euo pipefail

die() { printf 'pindex action: %s\n' "$*" >&2; exit 2; }

# What the program prints may hold text of the repository, and a line of that
# must not be taken for a command to the runner.
quiet=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '::stop-commands::%s\n' "$quiet"
trap 'printf "::%s::\n" "$quiet"' EXIT

for tool in git jq; do
  command -v "$tool" >/dev/null 2>&1 || die "$tool is missing on this runner"
done

# --- inputs
mode=${PINDEX_ACTION_MODE:-build}
views=${PINDEX_ACTION_VIEWS:-}
ref=${PINDEX_ACTION_REF:-}
token=${PINDEX_ACTION_TOKEN:-}
registry=${PINDEX_ACTION_REGISTRY:-ghcr.io}
repository=${PINDEX_ACTION_REPOSITORY:-$GITHUB_REPOSITORY/pindex}
repository=${repository,,}
upstream=${PINDEX_ACTION_MOUNT_FROM:-}
upstream=${upstream,,}
upstream=${upstream#"${registry,,}/"}
github_token=${GITHUB_TOKEN:-} username=${PINDEX_REGISTRY_USERNAME:-${GITHUB_ACTOR:-}} password=${PINDEX_REGISTRY_PASSWORD:-}
if [[ -n $token ]]; then password=$token; fi
# What reads the commit has none of these in its environment.
unset PINDEX_ACTION_TOKEN GITHUB_TOKEN PINDEX_REGISTRY_USERNAME PINDEX_REGISTRY_PASSWORD \
  ACTIONS_ID_TOKEN_REQUEST_TOKEN ACTIONS_ID_TOKEN_REQUEST_URL ACTIONS_RUNTIME_TOKEN
[[ $mode = build || $mode = pull ]] || die "the input 'mode' is build or pull"
[[ $registry =~ ^[A-Za-z0-9.-]+(:[0-9]+)?$ ]] || die "the input 'registry' is a host, such as ghcr.io"
[[ $repository =~ ^[a-z0-9._-]+(/[a-z0-9._-]+)*$ ]] || die "the input 'repository' is a path, such as owner/name/pindex"
[[ -z $upstream || ${upstream%%/*} != *.* && $upstream =~ ^[a-z0-9._-]+(/[a-z0-9._-]+)*$ ]] ||
  die "the input 'mount-from' is a repository of the registry $registry, such as owner/name/pindex"
[[ $upstream != "$repository" ]] || die "the input 'mount-from' names the repository itself"
[[ $views =~ ^[a-z,\ ]*$ ]] || die "the input 'views' is a list, such as source,lexical"
[[ -f ${GITHUB_EVENT_PATH:-} ]] || die 'GITHUB_EVENT_PATH names no file'
store=$registry/$repository
[[ ${PINDEX_ACTION_ALLOW_PUBLIC:-false} =~ ^(true|false)$ ]] || die "the input 'allow-public' is true or false"
viewflags=() public=() mount=()
[[ -z $upstream ]] || mount=("--mount-from=$registry/$upstream")
[[ ${PINDEX_ACTION_ALLOW_PUBLIC:-false} = false ]] || public=(--allow-public)
[[ -z $views ]] || viewflags=("--views=${views// /}")

workspace=${GITHUB_WORKSPACE:-$PWD}
if [[ $mode = pull && $ref =~ ^([0-9a-f]{40}|[0-9a-f]{64})$ ]]; then
  commit=$ref # which need not be in the clone, nor the clone there
else
  commit=$(git -C "$workspace" rev-parse --verify --end-of-options "${ref:-HEAD}^{commit}") ||
    die "the workspace has no commit '${ref:-HEAD}': run actions/checkout before this action, with a 'ref' or 'fetch-depth' that brings it"
fi

# --- the event
event_commit=$(jq -r --arg sha "${GITHUB_SHA:-}" \
  '.pull_request.head.sha // .workflow_run.head_sha // .merge_group.head_sha // $sha' "$GITHUB_EVENT_PATH")

# Another's code is built and not pushed: the packages that this repository's
# jobs trust hold what this repository's own commits gave.
outsider=$(jq -r --arg repo "$GITHUB_REPOSITORY" '
  if .pull_request then .pull_request.head.repo.full_name // "a repository that is gone"
  elif .workflow_run then .workflow_run.head_repository.full_name // "a repository that is gone"
  elif .issue.pull_request then "a pull request, of which the event does not say where it comes from"
  else $repo end
  | if ascii_downcase == ($repo | ascii_downcase) then "" else . end' "$GITHUB_EVENT_PATH")

# --- working folders; away from the workspace, so that no folder of the commit
# can pass for a registry's name
work=$RUNNER_TEMP/pindex
mkdir -p "$work"
work=$(mktemp -d "$work/run.XXXXXX")
cd "$work"
export PINDEX_CACHE_DIR=$work/cache
unset PINDEX_STORE PINDEX_MOUNT_FROM

emit() {
  [[ $2 != *[$'\n\r']* ]] || die "the output $1 has a line end in it"
  printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}
later() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_ENV"; }
summary() { printf '%s\n' "$@" >>"$GITHUB_STEP_SUMMARY"; }
bytes() { LC_ALL=C awk -v n="$1" 'BEGIN { if (n < 1e6) printf "%.1f kB", n / 1e3; else printf "%.1f MB", n / 1e6 }'; }

# with_registry runs a command that talks to the registry. The password goes to
# that host alone, and GitHub's own token to ghcr.io alone.
with_registry() {
  GITHUB_TOKEN=$github_token PINDEX_REGISTRY_HOST=$registry PINDEX_REGISTRY_USERNAME=$username \
    PINDEX_REGISTRY_PASSWORD=$password "$@"
}

emit commit "$commit"
emit event-commit "$event_commit"

# --- mode pull
if [[ $mode = pull ]]; then
  with_registry pindex-client pull --json --progress=plain --repo="$workspace" --store="$store" --commit="$commit" \
    "${viewflags[@]}" >pull.json
  emit digest "$(jq -r .digest pull.json)"
  emit reference "$store:$(jq -r '"\(.tag)@\(.oci_digest)"' pull.json)"
  emit mode unchanged
  emit segments-reused "$(jq .segments pull.json)"
  emit segments-built 0
  emit bytes-uploaded 0
  emit size-bytes "$(jq .size_bytes pull.json)"
  emit index-path "$PINDEX_CACHE_DIR"
  later PINDEX_CACHE_DIR "$PINDEX_CACHE_DIR"
  later PINDEX_STORE "$store"
  summary '### pindex: index pulled' '' '| | |' '|---|---|' "| commit | \`$commit\` |" "| index digest | \`$(jq -r .digest pull.json)\` |" \
    "| from | \`$store\` |" "| packs read | $(jq -r '"\(.fetched) of \(.partitions)"' pull.json), $(bytes "$(jq .bytes pull.json)") |"
  exit
fi

# --- mode build
layout=$work/index
# What the registry holds of a recent ancestor is named and neither read nor
# built. A fork's index goes nowhere and has to stand alone.
parent=none branch=()
[[ ${GITHUB_REF_TYPE:-} != branch || ${GITHUB_EVENT_NAME:-} != push ]] || branch=("${GITHUB_REF_NAME:-}")
if [[ -z $outsider ]]; then
  with_registry pindex prepare --json --quiet --repo="$workspace" --commit="$commit" --store="$store" --into="$layout" \
    "${viewflags[@]}" "${mount[@]}" "${branch[@]/#/--branch=}" >prepare.json ||
    printf 'pindex action: no index of an ancestor could be taken; building all of it\n' >&2
  parent=$(jq -r '.parent // "" | if . == "" then "none" else . end' prepare.json 2>/dev/null) || parent=none
fi
build() {
  pindex compile --json --progress=plain --repo="$workspace" --commit="$commit" --store="$layout" --report=report.json --parent="$1" \
    --source="${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY" "${viewflags[@]}" >compile.json
}
build "${parent:-none}"
read -r digest tag oci_digest < <(jq -r '"\(.digest) \(.tag) \(.oci_digest)"' compile.json)
size=$(jq .bytes compile.json)
read -r reused built < <(jq -r '"\(.segments_reused) \(.segments_built)"' report.json)

result=full uploaded=0 reference=
[[ $reused = 0 ]] || result=delta
if [[ -z $outsider ]]; then
  push() { with_registry pindex cp --json --progress=plain --repo="$workspace" --all "${public[@]}" "${mount[@]}" "$layout" "$store" >cp.json; }
  # A pack of the ancestor's may be gone by now: then all is built.
  push || { rm -rf "$layout"; build none; result=full; read -r reused built < <(jq -r '"\(.segments_reused) \(.segments_built)"' report.json); push; }
  # The ancestor's index goes nowhere: it is there.
  read -r uploaded unchanged < <(jq -r --arg tag "$tag" '.results[] | select(.tag == $tag) | "\(.bytes) \(.unchanged)"' cp.json)
  if [[ ${#branch[@]} -gt 0 && $tag = "$commit" ]]; then
    with_registry pindex branch "${branch[0]}" --quiet --json --repo="$workspace" --commit="$commit" --store="$store" >branch.json
  fi
  [[ $unchanged = false ]] || result=unchanged
  reference=$store:$tag@$oci_digest
fi

emit digest "$digest"
emit reference "$reference"
emit mode "$result"
emit segments-reused "$reused"
emit segments-built "$built"
emit bytes-uploaded "$uploaded"
emit size-bytes "$size"
emit index-path "$layout"
later PINDEX_STORE "$layout"
later PINDEX_CACHE_DIR "$PINDEX_CACHE_DIR"

# --- the job's summary. Paths are the repository's text, so they stand escaped
# in an HTML block, where nothing is markup.
case $result in
  unchanged) head='the registry held this index already' ;;
  *) head='index pushed' ;;
esac
[[ -z $outsider ]] || head='index built, not pushed'
summary "### pindex: $head" '' '| | |' '|---|---|' "| commit | \`$commit\` |"
[[ $commit = "$event_commit" ]] || summary "| the event's commit | \`${event_commit//[^0-9a-f]/}\` |"
summary "| index digest | \`$digest\` |"
if [[ -n $reference ]]; then
  summary "| reference | \`$reference\` |"
else
  summary "| not pushed, because the code comes from | $(jq -rn --arg o "$outsider" '$o | gsub("[^A-Za-z0-9._/, -]"; "?")') |"
fi
summary "| files | $(jq -r '"\(.indexed) of \(.files) indexed, \(.units) units"' report.json) |" \
  "| segments | $built built, $reused reused |" \
  "| size | $(bytes "$size") for $(bytes "$(jq .bytes report.json)") of source |" \
  "| uploaded | $(bytes "$uploaded") |" \
  "| time | $(jq .wall_ms.total report.json) ms |" \
  '' '| view | bytes | packed |' '|---|---:|---:|'
jq -r '.views | to_entries | sort_by(.key)[] | "| \(.key) | \(.value.raw) | \(.value.packed) |"' report.json >>"$GITHUB_STEP_SUMMARY"
for kind in skipped degraded; do
  jq -r --arg kind "$kind" '
    (.[$kind] // []) as $notes | if $notes == [] then empty else
    def safe: tostring | gsub("[\\x00-\\x1f\\x7f]"; "?") | @html;
    (if $kind == "skipped" then "in no view" else "read by lines or with gaps" end) as $what
    | "",
      "<details><summary>\($notes | length) files \($what): \([$notes | group_by(.reason)[] | "\(length) \(.[0].reason | safe)"][:10] | join(", "))</summary>",
      "<pre>",
      ($notes[:50][] | "\((.path // "(a name that is not UTF-8)") | safe): \(.reason | safe)\(if .rule then " (\(.rule | safe))" else "" end)"),
      (if ($notes | length) > 50 then "and \(($notes | length) - 50) more" else empty end),
      "</pre></details>"
    end' report.json >>"$GITHUB_STEP_SUMMARY"
done
