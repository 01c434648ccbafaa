package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote/auth"
)

// The writing requests of the distribution protocol, and the one that lists
// tags. They are sent here and not through the library's repository type, which
// the small client would have to link whole: some 90 KB, and its errors do not
// tell what Retry-After said.

// The rights that a request needs, for registries that give out tokens.
var (
	mayPull   = []string{auth.ActionPull}
	mayPush   = []string{auth.ActionPull, auth.ActionPush}
	mayDelete = []string{auth.ActionPull, auth.ActionDelete}
)

// send sends a request to an address below this endpoint's host. The caller
// closes the body, whatever the status.
func (e *endpoint) send(ctx context.Context, method, address string, body []byte, header map[string]string, rights []string) (*http.Response, error) {
	ctx = auth.AppendRepositoryScope(ctx, e.ref.Reference, rights...)
	var r io.Reader
	if body != nil {
		r = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, r)
	if err != nil {
		return nil, err
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	return e.client.Do(req)
}

// finish closes an answer that has to have the wanted status.
func finish(resp *http.Response, want int) error {
	defer resp.Body.Close()
	if resp.StatusCode != want {
		return errorResponse(resp)
	}
	return nil
}

// putManifest stores a manifest under a tag or its digest.
func (e *endpoint) putManifest(ctx context.Context, d ocispec.Descriptor, b []byte, reference string) error {
	resp, err := e.send(ctx, http.MethodPut, e.ref.base()+"/manifests/"+reference, b, map[string]string{"Content-Type": d.MediaType}, mayPush)
	if err != nil {
		return err
	}
	stored := resp.Header.Get("Docker-Content-Digest")
	if err := finish(resp, http.StatusCreated); err != nil {
		return err
	}
	if stored != "" && stored != string(d.Digest) {
		return e.damaged(d, fmt.Errorf("the registry stored it as %.100q", stored))
	}
	return nil
}

// upload stores a blob in one piece, in a session of its own.
func (e *endpoint) upload(ctx context.Context, d ocispec.Descriptor, b []byte) error {
	start := e.ref.base() + "/blobs/uploads/"
	resp, err := e.send(ctx, http.MethodPost, start, nil, nil, mayPush)
	if err != nil {
		return err
	}
	asked, location := resp.Request.URL, resp.Header.Get("Location")
	if err := finish(resp, http.StatusAccepted); err != nil {
		return err
	}
	to, err := sameHost(asked, location)
	if err != nil {
		return fmt.Errorf("the upload's address was refused: %w", err)
	}
	q := to.Query()
	q.Set("digest", string(d.Digest))
	to.RawQuery = q.Encode()
	resp, err = e.send(ctx, http.MethodPut, to.String(), b, map[string]string{"Content-Type": "application/octet-stream"}, mayPush)
	if err != nil {
		return err
	}
	return finish(resp, http.StatusCreated)
}

// errElsewhere refuses an address that a registry gave for what would carry
// credentials or content.
var errElsewhere = errors.New("it redirects the request to another host, or out of TLS")

// sameHost resolves an address that a registry named, which has to stay with
// the registry.
func sameHost(asked *url.URL, location string) (*url.URL, error) {
	if location == "" {
		return nil, errors.New("none came")
	}
	to, err := asked.Parse(location)
	if err != nil {
		return nil, err
	}
	if to.User != nil || to.Scheme != asked.Scheme || !strings.EqualFold(to.Hostname(), asked.Hostname()) || port(to) != port(asked) {
		return nil, errElsewhere
	}
	to.Host = asked.Host // some registries drop the port when it is 443
	return to, nil
}

func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// Limits on a list of tags: of one page in bytes, and of pages.
const (
	maxTagPage  = 8 << 20
	maxTagPages = 1000
	tagPageSize = 1000 // what is asked for; registries may give less
)

// tags hands the pages of the tag list, those after last, to fn until it
// returns an error or there are no more.
func (e *endpoint) tags(ctx context.Context, last string, fn func(page []string) error) error {
	address := fmt.Sprintf("%s/tags/list?n=%d", e.ref.base(), tagPageSize)
	if last != "" {
		address += "&last=" + url.QueryEscape(last)
	}
	for range maxTagPages {
		resp, err := e.send(ctx, http.MethodGet, address, nil, nil, mayPull)
		if err != nil {
			return err
		}
		names, next, err := readTagPage(resp)
		if err != nil {
			return err
		}
		if err := fn(names); err != nil || next == "" {
			return err
		}
		address = next
	}
	return fmt.Errorf("the list of tags has more than %d pages", maxTagPages)
}

// readTagPage reads one page and the address of the next, "" for none.
func readTagPage(resp *http.Response) (names []string, next string, err error) {
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, "", errorResponse(resp)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxTagPage+1))
	if err != nil {
		return nil, "", err
	}
	var page struct{ Tags []string }
	if len(b) > maxTagPage {
		return nil, "", fmt.Errorf("a page of the list of tags has more than %d bytes", maxTagPage)
	}
	if err := json.Unmarshal(b, &page); err != nil {
		return nil, "", fmt.Errorf("the list of tags is none: %w", err)
	}
	link := resp.Header.Get("Link")
	if link == "" {
		return page.Tags, "", nil
	}
	link, _, ok := strings.Cut(strings.TrimPrefix(link, "<"), ">")
	if !ok {
		return nil, "", errors.New("the address of the next page of tags cannot be read")
	}
	to, err := sameHost(resp.Request.URL, link)
	if err != nil {
		return nil, "", fmt.Errorf("the next page of tags: %w", err)
	}
	return page.Tags, to.String(), nil
}
