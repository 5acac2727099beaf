package fuzz

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/simtc/simtc/internal/ndarg"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/utest/opencl"
)

// CheckDriver compares the oracle's result for a program with that of the
// machine's OpenCL driver: a check of the front end, which all else takes for
// granted. Programs should be strict.
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
	command, err := opencl.Parse(file, append([]string{"-k", "fuzz", "-g", fmt.Sprint(c.Range.Global[0])}, c.Words...))
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
