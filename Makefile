# The grammars' generated C is large: debug information would double the build
# time and tell nobody anything. One setting for every target, so that builds,
# tests and checks share one cache.
export CGO_CFLAGS := -O2 -g0

TOOLS := internal/tools/go.mod
FUZZTIME ?= 5s

.PHONY: build client test lint actionlint action fuzz scripts golden eval context clean

build:            ## bin/pindex
	go build -o bin/pindex ./cmd/pindex

# cmd/pindex-client/goflags keeps the client small: without HTTP/2, of which
# registries have no need (0.4 MB), without inlining outside of what a query runs
# through (0.6 MB), and with functions at multiples of 16 bytes in place of 32 (0.1 MB).
client:           ## bin/pindex-client-OS-ARCH for every system, static and stripped
	@for t in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do \
		os=$${t%/*} arch=$${t#*/} ext=; [ $$os = windows ] && ext=.exe; \
		GOFLAGS="$$(tr '\n' ' ' <cmd/pindex-client/goflags)" CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build -o bin/pindex-client-$$os-$$arch$$ext ./cmd/pindex-client || exit 1; \
		ls -l bin/pindex-client-$$os-$$arch$$ext; \
	done

test:             ## every test of every module
	go test ./...
	cd internal/oracle && go test ./...
	cd internal/distribution && go test ./...
	cd internal/scipold && go test ./...
	cd internal/annbench && go test ./...

lint: actionlint  ## gofmt, go vet, staticcheck, actionlint
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt these files:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go tool -modfile=$(TOOLS) staticcheck ./...

actionlint:       ## the workflows in .github
	go tool -modfile=$(TOOLS) actionlint

action:           ## the action's steps, as a runner runs them, against a registry process
	action/test.sh

fuzz:             ## every fuzz target for FUZZTIME each
	.ci/fuzz $(FUZZTIME)

scripts:          ## the command line's txtar scripts alone
	go test -count=1 -run 'TestScripts' ./cmd/pindex ./cmd/pindex-client

golden:           ## rewrite the golden artifacts; review the diff before committing
	go test ./artifact -run Golden -update

eval:             ## the ranking's tables: make eval DATA=folder MIRRORS=folder WORK=folder
	go run ./internal/evalbench eval -data $(DATA) -mirrors $(MIRRORS) -work $(WORK)
	go run ./internal/evalbench ablate -data $(DATA) -work $(WORK)
	go run ./internal/evalbench worst -data $(DATA) -work $(WORK)

context:          ## the tables of bundles, explorers and verbatim lines: make context DATA=folder MIRRORS=folder WORK=folder
	go run ./internal/evalbench bundles -set loc -data $(DATA) -mirrors $(MIRRORS) -work $(WORK)
	go run ./internal/evalbench explore -set loc -n 100 -data $(DATA) -mirrors $(MIRRORS) -work $(WORK)
	go run ./internal/evalbench verbatim -set loc -n 1000 -data $(DATA) -mirrors $(MIRRORS) -work $(WORK)

clean:
	rm -rf bin
