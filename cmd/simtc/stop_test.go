package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// full is a standard output on a disk that has room for some bytes.
type full struct{ room int }

var errFull = errors.New("no space left on device")

func (f *full) Write(b []byte) (int, error) {
	n := min(f.room, len(b))
	f.room -= n
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

// TestFullDisk: output that cannot be written is an error, whatever writes it and wherever
// it breaks off.
func TestFullDisk(t *testing.T) {
	path := file(t, "saxpy.cl", saxpy)
	bad := file(t, "bad.cl", "__kernel void f() { x; }")
	args := []string{path, "-g", "4", "--target", "interp", "float:1", "b:float:4", "b:float:4"}
	for _, c := range []struct {
		args   []string
		status int
	}{
		{[]string{"version"}, exitError},
		{[]string{"version", "--json"}, exitError},
		{[]string{"help"}, exitError},
		{[]string{}, exitError},
		{[]string{"run", "--help"}, exitError},
		{[]string{"completion"}, exitError},
		{[]string{"completion", "bash"}, exitError},
		{[]string{"__complete", "compile", "--emit", ""}, exitError},
		{[]string{"compile", path}, exitError},
		{[]string{"compile", path, "-o", "-", "--emit", "obj"}, exitError},
		{[]string{"compile", path, "--json"}, exitError},
		{[]string{"compile", path, "--remarks", "--target", "vir", "--width", "16"}, exitError},
		{[]string{"compile", bad, "--json"}, exitError},
		{append([]string{"run", "-n", "0"}, args...), exitError},
		{append([]string{"run", "-n", "0", "--json"}, args...), exitError},
		{append([]string{"run", "-n", "0", "--profile"}, args...), exitError},
		{[]string{"run", "-n", "0", "-g", "1", "--target", "interp", file(t, "p.cl", "__kernel void p() { printf(\"text\"); }")}, exitError},
		{append([]string{"check", "--width", "4", "--linearize", "partial"}, append(args[:3:3], append([]string{"--target", "vir"}, args[5:]...)...)...), exitError},
		{append([]string{"check", "--width", "4", "--json"}, append(args[:3:3], append([]string{"--target", "vir"}, args[5:]...)...)...), exitError},
		{[]string{"run", path, "--json"}, exitUsage},
	} {
		var whole, errs bytes.Buffer
		run(context.Background(), c.args, &whole, &errs)
		require.NotZero(t, whole.Len(), "%v: %s", c.args, errs.String())
		for _, room := range []int{0, 1, whole.Len() / 2} {
			errs.Reset()
			status := run(context.Background(), c.args, &full{room}, &errs)
			require.Equal(t, c.status, status, "%v with room for %d bytes: %s", c.args, room, errs.String())
			require.Equal(t, 1, strings.Count(errs.String(), "simtc: error: no space left on device\n"), "%v: %s", c.args, errs.String())
		}
	}
}

// TestDevFull is TestFullDisk with a process and a device.
func TestDevFull(t *testing.T) {
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("SKIPPED: there is no full device here: %v", err)
	}
	defer device.Close()
	path := file(t, "saxpy.cl", saxpy)
	for _, args := range [][]string{
		{"version"}, {"help"}, {"completion", "zsh"}, {"compile", path, "-o", "-"}, {"compile", path, "-o", "/dev/full"},
		append([]string{"run", path, "-n", "0", "--target", "interp"}, saxpyArgs...),
	} {
		var errs bytes.Buffer
		cmd := exec.Command("simtc", args...)
		cmd.Stdout, cmd.Stderr = device, &errs
		require.Error(t, cmd.Run(), args)
		require.Equal(t, exitError, cmd.ProcessState.ExitCode(), args)
		require.Regexp(t, `^simtc: error: write .*: no space left on device\n$`, errs.String())
	}
}

// process starts the command and returns it with its output and its errors.
func process(t *testing.T, args ...string) (cmd *exec.Cmd, out *bufio.Reader, errs *bytes.Buffer) {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("SKIPPED: no signals can be sent here")
	}
	cmd, errs = exec.Command("simtc", args...), &bytes.Buffer{}
	cmd.Stderr = errs
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, bufio.NewReader(pipe), errs
}

