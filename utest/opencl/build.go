// Package opencl runs kernels on the machine's OpenCL driver, as a reference for results and
// times. It uses a small C program that is compiled on first use, so that building needs no
// cgo and only running needs a driver.
//
// The package must not import any compiler package, since it is their reference.
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

// A Runner is a program that runs kernels like the runner of this package, linked with
// another implementation of OpenCL.
type Runner struct {
	Name    string            // file name
	Sources map[string][]byte // C sources by file name; package opencl adds its own
	Flags   []string          // for the C compiler
}

// installed is the runner for the machine's OpenCL.
var installed = &Runner{Name: "opencl-runner", Flags: []string{"-O2", "-lOpenCL"}}

// Device describes the device that kernels run on: the first CPU of any platform, or else the
// first device. The error names the missing part: a C compiler, the OpenCL headers and
// library, or a driver.
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

// Device describes the device that the runner uses.
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

// executable compiles the runner into the user's cache, once per version of its sources, and
// returns its path.
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
	// Renaming is atomic: concurrent builds do not interfere.
	return path, os.Rename(output, path)
}

// explain adds the standard error output of a failed process.
func explain(err error) error {
	if e, ok := err.(*exec.ExitError); ok {
		if text := strings.TrimSpace(string(e.Stderr)); text != "" {
			return fmt.Errorf("%s", text)
		}
	}
	return err
}
