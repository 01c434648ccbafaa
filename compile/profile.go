package compile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/languages"
	"github.com/pindex-dev/pindex/compile/scip"
	"github.com/pindex-dev/pindex/compile/units"
	"github.com/pindex-dev/pindex/compile/views"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/embed/builtin"
	"github.com/pindex-dev/pindex/internal/secrets"
)

// Version changes whenever this package decides something about a file in a
// new way; it is part of the profile.
const Version = "3"

// newProfile returns θ: all that can change a byte besides the commit. chosen
// is Options.Views and allowed Options.AllowSecrets, both normalized; bits is
// Options.PartitionBits.
func newProfile(limits Limits, model embed.Embedder, bits *int, chosen []artifact.View, allowed []string) (artifact.Profile, error) {
	format := fmt.Sprintf("format %d", artifact.FormatVersion)
	p := artifact.Profile{
		Views: map[string]string{
			artifact.Units.String():      fmt.Sprintf("%s, units %s, compile %s, secrets %s", format, units.Version, Version, secrets.Version),
			artifact.Source.String():     format,
			artifact.Lexical.String():    fmt.Sprintf("%s, views %s, analysis %s", format, views.LexicalVersion, analysis.Version),
			artifact.Dense.String():      fmt.Sprintf("%s, views %s, %s %d %s", format, views.Version, model.Name(), model.Dims(), modelDigest(model)),
			artifact.Structural.String(): fmt.Sprintf("%s, views %s, scip %s", format, views.Version, scip.Version),
		},
		Languages: languages.Versions(),
		Options: map[string]string{
			"parse_bytes": fmt.Sprint(limits.ParseBytes),
			"index_bytes": fmt.Sprint(limits.IndexBytes),
			"partitions":  "sha256 low bits, rule " + partitionRule,
		},
	}
	if bits != nil {
		p.Options["partitions"] = fmt.Sprintf("sha256 low bits, k = %d", *bits)
	}
	if chosen != nil {
		names := []string{}
		for _, v := range chosen {
			names = append(names, v.String())
		}
		p.Options["views"] = strings.Join(names, " ")
	}
	if len(allowed) > 0 {
		p.Options[allowOption] = formatPaths(allowed)
	}
	var err error
	p.Digest, err = p.Compute()
	return p, err
}

// modelDigest is the digest of a model's table. That of the built-in one is
// known: hashing it costs as much as building a small change.
func modelDigest(e embed.Embedder) artifact.Digest {
	if builtin.Is(e) {
		return builtinDigest
	}
	return artifact.DigestOf(e.Model())
}

var builtinDigest = mustParse("sha256:" + builtin.Digest)

func mustParse(s string) artifact.Digest {
	d, err := artifact.ParseDigest(s)
	if err != nil {
		panic(err) // a constant
	}
	return d
}

const allowOption = "allow_secrets"

// formatPaths writes paths, which are any bytes, as quoted strings with blanks
// between.
func formatPaths(paths []string) string {
	var b []byte
	for i, p := range paths {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendQuoteToASCII(b, p)
	}
	return string(b)
}

// AllowedSecrets returns the Options.AllowSecrets of the compile that had this
// profile. An error says that no compile had it.
func AllowedSecrets(p *artifact.Profile) ([]string, error) {
	var out []string
	for rest := p.Options[allowOption]; rest != ""; {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return nil, fmt.Errorf("profile option %s: %w", allowOption, err)
		}
		path, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("profile option %s: %w", allowOption, err)
		}
		out = append(out, path)
		rest = strings.TrimPrefix(rest[len(quoted):], " ")
	}
	return out, nil
}

// viewTheta is θ as far as it reaches one view: every view rests on the
// units, because it refers to them by number.
func viewTheta(p *artifact.Profile, v artifact.View) string {
	base := p.Views[artifact.Units.String()]
	if v == artifact.Units {
		return base
	}
	return base + "; " + p.Views[v.String()]
}

// langThetas is θ as far as it reaches a run of files: the parsers of the
// languages that their names tell, and all parsers where a file's language
// depends on its content.
func langThetas(p *artifact.Profile, langs map[string]bool) []string {
	if langs[""] {
		langs = map[string]bool{}
		for lang := range p.Languages {
			langs[lang] = true
		}
	}
	out := make([]string, 0, len(langs))
	for _, lang := range slices.Sorted(maps.Keys(langs)) {
		if v, ok := p.Languages[lang]; ok {
			out = append(out, lang+" "+v)
		}
	}
	return out
}

// languageNames returns the languages that can be parsed, sorted.
func languageNames() []string { return slices.Sorted(maps.Keys(languages.Backends())) }

func parseChosenView(name string) (artifact.View, bool) {
	v, ok := artifact.ParseView(strings.TrimSpace(name))
	return v, ok && v != artifact.Units
}
