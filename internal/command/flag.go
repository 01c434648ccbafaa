package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// flag is one flag.
type flag struct {
	name, letter string // without dashes; letter may be empty
	usage        string // the value's name stands in backquotes; hidden where it is empty
	kind         string // of the value, where usage names none
	initial      string // the default, as help shows it; empty for none
	bare         bool   // takes no value
	given        bool
	set          func(value string) error
}

func (f *flag) put(value string) error {
	if err := f.set(value); err != nil {
		var number *strconv.NumError
		if errors.As(err, &number) {
			err = number.Err
		}
		return fmt.Errorf("invalid argument %q for --%s: %v", value, f.name, err)
	}
	f.given = true
	return nil
}

// FlagSet holds the flags of a command. In a usage, a word in backquotes names
// the value in help; a flag with an empty usage is taken and stands in no help.
// The value of each variable before parsing is the default that is given here.
type FlagSet struct{ list []*flag }

// Changed reports whether the flag was given.
func (s *FlagSet) Changed(name string) bool {
	for _, f := range s.list {
		if f.name == name {
			return f.given
		}
	}
	return false
}

// StringVar adds a flag whose value is a string.
func (s *FlagSet) StringVar(p *string, name, value, usage string) {
	*p = value
	initial := ""
	if value != "" {
		initial = strconv.Quote(value)
	}
	s.list = append(s.list, &flag{name: name, usage: usage, kind: "string", initial: initial, set: func(v string) error {
		*p = v
		return nil
	}})
}

// StringArrayVar adds a flag that may be given several times.
func (s *FlagSet) StringArrayVar(p *[]string, name string, value []string, usage string) {
	s.strings(p, name, "string", value, usage, func(v string) []string { return []string{v} })
}

// StringSliceVar adds a flag whose value is a list with commas, and which may
// be given several times.
func (s *FlagSet) StringSliceVar(p *[]string, name string, value []string, usage string) {
	s.strings(p, name, "strings", value, usage, func(v string) []string {
		if v == "" {
			return nil
		}
		return strings.Split(v, ",")
	})
}

func (s *FlagSet) strings(p *[]string, name, kind string, value []string, usage string, split func(string) []string) {
	*p = value
	given := false
	s.list = append(s.list, &flag{name: name, usage: usage, kind: kind, initial: strings.Join(value, ","), set: func(v string) error {
		if !given {
			*p, given = nil, true
		}
		*p = append(*p, split(v)...)
		return nil
	}})
}

// BoolVar adds a flag that takes no value.
func (s *FlagSet) BoolVar(p *bool, name string, value bool, usage string) {
	s.BoolVarP(p, name, "", value, usage)
}

// BoolVarP is BoolVar with a letter.
func (s *FlagSet) BoolVarP(p *bool, name, letter string, value bool, usage string) {
	*p = value
	initial := ""
	if value {
		initial = "true"
	}
	s.list = append(s.list, &flag{name: name, letter: letter, usage: usage, initial: initial, bare: true, set: setBool(p)})
}

func setBool(p *bool) func(string) error {
	return func(v string) (err error) {
		*p, err = strconv.ParseBool(v)
		return err
	}
}

// IntVar adds a flag whose value is a whole number.
func (s *FlagSet) IntVar(p *int, name string, value int, usage string) {
	s.IntVarP(p, name, "", value, usage)
}

// IntVarP is IntVar with a letter.
func (s *FlagSet) IntVarP(p *int, name, letter string, value int, usage string) {
	*p = value
	initial := ""
	if value != 0 {
		initial = strconv.Itoa(value)
	}
	s.list = append(s.list, &flag{name: name, letter: letter, usage: usage, kind: "int", initial: initial, set: func(v string) error {
		n, err := strconv.ParseInt(v, 0, strconv.IntSize)
		if err == nil {
			*p = int(n)
		}
		return err
	}})
}

// CountVar adds -k and --k, how many results there are at most: 1 or more.
func (s *FlagSet) CountVar(p *int, value int, usage string) {
	s.IntVarP(p, "k", "k", value, usage)
	f := s.list[len(s.list)-1]
	set := f.set
	f.set = func(v string) error {
		err := set(v)
		if err == nil && *p < 1 {
			err = errors.New("give 1 or more")
		}
		return err
	}
}

// DurationVar adds a flag whose value is a time like 30s or 1h30m.
func (s *FlagSet) DurationVar(p *time.Duration, name string, value time.Duration, usage string) {
	*p = value
	initial := ""
	if value != 0 {
		initial = value.String()
	}
	s.list = append(s.list, &flag{name: name, usage: usage, kind: "duration", initial: initial, set: func(v string) error {
		d, err := time.ParseDuration(v)
		if err == nil {
			*p = d
		}
		return err
	}})
}
