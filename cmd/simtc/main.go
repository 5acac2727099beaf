// Command simtc compiles OpenCL C kernels for the vector units of CPUs, runs them, and shows
// every stage of the compilation. "simtc help" lists its commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func main() {
	// A short-lived compiler gains from fewer garbage collections as long as there is enough
	// memory.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
		if os.Getenv("GOMEMLIMIT") == "" {
			debug.SetMemoryLimit(4 << 30)
		}
	}
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// Exit statuses.
const (
	exitOK    = 0
	exitError = 1 // an error in the program, the kernel or a file
	exitUsage = 2 // an error in the command line
)

// failure is an error that is not a usage error.
type failure struct{ err error }

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

// usageError is an error in the command line that is found while a command runs.
type usageError struct{ err error }

func (u usageError) Error() string { return u.err.Error() }
func (u usageError) Unwrap() error { return u.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// silent is the error of a command that has already reported it.
var silent = failure{errors.New("failed")}

// run executes a command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := &output{to: stdout}
	root := command()
	args, err := fromDump(args)
	if err != nil {
		report(stderr, err)
		return exitError
	}
	root.SetArgs(buildFlags(args))
	root.SetOut(out)
	root.SetErr(stderr)
	refuseUnknown(root)
	cmd, err := root.ExecuteContextC(ctx)
	status := statusOf(err)
	if out.err != nil && errors.Is(err, out.err) {
		err, status = nil, exitOK // reported below
	}
	if err != nil {
		reportJSON(cmd, err)
		if !errors.Is(err, silent) {
			report(stderr, err)
		}
		if status == exitUsage {
			fmt.Fprintf(stderr, "usage: %s\n", cmd.UseLine())
		}
	}
	if out.err != nil {
		report(stderr, out.err)
		status = max(status, exitError)
	}
	return status
}

// statusOf returns the exit status for the error of a command. For a signal it is the status that
// shells report.
func statusOf(err error) int {
	var signalled stopSignal
	var fail failure
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &signalled):
		return signalled.status()
	case errors.As(err, &fail):
		return exitError
	}
	return exitUsage
}

// buildFlags allows build options of OpenCL among the flags in the syntax of clBuildProgram, with
// one hyphen.
func buildFlags(args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		if a == "--" {
			break
		}
		if i > 0 && args[i-1] == "--cl-options" {
			continue
		}
		if strings.HasPrefix(a, "-cl-") || a == "-w" || a == "-Werror" {
			args[i] = "--cl-options=" + a
		}
	}
	return args
}

// fromDump replaces the flag --from DIR of run by the words in DIR/command, which the OpenCL driver
// has written (SIMTC_DUMP), with {} replaced by DIR.
func fromDump(args []string) ([]string, error) {
	if len(args) == 0 || args[0] != "run" {
		return args, nil
	}
	for i, a := range args {
		dir, ok := strings.CutPrefix(a, "--from=")
		n := 1
		if a == "--from" && i+1 < len(args) {
			dir, ok, n = args[i+1], true, 2
		}
		if a == "--" {
			break
		}
		if !ok {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, "command"))
		if err != nil {
			return nil, fmt.Errorf("--from %s: %w", dir, err)
		}
		words := strings.Split(strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "{}", dir), "\n")
		rest := slices.Concat(args[1:i], args[i+n:])
		return slices.Concat(args[:1], rest, words), nil
	}
	return args, nil
}

// command builds the command tree.
func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "simtc",
		Short:         "Compile OpenCL C kernels for the vector units of CPUs, and run them",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.AddCommand(compileCommand(), runCommand(), checkCommand(), openclCommand(), versionCommand())
	limitWidth(root)
	return root
}

// refuseUnknown makes cobra's commands reject unknown names, as the other commands do. root must
// have its writers already, because the completion command keeps them.
func refuseUnknown(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = knownCommand
		case "completion":
			c.Args = cobra.ArbitraryArgs // otherwise cobra prints help before it checks them
			c.RunE = func(cmd *cobra.Command, args []string) error {
				if len(args) > 0 {
					return unknownCommand(cmd, args[0])
				}
				return cmd.Help()
			}
		}
	}
}

// knownCommand rejects names of unknown commands.
func knownCommand(cmd *cobra.Command, args []string) error {
	if found, rest, err := cmd.Root().Find(args); err != nil || found == nil || len(rest) > 0 {
		return unknownCommand(cmd.Root(), strings.Join(args, " "))
	}
	return nil
}

// unknownCommand returns the error for an unknown command of parent.
func unknownCommand(parent *cobra.Command, name string) error {
	var known []string
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			known = append(known, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q: want one of %s", name, strings.Join(known, ", "))
}

// fileFirst rejects a command line without a file.
func fileFirst(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s needs a FILE", cmd.Name())
	}
	return nil
}

// nothing rejects arguments.
func nothing(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, got %q", cmd.Name(), args[0])
	}
	return nil
}

// action wraps a command so that its errors, except usage errors, exit with status 1.
func action(f func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := f(cmd, args)
		var usage usageError
		if err == nil || errors.As(err, &usage) {
			return err
		}
		if errors.Is(err, silent) {
			return silent
		}
		return failure{err}
	}
}
