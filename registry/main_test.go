package registry_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

// childEnv makes the test program act as one of the processes that share a
// layout. Its value is the role and its arguments, separated by commas.
const childEnv = "PINDEX_TEST_CHILD"

// roles are what a child can be. They return the exit code.
var roles = map[string]func(dir string, args []string) int{
	"publish": childPublish,
}

func TestMain(m *testing.M) {
	if spec := os.Getenv(childEnv); spec != "" {
		args := strings.Split(spec, ",")
		os.Exit(roles[args[0]](args[1], args[2:]))
	}
	os.Exit(m.Run())
}

// child returns this test program in another role.
func child(t *testing.T, role, dir string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(append([]string{role, dir}, args...), ","))
	cmd.Stderr = os.Stderr
	return cmd
}

// childPublish publishes the commits from args[0] up to and without args[1],
// and prints the number of each one that is published.
func childPublish(dir string, args []string) int {
	lo, _ := strconv.Atoi(args[0])
	hi, _ := strconv.Atoi(args[1])
	l, err := registry.OpenLocal(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	out := bufio.NewWriter(os.Stdout)
	for n := lo; n < hi; n++ {
		if _, err := registrytest.Small(n).Publish(context.Background(), l); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Fprintln(out, n)
		out.Flush()
	}
	return 0
}