// TestCheckReportsRowsWhenStopped: the width at which the kernel does not end is the third.
// The rows before it are printed at once, and stay when a signal comes.
func TestCheckReportsRowsWhenStopped(t *testing.T) {
	path := file(t, "stuck.cl", `__kernel void stuck(__global int *p) {
  while (get_max_sub_group_size() == 8 && p[get_global_id(0)] == 0) {}
  p[get_global_id(0)] = 1;
}`)
	args := []string{"check", path, "-g", "16", "--target", "vir", "--linearize", "partial", "b:int:16"}
	for _, c := range []struct {
		signal  os.Signal
		status  int
		stopped string
	}{{syscall.SIGINT, 130, "interrupted"}, {syscall.SIGTERM, 143, "terminated"}} {
		cmd, out, errs := process(t, args...)
		var lines []string
		for len(lines) < 5 { // the finished rows are there while the next one runs
			line, err := out.ReadString('\n')
			require.NoError(t, err)
			lines = append(lines, line)
		}
		require.Regexp(t, `^  interp .*reference\n$`, lines[2])
		require.Regexp(t, `^  vir +partial +1 .*same\n$`, lines[3])
		require.Regexp(t, `^  vir +partial +4 .*same\n$`, lines[4])
		require.NoError(t, cmd.Process.Signal(c.signal))
		rest, err := io.ReadAll(out)
		require.NoError(t, err)
		require.Equal(t, c.stopped+" on interp; 2 of 6 variants compared, all equal to the interpreter (a NaN equals any NaN)\n", string(rest))
		require.Error(t, cmd.Wait())
		require.Equal(t, c.status, cmd.ProcessState.ExitCode())
		require.Regexp(t, `stuck\.cl:2:\d+: error: kernel stuck: `+c.stopped+` on interp\n`, errs.String())
	}
	r := simtcRun(append(args, "--timeout", "300ms", "--json")...)
	require.Equal(t, exitError, r.code)
	require.Equal(t, 1, strings.Count(r.out, "\n"))
	var j checkReport
	require.NoError(t, json.Unmarshal([]byte(r.out), &j))
	require.False(t, j.OK)
	require.Equal(t, "stopped after 300ms on interp", j.Stopped)
	require.Len(t, j.Rows, 3)
}

// TestRunReportsWhenStopped: the first run and the timed ones that were finished are
// reported when a signal comes or the time is over.
func TestRunReportsWhenStopped(t *testing.T) {
	path := file(t, "loud.cl", `__kernel void loud(__global int *p) {
  if (get_global_id(0) == 0) printf("first run\n");
  p[get_global_id(0)] = 7;
}`)
	args := []string{"run", path, "-g", "1000", "--no-tuning", "--target", "wasm-simd", "-n", "1000000000", "b:int:1000"}
	for _, c := range []struct {
		signal  os.Signal
		status  int
		stopped string
	}{{syscall.SIGINT, 130, "interrupted"}, {syscall.SIGTERM, 143, "terminated"}} {
		cmd, out, errs := process(t, args...)
		line, err := out.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "first run\n", line)
		require.NoError(t, cmd.Process.Signal(c.signal))
		rest, err := io.ReadAll(out)
		require.NoError(t, err)
		require.Error(t, cmd.Wait())
		require.Equal(t, c.status, cmd.ProcessState.ExitCode())
		require.Regexp(t, `error: kernel loud: `+c.stopped+`\n`, errs.String())
		require.Regexp(t, `compiled in .* ms(; run ms: .*\(n=\d+\).*)?; `+c.stopped+`\n`, string(rest))
		require.Contains(t, string(rest), "sum 7000  min 7  max 7\n")
	}
	r := simtcRun(append(args, "--timeout", "2s", "--json")...)
	require.Equal(t, exitError, r.code)
	require.Regexp(t, `error: kernel loud: stopped after 2s\n`, r.err)
	var j runReport
	require.NoError(t, json.Unmarshal([]byte(r.out), &j))
	require.Equal(t, "stopped after 2s", j.Stopped)
	require.Equal(t, "first run\n", j.Printf)
	require.Positive(t, j.N)
	require.Less(t, j.N, 1000000000)
	require.LessOrEqual(t, j.MinMS, j.MaxMS)
	require.EqualValues(t, 7000, j.Buffers[0].Sum)
}

// TestHelpWidth: help fits into 100 columns.
func TestHelpWidth(t *testing.T) {
	commands := [][]string{{}, {"completion"}, {"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"}, {"completion", "powershell"}}
	for _, c := range command().Commands() {
		commands = append(commands, []string{c.Name()})
	}
	for _, c := range commands {
		for i, line := range strings.Split(ok(t, append([]string{"help"}, c...)...), "\n") {
			require.LessOrEqual(t, len([]rune(line)), helpColumns, "help %v, line %d: %s", c, i+1, line)
		}
	}
}
