package bylines

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/internal/secrets"
)

// configPath is the file in the tree whose settings change its index.
const configPath = ".pindex.yaml"

// rules say what is done with a file, as the base's profile and the settings
// in the tree have it.
type rules struct {
	format     gitobj.Format
	indexBytes int64
	allowed    map[string]bool   // secrets that the user of the base allowed
	settings   []byte            // the text of the settings in the tree
	config     *config           // what it says; nil without any
	was        map[string]bool   // paths of the base that its settings left out
	byPath     map[string]string // language, by path, by name and by extension
	byName     map[string]string
}

const defaultIndexBytes = 16 << 20

// newRules reads what the base knows.
func newRules(base *artifact.Index) (*rules, error) {
	m := base.Manifest()
	r := &rules{
		format: gitobj.SHA1, indexBytes: defaultIndexBytes,
		allowed: map[string]bool{}, was: map[string]bool{}, byPath: map[string]string{}, byName: map[string]string{},
	}
	if m.ObjectFormat == "sha256" {
		r.format = gitobj.SHA256
	}
	if n, err := strconv.ParseInt(m.Profile.Options["index_bytes"], 10, 64); err == nil && n > 0 {
		r.indexBytes = n
	}
	for rest := m.Profile.Options["allow_secrets"]; rest != ""; {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			break
		}
		if p, err := strconv.Unquote(quoted); err == nil {
			r.allowed[p] = true
		}
		rest = strings.TrimPrefix(rest[len(quoted):], " ")
	}
	votes := map[string]map[string]int{}
	for p := range base.NumPartitions() {
		u, err := base.Units(p)
		if err != nil {
			return nil, err
		}
		for f := range u.NumFiles() {
			switch u.Skip(f) {
			case artifact.SkipExcluded:
				r.was[u.Path(f)] = true
			case artifact.SkipNone:
				name := u.Path(f)
				r.byPath[name] = u.Lang(f)
				for _, k := range namesOf(name) {
					if votes[k] == nil {
						votes[k] = map[string]int{}
					}
					votes[k][u.Lang(f)]++
				}
			}
		}
	}
	for name, langs := range votes {
		best := ""
		for lang, n := range langs {
			if n > langs[best] || n == langs[best] && lang < best {
				best = lang
			}
		}
		r.byName[name] = best
	}
	return r, nil
}

// namesOf returns what tells of a file's language: its name, and its extension
// with the dot.
func namesOf(p string) []string {
	base := path.Base(p)
	if ext := path.Ext(base); ext != "" && ext != base {
		return []string{base, strings.ToLower(ext)}
	}
	return []string{base}
}

// language returns the language that the base has for such a name: there is no
// table of languages here.
func (r *rules) language(p string) string {
	if lang, ok := r.byPath[p]; ok {
		return lang
	}
	for _, k := range namesOf(p) {
		if lang, ok := r.byName[k]; ok {
			return lang
		}
	}
	return ""
}

// excludes reports whether the settings leave a file out.
func (r *rules) excludes(p string) bool {
	if r.config == nil || r.was[p] && r.config.odd {
		return r.config != nil
	}
	if _, known := r.byPath[p]; r.config.odd {
		return !known
	}
	return !r.config.allows(p)
}

// limit is the size in bytes above which a file is not indexed.
func (r *rules) limit() int64 {
	if r.config != nil && r.config.indexBytes > 0 {
		return min(r.indexBytes, r.config.indexBytes)
	}
	return r.indexBytes
}

// resettled reports whether these settings decide otherwise about a file of the
// base than the base's did.
func (r *rules) resettled(name string, was artifact.Skip, size uint64) bool {
	switch {
	case was == artifact.SkipSubmodule, was == artifact.SkipMissing:
		return false
	case r.was[name] != r.excludes(name):
		return true
	case r.was[name], was == artifact.SkipSecret && secrets.Name(name):
		return false
	}
	return (was == artifact.SkipTooLarge) != (size > uint64(r.limit()))
}

// settle finds the rules for a tree with these changes, which are sorted. Where
// the settings themselves differ from the base's, files join the changed ones
// and others leave the base.
func (b *Builder) settle(files []File, read Read) (_ []File, hidden []string, err error) {
	if b.rules == nil {
		if b.rules, err = newRules(b.base); err != nil {
			return nil, nil, err
		}
	}
	r := b.rules
	part, f, had, err := b.base.FindFile(configPath)
	if err != nil {
		return nil, nil, err
	}
	changed := make(map[string]bool, len(files))
	for _, c := range files {
		changed[c.Path] = true
	}
	var content []byte
	if had || changed[configPath] {
		content, _, err = read(configPath, 0o100644, maxConfig)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if !bytes.Equal(content, r.settings) {
		b.last = nil // what was decided about files by other settings
	}
	r.settings, r.config = content, nil
	if !had && !changed[configPath] {
		return files, nil, nil
	}
	r.config = parseConfig(content)
	if had {
		u, err := b.base.Units(part)
		if err != nil {
			return nil, nil, err
		}
		if u.Blob(f) == gitobj.Hash(r.format, "blob", content) {
			return files, nil, nil // as the base has it
		}
	}
	for p := range b.base.NumPartitions() {
		u, err := b.base.Units(p)
		if err != nil {
			return nil, nil, err
		}
		for f := range u.NumFiles() {
			name := u.Path(f)
			if r.resettled(name, u.Skip(f), u.Size(f)) {
				hidden = append(hidden, name)
				if !changed[name] {
					files = append(files, File{Path: name, Mode: u.Mode(f)})
				}
			}
		}
	}
	sortFiles(files)
	return files, hidden, nil
}
