package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"text/tabwriter"

	"github.com/simtc/simtc/utest/opencl"
)

// compileRow holds the times for compiling a kernel, in ms of CPU time.
type compileRow struct {
	Kernel  string  `json:"kernel"`
	Lines   int     `json:"lines"`
	Driver  float64 `json:"driver_ms"`  // source to first result, without the run; nothing cached
	Process float64 `json:"process_ms"` // "simtc compile" from start to exit
	Warm    float64 `json:"warm_ms"`    // source to callable in this process
	Note    string  `json:"note"`
}

// compileTable measures compiling the kernels and prints the table.
func (s *settings) compileTable(ctx context.Context, kernels []*benchmark, driver string) (ok bool, err error) {
	dir, err := os.MkdirTemp("", "simtc-bench")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	command := filepath.Join(dir, "simtc")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", command, "github.com/simtc/simtc/cmd/simtc").CombinedOutput(); err != nil {
		return false, fmt.Errorf("building the command: %w: %s", err, strings.TrimSpace(string(out)))
	}
	if s.profile != "" {
		f, err := os.Create(s.profile)
		if err != nil {
			return false, err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return false, err
		}
		defer pprof.StopCPUProfile()
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	if !s.json {
		fmt.Printf("CPU ms to compile, minimum of %d; \"process\" is the whole command, \"warm\" is within a running program.\n", s.runs)
		if driver != "" {
			fmt.Printf("Driver: %s, without its cache, measured once.\n", driver)
		}
		fmt.Fprintln(out, "\n"+left("kernel")+"\tlines\tdriver\tprocess\twarm\t")
	}
	ok = true
	var process, warm mean
	for _, b := range kernels {
		r := compileRow{Kernel: b.name, Lines: strings.Count(b.source, "\n")}
		if err := s.compileOne(ctx, b, command, dir, driver != "", &r); err != nil {
			r.Note, ok = firstLine(err.Error()), false
		}
		if s.json {
			line, err := json.Marshal(r)
			if err != nil {
				return false, err
			}
			fmt.Println(string(line))
			continue
		}
		if r.Warm > 0 && r.Process > 0 {
			process.add(r.Process)
			warm.add(r.Warm)
		}
		fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%s\t%s\n", left(r.Kernel), r.Lines, number(r.Driver), number(r.Process), number(r.Warm), r.Note)
	}
	if !s.json {
		out.Flush()
		fmt.Printf("\nGeometric means: process %s ms, warm %s ms\n", &process, &warm)
	}
	return ok, nil
}

func (s *settings) compileOne(ctx context.Context, b *benchmark, command, dir string, driver bool, r *compileRow) error {
	file, err := b.writeSource(dir)
	if err != nil {
		return err
	}
	if driver {
		if r.Driver, err = driverCompile(ctx, b, file, dir); err != nil {
			return err
		}
	}
	width := s.widths[0]
	for i := range s.runs {
		start := cpuTime()
		p, _, err := s.compileOnce(b, width, false)
		if err != nil {
			return err
		}
		if ms := milliseconds(cpuTime() - start); i == 0 || ms < r.Warm {
			r.Warm = ms
		}
		p.Close()
	}
	args := []string{"compile", file, "-k", b.command.Kernel, "-o", filepath.Join(dir, "out"), "--linearize", s.linearize}
	if s.target != "" {
		args = append(args, "--target", s.target)
	}
	if width != 0 {
		args = append(args, "--width", fmt.Sprint(width))
	}
	for _, d := range s.options(b, width, false).Defines {
		args = append(args, "-D", d)
	}
	for i := range min(s.runs, 5) {
		cmd := exec.CommandContext(ctx, command, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("simtc compile: %w: %s", err, firstLine(string(out)))
		}
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if ms := milliseconds(used); i == 0 || ms < r.Process {
			r.Process = ms
		}
	}
	return nil
}

// driverCompile measures the driver's time from the source to the first result, minus that
// of a second run.
func driverCompile(ctx context.Context, b *benchmark, file, dir string) (float64, error) {
	c := b.command
	c.File, c.Threads, c.Cold = file, 1, true
	c.Env = []string{"POCL_CACHE_DIR=" + filepath.Join(dir, "pocl-"+b.name)}
	session, err := opencl.Open(ctx, c)
	if err != nil {
		return 0, err
	}
	defer session.Close()
	first, err := session.Run()
	if err != nil {
		return 0, err
	}
	second, err := session.Run()
	return milliseconds(session.Build.CPU + first.CPU - second.CPU), err
}
