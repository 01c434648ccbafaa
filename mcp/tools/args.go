package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/internal/fail"
)

type argKind int

const (
	text argKind = iota
	number
	flag
)

// arg describes one argument of a tool; its schema and its check both come
// from here.
type arg struct {
	name     string
	about    string
	kind     argKind
	required bool
	min, max int      // of a number
	choice   []string // of a text; nil for any
}

// arguments are a call's arguments, checked.
type arguments struct {
	text   map[string]string
	number map[string]int
	flag   map[string]bool
}

// maxText bounds a text argument, in bytes.
const maxText = 8 << 10

// inputSchema writes the schema of a tool's arguments.
func inputSchema(args []arg) json.RawMessage {
	var b strings.Builder
	var required []string
	b.WriteString(`{"type":"object","properties":{`)
	for i, a := range args {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:{", a.name)
		b.WriteString(`"type":"` + [...]string{text: "string", number: "integer", flag: "boolean"}[a.kind] + `"`)
		if a.choice != nil {
			b.WriteString(`,"enum":["` + strings.Join(a.choice, `","`) + `"]`)
		}
		if a.kind == number {
			fmt.Fprintf(&b, `,"minimum":%d`, a.min)
			if a.max < maxLine {
				fmt.Fprintf(&b, `,"maximum":%d`, a.max)
			}
		}
		if a.about != "" {
			fmt.Fprintf(&b, `,"description":%q`, a.about)
		}
		b.WriteByte('}')
		if a.required {
			required = append(required, strconv.Quote(a.name))
		}
	}
	b.WriteByte('}')
	if required != nil {
		b.WriteString(`,"required":[` + strings.Join(required, ",") + `]`)
	}
	// Other properties are refused all the same; saying so would cost more
	// tokens than an error does.
	b.WriteByte('}')
	return json.RawMessage(b.String())
}

// parseArguments checks the arguments of a call. Errors have code Usage.
func parseArguments(args []arg, raw json.RawMessage) (arguments, error) {
	out := arguments{text: map[string]string{}, number: map[string]int{}, flag: map[string]bool{}}
	given := map[string]json.RawMessage{}
	if t := bytes.TrimSpace(raw); len(t) > 0 && !bytes.Equal(t, []byte("null")) {
		if err := json.Unmarshal(t, &given); err != nil {
			return out, fail.New(fail.Usage, "give an object with "+argNames(args), "the arguments are no JSON object")
		}
	}
	for _, a := range args {
		v, ok := given[a.name]
		delete(given, a.name)
		if !ok || string(v) == "null" {
			if a.required {
				return out, fail.New(fail.Usage, "give "+argNames(args), "the argument %s is missing", a.name)
			}
			continue
		}
		if err := out.set(a, v); err != nil {
			return out, err
		}
	}
	for _, name := range sortedKeys(given) {
		return out, fail.New(fail.Usage, "the arguments are "+argNames(args), "there is no argument %s", quote(name))
	}
	return out, nil
}

func (out *arguments) set(a arg, v json.RawMessage) error {
	switch a.kind {
	case flag:
		var on bool
		if err := json.Unmarshal(v, &on); err != nil {
			return fail.New(fail.Usage, "give true or false", "the argument %s cannot be %s", a.name, clip(string(v), 40))
		}
		out.flag[a.name] = on
		return nil
	case number:
		var n int
		if err := json.Unmarshal(v, &n); err != nil || n < a.min || n > a.max {
			return fail.New(fail.Usage, fmt.Sprintf("give a whole number from %d to %d", a.min, a.max), "the argument %s cannot be %s", a.name, clip(string(v), 40))
		}
		out.number[a.name] = n
		return nil
	}
	var s string
	if err := json.Unmarshal(v, &s); err != nil {
		return fail.New(fail.Usage, "give a string", "the argument %s is no string", a.name)
	}
	switch {
	case len(s) > maxText:
		return fail.New(fail.Usage, fmt.Sprintf("give at most %d bytes", maxText), "the argument %s has %d bytes", a.name, len(s))
	case a.required && strings.TrimSpace(s) == "":
		return fail.New(fail.Usage, "give some text", "the argument %s is empty", a.name)
	case a.choice != nil && s != "" && !slices.Contains(a.choice, s):
		return fail.New(fail.Usage, "use "+strings.Join(a.choice, ", "), "the argument %s cannot be %s", a.name, quote(s))
	}
	out.text[a.name] = s
	return nil
}

func argNames(args []arg) string {
	if len(args) == 0 {
		return "none"
	}
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a.name
	}
	return strings.Join(names, ", ")
}

// budget is how many bytes both forms of the reply may have together.
func (a arguments) budget() int {
	n, ok := a.number["max_tokens"]
	if !ok {
		n = DefaultTokens
	}
	return n * bytesPerToken
}
