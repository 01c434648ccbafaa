# The grammars' generated C is large: debug information would double the build
# time and tell nobody anything. One setting for every target, so that builds,
# tests and checks share one cache.
export CGO_CFLAGS := -O2 -g0

TOOLS := internal/tools/go.mod
FUZZTIME ?= 5s

.PHONY: build test lint fuzz scripts golden clean

build:            ## bin/pindex
	go build -o bin/pindex ./cmd/pindex

test:             ## every test of every module
	go test ./...
	cd internal/oracle && go test ./...
	cd internal/distribution && go test ./...

lint:             ## gofmt, go vet, staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt these files:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go tool -modfile=$(TOOLS) staticcheck ./...

fuzz:             ## every fuzz target for FUZZTIME each
	.ci/fuzz $(FUZZTIME)

scripts:          ## the command line's txtar scripts alone
	go test -count=1 -run 'TestScripts' ./cmd/pindex

golden:           ## rewrite the golden artifacts; review the diff before committing
	go test ./artifact -run Golden -update

clean:
	rm -rf bin
