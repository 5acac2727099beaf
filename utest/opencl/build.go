// Package opencl runs kernels on whatever OpenCL driver the machine has, as a
// reference for results and times. The driver is reached through a small C
// program that is compiled when it is first needed, so nothing here needs cgo
// and nothing but a run needs a driver.
//
// The package must not import any compiler package: it is what they are
// measured against.
package opencl

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

//go:embed runner/main.c
var source []byte

// Device describes the device kernels run on: the first CPU of any platform,
// or the first device where there is no CPU. The error says what is missing: a
// C compiler, the OpenCL headers and library, or a driver.
func Device() (string, error) {
	probe.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		probe.device, probe.err = list(ctx)
	})
	return probe.device, probe.err
}

// Available reports whether kernels can be run.
func Available() bool {
	_, err := Device()
	return err == nil
}

var probe struct {
	once   sync.Once
	device string
	err    error
}

func list(ctx context.Context) (string, error) {
	runner, err := executable(ctx)
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, runner, "list").Output()
	if err != nil {
		return "", fmt.Errorf("OpenCL: %w", explain(err))
	}
	r, err := parseReply(string(out))
	return r.text, err
}

// executable compiles the runner into the user's cache, once for each version
// of its source, and returns its path.
func executable(ctx context.Context) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	dir := filepath.Join(base, "simtc")
	path := filepath.Join(dir, fmt.Sprintf("opencl-runner-%x", sha256.Sum256(source))[:30])
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(dir, "build")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	input, output := filepath.Join(work, "runner.c"), filepath.Join(work, "runner")
	if err := os.WriteFile(input, source, 0o644); err != nil {
		return "", err
	}
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	cmd := exec.CommandContext(ctx, cc, "-O2", "-o", output, input, "-lOpenCL")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("compiling the OpenCL runner: %w: %s", err, strings.TrimSpace(string(text)))
	}
	// Renaming is atomic: of two processes that build at once, one wins.
	return path, os.Rename(output, path)
}

// explain adds what a failed process wrote to stderr.
func explain(err error) error {
	if e, ok := err.(*exec.ExitError); ok {
		if text := strings.TrimSpace(string(e.Stderr)); text != "" {
			return fmt.Errorf("%s", text)
		}
	}
	return err
}
