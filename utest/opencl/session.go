package opencl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/simtc/simtc/internal/ndarg"
)

// ErrImages is returned for commands with images, which the runner does not support.
var ErrImages = errors.New("images cannot be passed to the driver")

// Session is a built kernel in a process of its own, so that its runs can alternate with other
// measurements.
type Session struct {
	Device string
	Build  Time // clBuildProgram; PoCL compiles the rest in the first run

	command Command
	dir     string
	process *exec.Cmd
	stdin   io.WriteCloser
	stdout  *bufio.Reader
	stderr  *strings.Builder
	waited  error
	ended   bool
}

// Time is a duration: CPU time of all threads, and wall time.
type Time struct{ CPU, Wall time.Duration }

// Open builds the kernel of c. The context limits the life of the session.
func Open(ctx context.Context, c Command) (*Session, error) {
	by := c.Runner
	if by == nil {
		by = installed
	}
	runner, err := by.executable(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "simtc-opencl")
	if err != nil {
		return nil, err
	}
	s := &Session{command: c, dir: dir, stderr: &strings.Builder{}}
	args := []string{"run", c.File, c.Options, c.Kernel, fmt.Sprint(len(c.Global)), triple(c.Global, 1), c.local(), triple(c.Offset, 0)}
	for i := range c.Args {
		word, err := s.argument(i)
		if err != nil {
			s.Close()
			return nil, err
		}
		args = append(args, word)
	}
	s.process = exec.CommandContext(ctx, runner, args...)
	s.process.Env = c.env(os.Environ())
	s.process.Stderr = s.stderr
	if s.stdin, err = s.process.StdinPipe(); err == nil {
		var out io.ReadCloser
		if out, err = s.process.StdoutPipe(); err == nil {
			s.stdout = bufio.NewReader(out)
			err = s.process.Start()
		}
	}
	if err != nil {
		s.process = nil
		s.Close()
		return nil, err
	}
	r, err := s.reply()
	if err != nil {
		s.Close()
		return nil, err
	}
	s.Device, s.Build = r.text, r.time
	return s, nil
}

// argument writes the contents of argument i and returns its word for the runner.
func (s *Session) argument(i int) (string, error) {
	a := &s.command.Args[i]
	path := filepath.Join(s.dir, fmt.Sprintf("argument%d", i))
	contents, kind := a.Value, byte('v')
	switch a.Kind {
	case ndarg.Image:
		return "", ErrImages
	case ndarg.Local:
		return fmt.Sprintf("l:%d", a.Bytes), nil
	case ndarg.Buffer:
		var err error
		if contents, err = a.New(); err != nil {
			return "", err
		}
		switch {
		case a.ReadOnly:
			kind = 'r'
		case a.WriteOnly:
			kind = 'w'
		default:
			kind = 'b'
		}
	}
	return fmt.Sprintf("%c:%d:%s", kind, a.Bytes, path), os.WriteFile(path, contents, 0o600)
}

// Run runs the kernel once over its range.
func (s *Session) Run() (Time, error) {
	r, err := s.do("run")
	return r.time, err
}

// Reset restores the initial contents of every buffer.
func (s *Session) Reset() error {
	_, err := s.do("reset")
	return err
}

// Read returns the current contents of buffer argument i.
func (s *Session) Read(i int) ([]byte, error) {
	path := filepath.Join(s.dir, "result")
	if _, err := s.do(fmt.Sprintf("save %d %s", i, path)); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// Close ends the process and removes its files.
func (s *Session) Close() error {
	defer os.RemoveAll(s.dir)
	if s.process == nil {
		return nil
	}
	s.stdin.Close()
	return s.wait()
}

func (s *Session) wait() error {
	if !s.ended {
		s.ended = true
		s.waited = s.process.Wait()
	}
	return s.waited
}

func (s *Session) do(command string) (reply, error) {
	if _, err := fmt.Fprintln(s.stdin, command); err != nil {
		return reply{}, s.failure(err)
	}
	return s.reply()
}

func (s *Session) reply() (reply, error) {
	line, err := s.stdout.ReadString('\n')
	if err != nil {
		return reply{}, s.failure(err)
	}
	return parseReply(line)
}

// failure returns the reason why the process ended.
func (s *Session) failure(err error) error {
	if ended := s.wait(); ended != nil {
		err = ended
	}
	if text := strings.TrimSpace(s.stderr.String()); text != "" {
		return fmt.Errorf("OpenCL: %s", text)
	}
	return fmt.Errorf("OpenCL: the runner ended: %w", err)
}

// reply is one line of the runner's output.
type reply struct {
	time Time
	text string
}

func parseReply(line string) (reply, error) {
	var r reply
	var cpu, wall int64
	if n, _ := fmt.Sscanf(line, "ok %d %d", &cpu, &wall); n != 2 {
		return r, fmt.Errorf("OpenCL: the runner said %q", line)
	}
	r.time = Time{time.Duration(cpu), time.Duration(wall)}
	if words := strings.SplitN(strings.TrimSpace(line), " ", 4); len(words) == 4 {
		r.text = words[3]
	}
	return r, nil
}
