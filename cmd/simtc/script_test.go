package main

import (
	"errors"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"simtc": main})
}

// TestScripts runs the command as a process. Scripts have one more command, "exits STATUS
// COMMAND...", which runs a command that must exit with the status.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       updating(),
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 {
					ts.Fatalf("usage: exits STATUS COMMAND...")
				}
				got := 0
				var failed *exec.ExitError
				if err := ts.Exec(args[1], args[2:]...); errors.As(err, &failed) {
					got = failed.ExitCode()
				} else if err != nil {
					ts.Fatalf("%v", err)
				}
				if strconv.Itoa(got) != args[0] {
					ts.Fatalf("the exit status is %d, not %s", got, args[0])
				}
			},
		},
	})
}
