package setup

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// maxReply bounds the answer to a handshake, in bytes.
const maxReply = 1 << 20

// Program returns the file that an agent would start for a command of its
// configuration, and why it must not be started here: the configuration comes
// from the repository, and may name anything. Only what is called pindex and is
// not in the project is.
func Program(root, command string) (path, refused string, err error) {
	if strings.ContainsAny(command, `/\`) && !filepath.IsAbs(command) {
		return "", "it is a path within the project", nil
	}
	if path, err = exec.LookPath(command); err != nil {
		return "", "", err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", "", err
	}
	rel, err := filepath.Rel(root, path)
	if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path, "it lies in the project", nil
	}
	switch strings.TrimSuffix(filepath.Base(command), ".exe") {
	case "pindex", "pindex-client":
		return path, "", nil
	}
	return path, "it is not called pindex", nil
}

// Handshake starts a server and returns the name and version by which it answers
// the first message of the protocol. The process is ended before it returns.
func Handshake(ctx context.Context, argv []string, dir string) (name string, err error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = os.Environ()
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	defer func() {
		in.Close()
		cmd.Process.Kill() // it may be about to open an index; nobody waits for that
		cmd.Wait()
		if ctx.Err() != nil && err != nil {
			err = errors.New("there was no answer in time")
		}
	}()
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pindex doctor","version":"1"}}}` + "\n"
	if _, err := io.WriteString(in, hello); err != nil {
		return "", fmt.Errorf("it ended at once: %w", err)
	}
	line, err := bufio.NewReaderSize(io.LimitReader(out, maxReply), 64<<10).ReadBytes('\n')
	if err != nil {
		return "", fmt.Errorf("it ended without an answer: %w", err)
	}
	var reply struct {
		Result struct {
			ServerInfo struct{ Name, Version string } `json:"serverInfo"`
		} `json:"result"`
		Error *struct{ Message string } `json:"error"`
	}
	switch err := json.Unmarshal(line, &reply); {
	case err != nil:
		return "", fmt.Errorf("its answer is no message: %w", err)
	case reply.Error != nil:
		return "", fmt.Errorf("it refused: %.200s", reply.Error.Message)
	case reply.Result.ServerInfo.Name == "":
		return "", errors.New("its answer does not say who it is")
	}
	return strings.TrimSpace(fmt.Sprintf("%.100s %.100s", reply.Result.ServerInfo.Name, reply.Result.ServerInfo.Version)), nil
}
