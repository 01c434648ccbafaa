# syntax=docker/dockerfile:1
# Images with pindex in them, static and without root:
#   docker build -t pindex .                          both programs, and git
#   docker build -t pindex-client --target client .   the reading program alone
# In CI the base images should be pinned by digest: --build-arg GO_IMAGE=golang@sha256:…
ARG GO_IMAGE=golang:1.26-alpine
ARG RUN_IMAGE=alpine:3.23

# What both programs need to be built; musl, so that C too is linked statically.
FROM ${GO_IMAGE} AS source
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .

FROM source AS build-client
RUN GOFLAGS="$(tr '\n' ' ' <cmd/pindex-client/goflags)" CGO_ENABLED=0 go build -o /out/pindex-client ./cmd/pindex-client
# The cache folder is made here, as the image below has no shell to make it.
RUN mkdir -p /out/cache && chmod 0700 /out/cache

FROM source AS build
RUN apk add --no-cache gcc musl-dev
RUN CGO_ENABLED=1 CGO_CFLAGS='-O2 -g0' go build -tags netgo,osusergo -trimpath -ldflags='-s -w -linkmode external -extldflags "-static"' \
      -o /out/pindex ./cmd/pindex

# The client and the roots of TLS, nothing else.
FROM scratch AS client
COPY --from=source /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build-client /out/pindex-client /usr/local/bin/pindex-client
COPY --from=build-client --chown=65532:65532 /out/cache /cache
ENV PINDEX_CACHE_DIR=/cache PATH=/usr/local/bin
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/pindex-client"]

# Both programs; git, as pindex reads repositories fastest through it.
FROM ${RUN_IMAGE} AS pindex
RUN apk add --no-cache git ca-certificates && adduser -D -u 65532 pindex && install -d -o pindex -g pindex -m 0700 /cache
COPY --from=build /out/pindex /usr/local/bin/pindex
COPY --from=build-client /out/pindex-client /usr/local/bin/pindex-client
ENV PINDEX_CACHE_DIR=/cache
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/pindex"]
