package cli

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
)

// marshal returns the canonical JSON of an answer, in which strings that are
// no UTF-8 stand under "<key>_b64" in base64. encoding/json alone would replace
// their bytes by U+FFFD, and the answer would no longer be verbatim.
func marshal(v any) ([]byte, error) {
	tree, err := plain(reflect.ValueOf(v))
	if err != nil {
		return nil, err
	}
	return artifact.Canonical(tree)
}

var (
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

// plain turns a value into maps, slices and scalars.
func plain(v reflect.Value) (any, error) {
	if !v.IsValid() {
		return nil, nil
	}
	if v.Type().Implements(marshalerType) || v.Type().Implements(textMarshalerType) {
		return v.Interface(), nil
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil, nil
		}
		return plain(v.Elem())
	case reflect.Struct:
		out := map[string]any{}
		return out, fields(v, out)
	case reflect.Map:
		out := make(map[string]any, v.Len())
		keys := v.MapKeys()
		sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
		for _, k := range keys {
			if err := put(out, k.String(), v.MapIndex(k)); err != nil {
				return nil, err
			}
		}
		return out, nil
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return base64.StdEncoding.EncodeToString(v.Bytes()), nil
		}
		out := make([]any, v.Len())
		for i := range out {
			var err error
			if out[i], err = element(v.Index(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float64:
		return v.Interface(), nil
	}
	return nil, fmt.Errorf("no JSON form for %s", v.Type())
}

// element is plain for a member of a list, where a string that is no UTF-8 has
// no key that could be renamed: it becomes an object.
func element(v reflect.Value) (any, error) {
	for v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.String && !utf8.ValidString(v.String()) {
		return map[string]any{"b64": base64.StdEncoding.EncodeToString([]byte(v.String()))}, nil
	}
	return plain(v)
}

func fields(v reflect.Value, out map[string]any) error {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() && !f.Anonymous {
			continue
		}
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		fv := v.Field(i)
		for f.Anonymous && fv.Kind() == reflect.Pointer && !fv.IsNil() {
			fv = fv.Elem()
		}
		if f.Anonymous && name == "" && fv.Kind() == reflect.Struct {
			if err := fields(fv, out); err != nil {
				return err
			}
			continue
		}
		if name == "" {
			name = f.Name
		}
		if strings.Contains(opts, "omitempty") && empty(fv) || strings.Contains(opts, "omitzero") && fv.IsZero() {
			continue
		}
		if err := put(out, name, fv); err != nil {
			return err
		}
	}
	return nil
}

func put(out map[string]any, key string, v reflect.Value) error {
	for v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.String && !utf8.ValidString(v.String()) {
		out[key+"_b64"] = base64.StdEncoding.EncodeToString([]byte(v.String()))
		return nil
	}
	p, err := plain(v)
	if err != nil {
		return err
	}
	out[key] = p
	return nil
}

func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Array, reflect.String:
		return v.Len() == 0
	}
	return v.IsZero()
}
