// Command runsteps runs the steps of a composite action as a GitHub runner
// does, without one: the inputs' defaults, each step's environment, the files
// through which a step sets outputs, variables, the PATH and the summary, and
// the outputs at the end. The tests of the action drive it.
//
//	runsteps [-in name=value]... [-then COMMAND] ACTION-FOLDER
//
// It prints the action's outputs as one JSON object. With -then, COMMAND is run
// by bash afterwards, with the variables and the PATH that the steps left, as a
// later step of the job would be; its standard output goes to standard error.
// RUNNER_TEMP must name a folder, and GITHUB_STEP_SUMMARY a file, which grows.
//
// It is stricter than a runner: other actions must be pinned by commit, and
// shell text must have no expression in it.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

type action struct {
	Inputs map[string]struct {
		Description string
		Default     *string
		Required    bool
	}
	Outputs map[string]struct {
		Description string
		Value       string
	}
	Runs struct {
		Using string
		Steps []step
	}
	Name        string
	Description string
	Branding    map[string]string
}

type step struct {
	Name, ID, Uses, Shell, Run string
	With, Env                  map[string]string
}

var (
	pinned     = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)
	bashPrefix = []string{"--noprofile", "--norc", "-e", "-o", "pipefail"} // what 'shell: bash' means
)

func main() {
	inputs := map[string]string{}
	flag.Func("in", "an input, as `name=value`", func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return errors.New("want name=value")
		}
		inputs[name] = value
		return nil
	})
	then := flag.String("then", "", "`command` to run afterwards, as a later step")
	flag.Parse()
	outputs, err := run(flag.Arg(0), inputs, *then)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(outputs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "runsteps:", err)
		os.Exit(1)
	}
}

// job is what one step leaves to the next.
type job struct {
	dir    string // the action's
	values map[string]string
	env    map[string]string
	path   []string // first found first
}

func run(dir string, inputs map[string]string, then string) (map[string]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	a, err := load(filepath.Join(dir, "action.yml"))
	if err != nil {
		return nil, err
	}
	j := &job{dir: dir, values: map[string]string{"github.token": os.Getenv("RUNSTEPS_TOKEN"), "github.action_path": dir}, env: map[string]string{}}
	for name, in := range a.Inputs {
		value, given := inputs[name]
		if !given && in.Default != nil {
			value = *in.Default
		}
		delete(inputs, name)
		j.values["inputs."+name] = value
	}
	for name := range inputs {
		return nil, fmt.Errorf("the action has no input %s", name)
	}
	for i, s := range a.Runs.Steps {
		if err := j.step(s); err != nil {
			return nil, fmt.Errorf("step %d, %s: %w", i+1, s.Name, err)
		}
	}
	outputs := map[string]string{}
	for name, o := range a.Outputs {
		if outputs[name], err = j.expand(o.Value); err != nil {
			return nil, fmt.Errorf("output %s: %w", name, err)
		}
	}
	if then != "" {
		if err := j.bash(then, j.env); err != nil {
			return nil, fmt.Errorf("afterwards: %w", err)
		}
	}
	return outputs, nil
}

func load(path string) (*action, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var a action
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&a); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		return nil, fmt.Errorf("%s is no composite action", path)
	}
	return &a, nil
}

func (j *job) step(s step) error {
	if s.Uses != "" {
		if !pinned.MatchString(s.Uses) {
			return fmt.Errorf("%s is not pinned by commit", s.Uses)
		}
		fmt.Fprintln(os.Stderr, "runsteps: not run:", s.Uses)
		for _, v := range s.With {
			if _, err := j.expand(v); err != nil {
				return err
			}
		}
		return nil
	}
	if s.Shell != "bash" || expression.MatchString(s.Run) {
		return errors.New("the shell is not bash, or its text has an expression in it")
	}
	env := map[string]string{"GITHUB_ACTION_PATH": j.dir}
	for k, v := range j.env {
		env[k] = v
	}
	var err error
	for k, v := range s.Env {
		if env[k], err = j.expand(v); err != nil {
			return err
		}
	}
	files := map[string]string{}
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH"} {
		f, err := os.CreateTemp(os.Getenv("RUNNER_TEMP"), "file-command-")
		if err != nil {
			return err
		}
		f.Close()
		files[name], env[name] = f.Name(), f.Name()
	}
	if err := j.bash(s.Run, env); err != nil {
		return err
	}
	return j.collect(s.ID, files)
}

// bash runs a step's text from a file, as a runner does.
func (j *job) bash(text string, env map[string]string) error {
	script, err := os.CreateTemp(os.Getenv("RUNNER_TEMP"), "step-*.sh")
	if err != nil {
		return err
	}
	if _, err := script.WriteString(text); err != nil {
		return err
	}
	if err := script.Close(); err != nil {
		return err
	}
	c := exec.Command("bash", append(bashPrefix, script.Name())...)
	c.Dir = os.Getenv("GITHUB_WORKSPACE")
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	c.Env = append(os.Environ(), "PATH="+strings.Join(append(j.path, os.Getenv("PATH")), string(os.PathListSeparator)))
	for k, v := range env {
		c.Env = append(c.Env, k+"="+v)
	}
	return c.Run()
}

// collect reads what a step wrote into its files. A value of several lines is
// possible in them and not needed here.
func (j *job) collect(id string, files map[string]string) error {
	for kind, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(b)) {
			line = strings.TrimSuffix(line, "\n")
			name, value, ok := strings.Cut(line, "=")
			switch {
			case kind == "GITHUB_PATH":
				j.path = append([]string{line}, j.path...)
			case !ok:
				return fmt.Errorf("%s has the line %q", kind, line)
			case kind == "GITHUB_ENV":
				j.env[name] = value
			case id == "":
				return fmt.Errorf("output %s of a step that has no id", name)
			default:
				j.values["steps."+id+".outputs."+name] = value
			}
		}
	}
	return nil
}

// expand puts values in the place of expressions, of which there are only
// plain names. An output that no step set is empty, any other name an error.
func (j *job) expand(s string) (string, error) {
	var err error
	out := expression.ReplaceAllStringFunc(s, func(e string) string {
		name := expression.FindStringSubmatch(e)[1]
		v, ok := j.values[name]
		if !ok && !strings.HasPrefix(name, "steps.") {
			err = fmt.Errorf("no value for %s", e)
		}
		return v
	})
	return out, err
}
