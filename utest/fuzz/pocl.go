package fuzz

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/simtc/simtc/internal/ndarg"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/utest/opencl"
)

// rangeWords returns the command-line arguments for a range.
func rangeWords(r launch.Range) []string {
	list := func(d [3]uint64) string {
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(d[:r.Dims]), " ", ","), "[]")
	}
	words := []string{"-k", "fuzz", "-g", list(r.Global)}
	if r.Local[0] > 0 {
		words = append(words, "-l", list(r.Local))
	}
	return words
}

// CheckDriver compares the oracle's result for a program with that of the machine's OpenCL
// driver. It tests the front end, which the other checks do not. Programs should be strict.
func CheckDriver(ctx context.Context, c *Case) error {
	want, err := c.Run(ctx, launch.NewInterpreter(c.Kernel, maxSteps, false))
	if err != nil {
		return &Mismatch{"oracle", fmt.Errorf("%w: %w", ErrOracle, err)}
	}
	dir, err := os.MkdirTemp("", "simtfuzz")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "fuzz.cl")
	if err := os.WriteFile(file, []byte(c.Source), 0o644); err != nil {
		return err
	}
	command, err := opencl.Parse(file, append(rangeWords(c.Range), c.Words...))
	if err != nil {
		return &Mismatch{"driver", err}
	}
	result, err := opencl.Run(ctx, command)
	if err != nil {
		return &Mismatch{"driver", err}
	}
	for _, b := range result.Checksums {
		if h := ndarg.Hash(want[b.Arg]); h != b.FNV {
			return &Mismatch{"driver", fmt.Errorf("buffer %d: want %016x, the driver has %016x", b.Arg, h, b.FNV)}
		}
	}
	return nil
}
