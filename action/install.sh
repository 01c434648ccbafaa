#!/usr/bin/env bash
# The action's first step: builds the program that the mode needs and puts it on
# the job's PATH. Mode build takes pindex, which needs a C compiler; mode pull
# the static pindex-client. Inputs are PINDEX_ACTION_MODE and
# PINDEX_ACTION_VERSION (empty: the source that this action comes with).
set -euo pipefail

die() { printf 'pindex action: %s\n' "$*" >&2; exit 2; }

mode=${PINDEX_ACTION_MODE:-build}
version=${PINDEX_ACTION_VERSION:-}
case $mode in
  build) program=pindex ;;
  pull) program=pindex-client ;;
  *) die "the input 'mode' is build or pull" ;;
esac
[[ $version =~ ^[A-Za-z0-9._+-]*$ ]] || die "the input 'version' is a version such as v1.2.3"
command -v go >/dev/null 2>&1 || die 'Go is missing'

bin=$RUNNER_TEMP/pindex/bin
mkdir -p "$bin"
flags=(-trimpath -ldflags '-s -w')
if [[ $mode = build ]]; then
  export CGO_ENABLED=1 CGO_CFLAGS='-O2 -g0'
  command -v "${CC:-cc}" >/dev/null 2>&1 || die "mode build needs a C compiler: the parsers are C"
else
  export CGO_ENABLED=0 GOFLAGS
  GOFLAGS=$(tr '\n' ' ' <"$GITHUB_ACTION_PATH/cmd/pindex-client/goflags")
  flags=()
fi
# Not in the workspace, whose go.mod, go.work and settings are another's.
cd "$GITHUB_ACTION_PATH"
if [[ -z $version ]]; then
  go build "${flags[@]}" -o "$bin/" "./cmd/$program"
else
  GOBIN=$bin go install "${flags[@]}" "github.com/pindex-dev/pindex/cmd/$program@$version"
fi
"$bin/$program" --version
printf '%s\n' "$bin" >>"$GITHUB_PATH"
