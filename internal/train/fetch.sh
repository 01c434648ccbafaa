#!/usr/bin/env bash
# Fetches the packages of packages.txt into a folder, each through its
# registry's ordinary client. Nothing is built or run of what is fetched. A
# package that cannot be had is left out and named at the end.
#
#	internal/train/fetch.sh FOLDER [py|go|cargo|npm|mvn|deb]...
set -u
out=$(realpath -m "${1:?a folder}"); shift
here=$(cd "$(dirname "$0")" && pwd)
kinds=${*:-py go cargo npm mvn deb}
mkdir -p "$out/log"

names() { awk -v k="$1" '$1 == k { for (i = 2; i <= NF; i++) print $i }' "$here/packages.txt"; }

fetch_py() {
	mkdir -p "$out/py"
	names py | xargs -P 3 -n 6 sh -c 'cd "'"$out/py"'" && for p; do
		pip download -q --no-deps --only-binary :all: -d . "$p" || echo "py $p" >> ../log/missing
	done' sh >/dev/null 2>"$out/log/py"
}

fetch_go() {
	mkdir -p "$out/go"
	export GOMODCACHE="$out/go" GOFLAGS=-modcacherw
	names go | xargs -P 3 -n 1 sh -c 'cd / && go mod download "$1@latest" || echo "go $1" >> "'"$out/log/missing"'"' sh >/dev/null 2>"$out/log/go"
}

# One project a crate: features and versions of others do not matter.
fetch_cargo() {
	mkdir -p "$out/cargo/home" "$out/cargo/p"
	export CARGO_HOME="$out/cargo/home"
	if [ -f "$HOME/.cargo/config.toml" ]; then cp "$HOME/.cargo/config.toml" "$CARGO_HOME/"; fi
	names cargo | xargs -n 12 echo | while read -r group; do
		d="$out/cargo/p/$(echo "$group" | cut -d' ' -f1)"
		mkdir -p "$d/src"; : >"$d/src/lib.rs"
		fill() { printf '[package]\nname = "p"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n' >"$d/Cargo.toml"; for c; do echo "$c = \"*\"" >>"$d/Cargo.toml"; done; }
		# shellcheck disable=SC2086
		fill $group
		if ! (cd "$d" && cargo fetch -q); then
			for c in $group; do fill "$c"; rm -f "$d/Cargo.lock"; (cd "$d" && cargo fetch -q) || echo "cargo $c" >>"$out/log/missing"; done
		fi
	done >/dev/null 2>"$out/log/cargo"
}

fetch_npm() {
	mkdir -p "$out/npm"
	names npm | xargs -P 3 -n 4 sh -c 'cd "'"$out/npm"'" && npm pack --silent --ignore-scripts "$@" || for p; do
		npm pack --silent --ignore-scripts "$p" || echo "npm $p" >> ../log/missing
	done' sh >/dev/null 2>"$out/log/npm"
}

fetch_mvn() {
	mkdir -p "$out/mvn"
	local n=0
	names mvn | xargs -n 60 echo | while read -r group; do
		n=$((n + 1))
		{
			echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>p</groupId><artifactId>p</artifactId><version>1</version><packaging>pom</packaging><dependencies>'
			for a in $group; do
				IFS=: read -r g i v <<<"$a"
				echo "<dependency><groupId>$g</groupId><artifactId>$i</artifactId><version>$v</version><classifier>sources</classifier><exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>"
			done
			echo '</dependencies></project>'
		} >"$out/mvn/pom.xml"
		while ! mvn -q -B -ntp -Dmaven.repo.local="$out/mvn/repo" -f "$out/mvn/pom.xml" dependency:copy-dependencies -DoutputDirectory="$out/mvn/jars" -Dmdep.useRepositoryLayout=true >"$out/mvn/err" 2>&1; do
			# Leave out what is missing, and try again.
			bad=$(grep -oE '[A-Za-z0-9_.-]+:[A-Za-z0-9_.-]+:jar:sources:[A-Za-z0-9_.-]+' "$out/mvn/err" | sort -u)
			[ -n "$bad" ] || { cat "$out/mvn/err" >&2; break; }
			before=$(wc -l <"$out/mvn/pom.xml")
			for b in $bad; do
				IFS=: read -r g i _ <<<"$b"
				grep -v "<groupId>$g</groupId><artifactId>$i</artifactId>" "$out/mvn/pom.xml" >"$out/mvn/next"; mv "$out/mvn/next" "$out/mvn/pom.xml"
				echo "mvn $g:$i" >>"$out/log/missing"
			done
			[ "$(wc -l <"$out/mvn/pom.xml")" -lt "$before" ] || { cat "$out/mvn/err" >&2; break; }
		done
	done 2>"$out/log/mvn"
}

# The list of source packages is kept apart from the machine's own.
fetch_deb() {
	mkdir -p "$out/deb" "$out/apt/lists/partial" "$out/apt/cache/archives/partial"
	grep -rhE '^URIs:.*debian$' /etc/apt/sources.list.d 2>/dev/null | head -1 | awk '{print "deb-src " $2 " bookworm main"}' >"$out/apt/sources.list"
	local opt="-o Dir::Etc::SourceList=$out/apt/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists=$out/apt/lists -o Dir::Cache=$out/apt/cache"
	# shellcheck disable=SC2086
	apt-get -qq $opt update
	# shellcheck disable=SC2086
	names deb | xargs -P 3 -n 1 sh -c 'cd "'"$out/deb"'" && apt-get -qq '"$opt"' source --download-only "$1" || echo "deb $1" >> ../log/missing' sh >/dev/null 2>"$out/log/deb"
}

for k in $kinds; do "fetch_$k"; done
if [ -s "$out/log/missing" ]; then echo "not to be had:"; sort -u "$out/log/missing"; fi
