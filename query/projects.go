package query

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/treepath"
)

func sortInts(s []int) { slices.Sort(s) }

// projects is what the tree's own project files say about module names.
type projects struct {
	goMods   []project // go.mod: module path
	packages []project // package.json: name
	crates   []project // Cargo.toml: crate name and the folder with lib.rs
}

type project struct {
	name, dir string
	main      string // of a package.json: the file that stands for the folder
}

// loadProjects reads the project files; without the source view there are
// none, and names resolve by paths alone.
func (b *binder) loadProjects() error {
	if b.projects != nil {
		return nil
	}
	p, err := b.e.projects.get(func() (*projects, error) {
		p := &projects{}
		if !b.e.has(artifact.Source) {
			return p, nil
		}
		read := func(i int32) ([]byte, error) {
			f := &b.t.files[i]
			src, err := b.e.ix.Source(f.p)
			if err != nil {
				return nil, err
			}
			c := src.Content(f.f)
			return c[:min(len(c), 64<<10)], nil
		}
		for _, i := range b.t.byBase()["go.mod"] {
			text, err := read(i)
			if err != nil {
				return nil, err
			}
			if name := goModName(text); name != "" {
				p.goMods = append(p.goMods, project{name: name, dir: treepath.Dir(b.t.files[i].path)})
			}
		}
		for _, i := range b.t.byBase()["package.json"] {
			if classify(b.t.files[i].path)&classVendored != 0 {
				continue
			}
			text, err := read(i)
			if err != nil {
				return nil, err
			}
			if name, main := packageJSON(text); name != "" || main != "" {
				p.packages = append(p.packages, project{name, treepath.Dir(b.t.files[i].path), main})
			}
		}
		for _, i := range b.t.byBase()["Cargo.toml"] {
			text, err := read(i)
			if err != nil {
				return nil, err
			}
			dir := treepath.Under(treepath.Dir(b.t.files[i].path), "src")
			if treepath.Dir(b.t.files[i].path) == "" {
				dir = "src"
			}
			if name := cargoName(text); name != "" && len(b.at(dir+"/lib.rs")) > 0 {
				p.crates = append(p.crates, project{name: strings.ReplaceAll(name, "-", "_"), dir: dir})
			}
		}
		return p, nil
	})
	b.projects = p
	return err
}

// goModName returns the module path of a go.mod.
func goModName(text []byte) string {
	for _, line := range bytes.Split(text, lf) {
		s := strings.TrimSpace(string(line))
		if rest, ok := strings.CutPrefix(s, "module"); ok && rest != "" && (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '"') {
			rest, _, _ = strings.Cut(rest, "//")
			return strings.Trim(strings.TrimSpace(rest), "\"`")
		}
	}
	return ""
}

// packageJSON returns the name of a package.json's package and the file that
// stands for its folder.
func packageJSON(text []byte) (name, main string) {
	var p struct {
		Name   string `json:"name"`
		Source string `json:"source"`
		Main   string `json:"main"`
		Module string `json:"module"`
	}
	if json.Unmarshal(text, &p) != nil {
		return "", ""
	}
	return p.Name, cmp.Or(p.Source, p.Main, p.Module)
}

// cargoName returns the name in the [lib] section of a Cargo.toml, else the
// one in [package].
func cargoName(text []byte) string {
	section, name := "", ""
	for _, line := range bytes.Split(text, lf) {
		s := strings.TrimSpace(string(line))
		if strings.HasPrefix(s, "[") {
			section = strings.Trim(s, "[] ")
			continue
		}
		key, value, ok := strings.Cut(s, "=")
		if !ok || strings.TrimSpace(key) != "name" {
			continue
		}
		value, _, _ = strings.Cut(strings.TrimSpace(value), "#")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch section {
		case "lib":
			return value
		case "package":
			name = value
		}
	}
	return name
}
