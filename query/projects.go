package query

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

func sortInts(s []int) { slices.Sort(s) }

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

// jsonName returns the member "name" of a JSON object.
func jsonName(text []byte) string {
	var p struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(text, &p) != nil {
		return ""
	}
	return p.Name
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
