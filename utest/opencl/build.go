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
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed runner/main.c
var source []byte

// A Runner is a program that runs kernels as the runner of this package does: one that was
// linked with something else than the machine's OpenCL.
type Runner struct {
	Name    string            // of its file
	Sources map[string][]byte // C, by file; package opencl adds its own
	Flags   []string          // of the C compiler
}

// installed is the runner of the machine's OpenCL.
var installed = &Runner{Name: "opencl-runner", Flags: []string{"-O2", "-lOpenCL"}}

// Device describes the device kernels run on: the first CPU of any platform,
// or the first device where there is no CPU. The error says what is missing: a
// C compiler, the OpenCL headers and library, or a driver.
func Device() (string, error) {
	probe.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		probe.device, probe.err = installed.Device(ctx)
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

// Device describes what the runner runs kernels on.
func (r *Runner) Device(ctx context.Context) (string, error) {
	path, err := r.executable(ctx)
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, path, "list").Output()
	if err != nil {
		return "", fmt.Errorf("OpenCL: %w", explain(err))
	}
	said, err := parseReply(string(out))
	return said.text, err
}

// executable compiles the runner into the user's cache, once for each version
// of its sources, and returns its path.
func (r *Runner) executable(ctx context.Context) (string, error) {
	sources := maps.Clone(r.Sources)
	if sources == nil {
		sources = map[string][]byte{}
	}
	sources["main.c"] = source
	names := slices.Sorted(maps.Keys(sources))
	sum := sha256.New()
	for _, name := range names {
		fmt.Fprintf(sum, "%s %d %s", name, len(sources[name]), sources[name])
	}
	fmt.Fprint(sum, r.Flags)
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	dir := filepath.Join(base, "simtc")
	path := filepath.Join(dir, fmt.Sprintf("%s-%x", r.Name, sum.Sum(nil)[:8]))
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
	output := filepath.Join(work, "runner")
	args := []string{"-o", output}
	for _, name := range names {
		input := filepath.Join(work, name)
		if err := os.WriteFile(input, sources[name], 0o644); err != nil {
			return "", err
		}
		if filepath.Ext(name) == ".c" {
			args = append(args, input)
		}
	}
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	cmd := exec.CommandContext(ctx, cc, append(args, r.Flags...)...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("compiling %s: %w: %s", r.Name, err, strings.TrimSpace(string(text)))
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
