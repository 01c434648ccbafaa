module github.com/pindex-dev/pindex/internal/annbench

go 1.26.0

require (
	github.com/coder/hnsw v0.6.1
	github.com/pindex-dev/pindex v0.0.0
)

require (
	github.com/chewxy/math32 v1.10.1 // indirect
	github.com/google/renameio v1.0.1 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/opencontainers/image-spec v1.1.1 // indirect
	github.com/viterin/partial v1.1.0 // indirect
	github.com/viterin/vek v0.4.2 // indirect
	golang.org/x/exp v0.0.0-20240506185415-9bf2ced13842 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	oras.land/oras-go/v2 v2.7.0 // indirect
)

replace github.com/pindex-dev/pindex => ../..
