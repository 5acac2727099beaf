package opencl

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/simtc/simtc/internal/ndarg"
)

// Command describes a run. The range and the arguments have the syntax of package ndarg.
type Command struct {
	File    string // OpenCL C source
	Kernel  string
	Global  []uint64 // 1 to 3 dimensions
	Local   []uint64 // nil for the driver's choice
	Offset  []uint64 // nil for 0
	Options string   // of clBuildProgram
	Args    []ndarg.Arg
	Runs    int  // timed runs after the first one
	Reset   bool // restore the initial contents of the buffers before each run
	Threads int  // PoCL's worker threads; 0 for the driver's choice
	Cold    bool // ignore PoCL's cache of compiled programs
	Env     []string
	Runner  *Runner // nil for the machine's OpenCL
}

// Parse reads the words of "simtc run FILE WORDS..." that apply to an OpenCL driver. It ignores
// flags that only select how simtc compiles.
func Parse(file string, words []string) (Command, error) {
	c := Command{File: file, Runs: 0}
	var args, options []string
	for i := 0; i < len(words); i++ {
		word := words[i]
		if !strings.HasPrefix(word, "-") {
			args = append(args, word)
			continue
		}
		name, value, joined := strings.Cut(word, "=")
		if name == "--reset" || name == "--json" || name == "--stats" || name == "--verify" {
			c.Reset = c.Reset || name == "--reset"
			continue
		}
		if !joined {
			i++
			if i >= len(words) {
				return c, fmt.Errorf("flag %s needs a value", word)
			}
			value = words[i]
		}
		var err error
		switch name {
		case "-k", "--kernel":
			c.Kernel = value
		case "-g", "--global":
			c.Global, err = ndarg.ParseDims(value)
		case "-l", "--local":
			c.Local, err = ndarg.ParseDims(value)
		case "--offset":
			c.Offset, err = ndarg.ParseDims(value)
		case "-n", "--runs":
			c.Runs, err = strconv.Atoi(value)
		case "--threads":
			c.Threads, err = strconv.Atoi(value)
		case "-D", "-I":
			options = append(options, name+value)
		case "--cl-std":
			options = append(options, "-cl-std=CL"+strings.TrimPrefix(value, "CL"))
		case "--target", "--linearize", "--width", "--head", "--dump":
		default:
			return c, fmt.Errorf("unknown flag %s", name)
		}
		if err != nil {
			return c, fmt.Errorf("flag %s: %w", name, err)
		}
	}
	if c.Kernel == "" || c.Global == nil {
		return c, fmt.Errorf("missing -k KERNEL or -g X[,Y[,Z]]")
	}
	c.Options = strings.Join(options, " ")
	var err error
	c.Args, err = ndarg.ParseArgs(args)
	return c, err
}

// triple formats dims as three numbers, with rest for missing ones.
func triple(dims []uint64, rest uint64) string {
	t := [3]uint64{rest, rest, rest}
	copy(t[:], dims)
	return fmt.Sprintf("%d,%d,%d", t[0], t[1], t[2])
}

// local formats the local size for the runner.
func (c *Command) local() string {
	if c.Local == nil {
		return "-"
	}
	return triple(c.Local, 1)
}

func (c *Command) env(base []string) []string {
	env := append([]string(nil), base...)
	if c.Threads > 0 {
		n := strconv.Itoa(c.Threads)
		// PoCL's variable has this name before and after version 6, respectively.
		env = append(env, "POCL_MAX_PTHREAD_COUNT="+n, "POCL_CPU_MAX_CU_COUNT="+n)
	}
	if c.Cold {
		env = append(env, "POCL_KERNEL_CACHE=0")
	}
	return append(env, c.Env...)
}
