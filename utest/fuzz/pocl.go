package fuzz

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/simtc/simtc/internal/ndarg"
	"github.com/simtc/simtc/launch"
)

// CheckDriver compares the oracle's result for a program with that of the
// machine's OpenCL driver, run by the command clrun: a check of the front end,
// which all else takes for granted. Programs should be strict.
func CheckDriver(ctx context.Context, c *Case) error {
	want, err := c.Run(ctx, launch.NewInterpreter(c.Kernel, maxSteps))
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
	args := append([]string{"-f", file, "-k", "fuzz", "-g", fmt.Sprint(c.Range.Global[0]), "-n", "0", "-json"}, c.Words...)
	cmd := exec.CommandContext(ctx, "clrun", args...)
	cmd.Env = append(os.Environ(), "POCL_KERNEL_CACHE=0")
	var warnings strings.Builder
	cmd.Stderr = &warnings
	out, err := cmd.Output()
	if err != nil {
		return &Mismatch{"driver", fmt.Errorf("%w: %s", err, warnings.String())}
	}
	var report struct {
		Buffers []struct {
			Arg     int
			FNV1a64 string
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return &Mismatch{"driver", fmt.Errorf("%w in %s", err, out)}
	}
	for _, b := range report.Buffers {
		if h := ndarg.FormatHash(ndarg.Hash(want[b.Arg])); h != b.FNV1a64 {
			return &Mismatch{"driver", fmt.Errorf("buffer %d: want %s, the driver has %s", b.Arg, h, b.FNV1a64)}
		}
	}
	return nil
}
